"""Readers: data by the names that the command knows. See recon/data/dataset.h and molecules.h."""
from __future__ import annotations

import ctypes
import os
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np

from . import _abi
from ._errors import InputError
from ._library import Array, address, check, context, lib, made, warn, whole
from ._records import SHOWN, record, table, thumbnail
from ._spec import Crop, crops, rule_of, spec_of

_MEGABYTE = 10**6


@record
class Images(NamedTuple):
    """Images and what is known about them.

    Fields:
        images: float32, n x height x width, or n x height x width x channels; bytes became 0 to 1.
        labels: int32, n; -1 where there are none.
        angles: Angles, in radians, by which rotate= rotated each image: the ground truth, for
            evaluation only.
    """

    images: Array
    labels: Array
    angles: Array

    def _repr_html_(self) -> str:
        shown = self.images[:SHOWN]
        return table(f"recon.Images, {' x '.join(map(str, self.images.shape))}", [
            [str(label) if label >= 0 else str(i) for i, label in enumerate(self.labels[:SHOWN])],
            [thumbnail(image) for image in shown]], len(self.images) > SHOWN)


@record
class Molecule(NamedTuple):
    """A conformer, as models take it.

    Fields:
        numbers: Atomic numbers, uint8, one for each atom.
        positions: Angstrom, float32, atoms x 3.
        name: SMILES, title or formula of the molecule.
    """

    numbers: Array
    positions: Array
    name: str


def read_images(
    data: str | os.PathLike[str],
    rotate: str | os.PathLike[str] | None = None,
    seed: int | None = None,
    limit: int | None = None,
    take_seed: int | None = None,
    size: tuple[int, int, int] | None = None,
    skip_bad: bool = False,
    rotate_seed: int | None = None,
    picture_limit: int | None = None,
    crop: Crop = False,
) -> Images:
    """Reads images. Arguments are named after the command's options.

    Args:
        data: A known data set: "garments" (shipped), "mnist/test", "fashion/train"; or
            "images:DIR|FILE", "npy:FILE", "idx:FILE", "amat:FILE"; or a path, whose format is inferred
            from its name.
        rotate: Rotate each image by a rule: "mnist", "fashion", "all", or a JSON file.
        seed: Which images `limit` takes (default 1). In recon 0.1.0 it was the seed of
            `rotate`, and with `rotate` but no `rotate_seed` it still is, with a DeprecationWarning.
        limit: Use a random subset of this size; without it, all.
        take_seed: The old name of `seed`; deprecated.
        size: (height, width, channels) to scale the images of a folder to, such as a model's
            `size`; without it, images of equal size keep their size.
        skip_bad: Skip images that cannot be read, with a warning; otherwise the first one is an
            error.
        rotate_seed: The seed of `rotate` (default 1).
        picture_limit: Memory limit for one image of a folder, in MB, if above 32 times its file
            size (default 268).
        crop: Centre each object and scale it to fill the frame, also "auto": for models trained on
            crops.

    Returns:
        Images: images, labels and angles.

    Example:
        >>> garments = recon.read_images("garments", rotate="all", rotate_seed=2, limit=50)
        >>> garments.images.shape, garments.labels.dtype
        ((50, 28, 28), dtype('int32'))
    """
    height, width, channels = _three(size)
    if height != width:
        raise InputError(f"pictures are fitted into a square, not {height} x {width}")
    options = _abi.recon_dataset_options(skip_bad, crops(crop), height, channels, bytes_of(picture_limit))
    seed, rotate_seed = _seeds(rotate, seed, rotate_seed, take_seed)
    with context() as ctx, _Sets(ctx, lib.recon_dataset_close) as sets:
        found = sets.make(lib.recon_dataset_open_with, spec_of(data), ctypes.byref(options))
        if _fewer(limit, lib.recon_dataset_describe(found).n):
            found = sets.make(lib.recon_dataset_take, found, limit, seed)
        if rotate is not None:
            rule = _abi.recon_rotation_rule()
            check(ctx, lib.recon_rotation_rule_load(ctx, ctypes.byref(rule), rule_of(rotate)))
            found = sets.make(lib.recon_dataset_rotate, found, ctypes.byref(rule), rotate_seed)
        return _images(found)


