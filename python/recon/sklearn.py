"""recon for scikit-learn: a transformer that rotates images into their natural pose, a detector of
images in unusual poses, and natural poses by the neighbours of embeddings.

    pipeline = make_pipeline(Canonicalizer("fashion", frozen=True), classifier)
    scorer = PoseScorer().fit(images)                  # learns the poses of these images
    unusual = images[scorer.predict(images) == -1]

Images, X below, are n x height x width [x channels], of bytes or floats (0 to 1), or n rows of
pixels if `shape` is given. Labels are not used. If fit has nothing to learn (frozen=True), images
of any size are accepted too: see recon.ImageModel.
"""
from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin, TransformerMixin  # type: ignore[import]
from sklearn.utils.validation import check_is_fitted  # type: ignore[import]

from ._library import Array, share
from ._errors import InputError
from ._images import ImageModel
from ._index import PoseIndex
from ._poses import Poses
from ._train import discover_quietly, train

__all__ = ["Canonicalizer", "PoseNeighbors", "PoseScorer"]

Self = TypeVar("Self", bound="_Estimator")


class _Estimator(BaseEstimator):  # type: ignore[misc]
    """The common base: parameters, fit, and a pickle that includes the model."""

    def _keep(self, given: dict[str, Any]) -> None:
        """The parameters, as scikit-learn wants them: each under its name, as it was given."""
        for name in self._get_param_names():
            setattr(self, name, given[name])

    def fit(self: Self, X: Any, y: Any = None) -> Self:
        """Learns the natural poses of images.

        Args:
            X: The images.
            y: Not used.

        Returns:
            self.
        """
        if self.frozen:
            if self.model is None:
                raise InputError("frozen: a model is needed")
            self._open(self.model)
            self.__dict__.pop("_folder", None)  # of an earlier fit
            return self
        images = self._images(X)
        folder = tempfile.TemporaryDirectory(prefix="recon-")
        backbone = self.model
        if backbone is None:
            backbone = os.path.join(folder.name, "backbone.safetensors")
            train(images, backbone, preset=self.preset, epochs=self.epochs, width=self.width,
                  seed=self.seed, device=self.device)
        found = os.path.join(folder.name, "found")
        discover_quietly(model=backbone, data=images, out=found, k=self.k, mean=self.mean,
                         lambda_=self.lambda_, folds=self.folds, seed=self.seed, device=self.device)
        self._open(found)
        self._folder = folder  # as long as the model may be opened again
        return self

    def _open(self, path: Any) -> None:
        self.model_ = ImageModel.load(path, device=self.device, lambda_=self.lambda_)
        self.n_features_in_ = int(np.prod(self.shape or self.model_.size))

    def __getstate__(self) -> dict[str, Any]:
        """Stores a fitted model in the pickle itself."""
        state: dict[str, Any] = dict(super().__getstate__())
        if "_folder" in state:
            state["_folder"] = Path(state.pop("model_").path).read_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        made = state.pop("_folder", None)
        super().__setstate__(state)
        if made is None:
            return
        self._folder = tempfile.TemporaryDirectory(prefix="recon-")
        path = Path(self._folder.name) / "model.safetensors"
        path.write_bytes(made)
        self._open(path)

    def _shaped(self) -> tuple[int, ...] | None:
        """The shape of the image in a row of pixels."""
        if self.shape is not None:
            return tuple(self.shape)
        return self.model_.size if hasattr(self, "model_") else None

    def _images(self, X: Any) -> Any:
        """X as images, where it has rows of pixels."""
        given = X if isinstance(X, (list, tuple)) else np.asarray(X)
        if not isinstance(given, np.ndarray) or given.ndim != 2:
            return given
        shape = self._shaped()
        if shape is None or given.shape[1] != int(np.prod(shape)):
            wanted = "shape=(height, width)" if shape is None else f"{int(np.prod(shape))} of them"
            raise InputError(f"X has {given.shape[1]} features: rows of pixels need {wanted}")
        return given.reshape(len(given), *shape)

    def _fitted_images(self, X: Any) -> Any:
        check_is_fitted(self, "model_")
        images = self._images(X)
        several = isinstance(images, np.ndarray) and images.ndim == 3 and images.shape[2] > 4
        return images[..., None] if several else images  # n of them, whatever n is

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns that transform returns for rows of pixels; so that
        set_output(transform="pandas") works.

        Args:
            input_features: Their names; None: pixel0, pixel1 ...

        Returns:
            An array of names.
        """
        if input_features is not None:
            return np.asarray(input_features, object)
        return np.array([f"pixel{i}" for i in range(self.n_features_in_)], object)

    def _more_tags(self) -> dict[str, Any]:
        return {"X_types": ["3darray", "2darray"], "requires_y": False}


class Canonicalizer(TransformerMixin, _Estimator):  # type: ignore[misc]
    """A transformer that brings images into their natural pose.

    Args:
        model: A network to start from: what recon.train or recon.discover wrote, or a model shipped
            with recon; fit learns the natural poses of its X with it. None: fit also trains one.
        frozen: The model is used as it is, and fit learns nothing.
        shape: (height, width) or (height, width, channels) of rows of pixels.
        preset: Of the network that fit trains: see recon.train.
        epochs: Of the network that fit trains.
        width: Of the network that fit trains.
        k: Neighbours: see recon.discover. It matters where natural poses come from neighbours or a
            head (lambda_).
        mean: Of the neighbours' poses: see recon.discover.
        lambda_: Where natural poses come from: see recon.load.
        folds: By which p-values are calibrated: see recon.discover.
        seed: The random seed.
        device: "cpu" or "cuda".
        only_if: Rotate only images whose pose has a p-value below this.
        only: Rotate only images whose verdict is "one" natural pose, or any that is "clear".
        interpolation: "bilinear" or "bicubic".

    Fields:
        model_: The recon.ImageModel, once it is fitted.
        n_features_in_: Numbers in an image.

    Example:
        >>> from sklearn.pipeline import make_pipeline
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.preprocessing import FunctionTransformer
        >>> garments = recon.read_images("garments", rotate="fashion", limit=60)
        >>> flat = FunctionTransformer(lambda x: x.reshape(len(x), -1))
        >>> frozen = Canonicalizer("mnist-small", frozen=True)
        >>> pipeline = make_pipeline(frozen, flat, LogisticRegression(max_iter=20, tol=1))
        >>> pipeline.fit(garments.images, garments.labels).predict(garments.images).shape
        (60,)
    """

    def __init__(
        self,
        model: str | os.PathLike[str] | None = None,
        *,
        frozen: bool = False,
        shape: tuple[int, ...] | None = None,
        preset: Literal["fast", "small", "paper", "photo", "photo-small"] | None = None,
        epochs: int | None = None,
        width: float | None = None,
        k: int | None = None,
        mean: Literal["auto", "tukey", "frechet", "chordal"] | None = None,
        lambda_: Literal["auto", "neighbours", "head", "density"] = "auto",
        folds: int | None = None,
        seed: int | None = None,
        device: str = "cpu",
        only_if: float | None = None,
        only: str = "any",
        interpolation: Literal["bilinear", "bicubic"] = "bilinear",
    ):
        self._keep(locals())

    def transform(self, X: Any) -> Any:
        """Brings images into their natural pose.

        Args:
            X: The images.

        Returns:
            The same, as ImageModel.canonicalize has them; rows of pixels where X has these.

        Example:
            >>> garments = recon.read_images("garments", limit=5).images
            >>> Canonicalizer("fashion", frozen=True).fit(garments).transform(garments).shape
            (5, 28, 28)
        """
        return self.transform_with_poses(X)[0]

    def transform_with_poses(self, X: Any) -> tuple[Any, Poses]:
        """Like transform, but also returns the poses of the images.

        Args:
            X: The images.

        Returns:
            The images in their natural pose, and recon.Poses, for invert.

        Example:
            >>> garments = recon.read_images("garments", limit=5).images
            >>> canonicalizer = Canonicalizer("fashion", frozen=True).fit(garments)
            >>> upright, poses = canonicalizer.transform_with_poses(garments)
            >>> poses.to_input(points=np.zeros((5, 2))).shape
            (5, 2)
        """
        images = self._fitted_images(X)
        out, poses = self.model_.canonicalize(
            images, only_if=self.only_if, interpolation=self.interpolation, only=self.only)
        listed = isinstance(X, (list, tuple))
        return (out if listed else out.reshape(np.shape(X))), poses  # a table of data too

    def score(self, X: Any, y: Any = None) -> float:
        """How likely the poses of images are under the model: for GridSearchCV.

        Args:
            X: The images.
            y: Not used.

        Returns:
            The mean log density of their poses; higher is better.

        Example:
            >>> garments = recon.read_images("garments", limit=5).images
            >>> np.isfinite(Canonicalizer("fashion", frozen=True).fit(garments).score(garments))
            True
        """
        images = self._fitted_images(X)
        return -float(self.model_.score(images).score.mean())


class PoseScorer(OutlierMixin, _Estimator):  # type: ignore[misc]
    """A detector of images in poses that are unusual for their kind.

    Args:
        model: As in Canonicalizer.
        frozen: As in Canonicalizer.
        shape: As in Canonicalizer.
        preset: As in Canonicalizer.
        epochs: As in Canonicalizer.
        width: As in Canonicalizer.
        k: As in Canonicalizer.
        mean: As in Canonicalizer.
        lambda_: As in Canonicalizer.
        folds: As in Canonicalizer.
        seed: As in Canonicalizer.
        device: As in Canonicalizer.
        false_alarms: The share of usual images that predict may call unusual.

    Fields:
        model_: The recon.ImageModel, once it is fitted.
        n_features_in_: Numbers in an image.

    Example:
        >>> garments = recon.read_images("garments", rotate="all", limit=20).images
        >>> scorer = PoseScorer("fashion", frozen=True, false_alarms=0.05).fit(garments)
        >>> sorted(set(scorer.predict(garments)))
        [-1, 1]
    """

    def __init__(
        self,
        model: str | os.PathLike[str] | None = None,
        *,
        frozen: bool = False,
        shape: tuple[int, ...] | None = None,
        preset: Literal["fast", "small", "paper", "photo", "photo-small"] | None = None,
        epochs: int | None = None,
        width: float | None = None,
        k: int | None = None,
        mean: Literal["auto", "tukey", "frechet", "chordal"] | None = None,
        lambda_: Literal["auto", "neighbours", "head", "density"] = "auto",
        folds: int | None = None,
        seed: int | None = None,
        device: str = "cpu",
        false_alarms: float = 0.01,
    ):
        self._keep(locals())

    def score_samples(self, X: Any) -> Array:
        """How usual the poses of images are.

        Args:
            X: The images.

        Returns:
            The log density of each pose, given the image: lower is more unusual, as scikit-learn has
            it. recon's own score is the negative of it.

        Example:
            >>> garments = recon.read_images("garments", limit=5).images
            >>> PoseScorer("fashion", frozen=True).fit(garments).score_samples(garments).shape
            (5,)
        """
        images = self._fitted_images(X)
        return -self.model_.score(images).score

    def decision_function(self, X: Any) -> Array:
        """The p-value of each pose less false_alarms: negative is unusual.

        Args:
            X: The images.

        Returns:
            A number for each image.

        Example:
            >>> garments = recon.read_images("garments", limit=5).images
            >>> PoseScorer("fashion", frozen=True).fit(garments).decision_function(garments).shape
            (5,)
        """
        images = self._fitted_images(X)
        return self.model_.score(images).p_value - share(self.false_alarms)

    def predict(self, X: Any) -> Array:
        """Whether the pose of each image is usual.

        Args:
            X: The images.

        Returns:
            1 where it is, -1 where it is not; of the images that fit saw, about false_alarms.

        Example:
            >>> garments = recon.read_images("garments", limit=5).images
            >>> PoseScorer("fashion", frozen=True).fit(garments).predict(garments).dtype
            dtype('int64')
        """
        return np.where(self.decision_function(X) < 0, -1, 1)


class PoseNeighbors(BaseEstimator):  # type: ignore[misc]
    """Natural poses by the nearest embeddings: recon.PoseIndex as an estimator. X are embeddings, n x
    d, and y the poses.

    Args:
        group: As in recon.PoseIndex, and so are all others.
        k: As there.
        mean: As there.
        family: As there.
        metric: As there.
        quaternions: As there.

    Fields:
        index_: The recon.PoseIndex, once it is fitted.
        n_features_in_: Columns of X.

    Example:
        >>> z, g = np.random.default_rng(0).normal(size=(2, 60, 3))
        >>> PoseNeighbors(k=5).fit(z, g[:, 0]).index_
        <recon.PoseIndex of 60 points of 3 dimensions, so2>
    """

    def __init__(
        self,
        group: str = "so2",
        *,
        k: int = 10,
        mean: Literal["auto", "tukey", "frechet", "chordal"] = "auto",
        family: Literal["auto", "uniform", "normal", "vonmises", "mixture"] = "auto",
        metric: Literal["cosine", "dot", "euclidean"] = "cosine",
        quaternions: Literal["wxyz", "xyzw"] | None = None,
    ):
        for name, value in list(locals().items())[1:]:
            setattr(self, name, value)

    def fit(self, X: Any, y: Any) -> PoseNeighbors:
        """Makes the index.

        Args:
            X: The embeddings.
            y: The pose of each.

        Returns:
            self.

        Example:
            >>> z, g = np.random.default_rng(0).normal(size=(2, 60, 3))
            >>> PoseNeighbors().fit(z, g[:, 0]).n_features_in_
            3
        """
        self.index_ = PoseIndex(**self.get_params()).fit(X, y)
        self.n_features_in_ = np.shape(X)[1]
        return self

    def predict(self, X: Any) -> Array:
        """The natural poses.

        Args:
            X: Embeddings.

        Returns:
            A pose for each.

        Example:
            >>> z, g = np.random.default_rng(0).normal(size=(2, 60, 3))
            >>> PoseNeighbors().fit(z, g[:, 0]).predict(z[:2]).shape
            (2,)
        """
        check_is_fitted(self, "index_")
        return self.index_.query(X).gamma

    def score_samples(self, X: Any, y: Any) -> Array:
        """How usual poses are.

        Args:
            X: Embeddings.
            y: The pose of each.

        Returns:
            The log density of each: lower is more unusual.

        Example:
            >>> z, g = np.random.default_rng(0).normal(size=(2, 60, 3))
            >>> PoseNeighbors().fit(z, g[:, 0]).score_samples(z[:2], g[:2, 0]).shape
            (2,)
        """
        check_is_fitted(self, "index_")
        return -self.index_.query(X, y).score

    def kneighbors(self, X: Any) -> tuple[Array, Array]:
        """The nearest points.

        Args:
            X: Embeddings.

        Returns:
            Distances (1 - cosine, minus the inner product, or Euclidean) and rows, n x k.

        Example:
            >>> z, g = np.random.default_rng(0).normal(size=(2, 60, 3))
            >>> [one.shape for one in PoseNeighbors(k=3).fit(z, g[:, 0]).kneighbors(z[:2])]
            [(2, 3), (2, 3)]
        """
        check_is_fitted(self, "index_")
        frames = self.index_.query(X)
        assert frames.similarity is not None and frames.neighbors is not None
        if self.metric == "euclidean":
            return frames.similarity, frames.neighbors
        return (self.metric == "cosine") - frames.similarity, frames.neighbors
