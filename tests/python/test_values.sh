#!/bin/sh
# What the package takes and returns behaves as values of Python do: equality, pickles, errors, paths,
# names of arguments; nothing is printed.
here=$(cd "${0%/*}" && pwd)
. "$here/../cli/lib.sh"
. "$here/python.sh"
needs_package
ln -s "$root/models" models && ln -s "$root/data" data
cat >new.xyz <<'END'
3
name=water
O 0 0 0.1
H 0 0.8 -0.5
H 0 -0.8 -0.5
3
name=water
O 0 0 0.1
H 0 0.8 -0.4
H 0 -0.8 -0.5
END
sed 's/^O 0 0 0.1/Xx 0 0 0.1/' new.xyz | sed '8,$s/Xx/O/' >bad.xyz

# Everything that is returned, twice.
cat >values.py <<'END'
import numpy as np, recon
def values():
    r = np.random.default_rng(3)
    images = recon.load("models/mnist-small.safetensors")
    molecules = recon.load("models/conformers.safetensors")
    x, mols = r.random((6, 28, 28)), recon.read_molecules("new.xyz")
    upright, poses = images.canonicalize(x)
    natural, poses3 = molecules.canonicalize(mols)
    return {"frames": recon.normalize(r.normal(size=(50, 4)), 0.1 * r.normal(size=50)), "poses": poses,
            "parts": recon.normalize(r.normal(size=(50, 4)), 0.1 * r.normal(size=50), classes="components", eps=3),
            "one": poses[2], "none": poses[:0], "scores": images.score(x), "candidates": images.candidates(x)[0],
            "distribution": images.distribution(x)[0], "poses3": poses3, "scores3": molecules.score(mols),
            "distribution3": molecules.distribution(mols)[0], "molecule": mols[0],
            "images": recon.read_images("garments", limit=3)}
END
export PYTHONPATH="$PYTHONPATH:$work"
passes "== and != compare by value and never raise" <<'PROGRAM'
import dataclasses, numpy as np, recon
from values import values
a, b = values(), values()
for name in a:
    if name in ("frames", "parts"):  # how long it took is not compared
        b[name] = dataclasses.replace(b[name], seconds={})
    assert a[name] == b[name] and not a[name] != b[name], name
    assert a[name] != 3 and not a[name] == "x" and a[name] != None, name
    assert all((a[name] == a[other]) == (name == other) for other in a), name
    try: hash(a[name])
    except TypeError: pass
    else: raise AssertionError(name)
assert a["poses"] != a["poses"][::-1] and a["poses"][2] == a["one"]
x = a["frames"]
assert x != dataclasses.replace(x, score=x.score + 1) and np.isnan(x.hit_rate)
assert a["molecule"] == recon.Molecule(*a["molecule"]) and a["molecule"] in recon.read_molecules("new.xyz")
assert a["molecule"] != a["molecule"]._replace(name="ice")
PROGRAM
passes "everything that is returned comes out of a pickle as it was" <<'PROGRAM'
import copy, os, pickle, numpy as np, recon
from values import values
for name, value in values().items():
    again = pickle.loads(pickle.dumps(value))
    assert again == value and type(again) is type(value), name
    assert copy.deepcopy(value) == value, name
    if name == "distribution": assert (again.log_density([0, 1]) == value.log_density([0, 1])).all()
model = recon.load("models/mnist-small.safetensors")
assert os.path.isabs(model.path)
text = pickle.dumps(model)
os.chdir("/")
assert pickle.loads(text).path == model.path and len(text) < 1000
for kind in [getattr(recon, name) for name in recon.__all__ if name.endswith("Error")]:
    error = pickle.loads(pickle.dumps(kind("text")))
    assert type(error) is kind and str(error) == "text" and error.kind == kind("x").kind, kind
PROGRAM
passes "errors are also Python's own" <<'PROGRAM'
import numpy as np, os, traceback, recon
def raised(call, *arguments, **named):
    try: call(*arguments, **named)
    except recon.Error as error: return error
    raise AssertionError("nothing was raised")
open("cut", "wb").write(open("models/mnist-small.safetensors", "rb").read(3000))
z = np.ones((20, 3))
cases = [(raised(recon.normalize, z, np.ones(19)), recon.InputError, ValueError, "input"),
         (raised(recon.normalize, z, np.ones(20), k=30), recon.InputError, ValueError, "input"),
         (raised(recon.load, "nowhere"), recon.MissingFileError, FileNotFoundError, "io"),
         (raised(recon.load, "no/where"), recon.MissingFileError, OSError, "io"),
         (raised(recon.read_molecules, "missing.xyz"), recon.MissingFileError, FileNotFoundError, "io"),
         (raised(recon.read_images, "npy:missing.npy"), recon.MissingFileError, FileNotFoundError, "io"),
         (raised(recon.load, "models"), recon.MissingFileError, FileNotFoundError, "io"),
         (raised(recon.load, "cut"), recon.FormatError, ValueError, "format"),
         (raised(recon.load, "models/mnist-classifier.safetensors"), recon.FormatError, ValueError, "format"),
         (raised(recon.load, "models/mnist-small.safetensors", device="cuda"), recon.Error, Exception, None)]
