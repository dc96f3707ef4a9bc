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
stack = np.stack([p.x[1]] * 5)
several, pose = model.canonicalize(stack)
assert several.shape == stack.shape and several.dtype == np.uint8 and len(pose) == 5
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
refused("images of 3 x 50 x 60: one picture with channels first, or 3 grey ones? np.moveaxis(x, 0, -1)", np.zeros((3, 50, 60), np.uint8))
refused("but the model was made for n of 28 x 28 x 1", np.zeros((2, 50, 60, 7), np.uint8))
refused("is nan", np.full((50, 60), np.nan))
refused("a picture of 0 x 60", np.zeros((0, 60, 3), np.uint8))
try: model.canonicalize("nowhere.png")
except FileNotFoundError as error: assert "nowhere.png" in str(error)
else: raise AssertionError("a file that is not there")
PROGRAM
passes "channels first or last, where only one can be, come back as they came" <<'PROGRAM'
import numpy as np, pictures as p, recon, warnings
model = recon.load("models/fashion.safetensors")
x = np.stack([p.x[0][:200, :160], p.x[0][::-1][:200, :160]])
upright, poses = model.canonicalize(x)
first, same = model.canonicalize(np.moveaxis(x, -1, 1))
assert np.array_equal(np.moveaxis(first, 1, -1), upright) and same == poses
assert np.array_equal(model.canonicalize([np.moveaxis(one, -1, 0) for one in x])[0][1], np.moveaxis(upright[1], -1, 0))
own = np.random.default_rng(2).random((3, *model.size[:2]))
assert np.array_equal(model.canonicalize(own[:, None])[0][:, 0], model.canonicalize(own)[0])
assert np.array_equal(model.score(own[:, None]).score, model.score(own).score)
listed, poses = model.canonicalize(list(own))
assert isinstance(listed, list) and np.array_equal(np.stack(listed), model.canonicalize(own)[0])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model.score((own - 0.2860) / 0.3530)
assert "canonicalize before images are normalized" in str(caught[0].message) and caught[0].filename == "<stdin>"
PROGRAM
passes "the path of a picture is the picture, in 8 or 16 bits" <<'PROGRAM'
import pathlib, numpy as np, pictures as p, recon
model = recon.load("models/fashion.safetensors")
paths = [pathlib.Path(f"in/{i}.png") for i in range(6)]
upright, poses = model.canonicalize(paths)
want, same = model.canonicalize(p.x)
assert poses == same and all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(upright, want))
one, pose = model.canonicalize("in/2.png")
assert one.dtype == np.uint16 and one.shape == p.x[2].shape
mixed, _ = model.canonicalize(["in/1.png", p.x[1]])
assert np.array_equal(*mixed)
PROGRAM
passes "PIL images come back as PIL images" <<'PROGRAM'
import numpy as np, pictures as p, recon
from PIL import Image
model = recon.load("models/fashion.safetensors")
upright, poses = model.canonicalize(p.x[:5])
images = [Image.fromarray(x) for x in p.x[:5]]
assert [image.mode for image in images] == ["RGB", "L", "I;16", "RGBA", "L"]
made, same = model.canonicalize(images)
assert same == poses and [one.mode for one in made] == [one.mode for one in images]
assert all(np.array_equal(np.asarray(a), b) for a, b in zip(made, upright))
one, _ = model.canonicalize(images[0])
assert isinstance(one, Image.Image) and one.size == images[0].size
assert np.array_equal(model.score(images).score, model.score(p.x[:5]).score)
own = Image.fromarray(np.random.default_rng(2).integers(0, 256, model.size[:2], dtype=np.uint8))
assert isinstance(model.canonicalize([own, own])[0][0], Image.Image)
for mode in "P", "CMYK", "1":
    try: model.canonicalize(images[0].convert(mode))
    except recon.InputError as error: assert f"of mode {mode}: image.convert('RGB')" in str(error)
    else: raise AssertionError(mode)
PROGRAM
if "$python" -c 'import torch' 2>/dev/null; then
    passes "tensors come back as tensors, wherever arrays are taken" <<'PROGRAM'
import numpy as np, pictures as p, recon, torch
model = recon.load("models/fashion.safetensors")
picture = torch.from_numpy(p.x[0]).permute(2, 0, 1)
upright, pose = model.canonicalize(picture)
assert isinstance(upright, torch.Tensor) and upright.dtype == torch.uint8
assert np.array_equal(upright.permute(1, 2, 0).numpy(), model.canonicalize(p.x[0])[0])
own = torch.rand(5, 28, 28)
for x in own, own[:, None], own.half(), own.double():
    made, poses = model.canonicalize(x)
    assert made.dtype == x.dtype and made.shape == x.shape and np.array_equal(poses.psi, model.canonicalize(x.numpy())[1].psi)
def refused(text, call, *arguments):
    try: call(*arguments)
    except recon.InputError as error: assert text in str(error), error
    else: raise AssertionError(text)
refused("or 3 grey ones?", model.canonicalize, own[:3])
z, g = torch.rand(60, 4), 0.1 * torch.rand(60)
frames = recon.normalize(z, g, k=25)
assert frames == __import__("dataclasses").replace(recon.normalize(z.numpy(), g.numpy(), k=25), seconds={})
for grad in (z.requires_grad_(), g), (z.detach(), g.requires_grad_()):
    refused("requires grad, and no gradient flows through recon: x.detach()", recon.normalize, *grad)
with torch.no_grad(): assert (recon.normalize(z, g, k=25).gamma == frames.gamma).all()
refused("bfloat16: x.float()", recon.normalize, z.detach().bfloat16(), g.detach())
PROGRAM
else
    skip "tensors come back as tensors" "no python3-torch"
fi
finish
