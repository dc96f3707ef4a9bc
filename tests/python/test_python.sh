#!/bin/sh
# The Python package: what it returns is what the command writes, bit for bit; failures are
# exceptions with the library's message; threads.
here=$(cd "${0%/*}" && pwd)
. "$here/../cli/lib.sh"
. "$here/python.sh"
needs_package
ln -s "$root/data" data && ln -s "$root/models" models

version=$("$recon" --version | head -n 1)
passes "its version is the command's ($version)" <<PROGRAM
import recon
assert "$version" == f"recon {recon.__version__}", recon.__version__
PROGRAM

# --- normalize ------------------------------------------------------------------------------------
for group in so2 so3; do
    run normalize --embeddings data/$group/z.npy --poses data/$group/g.npy --labels data/$group/y.npy \
        --group $group --k 25 --out $group --quiet
    report "$code" "the command's files on $group"
    passes "normalize gives the same on $group, bit for bit" <<PROGRAM
import json, numpy as np, recon
z, g, y = (np.load(f"data/$group/{name}.npy") for name in "zgy")
frames = recon.normalize(z, g, group="$group", k=25, labels=y)
for name in ("gamma", "normalized", "absolute", "theta", "identifiability", "neighbors",
             "background", "score", "parameters", "verdict", "fold", "modes", "p", "similarity", "members", "p_embedding") + ("axis",) * ("$group" == "so3"):
    file, got = np.load(f"$group/{name}.npy"), getattr(frames, name)
    assert (file.shape, file.dtype) == (got.shape, got.dtype), (name, file.dtype, got.dtype)
    assert np.array_equal(file, got, equal_nan=True), name
summary = json.load(open("$group/summary.json"))
for name in ("hit_rate", "family", "group", "k", "class_count", "natural_pose", "recall",
             "single_classes", "rows_outside", "collapsed_rows"):
    assert summary[name] == getattr(frames, name), (name, summary[name], getattr(frames, name))
for i, name in enumerate(recon.VERDICTS):
    assert np.isclose(np.mean(frames.verdict == i), frames.natural_pose[name], atol=1e-12), name
assert (frames.axis is None) == ("$group" == "so2")
assert frames.seconds.keys() == summary["seconds"].keys() and sum(frames.seconds.values()) > 0
again = recon.normalize(z.astype("f8").tolist(), np.asfortranarray(g), group="$group", k=25)
assert np.array_equal(again.score, frames.score) and np.isnan(again.hit_rate)
PROGRAM
done
run normalize --embeddings data/so2/z.npy --poses data/so2/g.npy --query data/so2/z.npy data/so2/g.npy \
    --mean chordal --family mixture --metric euclidean --k 12 --out query --quiet
passes "queries, a mean, a family and a metric" <<'PROGRAM'
import numpy as np, recon
z, g = np.load("data/so2/z.npy"), np.load("data/so2/g.npy")
frames = recon.normalize(z, g, k=12, mean="chordal", family="mixture", queries=(z, g),
                         metric="euclidean")
assert np.array_equal(np.load("query/theta.npy"), frames.theta)
for name in ("parameters", "verdict", "fold", "modes", "p"):
    assert np.array_equal(np.load(f"query/{name}.npy"), getattr(frames, name)), name
assert np.array_equal(np.load("query/gamma.npy"), frames.gamma)
assert np.array_equal(np.load("query/p_embedding.npy"), frames.p_embedding)
PROGRAM
run normalize --embeddings data/so2/z.npy --poses data/so2/g.npy --classes data/so2/y.npy --out given --quiet
passes "classes of one's own are the command's" <<'PROGRAM'
import numpy as np, recon
z, g, y = (np.load(f"data/so2/{name}.npy") for name in "zgy")
frames = recon.normalize(z, g, classes=y)
assert np.array_equal(np.load("given/gamma.npy"), frames.gamma) and np.array_equal(frames.class_of, y)
assert (frames.class_count, frames.similarity, frames.members, frames.p_embedding) == (len(set(y)), None, None, None)
for fault, named in (("labels are needed", {"classes": y[:4]}), ("integers", {"classes": y / 2}), ("k goes with", {"classes": y, "k": 5})):
    try:
        recon.normalize(z, g, **named)
    except recon.InputError as error:
        assert fault in str(error), error
    else:
        raise AssertionError(fault)
PROGRAM
run normalize --embeddings data/so2/z.npy --poses data/so2/g.npy --classes components --eps 0.2 --metric euclidean \
    --tukey-c 30 --out parts --quiet
report "$code" "the command's components"
run normalize --embeddings data/so2/z.npy --poses data/so2/g.npy --approx exact --include-self --out own --quiet
passes "components, eps, tukey_c, approx and include_self are the command's" <<'PROGRAM'
import json, warnings, numpy as np, recon
z, g = np.load("data/so2/z.npy"), np.load("data/so2/g.npy")
warnings.simplefilter("ignore")
frames = recon.normalize(z, g, classes="components", eps=0.2, metric="euclidean", tukey_c=np.radians(30))
for name, file in (("gamma", "gamma"), ("class_of", "classes"), ("score", "score")):
    assert np.array_equal(np.load(f"parts/{file}.npy"), getattr(frames, name)), name
summary = json.load(open("parts/summary.json"))
assert (frames.k, frames.neighbors, frames.normalized) == (0, None, None)
assert frames.class_count == summary["class_count"] and str(frames.class_count) in repr(frames)
frames = recon.normalize(z, g, approx="exact", include_self=True)
assert np.array_equal(np.load("own/neighbors.npy"), frames.neighbors)
assert np.array_equal(np.load("own/gamma.npy"), frames.gamma) and (frames.neighbors[:, 0] == np.arange(len(z))).all()
PROGRAM
passes "what the command warns about is a warning" <<'PROGRAM'
import warnings, numpy as np, recon
r = np.random.default_rng(4)
z = r.normal(size=(300, 6))
def said(*arguments, **named):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frames = recon.normalize(*arguments, **named)
    assert all(w.filename == "<stdin>" for w in caught), [w.filename for w in caught]
    return frames, " ".join(str(w.message) for w in caught)
