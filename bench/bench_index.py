#!/usr/bin/env python3
"""recon.PoseIndex beside FAISS's flat index with the statistics in NumPy: seconds of CPU in one run.

    bench/bench_index.py [N D K QUERIES]        default: 20000 128 25 1000

The peer finds the same neighbours. Of their poses it has the circular mean, the first four moments, a width, a
score and its p-value by the points' own; recon has clusters, verdicts, modes and p_embedding besides.
"""
import sys
import time

import faiss
import numpy as np
import recon


class Peer:
    def __init__(self, k):
        self.k = k

    def fit(self, z, g):
        self.g, unit = g, z / np.linalg.norm(z, axis=1, keepdims=True)
        self.flat = faiss.IndexFlatIP(z.shape[1])
        self.flat.add(unit)
        _, near = self.flat.search(unit, self.k + 1)
        others = near != np.arange(len(z))[:, None]
        others[others.all(1), -1] = False  # behind copies of itself
        self.tails = np.sort(self._score(near[others].reshape(len(z), self.k), g)[2])
        return self

    def _score(self, near, g):
        moment = np.exp(1j * np.arange(1, 5)[:, None, None] * self.g[near]).mean(2)
        centre, length = np.angle(moment[0]), np.abs(moment[0]).clip(1e-9, 1 - 1e-9)
        sigma = np.sqrt(-2 * np.log(length))
        off = np.angle(np.exp(1j * (g - centre)))
        wrapped = sum(np.exp(-((off + 2 * np.pi * t) / sigma) ** 2 / 2) for t in (-1, 0, 1))
        background = 1 / (self.k + 2)
        density = (1 - background) * wrapped / (sigma * np.sqrt(2 * np.pi)) + background / (2 * np.pi)
        return centre, np.abs(moment), -np.log(density)

    def query(self, z, g):
        similarity, near = self.flat.search(z / np.linalg.norm(z, axis=1, keepdims=True), self.k)
        centre, moments, score = self._score(near, g)
        p = (len(self.tails) - np.searchsorted(self.tails, score) + 1) / (len(self.tails) + 1)
        return centre, moments, score, p, similarity, near


def cpu(call, repeats=1):
    """The least of three, in milliseconds."""
    spent = []
    for _ in range(3):
        begun = time.process_time()
        for _ in range(repeats):
            call()
        spent.append(1e3 * (time.process_time() - begun) / repeats)
    return min(spent)


def main():
    n, d, k, m = map(int, sys.argv[1:] or (20000, 128, 25, 1000))
    r = np.random.default_rng(1)
    kind = r.integers(0, n // 100, n + m)
    z = (r.normal(size=(n // 100, d))[kind] + 0.5 * r.normal(size=(n + m, d))).astype(np.float32)
    g = np.angle(np.exp(1j * (kind + 0.3 * r.normal(size=n + m))))
    faiss.omp_set_num_threads(1)
    recon.set_threads(1)
    own, peer = recon.PoseIndex(k=k, family="normal"), Peer(k)
    rows = [("fit", cpu(lambda: own.fit(z[:n], g[:n])), cpu(lambda: peer.fit(z[:n], g[:n])))]
    for count, repeats in (m, 1), (1, 200):
        q, h = z[n : n + count], g[n : n + count]
        rows.append((f"{count} at once", cpu(lambda: own.query(q, h), repeats), cpu(lambda: peer.query(q, h), repeats)))
    same = np.mean(own.query(z[n:], g[n:]).neighbors == peer.query(z[n:], g[n:])[-1])
    print(f"{n} x {d}, k = {k}; {same:.2%} of the neighbours are the same")
    for what, a, b in rows:
        print(f"{what:>14}  recon {a:9.2f} ms  FAISS + NumPy {b:9.2f} ms  {b / a:5.1f} times")


main()
