"""Open models, written by `recon discover`. See recon/model/model.h and score.h."""
from __future__ import annotations

import ctypes
import os
import threading
import weakref
from dataclasses import dataclass
from typing import Any, Iterator, Literal, TypeVar

import numpy as np

from . import _abi
from ._errors import FormatError, InputError
from ._index import PoseIndex
from ._library import (
    Array, address, check, choice, context, lib, matrices, path_text,
    patiently, pick, room, share, warn)
from ._records import Rows, record
from ._trust import TrustWarning, lambda_name, trust_of, warning_of

PRECISIONS = {"auto": "RECON_AUTO", "f32": "RECON_SINGLE", "tf32": "RECON_TF32",
              "bf16": "RECON_MIXED"}
M = TypeVar("M", bound="Model")


@record
@dataclass(frozen=True, eq=False)
class Scores(Rows):
    """How unusual poses are, and whether the inputs are like the training data.

    Unpacks into score and p_value: `score, p_value = model.score(x)`. Some of the rows are scores[3],
    scores[2:5] and scores[mask]; scores.to_frame() is a pandas DataFrame.

    Fields:
        score: -log density of the pose, given the input: higher is more unusual; float64, n.
        p_value: The share of calibration inputs whose pose is at least as unusual for their
            kind: small means unusual; float64, n.
        p_embedding: The share of calibration inputs that are at least as unlike the training
            data: small means unlike them, whatever the pose; float64, n. NaN for a model without
            stored embeddings: run `recon discover` again.
    """

    score: Array
    p_value: Array
    p_embedding: Array

    _shown = ("score", "p_value", "p_embedding")

    def __iter__(self) -> Iterator[Array]:
        return iter((self.score, self.p_value))


@record
@dataclass(frozen=True, repr=False, eq=False)
class Table(Rows):
    """All that is known of each input, a row for each: what `recon score` and `recon canonicalize`
    list. table[mask] are some of the rows, table.to_frame() is a pandas DataFrame.

    Fields:
        absolute: How far the input is rotated from its natural pose: n radians, or n x 3 x 3.
        score: As in Scores.
        p_value: As in Scores.
        p_embedding: As in Scores.
        verdict: The verdict on its natural pose: "one", "several", "modulo", "axis", "none" or
            "cannot_tell"; text, n.
        fold: m: the natural pose is known modulo 360 / m degrees; 0: not at all; n.
        candidates: How many natural poses it may have, n.
        cluster: Its cluster in clusters.csv of the discovery, -1: not known; n.
        rotated: Whether canonicalizing rotates it; bool, n.
    """

    absolute: Array
    score: Array
    p_value: Array
    p_embedding: Array
    verdict: Array
    fold: Array
    candidates: Array
    cluster: Array
    rotated: Array

    _shown = ("absolute", "score", "p_value", "p_embedding", "verdict", "fold", "candidates",
              "cluster", "rotated")

    def _columns(self) -> dict[str, Array]:
        columns = super()._columns()
        angle = columns.pop("absolute", None)
        return columns if angle is None else {"angle_deg": np.degrees(angle), **columns}

    def __repr__(self) -> str:
        return f"<recon.Table of {len(self)} inputs>"