frames, text = said(z, r.uniform(-3, 3, 300), k=25)
assert frames.natural_pose["none"] > 0.5 and "have no natural pose" in text, text
frames, text = said(z, 0.1 * r.normal(size=300), k=25)
assert frames.natural_pose["one"] > 0.95 and text == "", text
frames, text = said(z, 0.1 * r.normal(size=300), k=150)
assert "classes of 150 neighbours are half or more of all 300 points" in text, text
frames, text = said(np.ones((60, 4)), 0.1 * r.normal(size=60), k=25)
assert frames.collapsed_rows == 60 and "60 rows have the same embedding" in text, text
frames, text = said(z[:4], 0.1 * r.normal(size=4), k=2)
assert frames.natural_pose["cannot_tell"] > 0.5 and "too few poses to tell" in text, text
_, text = said(z, r.normal(size=300), classes="components", eps=0.01, queries=(z[:5] + 9, np.zeros(5)))
assert "are single points" in text and "5 rows are in no class" in text, text
PROGRAM
passes "poses keep their precision, and a SciPy Rotation is taken" <<'PROGRAM'
import numpy as np, recon
r = np.random.default_rng(1)
z, g = r.normal(size=(60, 5)), 0.1 * r.normal(size=60)
for given, got in (("f2", "f4"), ("f4", "f4"), ("f8", "f8"), (">f8", "f8"), ("g", "f8")):
    frames = recon.normalize(z, g.astype(given))
    assert {frames.gamma.dtype, frames.normalized.dtype, frames.absolute.dtype} == {np.dtype(got)}
    assert frames.score.dtype == np.float64
assert recon.normalize(z, g.tolist()).gamma.dtype == np.float64
class Rotation:  # as SciPy's
    def __init__(self, m): self.m = m
    def as_matrix(self): return self.m
c, s, o = np.cos(g), np.sin(g), np.zeros(60)
m = np.stack([c, -s, o, s, c, o, o, o, o + 1], 1).reshape(60, 3, 3)
assert np.allclose(recon.normalize(z, Rotation(m), group="so3").gamma, recon.normalize(z, m, group="so3").gamma)
PROGRAM
passes "quaternions are the rotations that they are, of either sign" <<'PROGRAM'
import numpy as np, recon
r = np.random.default_rng(1)
q = r.normal(size=(40, 4))
q /= np.linalg.norm(q, axis=1, keepdims=True)
w, x, y, z = q.T
m = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
              2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
              2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], axis=1)
e = r.normal(size=(40, 5))
def absolute(poses, order=None, **also): return recon.normalize(e, poses, group="so3", k=6, quaternions=order, **also).absolute
first, last = absolute(q, "wxyz"), absolute(q[:, [1, 2, 3, 0]], "xyzw")
assert np.abs(first - absolute(-q, "wxyz")).max() == 0 and np.abs(first - last).max() == 0
assert np.abs(first - absolute(m)).max() < 1e-8
assert np.abs(first - absolute(q, "xyzw")).max() > 0.1
asked = absolute(q, "wxyz", queries=(e, q))
assert np.abs(asked - absolute(q[:, [1, 2, 3, 0]], "xyzw", queries=(e, q[:, [1, 2, 3, 0]]))).max() == 0
PROGRAM

# --- images ---------------------------------------------------------------------------------------
# Strokes on 28 x 28 pixels, as bytes.
"$python" - <<'PROGRAM'
import numpy as np
r = np.random.default_rng(5)
images = np.zeros((150, 28, 28), np.uint8)
for image in images:
    at, way = np.array([14.0, 14.0]), r.uniform(0, 6.3)
    for _ in range(60):
        way += r.normal() * 0.35
        at = np.clip(at + 0.6 * np.array([np.cos(way), np.sin(way)]), 5, 22)
        i, j = at.astype(int)
        image[i : i + 2, j : j + 2] = 255
