"""Algorithm 1 on arrays: see recon/normalize/normalize.h."""
from __future__ import annotations

import ctypes
import time
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from . import _abi
from ._errors import InputError
from ._library import (
    Array, Watch, address, array, as_array, check, choice, lib, patiently, warn, watched, whole)
from ._plot import poses as plotted
from ._records import Rows, record

_FAMILIES = ("auto", "uniform", "normal", "vonmises", "mixture")
VERDICTS = ("one", "several", "modulo", "axis", "none", "cannot_tell")
"""What the numbers of Frames.verdict mean."""
_DEFAULT_K = 10
_ORDERS = ("wxyz", "xyzw")
_POSES = ("bool", "float16", "float32", *(f"{u}int{bits}" for u in ("", "u") for bits in (8, 16, 32, 64)),
          "float64")


@record
@dataclass(frozen=True, repr=False, eq=False)
class Frames(Rows):
    """The result of Algorithm 1: one row per query, or per point if there are no queries. Some of the
    rows are frames[3], frames[2:5] and frames[mask]; frames.to_frame() is a pandas DataFrame.

    Angles are radians in (-pi, pi], rotations 3 x 3 matrices; rows x [3 x 3] below means rows for
    SO(2) and rows x 3 x 3 for SO(3). gamma, normalized and absolute have the precision of the
    given poses: float64 for float64, else float32. `recon normalize` writes the same numbers to
    files of the same names.

    Fields:
        gamma: The centre of the row's class, its natural pose: rows x [3 x 3].
        normalized: The centred poses of the class, g Gamma^-1: rows x k x [3 x 3]; None for
            components.
        absolute: The row's own pose, centred: rows x [3 x 3].
        theta: A width in radians: the half-width of an arc, sigma of a normal, otherwise the root
            mean square distance of the class's poses from the centre: rows.
        parameters: The fitted distribution: half-width, sigma or kappa, rows; a mixture's weights,
            means and kappas, rows x 3 x 4; SO(3): the matrix Fisher distribution's F, rows x 3 x 3.
        verdict: The verdict on the natural pose: 0 one, 1 several, 2 one modulo a symmetry, 3 an
            axis, 4 none, 5 cannot tell, -1 without a class: rows, int8. VERDICTS has the names.
        fold: m if the pose is known up to m rotations, 1 for one pose or several, 0 if none is
            known: rows, int8.
        symmetry: The group of these rotations by name: "C4", "D2", "T" (tetrahedral), "O"
            (octahedral), "I" (icosahedral), "free spin", "C1" (no symmetry), "" (none is named):
            rows. symmetry.npy has them as numbers.
        modes: The natural poses, by decreasing weight. SO(2): angle and weight, rows x 4 x 2;
            SO(3): matrix and weight, rows x 4 x 10. Unused ones are zero.
        p: The p-value of the row's own pose; small means unusual for its class: rows.
        p_embedding: The p-value of the distance to the nearest neighbour; small means unlike the
            points; a query at 0.01 or less has the verdict "cannot tell": rows; None without knn.
        identifiability: How well the centre is known. SO(2): |E exp(i m g)| for m = 1..4, rows x 4;
            SO(3): singular values of the mean rotation, rows x 3. Near zero: a free direction.
        neighbors: The nearest points, nearest first: rows x k; None without knn.
        similarity: Their cosine similarities, or inner products or distances, by metric: rows x k;
            None without knn.
        members: How many of them make the row's class, from the nearest on; fewer than k where the
            rest are of other classes: rows; None without knn.
        class_of: The row's component, or its class where classes were given; -1 for none: rows;
            None for knn.
        background: The weight of the uniform part of the density: rows.
        score: -log density of the row's own pose, higher is more unusual: rows.
        hit_rate: The share of a class that has the row's label; NaN without labels.
        free: With the verdict "axis" on groups other than SO(2) and SO(3): vectors of the Lie algebra, unused ones zero, in
            whose directions poses g gamma^-1 are free: rows x 6 x dimension; else None.
        axis: SO(3): the best determined direction before the rotation, and where the rotations take
            it: rows x 2 x 3; None for SO(2).
        family: Of parameters: "uniform", "normal", "vonmises", "mixture" or "fisher".
        group: Its name.
        k: How many neighbours make a class; 0 for components.
        class_count: How many classes there are: rows for knn, else components.
        natural_pose: The share of rows with each verdict on the natural pose: "one", "several",
            "modulo" (one modulo a symmetry), "axis" (the spin about it is free), "none" or
            "cannot_tell" (too few poses).
        single_classes: Number of classes of a single point, whose centre is meaningless.
        rows_outside: Number of rows without a class; all other results are NaN there.
        collapsed_rows: Number of rows with the same embedding as all their neighbours.
        recall: Of the neighbour search: 1 when exact.
        seconds: Times: "classes", "centers", "fits" and "total".
    """

    gamma: Array
    normalized: Array | None
    absolute: Array
    theta: Array
    parameters: Array
    verdict: Array
    fold: Array
    symmetry: Array
    modes: Array
    p: Array
    p_embedding: Array | None
    identifiability: Array
    neighbors: Array | None
    similarity: Array | None
    members: Array | None
    class_of: Array | None
    background: Array
    score: Array
    hit_rate: float
    axis: Array | None
    free: Array | None
    family: str
    group: str
    k: int
    class_count: int
    natural_pose: dict[str, float]
    single_classes: int
    rows_outside: int
    collapsed_rows: int
    recall: float
    seconds: dict[str, float]

    _shown = ("gamma", "absolute", "theta", "verdict", "fold", "symmetry", "p", "p_embedding",
              "identifiability", "members", "class_of", "background", "score")

    def _columns(self) -> dict[str, Array]:
        return {**super()._columns(), "verdict": np.array((*VERDICTS, "outside"))[self.verdict]}

    def plot(self, row: int | None = None, ax: Any = None) -> Any:
        """Draws poses; with matplotlib.

        Args:
            row: The centred poses of this row's class; None: `absolute`, of all rows.
            ax: Axes of matplotlib, polar for angles, else in three dimensions; None: of a new
                figure.

        Returns:
            The axes.

        Example:
            >>> z, poses = np.random.default_rng(1).normal(size=(2, 60, 3))
            >>> frames = recon.normalize(z, 0.1 * poses[:, 0], k=25)
            >>> try:
            ...     axes = frames.plot()
            ... except recon.UnsupportedError:  # matplotlib is not installed
            ...     pass
        """
        if self.group not in ("so2", "so3"):
            raise InputError(f"plot draws poses of so2 and so3, not of {self.group}")
        if row is None:
            return plotted(self.absolute, ax)
        if self.normalized is None:
            raise InputError("row: only with classes='knn', where a row has a class of its own")
        return plotted(self.normalized[row], ax)

    def __repr__(self) -> str:
        classes = f"classes of {self.k}" if self.k else f"{self.class_count} classes"
        return f"<recon.Frames of {len(self.gamma)} rows, {classes}, family {self.family}>"


