#!/bin/sh
# recon.PoseIndex: the answers of recon.normalize(queries=), kept, added to, saved, asked by many threads.
here=$(cd "${0%/*}" && pwd)
. "$here/../cli/lib.sh"
. "$here/python.sh"
needs_package
cat >common.py <<'PROGRAM'
import pickle, threading, warnings, numpy as np, recon
warnings.simplefilter("ignore")
r = np.random.default_rng(5)
kind = r.integers(0, 6, 700)
z = (r.normal(size=(6, 12))[kind] + 0.3 * r.normal(size=(700, 12))).astype(np.float32)
g = np.angle(np.exp(1j * (kind + 0.2 * r.normal(size=700))))
rotations = np.stack([np.cos(g / 2), 0 * g, 0 * g, np.sin(g / 2)], 1)
def same(a, b):
    for name in recon.Frames.__dataclass_fields__:
        x, y = getattr(a, name), getattr(b, name)
        if name not in ("seconds", "hit_rate"):
            numbers = isinstance(x, np.ndarray) and x.dtype.kind == "f"
            assert np.array_equal(x, y, equal_nan=numbers) if isinstance(x, np.ndarray) else x == y, name
def refused(text, call, *arguments, **named):
    try: call(*arguments, **named)
    except recon.InputError as error: assert text in str(error), error
    else: raise AssertionError(text)
PROGRAM
passes "answers, saved and loaded, added to, pickled" <<'PROGRAM'
from common import *
for options, poses, own in (({}, g, {}), ({"group": "so3", "quaternions": "wxyz", "k": 5}, rotations.astype("f4"), {}),
                            ({"classes": "components", "eps": 0.5}, g, {}), ({"metric": "euclidean", "family": "normal"}, g, {}),
                            ({"classes": "given", "family": "normal"}, g, {"classes": kind}), ({"group": "c4"}, kind % 4, {}),
                            ({"group": "r2"}, np.stack([g, 0.1 * g**2], 1), {}), ({"group": "so2*scale", "classes": "given"}, np.stack([g, np.exp(g)], 1), {"classes": kind})):
    named = {**options, **({"classes": kind[:600]} if own else {})}
    want = recon.normalize(z[:600], poses[:600], queries=(z[600:], poses[600:]), **named)
    part = {"classes": kind[:500]} if own else {}
    index = recon.PoseIndex(**options).fit(z[:500], poses[:500], **part)
    index.save("part.index")
    rest = {"classes": kind[500:600]} if own else {}
    loaded = recon.PoseIndex.load("part.index", quaternions=options.get("quaternions")).add(z[500:600], poses[500:600], **rest)
    for one in loaded, index.add(z[500:600], poses[500:600], **rest), pickle.loads(pickle.dumps(index)):
        same(one.query(z[600:], poses[600:]), want)
    bare = loaded.query(z[600:])
    assert np.array_equal(bare.gamma, want.gamma, equal_nan=True) and np.isnan(bare.p).all() and len(loaded) == 600
PROGRAM
passes "threads ask one index, while points are added to it" <<'PROGRAM'
from common import *
recon.set_threads(1)
index = recon.PoseIndex(family="normal").fit(z[:600], g[:600])
before, faults = index.query(z[600:], g[600:]), []
after = recon.PoseIndex(family="normal").fit(z, g).query(z[600:], g[600:])
def ask():
    try:
        for i in range(20):
            one = index.query(z[600:], g[600:])
            assert any(np.array_equal(one.p, two.p) and np.array_equal(one.neighbors, two.neighbors) for two in (before, after))
    except BaseException as error: faults.append(error)
threads = [threading.Thread(target=ask) for _ in range(8)]
for t in threads: t.start()
index.add(z[600:], g[600:])
for t in threads: t.join()
assert not faults, faults
same(index.query(z[600:], g[600:]), after)
PROGRAM
ln -s "$root/data" data && ln -s "$root/models" models
passes "a model's own embeddings" <<'PROGRAM'
from common import *
model = recon.load("fashion")
index, images = model.index(), recon.read_images("garments", limit=40).images
z, psi = model.embed(images)
frames, turned = index.query(z, psi), index.query(z, psi + 0.5)
assert np.array_equal(frames.gamma, turned.gamma) and np.array_equal(frames.verdict, turned.verdict)  # z alone decides
off = np.angle(np.exp(1j * (turned.absolute - frames.absolute - 0.5)))
assert np.abs(off).max() < 1e-9 and (frames.p_embedding > 0.01).mean() > 0.8 and len(index) <= 4096
PROGRAM
passes "what does not fit is refused" <<'PROGRAM'
from common import *
index = recon.PoseIndex()
refused("fit it, or load one", index.query, z)
refused("fit it, or load one", index.save, "x")
assert "without points" in repr(index)
index.fit(z, g)
refused("queries have 5 columns", index.query, z[:, :5])
refused("classes='given'", index.fit, z, g, classes=kind)
refused("the class of each point", recon.PoseIndex(classes="given").fit, z, g)
refused("classes 'mine'", recon.PoseIndex, classes="mine")
refused("quaternions do not go with", recon.PoseIndex(quaternions="wxyz").fit, z, g)
index.save("i")
refused("quaternions do not go with", recon.PoseIndex.load, "i", quaternions="wxyz")
try: recon.PoseIndex.load("none")
except FileNotFoundError as error: assert "none" in str(error)
PROGRAM
finish
