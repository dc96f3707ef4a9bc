"""An index of poses: Algorithm 1 for queries, see recon/normalize/index.h."""
from __future__ import annotations

import ctypes
import os
import tempfile
import time
from typing import Any, Literal

import numpy as np

from . import _abi
from ._errors import InputError
from ._library import Array, address, check, context, lib, path_text, patiently
from ._normalize import Frames, _embedded, _frames, _group, _labels, _options

_LONG = 10**8  # pairs of a query and a point: from here on a call can be interrupted


class _Handle:
    """A recon_index, freed when nobody uses it any longer."""

    def __init__(self, pointer: ctypes.c_void_p):
        self.pointer = pointer

    def __del__(self) -> None:
        lib.recon_index_free(self.pointer)


class PoseIndex:
    """Embeddings and poses, prepared once: answers queries as `recon.normalize(queries=)` does, to the
    bit, without doing the work again.

    Any number of threads may ask one index at once. Searches are exact.

    Args:
        group: As in recon.normalize, and so are all others.
        k: Neighbours in a class.
        mean: What the centre is.
        family: The distribution to fit. "auto" chooses by the points, not by queries.
        metric: Which embeddings are near.
        classes: "knn" or "components", or "given": see fit.
        eps: The distance of components.
        tukey_c: The width of Tukey's biweight.
        quaternions: The order of n x 4 poses.

    Example:
        >>> r = np.random.default_rng(0)
        >>> kind = r.integers(0, 4, 400)
        >>> z = r.normal(size=(4, 8))[kind] + 0.01 * r.normal(size=(400, 8))
        >>> poses = kind + 0.1 * r.normal(size=400)
        >>> index = recon.PoseIndex(group="so2", k=25).fit(z[:300], poses[:300])
        >>> index = index.add(z[300:390], poses[300:390])
        >>> index
        <recon.PoseIndex of 390 points of 8 dimensions, so2>
        >>> answer = index.query(z[390:], poses[390:])
        >>> bool(np.abs(answer.gamma - kind[390:]).max() < 0.1)
        True
    """

    def __init__(
        self,
        group: str = "so2",
        k: int | None = None,
        mean: Literal["auto", "tukey", "frechet", "chordal"] = "auto",
        family: Literal["auto", "uniform", "normal", "vonmises", "mixture"] = "auto",
        metric: Literal["cosine", "dot", "euclidean"] = "cosine",
        classes: Literal["knn", "components", "given"] = "knn",
        eps: float | None = None,
        tukey_c: float | None = None,
        quaternions: Literal["wxyz", "xyzw"] | None = None,
    ):
        self._options = _options({
            **locals(), "approx": "auto", "include_self": False, "queries": None, "labels": None,
            "query_labels": None})
        self.group, self._family, self._quaternions = group, family, quaternions
        self._handle: _Handle | None = None

    def fit(self, z: Any, poses: Any, classes: Any = None) -> PoseIndex:
        """Makes the index of these points, which are copied.

        Args:
            z: Embeddings, n x d.
            poses: The pose of each.
            classes: With classes="given": the class of each, integers, below 0 for none.

        Returns:
            self.

        Example:
            >>> r = np.random.default_rng(0)
            >>> len(recon.PoseIndex().fit(r.normal(size=(50, 4)), r.uniform(-1, 1, 50)))
            50
        """
        with context() as ctx:
            table = _group(ctx, self.group, self._family, self._quaternions)
            points, kept, _ = _embedded(ctx, table, self._quaternions, z, poses, None, "")
            own = self._classes(classes, points.n)
            self._options.class_of = address(own)
            try:
                self._make(ctx, lib.recon_index_fit, ctypes.byref(points), ctypes.byref(self._options))
            finally:
                self._options.class_of = None
        return self

    def add(self, z: Any, poses: Any, classes: Any = None) -> PoseIndex:
        """Adds points: the index is then that of all of them, at the cost of fit. Queries under way are
        answered by the one before.

        Args:
            z: Embeddings, m x d.
            poses: The pose of each.
            classes: As in fit.

        Returns:
            self.

        Example:
            >>> r = np.random.default_rng(0)
            >>> index = recon.PoseIndex().fit(r.normal(size=(50, 4)), r.uniform(-1, 1, 50))
            >>> len(index.add(r.normal(size=(5, 4)), r.uniform(-1, 1, 5)))
            55
        """
        before = self._held()
        with context() as ctx:
            table = _group(ctx, self.group, "auto", self._quaternions)
            points, kept, _ = _embedded(ctx, table, self._quaternions, z, poses, None, "")
            own = self._classes(classes, points.n)
            self._make(ctx, lib.recon_index_add, before.pointer, ctypes.byref(points), address(own))
        return self

    def query(self, z: Any, poses: Any = None) -> Frames:
        """The natural poses of queries, and how usual their own are.

        Args:
            z: Embeddings, m x d.
            poses: The pose of each; without them absolute, score and p are NaN.

        Returns:
            Frames, one row per query.

        Example:
            >>> r = np.random.default_rng(0)
            >>> index = recon.PoseIndex().fit(r.normal(size=(50, 4)), r.uniform(-1, 1, 50))
            >>> index.query(r.normal(size=(2, 4))).neighbors.shape
            (2, 10)
        """
        begun = time.monotonic()
        held, out = self._held(), _abi.recon_frames()
        try:
            with context() as ctx:
                table = _group(ctx, self.group, "auto", self._quaternions)
                asked, kept, _ = _embedded(ctx, table, self._quaternions, z, poses, None, "query ")
                call = patiently if asked.n * len(self) > _LONG else _at_once
                call(ctx, lib.recon_index_query, ctypes.byref(out), held.pointer, ctypes.byref(asked))
                single = self._points(held).precision == _abi.RECON_F32
                return _frames(out, table, np.float32 if single else np.float64, begun)
        finally:
            lib.recon_frames_free(ctypes.byref(out))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes one file, which appears complete or not at all.

        Args:
            path: Its name.

        Returns:
            None.

        Example:
            >>> r = np.random.default_rng(0)
            >>> index = recon.PoseIndex().fit(r.normal(size=(50, 4)), r.uniform(-1, 1, 50))
            >>> index.save("poses.index")
            >>> recon.PoseIndex.load("poses.index")
            <recon.PoseIndex of 50 points of 4 dimensions, so2>
        """
        with context() as ctx:
            patiently(ctx, lib.recon_index_save, self._held().pointer,
                      path_text(path, "path").encode())

    @staticmethod
    def load(path: str | os.PathLike[str],
             quaternions: Literal["wxyz", "xyzw"] | None = None) -> PoseIndex:
        """Opens such a file. It is mapped, not read, and may be replaced, but not be changed.

        Args:
            path: Its name.
            quaternions: The order of n x 4 poses to come.

        Returns:
            The index.

        Example:
            >>> r = np.random.default_rng(0)
            >>> recon.PoseIndex().fit(r.normal(size=(50, 4)), r.uniform(-1, 1, 50)).save("p.index")
            >>> len(recon.PoseIndex.load("p.index"))
            50
        """
        with context() as ctx:
            index = PoseIndex._of(ctx, lib.recon_index_open, path_text(path, "path").encode())
            _group(ctx, index.group, "auto", quaternions)
        index._quaternions = quaternions
        return index

    @staticmethod
    def _of(ctx: int, function: Any, *arguments: Any) -> PoseIndex:
        """One that the library makes."""
        index = PoseIndex()
        index._make(ctx, function, *arguments)
        held = index._held().pointer
        index.group = lib.recon_index_group(held).decode()
        index._options = _abi.recon_normalize_options.from_buffer_copy(
            _abi.recon_normalize_options.from_address(lib.recon_index_options(held)))
        return index

    def __len__(self) -> int:
        return int(self._points(self._held()).n)

    def __repr__(self) -> str:
        if self._handle is None:
            return f"<recon.PoseIndex without points, {self.group}>"
        points = self._points(self._handle)
        return f"<recon.PoseIndex of {points.n} points of {points.d} dimensions, {self.group}>"

    def __reduce__(self) -> tuple[Any, ...]:
        with tempfile.TemporaryDirectory(prefix="recon-") as folder:
            path = os.path.join(folder, "index")
            self.save(path)
            with open(path, "rb") as file:
                return _from_bytes, (file.read(), self._quaternions)

    def _held(self) -> _Handle:
        if self._handle is None:
            raise InputError("the index has no points: fit it, or load one")
        return self._handle

    def _make(self, ctx: int, function: Any, *arguments: Any) -> None:
        out = ctypes.c_void_p()
        patiently(ctx, function, ctypes.byref(out), *arguments)
        self._handle = _Handle(out)

    def _classes(self, classes: Any, n: int) -> Array | None:
        given = self._options.classes == _abi.RECON_CLASSES_GIVEN
        if given != (classes is not None):
            raise InputError("classes go with classes='given'" if not given else
                             "classes='given': the class of each point is needed")
        return _labels(classes, n, "classes") if given else None

    @staticmethod
    def _points(held: _Handle) -> Any:
        return _abi.recon_embedded.from_address(lib.recon_index_points(held.pointer))


def _at_once(ctx: int, function: Any, *arguments: Any) -> None:
    """patiently, for a call of milliseconds."""
    check(ctx, function(ctx, *arguments))


def _from_bytes(content: bytes, quaternions: Any) -> PoseIndex:
    with tempfile.TemporaryDirectory(prefix="recon-") as folder:
        path = os.path.join(folder, "index")
        with open(path, "wb") as file:
            file.write(content)
        return PoseIndex.load(path, quaternions)