for error, ours, theirs, kind in cases:
    assert isinstance(error, ours) and isinstance(error, theirs) and error.kind == (kind or error.kind), repr(error)
    assert traceback.format_exception_only(type(error), error)[0].startswith(f"recon.{type(error).__name__}: ")
    assert str(error) == error.args[0]
assert not isinstance(cases[0][0], OSError) and not isinstance(cases[2][0], ValueError)
from recon._errors import failure
assert isinstance(failure("m", "memory"), MemoryError) and isinstance(failure("m", "interrupted"), KeyboardInterrupt)
assert isinstance(failure("m", "unsupported"), NotImplementedError) and isinstance(failure("m", "numeric"), ArithmeticError)
assert isinstance(failure("full", "io"), recon.FileError) and not isinstance(failure("full", "io"), FileNotFoundError)
PROGRAM
mkdir frames pictures && cp new.xyz frames/a.xyz
passes "paths and names are taken alike, and what a file holds is guessed as by the command" <<'PROGRAM'
import numpy as np, recon
from pathlib import Path
x = np.zeros((4, 28, 28), np.uint8); x[:, 5:20, 9:12] = 255
np.save("x.npy", x)
want = recon.read_molecules("xyz:new.xyz")
for data in "new.xyz", Path("new.xyz"), b"new.xyz", Path.cwd() / "new.xyz", "frames", Path("frames"), "./frames":
    assert len(recon.read_molecules(data)) == 2 and recon.read_molecules(data)[0].name == "water", data
assert len(recon.read_molecules(Path("data/conformers"))) == len(recon.read_molecules("conformers/all"))
want = recon.read_images("npy:x.npy")
assert want == recon.read_images("x.npy") == recon.read_images(Path("x.npy"))
garments = "data/garments/t10k-images-idx3-ubyte.gz"
assert recon.read_images(Path(garments), limit=3) == recon.read_images(garments, limit=3)
Path("fisher.json").write_text('{"default": [[100, 0, 0]]}')
assert recon.read_molecules("new.xyz", rotate=Path("fisher.json")) == recon.read_molecules("new.xyz", rotate="fisher.json")
assert recon.load(Path("models/mnist-small.safetensors")).size == (28, 28, 1)
def refused(text, call, *arguments, **named):
    try: call(*arguments, **named)
    except recon.Error as error: assert text in str(error), (text, str(error))
    else: raise AssertionError(f"taken: {text}")
refused("data: text or a path is needed, not int", recon.read_images, 3)
refused("data: text or a path is needed, not list", recon.read_molecules, ["new.xyz"])
refused("path: text or a path is needed", recon.load, None)
refused("holds a zero byte", recon.load, "models/mnist-small.safetensors\0.txt")
refused("holds a zero byte", recon.read_images, "npy:x.npy\0x")
for data in "conformers", "conformers/test", "new.xyz", "xyz:new.xyz", "frames":
    refused("molecules, where images are needed", recon.read_images, data)
    refused("read_molecules", recon.read_images, data)
for data in "garments", "x.npy", "npy:x.npy", "pictures":
    refused("images, where molecules are needed", recon.read_molecules, data)
    refused("read_images", recon.read_molecules, data)
PROGRAM
passes "load takes a folder of results, as the command does" <<'PROGRAM'
import os, shutil, recon
from pathlib import Path
os.mkdir("results")
shutil.copy("models/mnist-small.safetensors", "results/model.safetensors")
for folder in "results", "results/", Path("results"), b"results":
    model = recon.load(folder)
    assert model.size == (28, 28, 1) and model.path == os.path.abspath("results/model.safetensors"), folder
os.mkdir("bare")
try: recon.load("bare")
except recon.MissingFileError as error: assert "bare/model.safetensors" in str(error), error
else: raise AssertionError("an empty folder was taken")
PROGRAM
passes "picture_limit is the command's --picture-limit" <<'PROGRAM'
import os, struct, warnings, zlib, recon
def chunk(kind, data): return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
os.mkdir("wide")  # 4 MB from a file of 4 kB
with open("wide/a.png", "wb") as f:
    f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 2000, 2000, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(bytes(2001 * 2000), 9)) + chunk(b"IEND", b""))
