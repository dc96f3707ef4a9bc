#!/usr/bin/python3
"""The peers of bench_so3_mean: numpy's batched SVD and a loop of SciPy's Rotation.mean.

numpy averages the matrices and takes the SVD of all means at once; SciPy's loop runs on a part of
the sets and is scaled up, since the whole takes most of a minute.
"""
import time

import numpy as np
from scipy.spatial.transform import Rotation

SETS, K, LOOP = 174481, 25, 4000


def report(name, seconds):
    print(f"{name:<24} - threads {seconds:9.4f} s {SETS / seconds:12.0f} sets/s")


def numpy_svd(matrices):
    u, _, vt = np.linalg.svd(matrices.mean(axis=1))
    flip = np.ones((len(u), 3))
    flip[:, 2] = np.sign(np.linalg.det(u @ vt))
    return (u * flip[:, None, :]) @ vt


rng = np.random.default_rng(3)
centres = Rotation.random(SETS, random_state=3).as_matrix()
noise = Rotation.from_rotvec(0.35 * rng.standard_normal((SETS * K, 3))).as_matrix()
matrices = noise.reshape(SETS, K, 3, 3) @ centres[:, None]

best = np.inf
for _ in range(3):
    begun = time.perf_counter()
    means = numpy_svd(matrices)
    best = min(best, time.perf_counter() - begun)
report("numpy mean and SVD", best)

averages = matrices.mean(axis=1)
best = np.inf
for _ in range(3):
    begun = time.perf_counter()
    np.linalg.svd(averages)
    best = min(best, time.perf_counter() - begun)
report("numpy SVD alone", best)

rotations = [Rotation.from_matrix(m) for m in matrices[:LOOP]]
begun = time.perf_counter()
loop = [r.mean() for r in rotations]
report("SciPy Rotation.mean loop", (time.perf_counter() - begun) * SETS / LOOP)

off = np.abs(np.stack([r.as_matrix() for r in loop]) - means[:LOOP]).max()
assert off < 1e-10, f"the peers disagree by {off}"