np.save("strokes.npy", images)
PROGRAM
model="--model models/mnist-small.safetensors --data npy:strokes.npy"
run canonicalize --all $model --out upright.npy --poses angles.npy --quiet
report "$code" "the command's canonical images"
run canonicalize --all $model --out sharp.npy --interpolation bicubic --quiet
run score $model --out scores.npy --quiet
report "$code" "the command's scores"
run distribution $model --index 7 --json
cp "$scratch/stdout" seventh.json
passes "canonicalize, score and distribution are the command's, bit for bit" <<'PROGRAM'
import json, numpy as np, recon
x = np.load("strokes.npy")
model = recon.load("models/mnist-small.safetensors")
assert model.size == (28, 28, 1)
upright, poses = model.canonicalize(x)
assert upright.dtype == np.uint8 and np.array_equal(upright, np.rint(255 * np.load("upright.npy")))
assert np.array_equal(model.canonicalize(x / np.float32(255))[0], np.load("upright.npy"))
assert np.array_equal(poses.absolute, np.load("angles.npy"))
sharp = np.load("sharp.npy")
assert np.array_equal(model.canonicalize(x / np.float32(255), interpolation="bicubic")[0], sharp)
assert sharp.max() > 1 and np.array_equal(model.canonicalize(x, interpolation="bicubic")[0], np.rint(255 * sharp.clip(0, 1)))
score, p_value = model.score(x)
assert np.array_equal(score, np.load("scores.npy")) and ((p_value > 0) & (p_value <= 1)).all()
assert model.threshold(0.01) >= model.threshold(0.1)
asked, one = json.load(open("seventh.json")), model.distribution(x)[7]
assert np.isclose(np.degrees(one.theta), asked["theta_deg"], rtol=1e-4)  # alone and in a batch
assert one.fold == asked["fold"] and one.verdict == asked["verdict"]
assert one.score == score[7] and len(one.modes) == len(asked["modes"])
assert np.isclose(-one.log_density(one.pose.absolute)[0], one.score)
angles = np.linspace(-np.pi, np.pi, 20001)
assert abs(np.exp(one.log_density(angles))[:-1].sum() * (angles[1] - angles[0]) - 1) < 1e-6
colour, same = model.canonicalize(x[..., None] / np.float32(255))
assert colour.shape == (150, 28, 28, 1) and np.array_equal(colour[..., 0], np.load("upright.npy"))
nothing, none = model.canonicalize(x[:0])
assert nothing.shape == (0, 28, 28) and len(none) == 0 and model.candidates(x[:0]) == []
PROGRAM
run discover --model "$root/models/mnist-small.safetensors" --data npy:strokes.npy --out refit --quiet
run score --model refit --data npy:strokes.npy --out refit.csv --quiet
run canonicalize --all --model refit --data npy:strokes.npy --only-if 0.5 --out gated.npy --quiet
report "$code" "the command's gate"
passes "p-values of embeddings and the gate are the command's" <<'PROGRAM'
import csv, numpy as np, recon
x, model = np.load("strokes.npy"), recon.load("refit")
scores, table = model.score(x), list(csv.DictReader(open("refit.csv")))
assert all(float(row["p_embedding"]) == float("%.4g" % p) for row, p in zip(table, scores.p_embedding))
assert model.distribution(x[:1])[0].p_embedding > 0
out, poses = model.canonicalize(x, only_if=0.5)
assert np.array_equal(out, np.rint(255 * np.load("gated.npy"))) and np.array_equal(poses.rotated, scores.p_value < 0.5)
assert out.dtype == np.uint8 and np.array_equal(out[~poses.rotated], x[~poses.rotated])
points = np.ones((len(x), 2))
assert np.array_equal(poses.to_input(points=points)[~poses.rotated], points[~poses.rotated])
for gate in 0, 2, -1, float("nan"):
    try: model.canonicalize(x, only_if=gate)
    except recon.InputError as error: assert "only_if" in str(error)
    else: raise AssertionError(gate)
PROGRAM
passes "an anchor rotates its image as asked, and its cluster follows" <<'PROGRAM'
import numpy as np, recon
x, model = np.load("strokes.npy"), recon.load("refit")
before = model.canonicalize(x)[1].rotation
assert model.anchor(x[3:4], 30) == 1 and model.anchor(x[:0]) == 0
after = model.canonicalize(x)[1].rotation
assert np.isclose(np.degrees(after[3]), 30) and not np.array_equal(before, after)
other = recon.load("refit")
followed = other.anchor(x, prior=model)
same = np.angle(np.exp(1j * (other.canonicalize(x)[1].rotation - after)))
assert 0 < followed <= len(x) and np.isclose(same[3], 0, atol=.01)
for wrong in (lambda: model.canonicalize(x, lambda_="head" if model.lambda_from != "head" else "neighbours"), lambda: model.anchor(x[:1], float("nan"))):
    try: wrong()
    except recon.InputError: pass
    else: raise AssertionError(wrong)
PROGRAM
run canonicalize --model fashion --data garments --rotate all --limit 40 --only-one --out one.npy --poses one.csv --quiet
run canonicalize --model fashion --data garments --rotate all --limit 40 --only-one --only-if 0.05 --out both.npy --quiet
run canonicalize --model conformers --data conformers/test --limit 800 --only-one --out one.xyz --poses molecules.csv --quiet
report "$code" "the command's inputs with one natural pose"
passes "only='one' rotates them alone, as the command does" <<'PROGRAM'
import csv, numpy as np, recon
x, model = recon.read_images("garments", rotate="all", limit=40).images, recon.load("fashion")
out, poses = model.canonicalize(x, only="one")
one = np.array([d.verdict == "one" for d in model.distribution(x)])
assert np.array_equal(out, np.load("one.npy")) and np.array_equal(poses.rotated, one) and 0 < one.sum() < 40
assert [row["rotated"] == "1" for row in csv.DictReader(open("one.csv"))] == one.tolist()
assert np.array_equal(out[~one], x[~one])
out, poses = model.canonicalize(x, only="one", only_if=0.05)
assert np.array_equal(out, np.load("both.npy")) and 0 < poses.rotated.sum() < one.sum()
assert not (poses.rotated & ~(one & (model.score(x).p_value < 0.05))).any()
shown = []
answers, _ = model.canonicalize(x, only="one", average=lambda rows: shown.append(len(rows)) or rows.mean(axis=(1, 2))[:, None])
assert np.allclose(answers[~one, 0], x[~one].mean(axis=(1, 2))) and not np.allclose(answers[one, 0], x[one].mean(axis=(1, 2)))
molecules, model = recon.read_molecules("conformers/test", limit=800), recon.load("conformers")
places, poses = model.canonicalize(molecules, only="one")
table = list(csv.DictReader(open("molecules.csv")))
assert [d.verdict for d in model.distribution(molecules)] == [row["verdict"] for row in table]
assert poses.rotated.tolist() == [row["rotated"] == "1" == str(int(row["verdict"] == "one")) for row in table]
lines = [line.split() for line in open("one.xyz")]
atoms = np.array([line[1:4] for line in lines if len(line) >= 4 and "=" not in line[1]], np.float64)
assert atoms.shape == np.concatenate(places).shape and np.abs(atoms - np.concatenate(places)).max() < 1e-4
PROGRAM
for way in neighbours head density; do
    run canonicalize --all --model refit --data npy:strokes.npy --lambda $way --out by_$way.npy --quiet
