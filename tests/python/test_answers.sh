#!/bin/sh
# One answer: whatever tells of the inputs of a folder tells the same, row by row. The list is below; who adds an
# output adds it there.
here=$(cd "${0%/*}" && pwd)
. "$here/../cli/lib.sh"
. "$here/python.sh"
needs_package

"$python" - <<'PROGRAM'
import os, numpy as np, recon
os.makedirs("in/a")
os.mkdir("in/b")
for i, x in enumerate(recon.read_images("garments", rotate="fashion", limit=80).images):
    x = np.rint(255 * (x if i % 30 else np.random.default_rng(i).random(x.shape))).astype(np.uint8)  # some are noise
    with open(f"in/{'ab'[i // 40]}/{i:03d}.pgm", "wb") as f:
        f.write(b"P5 28 28 255\n" + x.tobytes())
PROGRAM
run discover -m fashion images:in -o found --folds 0 --k 15
cp "$scratch/stdout" discover.txt
for model in found fashion; do
    mkdir $model.out
    run canonicalize -m $model images:in -o $model.out/clear --json && cp "$scratch/stdout" $model.out/clear.json
    if [ "$code" -eq 1 ] && said "without libpng"; then
        skip "one answer" "no libpng"
        finish
    fi
    run canonicalize -m $model images:in -o $model.out/all.npy --poses $model.out/all.csv --all --quiet
    run canonicalize -m $model images:in -o $model.out/gated.npy --poses $model.out/gated.csv --only-if 0.2 --quiet
    run score -m $model images:in -o $model.out/score.csv --json --false-alarms 0.1 && cp "$scratch/stdout" $model.out/score.json
    run score -m $model images:in -o $model.out/score.npy --false-alarms 0.1 && cp "$scratch/stdout" $model.out/score.txt
    for i in 0 7 60; do
        run distribution -m $model images:in --index $i --json && cp "$scratch/stdout" $model.out/$i.json
    done
done

cat >answers.py <<'PROGRAM'
import csv, ctypes, json, math, re, sys
import numpy as np, recon
from recon import _abi
from recon._library import address, lib, room

name = sys.argv[1]
model, out = recon.load(name), name + ".out/"
names = [f"{'ab'[i // 40]}/{i:03d}.pgm" for i in range(80)]
pictures = [np.frombuffer(open(f"in/{n}", "rb").read()[-784:], np.uint8).reshape(28, 28) for n in names]
images = np.stack(pictures)


def table(path):
    rows = list(csv.DictReader(open(path)))
    assert [r["file"] for r in rows] == names and [int(r["index"]) for r in rows] == list(range(80)), path
    return rows


def of_table(rows):
    return [dict(angle=float(r["angle_deg"]), score=float(r["score"]), p=float(r["p_value"]),
                 unlike=float(r["p_embedding"]), verdict=r["verdict"], fold=int(r["fold"]), cluster=r["cluster"],
                 candidates=[tuple(map(float, c.split(":"))) for c in r["candidates"].split(";")],
                 **({"rotated": r["rotated"] == "1"} if "rotated" in r else {})) for r in rows]


def of_rows(only, only_if=0):
    """C: recon_rows_find."""
    rows = room(len(images), _abi.recon_row)
    options = ctypes.byref(_abi.recon_canonicalize_options(only=only, only_if=only_if))
    x = np.ascontiguousarray(images / np.float32(255), np.float32)
    model._ask(lib.recon_rows_find, address(rows), model._handle, address(x), len(x), options)
    said = []
    for r in rows:
        n = int(r["candidates"]["count"])
        said.append(dict(
            angle=math.degrees(r["candidates"]["pose"][0]["absolute"][0]), score=r["score"], p=r["p_value"],
            unlike=r["p_embedding"], verdict=lib.recon_natural_name(int(r["verdict"])).decode(), fold=int(r["fold"]),
            cluster="" if r["cluster"] < 0 else str(r["cluster"]), rotated=bool(r["rotated"]),
            candidates=[(math.degrees(c["absolute"][0]), w) for c, w in
                        zip(r["candidates"]["pose"][:n], r["candidates"]["weight"][:n])]))
    return said


def of_python(**how):
    poses = model.canonicalize(images, **how)[1]
    scores = model.score(images)
    return [dict(angle=math.degrees(a), score=s, p=p, unlike=u, rotated=bool(r), verdict=d.verdict, fold=d.fold,
                 candidates=[(math.degrees(x), w) for x, w in zip(c.poses.absolute, c.weight)])
            for a, r, s, p, u, d, c in zip(poses.absolute, poses.rotated, *(scores.score, scores.p_value, scores.p_embedding),
                                           model.distribution(images), model.candidates(images))]


def of_distribution():
    return [dict(angle=math.degrees(d.pose.absolute[0]), score=d.score, p=d.p_value, unlike=d.p_embedding,
                 verdict=d.verdict, fold=d.fold) for d in model.distribution(pictures)]


ANY, CLEAR = 0, 1
sources = {
    "canonicalize's poses.csv": of_table(table(out + "clear/poses.csv")),
    "score's table": of_table(table(out + "score.csv")),
    "C, clear": of_rows(CLEAR),
    "Python, only='clear'": of_python(only="clear"),
    "Python, distribution of pictures": of_distribution(),
}
everything = {
    "canonicalize --all": of_table(table(out + "all.csv")),
    "C": of_rows(ANY),
    "Python": of_python(),
}
gated = {
    "canonicalize --only-if": of_table(table(out + "gated.csv")),
    "C, clear and only_if": of_rows(CLEAR, 0.2),
    "Python, only='clear', only_if": of_python(only="clear", only_if=0.2),
}
if name == "found":
    sources["discover's poses.csv"] = of_table(table("found/poses.csv"))

