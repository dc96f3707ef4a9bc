"""Models of molecules: see recon/model/canonicalize.h and score.h."""
from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Literal, NamedTuple

import numpy as np

from . import _abi
from ._errors import InputError
from ._library import (
    Array, Asked,
    address, array, choice, context, lib, made, matrices, path_text, patiently, room, whole)
from ._model import Model, gate_of
from ._normalize import symmetry_names
from ._poses import Poses3
from ._records import record


class Candidates3(NamedTuple):
    """The natural poses that one molecule may have, the chosen one first.

    Fields:
        poses: Poses3, one for each candidate; `natural` and `absolute` tell them apart.
        weight: How likely each is; float64, they sum to 1.
    """

    poses: Poses3
    weight: Array


@record
@dataclass(frozen=True, eq=False)
class Distribution3:
    """The poses that one molecule could have had, about its natural pose.

    They are a matrix Fisher distribution beside a uniform background; with several modes, one for
    each. Directions are unit vectors, angles are radians.

    Fields:
        pose: The pose of the molecule; Poses3 with one element.
        F: Theta, 3 x 3: the density is exp(tr F^T R) / c(F); with several modes, the chosen one's.
        mode: The likeliest pose, 3 x 3.
        singular: Singular values of F, falling; if the second and third are near zero, the spin
            about an axis is free.
        background: The weight of the uniform distribution.
        score: -log density of the molecule's own pose.
        p_value: The p-value of the molecule's own pose; small means unusual.
        p_embedding: The p-value of its embedding; small means unlike the training data, see Scores.
        free: The number of directions in which the natural pose is arbitrary.
        axis: Where the molecule's best determined axis points in its natural pose.
        axis_now: The direction of that axis in the input.
        tilt: The angle between the two.
        spread: Of the tilt of the axis, or of the rotations about the three axes; NaN if undefined.
        verdict: The verdict on the natural pose: "one", "several", "modulo", "axis", "none" or
            "cannot_tell".
        symmetry: What the poses of its cluster repeat: "C4", "D2", "T", "O", "I"; "" for nothing.
        symmetry_axis: The axis of highest order in the natural pose; None without a symmetry.
        modes: The modes, m x 3 x 3, heaviest first; the chosen one is the identity. More than one
            if the verdict is several.
        weights: The weights of the modes; they sum to 1.
        words: The same in a sentence or two.

    Example:
        >>> model = recon.load("conformers")
        >>> one = model.distribution(recon.read_molecules("conformers/test", limit=1))[0]
        >>> one.F.shape, one.words[-1]
        ((3, 3), '.')
    """

    pose: Poses3
    F: Array
    mode: Array
    singular: Array
    background: float
    score: float
    p_value: float
    p_embedding: float
    free: int
    axis: Array
    axis_now: Array
    tilt: float
    spread: Array
    verdict: str
    symmetry: str
    symmetry_axis: Array | None
    modes: Array
    weights: Array
    words: str


