"""Poses, and the way between an input and its canonical form: see recon/apps/pose.h, pose3.h."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ._abi import CONSTANTS
from ._library import Error, address, array, choice, lib, matrices

INTERPOLATIONS = {"bilinear": "BILINEAR", "bicubic": "BICUBIC"}
_THERE, _BACK = CONSTANTS["RECON_TO_CANONICAL"], CONSTANTS["RECON_TO_INPUT"]


def _only(given: dict[str, Any]) -> tuple[str, Any]:
    """The one argument that is there."""
    there = [(name, x) for name, x in given.items() if x is not None]
    if len(there) != 1:
        raise Error(f"exactly one of {', '.join(given)} is needed, not {len(there)}")
    return there[0]


class _Records:
    """What poses of both kinds have in common: n records of the library's."""

    def __init__(self, records: np.ndarray):
        self._records = records

    def __len__(self) -> int:
        return len(self._records)

    def _carry(
        self, x: Any, what: str, dtype: Any, shape: tuple[int | None, ...],
        move: Callable[[np.ndarray, int, np.ndarray], None],
    ) -> Any:
        """x[i] taken along by pose i, for every i. shape is x[i]'s, None for any length."""
        if len(x) != len(self):
            raise Error(f"{what} of {len(x)} inputs, but {len(self)} poses")
        moved = []
        for i in range(len(self)):
            one = array(x[i], dtype, what)
            if len(one.shape) != len(shape) or any(
                want not in (None, got) for want, got in zip(shape, one.shape)
            ):
                wanted = " x ".join("N" if want is None else str(want) for want in shape)
                raise Error(f"{what} of input {i}: {one.shape}, but {wanted} is needed: in all"
                            f" a list of n such, or n x {wanted}")
            moved.append(np.empty_like(one))
            move(moved[-1], address(self._records[i : i + 1]), one)
        stacked = isinstance(x, np.ndarray) and x.dtype != object
        return np.stack(moved) if stacked and moved else np.empty_like(x) if stacked else moved


class Poses(_Records):
    """Poses of n images: radians in (-pi, pi], counter-clockwise as seen on screen.

    Places in an image are (x, y) in pixels, x to the right and y down, (0, 0) the centre of the top
    left pixel.
    """

    def __init__(self, records: np.ndarray, size: tuple[int, int, int]):
        super().__init__(records)
        self._size = size

    def __getitem__(self, which: Any) -> Poses:
        """Some of them; poses[3] is still a list, of one."""
        return Poses(np.atleast_1d(self._records[which]), self._size)

    def __repr__(self) -> str:
        return f"<recon.Poses of {len(self)} images>"

    @property
    def psi(self) -> np.ndarray:
        """The backbone's pose, relative to its arbitrary canonical."""
        return self._records["psi"]

    @property
    def natural(self) -> np.ndarray:
        """Lambda, the natural pose in the same terms; a candidate's, where one was chosen."""
        return self._records["lambda"]

    @property
    def absolute(self) -> np.ndarray:
        """psi - natural: how far the input is turned from its natural pose."""
        return self._records["absolute"]

    @property
    def turn(self) -> np.ndarray:
        """natural - psi: what takes the input to its canonical image."""
        return self._records["turn"]

    def to_input(self, *, points: Any = None, vectors: Any = None, boxes: Any = None,
                 masks: Any = None, labels: Any = None, interpolation: str = "bilinear") -> Any:
        """What was found in the canonical images, where it is in the inputs.

        Exactly one of: points or vectors, for each image m x 2; boxes, m x 4 (left, top, right,
        bottom), which become the smallest upright boxes around the turned ones; masks (or images),
        height x width [x channels], resampled; labels, height x width integers, each pixel that of
        the nearest one and 0 outside. One array for all images, or a list with one for each.
        """
        return self._move(_BACK, interpolation, points=points, vectors=vectors, boxes=boxes,
                          masks=masks, labels=labels)

    def to_canonical(self, *, points: Any = None, vectors: Any = None, boxes: Any = None,
                     masks: Any = None, labels: Any = None,
                     interpolation: str = "bilinear") -> Any:
        """The way there, for labels of the inputs; as to_input."""
        return self._move(_THERE, interpolation, points=points, vectors=vectors, boxes=boxes,
                          masks=masks, labels=labels)

    def _move(self, way: int, interpolation: str, **given: Any) -> Any:
        what, x = _only(given)
        height, width, _ = self._size
        how = choice("interpolation", interpolation, "", INTERPOLATIONS)

        def points(out, pose, a):
            lib.recon_pose_points(address(out), pose, way, address(a), len(a), height, width)

        def vectors(out, pose, a):
            lib.recon_pose_vectors(address(out), pose, way, address(a), len(a))

        def boxes(out, pose, a):
            lib.recon_pose_boxes(address(out), pose, way, address(a), len(a), height, width)

        def masks(out, pose, a):
            channels = a.shape[2] if a.ndim == 3 else 1
            lib.recon_pose_image(address(out), pose, way, address(a), height, width, channels, how)

        def labels(out, pose, a):
            lib.recon_pose_labels(address(out), pose, way, address(a), height, width)

        if what == "points":
            return self._carry(x, what, np.float64, (None, 2), points)
        if what == "vectors":
            return self._carry(x, what, np.float64, (None, 2), vectors)
        if what == "boxes":
            return self._carry(x, what, np.float64, (None, 4), boxes)
        if what == "labels":
            return self._carry(x, what, np.int32, (height, width), labels)
        colour = len(x) > 0 and np.ndim(x[0]) == 3
        shape = (height, width, None) if colour else (height, width)
        return self._carry(x, what, np.float32, shape, masks)