def normalize(
    z: Any,
    poses: Any,
    group: str = "so2",
    k: int | None = None,
    mean: Literal["auto", "tukey", "frechet", "chordal"] = "auto",
    family: Literal["auto", "uniform", "normal", "vonmises", "mixture"] = "auto",
    queries: tuple[Any, Any] | None = None,
    labels: Any = None,
    query_labels: Any = None,
    metric: Literal["cosine", "dot", "euclidean"] = "cosine",
    classes: Any = "knn",
    eps: float | None = None,
    approx: Literal["auto", "exact", "ivf", "hnsw"] = "auto",
    tukey_c: float | None = None,
    include_self: bool = False,
    quaternions: Literal["wxyz", "xyzw"] | None = None,
    progress: Watch | None = None,
) -> Frames:
    """Algorithm 1 of the paper: natural poses and pose distributions from the embeddings and poses
    of any class-pose backbone, without labels.

    Inputs with similar embeddings make a class; the centre of their poses is the class's natural
    pose; the distribution of the poses about it is fitted.

    Args:
        z: Embeddings, n x d, that do not change when the input is rotated.
        poses: The pose of each input. For "so2" n angles in radians; for "so3" n x 3 x 3 or n x 9
            matrices, n x 4 unit quaternions (see quaternions), or a SciPy Rotation; see docs/formats.md
            for other groups.
        group: "so2", rotations of the plane; "so3", of space; "o2", with mirror images; "c2" to "c360" and "d2"
            to "d64", finite; "torus1" to "torus16", angles; "r1" to "r3", shifts; "scale"; "se2" and
            "se3", rigid motions; or a product of two, "so2*scale".
        k: Number of nearest neighbours in a class (default 10). More give a surer
            centre and verdict, as long as they are of one kind; 25 is a good choice where kinds
            have hundreds of inputs.
        mean: What the centre is: "auto", robust against wrong neighbours; "tukey", the same for
            several poses, but of one pose the geodesic mean; "frechet", the geodesic mean;
            "chordal", the mean of the matrices or of cosine and sine.
        family: The distribution to fit for "so2"; "auto" chooses one for all rows. Other groups have
            one, "so3" the matrix Fisher distribution.
        queries: A pair of embeddings and poses to answer for, by the classes of z; without them it
            is the points themselves.
        labels: True classes, integers, used for nothing but the hit rate.
        query_labels: The same for the queries.
        metric: Which embeddings are near: "cosine", "dot" or "euclidean".
        classes: What a class is: "knn", the k nearest neighbours, or "components", connected
            components of the graph that joins points nearer than eps; or an array with the class
            of each point, integers, below 0 for none. Queries go with their nearest point.
        eps: That distance, for "components".
        approx: The neighbour search: "auto" is exact to a million rows; "exact"; "ivf" or "hnsw" by
            FAISS, where the library was built with it.
        tukey_c: Fixes the width of Tukey's biweight, in radians; without it, from the data.
        include_self: Counts a point among its own neighbours.
        quaternions: The order of quaternions, which cannot be seen in them: "wxyz" (w first:
            MuJoCo, PyTorch3D, Blender) or "xyzw" (w last: SciPy, ROS, Eigen's coeffs). Needed
            for n x 4 poses ("se3": n x 7), and for no others.
        progress: As in recon.train.

    Returns:
        Frames: for each row gamma (the natural pose), absolute (its own pose, centred), theta (the
        distribution), score and more; see help(recon.Frames).

    Warns:
        UserWarning: Where many rows have no natural pose or too few poses to tell, where embeddings
        have collapsed, where components are single points, and
        where poses look like degrees.

    Example:
        >>> r = np.random.default_rng(0)
        >>> kind = r.integers(0, 4, 400)                        # four kinds of objects
        >>> z = r.normal(size=(4, 8))[kind]                     # embeddings
        >>> z += 0.01 * r.normal(size=z.shape)
        >>> poses = kind + 0.1 * r.normal(size=400)             # each kind about a pose of its own
        >>> frames = recon.normalize(z, poses, k=25, labels=kind)
        >>> frames
        <recon.Frames of 400 rows, classes of 25, family normal>
        >>> bool(np.abs(frames.gamma - kind).max() < 0.1), frames.hit_rate
        (True, 1.0)
    """
    begun = time.monotonic()
    own = None if isinstance(classes, str) else _labels(classes, len(z), "classes")
    options = _options({**locals(), "classes": classes if own is None else "given"})
    options.class_of = None if own is None else address(own)
    if queries is not None and (not isinstance(queries, (tuple, list)) or len(queries) != 2):
        raise InputError("queries are a pair of embeddings and poses")
    out, asked = _abi.recon_frames(), None
    try:
        with watched("cpu", progress) as ctx:
            table = _group(ctx, group, family, quaternions)
            index, kept, precision = _embedded(ctx, table, quaternions, z, poses, labels, "")
            if queries is not None:
                embedded, also, _ = _embedded(ctx, table, quaternions, *queries, query_labels, "query ")
                asked = ctypes.byref(embedded)
                kept += also
            patiently(ctx, lib.recon_normalize, ctypes.byref(out), ctypes.byref(index), asked,
                      ctypes.byref(options))
            frames = _frames(out, table, precision, begun)
    finally:
        lib.recon_frames_free(ctypes.byref(out))
    _caution(frames, index.n)
    return frames