class MoleculeModel(Model):
    """A model of molecules; recon.load makes one. See also recon.Model.

    Molecules, x below, are a list. Each is a pair of atomic numbers or element symbols, and
    positions (atoms x 3, Angstrom); or what recon.read_molecules returns; or ASE's Atoms; or
    RDKit's Mol with one conformer, or its Conformer: mol.GetConformers() is a list of these.

    Fields:
        path: The file, absolute; or the name, of a model shipped with recon.
        trust: Whether its natural poses can be trusted: see Model.
        lambda_from: Where the natural pose comes from: "neighbours", "head" or "density".
        elements: The atomic numbers that the model knows.

    Example:
        >>> model = recon.load("conformers")
        >>> water = ["O", "H", "H"], [[0, 0, 0.1], [0, 0.8, -0.5], [0, -0.8, -0.5]]
        >>> natural, poses = model.canonicalize([water])
        >>> natural[0].shape
        (3, 3)
    """

    _inputs = "molecules"

    def __init__(self, path: str, device: str, precision: str, handle: int):
        super().__init__(path, device, precision, handle)
        shape = self._info.molecules
        self.elements: tuple[int, ...] = tuple(shape.element[: shape.elements])

    def canonicalize(
        self,
        x: Iterable[Any],
        only_if: float | None = None,
        lambda_: Literal["auto", "neighbours", "head", "density"] = "auto",
        spin: str | os.PathLike[str] | Callable[[list[Any]], Any] | None = None,
        among: Iterable[Any] | None = None,
        neighbors: int = 8,
        only: Literal["any", "clear", "one"] = "any",
    ) -> tuple[list[Array], Poses3]:
        """Brings molecules into their natural pose.

        Args:
            x: The molecules.
            only_if: Rotate only molecules whose pose has a p-value below this, such as 0.01. The
                others come out exactly as they are; poses.rotated tells which is which.
            lambda_: Where natural poses come from, for this call: see recon.load. "auto" is the
                model's own way, lambda_from. Another one opens the model once more.
            spin: A frozen model that chooses the spin about an axis where it is free: the file of
                a classifier of `recon classifier train`, or a function. The function gets a list of
                molecules, pairs of numbers and positions, and returns logarithms of probabilities,
                one row each. The spin is the one at which the model is most certain that the
                nearest molecules are all of one class. Not with only_if or only.
            among: The molecules that spin is asked about, in the poses in which they occur; None: x
                itself. Best are those that the model was not trained on.
            neighbors: How many of them choose one spin.
            only: Rotate only molecules whose verdict (see distribution) is "one" natural pose, or, with
                "clear", any verdict that names a natural pose, as `recon canonicalize` does. The
                others come out exactly as they are. With only_if, a molecule must meet both
                conditions, and its natural pose be a usual one.

        Returns:
            A list of positions, float32, atoms x 3, one for each molecule; and the Poses3 they came
            in. Where a pose's `free` is not 0 the rest of it is the same for all of a class, but
            arbitrary, unless spin chose it.

        Example:
            >>> model = recon.load("conformers")
            >>> molecules = recon.read_molecules("conformers/test", limit=5)
            >>> positions, poses = model.canonicalize(molecules)
            >>> len(positions), poses.absolute.shape
            (5, (5, 3, 3))
            >>> spun, poses = model.canonicalize(molecules, spin="conformers-classifier")
        """
        given = Conformers(x)
        out = np.empty_like(given.xyz)
        records = room(given.n, _abi.recon_pose)
        if spin is not None:
            if only_if is not None or only != "any":
                raise InputError(f"{'only_if' if only == 'any' else 'only'} and spin: one of them")
            self._spin(out, records, given, self._with(lambda_), spin, among, neighbors)
            return np.split(out, given.ends[:-1]) if given.n else [], Poses3(records)
        self._ask(lib.recon_canonicalize, address(out), address(records), self._with(lambda_),
                  given.list, given.n,
                  ctypes.byref(_abi.recon_canonicalize_options(
                      only_if=gate_of(only_if), only=choice("only", only, "recon_only"))))
        return np.split(out, given.ends[:-1]) if given.n else [], Poses3(records)

    def _spin(self, out: Array, records: Array, given: Conformers, handle: Any,
              spin: Any, among: Iterable[Any] | None, neighbors: int) -> None:
        others = None if among is None else Conformers(among)
        if others is not None and others.n == 0:
            raise InputError("among: no molecules")
        options = _abi.recon_spin_options(k=whole("neighbors", neighbors, 1))
        common = (address(out), address(records), handle, given.list, given.n,
                  None if others is None else others.list, 0 if others is None else others.n)
        if not given.n:
            return
        if callable(spin):
            asked, labels = _spin_judge(spin, given if others is None else others)
            asked.by(self._device, lib.recon_canonicalize_spin, *common, asked.function, None, labels,
                     ctypes.byref(options))
            return
        with context(self._device) as ctx, made(ctx, lib.recon_gcn_close, lib.recon_gcn_open,
                                                os.fsencode(path_text(spin, "spin"))) as gcn:
            patiently(ctx, lib.recon_canonicalize_spin_gcn, *common, gcn, ctypes.byref(options))

    def candidates(self, x: Iterable[Any]) -> list[Candidates3]:
        """The natural poses that each molecule may have.

        Args:
            x: The molecules.

        Returns:
            A list of Candidates3, one for each molecule.

        Example:
            >>> model = recon.load("conformers")
            >>> molecules = recon.read_molecules("conformers/test", limit=5)
            >>> bool(np.isclose(model.candidates(molecules)[0].weight.sum(), 1))
            True
        """
        given = Conformers(x)
        out = room(given.n, _abi.recon_candidates)
        self._ask(lib.recon_candidates_list, address(out), self._handle, given.list, given.n, None)
        return [Candidates3(Poses3(one["pose"][: one["count"]]), one["weight"][: one["count"]])
                for one in out]

    def distribution(self, x: Iterable[Any]) -> list[Distribution3]:
        """The poses that each molecule could have had.

        Args:
            x: The molecules.

        Returns:
            A list of Distribution3, one for each molecule.

        Example:
            >>> model = recon.load("conformers")
            >>> molecules = recon.read_molecules("conformers/test", limit=5)
            >>> len(model.distribution(molecules))
            5
        """
        given = Conformers(x)
        out = (_abi.recon_distribution3 * given.n)()
        self._ask(lib.recon_distribution_molecules, out, self._handle, given.list, given.n)
        return [_distribution(one) for one in out]

    def _batch(self, x: Iterable[Any]) -> tuple[Any, int]:
        given = Conformers(x)
        return given, given.n


