"""audit and report: see recon/model/audit.h and recon/report/found.h.

What the commands of these names do, by the same calls of the library.
"""
from __future__ import annotations

import ctypes
import json
import os
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _abi
from ._errors import Error, InputError, MissingFileError
from ._library import Array, Watch, check, context, lib, matrices, patiently, path_text, watched
from ._load import load
from ._model import Model
from ._records import Rows, record
from ._train import Data, _Asked, _backbone, _Given


@record
@dataclass(frozen=True, repr=False, eq=False)
class Audit(Rows):
    """The inputs of a set that calls itself aligned, the most suspicious first: a row for each.

    audit[:20] and audit[audit.wrong] are some of the rows; audit.to_frame() is the table that
    `recon audit --out` writes, as a pandas DataFrame.

    Fields:
        name: The file or molecule, text; None where inputs have no names.
        index: The row of the input in the data: images[audit.index[0]] is the most suspicious.
        rank: From 1, the most suspicious.
        score: The log-likelihood ratio of a random rotation of the input to none, by its pose
            density and its neighbours in the embedding.
        p_value: The share of inputs with so high a score, if all are as they should be.
        wrong: Whether it is called wrong; bool.
        mixed: Whether its kind stands in several poses in this set; bool.
        rotation: What sets it upright: radians, or 3 x 3 matrices.
        fdr: The false-discovery rate that was asked for.
        threshold: Of the p-values; 0 if no input is called wrong.
    """

    name: Array | None
    index: Array
    rank: Array
    score: Array
    p_value: Array
    wrong: Array
    mixed: Array
    rotation: Array
    fdr: float
    threshold: float

    _shown = ("index",)

    def _columns(self) -> dict[str, Array]:
        rotation = self.rotation.reshape(len(self), -1) if len(self) else self.rotation
        by = {f"rotation_{j}": x for j, x in enumerate(rotation.T)}
        return {
            **({} if self.name is None else {"file" if self.rotation.ndim == 1 else "molecule": self.name}),
            "index": self.index, "rank": self.rank, "score": self.score, "p_value": self.p_value, "wrong": self.wrong, "mixed": self.mixed,
            "action": np.where(self.wrong, "rotate", "leave"),
            **({"degrees": np.degrees(self.rotation)} if self.rotation.ndim == 1 else by)}

    def __repr__(self) -> str:
        return f"<recon.Audit of {len(self)} inputs, {int(self.wrong.sum())} called wrong>"


def audit(
    model: Model | str | os.PathLike[str],
    data: Data,
    fdr: float = 0.05,
    *,
    rotate: str | os.PathLike[str] | None = None,
    rotate_seed: int | None = None,
    limit: int | None = None,
    seed: int | None = None,
    skip_bad: bool = False,
    progress: Watch | None = None,
) -> Audit:
    """Which inputs of an aligned set are not aligned: `recon audit`.

    Args:
        model: A model, or what recon.load takes; one that learned upright inputs is best, such as
            "general".
        data: The set, as in recon.train.
        fdr: The share of the inputs called wrong that may be right.
        rotate: As in recon.train.
        rotate_seed: As in recon.train.
        limit: As in recon.train.
        seed: As in recon.train.
        skip_bad: As in recon.train.
        progress: As in recon.train.

    Returns:
        An Audit, the most suspicious input first.

    Example:
        >>> images = recon.read_images("garments", limit=200).images.copy()
        >>> images[7] = images[7, ::-1, ::-1]
        >>> found = recon.audit("fashion", images)
        >>> found.index.shape, found.rotation.shape
        ((200,), (200,))
    """
    if not 0 < fdr < 1:
        raise InputError(f"fdr {fdr}: a share between 0 and 1, as 0.05")
    opened = model if isinstance(model, Model) else load(model)
    asked = _Asked.of(rotate=rotate, rotate_seed=rotate_seed, limit=limit, seed=seed, skip_bad=skip_bad)
    result = _abi.recon_audit_result()
    with watched(opened._device, progress) as ctx, _Given.open(
            ctx, data, asked, lib.recon_model_backbone(opened._handle)) as given:
        n = lib.recon_data_describe(given.data).n
        out = (_abi.recon_audited * n)()
        patiently(ctx, lib.recon_audit, out, ctypes.byref(result), opened._handle, given.data, fdr)
        named = [lib.recon_inputs_name(given.inputs, i) for i in range(n)]
        rows = np.array([lib.recon_inputs_row(given.inputs, i) for i in range(n)], np.int64)
    found = np.frombuffer(out, np.dtype(_abi.recon_audited))
    at = np.lexsort((np.arange(n), -found["score"]))
    found = found[at]
    names = None if None in named else np.array([name.decode(errors="replace") for name in named], object)
    return Audit(
        name=None if names is None else names[at], index=rows[at], rank=np.arange(1, n + 1),
        score=found["score"].copy(),
        p_value=found["p"].copy(), wrong=found["wrong"] != 0, mixed=found["mixed"] != 0,
        rotation=found["rotation"][:, 0].copy() if opened._inputs == "images"
        else matrices(found["rotation"][:, :4]),
        fdr=fdr, threshold=result.threshold)


def report(
    folder: str | os.PathLike[str], out: str | os.PathLike[str] | None = None
) -> str:
    """Writes the results of discover or normalize as an HTML page: `recon report`.

    Args:
        folder: What recon.discover, or the command normalize, wrote. Its pictures are drawn from the
            data that it was made from, which are opened again; without them the page says why it
            has none.
        out: The page; None: report.html in the folder.

    Returns:
        The path of the page.

    Example:
        >>> images = recon.read_images("garments", rotate="fashion", limit=500).images
        >>> found = recon.discover("mnist-small", images, "found")
        >>> recon.report("found")
        'found/report.html'
    """
    path = path_text(folder, "folder")
    page = os.path.join(path, "report.html") if out is None else path_text(out, "out")
    try:
        with open(os.path.join(path, "summary.json"), encoding="utf-8") as file:
            source = json.load(file).get("source")
    except FileNotFoundError as error:
        raise MissingFileError(f"{path}: no summary.json, which `recon.discover()` writes") from error
    with context() as ctx, ExitStack() as opened:
        shown = _abi.recon_found_data(missing=b"the data were given as arrays")
        if source:
            try:
                backbone = opened.enter_context(_backbone(
                    ctx, os.fsencode(os.path.join(path, "model.safetensors")), _abi.RECON_SINGLE))
                given = opened.enter_context(_Given.open(
                    ctx, source["spec"], _Asked.of(**_said(source)), backbone))
                shown = _abi.recon_found_data(data=given.data)
            except Error as error:
                shown = _abi.recon_found_data(missing=str(error).encode())
        check(ctx, lib.recon_found_save(ctx, os.fsencode(page), os.fsencode(path), ctypes.byref(shown)))
    return page


def _said(source: dict[str, Any]) -> dict[str, Any]:
    """What summary.json says of the source, as arguments."""
    said = {name: source.get(name) or None for name in ("rotate", "rotate_seed", "seed", "limit", "size")}
    most = source.get("picture_most") or 0
    return {**said, "skip_bad": bool(source.get("skip_bad")), "crop": bool(source.get("crop")),
            "picture_limit": most // 10**6 or None}