done
report "$code" "the command's three ways to natural poses"
run train --data npy:strokes.npy --preset small --width 0.25 --code 8 --epochs 1 --plain --out plain.safetensors --quiet
run discover --model plain.safetensors --data npy:strokes.npy --folds 0 --out plain --quiet
report "$code" "a model without a pose density"
passes "where natural poses come from is chosen as by the command" <<'PROGRAM'
import pickle, numpy as np, recon
x, model = np.load("strokes.npy") / np.float32(255), recon.load("refit")
own = model.canonicalize(x)[0]
for way in "neighbours", "head", "density":
    want = np.load(f"by_{way}.npy")
    chosen = recon.load("refit", lambda_=way)
    assert chosen.lambda_from == way and np.array_equal(chosen.canonicalize(x)[0], want), way
    assert np.array_equal(model.canonicalize(x, lambda_=way)[0], want), way
    assert np.array_equal(pickle.loads(pickle.dumps(chosen)).canonicalize(x)[0], want), way
assert np.array_equal(model.canonicalize(x, lambda_=model.lambda_from)[0], own)
assert np.array_equal(model.canonicalize(x)[0], own)  # the choice was for one call
assert len({np.load(f"by_{way}.npy").tobytes() for way in ("neighbours", "head", "density")}) == 3
for call in (lambda: recon.load("refit", lambda_="best"), lambda: model.canonicalize(x, lambda_="best")):
    try: call()
    except recon.InputError as error: assert "none of auto|neighbours|head|density" in str(error)
    else: raise AssertionError
plain = recon.load("plain")
for call in (lambda: recon.load("plain", lambda_="density"),
             lambda: plain.canonicalize(np.zeros((1, 28, 28)), lambda_="density")):
    try: call()
    except recon.InputError as error: assert "no pose density" in str(error)
    else: raise AssertionError
PROGRAM
passes "trust is what the command said, with a warning where it must not be used" <<'PROGRAM'
import json, warnings, numpy as np, recon
def near(a, b):
    if isinstance(a, dict): return a.keys() == b.keys() and all(near(a[key], b[key]) for key in a)
    if isinstance(a, float) and isinstance(b, float): return bool(np.isclose(a, b, rtol=1e-12))
    return a == b
want = json.load(open("refit/summary.json"))["trust"]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model = recon.load("refit")
why = want.pop("why")  # the file has the words of the command, the model those of Python
said = {**model.trust}
assert "train --from MODEL" in why and said.pop("why") == why.replace("train --from MODEL", "train(from_=MODEL)").replace(
    "--resume --epochs", "resume=True, epochs").replace("--lambda", "lambda_").replace("--size", "size").replace(
    "--crop auto", 'crop="auto"').replace("--mask", "mask=True").replace(
    "canonicalize leaves", "canonicalize() leaves"), (model.trust, why)
assert near(said, want), (said, want)
assert model.lambda_from == want["lambda_choice"]["taken"]
assert want["verdict"] != "trustworthy" and bool(caught) == (want["verdict"] == "do not use")  # of scribbles
raw = open("refit/model.safetensors", "rb").read()
size = int.from_bytes(raw[:8], "little")
header = json.loads(raw[8:8 + size])
header["__metadata__"]["trust"] = "do not use"
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
open("bad.safetensors", "wb").write(len(text).to_bytes(8, "little") + text + raw[8 + size:])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model = recon.load("bad.safetensors")
(one,) = [w for w in caught if issubclass(w.category, recon.TrustWarning)]
assert "do not use" in str(one.message) and model.trust["why"] in str(one.message) and "bad" in str(one.message)
assert one.filename == "<stdin>", one.filename  # where it was opened
with warnings.catch_warnings():
    warnings.simplefilter("error")
    model.canonicalize(np.load("strokes.npy")[:3], lambda_="head")  # the same model: said once
    assert recon.load("conformers").trust["verdict"] == "trustworthy"
    assert recon.load("fashion").trust["lambda_choice"]["taken"] == "density"
    warnings.simplefilter("ignore", recon.TrustWarning)
    recon.load("bad.safetensors")
PROGRAM
passes "ways that contradict each other give a warning" <<'PROGRAM'
from recon._trust import warning_of
said = {"verdict": "with care", "against": ["disagrees"], "why": "The ways contradict each other."}
assert "with care. The ways contradict" in warning_of(said)
for quiet in None, {**said, "against": ["upright"]}, {**said, "against": [], "verdict": "trustworthy"}:
    assert warning_of(quiet) == ""
PROGRAM
passes "a judge chooses among the candidates, and what it raises comes out" <<'PROGRAM'
import numpy as np, recon
x = np.load("strokes.npy")[:100]  # one block of a search: last bits depend on who is beside one
for i in range(50):  # bars look the same upside down
    x[i] = 0
    x[i, 3 + i % 5 : 25 - i % 5, 12:16] = 255
model = recon.load("models/mnist-small.safetensors")
candidates = model.candidates(x)
several = [i for i, c in enumerate(candidates) if len(c.poses) > 1]
assert several and all(np.isclose(c.weight.sum(), 1) for c in candidates)
plain, poses = model.canonicalize(x)
assert all(c.poses.natural[0] == poses.natural[i] for i, c in enumerate(candidates))
seen = []
def last(images):  # likes what it sees last
    assert images.shape[1:] == (28, 28) and images.dtype == np.float32
    seen.append(len(images))
    model.score(images)  # the library may be called from within
    return np.arange(len(images))
chosen, poses = model.canonicalize(x, judge=last)
assert sum(seen) == sum(len(candidates[i].poses) for i in several)
assert all(c.poses.natural[-1] == poses.natural[i] for i, c in enumerate(candidates))
same, _ = model.canonicalize(x, judge=lambda images: np.zeros(len(images)))
assert np.array_equal(same, plain)
def fails(images): raise KeyError("mine")
try: model.canonicalize(x, judge=fails)
except KeyError as error: assert error.args == ("mine",)
else: raise AssertionError("nothing was raised")
try: model.canonicalize(x, judge=lambda images: [1.0])
except recon.Error as error: assert "are needed" in str(error)
else: raise AssertionError("a short answer was taken")
assert np.array_equal(model.canonicalize(x)[0], plain)
PROGRAM
passes "a frozen model is averaged over the candidates by their weights" <<'PROGRAM'
import numpy as np, recon
x = np.load("strokes.npy")[:100].astype(np.float32) / 255
for i in range(50):  # bars look the same upside down
    x[i] = 0
    x[i, 3 + i % 5 : 25 - i % 5, 12:16] = 1
