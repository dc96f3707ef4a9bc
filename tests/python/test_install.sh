#!/bin/sh
# pip install from a copy of the sources into an empty environment; then the copy is gone, and the
# package works from another folder, with what it carries.
here=$(cd "${0%/*}" && pwd)
. "$here/../cli/lib.sh"
. "$here/python.sh"
needs_package
unset PYTHONPATH RECON_DATA
if ! "$python" -c 'import venv, ensurepip, setuptools, wheel' 2>/dev/null ||
    ! "$python" -m venv --system-site-packages env >"$scratch/stdout" 2>"$scratch/stderr"; then
    skip "pip install" "no venv, setuptools or wheel"
    finish
fi
mkdir -p copy/build && cp -R "$root/python" "$root/include" "$root/LICENSE" "$root/models" "$root/data" copy &&
    cp "$root/build/librecon.so" copy/build
env/bin/python -m pip install --no-index --no-build-isolation --no-deps ./copy/python \
    >"$scratch/stdout" 2>"$scratch/stderr"
code=$?
report $code "pip install, offline"
rm -rf copy
mkdir elsewhere && cd elsewhere || exit 1

# passes_there TEXT <PROGRAM: by the environment's interpreter, with no setting but its own.
passes_there() {
    env -i PATH=/usr/bin:/bin HOME="$PWD" "$work/env/bin/python" - >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
    report $code "$1"
}

passes_there "library, models and data are the package's own" <<PROGRAM
import numpy as np, pathlib, recon, recon._library
package = pathlib.Path(recon.__file__).parent
assert package.is_relative_to("$work/env"), package
assert pathlib.Path(recon._library.lib._name).parent == package and (package / "py.typed").exists()
images = recon.read_images("garments", rotate="all", limit=40)
for name in ("fashion", "fashion.safetensors", "models/fashion"):
    model = recon.load(name)
    upright, poses = model.canonicalize(images.images)
    assert upright.shape == (40, 28, 28) and repr(model) == f"<recon.ImageModel {name}>"
assert recon.load("mnist").size == recon.load("mnist-small").size == (28, 28, 1)
molecules = recon.read_molecules("conformers/test", limit=5)
assert len(recon.load("conformers").canonicalize(molecules)[0]) == 5
PROGRAM
passes_there "what is missing is named with what is there, or with the places that were looked at" <<PROGRAM
import pathlib, recon
package = str(pathlib.Path(recon.__file__).parent)
for call, name in (recon.load, "fashoin"), (recon.load, "mnist-classifier"):
    try: call(name)
    except FileNotFoundError as error:
        assert isinstance(error, recon.MissingFileError) and name in str(error), error
        assert ("did you mean fashion?" in str(error)) == (name == "fashoin"), error
        assert "come with recon are cifar10, conformers, fashion, " in str(error), error
    else: raise AssertionError(name)
(pathlib.Path(package) / "models").rename(pathlib.Path(package) / "gone")
try: recon.load("fashion")
except recon.MissingFileError as error:
    assert f"looked here, in {package}, " in str(error) and "/usr/share/recon" in str(error), error
else: raise AssertionError("found")
(pathlib.Path(package) / "gone").rename(pathlib.Path(package) / "models")
PROGRAM
size=$(du -sm "$work"/env/lib/python3*/site-packages/recon | cut -f 1)
code=$([ "$size" -le 64 ] && echo 0 || echo 1)
report "$code" "it takes at most 64 MB ($size)"
"$work/env/bin/python" -m pip uninstall -y recon-pose >"$scratch/stdout" 2>"$scratch/stderr" &&
    ! ls -d "$work"/env/lib/python3*/site-packages/recon 2>/dev/null
code=$?
report $code "pip uninstall takes all of it away"
finish
