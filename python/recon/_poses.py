"""Poses, and the way between an input and its canonical form: see recon/model/pose.h."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from . import _abi
from ._errors import InputError
from ._library import Array, address, array, choice, lib, matrices
from ._pictures import Pictures
from ._plot import pairs, rose, sphere
from ._records import SHOWN, Rows, same, thumbnail

_THERE, _BACK = _abi.RECON_TO_CANONICAL, _abi.RECON_TO_INPUT


def _only(given: dict[str, Any]) -> tuple[str, Any]:
    """The one argument that is there."""
    there = [(name, x) for name, x in given.items() if x is not None]
    if len(there) != 1:
        raise InputError(f"exactly one of {', '.join(given)} is needed, not {len(there)}")
    return there[0]


class _Records(Rows):
    """The common base of both kinds of poses: n records of the library."""

    _shown = ("psi", "natural", "absolute", "rotation", "rotated")

    def __init__(self, records: Array):
        self._records = records
        self._small: dict[int, Array] = {}  # of the first ones, what the model saw

    def __len__(self) -> int:
        return len(self._records)

    def __eq__(self, other: Any) -> bool:
        return type(self) is type(other) and same(
            *({name: x for name, x in one.__dict__.items() if name != "_small"} for one in (self, other)))

    __hash__ = None  # type: ignore[assignment]  # arrays can change

    def _carry(
        self, x: Any, what: str, dtype: Any, shape_of: Callable[[int], tuple[int | None, ...]],
        move: Callable[[int, Array, int | None, Array], None],
    ) -> Any:
        """x[i] taken along by pose i, for every i. shape_of(i) is x[i]'s, None for any length, which
        may be left out: one box is as good as a list of one."""
        if not hasattr(x, "__len__"):
            raise InputError(f"{what}: an array or a list is needed, not {type(x).__name__}")
        if len(x) != len(self):
            raise InputError(f"{what} of {len(x)} inputs, but {len(self)} poses")
        moved = []
        for i in range(len(self)):
            one, shape = array(x[i], dtype, what), shape_of(i)
            single = shape[0] is None and one.shape == shape[1:]
            _fit(one[None] if single else one, shape, f"{what} of input {i}")
            moved.append(np.empty_like(one))
            move(i, moved[-1], address(self._records[i : i + 1]), one[None] if single else one)
        stacked = isinstance(x, np.ndarray) and x.dtype != object
        return np.stack(moved) if stacked and moved else np.empty_like(x) if stacked else moved


def _fit(x: Array, shape: tuple[int | None, ...], what: str) -> None:
    if len(x.shape) == len(shape) and all(
        want in (None, got) for want, got in zip(shape, x.shape)
    ):
        return
    wanted = " x ".join("N" if want is None else str(want) for want in shape)
    one = f", or n x {wanted[4:]} for one each" if shape[0] is None else ""
    raise InputError(f"{what}: {x.shape}, but {wanted} is needed: in all a list of n such, or n x"
                     f" {wanted}{one}")


class Poses(_Records):
    """Poses of n images: radians in (-pi, pi], counter-clockwise as seen on screen.

    Positions in an image are (x, y) in pixels, x to the right and y down, with (0, 0) at the
    centre of the top left pixel; each pose knows the size of its image. poses[3], poses[2:5] and
    poses[mask] are Poses too; len(poses) is n.

    Fields:
        psi: The backbone's pose, relative to its arbitrary canonical; float64, n.
        natural: Lambda, the natural pose in the same frame (`lambda` in C); that of the candidate,
            if one was chosen.
        absolute: psi - natural: how far the input is rotated from its natural pose.
        rotation: natural - psi: the rotation that takes the input to its canonical image; 0 if
            `only_if` or `only` left the input unchanged.
        rotated: Whether the input was rotated; bool, n.

    Example:
        >>> model = recon.load("fashion")
        >>> upright, poses = model.canonicalize(recon.read_images("garments", limit=5).images)
        >>> degrees = np.degrees(poses.absolute)
        >>> bool(np.allclose(poses.rotation, -poses.absolute))
        True
    """

    def __init__(self, records: Array, size: Any, seen: Array | None = None):
        """size: (height, width, channels) of all, or a list of such. seen: what the model saw."""
        super().__init__(records)
        if seen is not None:
            self._small = {i: np.clip(np.rint(255 * x), 0, 255).astype(np.uint8)
                           for i, x in enumerate(seen[:SHOWN])}
        given = np.asarray(size, np.int64).reshape(-1, 3) if len(records) else np.zeros((0, 3), np.int64)
        self._sizes = np.array(np.broadcast_to(given, (len(records), 3)))

    def __getitem__(self, which: Any) -> Poses:
        """Some of them; poses[3] is still a list, of one."""
        at = self._at(which)
        some = Poses(self._records[at], self._sizes[at])
        some._small = {j: self._small[i] for j, i in enumerate(at[:SHOWN].tolist()) if i in self._small}
        return some

    def _pictured(self) -> dict[str, list[str]]:
        if not self._small:
            return {}
        by = {"as given": np.zeros(len(self)), "upright": self.rotation}
        return {name: [thumbnail(self._small[i], angle) if i in self._small else ""
                       for i, angle in enumerate(angles)] for name, angles in by.items()}

    def plot(self, images: Any = None, ax: Any = None) -> Any:
        """Draws how far the images are rotated, or pairs of them; with matplotlib.

        Args:
            images: The images, as canonicalize took them: they are drawn as given, above, and
                upright, below, the first eight. Without them a rose of `absolute` is drawn: upright
                is up.
            ax: Polar axes of matplotlib for the rose; None: of a new figure.

        Returns:
            The axes, or an array of them, 2 x m.

        Example:
            >>> model = recon.load("fashion")
            >>> upright, poses = model.canonicalize(recon.read_images("garments", limit=5).images)
            >>> try:
            ...     axes = poses.plot()
            ... except recon.UnsupportedError:  # matplotlib is not installed
            ...     pass
        """
        if images is None:
            return rose(self.absolute, ax)
        given = Pictures(images, (1, 1, 3)).given[:SHOWN]
        some = [one.astype(np.float32) for one in given]
        upright = self[: len(given)].to_canonical(masks=some)
        return pairs(given, [b.astype(a.dtype) for a, b in zip(given, upright)])

    def __repr__(self) -> str:
        return f"<recon.Poses of {len(self)} image{'s' * (len(self) != 1)}>"

    @property
    def psi(self) -> Array:
        """The backbone's pose, relative to its arbitrary canonical."""
        return self._records["psi"][:, 0]

    @property
    def natural(self) -> Array:
        """Lambda, the natural pose in the same terms; a candidate's, where one was chosen."""
        return self._records["lambda"][:, 0]

    @property
    def absolute(self) -> Array:
        """psi - natural: how far the input is rotated from its natural pose."""
        return self._records["absolute"][:, 0]

    @property
    def rotation(self) -> Array:
        """natural - psi: what takes the input to its canonical image."""
        return self._records["rotation"][:, 0]

    @property
    def rotated(self) -> Array:
        """True if the input was rotated, False if only_if or only left it unchanged."""
        return np.asarray(self.rotation != 0)

    def to_input(self, *, points: Any = None, vectors: Any = None, boxes: Any = None,
                 masks: Any = None, labels: Any = None, interpolation: str = "bilinear") -> Any:
        """Maps results found in the canonical images back to the inputs.

        Exactly one of the first five arguments is given: one array for all n images, or a list with
        an array for each.

        Args:
            points: For each image m x 2, or one point: n x 2.
            vectors: For each image m x 2, or one vector: n x 2.
            boxes: For each image m x 4 (left, top, right, bottom), or one box: n x 4. They become
                the smallest upright boxes around the rotated ones.
            masks: Masks or images, height x width [x channels]; resampled.
            labels: Integers, height x width; nearest-neighbour resampling, 0 outside.
            interpolation: Of masks: "bilinear" or "bicubic".

        Returns:
            The same, in the frame of the inputs; a list for a list.

        Example:
            >>> model = recon.load("fashion")
            >>> images = recon.read_images("garments", limit=5).images
            >>> upright, poses = model.canonicalize(images)
            >>> poses.to_input(points=np.zeros((5, 7, 2))).shape
            (5, 7, 2)
        """
        return self._move(_BACK, interpolation, points=points, vectors=vectors, boxes=boxes,
                          masks=masks, labels=labels)

    def to_canonical(self, *, points: Any = None, vectors: Any = None, boxes: Any = None,
                     masks: Any = None, labels: Any = None,
                     interpolation: str = "bilinear") -> Any:
        """Maps data of the inputs to the canonical images: the inverse of to_input.

        Args:
            points: As in to_input.
            vectors: As in to_input.
            boxes: As in to_input.
            masks: As in to_input.
            labels: As in to_input.
            interpolation: As in to_input.

        Returns:
            The same, in the frame of the canonical images; a list for a list.

        Example:
            >>> model = recon.load("fashion")
            >>> images = recon.read_images("garments", limit=5).images
            >>> upright, poses = model.canonicalize(images)
            >>> np.array_equal(poses.to_canonical(masks=images), upright)
            True
        """
        return self._move(_THERE, interpolation, points=points, vectors=vectors, boxes=boxes,
                          masks=masks, labels=labels)

    def _move(self, way: int, interpolation: str, **given: Any) -> Any:
        what, x = _only(given)
        how = choice("interpolation", interpolation, "recon_interpolation")
        sizes = [(int(height), int(width)) for height, width, _ in self._sizes]
        planar = what in ("masks", "labels")
        function = getattr(lib, "recon_pose_" + ("image" if what == "masks" else what))

        def shape(i: int) -> tuple[int | None, ...]:
            if planar:
                return (*sizes[i], None) if what == "masks" and np.ndim(x[i]) == 3 else sizes[i]
            return None, 4 if what == "boxes" else 2

        def move(i: int, out: Array, pose: int | None, a: Array) -> None:
            count = () if planar else (len(a),)
            size = () if what == "vectors" else sizes[i]
            channels = (*a.shape[2:], 1)[:1] + (how,) if what == "masks" else ()
            function(address(out), pose, way, address(a), *count, *size, *channels)

        dtype = {"masks": np.float32, "labels": np.int32}.get(what, np.float64)
        return self._carry(x, what, dtype, shape, move)


