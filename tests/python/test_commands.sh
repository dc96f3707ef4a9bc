#!/bin/sh
# What the command does can be done from Python, with the same bytes; what results are like in the hands
# of those who know pandas, matplotlib, tqdm and notebooks.
here=$(cd "${0%/*}" && pwd)
. "$here/../cli/lib.sh"
. "$here/python.sh"
needs_package
ln -s "$root/data" data && ln -s "$root/models" models

"$recon" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' >commands
passes "each command is a call, or a flow of the command's own" <<'PROGRAM'
import recon
calls = {
    "train": recon.train, "discover": recon.discover, "audit": recon.audit, "report": recon.report,
    "normalize": recon.normalize, "models": recon.list_models, "export": recon.ImageModel.export,
    "canonicalize": recon.Model.table, "score": recon.Model.score, "distribution": recon.ImageModel.distribution}
own = {
    "upright": "chooses among models, trains and links files", "info": "describes files: numpy.load, model.trust",
    "check": "a table of the network's layers", "classifier": "the experiments' own classifiers",
    "reproduce": "the experiments", "demo": "a page for a browser"}
listed = set(open("commands").read().split())
assert listed == {*calls, *own}, listed ^ {*calls, *own}
assert all(callable(call) for call in calls.values())
PROGRAM

run models --json
cp "$scratch/stdout" models.json
for what in pose score; do
    run export --model mnist-small --what $what --licence MIT --out $what.onnx --quiet
done
run audit garments --model fashion --rotate fashion --limit 150 --out audit.csv --quiet
run audit images:pictures --model fashion --out files.csv --quiet
mkdir pictures
"$python" -c 'import recon, numpy as np
from PIL import Image
for i, x in enumerate(recon.read_images("garments", limit=14).images): Image.fromarray(np.uint8(255 * x)).save(f"pictures/{i}.png")' 2>/dev/null ||
    rmdir pictures
run audit images:pictures --model fashion --out files.csv --quiet
run canonicalize --model fashion --data garments --rotate all --limit 60 --out upright.npy --poses poses.csv --quiet
report "$code" "the command's files"
run discover --model mnist-small --data garments --rotate fashion --limit 150 --out found --quiet
run report found --out report.html --quiet
report "$code" "the command's report"
passes "models, export, audit, tables and report are the command's" <<'PROGRAM'
import csv, json, os, warnings, numpy as np, recon
warnings.simplefilter("ignore")
assert recon.list_models() == sorted(json.load(open("models.json")))
for what in "pose", "score":
    recon.load("mnist-small").export("own.onnx", what=what, licence="MIT")
    assert open("own.onnx", "rb").read() == open(f"{what}.onnx", "rb").read(), what
def same(columns, path):
    """As text, as far as the file has it."""
    table = list(csv.DictReader(open(path)))
    assert len(table) > 10
    for name, column in columns.items():
        for row, x in zip(table, column.tolist()):
            text = row[name].count(":") if name == "candidates" else row[name]
            form = {"score": "%.4g" if "rank" in columns else "%.6g", "p_value": "%.4g", "p_embedding": "%.4g",
                    "angle_deg": "%.2f", "degrees": "%.2f"}.get(name, "%s")
            said = "" if x != x or (name == "cluster" and x < 0) else form % (int(x) if isinstance(x, bool) else x)
            assert said == str(text) or (form == "%.2f" and abs(float(said) - float(text)) in (0, 360)), (path, name, said, text)
    return table
found = recon.audit("fashion", "garments", rotate="fashion", limit=150)
table = same(found._columns(), "audit.csv")
assert set(table[0]) - {"file"} == set(found._columns())
if os.path.exists("files.csv"):
    found = recon.audit(recon.load("fashion"), "images:pictures")
    same(found._columns(), "files.csv")
    assert found[:3].name.shape == (3,) and repr(found).startswith("<recon.Audit of 14 inputs")
images, model = recon.read_images("garments", rotate="all", limit=60).images, recon.load("fashion")
table = model.table(images)
same(table._columns(), "poses.csv")
upright, poses = model.canonicalize(images, only="clear")
assert np.array_equal(table.rotated, poses.rotated) and np.array_equal(upright, np.load("upright.npy"))
assert recon.report("found", "own.html") == "own.html"
assert open("own.html", "rb").read() == open("report.html", "rb").read()
for text, call in (("fdr 2", lambda: recon.audit("fashion", "garments", fdr=2)), ("an audit compares inputs", lambda: recon.audit("fashion", images[:3])),
                   ("no summary.json", lambda: recon.report(".")), ("a model of molecules, but images are needed", lambda: recon.ImageModel.load("conformers"))):
    try: call()
    except recon.Error as error: assert text in str(error), error
    else: raise AssertionError(text)
PROGRAM

