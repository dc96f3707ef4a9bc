"""Algorithm 1 on arrays: see recon/normalize/normalize.h."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from . import _abi
from ._library import (
    Error,
    address,
    array,
    check,
    choice,
    context,
    lib,
    matrices,
    patiently,
    warn_above,
)

_GROUPS = {"so2": "SO2", "so3": "SO3"}
_MEANS = {"tukey": "TUKEY", "frechet": "FRECHET", "chordal": "CHORDAL"}
_FAMILIES = {name: name.upper() for name in ("auto", "uniform", "normal", "vonmises", "mixture")}
_METRICS = {name: name.upper() for name in ("cosine", "dot", "euclidean")}
VERDICTS = ("one", "several", "modulo", "axis", "none", "cannot_tell")
"""What the numbers of Frames.verdict mean."""
_TOLERANCE = _abi.CONSTANTS["RECON_POSE_TOLERANCE"]


@dataclass(frozen=True, repr=False)
class Frames:
    """What Algorithm 1 found: a row for each query, or for each point when there are none.

    Angles are radians in (-pi, pi], rotations 3 x 3 matrices; rows x [3 x 3] below means rows for
    SO(2) and rows x 3 x 3 for SO(3).
    """

    gamma: np.ndarray
    """The centre of the row's class: rows x [3 x 3]."""
    normalized: np.ndarray
    """The class's poses with the centre taken off, g Gamma^-1: rows x k x [3 x 3]."""
    absolute: np.ndarray
    """The row's own pose, centred: rows x [3 x 3]."""
    theta: np.ndarray
    """A width in radians: the half-width of an arc, sigma of a normal, otherwise the root mean square
    distance of the class's poses from the centre: rows."""
    parameters: np.ndarray
    """The fitted distribution: half-width, sigma or kappa, rows; a mixture's weights, means and
    kappas, rows x 3 x 4; SO(3): the matrix Fisher distribution's F, rows x 3 x 3."""
    verdict: np.ndarray
    """What is known of the natural pose: 0 one, 1 several, 2 one modulo a symmetry, 3 an axis, 4
    none, 5 cannot tell: rows, int8. VERDICTS has the names."""
    fold: np.ndarray
    """m where the pose is known modulo 360/m degrees, 1 for one pose or several, 0 where none is
    known: rows, int8."""
    modes: np.ndarray
    """The natural poses, heaviest first: angle, weight: rows x 4 x 2; SO(3): matrix, weight: rows x
    4 x 10. Unused ones are zero."""
    p: np.ndarray
    """p-value of the row's own pose, small is unusual for its own class: rows."""
    identifiability: np.ndarray
    """SO(2): |E exp(i m g)| for m = 1..4; SO(3): singular values of the mean rotation."""
    neighbors: np.ndarray
    """The points that make the row's class: rows x k."""
    background: np.ndarray
    """The weight of the uniform part of the density: rows."""
    score: np.ndarray
    """-log density of the row's own pose, higher is odder: rows."""
    hit_rate: float
    """The share of a class with the row's label; NaN without labels."""
    axis: np.ndarray | None
    """SO(3): the best determined direction before the rotation, and where it goes: rows x 2 x 3."""
    family: str
    """Of parameters: "uniform", "normal", "vonmises", "mixture" or "fisher"."""

    def __repr__(self) -> str:
        rows, k = self.neighbors.shape
        return f"<recon.Frames of {rows} rows, classes of {k}, family {self.family}>"