model = recon.load("models/mnist-small.safetensors")
def rows(images): return np.stack([images[:, 10].sum(axis=1), images[:, :, 12].max(axis=1)], axis=1)
answers, poses = model.canonicalize(x, average=rows)
upright, first = model.canonicalize(x)
candidates = model.candidates(x)
assert answers.shape == (100, 2) and any(len(c.poses) > 1 for c in candidates)
assert np.allclose(poses.natural, first.natural)
for i, c in enumerate(candidates):
    if len(c.poses) == 1:
        assert np.allclose(answers[i], rows(upright[i : i + 1])[0], atol=1e-5)
assert np.allclose(model.canonicalize(x, average=lambda a: np.ones((len(a), 3)))[0], 1)
still, poses = model.canonicalize(x, average=rows, only_if=1e-9)  # a gate that lets nothing through
assert not poses.rotated.any() and np.allclose(still, rows(x), atol=1e-5)
white = np.ones_like(x)  # to its edge: nothing dark comes in
assert model.canonicalize(white, fill="edge")[0].min() > 0.999
def fails(images): raise KeyError("mine")
def slips(value): return lambda images: np.where(np.arange(len(images))[:, None] == len(images) - 1, [1, value], [1, 1])
for text, bad in (("mine", dict(average=fails)), ("(1,) for one image, but a row", dict(average=lambda a: np.ones(len(a)))),
                  ("(249, 2), but (250, 2) are needed", dict(average=lambda a: np.ones((len(a) - (len(a) > 1), 2)))),
                  ("output 1 for image 99 is nan", dict(average=slips(np.nan))), ("output 1 for image 99 is -inf", dict(average=slips(-np.inf))),
                  ("give one", dict(average=rows, judge=rows)), ("fill is 'white'", dict(fill="white"))):
    try: model.canonicalize(x, **bad)
    except (KeyError, recon.Error) as error: assert text in str(error), error
    else: raise AssertionError(bad)
PROGRAM
passes "what is found in the canonical image goes back into the input" <<'PROGRAM'
import numpy as np, recon
x = np.load("strokes.npy")[:20] / np.float32(255)
model = recon.load("models/mnist-small.safetensors")
upright, poses = model.canonicalize(x)
points = np.random.default_rng(2).uniform(0, 27, (20, 5, 2))
back = model.invert(poses, points=points)
assert back.shape == points.shape and np.abs(poses.to_canonical(points=back) - points).max() < 1e-9
a = -poses.rotation[3]  # counter-clockwise on screen, y down, about the middle
x0, y0 = points[3, 0] - 13.5
assert np.allclose(back[3, 0], [13.5 + np.cos(a) * x0 + np.sin(a) * y0,
                                13.5 - np.sin(a) * x0 + np.cos(a) * y0])
vectors = model.invert(poses, vectors=[p - p[:1] for p in points])
assert isinstance(vectors, list) and np.abs(vectors[4] - (back[4] - back[4][:1])).max() < 1e-9
boxes = model.invert(poses, boxes=np.tile([9.0, 9, 18, 18], (20, 1, 1)))
assert (boxes[..., :2] <= 9).all() and (boxes[..., 2:] >= 18).all()
assert np.array_equal(poses.to_canonical(masks=x), upright)
returned = model.invert(poses, masks=upright)
assert np.corrcoef(returned.ravel(), x.ravel())[0, 1] > 0.95
labels = model.invert(poses, labels=np.ones((20, 28, 28), int))
assert labels.dtype == np.int32 and labels[:, 10:18, 10:18].all()
assert np.array_equal(model.invert(poses[3], points=points[3:4])[0], back[3])
assert np.array_equal(model.invert(poses[5:9], points=points[5:9]), back[5:9])
PROGRAM

# --- molecules ------------------------------------------------------------------------------------
model="--model models/conformers.safetensors --data conformers/test --rotate fisher --limit 60"
run canonicalize --all $model --out natural.xyz --poses rotations.npy --quiet
report "$code" "the command's canonical molecules"
run canonicalize --all --model models/conformers.safetensors --data xyz:natural.xyz --out again.xyz --poses again.npy --quiet
run score --model models/conformers.safetensors --data xyz:natural.xyz --out molecule_scores.npy --quiet
report "$code" "the command's scores of molecules"
run distribution --model models/conformers.safetensors --data xyz:natural.xyz --index 7 --json
cp "$scratch/stdout" seventh.json
passes "canonicalize, score and distribution are the command's on molecules too" <<'PROGRAM'
import json, numpy as np, recon
number = {"H": 1, "C": 6, "N": 7, "O": 8, "F": 9}
def frames(path):
    lines = open(path).read().splitlines()
    at = 0
    while at < len(lines):
        n = int(lines[at])
        atoms = [line.split() for line in lines[at + 2 : at + 2 + n]]
        yield [number[a[0]] for a in atoms], np.array([a[1:4] for a in atoms], np.float32)
        at += n + 2
class Atoms:  # as ASE's
    def __init__(self, numbers, positions): self.numbers, self.positions = numbers, positions
given = list(frames("natural.xyz"))
model = recon.load("models/conformers.safetensors")
assert model.elements == (1, 6, 7, 8, 9) and len(given) == 60
natural, poses = model.canonicalize(given)
for mine, (_, theirs) in zip(natural, frames("again.xyz")):
    assert mine.dtype == np.float32 and np.abs(mine - theirs).max() < 1e-6
