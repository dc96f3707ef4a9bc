"""train and discover: see recon/backbone/networks.h and recon/model/discover.h.

What the commands of these names do, by the same calls of the library: their files have the same
bytes.
"""
from __future__ import annotations

import ctypes
import inspect
import json
import os
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Callable, ContextManager, Iterator, Literal, Sequence
from contextlib import contextmanager

import numpy as np

from . import _abi
from ._data import Images, bytes_of
from ._errors import InputError
from ._library import (
    Array,
    Watch, as_array, check, choice, lib, made, patiently, path_text, pick,
    watched, whole)
from ._model import PRECISIONS
from ._molecules import Conformers, molecules_of
from ._records import record
from ._spec import Crop, crops, rule_of, spec_of

_FOLDS_MOST = 100

Data = Any  # str | os.PathLike[str] | Images | Array | Sequence of molecules


@record
@dataclass(frozen=True, eq=False)
class Training:
    """The result of a training run.

    Fields:
        path: The model file, for recon.discover.
        steps: Total number of steps, including those of a resumed run.
        steps_now: Steps of this call; 0 if the run had already finished.
        loss: The last training loss.
        best: The validation measure of the best epoch, on held-out inputs: the negative
            log-likelihood of the pose, or without a pose density the mean squared error; for
            molecules the loss.
        step_bytes: Memory of a step in bytes.
        seconds: Duration of this call.
    """

    path: str
    steps: int
    steps_now: int
    loss: float
    best: float
    step_bytes: int
    seconds: float


@record
@dataclass(frozen=True, eq=False)
class Discovery:
    """The result of recon.discover.

    Fields:
        path: The folder; recon.load opens the model in it.
        summary: The contents of summary.json, a dict.
    """

    path: str
    summary: dict[str, Any]


