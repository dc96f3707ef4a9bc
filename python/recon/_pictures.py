"""Images in whatever form they are given, what a model sees of them, and themselves rotated. See
recon/data/bitmap.h."""
from __future__ import annotations

import ctypes
import os
import sys
from typing import Any, Callable, Sequence

import numpy as np

from . import _abi
from ._errors import InputError
from ._library import (
    Array, address, array, check, context, dtype_of, is_tensor, lib, patiently, path_text, warn,
    warn_above)

_DTYPES = ("uint8", "uint16", "float32")
_ALPHA = (2, 4)  # channels of grey and of colour with alpha
_COLOUR = 3
_MODES = ("L", "LA", "RGB", "RGBA", "I;16", "F")  # of PIL, whose numbers are grey or colours
_LOWEST = -0.4  # bicubic pixels stay above; MNIST less its mean, by its deviation, begins at -0.42
Back = Callable[[Array], Any]


def shape_text(shape: Sequence[int]) -> str:
    return " x ".join(map(str, shape))


def _taken(x: Any) -> tuple[Array, Back]:
    """An image, or an array of them, in any form, as an array; and what makes that form of one."""
    if isinstance(x, (str, bytes, os.PathLike)):
        return _read(path_text(x, "images")), _same
    image = getattr(sys.modules.get("PIL.Image"), "Image", None)
    if image is not None and isinstance(x, image):
        if x.mode not in _MODES:
            raise InputError(f"images: a PIL image of mode {x.mode}: image.convert('RGB')")
        return np.asarray(x), sys.modules["PIL.Image"].fromarray
    if is_tensor(x):
        tensor: Any = sys.modules["torch"]
        return array(x, None, "images"), lambda a: tensor.from_numpy(a).to(x.device)
    return array(x, None, "images"), _same


def _same(a: Array) -> Array:
    return a


def _read(path: str) -> Array:
    """A picture file as it is: bytes or 16 bits, height x width [x channels]."""
    bitmap = _abi.recon_bitmap()
    with context() as ctx:
        patiently(ctx, lib.recon_bitmap_read, ctypes.byref(bitmap), os.fsencode(path))
        try:
            kind = ctypes.c_uint8 if bitmap.dtype == _abi.RECON_U8 else ctypes.c_uint16
            shape = (bitmap.height, bitmap.width, bitmap.channels)[: 2 + (bitmap.channels > 1)]
            lent: Any = ctypes.cast(bitmap.samples, ctypes.POINTER(kind))
            return np.ctypeslib.as_array(lent, shape).copy()
        finally:
            lib.recon_bitmap_free(ctypes.byref(bitmap))


