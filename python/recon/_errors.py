"""Failures as exceptions: one class for each kind, each also Python's own for such a failure."""
from __future__ import annotations

import os
from typing import Any


class Error(Exception):
    """What recon refuses, with the library's message. Every error of recon's is one.

    Subclasses are Python's own errors too: InputError and FormatError are ValueError, FileError is
    OSError, MissingFileError is FileNotFoundError, OutOfMemoryError is MemoryError,
    UnsupportedError is NotImplementedError, NumericError is ArithmeticError.

    Fields:
        kind: "input", "io", "format", "memory", "unsupported", "numeric" or "mismatch" (an
            InputError: other data or settings than those of the run that is resumed).

    Example:
        >>> try:
        ...     recon.load("no such model")
        ... except FileNotFoundError as error:
        ...     print(error.kind, isinstance(error, recon.Error))
        io True
    """

    kind = "input"

    def __init__(self, message: str, kind: str | None = None):
        super().__init__(message)
        self.kind = kind or self.kind

    def __reduce__(self) -> tuple[Any, ...]:  # so that it comes whole out of another process
        return type(self), (str(self), self.kind)


class InputError(Error, ValueError):
    """An argument, or a value in the data, cannot be used."""


class FileError(Error, OSError):
    """The system refused: no permission, a full disk, a folder where a file is needed."""

    kind = "io"


class MissingFileError(FileError, FileNotFoundError):
    """A file, a model or a data set is not there; the message says where it was searched."""


class FormatError(Error, ValueError):
    """A file is not what it claims to be."""

    kind = "format"


class OutOfMemoryError(Error, MemoryError):
    """Memory or threads cannot be had."""

    kind = "memory"


class UnsupportedError(Error, NotImplementedError):
    """The library was built without what is asked for, or there is no such device."""

    kind = "unsupported"


class NumericError(Error, ArithmeticError):
    """A computation did not converge, or overflowed."""

    kind = "numeric"


_CLASSES = {
    "input": InputError,
    "io": FileError,
    "format": FormatError,
    "memory": OutOfMemoryError,
    "unsupported": UnsupportedError,
    "numeric": NumericError,
    "mismatch": InputError,
}
for _class in (Error, MissingFileError, *_CLASSES.values()):
    _class.__module__ = "recon"  # as tracebacks and pickles name them


def failure(message: str, kind: str) -> BaseException:
    """The exception for a failure of the library."""
    if kind == "interrupted":
        return KeyboardInterrupt(message)
    missing = os.strerror(2) in message or "not found (looked " in message
    if kind == "io" and missing:
        return MissingFileError(message)
    return _CLASSES.get(kind, Error)(message, kind)