class Model:
    """An open model: an ImageModel or a MoleculeModel. recon.load returns one.

    It is immutable: many threads may use it at once, and it survives a fork. A pickle holds its
    path, device and precision, not its weights: unpickling opens the file again, so the file must
    still exist, unchanged. Two models are equal only if they are the same object.

    Fields:
        path: The absolute path of the file; or the name of a shipped model.
        trust: Whether its natural poses can be trusted, according to `recon discover`: a dict like
            "trust" in summary.json, with "verdict" ("trustworthy", "with care", "do not use"),
            "why", "against" and the measures (None if not measured). None for a model without a
            verdict. Loading a model with "do not use", or whose estimates of the natural pose
            disagree, issues a TrustWarning.
        lambda_from: Where the natural pose comes from: "neighbours", "head" or "density".

    Example:
        >>> import pickle
        >>> model = recon.load("fashion")
        >>> pickle.loads(pickle.dumps(model)).size == model.size
        True
        >>> recon.load("conformers").trust["verdict"]
        'trustworthy'
        >>> model.lambda_from
        'density'
    """

    _kinds: dict[str, type[Model]] = {}  # by what the library calls the data
    _inputs = ""  # the kind of data that a class takes

    def __init_subclass__(cls) -> None:
        Model._kinds[cls._inputs] = cls

    def __init__(self, path: str, device: str, precision: str, handle: int):
        self.path, self._device, self._precision, self._handle = path, device, precision, handle
        self._info = lib.recon_model_describe(handle)
        self._others: dict[str, Model] = {}  # of the same file, by where Lambda comes from
        self._opening = threading.Lock()
        self._anchored = False  # by ImageModel.anchor
        self.trust: dict[str, Any] | None = trust_of(handle)
        self.lambda_from: str = lambda_name(getattr(self._info, "lambda"))
        weakref.finalize(self, _close, device, handle).atexit = False

    @classmethod
    def load(
        cls: type[M],
        path: str | os.PathLike[str],
        device: str = "cpu",
        precision: Literal["auto", "f32", "tf32", "bf16"] = "auto",
        lambda_: Literal["auto", "neighbours", "head", "density"] = "auto",
    ) -> M:
        """As recon.load, for one kind of model: ImageModel.load refuses a model of molecules.

        Args:
            path: As in recon.load.
            device: As in recon.load.
            precision: As in recon.load.
            lambda_: As in recon.load.

        Returns:
            A model of this class.

        Example:
            >>> recon.ImageModel.load("fashion").size
            (28, 28, 1)
        """
        name = path_text(path, "path")
        if os.path.isdir(name):
            name = os.path.join(name, "model.safetensors")
        if os.path.exists(name):
            name = os.path.abspath(name)  # for processes that work in another folder
        model = open_model(name, device, precision, lambda_)  # of the class of its data
        if not isinstance(model, cls):
            raise InputError(f"{name}: a model of {model._inputs}, but {cls._inputs} are needed")
        return model

    def __reduce__(self) -> tuple[Any, ...]:  # another process opens the file again
        return open_model, (self.path, self._device, self._precision, self.lambda_from)

    def _with(self, lambda_: str) -> int:
        """The handle with this source of natural poses: the model's own, or another one of its
        file, because an open model is immutable."""
        choice("lambda_", lambda_, "recon_lambda")
        if lambda_ in ("auto", self.lambda_from):
            return self._handle
        if self._anchored:
            raise InputError(f"lambda_ {lambda_!r}: the model is anchored by {self.lambda_from!r}; "
                             "give lambda_ to recon.load")
        with self._opening:
            if lambda_ not in self._others:
                self._others[lambda_] = _open(self.path, self._device, self._precision, lambda_)
        return self._others[lambda_]._handle

    def __repr__(self) -> str:
        return f"<recon.{type(self).__name__} {self.path}>"

    def _ask(self, function: Any, *arguments: Any) -> None:
        """function(ctx, arguments), its failure as an exception."""
        with context(self._device) as ctx:
            patiently(ctx, function, *arguments)

    def _batch(self, x: Any) -> tuple[Any, int]:
        """The inputs as the library takes them, and how many; each kind has its own."""
        raise NotImplementedError

    def embed(self, x: Any) -> tuple[Array, Array]:
        """What the network sees: embeddings and poses, as recon.normalize takes them.

        Args:
            x: The images or molecules.

        Returns:
            z, the embeddings, which do not change when an input is rotated: float32, n x d. And
            psi, the poses, relative to an arbitrary canonical: n radians; of molecules n x 3 x 3.

        Example:
            >>> model = recon.load("fashion")
            >>> z, psi = model.embed(recon.read_images("garments", limit=100).images)
            >>> z.shape, psi.shape
            ((100, 128), (100,))
        """
        inputs, n = self._batch(x)
        group = _abi.recon_group.from_address(self._info.group)
        z, psi = np.empty((n, self._info.code), np.float32), np.empty((n, group.numbers))
        seen = _abi.recon_seen(z=address(z), psi=address(psi))
        self._ask(lib.recon_model_embed, ctypes.byref(seen), self._handle, inputs, n)
        return z, psi[:, 0] if group.numbers == 1 else matrices(psi)

    def index(self) -> PoseIndex:
        """The embeddings that `recon discover` stored in the model, at most 4,096, as an index.

        Returns:
            The recon.PoseIndex, to be asked with embed.

        Example:
            >>> model = recon.load("fashion")
            >>> garments = recon.read_images("garments", limit=5).images
            >>> model.index().query(*model.embed(garments)).verdict.shape
            (5,)
        """
        with context(self._device) as ctx:
            return PoseIndex._of(ctx, lib.recon_model_index, self._handle)

    def score(self, x: Any) -> Scores:
        """How unusual the pose of each input is.

        Args:
            x: The images or molecules.

        Returns:
            Scores: score, p_value and p_embedding.

        Example:
            >>> model = recon.load("fashion")
            >>> images = recon.read_images("garments", limit=5).images
            >>> score, p_value = model.score(images)
            >>> unusual = images[p_value < 0.01]
            >>> unknown = images[model.score(images).p_embedding < 0.01]
        """
        inputs, n = self._batch(x)
        out = room(n, _abi.recon_pose_score)
        self._ask(lib.recon_score, address(out), self._handle, inputs, n)
        return Scores(*(out[name].copy() for name in ("score", "p_value", "p_embedding")))

    def table(self, x: Any, only_if: float | None = None,
              only: Literal["any", "clear", "one"] = "clear") -> Table:
        """All that is known of each input, as `recon canonicalize --poses` writes it.

        Args:
            x: The images or molecules.
            only_if: As in canonicalize: what is rotated.
            only: As in canonicalize; "clear" is what the command rotates.

        Returns:
            A Table, a row for each input.

        Example:
            >>> model = recon.load("fashion")
            >>> table = model.table(recon.read_images("garments", limit=20).images)
            >>> unusual = table[table.p_value < 0.05]
            >>> len(table), table.verdict.shape
            (20, (20,))
        """
        inputs, n = self._batch(x)
        out = room(n, _abi.recon_row)
        options = _abi.recon_canonicalize_options(only_if=gate_of(only_if),
                                                  only=choice("only", only, "recon_only"))
        self._ask(lib.recon_rows_find, address(out), self._handle, inputs, n, ctypes.byref(options))
        poses, group = out["pose"]["absolute"], _abi.recon_group.from_address(self._info.group)
        named = {v: lib.recon_natural_name(v).decode() for v in np.unique(out["verdict"]).tolist()}
        return Table(
            absolute=poses[:, 0].copy() if group.numbers == 1 else matrices(poses[:, :4]),
            verdict=np.array([named[v] for v in out["verdict"].tolist()], str),
            candidates=out["candidates"]["count"].astype(np.int64), rotated=out["rotated"] != 0,
            **{name: out[name].copy() for name in ("score", "p_value", "p_embedding", "fold", "cluster")})

    def threshold(self, false_alarms: float = 0.01) -> float:
        """The score that a given share of natural inputs exceeds.

        Args:
            false_alarms: The share, between 0 and 1.

        Returns:
            The threshold for scores. It is common to all kinds of inputs; p-values are specific to
            the kind and better suited to flag unusual poses.

        Example:
            >>> model = recon.load("conformers")
            >>> model.threshold(0.01) >= model.threshold(0.1)
            True
        """
        return float(lib.recon_score_threshold(self._handle, share(false_alarms)))

    def invert(self, poses: Any, **x: Any) -> Any:
        """Maps what a frozen model found in the canonical inputs back to the original inputs.

        Args:
            poses: What canonicalize returned.
            x: Exactly one of points=, vectors=, boxes=, masks=, labels=; of molecules points= or
                vectors=. See Poses.to_input and Poses3.to_input.

        Returns:
            The same, in the frame of the inputs.

        Example:
            >>> model = recon.load("fashion")
            >>> upright, poses = model.canonicalize(recon.read_images("garments", limit=5).images)
            >>> boxes = np.tile([8.0, 8, 20, 20], (5, 1))           # one box for each image
            >>> model.invert(poses, boxes=boxes).shape
            (5, 4)
        """
        return poses.to_input(**x)


