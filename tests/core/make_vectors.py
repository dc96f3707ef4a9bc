#!/usr/bin/python3
"""Makes the small files in tests/fuzz/corpus, from which the tests learn what others write.

Run by hand from the repository's root (/usr/bin/python3 with Debian's numpy 1.24 and Pillow 9.4); the files are
committed. They are also what the fuzzers start from.
"""
import json
import os
import struct

import numpy as np
from PIL import Image

ROOT = os.path.join(os.path.dirname(__file__), "../fuzz/corpus")
GRID = np.arange(24).reshape(2, 3, 4)


def path(kind, name):
    os.makedirs(os.path.join(ROOT, kind), exist_ok=True)
    return os.path.join(ROOT, kind, name + "." + kind)


def npy(name, array, version=None):
    with open(path("npy", name), "wb") as f:
        np.lib.format.write_array(f, array, version)


for code in ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"]:
    npy(code, GRID.astype(code))
    npy(code + "_fortran", np.asfortranarray(GRID.astype(code)))
for code in ["f2", "f4", "f8", "i2", "u8"]:
    npy(code + "_swapped", GRID.astype(">" + code))
npy("version2", GRID.astype("f4"), (2, 0))
npy("version3", GRID.astype("f4"), (3, 0))
npy("scalar", np.array(2.5))
npy("empty", np.zeros((0, 3), "f4"))
npy("one", np.arange(3.0))
npy("object", np.array([None, {}]))
npy("record", np.zeros(2, [("a", "f4"), ("b", "i2")]))
npy("complex", np.zeros(2, "c8"))
npy("text", np.array(["ab", "c"]))


def safetensors(name, header, data, pad=0):
    text = json.dumps(header).encode() + b" " * pad
    with open(path("safetensors", name), "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


NAMES = {"f2": "F16", "f4": "F32", "f8": "F64", "i1": "I8", "i2": "I16", "i4": "I32", "i8": "I64",
         "u1": "U8", "u2": "U16", "u4": "U32", "u8": "U64", "b1": "BOOL"}


def all_types():
    header, data = {"__metadata__": {"format": "np", "note": "first\nsecond"}}, b""
    for code, dtype in NAMES.items():
        bytes_ = GRID.astype("<" + code).tobytes()
        header[dtype.lower()] = {"dtype": dtype, "shape": list(GRID.shape),
                                 "data_offsets": [len(data), len(data) + len(bytes_)]}
        data += bytes_
    bfloat = (GRID.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
    header["bf16"] = {"dtype": "BF16", "shape": [24],
                      "data_offsets": [len(data), len(data) + len(bfloat)]}
    return header, data + bfloat


header, data = all_types()
safetensors("types", header, data)
for pad in range(8):  # whatever the length of the header, one of these is not aligned
    if (8 + len(json.dumps(header)) + pad) % 8 == 1:
        safetensors("unaligned", header, data, pad)
safetensors("scalar", {"x": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]},
                       "none": {"dtype": "F64", "shape": [0, 3], "data_offsets": [4, 4]}},
            struct.pack("<f", 2.5))
safetensors("empty", {}, b"")

os.makedirs(os.path.join(ROOT, "png"), exist_ok=True)
grey = (np.arange(30).reshape(6, 5) * 8).astype("u1")
colour = np.stack([grey, 255 - grey, grey // 2], -1)
for name, image in {
    "grey.png": Image.fromarray(grey),
    "colour.png": Image.fromarray(colour),
    "alpha.png": Image.fromarray(np.dstack([colour, grey])),
    "palette.png": Image.fromarray(colour).quantize(5),
    "deep.png": Image.fromarray(grey.astype("u2") * 257),
    "bits.png": Image.fromarray(grey > 60),
    "grey.pgm": Image.fromarray(grey),
    "colour.ppm": Image.fromarray(colour),
}.items():
    image.save(os.path.join(ROOT, "png", name))
with open(os.path.join(ROOT, "png", "text.pgm"), "w") as f:
    f.write("P2\n# c\n3 2\n15\n1 2 3\n4 5 15\n")