class Poses3(_Records):
    """Poses of n molecules: rotation matrices, about each molecule's centre.

    poses[3], poses[2:5] and poses[mask] are Poses3 too; len(poses) is n.

    Fields:
        psi: The backbone's pose, relative to its arbitrary canonical; n x 3 x 3.
        natural: Lambda, the natural pose in the same terms (`lambda` in C); n x 3 x 3.
        absolute: psi natural^-1: how the input is rotated from its natural pose; n x 3 x 3.
        rotation: natural psi^-1: the rotation that takes the input to its canonical form; n x 3 x
            3; the identity if `only_if` or `only` left the input unchanged.
        rotated: Whether the input was rotated; bool, n.
        center: The point that each molecule is rotated about, n x 3.
        free: In how many directions the natural pose is a choice, not an estimate, n: 0 none, 1 the
            spin about an axis, 2, 3 all.

    Example:
        >>> model = recon.load("conformers")
        >>> _, poses = model.canonicalize(recon.read_molecules("conformers/test", limit=5))
        >>> poses.absolute.shape, poses.free.shape
        ((5, 3, 3), (5,))
    """

    def __getitem__(self, which: Any) -> Poses3:
        """Some of them; poses[3] is still a list, of one."""
        return Poses3(self._records[self._at(which)])

    def plot(self, ax: Any = None) -> Any:
        """Draws how the molecules are rotated; with matplotlib.

        Args:
            ax: Axes of matplotlib in three dimensions; None: of a new figure.

        Returns:
            The axes: a sphere with the places to which `absolute` takes the three axes.

        Example:
            >>> model = recon.load("conformers")
            >>> _, poses = model.canonicalize(recon.read_molecules("conformers/test", limit=5))
            >>> try:
            ...     axes = poses.plot()
            ... except recon.UnsupportedError:  # matplotlib is not installed
            ...     pass
        """
        return sphere(self.absolute, ax)

    def __repr__(self) -> str:
        return f"<recon.Poses3 of {len(self)} molecule{'s' * (len(self) != 1)}>"

    @property
    def psi(self) -> Array:
        """The backbone's pose, relative to its arbitrary canonical."""
        return matrices(self._records["psi"][:, :4])

    @property
    def natural(self) -> Array:
        """Lambda, the natural pose in the same terms."""
        return matrices(self._records["lambda"][:, :4])

    @property
    def absolute(self) -> Array:
        """psi natural^-1: how the input is rotated from its natural pose."""
        return matrices(self._records["absolute"][:, :4])

    @property
    def rotation(self) -> Array:
        """natural psi^-1: what takes the input to its canonical form."""
        return matrices(self._records["rotation"][:, :4])

    @property
    def rotated(self) -> Array:
        """True if the input was rotated, False if only_if or only left it unchanged."""
        return np.asarray((self._records["rotation"][:, 1:4] != 0).any(axis=1))

    @property
    def center(self) -> Array:
        """The place that each is rotated about, n x 3."""
        return self._records["center"]

    @property
    def free(self) -> Array:
        """Directions in which the natural pose is a choice, not an estimate: 0 none, 1 the spin about
        an axis, 2, 3 all."""
        return self._records["free"]

    def to_input(self, *, points: Any = None, vectors: Any = None) -> Any:
        """Maps results found in the canonical molecules back to the inputs.

        Exactly one argument is given: one array for all n molecules, or a list with an array for
        each.

        Args:
            points: Places, for each molecule m x 3, or one place: n x 3.
            vectors: Forces or dipoles, for each molecule m x 3, or one vector: n x 3.

        Returns:
            The same, in the frame of the inputs; a list for a list.

        Example:
            >>> model = recon.load("conformers")
            >>> molecules = recon.read_molecules("conformers/test", limit=5)
            >>> positions, poses = model.canonicalize(molecules)
            >>> dipoles = np.tile([0.0, 0, 1], (5, 1))
            >>> poses.to_input(vectors=dipoles).shape
            (5, 3)
        """
        return self._move(_BACK, points=points, vectors=vectors)

    def to_canonical(self, *, points: Any = None, vectors: Any = None) -> Any:
        """Maps data of the inputs to the canonical molecules: the inverse of to_input.

        Args:
            points: As in to_input.
            vectors: As in to_input.

        Returns:
            The same, in the frame of the canonical molecules; a list for a list.

        Example:
            >>> model = recon.load("conformers")
            >>> molecules = recon.read_molecules("conformers/test", limit=5)
            >>> positions, poses = model.canonicalize(molecules)
            >>> there = poses.to_canonical(points=[m.positions for m in molecules])
            >>> bool(np.allclose(there[0], positions[0], atol=1e-4))
            True
        """
        return self._move(_THERE, points=points, vectors=vectors)

    def _move(self, way: int, **given: Any) -> Any:
        what, x = _only(given)
        function = lib.recon_pose_points3 if what == "points" else lib.recon_pose_vectors3

        def move(i: int, out: Array, pose: int | None, a: Array) -> None:
            function(address(out), pose, way, address(a), len(a))

        return self._carry(x, what, np.float64, lambda i: (None, 3), move)
