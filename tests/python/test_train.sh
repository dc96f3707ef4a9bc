#!/bin/sh
# train and discover from Python: their files are the command's, byte for byte, times apart.
here=$(cd "${0%/*}" && pwd)
. "$here/../cli/lib.sh"
. "$here/python.sh"
needs_package

code=0
# Pictures of strokes, of different sizes, as PGM files; and the same as arrays of one size.
"$python" - <<'PROGRAM'
import os, numpy as np
r = np.random.default_rng(5)
os.makedirs("command/pictures/a")
os.makedirs("command/pictures/b")
os.makedirs("package")
os.symlink("../command/pictures", "package/pictures")
strokes = np.zeros((48, 16, 16), np.uint8)
for i, image in enumerate(strokes):
    image[3:5, 3:13] = image[3 : 9 + i % 4, 4:6] = 255
    side = 17 + i % 5
    large = np.zeros((side, 20), np.uint8)
    large[:16, :16] = image
    where = f"command/pictures/{'ab'[i % 2]}/{i:02}.pgm"
    open(where, "wb").write(b"P5 20 %d 255\n" % side + large.tobytes())
for name in "command", "package":
    np.save(f"{name}/images.npy", strokes)
    np.save(f"{name}/labels.npy", (np.arange(48) % 2).astype(np.uint8))
PROGRAM

# same FILE: what both wrote; numbers of seconds are not compared.
same() {
    for file; do
        for side in command package; do
            sed -E 's/("[a-z_]*(seconds|embed|normalize|maps|folds|total)": *)[0-9.e-]+/\1T/g
                s,(<th scope="row">[a-z ]*</th><td class="number">)[0-9.]+(</td></tr>)$,\1T\2,' "$side/$file" >"$scratch/$side" || return 1
        done
        cmp "$scratch/command" "$scratch/package" >"$scratch/stdout" 2>"$scratch/stderr" || return 1
    done
}
small="--width 0.25 --epochs 2 --batch 12 --seed 3"
must() { # ARGS: of a command that ends well
    run "$@"
    return "$code"
}
(cd command && must train --data images:pictures --size 16 --rotate all --rotate-seed 4 --crop none $small --out m.st --quiet &&
    must discover --model m.st --data images:pictures --size 16 --rotate all --rotate-seed 4 --folds 0 --k 5 \
        --keep-embeddings --out found --quiet)
report $? "the command's files of a folder of pictures"
passes "train and discover run, and say how far they are" <<'PROGRAM'
import json, os, warnings, recon
os.chdir("package")
warnings.simplefilter("ignore")
seen = []
data = dict(rotate="all", rotate_seed=4, size=16, crop=False)
done = recon.train("pictures", "m.st", width=0.25, epochs=2, batch=12, seed=3, progress=seen.append, **data)
assert done.steps == done.steps_now > 0 and done.path == "m.st" and done.best > 0, done
last = seen[-1]
assert isinstance(last, recon.Progress) and last.finished and last.done == last.total, last
assert any(p.label == "train" and p.measure == "loss" and p.value > 0 for p in seen), seen
found = recon.discover("m.st", "pictures", "found", folds=0, k=5, keep_embeddings=True, **data)
assert found.summary == json.load(open("found/summary.json")) and found.summary["points"] == 48
assert found.path == "found" and recon.load("found").size == (16, 16, 1)
PROGRAM
same m.st m.st.last m.st.jsonl
report $? "the backbone, its checkpoint and its log are the command's"
(cd command/found && ls) >left && (cd package/found && ls) >right && cmp left right && [ "$(wc -l <left)" -gt 15 ]
report $? "the folder has the same files ($(tr '\n' ' ' <left))"
same $(sed 's,^,found/,' left)
report $? "and they are the same"

passes "crops are recorded" <<'PROGRAM'
import warnings, recon
warnings.simplefilter("ignore")
recon.discover("package/m.st", "package/pictures", "cropped", folds=0, k=5, size=16, crop="auto")
assert recon.load("cropped").crop and not recon.load("package/found").crop
PROGRAM
run canonicalize --all --model cropped --data images:package/pictures --out upright --poses upright.npy --quiet
report "$code" "the command's poses of crops"
passes "images read with model.crop have the poses of their files" <<'PROGRAM'
import warnings, numpy as np, recon
warnings.simplefilter("ignore")
model = recon.load("cropped")
def off(crop):
    images = recon.read_images("images:package/pictures", size=model.size, crop=crop).images
    return np.abs(np.exp(1j * model.canonicalize(images)[1].absolute) - np.exp(1j * np.load("upright.npy"))).max()
assert off(model.crop) < 1e-3 < off(False), (off(model.crop), off(False))
PROGRAM

(cd command && must train --data npy:images.npy $small --no-density --augment off --out n.st --quiet &&
    must discover --model n.st --data npy:images.npy --folds 0 --lambda head --mean frechet --out of-array --quiet)
report $? "the command's files of an array"
passes "arrays give the same weights, poses and figures" <<'PROGRAM'
import json, os, warnings, numpy as np, recon
warnings.simplefilter("ignore")
images, labels = np.load("package/images.npy"), np.load("package/labels.npy")
def tensors(path):
    with open(path, "rb") as file:
        head = file.read(int.from_bytes(file.read(8), "little"))
        return {k: v for k, v in json.loads(head).items() if k != "__metadata__"}, file.read()
recon.train(images, "package/n.st", width=0.25, epochs=2, batch=12, seed=3, density=0, augment=False)
assert tensors("package/n.st") == tensors("command/n.st")
given = recon.Images(images, labels, np.zeros(48))
recon.discover("package/n.st", given, "package/of-array", folds=0, lambda_="head", mean="frechet")
for name in ("natural", "gamma", "theta", "score", "verdict", "neighbors"):
    assert np.array_equal(np.load(f"package/of-array/{name}.npy"), np.load(f"command/of-array/{name}.npy")), name
