"""Models of images: see recon/model/canonicalize.h and score.h."""
from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass, field
from typing import Any, Callable, Literal, NamedTuple, Sequence

import numpy as np

from . import _abi
from ._errors import InputError
from ._library import (
    Array, Asked, address, answering, array, check, choice, context, lib, made, path_text, room)
from ._model import Model, gate_of, open_single
from ._pictures import Pictures
from ._poses import Poses
from ._records import record

FILLS = ("zero", "edge")


@record
class Candidates(NamedTuple):
    """The natural poses that one image may have: that of canonicalize, then the others by weight.

    Fields:
        poses: Poses, one for each candidate; `natural` and `absolute` tell them apart.
        weight: How likely each is; float64, they sum to 1.
    """

    poses: Poses
    weight: Array


@record
@dataclass(frozen=True, eq=False)
class Distribution:
    """The poses that one image could have had. Angles are about its natural pose, in radians.

    Fields:
        pose: The pose of the image; Poses with one element.
        family: The family of theta, "uniform" or "normal".
        theta: Half-width (uniform) or sigma (normal) of the distribution.
        score: -log density of the image's own pose.
        p_value: The p-value of the image's own pose; small means unusual.
        p_embedding: The p-value of its embedding; small means unlike the training data, see Scores.
        verdict: The verdict on the natural pose: "one", "several", "modulo" (a symmetry), "none"
            or "cannot_tell".
        fold: m: the natural pose is known modulo 360 / m degrees; 0: not at all.
        modes: m x 2: where, and with what weight; heaviest first. More than one where the verdict
            is several or modulo.
        moments: |E exp(i m g)| for m = 1..4: how well the natural pose is known.

    Example:
        >>> model = recon.load("fashion")
        >>> one = model.distribution(recon.read_images("garments", limit=1).images)[0]
        >>> one.moments.shape, one.theta > 0
        ((4,), True)
    """

    pose: Poses
    family: str
    theta: float
    score: float
    p_value: float
    p_embedding: float
    verdict: str
    fold: int
    modes: Array
    moments: Array
    _density: Array = field(repr=False)

    def log_density(self, angles: Any) -> Array:
        """The logarithm of the density, with respect to d angle.

        Args:
            angles: Radians from the natural pose, of any shape.

        Returns:
            log p, of the same shape.

        Example:
            >>> model = recon.load("fashion")
            >>> one = model.distribution(recon.read_images("garments", limit=1).images)[0]
            >>> bool(np.isclose(-one.log_density(one.pose.absolute)[0], one.score))
            True
        """
        x = array(angles, np.float64, "angles")
        density = address(self._density)
        flat = (lib.recon_so2_log_density(density, float(a)) for a in x.ravel())
        return np.fromiter(flat, np.float64, x.size).reshape(x.shape)