bad = []
close = {"angle": 0.02, "score": 2e-3, "p": 2e-3, "unlike": 2e-3}


def differs(key, a, b):
    if key in close:
        apart = abs(a - b) if key != "angle" else abs((a - b + 180) % 360 - 180)
        return not apart <= close[key] * (1 + (abs(b) if key == "score" else 0))
    if key == "candidates":
        return len(a) != len(b) or any(differs("angle", x, y) or abs(u - v) > 1e-3 for (x, u), (y, v) in zip(a, b))
    return a != b


def compare(sources):
    first, *others = sources
    for other in others:
        for i, (a, b) in enumerate(zip(sources[first], sources[other])):
            for key in a.keys() & b.keys():
                if differs(key, a[key], b[key]):
                    bad.append(f"{names[i]} {key}: {a[key]} by {first}, {b[key]} by {other}")


for group in (sources, everything, gated):
    compare(group)
rows = sources["canonicalize's poses.csv"]
for other in everything["Python"], gated["C, clear and only_if"]:
    compare({"canonicalize": [{k: v for k, v in r.items() if k != "rotated"} for r in rows], "another gate": other})


def same(what, a, b):
    if a != b:
        bad.append(f"{what}: {a} and {b}")


count = lambda which: sum(r["verdict"] in which for r in rows)
said = json.load(open(out + "clear.json"))
same("rotated, --json and poses.csv", said["rotated"], sum(r["rotated"] for r in rows))
same("left, --json and poses.csv", said["unchanged"]["verdict"], count(("none", "cannot_tell")))
said = json.load(open(out + "score.json"))
same("unusual, --json and table", said["unusual"], sum(r["p"] < 0.1 for r in rows))
same("unlike, --json and table", said["unlike"], sum(r["unlike"] < 0.1 for r in rows))
text = open(out + "score.txt").read()
for word in "unusual", "unlike":
    same(word + ", terminal and --json", re.search(word + r" +(\d+|none)", text).group(1).replace("none", "0"), str(said[word]))
for worst in said["most_unusual"]:
    compare({"score --json": [dict(score=worst["score"], p=worst["p_value"], unlike=worst["p_embedding"], angle=worst["pose_deg"])],
             "its table": [rows[worst["index"]]]})
same("score.npy and the table", [f"{x:.6g}" for x in np.load(out + "score.npy")], [r["score"] for r in table(out + "score.csv")])
for i in (0, 7, 60):
    d = json.load(open(f"{out}{i}.json"))
    compare({"distribution --json": [dict(angle=d["pose_deg"], score=d["score"], p=d["p_value"], unlike=d["p_embedding"],
                                          verdict=d["verdict"], fold=d["fold"])], "canonicalize": [rows[i]]})

if name == "found":
    text, summary = open("discover.txt").read(), json.load(open("found/summary.json"))
    verdicts = ["one", "several", "modulo", "axis", "none", "cannot_tell"]
    same("verdict.npy", [verdicts[v] for v in np.load("found/verdict.npy")], [r["verdict"] for r in rows])
    same("fold.npy", list(np.load("found/fold.npy")), [r["fold"] for r in rows])
    for v in verdicts:
        same(f"summary.json: {v}", round(80 * summary["all"]["natural_pose"][v]), count((v,)))
    for word, v in (("one pose", "one"), ("several", "several"), ("none", "none"), ("cannot tell", "cannot_tell")):
        share = re.search(rf"natural .*{word}: ([\d.]+) %", text)
        same(f"terminal: {word}", share.group(1) if share else "0.0", f"{100 * count((v,)) / 80:.1f}")
    same("hit rate", f'{summary["all"]["hit_rate"]:.4f}', re.search(r"hit rate ([\d.]+)", text).group(1))
    far = sum(r["rotated"] and abs(r["angle"]) > 20 for r in rows)
    same("terminal: beyond 20 degrees", int(re.search(r"as given +(\d+)", text).group(1)), far)
    same("summary.json: beyond 20 degrees", round(80 * summary["all"]["rotated_20"]), far)
    of = {c["cluster"]: c for c in csv.DictReader(open("found/clusters.csv"))}
    for c, line in of.items():
        members = [r for r in rows if r["cluster"] == c]
        same(f"cluster {c}: inputs", int(line["inputs"]), len(members))
        same(f"cluster {c}: agree", int(line["agree"]), sum(r["verdict"] == line["verdict"] for r in members))
        same(f"cluster {c}: action", line["action"] == "rotate", 2 * sum(r["rotated"] for r in members) > len(members))
    page = [json.loads(line[: line.index("]") + 1]) for line in open("found/report.html") if re.match(r'\["[ab]/', line)]
    same("the report's table: names", [r[0] for r in page], names)
    compare({"the report's table": [dict(cluster=str(c), angle=a, score=s, p=p, unlike=u, verdict=verdicts[v], rotated=bool(r))
                                    for _, c, a, s, p, u, v, r in page], "canonicalize": rows})

print("\n".join(bad[:20]))
sys.exit(len(bad) > 0)
PROGRAM
for model in found fashion; do
    "$python" answers.py $model >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
    report $code "$model: every output says the same of every input"
done
finish