def _options(given: dict[str, Any]) -> Any:
    """The library's options, from the arguments of normalize."""
    _refuse_what_does_not_go_together(**given)
    k, eps, c = given["k"], given["eps"], given["tukey_c"]
    return _abi.recon_normalize_options(
        classes=choice("classes", given["classes"], "recon_classes"),
        knn=_abi.recon_knn_options(
            k=_DEFAULT_K if k is None else whole("k", k, 1),
            metric=choice("metric", given["metric"], "recon_metric"),
            method=choice("approx", given["approx"], "recon_knn_method"),
            include_self=bool(given["include_self"]),
        ),
        eps=0 if eps is None else eps,
        mean=_abi.recon_mean_options(kind=choice("mean", given["mean"], "recon_mean_kind"),
                                     tukey_c=0 if c is None else c),
        family=choice("family", given["family"], "recon_so2_family", *_FAMILIES),
    )


def _refuse_what_does_not_go_together(
    *, k: Any, mean: str, family: str, queries: Any, labels: Any, query_labels: Any,
    classes: str, eps: Any, approx: str, tukey_c: Any, include_self: bool, quaternions: Any, **_: Any
) -> None:
    components, knn = classes == "components", classes == "knn"
    faults = {
        f"quaternions {quaternions!r} is none of {'|'.join(_ORDERS)}":
            quaternions is not None and quaternions not in _ORDERS,
        "query_labels go with queries and labels": query_labels is not None and (
            queries is None or labels is None),
        "labels with queries need query_labels too": queries is not None and labels is not None
        and query_labels is None,
        "components need eps": components and eps is None,
        "eps goes with classes='components'": not components and eps is not None,
        f"eps {eps}: a distance above 0": eps is not None and not eps > 0,
        "k goes with classes='knn'": not knn and k is not None,
        "approx goes with classes='knn'": not knn and approx != "auto",
        "include_self goes with classes='knn'": not knn and include_self,
        "include_self is about the points, not about queries": include_self and queries is not None,
        "tukey_c goes with mean='tukey'": tukey_c is not None
        and mean not in ("auto", "tukey"),
        f"tukey_c {tukey_c}: radians above 0, up to pi; for degrees np.radians({tukey_c})":
            tukey_c is not None and not 0 < tukey_c <= np.pi,
    }
    for fault, there in faults.items():
        if there:
            raise InputError(fault)


