#!/usr/bin/env python3
"""A frozen PyTorch classifier in front of which images are brought into their natural pose.

    examples/frozen_torchvision.py
    examples/frozen_torchvision.py --classifier mine.pt --model models/fashion.safetensors \\
        --data fashion/test --rotate fashion

The classifier has seen upright images alone and is not touched. It may be any torch model: a
TorchScript file, or, from a program of your own, what you pass to accuracies(). Without one the
shipped ResNet-18 is used, as a torchvision ResNet. Digits are rotated as in the paper, so that the
figures can be compared with those of `recon reproduce mnist`.

Needs Debian's python3-torch and python3-torchvision; labels are used to count right answers.
"""
from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import torch
from torchvision.models.resnet import BasicBlock, ResNet

import recon

ROOT = Path(__file__).resolve().parent.parent
BATCH = 500

# --- what matters ---------------------------------------------------------------------------------


def logits(classifier: torch.nn.Module, images: np.ndarray) -> torch.Tensor:
    """Of images n x height x width [x channels], as recon has them; torch wants channels first."""
    x = torch.from_numpy(images)
    x = x[:, None] if x.ndim == 3 else x.permute(0, 3, 1, 2)
    with torch.no_grad():
        return torch.cat([classifier(part) for part in x.split(BATCH)])


def accuracies(
    classifier: torch.nn.Module, model: recon.ImageModel, images: np.ndarray, labels: np.ndarray
) -> dict[str, float]:
    """The classifier's share of right answers on the images without correction, on the same in their
    natural pose, and where its own confidence chooses among several natural poses."""

    def share(x: np.ndarray) -> float:
        return float(np.mean(logits(classifier, x).argmax(1).numpy() == labels))

    def confidence(x: np.ndarray) -> np.ndarray:
        return logits(classifier, x).log_softmax(1).amax(1).double().numpy()

    return {
        "no correction": share(images),
        "canonicalized": share(model.canonicalize(images)[0]),
        "candidates searched": share(model.canonicalize(images, judge=confidence)[0]),
    }


# --- the shipped classifier as a torchvision ResNet -----------------------------------------------


def read_safetensors(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    raw = bytearray(path.read_bytes())
    start = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:start])
    metadata = header.pop("__metadata__", {})
    types = {"F32": torch.float32, "BF16": torch.bfloat16}
    tensors = {}
    for name, entry in header.items():
        begin, end = (start + at for at in entry["data_offsets"])
        flat = torch.frombuffer(raw[begin:end], dtype=types[entry["dtype"]])
        tensors[name] = flat.reshape(entry["shape"]).float()
    return tensors, metadata


def small_resnet18(width: int, channels: int, classes: int) -> ResNet:
    """torchvision's ResNet-18 for small images: a 3 x 3 stem of stride 1 and no max pool."""
    net = ResNet(BasicBlock, [2, 2, 2, 2], num_classes=classes)
    net.inplanes = width
    net.conv1 = torch.nn.Conv2d(channels, width, 3, padding=1, bias=False)
    net.bn1 = torch.nn.BatchNorm2d(width)
    net.maxpool = torch.nn.Identity()
    for stage in range(4):
        layer = net._make_layer(BasicBlock, width << stage, 2, stride=2 if stage else 1)
        setattr(net, f"layer{stage + 1}", layer)
    net.fc = torch.nn.Linear(width << 3, classes)
    return net


def torch_name(name: str) -> str:
    """stage1.0.shortcut_norm.scale is torchvision's layer2.0.downsample.1.weight."""
    *parts, last = name.split(".")
    words = {"stem": "conv1", "stem_norm": "bn1", "head": "fc", "norm1": "bn1", "norm2": "bn2",
             "shortcut": "downsample.0", "shortcut_norm": "downsample.1"}
    ends = {"scale": "weight", "shift": "bias", "mean": "running_mean", "var": "running_var"}
    if parts[0].startswith("stage"):
        parts[0] = f"layer{int(parts[0][5:]) + 1}"
    return ".".join([words.get(part, part) for part in parts] + [ends.get(last, last)])


def shipped_classifier(path: Path) -> ResNet:
    tensors, metadata = read_safetensors(path)
    net = small_resnet18(*(int(metadata[key]) for key in ("stem", "channels", "classes")))
    state = {torch_name(name): x.permute(0, 3, 1, 2) if x.ndim == 4 else x
             for name, x in tensors.items()}  # filters: channels come last there
    missing, unknown = net.load_state_dict(state, strict=False)
    assert not unknown and all(name.endswith("num_batches_tracked") for name in missing)
    return net.eval()


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--model", default=ROOT / "models/mnist.safetensors")
    p.add_argument("--classifier", type=Path, default=ROOT / "models/mnist-classifier.safetensors",
                   help="TorchScript, or what `recon classifier train --net resnet18` wrote")
    p.add_argument("--data", default="mnist/test")
    p.add_argument("--rotate", default="mnist", help="as the command's --rotate")
    p.add_argument("--images", type=int, default=2000, help="how many, chosen at random")
    p.add_argument("--json", action="store_true")
    a = p.parse_args()
    own = a.classifier.suffix == ".safetensors"
    classifier = shipped_classifier(a.classifier) if own else torch.jit.load(a.classifier).eval()
    model = recon.load(a.model)
    rotated = recon.read_images(a.data, rotate=a.rotate, rotate_seed=2, limit=a.images)
    found = accuracies(classifier, model, rotated.images, rotated.labels)
    if a.json:
        print(json.dumps(found))
        return
    print(f"{len(rotated.labels)} images of {a.data}, rotated; a frozen {type(classifier).__name__}")
    for name, share in found.items():
        print(f"  {name:20} {100 * share:6.2f} %")


if __name__ == "__main__":
    try:
        main()
    except recon.Error as error:  # such as MNIST's absence, with what gets it
        sys.exit(f"{Path(__file__).name}: {error}")