assert np.array_equal(poses.absolute, np.load("again.npy"))
score, p_value = model.score(Atoms(*one) for one in given)
assert np.array_equal(score, np.load("molecule_scores.npy")) and ((p_value > 0) & (p_value <= 1)).all()
back = model.invert(poses, points=natural)
assert max(np.abs(b - x).max() for b, (_, x) in zip(back, given)) < 1e-5
forces = [np.ones((len(z), 3)) for z, _ in given]
assert np.allclose(model.invert(poses, vectors=forces)[4], forces[4] @ poses.rotation[4])
asked, one = json.load(open("seventh.json")), model.distribution(given)[7]
assert one.score == score[7] and one.free == poses.free[7] and len(one.words) > 20
assert np.allclose(asked["f"], one.F.ravel()) and asked["words"] == one.words
assert model.canonicalize([])[0] == [] and len(model.score([]).score) == 0
PROGRAM

run canonicalize --model models/conformers.safetensors --data xyz:natural.xyz --spin conformers-classifier --spin-k 4 \
    --out spun.xyz --poses spun.npy --quiet
passes "a classifier or a function chooses a free spin" <<'PROGRAM'
import numpy as np, recon
model = recon.load("models/conformers.safetensors")
given = recon.read_molecules("xyz:natural.xyz")
_, poses = model.canonicalize(given, spin="conformers-classifier", neighbors=4)
assert np.array_equal(poses.absolute, np.load("spun.npy"))
seen = []
def judge(molecules):  # likes the first atom on top, of whatever it takes the molecule for
    seen.append(len(molecules))
    top = [[(x - x.mean(axis=0))[0, 2] / np.abs(x).max()] * 3 for _, x in molecules]
    return np.asarray(top) - 9
moved, poses = model.canonicalize(given[:6], spin=judge, among=given[:20], neighbors=1)
assert len(moved) == 6 and sum(seen) > 50 and moved[0].shape == given[0].positions.shape
for bad in (dict(spin=judge, only_if=0.1), dict(spin=judge, only="one"), dict(spin=judge, among=[]), dict(spin=lambda m: [0]), dict(spin=judge, neighbors=0),
            dict(spin=3)):
    try: model.canonicalize(given[:6], **bad)
    except recon.InputError: pass
    else: raise AssertionError(bad)
def late(molecules):
    if len(molecules) > 1: raise KeyError("mine")
    return np.zeros((1, 2))
try: model.canonicalize(given[:6], spin=late)
except KeyError: pass
else: raise AssertionError("a judge's error is lost")
PROGRAM

run canonicalize --all --model models/mnist-small.safetensors --data npy:strokes.npy --limit 5 --out pictures --quiet
echo 'no picture' >pictures/zero.png
passes "pictures of a folder become what a model takes" <<'PROGRAM'
import recon
model = recon.load("models/mnist-small.safetensors")
read = recon.read_images("images:pictures", size=model.size, skip_bad=True)
assert read.images.shape == (5, 28, 28) and len(model.score(read.images).score) == 5
assert recon.read_images("images:pictures", size=(20, 20, 3), skip_bad=True).images.shape == (5, 20, 20, 3)
for bad in dict(size=model.size), dict(size=(20, 28, 1), skip_bad=True):
    try: recon.read_images("images:pictures", **bad)
    except recon.Error as error: assert "zero.png" in str(error) or "20 x 28" in str(error), error
    else: raise AssertionError(bad)
PROGRAM
passes "readers give what the command reads" <<'PROGRAM'
import numpy as np, recon
x = np.load("strokes.npy")
read = recon.read_images("npy:strokes.npy")
assert np.array_equal(read.images, x.astype("f4") / np.float32(255))
assert (read.labels == -1).all() and (read.angles == 0).all()
rotated = recon.read_images("npy:strokes.npy", rotate="all", rotate_seed=4, limit=30)
assert rotated.images.shape == (30, 28, 28) and len(set(rotated.angles)) == 30
molecules = recon.read_molecules("xyz:natural.xyz")
model = recon.load("models/conformers.safetensors")
assert len(molecules) == 60 and all(m.positions.shape == (len(m.numbers), 3) for m in molecules)
assert np.array_equal(model.score(molecules).score, np.load("molecule_scores.npy"))
rotated = recon.read_molecules("xyz:natural.xyz", rotate="haar", rotate_seed=9)
exact = recon.load("models/conformers.safetensors", precision="f32") # bf16, where a CPU has it, rounds by 0.05
a, b = (exact.canonicalize(m)[0] for m in (molecules, rotated))
assert rotated[0].name and not np.allclose(rotated[0].positions, molecules[0].positions, atol=0.1)
assert max(np.abs(p - q).max() for p, q in zip(a, b)) < 1e-3
for call in (recon.read_images, recon.read_molecules):
    try: call("letters")
    except recon.Error as error: assert "letters" in str(error)
    else: raise AssertionError("letters were read")
PROGRAM

# --- what is refused ------------------------------------------------------------------------------
passes "bad input raises recon.Error with the library's message" <<'PROGRAM'
import numpy as np, pickle, recon
def refused(text, call, *arguments, **named):
    try: call(*arguments, **named)
    except recon.Error as error: assert text in str(error), (text, str(error))
    else: raise AssertionError(f"taken: {text}")
