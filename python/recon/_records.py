"""What the values that the package returns have in common: equality, a text for each field, and rows
that are sliced, iterated, listed in a table and shown in a notebook."""
from __future__ import annotations

import base64
import dataclasses
import html
import re
import struct
import zlib
from typing import Any, Iterator, TypeVar

import numpy as np

from ._library import Array, needed

T = TypeVar("T", bound=type)
R = TypeVar("R", bound="Rows")
SHOWN = 8  # rows in a notebook
_WIDE = 9  # the most numbers of a row that become columns


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


# --- rows -----------------------------------------------------------------------------------------


class Rows:
    """A result with a row for each input. result[3], result[2:5] and result[mask] are some of the
    rows, of the same class, with the numbers about all of them; iterating gives one after another.
    """

    _shown: tuple[str, ...] = ()  # fields that are columns of the table

    def __len__(self) -> int:
        return len(getattr(self, self._shown[0]))

    def __getitem__(self: R, which: Any) -> R:
        """Some of the rows; an index gives one row."""
        at = self._at(which)
        rows: dict[str, Any] = {}
        for name in names(type(self)):
            value = getattr(self, name)
            if isinstance(value, (np.ndarray, Rows)):
                rows[name] = value[at]
        return dataclasses.replace(self, **rows)

    def _at(self, which: Any) -> Array:
        at: Array = np.atleast_1d(np.arange(len(self))[which])
        return at

    def __iter__(self: R) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def _columns(self) -> dict[str, Array]:
        """The table: a field of a number a row is a column, a small matrix several."""
        out: dict[str, Array] = {}
        for name in self._shown:
            value = getattr(self, name)
            if value is None:
                continue
            width = int(np.prod(value.shape[1:]))
            flat = value.reshape(len(value), width)
            if value.ndim == 1:
                out[name] = value
            elif width <= _WIDE:
                out.update({f"{name}_{j}": flat[:, j] for j in range(width)})
        return out

    def to_frame(self) -> Any:
        """The rows as a pandas DataFrame.

        Returns:
            A pandas.DataFrame.

        Raises:
            UnsupportedError: pandas is not installed.
        """
        return needed("pandas", "to_frame").DataFrame(self._columns())

    def _pictured(self) -> dict[str, list[str]]:
        """Columns of the notebook's table alone, as HTML."""
        return {}

    def _repr_html_(self) -> str:
        some = self[:SHOWN]
        cells = {**some._pictured(), **{name: [_cell(x) for x in column.tolist()]
                                        for name, column in some._columns().items()}}
        rows = [list(cells), *zip(*cells.values())] if cells else []
        return table(repr(self), rows, len(self) > SHOWN)


def _cell(x: Any) -> str:
    return f"{x:.4g}" if isinstance(x, float) else html.escape(str(x))


def table(title: str, rows: list[Any], more: bool) -> str:
    """Cells of HTML as a table; the first row is its head."""
    listed = ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows]
    return (f"<p>{html.escape(title)}</p><table>{''.join(listed).replace('td>', 'th>', 2 * len(rows[0]) if rows else 0)}"
            f"</table>{'...' if more else ''}")


def thumbnail(image: Array, radians: float = 0.0) -> str:
    """An image, floats from 0 to 1 or bytes, as a picture of HTML, rotated."""
    pixels = np.asarray(image)
    if pixels.dtype != np.uint8:
        pixels = np.clip(np.rint(255 * pixels), 0, 255).astype(np.uint8)
    if pixels.ndim == 3 and pixels.shape[2] != 3:
        pixels = pixels[..., 0]
    height, width = pixels.shape[:2]
    head = struct.pack(">IIBBBBB", width, height, 8, 2 if pixels.ndim == 3 else 0, 0, 0, 0)
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in ((b"IHDR", head), (b"IDAT", zlib.compress(lines)), (b"IEND", b"")))
    way = f";transform:rotate({-np.degrees(radians):.1f}deg)" if radians else ""
    return (f'<img width="56" style="image-rendering:pixelated{way}"'
            f' src="data:image/png;base64,{base64.b64encode(png).decode()}">')
