"""What the values that the package returns have in common: equality, and a text for each field."""
from __future__ import annotations

import dataclasses
import re
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T", bound=type)


def same(a: Any, b: Any) -> bool:
    """Returns whether two values are equal: arrays element by element, NaN equal to NaN."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype.names or b.dtype.names:
            return a.dtype == b.dtype and a.shape == b.shape and all(
                same(a[name], b[name]) for name in a.dtype.names)
        floats = a.dtype.kind == b.dtype.kind == "f"
        return bool(np.array_equal(a, b, equal_nan=floats))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (a != a and b != b)
    return bool(a == b)


def names(kind: type) -> tuple[str, ...]:
    """The fields of a dataclass or a named tuple."""
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    fields: tuple[str, ...] = getattr(kind, "_fields")
    return fields


def _equal(self: Any, other: Any) -> Any:
    """Compares by value: arrays element by element, NaN equal to NaN, without the times taken."""
    if type(self) is not type(other):
        return NotImplemented
    return all(same(getattr(self, name), getattr(other, name)) for name in names(type(self))
               if name != "seconds")


def _differ(self: Any, other: Any) -> Any:
    """The opposite of ==."""
    equal = _equal(self, other)
    return equal if equal is NotImplemented else not equal


def record(kind: T) -> T:
    """A class decorator: == compares arrays by their elements, and help() on a named tuple's field
    shows the class's docstring. Arrays can change, so there is no hash."""
    for name, value in (("__eq__", _equal), ("__ne__", _differ), ("__hash__", None)):
        setattr(kind, name, value)
    if not dataclasses.is_dataclass(kind):
        for name in names(kind):
            text = re.search(rf"^ +{name}: (.*(?:\n {{12,}}.*)*)", kind.__doc__ or "", re.M)
            if text:  # python -OO leaves none
                getattr(kind, name).__doc__ = re.sub(r"\s+", " ", text.group(1))
    return kind
