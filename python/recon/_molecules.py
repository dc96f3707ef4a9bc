"""Models of molecules: see recon/apps/molcanonicalize.h and molscore.h."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Iterable

import numpy as np

from . import _abi
from ._library import Error, address, array, check, context, lib, matrices, room, share
from ._model import Model, Scores
from ._poses import Poses3


@dataclass(frozen=True)
class Distribution3:
    """The poses that one molecule could have had, about its natural pose.

    They are a matrix Fisher distribution beside a uniform background. Directions are unit vectors.
    """

    pose: Poses3
    """The molecule's own, a list of one."""
    F: np.ndarray
    """Theta: density exp(tr F^T R) / c(F); 3 x 3."""
    mode: np.ndarray
    """The likeliest pose, 3 x 3."""
    singular: np.ndarray
    """Of F, falling; the second and third near zero: the spin about an axis is free."""
    background: float
    """Share of the uniform distribution."""
    score: float
    """-log density of the molecule's own pose."""
    free: int
    """Directions in which the natural pose is a choice, not a finding."""
    axis: np.ndarray
    """The best determined direction: where the molecule's own axis belongs."""
    axis_now: np.ndarray
    """Where that axis points in the input as it came."""
    tilt: float
    """Radians between the two."""
    spread: np.ndarray
    """Radians: of the axis's tilt, or of the turns about the three axes; NaN where undefined."""
    words: str
    """The same in a sentence or two."""


class MoleculeModel(Model):
    """A model of molecules; recon.load makes one.

    Molecules are a list of pairs (atomic numbers [m], positions [m, 3] in Angstrom), or of objects
    with such attributes `numbers` and `positions`, as ASE's Atoms are.
    """

    _family = "molmodel"

    def __init__(self, path: str, device: str, precision: str):
        super().__init__(path, device, precision)
        shape = lib.recon_molmodel_describe(self._handle).shape
        self.elements: tuple[int, ...] = tuple(shape.element[: shape.elements])
        """The atomic numbers it knows."""

    def canonicalize(self, x: Iterable[Any]) -> tuple[list[np.ndarray], Poses3]:
        """The positions of each molecule's atoms in its natural pose, and the poses they came in.

        Where a pose's `free` is not 0 the rest of it is the same for all of a class, but arbitrary.
        """
        given = _Conformers(x)
        out = np.empty_like(given.xyz)
        records = room(given.n, _abi.Pose3)
        self._ask(lib.recon_molcanonicalize, address(out), address(records), self._handle,
                  given.list, given.n)
        return np.split(out, given.ends[:-1]) if given.n else [], Poses3(records)

    def score(self, x: Iterable[Any]) -> Scores:
        """How unnatural the pose of each molecule is."""
        given = _Conformers(x)
        out = room(given.n, _abi.Oddness3)
        self._ask(lib.recon_molscore, address(out), self._handle, given.list, given.n)
        return Scores(out["score"].copy(), out["p_value"].copy())

    def threshold(self, false_alarms: float = 0.01) -> float:
        """The score that this share of natural conformers exceeds."""
        return lib.recon_molscore_threshold(self._handle, share(false_alarms))

    def distribution(self, x: Iterable[Any]) -> list[Distribution3]:
        """For each molecule the poses that it could have had."""
        given = _Conformers(x)
        out = (_abi.Distribution3Out * given.n)()
        self._ask(lib.recon_moldistribution_of, out, self._handle, given.list, given.n)
        return [_distribution(one) for one in out]


def _distribution(one: Any) -> Distribution3:
    text = ctypes.create_string_buffer(_abi.WORDS_SIZE)
    lib.recon_moldistribution_words(text, ctypes.byref(one))
    return Distribution3(
        pose=Poses3(np.frombuffer(one.pose, np.dtype(_abi.Pose3)).copy()),
        F=np.array(one.poses.f).reshape(3, 3),
        mode=matrices(np.frombuffer(one.poses.mode, np.float64)),
        singular=np.array(one.poses.singular),
        background=one.background,
        score=one.score,
        free=one.free,
        axis=np.array(one.axis),
        axis_now=np.array(one.axis_now),
        tilt=one.tilt,
        spread=np.array(one.spread),
        words=text.value.decode(),
    )


class _Conformers:
    """Molecules as the library takes them: atoms in one block, checked by its own rules."""

    def __init__(self, molecules: Iterable[Any]):
        pairs = [_pair(i, molecule) for i, molecule in enumerate(molecules)]
        self.n = len(pairs)
        self.ends = np.cumsum([len(numbers) for numbers, _ in pairs], dtype=np.intp)
        self.numbers = np.concatenate([a for a, _ in pairs] or [np.empty(0, np.uint8)])
        self.xyz = np.concatenate([b for _, b in pairs] or [np.empty((0, 3), np.float32)])
        self.list = (_abi.Conformer * self.n)(*self._conformers(pairs))
        if self.n:
            self._check()

    def _conformers(self, pairs: list[tuple[np.ndarray, np.ndarray]]) -> Iterable[Any]:
        at = 0
        for i, (numbers, _) in enumerate(pairs):
            yield _abi.Conformer(
                atoms=len(numbers), z=address(self.numbers[at:]), xyz=address(self.xyz[at:]),
                molecule=i, energy=np.nan, rmsd=np.nan)
            at += len(numbers)

    def _check(self) -> None:
        """By making a set of them: models take what a reader has passed."""
        made = ctypes.c_void_p()
        with context() as ctx:
            check(ctx, lib.recon_molecules_make(ctx, ctypes.byref(made), self.list, self.n, None))
            lib.recon_molecules_close(made)


def _pair(i: int, molecule: Any) -> tuple[np.ndarray, np.ndarray]:
    if hasattr(molecule, "numbers") and hasattr(molecule, "positions"):
        molecule = molecule.numbers, molecule.positions
    try:
        numbers, positions = molecule
    except (TypeError, ValueError):
        raise Error(f"molecule {i}: a pair of numbers and positions is needed") from None
    z = array(numbers, np.int64, f"molecule {i}: numbers")
    xyz = array(positions, np.float32, f"molecule {i}: positions")
    if z.ndim != 1 or xyz.shape != (len(z), 3):
        raise Error(f"molecule {i}: numbers {z.shape} and positions {xyz.shape},"
                    " but they are N and N x 3")
    if ((z < 1) | (z > 118)).any():
        raise Error(f"molecule {i}: element {z[(z < 1) | (z > 118)][0]}: 1 to 118")
    return z.astype(np.uint8), xyz