def train(
    data: Data,
    out: str | os.PathLike[str],
    *,
    preset: Literal["fast", "small", "paper", "photo", "photo-small"] | None = None,
    from_: str | os.PathLike[str] | None = None,
    width: float | None = None,
    frequencies: int | None = None,
    code: int | None = None,
    mask: bool = False,
    epochs: int | None = None,
    batch: int | None = None,
    rate: float | None = None,
    decay: float | None = None,
    contrast: float | None = None,
    temperature: float | None = None,
    pose: float | None = None,
    density: float | None = None,
    augment: bool | None = None,
    warp: float | None = None,
    flip: bool | None = None,
    plain: bool = False,
    views: Literal["random", "given"] = "random",
    align: float | None = None,
    pairs: Literal["bonds", "elements"] = "bonds",
    element: float | None = None,
    before: int | None = None,
    layers: int | None = None,
    radius: float | None = None,
    every: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    rotate: str | os.PathLike[str] | None = None,
    rotate_seed: int | None = None,
    limit: int | None = None,
    seed: int | None = None,
    skip_bad: bool = False,
    size: int | None = None,
    crop: Crop | None = None,
    picture_limit: int | None = None,
    device: str = "cpu",
    precision: Literal["auto", "f32", "tf32", "bf16"] = "auto",
    progress: Watch | None = None,
) -> Training:
    """Trains a backbone on images or molecules, without labels: `recon train`.

    Arguments are named after the command's options, and the files are the same: `out`, out.last
    (the checkpoint) and out.jsonl (a log). None means the command's default; a weight (contrast,
    pose, density, align) of 0 omits the term.

    Args:
        data: The training data: a name or a path as for read_images and read_molecules, such as a
            folder of images; or an array of images, n x height x width [x channels], of bytes or
            floats; or Images; or a list of molecules, as for models.
        out: The file for the best weights.
        preset: "small" (the default on a CPU), "fast" (on a GPU), or "paper"; for photographs
            "photo-small" or "photo".
        from_: Start from the weights of this model, a file or the name of a shipped model. It
            determines the preset, so do not give both.
        width: Factor on the preset's channels.
        frequencies: Images: rotation orders of the fields, 2 to 4.
        code: Length of the embedding.
        mask: Images: mask to a disc, for objects that reach into the corners.
        epochs: Passes over the data.
        batch: Batch size.
        rate: Highest learning rate.
        decay: Images: weight decay, times the learning rate; 0: none. None: the preset's.
        contrast: Weight of the contrastive loss.
        temperature: Of the contrastive loss.
        pose: Images: weight of the pose loss between views.
        density: Images: weight of the pose density's likelihood.
        augment: Images: whether every view is warped, shifted, blurred and brightened; None: with
            a pose density, or few images.
        warp: Images: stretch the second view by up to this.
        flip: Images: whether half of them are mirrored; None: with a preset for photographs.
        plain: Reconstruction alone, as in the paper.
        views: Images, with plain: "random" rotates every view by a new angle; "given" takes the
            images in the poses in which they come.
        align: Molecules: weight of aligning neighbours.
        pairs: Molecules: which conformers are paired.
        element: Molecules: weight of the element loss.
        before: Molecules: epochs before neighbours are searched.
        layers: Molecules: message-passing layers.
        radius: Molecules, preset "paper": radius of the graph in Angstrom.
        every: Also write a checkpoint every this many steps.
        resume: Continue from out.last; with more epochs also a finished run.
        overwrite: Replace an existing model at `out`; otherwise it is an error.
        rotate: Rotate the data first, by a rule: "mnist", "fashion", "all"; "fisher", "haar"; or a
            file.
        rotate_seed: The seed of these rotations.
        limit: Use a random subset of this size.
        seed: The random seed.
        skip_bad: Skip inputs that cannot be used, with a warning.
        size: Scale the images of a folder to this many pixels per side, by their shorter side; None:
            chosen, at most 48.
        crop: Centre each object and scale it to fill the frame, also "auto"; None: as in from_,
            otherwise where images of a folder are not square and objects lie well within them.
        picture_limit: Memory limit for one image, in MB.
        device: "cpu", or "cuda" where the library was built with it.
        precision: As in recon.load.
        progress: True for bars of tqdm; or a function that is called with a recon.Progress from
            time to time. If it raises an exception, training stops and leaves a checkpoint, as
            with Ctrl-C.

    Returns:
        A Training: the path, the number of steps, and the validation measure.

    Example:
        >>> strokes = np.zeros((40, 16, 16), np.uint8)
        >>> strokes[:, 4:6, 3:12] = strokes[:, 4:13, 3:5] = 255
        >>> quick = dict(width=0.25, epochs=1, batch=8)
        >>> done = recon.train(strokes, "strokes.safetensors", overwrite=True, **quick)
        >>> done.steps > 0, done.path
        (True, 'strokes.safetensors')
    """
    path = path_text(out, "out")
    asked = _Asked(locals())
    if from_ is not None and preset is not None:
        raise InputError("preset: from_ decides it, so only one of the two is given")
    set_ = _settings(
        width=width, frequencies=frequencies, code=code, mask=mask or None, epochs=epochs,
        batch=batch, rate=rate, decay=decay, contrast=contrast, temperature=temperature, pose=pose,
        density=density, augment=augment, warp=warp, flip=flip,
        views=None if views == "random" else views, align=align,
        pairs=None if pairs == "bonds" else pairs, element=element, before=before, layers=layers,
        radius=radius)
    options = _abi.recon_training(
        preset=None if preset is None else os.fsencode(preset), plain=plain,
        set=ctypes.addressof(set_), n_set=len(set_), seed=asked.seed, every=_count("every", every),
        resume=resume, overwrite=overwrite, rotate=asked.source.rotate)
    images = _Given.is_of_images(data)
    if not images:
        _not_for_molecules(size=size, crop=crops(crop) or None, picture_limit=picture_limit)
    result, shown = _abi.recon_train_result(), _abi.recon_data_options(size=asked.source.size)
    with watched(device, progress) as ctx, ExitStack() as opened:
        options.precision = _precision(ctx, precision, resume)
        options.threads = lib.recon_ctx_threads(ctx)
        if from_ is not None:
            setattr(options, "from", _model_file(from_, "from_"))
        check(ctx, lib.recon_training_complete(ctx, ctypes.byref(options), ctypes.byref(shown),
                                               b"images" if images else b"molecules"))
        if _is_name(data) and spec_of(data).startswith(b"images:"):
            asked.source.size, asked.source.channels = shown.size, shown.channels
        if crop is None:
            asked.source.crop = shown.crop
        given = opened.enter_context(_Given.open(ctx, data, asked, None))
        options.data, options.crop = given.name, asked.source.crop
        patiently(ctx, lib.recon_backbone_train, ctypes.byref(result), given.data,
                  os.fsencode(path), ctypes.byref(options))
    return Training(path, result.steps, result.ran, result.loss, result.best, result.peak,
                    result.seconds)