z, g = np.load("data/so2/z.npy")[:50], np.load("data/so2/g.npy")[:50]
bad = z.copy(); bad[3, 2] = np.nan
refused("row 3, column 2 is nan", recon.normalize, bad, g)
refused("k = 50, but a point has only 49 possible neighbours", recon.normalize, z, g, k=50)
refused("row 3 is the zero vector", recon.normalize, z * (np.arange(50) != 3)[:, None], g)
refused("are empty", recon.normalize, z[:0], g[:0])
# A torus and a cyclic group: poses in the form in which the group writes them.
kinds = np.arange(len(z)) % 4
apart = np.eye(4, dtype=np.float32)[kinds]
on_torus = recon.normalize(apart, np.stack([kinds - 1.0, -kinds / 2], 1), group="torus2", k=9)
assert on_torus.gamma.shape == (len(z), 2) and on_torus.family == "normal"
assert np.allclose(on_torus.gamma, np.stack([kinds - 1.0, -kinds / 2], 1), atol=1e-6)
turns = recon.normalize(apart, kinds, group="c4", k=9)
motion = recon.normalize(apart, np.stack([kinds - 1.0, kinds, -kinds], 1), group="se2", k=9)
assert np.allclose(motion.gamma, np.stack([kinds - 1.0, kinds, -kinds], 1), atol=1e-6) and motion.free.shape == (len(z), 6, 3)
refused("row 0 is 0: a scale is above 0", recon.normalize, apart, 1.0 * kinds, group="scale", k=9)
assert (turns.gamma == kinds).all() and (turns.absolute == 0).all() and turns.group == "c4"
refused("queries have 3 columns, the embeddings 16", recon.normalize, z, g, queries=(z[:, :3], g))
refused("49 poses for 50 embeddings", recon.normalize, z, g[1:])
refused("poses: row 0 holds inf", recon.normalize, z, g * np.inf)
refused("is the group so3?", recon.normalize, z, np.load("data/so3/g.npy")[:50])
refused("arctan2(sine, cosine)", recon.normalize, z, np.stack([np.cos(g), np.sin(g)], 1))
refused("z: complex numbers", recon.normalize, z + 1j, g)
refused("there is no group 'so4': so2, so3, o2, ", recon.normalize, z, g, group="so4")
refused("k 0 is not a whole number", recon.normalize, z, g, k=0)
refused("k 2.5 is not a whole number", recon.normalize, z, g, k=2.5)
refused("components need eps", recon.normalize, z, g, classes="components")
refused("eps goes with", recon.normalize, z, g, eps=1)
refused("eps -1: a distance above 0", recon.normalize, z, g, classes="components", eps=-1)
refused("k goes with", recon.normalize, z, g, k=3, classes="components", eps=1)
refused("np.radians(30)", recon.normalize, z, g, tukey_c=30)
refused("tukey_c goes with", recon.normalize, z, g, tukey_c=1, mean="frechet")
refused("need query_labels too", recon.normalize, z, g, labels=np.arange(50), queries=(z, g))
refused("queries are a pair", recon.normalize, z, g, queries=z)
refused("approx 'fast' is none of auto|exact|ivf|hnsw", recon.normalize, z, g, approx="fast")
refused("embeddings are N x D", recon.normalize, z[0], g)
refused("but 50 labels are needed", recon.normalize, z, g, labels=[1, 2])
mirror = np.tile(np.diag([1.0, 1, -1]), (50, 1, 1))
refused("row 0 is not a rotation: a reflection", recon.normalize, z, mirror, group="so3")
refused("R R^T is off by 3", recon.normalize, z, 2 * np.abs(mirror), group="so3")
refused("quaternion's length is off by 1", recon.normalize, z, np.full((50, 4), 1.0), group="so3", quaternions="wxyz")
q, m = np.tile([0.0, 0, 0, 1], (50, 1)), np.tile(np.eye(3), (50, 1, 1))
refused("poses: the order of the quaternions has to be stated, since the numbers cannot show it: quaternions=\"wxyz\""
        " (w first: MuJoCo, PyTorch3D, Blender) or xyzw (w last: SciPy, ROS, Eigen's coeffs)", recon.normalize, z, q, group="so3")
refused("query poses: the order of the quaternions", recon.normalize, z, m, group="so3", queries=(z, q))
refused("poses: float64 50 x 3 x 3, but the order of quaternions is stated, and those are N x 4: leave it out", recon.normalize, z, m, group="so3", quaternions="xyzw")
refused("quaternions do not go with group='so2'", recon.normalize, z, g, quaternions="xyzw")
refused("quaternions 'scipy' is none of wxyz|xyzw", recon.normalize, z, q, group="so3", quaternions="scipy")
for whole in (np.arange(50) % 8, (np.arange(50) % 2).astype(bool), list(range(50))):
    refused("but radians are floating-point numbers; if these are indices of C_n, multiply them by 2 pi / n", recon.normalize, z, whole)
refused("query poses: int64, but radians", recon.normalize, z, g, queries=(z, np.arange(50)))
refused("nowhere: cannot open: No such file", recon.load, "nowhere")
refused("not a model of `recon.train()` or `recon.discover()`", recon.load, "models/mnist-classifier.safetensors")
refused("did you mean fashion? the models that come with recon are cifar10, ", recon.load, "fashon")
open("cut", "wb").write(open("models/mnist-small.safetensors", "rb").read(3000))
refused("cut", recon.load, "cut")
refused("precision 'f16' is none of auto|f32|tf32|bf16", recon.load, "models/mnist-small.safetensors", precision="f16")
refused("tpu", recon.load, "models/mnist-small.safetensors", device="tpu")
model = recon.load("models/mnist-small.safetensors")
x = np.load("strokes.npy")[:3] / 255
refused("images of 28 x 28 x 7, but the model was made for n of 28 x 28 x 1", model.score, np.zeros((3, 28, 28, 7)))
refused("false_alarms 5: a share", model.threshold, 5)
refused("uint8 or uint16 are needed", model.score, x.astype(int))
refused("images of 1: a picture is height", model.score, [[1.0], [1.0, 2.0]])
x[2, 0, 5] = np.inf
refused("pixel 5 of image 2 is inf", model.canonicalize, x)
x[2, 0, 5] = 1e30
refused("pixel 5 of image 2 is 1e+30: pixels are finite numbers, at most 1e12", model.score, x)
refused("a picture whose sample 5 is 1e+30: pixels are finite", model.score, np.pad(x[2], (0, 9)))
poses = model.canonicalize(x[:2])[1]
refused("exactly one of", model.invert, poses)
refused("points of 3 inputs, but 2 poses", model.invert, poses, points=np.zeros((3, 1, 2)))
refused("boxes of input 0: (3,), but N x 4 is needed: in all a list of n such, or n x N x 4, or n x 4 for one each", model.invert, poses, boxes=np.zeros((2, 3)))
refused("an array or a list is needed, not int", model.invert, poses, boxes=3)
refused("size 28: (height, width, channels)", recon.read_images, "garments", size=28)
refused("but N x 2 is needed", model.invert, poses, points=np.zeros((2, 1, 3)))
model = recon.load("models/conformers.safetensors")
refused("false_alarms 0: a share", model.threshold, 0)
refused("conformer 1: 1 atom", model.score, [([6, 1], [[0, 0, 0], [1, 0, 0]]), ([6], [[0, 0, 0]])])
refused("x of atom 2 is nan", model.score, [([6, 1], [[0, 0, 0], [np.nan, 0, 0]])])
refused("an atom of element Hg (80)", model.score, [([6, 80], [[0, 0, 0], [1, 0, 0]])])
refused("element 300: 1 to 118", model.score, [([6, 300], [[0, 0, 0], [1, 0, 0]])])
refused("but they are N and N x 3", model.score, [([6, 1], [[0, 0, 0]])])
error = pickle.loads(pickle.dumps(recon.Error("text", "io")))
assert str(error) == "text" and error.kind == "io"
PROGRAM
RECON_LIBRARY=/nowhere/librecon.so "$python" -c 'import recon' >"$scratch/stdout" 2>"$scratch/stderr"
code=$?
[ "$code" -ne 0 ] && said "ImportError" && said "/nowhere/librecon.so" && said 'Run `make`'
report $? "without the library the import says what to do"

