"""load: a model by what its file says of itself."""
from __future__ import annotations

import ctypes
import os
from typing import Literal

from ._images import ImageModel
from ._library import Error, check, context, lib
from ._molecules import MoleculeModel

_MODELS = {"ieae": ImageModel, "molnet": MoleculeModel}


def _kind_of(path: str) -> str:
    """What the file's metadata call the model, "" where they do not."""
    out = ctypes.c_void_p()
    with context() as ctx:
        check(ctx, lib.recon_safetensors_open(ctx, ctypes.byref(out), os.fsencode(path)))
        try:
            return (lib.recon_safetensors_metadata(out, b"model") or b"").decode(errors="replace")
        finally:
            lib.recon_safetensors_close(out)


def load(
    path: str | os.PathLike[str],
    device: str = "cpu",
    precision: Literal["f32", "bf16"] = "f32",
) -> ImageModel | MoleculeModel:
    """Opens what `recon discover` wrote: an ImageModel or a MoleculeModel, by what the file says.
    Where there is no such file, "fashion" is the shipped models/fashion.safetensors.

    device is "cpu", or "cuda" where the library was built with it; precision is that of the
    backbone's products.
    """
    name = os.fspath(path)
    kind = _kind_of(name)
    if kind not in _MODELS:
        raise Error(f"{name}: {kind or 'no model'}, but a model of `recon discover` is needed",
                    "format")
    return _MODELS[kind](name, device, precision)
