"""recon: the poses in which objects naturally occur, found without labels.

    model = recon.load("fashion")                      # a model that comes with recon, or a file
    upright, poses = model.canonicalize(images)        # in front of a frozen model
    boxes = model.invert(poses, boxes=found)           # and what it found, back in the input
    score, p_value = model.score(images)               # which poses are unusual

    recon.train("photos", "photos.safetensors")        # a model of one's own: of a folder of pictures
    recon.discover("photos.safetensors", "photos", "found")

    frames = recon.normalize(z, poses, group="so3")    # embeddings and poses of any backbone

Arrays are NumPy's. What cannot be done raises recon.Error with the library's message; its
subclasses are also ValueError, OSError, FileNotFoundError and so on. What deserves a warning is one
of Python's; nothing is printed. Calls release the interpreter's lock, and a model may be used from
many threads.
"""
from ._data import Images, Molecule, read_images, read_molecules
from ._errors import (
    Error,
    FileError,
    FormatError,
    InputError,
    MissingFileError,
    NumericError,
    OutOfMemoryError,
    UnsupportedError,
)
from ._images import Candidates, Distribution, ImageModel
from ._library import Progress, __version__, set_threads
from ._load import load
from ._model import Model, Scores
from ._molecules import Candidates3, Distribution3, MoleculeModel
from ._normalize import VERDICTS, Frames, normalize
from ._poses import Poses, Poses3
from ._train import Discovery, Training, discover, train
from ._trust import TrustWarning

__all__ = [
    "Candidates",
    "Candidates3",
    "Discovery",
    "Distribution",
    "Distribution3",
    "Error",
    "FileError",
    "FormatError",
    "Frames",
    "VERDICTS",
    "ImageModel",
    "Images",
    "InputError",
    "MissingFileError",
    "Model",
    "Molecule",
    "MoleculeModel",
    "NumericError",
    "OutOfMemoryError",
    "Poses",
    "Poses3",
    "Progress",
    "Scores",
    "Training",
    "TrustWarning",
    "UnsupportedError",
    "__version__",
    "discover",
    "load",
    "normalize",
    "read_images",
    "read_molecules",
    "set_threads",
    "train",
]