def discover(
    model: str | os.PathLike[str],
    data: Data,
    out: str | os.PathLike[str],
    *,
    k: int | None = None,
    mean: Literal["auto", "tukey", "frechet", "chordal"] | None = None,
    family: Literal["auto", "uniform", "normal"] = "auto",
    lambda_: Literal["auto", "neighbours", "head", "density"] = "auto",
    heads: Literal["mlp", "paper"] = "mlp",
    head_epochs: int | None = None,
    head_rate: float | None = None,
    half: bool = False,
    folds: int | None = None,
    keep_embeddings: bool = False,
    rotate: str | os.PathLike[str] | None = None,
    rotate_seed: int | None = None,
    limit: int | None = None,
    seed: int | None = None,
    skip_bad: bool = False,
    size: int | None = None,
    crop: Crop = False,
    picture_limit: int | None = None,
    device: str = "cpu",
    precision: Literal["auto", "f32", "tf32", "bf16"] = "auto",
    progress: Watch | None = None,
) -> Discovery:
    """Finds the natural poses of images or molecules, and learns them: `recon discover`.

    Arguments are named after the command's options, and the files in the folder `out` are the
    same: model.safetensors, which recon.load opens, summary.json, report.html and arrays.

    Args:
        model: What recon.train wrote.
        data: The inputs, as in recon.train. Labels are used only for the summary and the report.
        out: The folder for the results.
        k: Number of neighbours; None: 10, for molecules 25.
        mean: Kind of mean; None: "auto", for molecules a centre shared by the class.
        family: Images: the family whose width Theta predicts.
        lambda_: Where natural poses come from: see recon.load. "auto" is the best on held-out
            inputs.
        heads: What predicts Lambda and Theta: small networks on the embedding ("mlp"), or separate
            networks on the inputs, as in the paper ("paper").
        head_epochs: With heads="paper": passes over the data.
        head_rate: With heads="paper": highest learning rate.
        half: Store the weights as bfloat16: half the size.
        folds: Calibrate p-values by cross-validation with this many folds, retraining the backbone
            for each; 0: off; None: 5 below 500 inputs.
        keep_embeddings: Also write z.npy and g.npy.
        rotate: As in recon.train.
        rotate_seed: As in recon.train.
        limit: As in recon.train.
        seed: As in recon.train.
        skip_bad: As in recon.train.
        size: As in recon.train; None: as the model was trained.
        crop: As in recon.train; a model trained on crops always crops.
        picture_limit: As in recon.train.
        device: As in recon.train.
        precision: As in recon.train.
        progress: As in recon.train.

    Returns:
        A Discovery: the folder, and its summary.json as a dict.

    Example:
        >>> images = recon.read_images("garments", rotate="fashion", limit=500).images
        >>> found = recon.discover("mnist-small", images, "found")     # a network of digits, not garments
        >>> found.summary["points"], found.summary["trust"]["verdict"]
        (500, 'do not use')
    """
    return _discover(locals(), lib.recon_found_report)


def discover_quietly(**given: Any) -> Discovery:
    """Like discover, but without a report: for estimators."""
    asked = inspect.signature(discover).bind(**given)
    asked.apply_defaults()
    return _discover(asked.arguments, None)