def _caution(frames: Frames, points: int) -> None:
    """Issues the command's warnings as Python warnings."""
    none = frames.natural_pose["none"]
    if none > _abi.RECON_NATURAL_FEW:
        warn(f"{none:.0%} of the rows have no natural pose that can be found: the poses of their"
             " neighbours are spread over all directions or fit no distribution, and their gamma"
             " may mean nothing")
    unsure = frames.natural_pose["cannot_tell"]
    if unsure > _abi.RECON_NATURAL_FEW:
        warn(f"for {unsure:.0%} of the rows there are too few poses to tell: a larger"
             f" {'k' if frames.k else 'eps'} may help")
    if 2 * frames.k >= points:
        warn(f"classes of {frames.k} neighbours are half or more of all {points} points: every natural"
             " pose is nearly the mean of all poses; use a smaller k")
    if frames.collapsed_rows:
        warn(f"{frames.collapsed_rows} rows have the same embedding as all their neighbours: the"
             " embeddings have collapsed there")
    if frames.single_classes and not frames.k:
        single = "component is a single point" if frames.single_classes == 1 else "components are single points"
        warn(f"{frames.single_classes} {single}, whose centre means nothing: a larger eps?")
    if frames.rows_outside:
        warn(f"{frames.rows_outside} rows are in no class: class_of is -1, all else NaN")


# --- in -------------------------------------------------------------------------------------------


def _group(ctx: int, name: str, family: str, order: str | None) -> Any:
    """The table of a group, which lives as long as the context."""
    found = ctypes.c_void_p()
    check(ctx, lib.recon_group_find(ctx, ctypes.byref(found), str(name).encode()))
    table = _abi.recon_group.from_address(found.value)
    if order is not None and not table.takes_quaternions:
        raise InputError(f"quaternions do not go with group={name!r}")
    if table.family_count == 1 and family != "auto":
        raise InputError(f"{name} has one family, {_family(table, 0).name.decode()}: leave family alone")
    return table


def _family(table: Any, i: int) -> Any:
    return (_abi.recon_family * table.family_count).from_address(table.families)[i]


def _sides(shape: Any) -> tuple[int, ...]:
    """A shape of the library's, where 0 is no side."""
    return tuple(side for side in shape if side)


def _embedded(
    ctx: int, table: Any, order: str | None, z: Any, poses: Any, labels: Any, what: str
) -> tuple[ctypes.Structure, list[Any], type]:
    """Arrays as the library takes them, what must be kept while it uses them, and the precision in
    which poses came, as the command sees it."""
    z = array(z, np.float32, f"{what}z")
    if z.ndim != 2:
        raise InputError(f"{what}z is {_shape(z)}, but embeddings are N x D")
    e = _abi.recon_embedded(n=z.shape[0], d=z.shape[1], z=address(z), group=ctypes.addressof(table),
                            precision=_abi.RECON_F64)
    if poses is None:
        return e, [z], np.float64
    read, precision = read_poses(ctx, table, order, poses, len(z), what)
    kept = [z, read]
    e.poses = address(read)
    e.precision = _abi.RECON_F64 if precision == np.float64 else _abi.RECON_F32
    if labels is not None:
        kept.append(_labels(labels, len(z), f"{what}labels"))
        e.labels = address(kept[-1])
    return e, kept, precision


