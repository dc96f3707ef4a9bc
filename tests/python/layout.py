"""A C program that says what a compiler makes of everything in python/recon/_abi.py.

layout.py ABI c: the program. It holds the package's prototypes after the headers', so that one that
differs does not compile, and an initialiser with as many values as ctypes has fields, so that one
too few is a warning, even where a new field would fit into padding.
layout.py ABI ctypes: what it must print.
"""
import ctypes
import importlib.util
import sys


def abi(path):
    spec = importlib.util.spec_from_file_location("abi", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def zero(kind):
    if issubclass(kind, ctypes.Structure):
        return "{ " + ", ".join(zero(field) for _, field in kind._fields_) + " }"
    return "{ " + zero(kind._type_) + " }" if issubclass(kind, ctypes.Array) else "0"


def program(a):
    yield "#include <recon/recon.h>\n#include <recon/backbone/gcn.h>\n#include <stddef.h>\n#include <stdio.h>"
    yield a.PROTOTYPES
    for name, structure in a.STRUCTURES.items():
        yield f"extern {name} zero_{name}; {name} zero_{name} = {zero(structure)};"
    yield "int main(void)\n{"
    for name in a.CONSTANTS:
        yield f'    printf("{name} %.17g\\n", (double){name});'
    for name, structure in a.STRUCTURES.items():
        yield f'    printf("{name} %zu\\n", sizeof({name}));'
        for field, _ in structure._fields_:
            yield (
                f'    printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}),'
                f" sizeof((({name} *)0)->{field}));"
            )
    yield '    printf("words %zu\\n", sizeof(recon_distribution3_text));'
    yield "    return 0;\n}"


def expected(a):
    for name, value in a.CONSTANTS.items():
        yield f"{name} {value:.17g}"
    for name, structure in a.STRUCTURES.items():
        yield f"{name} {ctypes.sizeof(structure)}"
        for field, kind in structure._fields_:
            yield f"{name}.{field} {getattr(structure, field).offset} {ctypes.sizeof(kind)}"
    yield f"words {a.WORDS_SIZE}"


print("\n".join({"c": program, "ctypes": expected}[sys.argv[2]](abi(sys.argv[1]))))
