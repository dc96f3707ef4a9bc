"""Whether a model's natural poses can be trusted: see recon/model/trust.h."""
from __future__ import annotations

import ctypes
import json
from typing import Any

from . import _abi
from ._library import lib


class TrustWarning(UserWarning):
    """A loaded model has natural poses that should not be used, or its three estimates of them
    disagree. The message gives the reasons; Model.trust has the measures."""


TrustWarning.__module__ = "recon"


def lambda_name(value: int) -> str:
    return str(lib.recon_lambda_name(value).decode())


def trust_of(handle: int) -> dict[str, Any] | None:
    """The trust of an open model, as recorded by recon discover under "trust" in summary.json."""
    found = lib.recon_model_trust(handle)
    if not found:
        return None
    text = ctypes.create_string_buffer(_abi.RECON_TRUST_TEXT)
    lib.recon_trust_text(text, len(text), found, _abi.RECON_SPELLING_PYTHON)
    trust: dict[str, Any] = json.loads(text.value)
    return trust


def warning_of(trust: dict[str, Any] | None) -> str:
    """The warning when such a model is opened, or ""."""
    if not trust or not (trust["verdict"] == "do not use" or "disagrees" in trust["against"]):
        return ""
    return f"the verdict on its natural poses is: {trust['verdict']}. {trust['why']}".rstrip()