assert tensors("package/of-array/model.safetensors") == tensors("command/of-array/model.safetensors")
of = [json.load(open(f"{side}/of-array/summary.json")) for side in ("command", "package")]
assert of[0]["labels"] == of[1]["labels"] and "source" not in of[1]
for decay, recorded in (0, b"decay: 0,"), (0.3, b"decay: 0.3,"), (None, b"decay: 0.05,"):
    recon.train(images, "decayed.st", width=0.25, epochs=1, batch=12, decay=decay, overwrite=True)
    assert recorded in open("decayed.st", "rb").read(), decay
recon.train(np.asfortranarray(images / np.float64(255)), "float.st", width=0.25, epochs=1, batch=12, seed=3)
PROGRAM

passes "a training goes on where it was stopped, to the same bytes" <<'PROGRAM'
import numpy as np, recon
images = np.load("package/images.npy")
how = dict(width=0.25, epochs=40, batch=12, seed=3, density=0, augment=False)
class Enough(Exception): pass
def stop(p):
    if p.label == "train" and not p.finished: raise Enough(p.done)
try: recon.train(images, "stopped.st", progress=stop, **how)
except Enough: pass
else: raise AssertionError("not stopped")
def late(p):
    if p.label == "train" and p.finished: raise Enough(p.done)
try: recon.train(images, "late.st", progress=late, **how)
except Enough: pass
else: raise AssertionError("what the last report raised is lost")
try: recon.train(images, "stopped.st", **how)
except recon.InputError as error:
    assert "stopped.st.last exists: resume=True continues that run, overwrite=True replaces it" in str(error), error
else: raise AssertionError("a run was replaced")
done = recon.train(images, "stopped.st", resume=True, **how)
recon.train(images, "whole.st", **how)
assert 0 < done.steps_now <= done.steps
assert open("stopped.st", "rb").read() == open("whole.st", "rb").read()
again = recon.train(images, "stopped.st", resume=True, **how)
assert again.steps_now == 0
longer = recon.train(images, "longer.st", from_="package/n.st", epochs=1, batch=12)
assert longer.steps > 0
PROGRAM
passes "Ctrl-C ends a training with a checkpoint" <<'PROGRAM'
import os, signal, threading, numpy as np, recon
images = np.load("package/images.npy")
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored, where a script runs this behind its back
begun = threading.Event()
def kill():
    begun.wait()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=kill, daemon=True).start()
try: recon.train(images, "long.st", epochs=100000, width=0.25, batch=12, progress=lambda p: p.done > 3 and begun.set())
except KeyboardInterrupt: assert os.path.exists("long.st.last")
else: raise AssertionError("not stopped")
PROGRAM
passes "molecules: a list of them, and a set by name" <<'PROGRAM'
import numpy as np, recon
from collections import Counter
molecules = recon.read_molecules("conformers/train")
often = {name for name, _ in Counter(m.name for m in molecules).most_common(2)}
molecules = [m for m in molecules if m.name in often][:40]
with open("some.xyz", "w") as file:
    for m in molecules:
        print(len(m.numbers), m.name, *(f"{z} {x:.9g} {y:.9g} {w:.9g}" for z, (x, y, w) in zip(m.numbers, m.positions)),
              sep="\n", file=file)
how = dict(preset="small", width=0.25, epochs=1, batch=8)
by_list = recon.train(molecules, "m1.st", **how)
by_name = recon.train("some.xyz", "m2.st", **how)
assert by_list.steps == by_name.steps > 0 and np.isfinite(by_list.best)
PROGRAM
passes "what cannot be done is an error with the library's words" <<'PROGRAM'
import numpy as np, recon
images = np.load("package/images.npy")
def refused(text, kind, call, *arguments, **named):
    try: call(*arguments, **named)
    except kind as error: assert isinstance(error, recon.Error) and text in str(error), error
    else: raise AssertionError(text)
refused("n.st", recon.InputError, recon.train, images, "package/n.st", epochs=1)
refused("unknown data set", recon.InputError, recon.train, "nowhere", "x.st")
refused("plain cannot be used with pose", recon.InputError, recon.train, images, "x.st", plain=True, pose=1.0)
refused("there is no preset huge", ValueError, recon.train, images, "x.st", preset="huge")
refused("from_ decides it", ValueError, recon.train, images, "x.st", preset="small", from_="package/n.st")
refused("align is for molecules", ValueError, recon.train, images, "x.st", align=1)
refused("pairs is for molecules", ValueError, recon.train, images, "x.st", pairs="elements")
refused("family is for images", ValueError, recon.discover, "conformers", "conformers/test", "y", family="normal")
refused("rate -1 must be a number above 0", ValueError, recon.train, images, "x.st", rate=-1)
refused("epochs 0 must be a whole number of at least 1", ValueError, recon.train, images, "x.st", epochs=0)
refused("is nan", ValueError, recon.train, np.full((30, 16, 16), np.nan), "x.st")
refused("dimensions", ValueError, recon.train, images[0], "x.st")
refused("images of int64", ValueError, recon.train, images.astype(int), "x.st")
refused("progress: a function", ValueError, recon.train, images, "x.st", progress=3)
refused("absent.st", FileNotFoundError, recon.discover, "absent.st", images, "y")
refused("16 x 16", ValueError, recon.discover, "package/n.st", np.zeros((30, 20, 20), np.uint8), "y")
refused("folds 1", ValueError, recon.discover, "package/n.st", images, "y", folds=1)
refused("only with heads", ValueError, recon.discover, "package/n.st", images, "y", head_epochs=3)
PROGRAM
finish
