"""Models: what `recon discover` wrote, opened. See recon/apps/model.h and molmodel.h."""
from __future__ import annotations

import ctypes
import os
import weakref
from typing import Any, NamedTuple

import numpy as np

from ._library import check, choice, context, lib

_PRECISIONS = {"f32": "SINGLE", "bf16": "MIXED"}


class Scores(NamedTuple):
    """How unnatural poses are."""

    score: np.ndarray
    """-log density of the pose, given the input: higher is odder."""
    p_value: np.ndarray
    """How often an input that the model was made from scores as high: small is odd."""


class Model:
    """A model that is open. It does not change: many threads may use it at once."""

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
        """What a frozen model found in the canonical inputs, where it is in the inputs as they
        came: poses.to_input(points=..., vectors=..., boxes=..., masks=... or labels=...)."""
        return poses.to_input(**x)


def _close(family: str, device: str, handle: int) -> None:
    with context(device) as ctx:
        getattr(lib, f"recon_{family}_close")(ctx, handle)
