#!/bin/sh
# What help() shows: every class says what its fields are, every function what it takes and returns, with
# an example that runs.
here=$(cd "${0%/*}" && pwd)
. "$here/../cli/lib.sh"
. "$here/python.sh"
needs_package

# The modules beside the package, those that can be imported here.
cat >modules.py <<'PROGRAM'
import importlib, importlib.util
modules = [importlib.import_module(f"recon.{name}") for name in ("sklearn", "torch") if importlib.util.find_spec(name)]
PROGRAM
passes "each field and each argument is named, each function has an example" <<'PROGRAM'
import inspect, re, recon
from recon._records import names
def public(kind): return [n for n in dir(kind) if not n.startswith("_")]
def says(name, text, section):
    part = re.search(rf"{section}:\n(( {{4,}}.*\n|\n)*)", inspect.cleandoc(text) + "\n")
    return part and re.search(rf"^    {name}: \S", part.group(1), re.M)
missing, seen = [], 0
def look_at(name, function):
    text = function.__doc__ or ""
    parameters = [p for p in inspect.signature(function).parameters if p != "self"]
    missing.extend((name, p) for p in parameters if not says(p, text, "Args"))
    if ">>> " not in text: missing.append((name, "an example"))
    if "Returns:" not in text and name != "set_threads": missing.append((name, "what it returns"))
    return 1 + len(parameters)
for name in recon.__all__:
    thing = getattr(recon, name)
    if inspect.isfunction(thing): seen += look_at(name, thing)
    if not inspect.isclass(thing): continue
    fields = [n for n in public(thing) if isinstance(getattr(thing, n), property)]
    if thing.__init__ is not object.__init__ and issubclass(thing, recon.Model): fields += ["path", "trust", "lambda_from"]
    fields += [] if issubclass(thing, (recon.Model, recon.PoseIndex, recon.Poses, recon.Poses3, recon.Error, Warning)) else [
        n for n in names(thing) if not n.startswith("_")]
    fields += {"ImageModel": ["size"], "MoleculeModel": ["elements"], "Error": ["kind"]}.get(name, [])
    missing += [(name, f) for f in fields if not says(f, thing.__doc__, "Fields")]
    seen += len(fields)
    for method, function in vars(thing).items():
        if not method.startswith("_") and inspect.isfunction(function):
            seen += look_at(f"{name}.{method}", function)
from modules import modules
for module in modules:
    for name in module.__all__:
        thing = getattr(module, name)
        parameters = [p for p in inspect.signature(thing).parameters]
        missing += [(name, p) for p in parameters if not says(p, thing.__doc__, "Args")]
        if ">>> " not in thing.__doc__: missing.append((name, "an example"))
        for method, function in vars(thing).items():
            if not method.startswith("_") and inspect.isfunction(function):
                seen += look_at(f"{name}.{method}", function)
assert not missing and seen > 120, (missing, seen)
PROGRAM
passes "a field of a named tuple says what it is" <<'PROGRAM'
import recon
for kind in recon.Images, recon.Molecule, recon.Candidates:
    for field in kind._fields:
        text = getattr(kind, field).__doc__
        assert "Alias" not in text and "\n" not in text and len(text) > 10, (kind, field, text)
PROGRAM
passes "help() of them is that text" <<'PROGRAM'
import pydoc, recon
text = pydoc.plain(pydoc.render_doc(recon.Frames))
assert "gamma: The centre of the row's class" in text and "natural_pose: The share of rows" in text
text = pydoc.plain(pydoc.render_doc(recon.normalize))
for part in ("k: Number of nearest neighbours", "mean: What the centre is", "metric: Which", "Returns:"):
    assert part in text, part
PROGRAM
passes "the examples are true" <<'PROGRAM'
import doctest, numpy as np, recon, warnings
warnings.simplefilter("error")  # examples give no warnings
runner = doctest.DocTestRunner()
finder = doctest.DocTestFinder(recurse=True)
for name in ["", *recon.__all__]:
    if name == "__version__": continue
    thing = getattr(recon, name) if name else recon
    tests = finder.find(thing, name or "recon", module=False, globs=dict(recon=recon, np=np))
    for test in tests: runner.run(test)
from modules import modules
for module in modules:
    kinds = {name: getattr(module, name) for name in module.__all__}
    globs = dict(recon=recon, np=np, **kinds, **({"torch": module.torch} if hasattr(module, "torch") else {}))
    for name, kind in kinds.items():
        for test in finder.find(kind, name, module=False, globs=globs): runner.run(test)
assert runner.failures == 0 and runner.tries > 70, (runner.failures, runner.tries)
PROGRAM
"$python" -OO -c 'import recon; assert recon.load.__doc__ is None; recon.load("'"$root"'/models/mnist-small.safetensors")' \
    >"$scratch/stdout" 2>"$scratch/stderr"
code=$?
report $code "without docstrings (python -OO) it works as well"
finish
