"""Statistics of poses of any group: see recon/group/group.h.

    recon.stats.mean(rotations, group="so3", weights=w)   # a matrix; kind="chordal" as in SciPy
    recon.stats.dispersion(angles)                        # radians, about that mean
    recon.stats.uniform_test(rotations, group="so3")      # p-values
    recon.stats.symmetry(rotations, group="so3").name     # "C4"

Poses are given as to recon.normalize: angles in radians, matrices, quaternions, a SciPy Rotation.
"""
from __future__ import annotations

import ctypes
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Iterator, Literal

import numpy as np

from . import _abi
from ._errors import InputError
from ._library import Array, address, array, check, choice, context, lib
from ._normalize import _shape, _group, read_poses, symmetry_names, written_poses
from ._records import record

__all__ = ["Symmetry", "dispersion", "mean", "one_mode_test", "symmetry", "uniform_test"]
_Order = Literal["wxyz", "xyzw"] | None


@record
@dataclass(frozen=True, eq=False)
class Symmetry:
    """The symmetry that poses repeat.

    Fields:
        name: "C4", "D2", "T", "O", "I"; "C1" for one natural pose; "" where none is named.
        order: How many rotations it has; 0 where none is named.
        axis: SO(3): the axis of highest order in the frame of the objects; None without one.
        center: The natural pose that is nearest to the identity.
        p: The p-value of the test of fit: small where poses hardly repeat the group; NaN for none.
    """

    name: str
    order: int
    axis: Array | None
    center: Array
    p: float


@contextmanager
def _taken(poses: Any, group: str, quaternions: Any, weights: Any = None) -> Iterator[tuple[Any, ...]]:
    """What the functions of group.h take, and the table."""
    with context() as ctx:
        table = _group(ctx, group, "auto", quaternions)
        read, _ = read_poses(ctx, table, quaternions, poses, None)
        w = None
        if weights is not None:
            w = array(weights, np.float64, "weights")
            if w.shape != (len(read),):
                raise InputError(f"weights: {_shape(w)}, but there are {len(read)} poses")
        yield ctx, table, ctypes.addressof(table), address(read), None if w is None else address(w), len(read), read, w


def mean(
    poses: Any, group: str = "so2", weights: Any = None,
    kind: Literal["frechet", "chordal", "tukey", "auto"] = "frechet", quaternions: _Order = None,
) -> Array:
    """The mean of poses.

    Args:
        poses: n poses of the group.
        group: As for recon.normalize.
        weights: n numbers of at least 0, for the Frechet and chordal means.
        kind: "frechet", the geodesic mean, or the group mean where no metric is invariant; "chordal", that of
            the matrices or of cosine and sine, as SciPy's; "tukey" and "auto", robust as in recon.normalize.
        quaternions: The order of n x 4 poses.

    Returns:
        The pose as the group writes it: an angle, a 3 x 3 matrix.

    Example:
        >>> float(recon.stats.mean([3.0, -3.0], weights=[1, 3]).round(3))
        -3.071
    """
    with _taken(poses, group, quaternions, weights) as (ctx, table, g, p, w, n, *_):
        out = np.empty(_abi.RECON_NUMBERS_MAX)
        check(ctx, lib.recon_stats_mean(ctx, address(out), g, p, w, n, choice("kind", kind, "recon_mean_kind")))
        mean: Array = written_poses(out.ctypes.data, (1,), table, np.float64)[0]
        return mean


def dispersion(poses: Any, group: str = "so2", weights: Any = None, quaternions: _Order = None) -> float:
    """The root of the weighted mean squared distance from the Frechet mean, in radians.

    Example:
        >>> round(recon.stats.dispersion([0.2, -0.2]), 3)
        0.2
    """
    with _taken(poses, group, quaternions, weights) as (ctx, _, g, p, w, n, *_):
        out = ctypes.c_double()
        check(ctx, lib.recon_stats_dispersion(ctx, ctypes.byref(out), g, p, w, n))
        return out.value


def uniform_test(poses: Any, group: str = "so2", quaternions: _Order = None) -> float:
    """The p-value of the test that poses are spread evenly over the group.

    Example:
        >>> recon.stats.uniform_test(np.linspace(0, 2, 20)) < 0.01
        True
    """
    with _taken(poses, group, quaternions) as (ctx, _, g, p, _, n, *_):
        out = ctypes.c_double()
        check(ctx, lib.recon_stats_uniform_test(ctx, ctypes.byref(out), g, p, n))
        return out.value


def one_mode_test(poses: Any, group: str = "so2", quaternions: _Order = None) -> float:
    """The p-value of the test that poses, but for strays, have one mode, as flat arcs of any width do.

    Example:
        >>> recon.stats.one_mode_test(np.repeat([0.0, 1.0], 10) + 0.01 * np.arange(20)) < 0.01
        True
    """
    with _taken(poses, group, quaternions) as (ctx, _, g, p, _, n, *_):
        out = ctypes.c_double()
        check(ctx, lib.recon_stats_one_mode_test(ctx, ctypes.byref(out), g, p, n))
        return out.value


def symmetry(poses: Any, group: str = "so3", quaternions: _Order = None) -> Symmetry:
    """The symmetry that the poses of one kind of object repeat, from 20 poses on.

    Example:
        >>> quarter = np.arange(40) % 4 * np.pi / 2
        >>> recon.stats.symmetry(quarter + 0.01 * np.sin(np.arange(40)), group="so2").name
        'C4'
    """
    with _taken(poses, group, quaternions) as (ctx, table, g, p, _, n, *_):
        out = _abi.recon_center()
        check(ctx, lib.recon_stats_symmetry(ctx, ctypes.byref(out), g, p, n))
        one = out.natural == _abi.RECON_NATURAL_ONE
        code = _abi.RECON_SYMMETRY_C1 if one else out.symmetry
        center = written_poses(ctypes.addressof(out.mean), (1,), table, np.float64)[0]
        named = out.symmetry > _abi.RECON_SYMMETRY_C1
        return Symmetry(
            name=str(symmetry_names(np.array([code]))[0]), order=out.fold if named or one else 0,
            axis=np.array(out.axis[1]) if table.has_axis and named else None, center=center,
            p=out.symmetry_p if named else float("nan"))
