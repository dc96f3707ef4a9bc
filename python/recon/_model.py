"""Models: what `recon discover` wrote, opened. See recon/model/model.h and molmodel.h."""
from __future__ import annotations

import ctypes
import os
import weakref
from typing import Any, NamedTuple

import numpy as np

from ._library import check, choice, context, lib
from ._records import record

_PRECISIONS = {"auto": "AUTO", "f32": "SINGLE", "tf32": "TF32", "bf16": "MIXED"}


@record
class Scores(NamedTuple):
    """How unnatural poses are.

    Fields:
        score: -log density of the pose, given the input: higher is more unusual; float64, n.
        p_value: How often an input that the model was made from scores as high: small is unusual;
            float64, n.
    """

    score: np.ndarray
    p_value: np.ndarray


class Model:
    """A model that is open: an ImageModel or a MoleculeModel. recon.load makes one.

    It does not change: many threads may use it at once, and it survives a fork. A pickle holds its
    path, device and precision, not its weights: whoever unpickles it opens the file again, so the
    file must be there and be the same. Two models are equal only if they are the same object.

    Fields:
        path: The file, absolute; or the name, of a model that comes with recon.

    Example:
        >>> import pickle
        >>> model = recon.load("fashion")
        >>> pickle.loads(pickle.dumps(model)).size == model.size
        True
    """

    _family = ""  # of the library's functions: recon_<family>_open, _close

    def __init__(self, path: str, device: str, precision: str):
        self.path, self._device, self._precision = path, device, precision
        self._handle = self._open(path, choice("precision", precision, "", _PRECISIONS))
        weakref.finalize(self, _close, self._family, device, self._handle).atexit = False

    def _open(self, path: str, precision: int) -> int:
        out = ctypes.c_void_p()
        with context(self._device) as ctx:
            check(ctx, getattr(lib, f"recon_{self._family}_open")(
                ctx, ctypes.byref(out), os.fsencode(path), precision))
        return out.value

    def __reduce__(self):  # another process opens the file again
        return type(self), (self.path, self._device, self._precision)

    def __repr__(self) -> str:
        return f"<recon.{type(self).__name__} {self.path}>"

    def _ask(self, function: Any, *arguments: Any) -> None:
        """function(ctx, arguments), its failure as an exception."""
        with context(self._device) as ctx:
            check(ctx, function(ctx, *arguments))

    def invert(self, poses: Any, **x: Any) -> Any:
        """Takes what a frozen model found in the canonical inputs back to the inputs as they came.

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


def _close(family: str, device: str, handle: int) -> None:
    with context(device) as ctx:
        getattr(lib, f"recon_{family}_close")(ctx, handle)
