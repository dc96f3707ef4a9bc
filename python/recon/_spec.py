"""Data by name or by path: what the readers' first argument may be."""
from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal, Union

from ._errors import InputError
from ._library import lib, path_text

Crop = Union[bool, Literal["auto", "none"]]

# As `recon info` guesses, by how a name ends.
_ENDINGS = {
    ".xyz": "xyz:",
    ".extxyz": "xyz:",
    ".sdf": "sdf:",
    ".mol": "sdf:",
    ".msgpack": "geom:",
    ".npy": "npy:",
    ".amat": "amat:",
    "-ubyte": "idx:",
    "-ubyte.gz": "idx:",
}


def spec_of(data: str | os.PathLike[str]) -> bytes:
    """data as the library wants it: a SPEC as it is, a file or folder with what it holds in front.

    Text that names a known set is that set, also where a folder has the same name; a Path is always
    a path.
    """
    text = path_text(data, "data")
    known = lib.recon_dataset_is(os.fsencode(text)) or lib.recon_molecules_is(os.fsencode(text))
    if known and isinstance(data, (str, bytes)):
        return os.fsencode(text)
    return os.fsencode(_prefix(text) + text)


def _prefix(path: str) -> str:
    if os.path.isdir(path):
        if (Path(path) / "atom_offset.npy").exists():
            return "flat:"
        return "xyz:" if any(Path(path).glob("*.xyz")) else "images:"
    return next((kind for end, kind in _ENDINGS.items() if path.endswith(end)), "")


def crops(crop: Any) -> bool:
    """Whether pictures are to be cropped: by a truth value, or a word as the command takes it."""
    if crop not in (True, False, None, "auto", "none"):
        raise InputError(f"crop {crop!r} is none of True|False|auto|none")
    return crop in (True, "auto")


def rule_of(rotate: Any) -> bytes:
    """A rotation rule, by name or by file."""
    return os.fsencode(path_text(rotate, "rotate"))