class Poses3(_Records):
    """Poses of n molecules: rotation matrices n x 3 x 3, about each molecule's centre."""

    def __getitem__(self, which: Any) -> Poses3:
        """Some of them; poses[3] is still a list, of one."""
        return Poses3(np.atleast_1d(self._records[which]))

    def __repr__(self) -> str:
        return f"<recon.Poses3 of {len(self)} molecules>"

    @property
    def psi(self) -> np.ndarray:
        """The backbone's pose, relative to its arbitrary canonical."""
        return matrices(self._records["psi"])

    @property
    def natural(self) -> np.ndarray:
        """Lambda, the natural pose in the same terms."""
        return matrices(self._records["lambda"])

    @property
    def absolute(self) -> np.ndarray:
        """psi natural^-1: how the input is turned from its natural pose."""
        return matrices(self._records["absolute"])

    @property
    def turn(self) -> np.ndarray:
        """natural psi^-1: what takes the input to its canonical form."""
        return matrices(self._records["turn"])

    @property
    def center(self) -> np.ndarray:
        """The place that each is turned about, n x 3."""
        return self._records["center"]

    @property
    def free(self) -> np.ndarray:
        """Directions in which the natural pose is a choice, not a finding: 0 none, 1 the spin about
        an axis, 2, 3 all."""
        return self._records["free"]

    def to_input(self, *, points: Any = None, vectors: Any = None) -> Any:
        """What was found in the canonical molecules, where it is in the inputs: places or vectors
        (forces, dipoles), for each molecule m x 3. One array for all, or a list."""
        return self._move(_BACK, points=points, vectors=vectors)

    def to_canonical(self, *, points: Any = None, vectors: Any = None) -> Any:
        """The way there; as to_input."""
        return self._move(_THERE, points=points, vectors=vectors)

    def _move(self, way: int, **given: Any) -> Any:
        what, x = _only(given)
        function = lib.recon_pose3_points if what == "points" else lib.recon_pose3_vectors

        def move(out: np.ndarray, pose: int, a: np.ndarray) -> None:
            function(address(out), pose, way, address(a), len(a))

        return self._carry(x, what, np.float64, (None, 3), move)