def _discover(asks: dict[str, Any], report: Any) -> Discovery:
    model, data, mean, heads = (asks[name] for name in ("model", "data", "mean", "heads"))
    path, file = path_text(asks["out"], "out"), _model_file(model, "model")
    asked = _Asked(asks)
    for name in "head_epochs", "head_rate":
        if asks[name] is not None and heads != "paper":
            raise InputError(f"{name}: only with heads='paper'")
    if not _Given.is_of_images(data):
        _not_for_molecules(
            family=None if asks["family"] == "auto" else asks["family"], size=asks["size"],
            crop=crops(asks["crop"]) or None, picture_limit=asks["picture_limit"])
    options = _abi.recon_discover_options(
        k=_count("k", asks["k"]), as_mean=mean is not None,
        mean=_abi.recon_mean_options(kind=choice("mean", mean or "auto", "recon_mean_kind")),
        family=choice("family", asks["family"], "recon_so2_family", "auto", "uniform", "normal"),
        half=asks["half"], keep_embeddings=asks["keep_embeddings"], folds=_folds(asks["folds"]),
        maps=_abi.recon_maps_options(
            seed=asked.seed, heads=choice("heads", heads, "recon_heads"),
            epochs=_count("head_epochs", asks["head_epochs"]),
            rate=_positive("head_rate", asks["head_rate"])),
        report=ctypes.cast(report, _abi.callback("recon_discover_options", "report")))
    setattr(options, "lambda", choice("lambda_", asks["lambda_"], "recon_lambda"))
    found = _abi.recon_discovery()
    with watched(asks["device"], asks["progress"]) as ctx, ExitStack() as opened:
        options.precision = _use_precision(ctx, asks["precision"])
        backbone = opened.enter_context(_backbone(ctx, file, options.precision))
        given = opened.enter_context(_Given.open(ctx, data, asked, backbone))
        entries = (_abi.recon_metadata_entry * _abi.RECON_INPUTS_ENTRIES)()
        options.n_metadata = lib.recon_inputs_record(ctypes.byref(asked.source), entries,
                                                     given.inputs)
        shown = _abi.recon_found_data(data=given.data, folder=os.fsencode(path))
        options.inputs = given.inputs
        options.metadata, options.report_arg = ctypes.addressof(entries), ctypes.addressof(shown)
        if given.name is not None:
            options.data, options.source = given.name, ctypes.addressof(asked.source)
        try:
            patiently(ctx, lib.recon_discover, ctypes.byref(found), file, backbone, given.data,
                      os.fsencode(path), ctypes.byref(options))
            summary = json.loads(found.summary)
        finally:
            lib.recon_discovery_free(ctypes.byref(found))
    return Discovery(path, summary)


# --- arguments ------------------------------------------------------------------------------------


def _count(what: str, x: int | None) -> int:
    return 0 if x is None else whole(what, x, 1)


def _positive(what: str, x: float | None) -> float:
    """0, the library's default, if None."""
    if x is None:
        return 0.0
    if not (isinstance(x, (int, float, np.number)) and 0 < x < float("inf")):
        raise InputError(f"{what} {x!r}: a number above 0 is needed")
    return float(x)


def _settings(**given: Any) -> Any:
    """Those of a training that are given, as the library's text."""
    texts = {name: ("on" if value else "off") if isinstance(value, (bool, np.bool_)) else str(value)
             for name, value in given.items() if value is not None}
    return (_abi.recon_setting * len(texts))(
        *(_abi.recon_setting(name=name.encode(), value=text.encode()) for name, text in texts.items()))


def _folds(folds: int | None) -> int:
    if folds is None:
        return 0
    number = whole("folds", folds)
    if number == 1 or number > _FOLDS_MOST:
        raise InputError(f"folds {number}: 0, or 2 to {_FOLDS_MOST}")
    return number or -1


