"""recon: the natural poses of objects, learned without labels.

    model = recon.load("fashion")                      # a shipped model, or a file
    upright, poses = model.canonicalize(images)        # in front of a frozen model
    boxes = model.invert(poses, boxes=found)           # detections, mapped back to the input
    score, p_value = model.score(images)               # which poses are unusual

    recon.train("photos", "photos.safetensors")        # train your own model on a folder of images
    recon.discover("photos.safetensors", "photos", "found")

    frames = recon.normalize(z, poses, group="so3")    # embeddings and poses of any backbone
    index = recon.PoseIndex(group="so3").fit(z, poses) # the same, to be asked: index.query(z, poses)

Arrays are NumPy arrays. Errors are recon.Error with the library's message; its subclasses are also
ValueError, OSError, FileNotFoundError and so on. Warnings are Python warnings, and nothing is
printed. Calls release the GIL, and a model may be used from many threads.
"""
from . import stats
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
from ._found import Audit, audit, report
from ._index import PoseIndex
from ._images import Candidates, Distribution, ImageModel
from ._library import Progress, __version__, set_threads
from ._load import list_models, load
from ._model import Model, Scores, Table
from ._molecules import Candidates3, Distribution3, MoleculeModel
from ._normalize import VERDICTS, Frames, normalize
from ._poses import Poses, Poses3
from ._train import Discovery, Training, discover, train
from ._trust import TrustWarning

__all__ = [
    "Audit",
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
    "PoseIndex",
    "Poses",
    "Poses3",
    "Progress",
    "Scores",
    "Table",
    "Training",
    "TrustWarning",
    "UnsupportedError",
    "__version__",
    "audit",
    "discover",
    "list_models",
    "load",
    "normalize",
    "read_images",
    "read_molecules",
    "report",
    "set_threads",
    "stats",
    "train",
]
