"""The C interface for ctypes, read from the public headers: constants and types under their names
in C, such as _abi.RECON_OK and _abi.recon_trust, and the prototypes of all functions.

Pointers are addresses, except text, which is bytes. tests/python/test_layout.sh has a compiler
compare every size, offset and constant.
"""
from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import Any, Iterator

_HERE = Path(__file__).resolve().parent
_INCLUDE = next(path for path in (_HERE / "include", _HERE.parent.parent / "include")
                if path.is_dir())  # of an installed package, or of a checkout
_DECLARATION = re.compile(r"""
    enum \s \{ (?P<values> [^}]*) \} \s? (?P<enum> \w*) ;
  | typedef \s struct \s \{ (?P<fields> (?: [^{}] | \{[^{}]*\} )*) \} \s (?P<struct> \w+) ;
  | struct \s (?P<tag> \w+) \s \{ (?P<tagged> (?: [^{}] | \{[^{}]*\} )*) \} ;
  | typedef \s char \s (?P<text> \w+) \[ (?P<size> [^]]*) \] ;
  | (?P<what> typedef | RECON_API) \s
    (?P<result> [\w *]*?) (?P<name> \b\w+) \( (?P<taken> [^;.]*) \) ;
""", re.VERBOSE)

CONSTANTS: dict[str, Any] = {}
TYPES: dict[str, Any] = {
    "void": None, "char": ctypes.c_char, "int": ctypes.c_int, "unsigned": ctypes.c_uint,
    "size_t": ctypes.c_size_t, "float": ctypes.c_float, "double": ctypes.c_double,
    **{f"{sign}int{bits}_t": getattr(ctypes, f"c_{sign}int{bits}")
       for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
ENUMS: dict[str, list[str]] = {}  # the constants of each type
PROTOTYPES: dict[str, tuple[Any, list[Any]]] = {}  # the result and the arguments of each function
_CALLBACKS: dict[str, Any] = {}  # C's types of functions, which are handed over as pointers


def _number(text: str) -> Any:
    """The value of an expression of constants; None for another macro."""
    try:
        return eval(re.sub(r"\b(\d+)u\b", r"\1", text), {}, CONSTANTS)
    except (NameError, SyntaxError, TypeError):
        return None


def _declared(text: str, typed: bool = False) -> Iterator[tuple[str, Any]]:
    """Names and types in `int a, *b[2]`. typed: a pointer to numbers is not merely an address."""
    pointer = re.fullmatch(r"(.*?) ?\(\*(\w+)\)\((.*)\)", text)
    if pointer:
        yield pointer[2], _callback(pointer[1], pointer[3])
        return
    base, names = re.findall(r"(\w+)(.*)", re.sub(r"\b(const|struct) ", "", text))[0]
    for one in names.split(","):
        stars, name, sizes = re.findall(r"^([ *]*)(\w*)(.*)", one)[0]
        depth = stars.count("*")
        if depth == 0:
            kind = TYPES[base]
        elif depth == 1 and base in _CALLBACKS:
            kind = _CALLBACKS[base]
        elif depth == 1 and base == "char":
            kind = ctypes.c_char_p
        else:
            pointed = typed and TYPES.get(base)
            kind = ctypes.POINTER(pointed) if pointed else ctypes.c_void_p
        for size in reversed(re.findall(r"\[(.*?)\]", sizes)):
            kind *= _number(size)
        yield name, kind


def _prototype(result: str, taken: str, typed: bool = False) -> tuple[Any, list[Any]]:
    """Result and arguments of a function; arrays among the arguments are pointers."""
    arguments = [re.sub(r"(\w+)\[.*", r"*\1", one.strip()) for one in taken.split(",")]
    kinds = [next(_declared(one, typed))[1] for one in arguments if one != "void"]
    return next(_declared(result))[1], [ctypes.c_char_p if issubclass(kind, ctypes.Array) else kind
                                        for kind in kinds]


def _callback(result: str, taken: str) -> Any:
    returned, arguments = _prototype(result, taken, typed=True)
    return ctypes.CFUNCTYPE(returned, *arguments)


def _structure(name: str, text: str) -> type[ctypes.Structure]:
    def inner(found: re.Match[str]) -> str:
        made = f"_{name}_{found.start()}"
        TYPES[made] = _structure(made, found[1])
        return made

    text = re.sub(r"struct \{(.*?)\}", inner, text)
    fields = [field for one in text.split(";")[:-1] for field in _declared(one.strip())]
    return type(name, (ctypes.Structure,), {"_fields_": fields})


def _read(header: str, already: set[str]) -> None:
    """Takes what a header declares, after what is declared in those that it includes."""
    if header in already:
        return
    already.add(header)
    text = re.sub(r"/\*.*?\*/|\\\n", " ", (_INCLUDE / header).read_text(), flags=re.DOTALL)
    for included in re.findall(r"^#include <(recon/.*)>", text, re.MULTILINE):
        _read(included, already)
    for name, expression in re.findall(r"^#define (\w+) +(.+)", text, re.MULTILINE):
        CONSTANTS[name] = _number(expression)
    text = re.sub(r"\s+", " ", re.sub(r"^#.*", "", text, flags=re.MULTILINE))
    for found in _DECLARATION.finditer(text):
        if found["values"]:
            value, constants = -1, ENUMS.setdefault(found["enum"], [])
            for one in filter(None, map(str.strip, found["values"].split(","))):
                name, _, expression = one.partition(" = ")
                CONSTANTS[name] = value = _number(expression) if expression else value + 1
                constants.append(name)
            TYPES[found["enum"]] = ctypes.c_int
        elif found["struct"]:
            TYPES[found["struct"]] = _structure(found["struct"], found["fields"])
        elif found["tag"]:
            TYPES[found["tag"]] = _structure(found["tag"], found["tagged"])
        elif found["text"]:
            TYPES[found["text"]] = ctypes.c_char * _number(found["size"])
        elif found["what"] == "typedef":
            _CALLBACKS[found["name"]] = _callback(found["result"], found["taken"])
        else:
            PROTOTYPES[found["name"]] = _prototype(found["result"], found["taken"])


for _header in "recon/recon.h", "recon/backbone/gcn.h":
    _read(_header, set())


def __getattr__(name: str) -> Any:
    for known in CONSTANTS, TYPES, _CALLBACKS:
        if name in known:
            return known[name]
    raise AttributeError(name)


def callback(structure: str, field: str) -> Any:
    """The type of a function that a structure holds."""
    return dict(TYPES[structure]._fields_)[field]