warnings.simplefilter("ignore")  # the picture shows nothing
try: recon.read_images("images:wide", picture_limit=3)
except recon.InputError as error: assert "3 MB are allowed" in str(error) and "--" not in str(error), error
except recon.UnsupportedError: raise SystemExit(0)  # without libpng
else: raise AssertionError("a picture beyond the limit was taken")
for limit in None, 5, 10**12:
    assert recon.read_images("images:wide", picture_limit=limit).images.shape == (1, 2000, 2000)
for limit in 0, -1, 2.5, True, 2**64:
    try: recon.read_images("images:wide", picture_limit=limit)
    except recon.InputError as error: assert "picture_limit" in str(error), error
    else: raise AssertionError(limit)
PROGRAM
passes "limit, skip_bad and the seeds are the command's" <<'PROGRAM'
import warnings, numpy as np, recon
def quietly(category, call, *arguments, **named):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        out = call(*arguments, **named)
    assert [w.category for w in caught] == [category] * (category is not None), [str(w.message) for w in caught]
    assert all(w.filename == "<stdin>" for w in caught), [w.filename for w in caught]
    return out
some = quietly(None, recon.read_molecules, "conformers/test", limit=20)
assert len(some) == 20 and some != quietly(None, recon.read_molecules, "conformers/test", limit=20, seed=2)
try: recon.read_molecules("bad.xyz")
except recon.FormatError as error: assert "bad.xyz" in str(error)
else: raise AssertionError("a bad frame was taken")
assert len(quietly(UserWarning, recon.read_molecules, "bad.xyz", skip_bad=True)) == 1
for call, data, rotation in (recon.read_images, "garments", "all"), (recon.read_molecules, "conformers/test", "haar"):
    base = quietly(None, call, data, rotate=rotation, limit=9)
    assert base == quietly(None, call, data, rotate=rotation, limit=9, seed=1, rotate_seed=1)
    other = quietly(None, call, data, rotate=rotation, limit=9, rotate_seed=7)
    assert other == quietly(DeprecationWarning, call, data, rotate=rotation, limit=9, seed=7) != base
    assert quietly(None, call, data, limit=9, seed=5) != quietly(None, call, data, limit=9)
    for bad in dict(limit=0), dict(limit=-1), dict(limit=2.5), dict(limit=True), dict(limit=3, seed=-1):
        try: call(data, **bad)
        except recon.InputError as error: assert "is not a whole number" in str(error), error
        else: raise AssertionError(bad)
taken = quietly(DeprecationWarning, recon.read_images, "garments", limit=9, take_seed=5)
assert taken == quietly(None, recon.read_images, "garments", limit=9, seed=5)
PROGRAM
passes "molecules may be given by symbols, as ASE's Atoms, as RDKit's Mol and Conformer" <<'PROGRAM'
import numpy as np, recon
numbers, places = [8, 1, 1], np.array([[0, 0, 0.1], [0, 0.8, -0.5], [0, -0.8, -0.5]])
class Atom:
    def __init__(self, z): self.z = z
    def GetAtomicNum(self): return self.z
class Conformer:
    def __init__(self, mol, places, flat=False): self.mol, self.places, self.flat = mol, places, flat
    def GetOwningMol(self): return self.mol
    def GetPositions(self): return self.places
    def Is3D(self): return not self.flat
class Mol:  # RDKit's: not iterable, atoms by method, conformers apart
    def __init__(self, n=1, flat=False): self.all = [Conformer(self, places + i, flat) for i in range(n)]
    def GetAtoms(self): return [Atom(z) for z in numbers]
    def GetConformers(self): return self.all
class Atoms:  # ASE's
    def __init__(self): self.numbers, self.positions = np.array(numbers), places
    def __iter__(self): return iter([1, 2, 3])
model = recon.load("models/conformers.safetensors")
want = model.score([(numbers, places)]).score
def same(x): assert np.allclose(model.score(x).score, want, atol=1e-4), x
for one in (["O", "H", "H"], places), (["o", "D", "h"], places), (np.array(["O", "H", "H"]), places), Mol(), Atoms():
    same([one])
same(Mol(1).GetConformers())
assert len(model.score(Mol(3).GetConformers()).score) == 3
def refused(text, x):
    try: model.score(x)
    except recon.InputError as error: assert text in str(error), (text, str(error))
    else: raise AssertionError(f"taken: {text}")
refused("there is no element 'Q'", [(["O", "H", "Q"], places)])
refused("molecule 0: 2 conformers, but one is needed: give mol.GetConformers()", [Mol(2)])
refused("molecule 0: 0 conformers, but one is needed: AllChem.EmbedMolecule", [Mol(0)])
refused("a drawing in the plane", [Mol(1, flat=True)])
for one in Mol(), Atoms(), Mol().all[0]:
    refused("one molecule, but a list is needed: [molecule]", one)