def read_molecules(
    data: str | os.PathLike[str],
    rotate: str | os.PathLike[str] | None = None,
    seed: int | None = None,
    limit: int | None = None,
    skip_bad: bool = False,
    rotate_seed: int | None = None,
) -> list[Molecule]:
    """Reads conformers of molecules. Arguments are named after the command's options.

    Args:
        data: A known data set: "conformers/test" (shipped); or "xyz:FILE", "sdf:FILE",
            "geom:FILE", "flat:DIR"; or a path, whose format is inferred from its name.
        rotate: Rotate each conformer by a rule: "fisher", "haar", or a JSON file.
        seed: Which conformers `limit` takes (default 1). In recon 0.1.0 it was the
            seed of `rotate`, and with `rotate` but no `rotate_seed` it still is, with a
            DeprecationWarning.
        limit: Use a random subset of this size; without it, all.
        skip_bad: Skip frames that cannot be used, with a warning; otherwise the first one is an
            error.
        rotate_seed: The seed of `rotate` (default 1).

    Returns:
        A list of Molecule: numbers, positions and a name.

    Example:
        >>> molecules = recon.read_molecules("conformers/test", limit=20)
        >>> len(molecules), molecules[0].positions.shape == (len(molecules[0].numbers), 3)
        (20, True)
    """
    options = _abi.recon_molecules_options(skip_bad=skip_bad)
    seed, rotate_seed = _seeds(rotate, seed, rotate_seed)
    with context() as ctx, _Sets(ctx, lib.recon_molecules_close) as sets:
        found = sets.make(lib.recon_molecules_open, spec_of(data), ctypes.byref(options))
        if _fewer(limit, lib.recon_molecules_describe(found).n):
            found = sets.make(lib.recon_molecules_take, found, limit, seed)
        if rotate is not None:
            found = sets.make(lib.recon_molecules_rotate, found, rule_of(rotate), rotate_seed)
        return _molecules(found)


# --- arguments ------------------------------------------------------------------------------------


def _three(size: Any) -> tuple[int, int, int]:
    given = np.zeros(3, int) if size is None else np.atleast_1d(size)
    if len(given) != 3:
        raise InputError(f"size {size}: (height, width, channels) are needed")
    height, width, channels = (whole("size", int(n)) for n in given)
    return height, width, channels


def bytes_of(picture_limit: int | None) -> int:
    """MB in bytes; 0, the library's default, if None."""
    if picture_limit is None:
        return 0
    return whole("picture_limit", picture_limit, 1, 2**63 // _MEGABYTE) * _MEGABYTE


def _seeds(rotate: Any, seed: int | None, rotate_seed: int | None,
           take_seed: int | None = None) -> tuple[int, int]:
    """The seeds of limit and of rotate, whatever the names they were given by."""
    if rotate is not None and seed is not None and rotate_seed is None:
        warn("seed is the seed of rotate here, as in recon 0.1.0, and will become that of limit: say"
             " rotate_seed", DeprecationWarning)
        seed, rotate_seed = None, seed
    if take_seed is not None:
        warn("take_seed is called seed now, as the command's option", DeprecationWarning)
        seed = take_seed if seed is None else seed
    return (whole("seed", 1 if seed is None else seed),
            whole("rotate_seed", 1 if rotate_seed is None else rotate_seed))


def _fewer(limit: int | None, n: int) -> bool:
    return limit is not None and whole("limit", limit, 1) < n


# --- sets -----------------------------------------------------------------------------------------


class _Sets:
    """Sets of the library's that are open, and are closed at the end: views before what they look
    at."""

    def __init__(self, ctx: int, close: Any):
        self._made, self._open = (ctx, close), ExitStack()

    def make(self, function: Any, *arguments: Any) -> ctypes.c_void_p:
        return self._open.enter_context(made(*self._made, function, *arguments))

    def __enter__(self) -> _Sets:
        return self

    def __exit__(self, *_: Any) -> None:
        self._open.close()


def _images(data: ctypes.c_void_p) -> Images:
    info = lib.recon_dataset_describe(data)
    images = np.empty((info.n, info.height, info.width, info.channels), np.float32)
    labels = np.empty(info.n, np.int32)
    angles = np.empty(info.n)
    for i in range(info.n):
        labels[i] = lib.recon_dataset_get(address(images[i]), data, i)
        angles[i] = lib.recon_dataset_angle(data, i)
    return Images(images[..., 0] if info.channels == 1 else images, labels, angles)


def _molecules(data: ctypes.c_void_p) -> list[Molecule]:
    found = []
    for i in range(lib.recon_molecules_describe(data).n):
        one = lib.recon_molecules_get(data, i)
        numbers = (ctypes.c_uint8 * one.atoms).from_address(one.z)
        places = (ctypes.c_float * (3 * one.atoms)).from_address(one.xyz)
        name = lib.recon_molecules_name(data, one.molecule).decode(errors="replace")
        found.append(Molecule(np.array(numbers), np.array(places).reshape(-1, 3), name))
    return found
