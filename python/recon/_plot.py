"""Drawings of poses, with matplotlib."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._library import Array, needed

_BINS = 72


def _axes(ax: Any, projection: str) -> Any:
    plt = needed("matplotlib.pyplot", "plot")
    return plt.figure().add_subplot(projection=projection) if ax is None else ax


def dial(ax: Any = None) -> Any:
    """Polar axes on which upright is up, and angles run as they do on screen."""
    ax = _axes(ax, "polar")
    ax.set_theta_zero_location("N")
    ax.set_yticklabels([])
    return ax


def rose(angles: Array, ax: Any = None) -> Any:
    """How many angles there are in each direction."""
    ax = dial(ax)
    counts, edges = np.histogram(angles, _BINS, (-np.pi, np.pi))
    ax.bar(edges[:-1], counts, width=2 * np.pi / _BINS, align="edge")
    return ax


def sphere(rotations: Array, ax: Any = None) -> Any:
    """Where rotations take the three axes."""
    ax = _axes(ax, "3d")
    for axis, name in enumerate("xyz"):
        ax.scatter(*rotations[:, :, axis].T, s=6, label=name)
    ax.set_box_aspect((1, 1, 1))
    ax.legend()
    return ax


def poses(x: Array, ax: Any = None) -> Any:
    """Angles or rotations."""
    return rose(x, ax) if x.ndim == 1 else sphere(x, ax)


def pairs(given: Sequence[Array], upright: Sequence[Array]) -> Any:
    """Images above, and the same upright below."""
    plt = needed("matplotlib.pyplot", "plot")
    _, axes = plt.subplots(2, max(len(given), 1), squeeze=False)
    for row, images in zip(axes, (given, upright)):
        for ax, image in zip(row, images):
            ax.imshow(image[..., 0] if image.ndim == 3 and image.shape[2] < 3 else image, cmap="gray")
    for ax in axes.flat:
        ax.axis("off")
    return axes
