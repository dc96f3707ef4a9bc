"""load: a model by what its file says of itself."""
from __future__ import annotations

import ctypes
import os
from typing import Literal

from ._errors import FormatError
from ._images import ImageModel
from ._library import check, context, lib, path_text
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
    precision: Literal["auto", "f32", "tf32", "bf16"] = "auto",
) -> ImageModel | MoleculeModel:
    """Opens a model that `recon discover` wrote.

    Args:
        path: The file, or the folder that `recon discover` wrote, which holds it as
            model.safetensors. Where there is neither, the name of a model that comes with recon:
            "fashion", "mnist", "mnist-small" or "conformers".
        device: "cpu", or "cuda" where the library was built with it.
        precision: Of the backbone's matrix products: "auto" is bf16 where the device runs it faster
            than f32, else f32; "tf32" is for a GPU, and f32 elsewhere.

    Returns:
        An ImageModel or a MoleculeModel, by what the file says.

    Raises:
        MissingFileError: There is no such file or model; the message says where it was looked for.
        FormatError: The file is no model of `recon discover`.

    Example:
        >>> model = recon.load("fashion")
        >>> model.size
        (28, 28, 1)
    """
    name = path_text(path, "path")
    if os.path.isdir(name):
        name = os.path.join(name, "model.safetensors")
    if os.path.exists(name):
        name = os.path.abspath(name)  # for processes that work in another folder
    kind = _kind_of(name)
    if kind not in _MODELS:
        raise FormatError(f"{name}: {kind or 'no model'}, but a model of `recon discover` is"
                          " needed")
    return _MODELS[kind](name, device, precision)