def _distribution(one: Any) -> Distribution3:
    text = _abi.recon_distribution3_text()
    lib.recon_distribution3_words(text, ctypes.byref(one))
    modes = one.mode[: one.modes]
    return Distribution3(
        pose=Poses3(np.frombuffer(one.pose, np.dtype(_abi.recon_pose)).copy()),
        F=np.array(one.poses.f).reshape(3, 3),
        mode=matrices(np.frombuffer(one.poses.mode, np.float64)),
        singular=np.array(one.poses.singular),
        **{name: getattr(one, name)
           for name in ("background", "score", "p_value", "p_embedding", "free", "tilt")},
        axis=np.array(one.axis),
        axis_now=np.array(one.axis_now),
        spread=np.array(one.spread),
        verdict=lib.recon_natural_name(one.verdict).decode(),
        symmetry=str(symmetry_names(np.array([one.symmetry]))[0]),
        symmetry_axis=np.array(one.symmetry_axis) if one.symmetry else None,
        modes=np.array([matrices(np.frombuffer(mode.at, np.float64)) for mode in modes]),
        weights=np.array([mode.weight for mode in modes]),
        words=text.value.decode(),
    )


class Conformers:
    """Molecules as the library takes them: atoms in one block, checked by its own rules."""

    def __init__(self, molecules: Iterable[Any]):
        pairs = [_pair(i, molecule) for i, molecule in enumerate(molecules_of(molecules))]
        self.n = len(pairs)
        self.ends = np.cumsum([len(numbers) for numbers, _ in pairs], dtype=np.intp)
        self.numbers = np.concatenate([a for a, _ in pairs] or [np.empty(0, np.uint8)])
        self.xyz = np.concatenate([b for _, b in pairs] or [np.empty((0, 3), np.float32)])
        self.list = (_abi.recon_conformer * self.n)(*self._conformers(pairs))
        self._as_parameter_ = self.list  # so that the library can be given this object
        if self.n:
            self._check()

    def _conformers(self, pairs: list[tuple[Array, Array]]) -> Iterable[Any]:
        at = 0
        for i, (numbers, _) in enumerate(pairs):
            yield _abi.recon_conformer(
                atoms=len(numbers), z=address(self.numbers[at:]), xyz=address(self.xyz[at:]),
                molecule=i, energy=np.nan, rmsd=np.nan)
            at += len(numbers)

    @staticmethod
    def numbers_of(one: Any) -> Any:
        """Atomic numbers of one of the list."""
        return (ctypes.c_uint8 * one.atoms).from_address(one.z)

    def _check(self) -> None:
        """Checks molecules by making a set of them, as readers do."""
        with context() as ctx, made(ctx, lib.recon_molecules_close, lib.recon_molecules_make, self.list,
                                    self.n, None):
            pass