def read_poses(
    ctx: int, table: Any, order: str | None, poses: Any, n: int | None, what: str = ""
) -> tuple[Array, type]:
    """Poses as the group holds them, n or as many as there are, and the precision in which they came."""
    poses = poses.as_matrix() if hasattr(poses, "as_matrix") else poses
    given, held = as_array(poses, f"{what}poses", *_POSES)
    n = len(held) if n is None else n
    read = np.empty((n, table.numbers))
    check(ctx, lib.recon_group_read(
        ctx, ctypes.addressof(table), address(read), ctypes.byref(given), n,
        choice("quaternions", order or "none", "recon_quaternions"), f"{what}poses".encode()))
    return read, np.float64 if held.dtype == np.float64 else np.float32


def _shape(x: Array) -> str:
    return " x ".join(map(str, x.shape)) or "a single number"


def _labels(labels: Any, n: int, what: str) -> Array:
    y = np.asarray(labels)
    if y.shape != (n,):
        raise InputError(f"{what}: {_shape(y)}, but {n} labels are needed")
    if not np.issubdtype(y.dtype, np.integer):
        raise InputError(f"{what}: {y.dtype}, but labels are integers")
    return array(y, np.int64, what)


# --- out ------------------------------------------------------------------------------------------


def _copy(pointer: int, shape: tuple[int, ...], kind: type = ctypes.c_double) -> Array:
    lent: Any = ctypes.cast(pointer, ctypes.POINTER(kind))
    return np.ctypeslib.as_array(lent, shape).copy()


def written_poses(lent: int, shape: tuple[int, ...], table: Any, precision: type) -> Array:
    """Poses in the form in which the group writes them."""
    out = np.empty((*shape, *_sides(table.shape)))
    given = ctypes.cast(lent, ctypes.POINTER(ctypes.c_double))
    if table.write:
        to = out.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        table.write(ctypes.addressof(table), to, given, int(np.prod(shape)))
    else:
        out[...] = np.ctypeslib.as_array(given, out.shape)
    return out.astype(precision, copy=False)


def symmetry_names(codes: Array) -> Array:
    """The names of symmetries."""
    text = ctypes.create_string_buffer(ctypes.sizeof(_abi.recon_symmetry_text))
    known, which = np.unique(codes, return_inverse=True)
    names = [lib.recon_symmetry_name(text, int(code)).decode() for code in known]
    return np.array(names, "U9")[which]


def _shares(count: Any) -> dict[str, float]:
    """The entries as in summary.json."""
    total = sum(count)
    return {name: n / total if total else 0.0 for name, n in zip(VERDICTS, count)}


def _frames(out: ctypes.Structure, table: Any, precision: type, begun: float) -> Frames:
    rows, k, knn = out.rows, out.k, out.k > 0
    family = _family(table, out.family)
    parameters = (rows, *_sides(family.shape))
    modes = (rows, _abi.RECON_FRAME_MODES, out.modes_width)
    return Frames(
        gamma=written_poses(out.gamma, (rows,), table, precision),
        normalized=written_poses(out.normalized, (rows, k), table, precision) if knn else None,
        absolute=written_poses(out.absolute, (rows,), table, precision),
        theta=_copy(out.theta, (rows,)),
        parameters=_copy(out.parameters, parameters),
        verdict=_copy(out.verdict, (rows,), ctypes.c_int8),
        fold=_copy(out.fold, (rows,), ctypes.c_int8),
        symmetry=symmetry_names(_copy(out.symmetry, (rows,), ctypes.c_int8)),
        modes=_copy(out.modes, modes),
        p=_copy(out.p, (rows,)),
        p_embedding=_copy(out.p_embedding, (rows,)) if out.p_embedding else None,
        free=_copy(out.free, (rows, _abi.RECON_FREE_MAX, table.dimension)) if table.directions else None,
        axis=_copy(out.axis, (rows, 2, 3)) if table.has_axis else None,
        identifiability=_copy(out.identifiability, (rows, out.identifiability_width)),
        neighbors=_copy(out.neighbors, (rows, k), ctypes.c_int64) if knn else None,
        similarity=_copy(out.similarity, (rows, k)) if knn else None,
        members=_copy(out.members, (rows,), ctypes.c_int64) if knn else None,
        class_of=None if knn else _copy(out.class_of, (rows,), ctypes.c_int64),
        background=_copy(out.background, (rows,)),
        score=_copy(out.score, (rows,)),
        hit_rate=out.hit_rate,
        family=family.name.decode(),
        group=table.name.decode(),
        k=k,
        class_count=out.classes,
        natural_pose=_shares(out.natural),
        single_classes=out.singles,
        rows_outside=out.outside,
        collapsed_rows=out.collapsed,
        recall=out.recall,
        seconds={name: getattr(out.seconds, name) for name, _ in out.seconds._fields_}
        | {"total": time.monotonic() - begun},
    )