refused("molecules are a list, not int", 3)
refused("molecule 0: a pair", [3])
PROGRAM

# passes_with PACKAGE TEXT <PROGRAM: with the package itself, where it is installed.
passes_with() {
    if "$python" -c "import $1" 2>/dev/null; then
        passes "$2"
    else
        skip "$2" "no $1: the check above has objects that answer as its do"
    fi
}
passes_with rdkit "RDKit's own molecules" <<'PROGRAM'
import numpy as np, recon
from rdkit import Chem
from rdkit.Chem import AllChem
mol = Chem.AddHs(Chem.MolFromSmiles("CCO"))
AllChem.EmbedMultipleConfs(mol, 3, randomSeed=1)
model = recon.load("models/conformers.safetensors")
pairs = [([a.GetAtomicNum() for a in mol.GetAtoms()], c.GetPositions()) for c in mol.GetConformers()]
want = model.score(pairs).score
assert np.array_equal(model.score(mol.GetConformers()).score, want)
assert np.allclose(model.score([Chem.Mol(mol, confId=1)]).score, want[1], atol=1e-4)
for bad in mol, [mol], [Chem.MolFromSmiles("CCO")]:
    try: model.score(bad)
    except recon.InputError: pass
    else: raise AssertionError(bad)
PROGRAM
passes_with ase "ASE's own Atoms" <<'PROGRAM'
import ase, numpy as np, recon
places = np.array([[0, 0, 0.1], [0, 0.8, -0.5], [0, -0.8, -0.5]])
model = recon.load("models/conformers.safetensors")
want = model.score([(["O", "H", "H"], places)]).score
assert np.array_equal(model.score([ase.Atoms("OH2", places)]).score, want)
PROGRAM
passes_with scipy "SciPy's own Rotation" <<'PROGRAM'
import numpy as np, recon, warnings
from scipy.spatial.transform import Rotation
warnings.simplefilter("ignore")
z, r = np.random.default_rng(1).normal(size=(60, 5)), Rotation.random(60, random_state=1)
q = r.as_quat()  # x, y, z, w
by = [recon.normalize(z, poses, group="so3", quaternions=order).gamma
      for poses, order in ((r, None), (np.roll(q, 1, axis=1), "wxyz"), (q, "xyzw"))]
assert max(np.abs(by[0] - one).max() for one in by[1:]) < 1e-8
PROGRAM
passes "one box, point or vector for each input" <<'PROGRAM'
import numpy as np, recon
model = recon.load("models/mnist-small.safetensors")
_, poses = model.canonicalize(np.random.default_rng(1).random((6, 28, 28)))
for what, width in ("boxes", 4), ("points", 2), ("vectors", 2):
    each = np.random.default_rng(2).uniform(5, 20, (6, width))
    many = model.invert(poses, **{what: each[:, None]})
    assert np.array_equal(model.invert(poses, **{what: each}), many[:, 0]), what
    listed = model.invert(poses, **{what: list(each)})
    assert isinstance(listed, list) and np.array_equal(listed, many[:, 0]), what
    assert poses.to_canonical(**{what: each}).shape == (6, width)
model = recon.load("models/conformers.safetensors")
_, poses = model.canonicalize(recon.read_molecules("new.xyz"))
assert np.allclose(model.invert(poses, vectors=np.eye(3)[:2]), np.stack([np.eye(3)[i] @ poses.rotation[i] for i in (0, 1)]))
PROGRAM
"$python" -W ignore -c 'from values import values
import numpy as np, recon
values(); recon.normalize(np.random.rand(50, 4), np.random.rand(50) * 400)
recon.read_molecules("bad.xyz", skip_bad=True)' >"$scratch/stdout" 2>"$scratch/stderr"
code=$?
[ "$code" -eq 0 ] && [ ! -s "$scratch/stdout" ] && [ ! -s "$scratch/stderr" ]
code=$?
report $code "nothing is printed"

passes "a process that is forked while threads are at work, works on" <<'PROGRAM'
import os, signal, threading, numpy as np, recon
recon.set_threads(2)
x = np.random.default_rng(1).random((40, 28, 28))
model = recon.load("models/mnist-small.safetensors")
want, stop = model.score(x).score, threading.Event()
def work():
    while not stop.is_set(): assert np.array_equal(model.score(x).score, want)
threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads: t.start()
for _ in range(8):
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        right = np.array_equal(model.score(x).score, want)
        other = np.array_equal(recon.load("models/mnist-small.safetensors").score(x).score, want)
        os._exit(0 if right and other else 3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
stop.set()
for t in threads: t.join()
PROGRAM
finish
