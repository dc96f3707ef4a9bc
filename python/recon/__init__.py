"""recon: the poses in which objects naturally occur, found without labels.

    model = recon.load("models/mnist.safetensors")
    upright, poses = model.canonicalize(images)        # in front of a frozen model
    boxes = model.invert(poses, boxes=found)           # and what it found, back in the input
    score, p_value = model.score(images)               # which poses are odd

    frames = recon.normalize(z, poses, group="so3")    # embeddings and poses of any backbone

Arrays are NumPy's. What cannot be done raises recon.Error with the library's message. Calls release
the interpreter's lock, and a model may be used from many threads.
"""
from ._data import Images, Molecule, read_images, read_molecules
from ._images import Candidates, Distribution, ImageModel
from ._library import Error, __version__, set_threads
from ._load import load
from ._model import Model, Scores
from ._molecules import Distribution3, MoleculeModel
from ._normalize import VERDICTS, Frames, normalize
from ._poses import Poses, Poses3

__all__ = [
    "Candidates",
    "Distribution",
    "Distribution3",
    "Error",
    "Frames",
    "VERDICTS",
    "ImageModel",
    "Images",
    "Model",
    "Molecule",
    "MoleculeModel",
    "Poses",
    "Poses3",
    "Scores",
    "__version__",
    "load",
    "normalize",
    "read_images",
    "read_molecules",
    "set_threads",
]