def gate_of(only_if: float | None) -> float:
    """only_if as the library takes it, 0 for None."""
    if only_if is None:
        return 0.0
    if not (isinstance(only_if, (int, float, np.number)) and 0 < only_if <= 1):
        raise InputError(f"only_if {only_if!r}: a p-value of at most 1, as 0.01")
    return only_if


def open_model(path: str, device: str, precision: str, lambda_: str = "auto") -> Model:
    """The model in a file, as an object of the class that its data call for."""
    model = _open(path, device, precision, lambda_)
    text = warning_of(model.trust)
    if text:
        warn(f"{path}: {text}", TrustWarning)
    return model


def open_single(path: str, lambda_: str) -> Model:
    """The model in single precision, of which it was said before whether it can be trusted."""
    return _open(path, "cpu", "f32", lambda_)


def _open(path: str, device: str, precision: str, lambda_: str) -> Model:
    how = pick("precision", precision, PRECISIONS)
    way = choice("lambda_", lambda_, "recon_lambda")
    out = ctypes.c_void_p()
    with context(device) as ctx:
        check(ctx, lib.recon_model_open(ctx, ctypes.byref(out), os.fsencode(path), how))
        try:
            check(ctx, lib.recon_model_use_lambda(ctx, out, way))
            kind = lib.recon_model_describe(out).data.decode()
            if kind not in Model._kinds:
                raise FormatError(f"{path}: a model of {kind}, which this package does not know")
        except BaseException:
            lib.recon_model_close(ctx, out)
            raise
    return Model._kinds[kind](path, device, precision, out.value or 0)


def _close(device: str, handle: int) -> None:
    with context(device) as ctx:
        lib.recon_model_close(ctx, handle)
