"""What bench_groups.c is held against: SciPy's Rotation.mean, and the group mean on SE(3) by a plain iteration
m <- exp(mean of log(g m^-1)) m in NumPy, set by set as their users call them, and all sets at once.

    bench/peers_groups.py DIR SECONDS_OF_MEAN SECONDS_OF_CHORDAL [SETS_ONE_BY_ONE]

Prints the largest difference of any entry and how many times as fast recon is.
"""
import sys
import time

import numpy as np
from scipy.spatial.transform import Rotation

K, STEPS, STILL = 25, 100, 1e-15


def log(g):
    """Of n x 4 x 4: rotation vectors and the shifts in front of the left Jacobian."""
    w = Rotation.from_matrix(g[:, :3, :3]).as_rotvec()
    a = np.linalg.norm(w, axis=1)[:, None]
    safe = np.where(a < 1e-6, 1, a)
    c = np.where(a < 1e-6, 1 / 12, (1 - safe / 2 / np.tan(safe / 2)) / safe**2)
    x = np.cross(w, g[:, :3, 3])
    return w, g[:, :3, 3] - x / 2 + c * np.cross(w, x)


def exp(w, v):
    a = np.linalg.norm(w, axis=1)[:, None]
    safe = np.where(a < 1e-6, 1, a)
    b = np.where(a < 1e-6, 0.5, (1 - np.cos(safe)) / safe**2)
    c = np.where(a < 1e-6, 1 / 6, (safe - np.sin(safe)) / safe**3)
    x = np.cross(w, v)
    out = np.tile(np.eye(4), (len(w), 1, 1))
    out[:, :3, :3] = Rotation.from_rotvec(w).as_matrix()
    out[:, :3, 3] = v + b * x + c * np.cross(w, x)
    return out


def group_means(g):
    """Of n x K x 4 x 4."""
    m = g[:, 0].copy()
    for _ in range(STEPS):
        w, v = log((g @ np.linalg.inv(m)[:, None]).reshape(-1, 4, 4))
        w, v = (x.reshape(len(g), -1, 3).mean(axis=1) for x in (w, v))
        m = exp(w, v) @ m
        if np.abs(np.hstack([w, v])).max() < STILL * 100:
            break
    return m


def main():
    folder, mean_s, chordal_s = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
    g = np.load(folder + "/poses.npy").reshape(-1, K, 4, 4)
    mean, chordal = np.load(folder + "/mean.npy"), np.load(folder + "/chordal.npy")
    few = min(len(g), int(sys.argv[4]) if len(sys.argv) > 4 else 2000)

    begun = time.perf_counter()
    one = np.stack([Rotation.from_matrix(x[:, :3, :3]).mean().as_matrix() for x in g])
    scipy_s = time.perf_counter() - begun
    print(f"chordal    against SciPy's Rotation.mean, set by set: {np.abs(one - chordal[:, :3, :3]).max():.1e} apart, "
          f"{scipy_s:.2f} s, recon {scipy_s / chordal_s:.0f} times as fast")

    begun = time.perf_counter()
    for x in g[:few]:
        group_means(x[None])
    numpy_s = (time.perf_counter() - begun) * len(g) / few
    begun = time.perf_counter()
    all_at_once = np.concatenate([group_means(g[i:i + 2000]) for i in range(0, len(g), 2000)])
    batch_s = time.perf_counter() - begun
    print(f"group mean against NumPy: {np.abs(all_at_once - mean).max():.1e} apart; set by set {numpy_s:.0f} s (from {few} sets), "
          f"recon {numpy_s / mean_s:.0f} times as fast; all at once {batch_s:.2f} s, {batch_s / mean_s:.0f} times")


main()
