"""recon for PyTorch: a module that rotates images into their natural pose, in front of a frozen
model.

    upright = Canonicalizer("fashion")                 # tensors in, tensors out
    robust = Canonicalizer("fashion", classifier)      # the classifier on upright images
    labels = robust(images).argmax(1)

Images are tensors n x channels x height x width of floats (0 to 1) or uint8, or a list of tensors
channels x height x width of different sizes. They are rotated by the library, on the CPU, and
returned on their own device. No gradient flows through the rotation. Without a frozen model the
module is a transform, in front of ToTensor too: it takes what recon.ImageModel takes.
"""
from __future__ import annotations

import os
from typing import Any, Literal, Sequence, Union

import numpy as np
import torch
from torch import Tensor, nn

from . import _library
from ._library import Array, array, refuse_to_be_compiled
from ._errors import InputError
from ._images import ImageModel
from ._poses import Poses

__all__ = ["Canonicalizer"]

Images = Union[Tensor, Sequence[Tensor]]


class Canonicalizer(nn.Module):
    """Rotates images into their natural pose and, if given, applies a frozen model to them.

    The frozen model's parameters get no gradients, and it stays in eval mode. The module can be
    pickled and used in the workers of a DataLoader, where recon.set_threads(1) is recommended.

    Args:
        model: What recon.discover wrote, a model shipped with recon, or a recon.ImageModel.
        frozen: The frozen model. None: forward returns the images.
        only_if: Rotate only images whose pose has a p-value below this.
        only: Rotate only images whose verdict is "one" natural pose, or any that is "clear".
        average: With a frozen model: average its output over all natural poses that an image may
            have, weighted by their probability. Otherwise the first one is used.
        interpolation: "bilinear" or "bicubic".

    Example:
        >>> import torch
        >>> images = torch.from_numpy(recon.read_images("garments", limit=5).images)[:, None]
        >>> upright = Canonicalizer("fashion")
        >>> upright(images).shape
        torch.Size([5, 1, 28, 28])
        >>> classifier = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 10))
        >>> Canonicalizer("fashion", classifier, average=True)(images).shape
        torch.Size([5, 10])
    """

    def __init__(
        self,
        model: str | os.PathLike[str] | ImageModel,
        frozen: nn.Module | None = None,
        *,
        only_if: float | None = None,
        only: Literal["any", "clear", "one"] = "any",
        average: bool = False,
        interpolation: Literal["bilinear", "bicubic"] = "bilinear",
    ):
        super().__init__()
        opened = model if isinstance(model, ImageModel) else ImageModel.load(model)
        if frozen is not None and not isinstance(frozen, nn.Module):
            raise InputError(f"frozen: an nn.Module is needed, not {type(frozen).__name__}")
        if average and frozen is None:
            raise InputError("average: a frozen model is needed, whose outputs are averaged")
        if average and (only_if is not None or only != "any"):
            raise InputError(f"average and {'only_if' if only == 'any' else 'only'} exclude each other")
        self.model = opened
        self.frozen = frozen
        self.only_if = only_if
        self.only: Literal["any", "clear", "one"] = only
        self.average = average
        self.interpolation: Literal["bilinear", "bicubic"] = interpolation
        if frozen is not None:
            frozen.requires_grad_(False)
            frozen.eval()

    def train(self, mode: bool = True) -> Canonicalizer:
        """Sets the mode of the module; the frozen model stays in eval mode.

        Args:
            mode: Whether it is training.

        Returns:
            self.

        Example:
            >>> Canonicalizer("fashion", torch.nn.Dropout()).train().frozen.training
            False
        """
        super().train(mode)
        if self.frozen is not None:
            self.frozen.eval()
        return self

    def __prepare_scriptable__(self) -> None:
        """Called first by torch.jit.script."""
        refuse_to_be_compiled()

    def forward(self, images: Images) -> Any:
        """The images in their natural pose, or the frozen model's output for them.

        Args:
            images: The images.

        Returns:
            Like the images; or the output of the frozen model (for a list, the outputs for each
            image, concatenated).

        Example:
            >>> images = torch.zeros(2, 3, 100, 80, dtype=torch.uint8)     # pictures of any size
            >>> images[:, :, 30:60, 20:30] = 200
            >>> Canonicalizer("fashion")(images).shape
            torch.Size([2, 3, 100, 80])
        """
        if self.frozen is None:
            return self.canonicalize(images)[0]
        _check(images, self.frozen)
        if self.average:
            return self._averaged(images)
        return _ask(self.frozen, self.canonicalize(images)[0])

    def canonicalize(self, images: Images) -> tuple[Any, Poses]:
        """The images in their natural pose, and the poses that they had.

        Args:
            images: The images.

        Returns:
            Images with the dtype and device of the input, and recon.Poses, for invert.

        Example:
            >>> images = torch.from_numpy(recon.read_images("garments", limit=5).images)[:, None]
            >>> upright, poses = Canonicalizer("fashion").canonicalize(images)
            >>> poses.absolute.shape
            (5,)
        """
        _in_a_worker()
        return self.model.canonicalize(
            images, only_if=self.only_if, interpolation=self.interpolation, only=self.only)

    def invert(self, poses: Poses, **x: Any) -> Any:
        """Maps what the frozen model found in the canonical images back to the images.

        Args:
            poses: What canonicalize returned.
            x: Exactly one of points=, vectors=, boxes= (n x m x 2 or 4, in pixels), masks= (n x
                channels x height x width, or n x height x width) or labels= (n x height x width): a
                tensor, or a list of n tensors.

        Returns:
            The same in the frame of the images, on the same device: tensors of the same dtype, but
            floats for points, vectors, boxes and masks of integers.

        Example:
            >>> images = torch.from_numpy(recon.read_images("garments", limit=5).images)[:, None]
            >>> upright = Canonicalizer("fashion")
            >>> _, poses = upright.canonicalize(images)
            >>> upright.invert(poses, boxes=torch.tensor([[8.0, 8, 20, 20]] * 5)).shape
            torch.Size([5, 4])
        """
        (what, value), = x.items() if len(x) == 1 else [("", None)]
        if value is None:
            raise InputError(f"exactly one of points, vectors, boxes, masks, labels is needed, not"
                             f" {len(x)}")
        found = [_array(one, channels=what == "masks") for one in value]
        moved = self.model.invert(poses, **{what: found})
        back = [_tensor(a, one if what == "labels" else _floating(one), channels=what == "masks")
                for a, one in zip(moved, value)]
        if not isinstance(value, Tensor):
            return back
        return torch.stack(back) if back else _floating(value)

    def _averaged(self, images: Images) -> Tensor:
        """The frozen model's answers, averaged over the frames that an image may have."""
        assert self.frozen is not None
        frames, weights, of = self.model._frames(images, self.interpolation)
        seen = torch.stack(frames) if frames and isinstance(images, Tensor) else frames or images
        answers = _ask(self.frozen, seen)
        if (not isinstance(answers, Tensor) or answers.shape[:1] != (len(of),)
                or not answers.is_floating_point()):
            raise InputError("average: the frozen model must return a tensor of floating-point"
                             " numbers, a row for each image")
        if not answers.isfinite().all():
            raise InputError("average: an output of the frozen model is not finite")
        share = torch.as_tensor(weights, dtype=answers.dtype, device=answers.device)
        weighted = answers * share.reshape(-1, *[1] * (answers.ndim - 1))
        out = torch.zeros((len(images), *answers.shape[1:]), dtype=answers.dtype,
                          device=answers.device)
        at = torch.as_tensor(of, dtype=torch.int64, device=answers.device)
        return out.index_add_(0, at, weighted)

    def extra_repr(self) -> str:
        """The module's text for repr().

        Returns:
            The model, and how it is used.

        Example:
            >>> Canonicalizer("fashion").extra_repr()
            "'fashion'"
        """
        said = [repr(self.model.path)]
        said += [f"only_if={self.only_if}"] * (self.only_if is not None)
        said += [f"only={self.only!r}"] * (self.only != "any")
        said += ["average=True"] * self.average
        return ", ".join(said)