passes "likely mistakes of scale are warned of, at the line that made them" <<'PROGRAM'
import numpy as np, recon, warnings
def warned(text, call, *arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", ".*(no natural pose|too few poses)")  # of 50 points
        call(*arguments)
    assert [w.filename for w in caught] == ["<stdin>"] * bool(text), caught
    assert all(text in str(w.message) for w in caught), caught
z, g = np.load("data/so2/z.npy")[:50], np.load("data/so2/g.npy")[:50]
model, x = recon.load("models/mnist-small.safetensors"), np.load("strokes.npy")[:3]
warned("radians are expected, not degrees", recon.normalize, z, np.degrees(g))
warned("", recon.normalize, z, g)
warned("pixels up to 255; floats of 0 to 1", model.canonicalize, x.astype("f4"))
warned("", model.canonicalize, x)
assert len(repr(recon.normalize(z, g))) < 80
PROGRAM

# --- threads and processes ------------------------------------------------------------------------
passes "8 threads share models: identical results, and all contexts are given back" <<'PROGRAM'
import gc, os, threading, time, numpy as np, recon
recon.set_threads(2)
x = np.load("strokes.npy")
images = recon.load("models/mnist-small.safetensors")
molecules = recon.load("models/conformers.safetensors")
r = np.random.default_rng(3)
mols = [(r.choice([1, 6, 7, 8], n), 2 * r.normal(size=(n, 3))) for n in range(4, 24)]
z, g = np.load("data/so3/z.npy")[:400], np.load("data/so3/g.npy")[:400]
def work():
    upright, poses = images.canonicalize(x, judge=lambda a: a.reshape(len(a), -1)[:, 300])
    natural, _ = molecules.canonicalize(mols)
    frames = recon.normalize(z, g, group="so3")
    return (upright, poses.absolute, images.score(x).score, np.concatenate(natural),
            molecules.score(mols).score, frames.gamma, frames.score)
def tasks(): return len(os.listdir("/proc/self/task"))
want, answers = work(), []
before = tasks()
threads = [threading.Thread(target=lambda: answers.append(work())) for _ in range(8)]
for t in threads: t.start()
for t in threads: t.join()
assert len(answers) == 8
for answer in answers:
    assert all(np.array_equal(a, b) for a, b in zip(want, answer))
gc.collect()
for _ in range(100):  # a thread that was joined may take a moment to leave
    if tasks() <= before: break
    time.sleep(0.05)
else: raise AssertionError((before, tasks()))
PROGRAM
passes "a forked process works on, and a model travels to another" <<'PROGRAM'
import os, pickle, numpy as np, recon
x = np.load("strokes.npy")[:40]
model = recon.load("models/mnist-small.safetensors")
want = model.score(x).score
assert np.array_equal(pickle.loads(pickle.dumps(model)).score(x).score, want)
child = os.fork()
if child == 0:
    os._exit(0 if np.array_equal(model.score(x).score, want) else 3)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
PROGRAM

passes "a signal's handler runs during a call: what it raises ends the call, and the next one works" <<'PROGRAM'
import os, signal, threading, time, numpy as np, recon
class Stop(Exception): pass
def stop(*_): raise Stop
r = np.random.default_rng(0)
z, g, x = r.normal(size=(40000, 64)), r.uniform(-3, 3, 40000), r.random((20000, 28, 28), "f4")
recon.set_threads(2)  # long on any machine
model = recon.load("models/mnist-small.safetensors")
calls = (lambda: model.score(x), lambda: recon.normalize(z, g, k=100, family="mixture"))
to_process = lambda number: os.kill(os.getpid(), number)
to_thread = lambda number: signal.pthread_kill(threading.get_ident(), number)  # not the main one
for i, number in enumerate((signal.SIGINT, signal.SIGALRM, signal.SIGTERM, signal.SIGUSR1)):
    signal.signal(number, stop)
    threading.Timer(0.3, to_thread if i % 2 else to_process, (number,)).start()
    begun = time.process_time()  # of both threads; the clock would also count what else runs
    try: calls[i // 2]()
    except Stop: pass
    else: raise AssertionError(f"{number} did not end it")
    assert time.process_time() - begun < 3, (number, time.process_time() - begun)
recon.normalize(z[:300], g[:300])
want = model.score(x[:2000]).score
seen = [time.process_time()]
signal.signal(signal.SIGALRM, lambda *_: seen.append(time.process_time()))
signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
got = model.score(x[:2000]).score
signal.setitimer(signal.ITIMER_REAL, 0)
assert np.array_equal(got, want) and len(seen) > 3 and np.diff(seen).max() < 2, seen
PROGRAM
finish