def normalize(
    z: Any,
    poses: Any,
    group: Literal["so2", "so3"] = "so2",
    k: int = 10,
    mean: Literal["tukey", "frechet", "chordal"] = "tukey",
    family: Literal["auto", "uniform", "normal", "vonmises", "mixture"] = "auto",
    queries: tuple[Any, Any] | None = None,
    labels: Any = None,
    query_labels: Any = None,
    metric: Literal["cosine", "dot", "euclidean"] = "cosine",
) -> Frames:
    """Centred pose distributions from embeddings and poses of any backbone.

    z is n x d. poses are n radians for "so2"; n x 3 x 3 or n x 9 matrices or n x 4 unit
    quaternions, w first, for "so3". queries, a pair of such arrays, are what to answer for; without
    them it is the points themselves. labels are used for nothing but the hit rate. family is for
    "so2"; "so3" always has the matrix Fisher distribution.
    """
    number = choice("group", group, "", _GROUPS)
    if group == "so3" and family != "auto":
        raise Error("so3 has one family, fisher: leave family alone")
    if isinstance(k, bool) or k != int(k) or k < 1:
        raise Error(f"k {k} is not a whole number of at least 1")
    options = _abi.NormalizeOptions(
        classes=_abi.CONSTANTS["RECON_CLASSES_KNN"],
        knn=_abi.KnnOptions(k=int(k), metric=choice("metric", metric, "", _METRICS)),
        mean=_abi.MeanOptions(kind=choice("mean", mean, "MEAN_", _MEANS)),
        family=choice("family", family, "SO2_", _FAMILIES),
    )
    index, kept = _embedded(number, z, poses, labels, "")
    asked = None
    if queries is not None:
        embedded, also = _embedded(number, *queries, query_labels, "query ")
        asked = ctypes.byref(embedded)
        kept += also
    elif query_labels is not None:
        raise Error("query_labels go with queries")
    out = _abi.FramesOut()
    try:
        with context() as ctx:
            check(ctx, patiently(ctx, lib.recon_normalize, ctypes.byref(out), ctypes.byref(index),
                                 asked, ctypes.byref(options)))
        return _frames(out, group)
    finally:
        lib.recon_frames_free(ctypes.byref(out))


# --- in -------------------------------------------------------------------------------------------


def _embedded(
    group: int, z: Any, poses: Any, labels: Any, what: str
) -> tuple[ctypes.Structure, list[np.ndarray]]:
    """Arrays as the library takes them, and what must be kept while it uses them."""
    z = array(z, np.float32, f"{what}z")
    if z.ndim != 2:
        raise Error(f"{what}z is {_shape(z)}, but embeddings are N x D")
    poses = array(poses, np.float64, f"{what}poses")
    so3 = group == _abi.CONSTANTS["RECON_SO3"]
    held = _rotations(poses, f"{what}poses") if so3 else _angles(poses, f"{what}poses")
    if len(held) != len(z):
        raise Error(f"{len(held)} {what}poses for {len(z)} embeddings")
    e = _abi.Embedded(n=z.shape[0], d=z.shape[1], z=address(z),
                      precision=_abi.CONSTANTS["RECON_F64"])
    setattr(e, "so3" if so3 else "so2", address(held))
    kept = [z, held]
    if labels is not None:
        kept.append(_labels(labels, len(z), f"{what}labels"))
        e.labels = address(kept[-1])
    return e, kept


def _shape(x: np.ndarray) -> str:
    return " x ".join(map(str, x.shape)) or "a single number"


def _refuse_what_is_not_finite(x: np.ndarray, what: str) -> None:
    if not np.isfinite(x).all():
        row, *at = np.argwhere(~np.isfinite(x))[0]
        raise Error(f"{what}: row {row} holds {x[(row, *at)]:g}")


def _angles(x: np.ndarray, what: str) -> np.ndarray:
    if x.ndim == 2 and x.shape[1] == 1:
        x = x[:, 0]
    if x.ndim != 1:
        hint = ("of cosine and sine: np.arctan2(sine, cosine)" if x.shape[1:] == (2,)
                else "is the group so3?")
        raise Error(f"{what}: {_shape(x)}, but poses are N angles for SO(2); {hint}")
    _refuse_what_is_not_finite(x, what)
    warn_above("RECON_ANGLE_USUAL", x, what + ": angles up to {:g}; radians are expected, not"
               " degrees")
    out = np.empty(len(x))
    lib.recon_so2_wrap_n(address(out), address(np.ascontiguousarray(x)), len(x))
    return out


