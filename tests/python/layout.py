"""A C program that says what a compiler makes of everything in python/recon/_abi.py.

layout.py ABI c: the program. It calls each function with arguments of the kinds that ctypes hands
over, so that another number or kind is a warning, and has for each structure an initialiser with as
many values as ctypes has fields, so that one too few is one, even where a new field would fit into
padding.
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


def call(name, arguments):
    given = {ctypes.c_double: "0.5", ctypes.c_float: "0.5f", ctypes.c_void_p: "(void *)0"}
    pointers = ctypes.c_char_p, ctypes._CFuncPtr
    return name + "(" + ", ".join(
        f"zero_{kind.__name__}" if issubclass(kind, ctypes.Structure)
        else given.get(kind, "0" if issubclass(kind, pointers) else "1") for kind in arguments) + ")"


def constants(a):
    return {name: x for name, x in a.CONSTANTS.items() if isinstance(x, (int, float))}


def named(a):
    return {name: x for name, x in a.TYPES.items() if name.startswith("recon_")}


def structures(a):
    return {name: x for name, x in named(a).items() if issubclass(x, ctypes.Structure)}


def program(a):
    yield "#include <recon/recon.h>\n#include <recon/backbone/gcn.h>\n#include <stddef.h>\n#include <stdio.h>"
    for name, structure in structures(a).items():
        yield f"extern {name} zero_{name}; {name} zero_{name} = {zero(structure)};"
    yield "int main(void)\n{"
    for name in constants(a):
        yield f'    printf("{name} %.17g\\n", (double){name});'
    for name in named(a):
        yield f'    printf("{name} %zu\\n", sizeof({name}));'
    for name, structure in structures(a).items():
        for field, _ in structure._fields_:
            yield (
                f'    printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}),'
                f" sizeof((({name} *)0)->{field}));"
            )
    for name, (result, arguments) in a.PROTOTYPES.items():
        yield f"    if (0) (void){call(name, arguments)};"
        if result:
            yield f'    printf("{name} %zu\\n", sizeof({call(name, arguments)}));'
    yield "    return 0;\n}"


def expected(a):
    for name, value in constants(a).items():
        yield f"{name} {value:.17g}"
    for name, kind in named(a).items():
        yield f"{name} {ctypes.sizeof(kind)}"
    for name, structure in structures(a).items():
        for field, kind in structure._fields_:
            yield f"{name}.{field} {getattr(structure, field).offset} {ctypes.sizeof(kind)}"
    for name, (result, _) in a.PROTOTYPES.items():
        if result:
            yield f"{name} {ctypes.sizeof(result)}"


print("\n".join({"c": program, "ctypes": expected}[sys.argv[2]](abi(sys.argv[1]))))