class ImageModel(Model):
    """A model of images, as recon.load returns it. See also recon.Model.

    Images, x below, are arrays n x height x width [x channels] of the model's size: floats from 0
    to 1, or bytes, which are divided by 255. Or they are images of any size: a single one, height
    x width [x channels], an array of n, or a list of images of different sizes; uint8, uint16 or
    floats (0 to 1), grey or colour, with or without alpha. Of these the model sees small copies,
    made in the same way as for a folder of images, and canonicalize rotates each at its own size,
    with the same pixels as `recon canonicalize` writes. An image may also be a PIL image or the
    path of a picture. Tensors of PyTorch have their channels first, arrays last; the other is
    taken where only that can be, as for n x 3 x 100 x 80.

    Fields:
        path: The absolute path of the file; or the name of a shipped model.
        trust: Whether its natural poses can be trusted: see Model.
        lambda_from: Where the natural pose comes from: "neighbours", "head" or "density".
        size: (height, width, channels) of the images.
        crop: Whether it was trained on cropped images, as read_images(..., crop=True) makes them.

    Example:
        >>> model = recon.load("fashion")
        >>> images = recon.read_images("garments", limit=5).images
        >>> upright, poses = model.canonicalize(images)
        >>> upright.shape, len(poses)
        ((5, 28, 28), 5)
    """

    _inputs = "images"

    def __init__(self, path: str, device: str, precision: str, handle: int):
        super().__init__(path, device, precision, handle)
        shape = self._info.images
        self.size: tuple[int, int, int] = (shape.height, shape.width_px, shape.channels)
        self._crop: bool | None = None  # not asked yet

    @property
    def crop(self) -> bool:
        """True if the model was trained on cropped images, so that pictures are cropped for it.

        Arrays of the model's size are taken as they are: read_images(..., size=model.size,
        crop=model.crop) makes them as the model needs them.
        """
        if self._crop is None:
            options = _abi.recon_data_options()
            with context(self._device) as ctx, made(
                    ctx, lib.recon_backbone_close, lib.recon_backbone_open, os.fsencode(self.path),
                    _abi.RECON_SINGLE) as backbone:
                lib.recon_backbone_data_options(backbone, ctypes.byref(options))
            self._crop = bool(options.crop)
        return self._crop

    def canonicalize(
        self,
        x: Any,
        judge: Callable[[Array], Any] | None = None,
        interpolation: Literal["bilinear", "bicubic"] = "bilinear",
        only_if: float | None = None,
        lambda_: Literal["auto", "neighbours", "head", "density"] = "auto",
        fill: Literal["zero", "edge"] = "zero",
        average: Callable[[Array], Any] | None = None,
        only: Literal["any", "clear", "one"] = "any",
    ) -> tuple[Any, Poses]:
        """Rotates images into their natural pose, or evaluates a frozen model on them.

        Args:
            x: The images.
            judge: Chooses among the candidates of an image (see candidates): a function that takes
                images, in x's layout, and returns a number for each; higher is better. The highest
                logit of a frozen classifier is a good choice. For images of other sizes it gets
                the copies that the model sees, n x height x width x channels. Its exceptions are
                passed on.
            interpolation: "bilinear" or "bicubic".
            only_if: Rotate only images whose pose has a p-value below this, such as 0.01. The
                others are returned unchanged; poses.rotated tells which were rotated.
            lambda_: Where natural poses come from, for this call: see recon.load. "auto" is the
                model's own choice, lambda_from. Any other value opens the model a second time.
            fill: Value of empty corners: "zero", or "edge", the nearest pixel of the image, which
                suits models of photographs. Images of other sizes support only "zero".
            average: A frozen model: a function that takes images, in x's layout, and returns one
                row of numbers for each, such as class probabilities. Its outputs, averaged over
                the candidates of each image by their weights, are returned instead of images. It
                is first called with one image to determine the length of a row. For images of
                other sizes it gets the copies that the model sees, as judge does. Cannot be
                combined with judge.
            only: Rotate only images whose verdict (see distribution) is "one" natural pose, or, with
                "clear", any verdict that names a natural pose, as `recon canonicalize` does. The
                others are returned unchanged. With only_if, an image must meet both conditions,
                and its natural pose be a usual one.

        Returns:
            The images in their natural pose, or the averaged outputs, float64; and the Poses of
            the inputs (with average, of the first candidates). Images keep their sizes and their
            dtype: bytes come back as bytes. They are returned as they were given: one, an array or a
            list; arrays, tensors or PIL images; of a path, the picture as an array.

        Example:
            >>> model = recon.load("fashion")
            >>> images = recon.read_images("garments", limit=5).images
            >>> upright, poses = model.canonicalize(images, judge=lambda x: x.mean(axis=(1, 2)))
            >>> upright.dtype, poses.absolute.shape
            (dtype('float32'), (5,))
            >>> gated, poses = model.canonicalize(images, only_if=0.01)
            >>> bool((gated == images)[~poses.rotated].all())
            True
            >>> answers, poses = model.canonicalize(images, average=lambda x: x.mean(axis=1))
            >>> answers.shape
            (5, 28)
            >>> photo = np.zeros((1000, 800, 3), np.uint8)
            >>> photo[300:700, 300:500] = (200, 80, 40)
            >>> upright, poses = model.canonicalize(photo)
            >>> upright.shape, upright.dtype
            ((1000, 800, 3), dtype('uint8'))
        """
        images, pictures = self._seen(x)
        small = pictures.images is None
        out = np.empty_like(images)
        records = room(len(images), _abi.recon_pose)
        how = choice("interpolation", interpolation, "recon_interpolation")
        if fill not in FILLS:
            raise InputError(f"fill is {fill!r}: 'zero' or 'edge'")
        if small and fill != "zero" and average is None:
            raise InputError(f"fill {fill!r}: for images of the model's size")
        options = ctypes.byref(_abi.recon_canonicalize_options(
            interpolation=how, edge=FILLS.index(fill), only_if=gate_of(only_if),
            only=choice("only", only, "recon_only")))
        if average is not None:
            if judge is not None:
                raise InputError("judge chooses among candidates, average does not: give one")
            answers = self._average(images, average, records, self._with(lambda_), options)
            return answers, Poses(records, pictures.sizes, images)
        common = (address(out), address(records), self._with(lambda_), address(images), len(images))
        if judge is None:
            self._ask(lib.recon_canonicalize, *common, options)
        else:
            asked = Asked(_abi.recon_judge, answering(judge, "judge's scores", images.shape[1:]))
            asked.by(self._device, lib.recon_canonicalize_search, *common, asked.function, None,
                     options)
        made: Sequence[Array] | Array = out
        if small:
            angles = records["rotation"][:, 0].tolist()
            with context(self._device) as ctx:
                made = pictures.frames(ctx, range(len(pictures)), angles, how)
        return pictures.restored(made), Poses(records, pictures.sizes, images)

    def _average(self, images: Array, average: Callable[[Array], Any], records: Any, handle: int,
                 options: Any) -> Array:
        if len(images) == 0:
            return np.empty((0, 0))
        shape = array(average(images[:1].copy()), np.float64, "average's answers").shape
        if len(shape) != 2 or shape[0] != 1 or shape[1] == 0:
            raise InputError(f"average's answers: {shape} for one image, but a row is needed")
        out = np.empty((len(images), shape[1]))
        asked = Asked(_abi.recon_answer,
                      answering(average, "average's answers", images.shape[1:], shape[1:]))
        asked.by(self._device, lib.recon_average_images, address(out), address(records), handle,
                 address(images), len(images), asked.function, None, shape[1], options)
        return out

    def anchor(self, x: Any, degrees: Any = 0.0, prior: ImageModel | None = None) -> int:
        """Tells the model which way is up: whole clusters follow the images that are given.

        Call it right after load, before the model is used by several threads.

        Args:
            x: Images, each of which is upright once it is rotated by its number of degrees,
                counter-clockwise. Several of one cluster count by their mean.
            degrees: One number for all of them, or one for each.
            prior: Another model, such as recon.load("general"), that is asked instead of degrees: a
                cluster follows what it holds for upright if it says so of most of its images.

        Returns:
            How many of the images belong to a cluster that follows; the others have no effect.

        Example:
            >>> model = recon.load("fashion")
            >>> model.anchor(recon.read_images("garments", limit=3).images) # this model stores no clusters
            0
        """
        images, _ = self._seen(x)
        followed = ctypes.c_size_t()
        self._anchored = True
        if prior is not None:
            theirs, _ = prior._seen(x)
            self._ask(lib.recon_model_prior, self._handle, address(images), prior._handle,
                      address(theirs), len(images), ctypes.byref(followed))
            return followed.value
        angles = np.ascontiguousarray(np.broadcast_to(np.radians(degrees), len(images)), np.float64)
        self._ask(lib.recon_model_anchor, self._handle, address(images), address(angles),
                  len(images), ctypes.byref(followed))
        return followed.value

    def candidates(self, x: Any) -> list[Candidates]:
        """The natural poses that each image may have.

        Args:
            x: The images.

        Returns:
            A list of Candidates, one for each image.

        Example:
            >>> model = recon.load("fashion")
            >>> images = recon.read_images("garments", limit=5).images
            >>> bool(np.isclose(model.candidates(images)[0].weight.sum(), 1))
            True
        """
        images, pictures = self._seen(x)
        out = room(len(images), _abi.recon_candidates)
        self._ask(lib.recon_candidates_list, address(out), self._handle, address(images),
                  len(images), None)
        return [Candidates(Poses(one["pose"][: one["count"]], size), one["weight"][: one["count"]])
                for one, size in zip(out, pictures.sizes)]

    def _frames(self, x: Any, interpolation: str) -> tuple[list[Any], Array, list[int]]:
        """Every image in each of its candidate poses, with their weights and image indices."""
        found = self.candidates(x)
        of = [i for i, one in enumerate(found) for _ in one.weight]
        angles = [float(a) for one in found for a in one.poses.rotation]
        how = choice("interpolation", interpolation, "recon_interpolation")
        with context(self._device) as ctx:
            pictures = Pictures(x, self.size)
            frames = [pictures.back(i, one) for i, one in zip(of, pictures.frames(ctx, of, angles, how))]
        return frames, np.concatenate([one.weight for one in found] or [np.empty(0)]), of

    def distribution(self, x: Any) -> list[Distribution]:
        """The poses that each image could have had.

        Args:
            x: The images.

        Returns:
            A list of Distribution, one for each image.

        Example:
            >>> model = recon.load("fashion")
            >>> images = recon.read_images("garments", limit=5).images
            >>> len(model.distribution(images))
            5
        """
        images, pictures = self._seen(x)
        out = (_abi.recon_distribution * len(images))()
        self._ask(lib.recon_distribution_images, out, self._handle, address(images), len(images))
        return [self._distribution(one, size)
                for one, size in zip(out, pictures.sizes)]

    def _distribution(self, one: Any, size: tuple[int, ...]) -> Distribution:
        modes = [(one.mode[i].at, one.mode[i].weight) for i in range(one.modes)]
        pose = np.frombuffer(one.pose, np.dtype(_abi.recon_pose)).copy()
        return Distribution(
            **{name: getattr(one, name) for name in ("theta", "score", "p_value", "p_embedding", "fold")},
            pose=Poses(pose, size),
            family=lib.recon_so2_family_name(one.family).decode(),
            verdict=lib.recon_natural_name(one.verdict).decode(),
            modes=np.array(modes).reshape(-1, 2),
            moments=np.array(one.moment),
            _density=np.frombuffer(one.density, np.dtype(_abi.recon_so2_density)).copy(),
        )

    def _batch(self, x: Any) -> tuple[Any, int]:
        images, _ = self._seen(x)
        return images.ctypes, len(images)  # which keeps the images alive

    def _seen(self, x: Any) -> tuple[Array, Pictures]:
        """The images for the model, and as they are given."""
        pictures = Pictures(x, self.size)
        if pictures.images is not None:
            return pictures.images, pictures
        crop = self.crop
        with context(self._device) as ctx:
            return pictures.seen(ctx, crop), pictures

    def export(self, path: str | os.PathLike[str],
               what: Literal["pose", "canonicalize", "score"] = "pose",
               licence: str | None = None) -> None:
        """Writes the model as an ONNX file, for other runtimes: `recon export`.

        Args:
            path: The file.
            what: What the file computes for each image: its "pose" and rotation; with
                "canonicalize" also the rotated image; with "score" also how unusual the pose is.
            licence: Of the model, recorded in the file.

        Returns:
            None.

        Example:
            >>> recon.load("mnist-small").export("mnist-small.onnx", what="canonicalize")
        """
        if self._anchored:
            raise InputError("the model is anchored, which ONNX has nothing for: load it again")
        single = open_single(self.path, self.lambda_from)
        options = _abi.recon_export_options(
            what=choice("what", what, "recon_export_what"),
            licence=None if licence is None else licence.encode())
        with context() as ctx:
            check(ctx, lib.recon_model_export(ctx, os.fsencode(path_text(path, "path")),
                                              single._handle, ctypes.byref(options)))