def _rotations(x: np.ndarray, what: str) -> np.ndarray:
    if x.shape[1:] not in ((3, 3), (9,), (4,)):
        raise Error(f"{what}: {_shape(x)}, but poses are N x 3 x 3, N x 9 or N x 4 for SO(3)")
    _refuse_what_is_not_finite(x, what)
    return _from_quaternions(x, what) if x.shape[1:] == (4,) else _from_matrices(x, what)


def _refuse_what_is_no_rotation(off: np.ndarray, what: str, how: str) -> None:
    if (off > _TOLERANCE).any():
        row = int(np.argmax(off > _TOLERANCE))
        text = "a reflection, or huge" if np.isinf(off[row]) else f"{how} is off by {off[row]:.3g}"
        raise Error(f"{what}: row {row} is not a rotation: {text}")


def _from_quaternions(x: np.ndarray, what: str) -> np.ndarray:
    length = np.sqrt((x * x).sum(axis=1, keepdims=True))
    _refuse_what_is_no_rotation(np.abs(length[:, 0] - 1), what, "the quaternion's length")
    return np.where(x[:, :1] < 0, -1, 1) * x / length


def _from_matrices(x: np.ndarray, what: str) -> np.ndarray:
    m = x.reshape(-1, 3, 3)
    off = np.abs(m @ m.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2), initial=0)
    off[np.linalg.det(m) < 0] = np.inf
    _refuse_what_is_no_rotation(off, what, "R R^T")
    out = np.empty((len(m), 4))
    lib.recon_so3_from_matrix_n(address(out), address(m), len(m))
    return out


def _labels(labels: Any, n: int, what: str) -> np.ndarray:
    y = np.asarray(labels)
    if y.shape != (n,):
        raise Error(f"{what}: {_shape(y)}, but {n} labels are needed")
    if not np.issubdtype(y.dtype, np.integer):
        raise Error(f"{what}: {y.dtype}, but labels are integers")
    return array(y, np.int64, what)


# --- out ------------------------------------------------------------------------------------------


def _copy(pointer: int, shape: tuple[int, ...], kind: type = ctypes.c_double) -> np.ndarray:
    lent = ctypes.cast(pointer, ctypes.POINTER(kind))
    return np.ctypeslib.as_array(lent, shape).copy()


def _poses(lent: ctypes.Structure, shape: tuple[int, ...]) -> np.ndarray:
    return _copy(lent.so2, shape) if lent.so2 else matrices(_copy(lent.so3, (*shape, 4)))


def _frames(out: ctypes.Structure, group: str) -> Frames:
    rows, k = out.rows, out.k
    width = out.parameters_width
    parameters = (rows,) if width == 1 else (rows, 3, width // 3)
    modes = (rows, _abi.CONSTANTS["RECON_FRAME_MODES"], out.modes_width)
    name = lib.recon_so2_family_name(out.family).decode()
    return Frames(
        gamma=_poses(out.gamma, (rows,)),
        normalized=_poses(out.normalized, (rows, k)),
        absolute=_poses(out.absolute, (rows,)),
        theta=_copy(out.theta, (rows,)),
        parameters=_copy(out.parameters, parameters),
        verdict=_copy(out.verdict, (rows,), ctypes.c_int8),
        fold=_copy(out.fold, (rows,), ctypes.c_int8),
        modes=_copy(out.modes, modes),
        p=_copy(out.p, (rows,)),
        axis=_copy(out.axis, (rows, 2, 3)) if out.axis else None,
        identifiability=_copy(out.identifiability, (rows, out.identifiability_width)),
        neighbors=_copy(out.neighbors, (rows, k), ctypes.c_int64),
        background=_copy(out.background, (rows,)),
        score=_copy(out.score, (rows,)),
        hit_rate=out.hit_rate,
        family="fisher" if group == "so3" else name,
    )
