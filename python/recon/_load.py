"""load and list_models: models by their files, or by their names."""
from __future__ import annotations

import os
from typing import Any, Literal

from . import _abi
from ._images import ImageModel
from ._library import lib
from ._model import Model
from ._molecules import MoleculeModel


def load(
    path: str | os.PathLike[str],
    device: str = "cpu",
    precision: Literal["auto", "f32", "tf32", "bf16"] = "auto",
    lambda_: Literal["auto", "neighbours", "head", "density"] = "auto",
) -> ImageModel | MoleculeModel:
    """Opens a model that `recon discover` wrote.

    Args:
        path: A model file, a folder written by `recon discover`, or the name of a shipped model,
            such as "fashion", "mnist" or "conformers".
        device: "cpu", or "cuda" where the library was built with it.
        precision: Precision of the backbone's matrix products: "auto" is bf16 where the device
            runs it faster than f32, else f32; "tf32" is for a GPU, and f32 elsewhere.
        lambda_: Where natural poses come from: the centre of the neighbours' poses, the head that
            learned it (as in the paper), or the pose density. "auto" is the choice of `recon
            discover`.

    Returns:
        An ImageModel or a MoleculeModel, depending on the file.

    Raises:
        MissingFileError: There is no such file or model; the message lists the places searched.
        FormatError: The file is not a model of `recon discover`.
        InputError: The model does not have what lambda_ asks for.

    Warns:
        TrustWarning: The verdict on the model is "do not use", or the estimates of its natural
            poses disagree. See Model.trust.

    Example:
        >>> model = recon.load("fashion")
        >>> model.size
        (28, 28, 1)
        >>> recon.load("mnist-small", lambda_="head").lambda_from
        'head'
    """
    opened: Any = Model.load(path, device, precision, lambda_)  # of the class of its data
    model: ImageModel | MoleculeModel = opened
    return model


def list_models() -> list[str]:
    """The models that come with recon, by the names that recon.load takes.

    Returns:
        The names, sorted.

    Example:
        >>> "fashion" in recon.list_models()
        True
    """
    names = (_abi.recon_shipped_name * _abi.RECON_SHIPPED_MOST)()
    n = lib.recon_shipped_models(names)
    return [name.value.decode() for name in names[:n]]
