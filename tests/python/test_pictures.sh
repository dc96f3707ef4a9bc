#!/bin/sh
# Pictures of any size and depth from Python: the poses and the pixels that the command gives, bit for
# bit.
here=$(cd "${0%/*}" && pwd)
. "$here/../cli/lib.sh"
. "$here/python.sh"
needs_package
ln -s "$root/data" data && ln -s "$root/models" models

# Garments, enlarged, of several depths and channels; as PNG files, and as arrays.
cat >pictures.py <<'PROGRAM'
import struct, zlib, numpy as np, recon
def chunk(kind, data): return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
def png(path, x):
    deep, channels = x.dtype == np.uint16, (*x.shape, 1)[2]
    rows = x.astype(">u2") if deep else x
    data = b"".join(b"\0" + row.tobytes() for row in rows)
    head = struct.pack(">IIBBBBB", x.shape[1], x.shape[0], 16 if deep else 8, {1: 0, 2: 4, 3: 2, 4: 6}[channels], 0, 0, 0)
    open(path, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(data, 1)) + chunk(b"IEND", b""))
def large(image, height, width):
    rows, columns = np.arange(height) * 28 // height, np.arange(width) * 28 // width
    return np.round(255 * image[rows][:, columns]).astype(np.uint8)
garments = recon.read_images("garments", rotate="all", limit=6).images
r = np.random.default_rng(3)
x = [large(g, *s) for g, s in zip(garments, ((1000, 800), (100, 80), (300, 200), (120, 160), (28, 28), (64, 40)))]
x[0] = np.stack([x[0], x[0] // 2, 255 - x[0]], axis=2)
x[2] = x[2].astype(np.uint16) * 250 + r.integers(0, 250, x[2].shape, dtype=np.uint16)
x[3] = np.dstack([x[3], x[3] // 2, x[3], np.where(x[3] > 20, 255, r.integers(0, 99, x[3].shape))]).astype(np.uint8)
x[5] = np.dstack([x[5]] * 3).astype(np.uint16) * 257
PROGRAM
passes "pictures are made" <<'PROGRAM'
import os, pictures as p
os.mkdir("in")
for i, x in enumerate(p.x): p.png(f"in/{i}.png", x)
PROGRAM
for how in bilinear bicubic; do
    run canonicalize --all --model models/fashion.safetensors --data images:in --out $how --interpolation $how --poses $how.npy --quiet
    report "$code" "the command canonicalizes them, $how"
done
run canonicalize --model models/fashion.safetensors --data images:in --out gated --only-if 0.08 --quiet
run score --model models/fashion.safetensors --data images:in --out scores.npy --quiet
passes "poses, scores and every pixel are the command's, 1000 x 800 among them" <<'PROGRAM'
import numpy as np, pictures as p, recon
model = recon.load("models/fashion.safetensors")
def decoded(path):
    from PIL import Image
    return np.asarray(Image.open(path))
for how in "bilinear", "bicubic":
    upright, poses = model.canonicalize(p.x, interpolation=how)
    assert np.array_equal(poses.absolute, np.load(f"{how}.npy")), poses.absolute
    for i, (given, made) in enumerate(zip(p.x, upright)):
        assert made.shape == given.shape and made.dtype == given.dtype
        p.png("made.png", made)
        assert np.array_equal(decoded("made.png"), decoded(f"{how}/{i}.png")), (how, i)
    assert not np.array_equal(upright[0], p.x[0])
gated, poses = model.canonicalize(p.x, only_if=0.08)
assert 0 < poses.rotated.sum() < 6
for i, made in enumerate(gated):
    p.png("made.png", made)
    assert np.array_equal(decoded("made.png"), decoded(f"gated/{i}.png")), i
    assert poses.rotated[i] or np.array_equal(made, p.x[i])
assert np.array_equal(model.score(p.x).score, np.load("scores.npy"))
PROGRAM
passes "one picture, an array of them, floats and rows from elsewhere" <<'PROGRAM'
import numpy as np, pictures as p, recon
model = recon.load("models/fashion.safetensors")
upright, poses = model.canonicalize(p.x)
for i, x in enumerate(p.x):
    one, pose = model.canonicalize(x)
    assert one.shape == x.shape and one.dtype == x.dtype and len(pose) == 1
    assert np.abs(one.astype(float) - upright[i]).max() <= (260 if x.dtype == np.uint16 else 1)
stack = np.stack([p.x[1]] * 3)
several, pose = model.canonicalize(stack)
assert several.shape == stack.shape and several.dtype == np.uint8 and len(pose) == 3
for dtype in "f4", "f8", "f2":
    floats = (p.x[1] / 255).astype(dtype)
    one, pose = model.canonicalize(floats)
    assert one.dtype == floats.dtype and abs(pose.absolute[0] - poses.absolute[1]) < 0.02, dtype
    assert np.abs(255 * one.astype(float) - upright[1]).max() < (1 if dtype != "f2" else 2)
own = np.random.default_rng(2).integers(0, 256, (3, *model.size[:2]), dtype=np.uint8)  # of the model's size
for dtype in "u1", "u2", "f2", "f4", "f8", ">f4":
    given = own if dtype == "u1" else own * 257. if dtype == "u2" else own / 255
    for x in given.astype(dtype), given.astype(dtype)[..., None]:
        made = model.canonicalize(x)[0]
        assert (made.shape, made.dtype) == (x.shape, x.dtype), (dtype, made.dtype)
turned, pose = model.canonicalize(p.x[1].T[::-1].copy())  # by 90 degrees
assert abs((pose.absolute[0] - poses.absolute[1] - np.pi / 2 + np.pi) % (2 * np.pi) - np.pi) < 0.1
assert np.array_equal(model.canonicalize(np.asfortranarray(p.x[0]))[0], model.canonicalize(p.x[0])[0])
assert model.canonicalize([])[0] == [] and len(model.canonicalize(np.zeros((0, 50, 60)))[1]) == 0
for none in np.zeros((0, 50, 60)), np.zeros((0, 30, 30, 3), np.uint8), np.zeros((0, *model.size), np.float32):
    out = model.canonicalize(none)[0]
    assert isinstance(out, np.ndarray) and (out.shape, out.dtype) == (none.shape, none.dtype), (out, none.dtype)
PROGRAM
passes "points, boxes and masks go back in the pixels of each picture" <<'PROGRAM'
import numpy as np, pictures as p, recon
model = recon.load("models/fashion.safetensors")
upright, poses = model.canonicalize(p.x)
middle = [np.array([[(x.shape[1] - 1) / 2, (x.shape[0] - 1) / 2]]) for x in p.x]
assert all(np.allclose(a, b) for a, b in zip(poses.to_input(points=middle), middle))
there = poses.to_canonical(masks=[x.astype(np.float32) for x in p.x[:2]] + [x[..., :1].astype(np.float32) if x.ndim == 3 else x.astype(np.float32) for x in p.x[2:]])
assert np.abs(there[1] - upright[1]).max() <= 0.51 and there[0].shape == upright[0].shape
assert poses[1:3] == poses[[1, 2]] and poses[1].to_input(boxes=[np.array([[1.0, 2, 30, 40]])])[0].shape == (1, 4)
assert [len(c.weight) > 0 for c in model.candidates(p.x)] == [True] * 6 and len(model.distribution(p.x)) == 6
seen = []
model.canonicalize(p.x, judge=lambda x: (seen.append(x.shape[1:]), x.sum((1, 2, 3)))[1])
assert set(seen) <= {(28, 28, 1)}
PROGRAM
passes "what is no picture is refused" <<'PROGRAM'
import numpy as np, recon
model = recon.load("models/fashion.safetensors")
def refused(text, x):
    try: model.canonicalize(x)
    except recon.InputError as error: assert text in str(error), error
    else: raise AssertionError(text)
refused("images of int64", np.zeros((50, 60), int))
refused("a picture is height", np.zeros(50))
refused("channels go last", np.zeros((2, 3, 50, 60), np.uint8))
refused("but the model was made for n of 28 x 28 x 1", np.zeros((2, 50, 60, 7), np.uint8))
refused("is nan", np.full((50, 60), np.nan))
refused("a picture of 0 x 60", np.zeros((0, 60, 3), np.uint8))
refused("images", "garments")
PROGRAM
finish
