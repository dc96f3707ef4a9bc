"""Pictures of any size and depth: what a model sees of them, and themselves rotated. See
recon/data/bitmap.h."""
from __future__ import annotations

import ctypes
from typing import Any, Sequence

import numpy as np

from . import _abi
from ._errors import InputError
from ._library import Array, address, array, check, dtype_of, lib, warn_above

_DTYPES = ("uint8", "uint16", "float32")
_ALPHA = (2, 4)  # channels of grey and of colour with alpha
_COLOUR = 3


def shape_text(shape: Sequence[int]) -> str:
    return " x ".join(map(str, shape))


def is_batch(x: Any, size: tuple[int, int, int]) -> bool:
    """Whether x is images of that size, n x height x width [x channels], of bytes or floats. Those
    of a list must be of one kind: bytes among floats would not be divided by 255."""
    if isinstance(x, (list, tuple)):
        listed = [array(one, None, "images") for one in x]
        if len({(one.shape, one.dtype) for one in listed}) != 1:
            return False
    dtype = array(x, None, "images").dtype
    shape = np.shape(x)
    sized = len(shape) in (3, 4) and (*shape[1:], 1)[:3] == size
    return sized and (dtype == np.uint8 or np.issubdtype(dtype, np.floating))


class Pictures:
    """A picture, a list of them or an array of them, as the library takes them."""

    def __init__(self, x: Any, size: tuple[int, int, int]):
        self._size = size
        self._single = not isinstance(x, (list, tuple)) and self._is_single(np.shape(x))
        self._stacked = not isinstance(x, (list, tuple))
        self._empty = array(x, None, "images") if self._stacked and not len(x) else None
        self.given = [self._checked(one) for one in ([x] if self._single else x)]
        self._maps = [_map(one, size[2]) for one in self.given]
        self.sizes = [(*held.shape, 1)[:3] for _, held in self._maps]

    def __len__(self) -> int:
        return len(self.given)

    def _is_single(self, shape: tuple[int, ...]) -> bool:
        """height x width, or height x width x channels: few are channels, many are columns."""
        if len(shape) < 2 or len(shape) > 4:
            raise InputError(f"images of {shape_text(shape) or 'no dimension'}: a picture is height"
                             " x width [x channels], and pictures are a list or an array of such")
        channels = self._size[2]
        few = (channels, channels + 1, 1, _COLOUR, *_ALPHA)
        return len(shape) == 2 or (len(shape) == 3 and shape[2] in few)

    def _checked(self, one: Any) -> Array:
        picture = array(one, None, "images")
        height, width, channels = self._size
        if picture.dtype.name not in _DTYPES and picture.dtype.kind != "f":
            raise InputError(f"images of {picture.dtype}: floats, uint8 or uint16 are needed")
        known = (channels, channels + 1, 1) + ((_COLOUR, *_ALPHA) if channels in (1, 3) else ())
        if picture.ndim not in (2, 3) or (*picture.shape, 1)[2] not in known:
            hint = ": channels go last, np.moveaxis(images, -3, -1)" if (
                picture.ndim == 3 and picture.shape[0] in known) else ""
            raise InputError(f"images of {shape_text(picture.shape)}, but the model was made for n of"
                             f" {height} x {width} x {channels}, which it sees of pictures of height"
                             f" x width [x channels]{hint}")
        if height != width and picture.shape[:2] != (height, width):
            raise InputError(f"images of {shape_text(picture.shape)}, but the model was made for n of"
                             f" {height} x {width} x {channels}: only a square one takes other sizes")
        return picture

    def seen(self, ctx: int, crop: bool) -> Array:
        """The pictures as a model sees them: float32, n x height x width x channels."""
        out = np.empty((len(self), *self._size), np.float32)
        for i, (bitmap, held) in enumerate(self._maps):
            if held.dtype == np.float32:
                warn_above("RECON_PIXEL_USUAL", held, "images: pixels up to {:g}; floats of 0 to 1"
                           " are expected: divide by 255, or give uint8")
            check(ctx, lib.recon_bitmap_see(ctx, address(out[i]), *self._size, crop,
                                            ctypes.byref(bitmap)))
        return out

    def frames(self, ctx: int, of: Sequence[int], angles: Sequence[float],
               interpolation: int) -> list[Array]:
        """Picture of[j] by angle j, at its own size and in its own dtype."""
        out = []
        for i, angle in zip(of, angles):
            bitmap, held = self._maps[i]
            made = np.empty_like(held)
            check(ctx, lib.recon_bitmap_rotate(ctx, address(made), ctypes.byref(bitmap), angle,
                                               interpolation))
            out.append(made.astype(self.given[i].dtype, copy=False))
        return out

    def rotated(self, ctx: int, angles: Sequence[float], interpolation: int) -> Any:
        """Each by its angle, as x was given."""
        out = self.frames(ctx, range(len(self)), angles, interpolation)
        if self._single:
            return out[0]
        if self._empty is not None:
            return self._empty.copy()
        return np.stack(out) if self._stacked else out


def _map(given: Array, channels: int) -> tuple[Any, Array]:
    """A picture for the library, and what keeps its samples alive."""
    held = given if given.dtype.name in _DTYPES else given.astype(np.float32)
    held = np.ascontiguousarray(held, held.dtype.newbyteorder("="))
    has = (*held.shape, 1)[2]
    alpha = has != channels and (has in _ALPHA or has == channels + 1)
    bitmap = _abi.recon_bitmap(
        height=held.shape[0], width=held.shape[1], channels=has, alpha=alpha,
        dtype=dtype_of(held), samples=address(held))
    return bitmap, held
