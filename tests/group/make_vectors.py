#!/usr/bin/env python3
"""Writes vectors.h: what SciPy and scikit-learn answer on small inputs.

Run by hand, from any directory, with Debian's python3-scipy and python3-sklearn. The inputs come
from a fixed seed, so the same versions write the same file."""
import pathlib

import numpy as np
import scipy
import sklearn
from scipy.spatial.transform import Rotation
from scipy.stats import vonmises, wasserstein_distance
from sklearn.metrics import roc_auc_score

rng = np.random.default_rng(20)
lines = []


def comment(text):
    lines.append(f"\n/* {text} */")


def numbers(values):
    return ", ".join(repr(v) for v in np.asarray(values).tolist())


def array(name, values, kind="double"):
    values = np.asarray(values)
    if values.ndim == 1:
        lines.append(f"static const {kind} {name}[{len(values)}] = {{ {numbers(values)} }};")
        return
    lines.append(f"static const {kind} {name}[{values.shape[0]}][{values.shape[1]}] = {{")
    lines.extend(f"    {{ {numbers(row)} }}," for row in values)
    lines.append("};")


def quaternions(rotations):
    """w first, w >= 0: the library's convention. SciPy puts w last."""
    q = np.atleast_2d(rotations.as_quat())[:, [3, 0, 1, 2]]
    return np.where(q[:, :1] < 0, -q, q) + 0.0


def around(n, sigma):
    """n rotations about a random centre, sigma radians of noise along each axis."""
    return Rotation.random(random_state=rng.integers(2**31)) * Rotation.from_rotvec(
        sigma * rng.standard_normal((n, 3)))


def rotation_vectors():
    axes = rng.standard_normal((8, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    angles = np.array([1e-9, 1e-4, 0.1, 1.0, 2.0, 3.0, np.pi - 1e-4, np.pi - 1e-8])
    return np.vstack([np.zeros(3), [1.0, 0, 0], [0, 1.0, 0], [0, 0, -1.0], axes * angles[:, None]])


comment("Rotation.from_rotvec(vector), then as_quat, as_matrix (row-major) and as_rotvec")
r = Rotation.from_rotvec(rotation_vectors())
lines.append(f"enum {{ ROTATIONS = {len(r)} }};")
array("rotation_vector", r.as_rotvec())
array("rotation_quaternion", quaternions(r))
array("rotation_matrix", r.as_matrix().reshape(-1, 9))

comment("Rotation.mean, a chordal mean. Set s is the next mean_size[s] rows of mean_rotation;\n"
        " * mean_weighted uses mean_weight, mean_plain gives every rotation the same weight")
sets = [around(1, 0.0), around(2, 0.5), around(5, 0.3), around(20, 0.02), around(20, 0.7),
        around(12, 1.2)]
weights = [rng.uniform(0.2, 3.0, len(s)) for s in sets]
lines.append(f"enum {{ MEAN_SETS = {len(sets)} }};")
array("mean_size", [len(s) for s in sets], "int")
array("mean_rotation", np.vstack([quaternions(s) for s in sets]))
array("mean_weight", np.concatenate(weights))
array("mean_plain", np.vstack([quaternions(s.mean()) for s in sets]))
array("mean_weighted", np.vstack([quaternions(s.mean(w)) for s, w in zip(sets, weights)]))

comment("vonmises.logpdf(angle, kappa), one row for each kappa")
kappa = np.array([1e-3, 1.0, 20.0, 700.0, 1e5])
angle = np.array([0.0, 1e-6, 0.01, -0.1, 0.7, -1.5, 2.5, np.pi])
lines.append(f"enum {{ VONMISES_KAPPAS = {len(kappa)}, VONMISES_ANGLES = {len(angle)} }};")
array("vonmises_kappa", kappa)
array("vonmises_angle", angle)
array("vonmises_logpdf", vonmises.logpdf(angle[None, :], kappa[:, None]))

comment("roc_auc_score of rounded scores, so that ties are many, within and across the classes")
score = np.round(rng.standard_normal((4, 25)) * np.array([[0.5], [1], [3], [0]]), 0) + 0.0
label = (score + rng.standard_normal((4, 25)) > 0.3).astype(int)
lines.append(f"enum {{ ROC_SETS = {len(score)}, ROC_SIZE = {score.shape[1]} }};")
array("roc_score", score)
array("roc_label", label, "unsigned char")
array("roc_auc", [roc_auc_score(y, s) for y, s in zip(label, score)])

comment("wasserstein_distance on the line (p = 1), samples on an arc shorter than half a turn")
a = rng.uniform(-1.4, 1.4, (3, 12))
b = rng.uniform(-1.4, 1.4, (3, 7)) * np.array([[1], [0.3], [0.01]])
lines.append("enum { ARC_SETS = 3, ARC_SIZE_A = 12, ARC_SIZE_B = 7 };")
array("arc_a", a)
array("arc_b", b)
array("arc_distance", [wasserstein_distance(x, y) for x, y in zip(a, b)])

head = f"""/* vectors.h - reference answers. Written by make_vectors.py; do not edit.
 *
 * scipy {scipy.__version__}, scikit-learn {sklearn.__version__}, numpy {np.__version__}.
 * Quaternions have w first and w >= 0. */
#ifndef TESTS_STATS_VECTORS_H
#define TESTS_STATS_VECTORS_H

/* clang-format off */
"""
tail = "\n/* clang-format on */\n\n#endif\n"
target = pathlib.Path(__file__).with_name("vectors.h")
target.write_text(head + "\n".join(lines).lstrip("\n") + "\n" + tail)
