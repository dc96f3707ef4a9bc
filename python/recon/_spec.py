"""Data by name or by path: what the readers' first argument may be."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Literal, Union

from ._errors import InputError
from ._library import lib, path_text

Crop = Union[bool, Literal["auto", "none"]]


def spec_of(data: str | os.PathLike[str]) -> bytes:
    """data as the library wants it: a SPEC as it is, a file or folder with what it holds in front.

    Text that names a known set is that set, also where a folder has the same name; a Path is always
    a path.
    """
    text = os.fsencode(path_text(data, "data"))
    room = ctypes.create_string_buffer(len(text) + 16)
    spec: bytes = lib.recon_data_spec(room, len(room), text, not isinstance(data, (str, bytes)))
    return spec


def crops(crop: Any) -> bool:
    """Whether pictures are to be cropped: by a truth value, or a word as the command takes it."""
    if crop not in (True, False, None, "auto", "none"):
        raise InputError(f"crop {crop!r} is none of True|False|auto|none")
    return crop in (True, "auto")


def rule_of(rotate: Any) -> bytes:
    """A rotation rule, by name or by file."""
    return os.fsencode(path_text(rotate, "rotate"))
