#!/usr/bin/python3
"""Writes the GEOM files the tests read, from the shipped conformers:

  tests/data/geom_sample.msgpack      two chunks. Molecule 0 of data/conformers, 66 conformers, each
                                      rotated and moved at random, highest energy first, with one that
                                      has reacted; a molecule of 3; a piece and a radical.
  tests/fuzz/corpus/geom/tiny.msgpack   two molecules of two conformers: where the fuzzer begins.

Run in the root of the sources; needs python3-numpy and python3-msgpack."""
import json
import os

import msgpack
import numpy as np

DATA = "data/conformers"
HARTREE = 627.5094740631
rng = np.random.default_rng(5)


def load(name):
    return np.load(f"{DATA}/{name}.npy")


Z, atom, conf, energy = (load(n) for n in ("Z", "atom_offset", "conf_offset", "energy"))
places = np.concatenate([load(f"positions-{i}") for i in range(3)]) * 1e-3
smiles = json.load(open(f"{DATA}/meta.json"))["smiles"]
row = np.concatenate([[0], np.cumsum(np.diff(atom).astype(int) * np.diff(conf).astype(int))])


def rotated(x):
    """x under a rotation and a translation; ten decimals, as GEOM has."""
    q = rng.normal(size=4)
    w, i, j, k = q / np.linalg.norm(q)
    rotation = np.array([[1 - 2 * (j * j + k * k), 2 * (i * j - k * w), 2 * (i * k + j * w)],
                     [2 * (i * j + k * w), 1 - 2 * (i * i + k * k), 2 * (j * k - i * w)],
                     [2 * (i * k - j * w), 2 * (j * k + i * w), 1 - 2 * (i * i + j * j)]])
    return np.round(x @ rotation.T + rng.normal(size=3), 10)


def conformer(m, c, number):
    atoms = int(atom[m + 1] - atom[m])
    first = row[m] + c * atoms
    above = float(energy[conf[m] + c]) + 1e-6 * c  # float16 has ties
    z = Z[atom[m]:atom[m + 1]]
    xyz = rotated(places[first:first + atoms])
    return {"geom_id": 120000000 + number, "set": 1, "degeneracy": 2, "boltzmannweight": 0.01,
            "conformerweights": [0.005, 0.005], "relativeenergy": above,
            "totalenergy": -35.25 + above / HARTREE,
            "xyz": [[float(a), *map(float, p)] for a, p in zip(z, xyz)]}


def record(m, count, reverse=False):
    every = [conformer(m, c, 1000 * m + c) for c in range(count)]
    return {"totalconfs": 2 * count, "uniqueconfs": count, "temperature": 298.15, "charge": 0,
            "conformers": every[::-1] if reverse else every, "datasets": ["qm9"]}


def write(path, chunks):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        for chunk in chunks:
            f.write(msgpack.packb(chunk))


lowest = record(0, 66, reverse=True)
broken = conformer(0, 7, 99)
broken["xyz"][-1][1:] = [v + 3 for v in broken["xyz"][-1][1:]]  # a hydrogen is gone
lowest["conformers"].insert(30, broken)
write("tests/data/geom_sample.msgpack",
      [{"N#N.[NH]C1=N[CH]OC1=O": record(1, 1), smiles[0]: lowest},
       {smiles[1]: record(1, 3), "C[CH]O": record(2, 1)}])
write("tests/fuzz/corpus/geom/tiny.msgpack", [{smiles[0]: record(0, 2)}, {smiles[1]: record(1, 2)}])
