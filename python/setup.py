"""Puts into the package, beside its modules, the public headers that it reads, the library that
`make` built, and the models and data that come with recon and that the package opens by name; see
pyproject.toml.

Nothing is compiled here. Without ../build/librecon.so the package is modules and headers, and looks
for the library on the system when it is imported; models and data then come with that.
"""
import shutil
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = ROOT / "build" / "librecon.so"
NOT_LOADED = ("-augmented", "-classifier", "-equiadapt", "-escnn", "-partial_gcnn", "-segnn",
              "-sgm")  # of the experiments


def shipped():
    """The library and what it looks for beside itself (src/core/shipped.c), relative to ROOT."""
    models = ROOT.glob("models/*.safetensors")
    yield from (path for path in models if not path.stem.endswith(NOT_LOADED))
    for data in ("garments", "conformers"):
        yield from (ROOT / "data" / data).glob("*")


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        if self.editable_mode:
            return
        package = Path(self.build_lib) / "recon"
        shutil.copytree(ROOT / "include", package / "include", dirs_exist_ok=True)
        if not LIBRARY.exists():
            return
        for path in (LIBRARY, *LIBRARY.parent.glob("recon-*.so")):  # its plug-ins
            shutil.copyfile(path, package / path.name)
        for path in shipped():
            to = package / path.relative_to(ROOT)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, to)


class MaybeBinary(Distribution):
    def has_ext_modules(self):  # then the wheel says which machine it is for
        return LIBRARY.exists()


setup(cmdclass={"build_py": BuildWithLibrary}, distclass=MaybeBinary)