class Pictures:
    """Images as they are given, channels last: a picture, a list of them or an array of them.

    Arrays have their channels last and tensors first; the other is taken where only that can be.
    """

    def __init__(self, x: Any, size: tuple[int, int, int]):
        self._size = size
        channels = size[2]
        self._known = {channels, channels + 1, 1} | ({_COLOUR, *_ALPHA} if channels in (1, 3) else set())
        self._listed, self._single = isinstance(x, (list, tuple)), False
        taken = [_taken(one) for one in (x if self._listed else [x])]
        self._backs = [back for _, back in taken]
        self._moved = [self._is_moved(a, is_tensor(one)) for (a, _), one in
                       zip(taken, x if self._listed else [x])]
        arrays = [np.moveaxis(a, -3, -1) if moved else a for (a, _), moved in zip(taken, self._moved)]
        self.given = arrays if self._listed or self._single else list(arrays[0])
        self._whole = None if self._listed or self._single else arrays[0]
        self.images = self._batch()
        if self.images is None:
            self._maps = [_map(self._checked(one), channels) for one in self.given]
        self.sizes = [(*one.shape, 1)[:3] for one in self.given]

    def __len__(self) -> int:
        return len(self.given)

    # --- the form -------------------------------------------------------------------------------

    def _is_moved(self, a: Array, tensor: bool) -> bool:
        """Whether channels are first; notes whether it is a single picture."""
        if a.ndim < 2 or a.ndim > 4 or (self._listed and a.ndim == 4):
            raise InputError(f"images of {shape_text(a.shape) or 'no dimension'}: a picture is height"
                             " x width [x channels], and pictures are a list or an array of such")
        if a.ndim == 2:
            self._single = not self._listed
            return False
        first, last = a.shape[-3] in self._known, a.shape[-1] in self._known
        if a.ndim == 3 and not self._listed:
            several = (*a.shape[1:], 1) == self._size
            planes = first and a.shape[0] > 2
            if planes and (several if tensor else not (several or last)):
                raise InputError(
                    f"images of {shape_text(a.shape)}: one picture with channels first, or"
                    f" {a.shape[0]} grey ones? np.moveaxis(x, 0, -1) puts channels last, and list(x)"
                    " is a list of pictures")
            first = planes or a.shape[0] == 1
            self._single = not several and (first or last)
            return self._single and first and (tensor or not last)
        if (*a.shape[-3:],) == self._size:
            return False
        return first and (tensor or not last)

    def _batch(self) -> Array | None:
        """Images of the model's size, float32, of one kind: the model takes them as they are."""
        kinds = {(one.shape, one.dtype) for one in self.given}
        if self._single or len(kinds) > 1 or (self._whole is None and not kinds):
            return None
        shape, dtype = (self._whole.shape[1:], self._whole.dtype) if self._whole is not None else next(iter(kinds))
        if (*shape, 1)[:3] != self._size or not (dtype == np.uint8 or dtype.kind == "f"):
            return None
        images = self._whole if self._whole is not None else np.stack(self.given)
        if dtype == np.uint8:
            images = images.astype(np.float32) / np.float32(255)
        images = array(images, np.float32, "images")
        _warn_of(images)
        return images

    def back(self, i: int, picture: Array) -> Any:
        """Picture i, or one that was made of it, in the form in which it came."""
        at = i if self._listed else 0
        a = np.moveaxis(picture, -1, -3) if self._moved[at] else picture
        return self._backs[at](np.ascontiguousarray(a))

    def restored(self, made: Sequence[Array] | Array) -> Any:
        """What was made of each, as x was given; floats as the bytes that they were."""
        if self._whole is not None:
            stacked = np.stack(list(made)) if len(made) else self._whole
            return self.back(0, _as(stacked, self._whole.dtype))
        out = [self.back(i, _as(one, self.given[i].dtype)) for i, one in enumerate(made)]
        return out[0] if self._single else out

    # --- the pictures ---------------------------------------------------------------------------

    def _checked(self, picture: Array) -> Array:
        height, width, channels = self._size
        if picture.dtype.name not in _DTYPES and picture.dtype.kind != "f":
            raise InputError(f"images of {picture.dtype}: floats, uint8 or uint16 are needed, as"
                             " x.astype('uint8')")
        if (*picture.shape, 1)[2] not in self._known:
            raise InputError(f"images of {shape_text(picture.shape)}, but the model was made for n of"
                             f" {height} x {width} x {channels}, which it sees of pictures of height"
                             f" x width [x channels]")
        if height != width and picture.shape[:2] != (height, width):
            raise InputError(f"images of {shape_text(picture.shape)}, but the model was made for n of"
                             f" {height} x {width} x {channels}: only a square one takes other sizes")
        return picture

    def seen(self, ctx: int, crop: bool) -> Array:
        """The pictures as a model sees them: float32, n x height x width x channels."""
        out = np.empty((len(self), *self._size), np.float32)
        for i, (bitmap, held) in enumerate(self._maps):
            if held.dtype == np.float32:
                _warn_of(held)
            check(ctx, lib.recon_bitmap_see(ctx, address(out[i]), *self._size, crop,
                                            ctypes.byref(bitmap)))
        return out

    def frames(self, ctx: int, of: Sequence[int], angles: Sequence[float],
               interpolation: int) -> list[Array]:
        """Picture of[j] by angle j, at its own size and in its own dtype."""
        out = []
        maps = [_map(one, self._size[2]) for one in self.given] if self.images is not None else self._maps
        for i, angle in zip(of, angles):
            bitmap, held = maps[i]
            made = np.empty_like(held)
            check(ctx, lib.recon_bitmap_rotate(ctx, address(made), ctypes.byref(bitmap), angle,
                                               interpolation))
            out.append(made.astype(self.given[i].dtype, copy=False))
        return out


def _as(made: Array, dtype: Any) -> Array:
    """Images that the library made, in the dtype of those that they were made of."""
    if dtype == np.uint8 and made.dtype.kind == "f":
        made = np.clip(np.rint(255 * made), 0, 255)  # bicubic overshoots
    return made.astype(dtype, copy=False)


def _warn_of(x: Array) -> None:
    """Pixels that are no floats from 0 to 1."""
    warn_above("RECON_PIXEL_USUAL", x, "images: pixels up to {:g}; floats of 0 to 1 are"
               " expected: divide by 255, or give uint8")
    lowest = x.min(initial=0)
    if lowest < _LOWEST:
        warn(f"images: pixels down to {lowest:g}; floats of 0 to 1 are expected: canonicalize before"
             " images are normalized by their mean and deviation")


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
