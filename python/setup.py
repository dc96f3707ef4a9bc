"""Puts the library that `make` built beside the modules, where there is one; see pyproject.toml.

Nothing is compiled here. Without ../build/librecon.so the package is modules alone, and looks for
the library on the system when it is imported.
"""
import shutil
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

LIBRARY = Path(__file__).resolve().parent.parent / "build" / "librecon.so"


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        if LIBRARY.exists() and not self.editable_mode:
            shutil.copyfile(LIBRARY, Path(self.build_lib) / "recon" / "librecon.so")


class MaybeBinary(Distribution):
    def has_ext_modules(self):  # then the wheel says which machine it is for
        return LIBRARY.exists()


setup(cmdclass={"build_py": BuildWithLibrary}, distclass=MaybeBinary)