# Every result that has rows.
cat >results.py <<'END'
import numpy as np, recon, warnings
warnings.simplefilter("ignore")
model, molecules = recon.load("fashion"), recon.load("conformers")
images = recon.read_images("garments", rotate="all", limit=20).images
mols = recon.read_molecules("conformers/test", limit=20)
z, psi = model.embed(images)
z3, psi3 = molecules.embed(mols)
results = {"poses": model.canonicalize(images)[1], "poses3": molecules.canonicalize(mols)[1], "scores": model.score(images),
           "table": model.table(images), "table3": molecules.table(mols), "audit": recon.audit(model, images),
           "frames": recon.normalize(z, psi, k=5), "frames3": recon.normalize(z3, psi3, group="so3", k=5)}
END
export PYTHONPATH="$PYTHONPATH:$work"
passes "embeddings and poses are the model's; results iterate, slice, pickle and show themselves" <<'PROGRAM'
import logging, pickle, numpy as np, warnings
from results import *
assert z.shape == (20, 128) and z.dtype == np.float32 and np.array_equal(psi, results["poses"].psi)
assert psi3.shape == (20, 3, 3) and np.allclose(psi3, results["poses3"].psi)
by_quarter = np.rot90(images, 1, (1, 2))
assert np.allclose((model.embed(by_quarter)[1] - psi - np.pi / 2 + np.pi) % (2 * np.pi), np.pi, atol=0.02)
assert model.embed(images[:0])[0].shape == (0, 128)
for name, result in results.items():
    assert len(result) == 20 and type(result[2:5]) is type(result), name
    assert result[[2, 3, 4]] == result[2:5] == result[np.isin(np.arange(20), [2, 3, 4])] and len(result[-1]) == 1
    assert name == "scores" or [one == result[i] for i, one in enumerate(result)] == 20 * [True], name
    assert pickle.loads(pickle.dumps(result[3:7])) == result[3:7] != result[4:8], name
    text = result._repr_html_()
    assert text.count("<tr>") == 9 and text.count("<th>") > 2 and text.endswith("..."), name
    assert result[:0]._repr_html_().count("<td>") == 0, name
    try: result[20]
    except IndexError: pass
    else: raise AssertionError(name)
assert results["poses"]._repr_html_().count('src="data:image/png;base64,') == 16
assert results["poses"][3:5]._repr_html_().count("rotate(") == 2
assert recon.read_images("garments", limit=3)._repr_html_().count("<img") == 3
messages = []
handler = logging.Handler(); handler.emit = lambda record: messages.append(record.getMessage())
logging.captureWarnings(True)
logging.getLogger("py.warnings").addHandler(handler)
warnings.simplefilter("always")
model.score(255 * images)
assert any("pixels up to 25" in text for text in messages)
PROGRAM
passes "a package that is missing is named" <<'PROGRAM'
import sys
from results import *
for package, call in (("pandas", results["poses"].to_frame), ("matplotlib", results["poses"].plot), ("matplotlib", results["frames"].plot),
                      ("tqdm", lambda: recon.normalize(z, psi, k=5, progress=True))):
    for name in [package, *(n for n in sys.modules if n.startswith(package + "."))]: sys.modules[name] = None
    try: call()
    except recon.UnsupportedError as error: assert f"needs {package}, which is not installed: pip install {package}" in str(error), error
    else: raise AssertionError(package)
PROGRAM
with_package() { # PACKAGE TEXT <PROGRAM
    if "$python" -c "import $1" 2>/dev/null; then passes "$2"; else skip "$2" "no python3-$1"; fi
}
with_package pandas "to_frame" <<'PROGRAM'
from results import *
for name, result in results.items():
    table = result.to_frame()
    assert len(table) == 20 and not table.empty, name
frame = results["frames"].to_frame()
assert (frame.gamma == results["frames"].gamma).all() and set(frame.verdict) <= {*recon.VERDICTS, "outside"}
assert (results["poses3"].to_frame().absolute_8 == results["poses3"].absolute[:, 2, 2]).all()
assert list(results["audit"].to_frame().columns) == "index rank score p_value wrong mixed action degrees".split()
PROGRAM
with_package matplotlib "plot: roses, spheres and pairs" <<'PROGRAM'
import matplotlib; matplotlib.use("agg")
from results import *
rose = results["poses"].plot()
assert rose.name == "polar" and sum(bar.get_height() for bar in rose.patches) == 20
assert results["frames"].plot() is not None and results["frames"].plot(row=3, ax=rose) is rose
for ax in results["poses3"].plot(), results["frames3"].plot(), results["frames3"].plot(row=2): assert ax.name == "3d"
try: recon.normalize(z, np.arange(20) % 4, group="c4", k=5).plot()
except recon.InputError as error: assert "of so2 and so3, not of c4" in str(error)
else: raise AssertionError("c4")
axes = results["poses"].plot(images)
assert axes.shape == (2, 8) and np.array_equal(axes[0, 3].images[0].get_array(), images[3])
assert np.allclose(axes[1, 3].images[0].get_array(), model.canonicalize(images)[0][3], atol=1e-5)
PROGRAM
with_package tqdm "progress=True" <<'PROGRAM'
import contextlib, io
from results import *
said = io.StringIO()
with contextlib.redirect_stderr(said): recon.normalize(np.tile(z, (9, 1)), np.tile(psi, 9), k=5, progress=True)
assert "100%" in said.getvalue() and "centres" in said.getvalue(), said.getvalue()
PROGRAM
finish
