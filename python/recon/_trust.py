"""Whether a model's natural poses can be trusted: see recon/model/trust.h."""
from __future__ import annotations

import ctypes
import math
from typing import Any

from . import _abi
from ._library import lib

LAMBDAS = {"auto": "AUTO", "neighbours": "NEIGHBOURS", "head": "HEAD", "density": "DENSITY"}
_AGAINST = ("nothing_learned", "not_following", "no_gain", "few_of_a_kind", "disagrees", "upright",
            "few_held_out", "inconsistent", "gain_unsure", "gain_unknown")


class TrustWarning(UserWarning):
    """A loaded model has natural poses that should not be used, or its three estimates of them
    disagree. The message gives the reasons; Model.trust has the measures."""


TrustWarning.__module__ = "recon"


def lambda_name(value: int) -> str:
    return str(lib.recon_lambda_name(value).decode())


def trust_of(handle: int) -> dict[str, Any] | None:
    """What recon discover said of an open model, as "trust" of summary.json has it."""
    found = lib.recon_model_trust(handle)
    if not found:
        return None
    trust = ctypes.cast(found, ctypes.POINTER(_abi.recon_trust)).contents
    text = ctypes.create_string_buffer(_abi.RECON_TRUST_REASONS)
    lib.recon_trust_reasons(text, len(text), found, _abi.RECON_SPELLING_PYTHON)
    return {
        "verdict": lib.recon_trust_name(trust.level).decode(),
        "why": text.value.decode(),
        "points": trust.points,
        "against": [name for name in _AGAINST
                    if trust.against & _abi.CONSTANTS["RECON_TRUST_" + name.upper()]],
        "information_nats": _number(trust.information),
        "information_error_nats": _number(trust.information_error),
        "moved_median_deg": _degrees(trust.moved),
        "moved_p95_deg": _degrees(trust.moved_p95),
        "before_deg": _degrees(trust.before),
        "after_deg": _degrees(trust.after),
        "gain_deg": _degrees(trust.gain),
        "gain_error_deg": _degrees(trust.gain_error),
        "one_pose": _number(trust.one),
        "cannot_tell": _number(trust.cannot_tell),
        "inconsistent": _number(trust.inconsistent),
        "lambda_choice": _choice(getattr(trust, "lambda")),
    }


def warning_of(trust: dict[str, Any] | None) -> str:
    """What to warn of when such a model is opened; "" for nothing."""
    if not trust or not (trust["verdict"] == "do not use" or "disagrees" in trust["against"]):
        return ""
    return f"the verdict on its natural poses is: {trust['verdict']}. {trust['why']}".rstrip()


def _number(x: float) -> float | None:
    return None if math.isnan(x) else x


def _degrees(x: float) -> float | None:
    return _number(math.degrees(x))


def _choice(c: Any) -> dict[str, Any]:
    ways = range(1, len(LAMBDAS))
    return {
        "taken": lambda_name(c.taken),
        "points": c.points,
        "likelihood": {lambda_name(a): _number(c.likelihood[a]) for a in ways},
        "apart": {
            f"{lambda_name(b)}_{lambda_name(a)}": {
                "median_deg": _degrees(c.apart_median[a][b]),
                "p95_deg": _degrees(c.apart_p95[a][b]),
            } for a in ways for b in range(1, a)
        },
    }