def _not_for_molecules(**given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise InputError(f"{name} is for images, but the data are molecules")


def _model_file(model: Any, what: str) -> bytes:
    """The path of a model; for a folder, that of model.safetensors in it."""
    path = path_text(model, what)
    return os.fsencode(os.path.join(path, "model.safetensors") if os.path.isdir(path) else path)


def _precision(ctx: int, precision: str, resume: bool) -> int:
    """A run that was begun in bf16, on another machine perhaps, goes on in it."""
    asked = pick("precision", precision, PRECISIONS)
    if asked == _abi.RECON_MIXED:
        return asked if resume else int(lib.recon_precision_on(ctx, _abi.RECON_AUTO))
    return int(lib.recon_precision_on(ctx, asked))


def _use_precision(ctx: int, precision: str) -> int:
    """The precision of a model to open; the library resolves auto."""
    return int(_abi.RECON_AUTO) if precision == "auto" else _precision(ctx, precision, False)


# --- data -----------------------------------------------------------------------------------------


class _Asked:
    """The options of the data as the library takes them, kept alive during the call."""

    def __init__(self, given: dict[str, Any]):
        seed, rotate = given["seed"], given["rotate"]
        self.seed = 1 if seed is None else whole("seed", seed, 1)
        self.source = _abi.recon_source(
            seed=self.seed, rotate=None if rotate is None else rule_of(rotate),
            skip_bad=given["skip_bad"], crop=crops(given["crop"]),
            picture_most=bytes_of(given["picture_limit"]),
            **{name: _count(name, given[name]) for name in ("rotate_seed", "limit", "size")})

    @classmethod
    def of(cls, **given: Any) -> _Asked:
        """These options; the others are the defaults."""
        names = ("seed", "rotate", "skip_bad", "crop", "picture_limit", "rotate_seed", "limit", "size")
        return cls({**dict.fromkeys(names), "skip_bad": False, "crop": False, **given})


def _backbone(ctx: int, file: bytes, precision: int) -> ContextManager[ctypes.c_void_p]:
    return made(ctx, lib.recon_backbone_close, lib.recon_backbone_open, file, precision)


def _is_name(data: Data) -> bool:
    return isinstance(data, (str, bytes, os.PathLike))


class _Given:
    """The inputs of a call, open: from files, or from arrays that are at hand."""

    def __init__(self, inputs: ctypes.c_void_p, name: bytes | None):
        self.inputs, self.name = inputs, name  # name: None for arrays
        self.data: int = lib.recon_inputs_data(inputs)

    @staticmethod
    def is_of_images(data: Data) -> bool:
        if _is_name(data):
            kind = lib.recon_data_kind_of(spec_of(data))
            return bool(_abi.recon_data_kind.from_address(kind).name == b"images")
        return isinstance(data, (Images, np.ndarray))

    @classmethod
    @contextmanager
    def open(cls, ctx: int, data: Data, asked: _Asked, backbone: Any) -> Iterator[_Given]:
        source = asked.source
        at_hand, name = None, None
        with ExitStack() as opened:
            if _is_name(data):
                source.spec = spec_of(data)
                name = source.spec if _is_text(source.spec) else b""
            elif cls.is_of_images(data):
                source.spec = b"images"
                at_hand = opened.enter_context(_images(ctx, data, source, backbone))
            else:
                source.spec = b"molecules"
                at_hand = opened.enter_context(_molecules(ctx, data))
            inputs = opened.enter_context(made(ctx, lib.recon_inputs_close, lib.recon_inputs_open,
                                               ctypes.byref(source), at_hand, backbone))
            yield cls(inputs, name or None)


def _is_text(spec: bytes) -> bool:
    """Files that hold UTF-8 alone name nothing else."""
    try:
        return bool(spec.decode())
    except UnicodeDecodeError:
        return False


@contextmanager
def _images(ctx: int, data: Any, source: Any, backbone: Any) -> Iterator[ctypes.c_void_p]:
    """A data set of images that are at hand."""
    images, labels = (data.images, data.labels) if isinstance(data, Images) else (data, None)
    if source.size:
        raise InputError("size: only pictures of a folder are resized")
    pixels = as_array(images, "images", "uint8", "float32", "float64")
    classes = as_array(labels, "labels", "int32") if labels is not None and (
        np.asarray(labels) >= 0).all() else None
    wanted = _abi.recon_data_options(crop=max(source.crop, 0))
    if backbone is not None:
        lib.recon_backbone_data_options(backbone, ctypes.byref(wanted))
    options = _abi.recon_dataset_options(crop=wanted.crop)
    with made(ctx, lib.recon_dataset_close, lib.recon_dataset_make, ctypes.byref(pixels[0]),
              None if classes is None else ctypes.byref(classes[0]), ctypes.byref(options)) as out:
        yield out


@contextmanager
def _molecules(ctx: int, data: Any) -> Iterator[ctypes.c_void_p]:
    """A set of molecules that are at hand. Conformers of one name belong together, and those without
    a name where their atoms are the same."""
    listed = list(molecules_of(data))
    conformers = Conformers(listed)
    names: dict[Any, int] = {}
    for one, molecule in zip(conformers.list, listed):
        own = getattr(molecule, "name", None) or bytes(conformers.numbers_of(one))
        one.molecule = names.setdefault(own, len(names))
    called = (ctypes.c_char_p * max(len(names), 1))(
        *(name.encode() if isinstance(name, str) else None for name in names))
    with made(ctx, lib.recon_molecules_close, lib.recon_molecules_make, conformers.list,
              conformers.n, called) as out:
        yield out