# --- tensors --------------------------------------------------------------------------------------


def _in_a_worker() -> None:
    """The workers of a DataLoader share the machine: each has one thread, unless it was given more."""
    worker: Any = torch.utils.data.get_worker_info
    if worker() is not None and _library._threads == 0:
        _library.set_threads(1)


def _array(x: Any, channels: bool) -> Array:
    """A tensor as an array on the CPU; channels go last there."""
    if not isinstance(x, Tensor):
        raise InputError(f"a tensor is needed, not {type(x).__name__}")
    a = array(x, None, "a tensor")
    return np.moveaxis(a, 0, -1) if channels and a.ndim == 3 else a


def _tensor(a: Array, like: Tensor, channels: bool) -> Tensor:
    back = np.moveaxis(a, -1, 0) if channels and a.ndim == 3 else a
    return torch.from_numpy(np.ascontiguousarray(back)).to(device=like.device, dtype=like.dtype)


def _floating(x: Tensor) -> Tensor:
    return x if x.is_floating_point() else x.to(torch.get_default_dtype())


def _check(images: Images, frozen: nn.Module) -> None:
    """The frozen model must be able to take what it will get."""
    several = not isinstance(images, Tensor)
    weight = next((p for p in frozen.parameters() if p.is_floating_point()), None)
    for one in [images] if isinstance(images, Tensor) else images:
        if not isinstance(one, Tensor):
            raise InputError("images: a tensor is needed, or a list of them, not"
                             f" {type(one).__name__}")
        if one.ndim != (3 if several else 4):
            wanted = "each channels x height x width" if several else "n x channels x height x width"
            raise InputError(f"images of {tuple(one.shape)}: {wanted} is needed")
        if weight is not None and one.device != weight.device:
            raise InputError(f"images on {one.device}, but the frozen model is on {weight.device}")
        if weight is not None and one.dtype != weight.dtype:
            raise InputError(f"images of {one.dtype}, but the frozen model is of {weight.dtype}")


def _ask(frozen: nn.Module, images: Images) -> Any:
    if isinstance(images, Tensor):
        return frozen(images)
    answers = [frozen(one[None]) for one in images]
    if not answers or not all(isinstance(one, Tensor) for one in answers):
        raise InputError("a list of images: it must not be empty, and the frozen model must return a"
                         " tensor; a tensor of images is passed on as it is")
    return torch.cat(answers)