def _spin_judge(judge: Callable[[list[Any]], Any], among: Conformers) -> tuple[Asked, int]:
    """A Python function as the library's judge of spins, and how many classes it tells apart."""
    numbers, positions = (np.split(x, among.ends[:-1]) for x in (among.numbers, among.xyz))

    def ask(molecules: list[Any], labels: int | None) -> Array:
        said = array(judge(molecules), np.float32, "spin's log-probabilities")
        if said.ndim != 2 or len(said) != len(molecules) or labels not in (None, said.shape[1]):
            raise InputError(f"spin's log-probabilities: {said.shape}, but a row for each of"
                             f" {len(molecules)} molecules is needed")
        return said

    def call(ctx: int, user: int, log_p: Any, conformer: Any, rotations: Any, n: int) -> None:
        by = matrices(np.ctypeslib.as_array(
            ctypes.cast(rotations, ctypes.POINTER(ctypes.c_double)), (n, 4)))
        molecules = [(numbers[j], _rotated(positions[j], rotation))
                     for j, rotation in zip(np.ctypeslib.as_array(conformer, (n,)), by)]
        np.ctypeslib.as_array(log_p, (n, labels))[:] = ask(molecules, labels)

    labels = ask([(numbers[0], positions[0])], None).shape[1]
    return Asked(_abi.recon_spin_judge, call), labels


def _rotated(positions: Array, rotation: Array) -> Array:
    """About the centre, as the library does."""
    centre = positions.mean(axis=0, dtype=np.float64)
    moved: Array = ((positions - centre) @ rotation.T + centre).astype(np.float32)
    return moved


def molecules_of(molecules: Any) -> Iterable[Any]:
    if hasattr(molecules, "GetConformers") or hasattr(molecules, "GetOwningMol") or (
            hasattr(molecules, "numbers") and hasattr(molecules, "positions")):
        raise InputError("one molecule, but a list is needed: [molecule]")
    try:
        listed: Iterable[Any] = iter(molecules)
        return listed
    except TypeError:
        raise InputError(f"molecules are a list, not {type(molecules).__name__}") from None


def _pair(i: int, molecule: Any) -> tuple[Array, Array]:
    numbers, positions = _parts(i, molecule)
    z = _atomic_numbers(numbers, f"molecule {i}: numbers")
    xyz = array(positions, np.float32, f"molecule {i}: positions")
    if z.ndim != 1 or xyz.shape != (len(z), 3):
        raise InputError(f"molecule {i}: numbers {z.shape} and positions {xyz.shape},"
                         " but they are N and N x 3; molecules are a list of such pairs")
    if ((z < 1) | (z > 118)).any():
        raise InputError(f"molecule {i}: element {z[(z < 1) | (z > 118)][0]}: 1 to 118")
    return z.astype(np.uint8), xyz


def _parts(i: int, molecule: Any) -> tuple[Any, Any]:
    """Numbers and positions of whatever the molecule is."""
    if hasattr(molecule, "GetConformers"):
        molecule = _only_conformer(i, molecule)
    if hasattr(molecule, "GetOwningMol"):
        if not molecule.Is3D():
            raise InputError(f"molecule {i}: a drawing in the plane, not a conformer")
        atoms = molecule.GetOwningMol().GetAtoms()
        return [atom.GetAtomicNum() for atom in atoms], molecule.GetPositions()
    if hasattr(molecule, "numbers") and hasattr(molecule, "positions"):  # ours, ASE's
        return molecule.numbers, molecule.positions
    try:
        numbers, positions = molecule
    except (TypeError, ValueError):
        raise InputError(f"molecule {i}: a pair of numbers and positions is needed, ASE's Atoms or"
                         " RDKit's Mol; molecules are a list of such") from None
    return numbers, positions


def _only_conformer(i: int, molecule: Any) -> Any:
    """The only conformer of an RDKit Mol."""
    conformers = list(molecule.GetConformers())
    if len(conformers) != 1:
        raise InputError(f"molecule {i}: {len(conformers)} conformers, but one is needed: " + (
            "give mol.GetConformers(), each by itself" if conformers
            else "AllChem.EmbedMolecule makes one"))
    return conformers[0]


def _atomic_numbers(numbers: Any, what: str) -> Array:
    """The atomic numbers of a list of numbers, or of symbols such as "C" and "Cl"."""
    given = np.asarray(numbers)
    if given.dtype.kind not in "US":
        return array(numbers, np.int64, what)
    symbols = [str(symbol) for symbol in given.astype(str).ravel()]
    z = [lib.recon_element_number(s.encode(), len(s.encode())) for s in symbols]
    if 0 in z:
        raise InputError(f"{what}: there is no element {symbols[z.index(0)]!r}")
    return np.array(z, np.int64).reshape(given.shape)
