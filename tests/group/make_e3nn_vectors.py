#!/usr/bin/env python3
"""Writes tests/group/e3nn_vectors.h: what e3nn answers, for the tests of group/ and of the op `couple`.

Needs e3nn and torch:   python3 tests/group/make_e3nn_vectors.py OUTFILE

The tensor-product layer is e3nn's FullyConnectedTensorProduct with component normalisation of irreps and element
normalisation of paths: a path into the slot l3 is multiplied by sqrt((2 l3 + 1) / fan_in), where fan_in is the sum of
mul_in * mul_attr over all paths into that slot. Ours has no fan_in: multiply ours by 1 / sqrt(fan_in), which is written
beside. Weights are in e3nn's order: blocks by (input slot, attribute slot, output slot), the output slot fastest, each
[mul_in][mul_attr][mul_out].
"""
import math
import os
import sys

os.environ.setdefault("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")  # e3nn's own tables, with torch from 2.6 on

import e3nn  # noqa: E402
import torch  # noqa: E402
from e3nn import o3  # noqa: E402

torch.set_default_dtype(torch.float64)

LMAX = 4
DIRECTIONS = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.3, -0.5, 0.8], [-2.0, 0.7, 0.1], [-0.2, -0.9, -1.3]]
QUATERNIONS = [[1, 0, 0, 0], [0.5, -0.5, 0.5, 0.5], [0.8, 0.1, -0.5, 0.3]]  # w first, scaled to length one
LAYER = "4x0e+3x1o+2x2e+1x3o"
ATTRIBUTES = "1x0e+1x1o+1x2e+1x3o"


def numbers(values, per_line=5):
    values = [repr(0.0 if abs(v) < 1e-15 else float(v)) for v in values]
    lines = [", ".join(values[i:i + per_line]) for i in range(0, len(values), per_line)]
    return ",\n    ".join(lines)


def array(out, name, values, comment):
    values = torch.as_tensor(values).detach().reshape(-1).tolist()
    out.write(f"/* {comment} */\nstatic const double {name}[{len(values)}] = {{\n    {numbers(values)}\n}};\n\n")


def unit_quaternion(q):
    n = math.sqrt(sum(x * x for x in q))
    return [x / n for x in q]


def matrix(q):
    w, x, y, z = q
    return torch.tensor([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def wigner(l, r):
    irrep = o3.Irrep(l, (-1) ** l)
    if hasattr(irrep, "D_from_matrix"):
        return irrep.D_from_matrix(r)
    return o3.wigner_D(l, *o3.matrix_to_angles(r))


def wigner_3j(l1, l2, l3):
    try:
        return o3.wigner_3j(l1, l2, l3, dtype=torch.float64)
    except TypeError:
        return o3.wigner_3j(l1, l2, l3)


def triples():
    return [(a, b, c) for a in range(4) for b in range(4) for c in range(4) if abs(a - b) <= c <= a + b]


def layer():
    """The layer, and 1 / sqrt(fan_in) of each output slot, from its own list of paths."""
    options = {"shared_weights": True, "internal_weights": False, "path_normalization": "element"}
    try:
        tp = o3.FullyConnectedTensorProduct(LAYER, ATTRIBUTES, LAYER, irrep_normalization="component", **options)
    except TypeError:  # its name in early versions
        tp = o3.FullyConnectedTensorProduct(LAYER, ATTRIBUTES, LAYER, normalization="component", **options)
    fan_in = [0] * len(tp.irreps_out)
    for ins in tp.instructions:
        fan_in[ins.i_out] += tp.irreps_in1[ins.i_in1].mul * tp.irreps_in2[ins.i_in2].mul
    return tp, [1 / math.sqrt(n) for n in fan_in]


def write(out):
    out.write(f"/* e3nn_vectors.h - what e3nn {e3nn.__version__} answers (torch {torch.__version__.split('+')[0]}).\n"
              " * Written by tests/group/make_e3nn_vectors.py, which says how; do not edit. */\n"
              "#ifndef TESTS_GROUP_E3NN_VECTORS_H\n#define TESTS_GROUP_E3NN_VECTORS_H\n\n/* clang-format off */\n"
              f"enum {{ E3NN_LMAX = {LMAX}, E3NN_DIRECTIONS = {len(DIRECTIONS)}, "
              f"E3NN_ROTATIONS = {len(QUATERNIONS)} }};\n\n")
    v = torch.tensor(DIRECTIONS, dtype=torch.float64)
    array(out, "e3nn_direction", v, "[directions][3], not of length one")
    rows = [o3.spherical_harmonics(l, v, normalize=True, normalization="component") for l in range(LMAX + 1)]
    array(out, "e3nn_harmonics", torch.cat(rows, dim=1), "[directions][25], degrees 0 to 4")
    q = [unit_quaternion(x) for x in QUATERNIONS]
    array(out, "e3nn_rotation", q, "[rotations][4], w first")
    flat = [wigner(l, matrix(x)).reshape(-1) for x in q for l in range(4)]
    array(out, "e3nn_wigner", torch.cat(flat), "[rotations]: matrices of degrees 0 to 3, 1 + 9 + 25 + 49 numbers")
    flat = [wigner_3j(*t).reshape(-1) for t in triples()]
    array(out, "e3nn_3j", torch.cat(flat),
          "l1, l2, l3 each 0 to 3, the last fastest, where they make a triangle; [2l1+1][2l2+1][2l3+1]")
    tp, scale = layer()
    x, attr = torch.empty(1, tp.irreps_in1.dim), torch.empty(1, tp.irreps_in2.dim)
    x[0] = torch.tensor([math.cos(0.3 * i) for i in range(tp.irreps_in1.dim)])
    attr[0] = torch.cat([r[3] for r in rows[:4]])
    weight = torch.tensor([math.sin(0.1 * i) for i in range(tp.weight_numel)])
    array(out, "e3nn_layer_scale", scale, "1 / sqrt(fan_in) of each output degree: e3nn's answer over ours")
    array(out, "e3nn_layer", tp(x, attr, weight)[0],
          f"{LAYER} (x) harmonics of the direction no. 3 -> {LAYER}; x_i = cos 0.3 i, weights w_i = sin 0.1 i, "
          f"{tp.weight_numel} of them")
    out.write("/* clang-format on */\n#endif\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], "w") as f:
        write(f)
