"""Readers: data by the names that the command knows. See recon/data/dataset.h and molecules.h."""
from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np

from . import _abi
from ._library import Error, address, check, context, lib


class Images(NamedTuple):
    """Images and what is known of them."""

    images: np.ndarray
    """float32, n x height x width [x channels]; bytes become 0 to 1."""
    labels: np.ndarray
    """-1 where there are none."""
    angles: np.ndarray
    """Radians by which each was turned on purpose: the truth, for evaluation only."""


class Molecule(NamedTuple):
    """A conformer, as models take it."""

    numbers: np.ndarray
    positions: np.ndarray
    name: str


def read_images(
    spec: str,
    turn: str | None = None,
    seed: int = 1,
    limit: int | None = None,
    take_seed: int = 1,
    size: tuple[int, int, int] | None = None,
    skip_bad: bool = False,
) -> Images:
    """The images of "mnist/test", "garments", "idx:FILE", "npy:FILE", "png:DIR", "amat:FILE".

    Pictures of a folder may have any size: size=model.size makes them what a model takes. skip_bad
    leaves out those that cannot be read. limit takes so many at random, by take_seed. turn then
    turns each on purpose, by seed, as the command's --turn does: "mnist", "fashion", "all" or a
    JSON file.
    """
    height, width, channels = size or (0, 0, 0)
    if height != width:
        raise Error(f"pictures are fitted into a square, not {height} x {width}", "input")
    options = _abi.DatasetOptions(skip_bad, height, channels)
    opened: list[ctypes.c_void_p] = []

    def make(ctx: int, function, *arguments) -> ctypes.c_void_p:
        out = ctypes.c_void_p()
        check(ctx, function(ctx, ctypes.byref(out), *arguments))
        opened.append(out)
        return out

    with context() as ctx:
        try:
            data = make(ctx, lib.recon_dataset_open_with, spec.encode(), ctypes.byref(options))
            if limit is not None and limit < lib.recon_dataset_describe(data).n:
                data = make(ctx, lib.recon_dataset_take, data, limit, take_seed)
            if turn is not None:
                rule = _abi.TurnRule()
                check(ctx, lib.recon_turn_rule_load(ctx, ctypes.byref(rule), turn.encode()))
                data = make(ctx, lib.recon_dataset_turn, data, ctypes.byref(rule), seed)
            return _images(data)
        finally:
            for data in reversed(opened):  # views before what they look at
                lib.recon_dataset_close(data)


def _images(data: ctypes.c_void_p) -> Images:
    info = lib.recon_dataset_describe(data)
    images = np.empty((info.n, info.height, info.width, info.channels), np.float32)
    labels = np.empty(info.n, np.int32)
    angles = np.empty(info.n)
    for i in range(info.n):
        labels[i] = lib.recon_dataset_get(address(images[i]), data, i)
        angles[i] = lib.recon_dataset_angle(data, i)
    return Images(images[..., 0] if info.channels == 1 else images, labels, angles)


def read_molecules(spec: str, turn: str | None = None, seed: int = 1) -> list[Molecule]:
    """The conformers of "conformers/test", "xyz:FILE", "sdf:FILE", "geom:FILE", "flat:DIR".

    turn turns each on purpose, by seed: "fisher", "haar" or a JSON file.
    """
    data, turned = ctypes.c_void_p(), ctypes.c_void_p()
    with context() as ctx:
        try:
            check(ctx, lib.recon_molecules_open(ctx, ctypes.byref(data), spec.encode(), None))
            if turn is not None:
                check(ctx, lib.recon_molecules_turn(ctx, ctypes.byref(turned), data, turn.encode(),
                                                    seed))
            return _molecules(turned if turned else data)
        finally:
            lib.recon_molecules_close(turned)
            lib.recon_molecules_close(data)


def _molecules(data: ctypes.c_void_p) -> list[Molecule]:
    found = []
    for i in range(lib.recon_molecules_describe(data).n):
        one = lib.recon_molecules_get(data, i)
        numbers = (ctypes.c_uint8 * one.atoms).from_address(one.z)
        places = (ctypes.c_float * (3 * one.atoms)).from_address(one.xyz)
        name = lib.recon_molecules_name(data, one.molecule).decode(errors="replace")
        found.append(Molecule(np.array(numbers), np.array(places).reshape(-1, 3), name))
    return found
