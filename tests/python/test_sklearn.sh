#!/bin/sh
# recon.sklearn: what scikit-learn expects of a transformer and of a detector, each by name.
here=$(cd "${0%/*}" && pwd)
. "$here/../cli/lib.sh"
. "$here/python.sh"
needs_package
if ! "$python" -c 'import sklearn' 2>/dev/null; then
    skip "recon.sklearn" "no python3-sklearn"
    finish
fi
ln -s "$root/data" data && ln -s "$root/models" models
cat >common.py <<'PROGRAM'
import warnings, numpy as np, recon
from recon.sklearn import Canonicalizer, PoseScorer
warnings.simplefilter("ignore", recon.TrustWarning)
warnings.filterwarnings("ignore", message="p-values and thresholds are rough")
garments = recon.read_images("garments", rotate="fashion", limit=60)
images, labels = garments.images, garments.labels
def learner(kind=Canonicalizer, **named):  # quick: the network is at hand, the poses are learned
    return kind("models/mnist-small.safetensors", folds=0, **named)
def refused(kind, text, call, *arguments):
    try: call(*arguments)
    except kind as error: assert text in str(error), error
    else: raise AssertionError(text)
PROGRAM
passes "PoseNeighbors: fit, predict, score_samples, kneighbors, clone, pickle, search" <<'PROGRAM'
import pickle, numpy as np, recon
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors
from recon.sklearn import PoseNeighbors
r = np.random.default_rng(1)
z, g, q = r.normal(size=(300, 6)), r.uniform(-3, 3, 300), r.normal(size=(40, 6))
for metric in "cosine", "euclidean":
    own = clone(PoseNeighbors(k=7, metric=metric, family="normal")).fit(z, g)
    near = NearestNeighbors(n_neighbors=7, metric=metric, algorithm="brute").fit(z.astype("f4"))
    for a, b in zip(own.kneighbors(q), near.kneighbors(q.astype("f4"))): assert np.allclose(a, b, atol=1e-5)
    frames = recon.normalize(z, g, k=7, metric=metric, family="normal", queries=(q, g[:40]))
    again = pickle.loads(pickle.dumps(own))
    assert np.array_equal(again.predict(q), frames.gamma) and np.array_equal(own.score_samples(q, g[:40]), -frames.score)
PROGRAM
passes "fit, transform: the poses of X are learned, and used" <<'PROGRAM'
from common import *
c = learner(seed=3).fit(images, labels)
upright, poses = c.transform_with_poses(images)
assert np.array_equal(c.transform(images), upright) and upright.shape == images.shape
assert np.array_equal(c.fit_transform(images), upright) and c.n_features_in_ == 784
recon.discover("models/mnist-small.safetensors", images, "found", folds=0, seed=3)
assert np.array_equal(recon.load("found").canonicalize(images)[0], upright)
assert c.model_.path not in ("models/mnist-small.safetensors", "mnist-small")
PROGRAM
passes "score_samples, decision_function, predict, fit_predict" <<'PROGRAM'
from common import *
s = PoseScorer("fashion", frozen=True, false_alarms=0.05).fit(images)
own = recon.load("fashion").score(images)
assert np.array_equal(s.score_samples(images), -own.score)
assert np.array_equal(s.predict(images), np.where(own.p_value < 0.05, -1, 1)) and set(s.predict(images)) == {-1, 1}
assert np.array_equal(s.decision_function(images) < 0, s.predict(images) == -1)
assert np.array_equal(PoseScorer("fashion", frozen=True, false_alarms=0.05).fit_predict(images), s.predict(images))
assert (s.set_params(false_alarms=0.5).predict(images) == -1).sum() > (own.p_value < 0.05).sum()
PROGRAM
passes "without a model, fit trains one" <<'PROGRAM'
from common import *
c = Canonicalizer(preset="small", width=0.25, epochs=1, folds=0).fit(images[:60, ::2, ::2])
assert c.model_.size == (14, 14, 1) and c.transform(images[:5, ::2, ::2]).shape == (5, 14, 14)
PROGRAM
passes "clone, get_params, set_params" <<'PROGRAM'
from common import *
from sklearn.base import clone
c = Canonicalizer("fashion", frozen=True, k=7, only_if=0.1)
twin = clone(c.fit(images))
assert twin is not c and twin.get_params() == c.get_params() and not hasattr(twin, "model_")
assert twin.set_params(k=9, interpolation="bicubic") is twin and (twin.k, twin.interpolation) == (9, "bicubic")
assert c.get_params()["k"] == 7 and "Canonicalizer(frozen=True, k=7" in repr(c), repr(c)
assert set(PoseScorer().get_params()) - set(c.get_params()) == {"false_alarms"}
refused(ValueError, "Invalid parameter", lambda: c.set_params(neighbours=3))
PROGRAM
passes "pickle: what fit learned is in it" <<'PROGRAM'
from common import *
import pickle, os, shutil
c = learner().fit(images)
data = pickle.dumps(c)
upright, path = c.transform(images), c.model_.path
del c
assert not os.path.exists(path)
again = pickle.loads(data)
assert np.array_equal(again.transform(images), upright)
twice = pickle.loads(pickle.dumps(again))
assert np.array_equal(twice.transform(images), upright)
frozen = pickle.dumps(Canonicalizer("fashion", frozen=True).fit(images))
assert len(frozen) < 10000 < len(data)  # a model that was there is named
assert pickle.loads(frozen).transform(images[:3]).shape == (3, 28, 28)
assert not hasattr(pickle.loads(pickle.dumps(Canonicalizer())), "model_")
again.set_params(model="fashion", frozen=True).fit(images)  # after a fit that learned
assert len(pickle.dumps(again)) < 10000
PROGRAM
passes "Pipeline, with rows of pixels" <<'PROGRAM'
from common import *
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
rows = images.reshape(len(images), -1)
p = Pipeline([("upright", Canonicalizer("fashion", frozen=True)), ("classes", LogisticRegression(max_iter=30, tol=0.1))])
p.fit(rows, labels)
assert p.predict(rows).shape == labels.shape and p.score(rows, labels) > 0.5
assert np.array_equal(p["upright"].transform(rows).reshape(images.shape), p["upright"].transform(images))
class Table:  # as pandas has it
    def __len__(self): return len(rows)
    def __array__(self, dtype=None): return rows
assert np.array_equal(p["upright"].transform(Table()), p["upright"].transform(rows)) and p["upright"].transform(rows).ndim == 2
assert p["upright"].transform(rows[:0]).shape == (0, 784)
large = np.kron(images[:3], np.ones((2, 2), np.float32))
c = Canonicalizer("fashion", frozen=True, shape=(56, 56)).fit(large.reshape(3, -1))  # not of the model's size
assert np.array_equal(c.transform(large.reshape(3, -1)).reshape(3, 56, 56), c.transform(large)) and c.n_features_in_ == 3136
assert Canonicalizer(shape=(28, 28), model="models/mnist-small.safetensors", folds=0).fit(rows).transform(rows).shape == rows.shape
PROGRAM
if "$python" -c 'import pandas' 2>/dev/null; then
    passes "set_output('pandas')" <<'PROGRAM'
from common import *
c, rows = Canonicalizer("fashion", frozen=True).fit(images), images.reshape(len(images), -1)
table = c.set_output(transform="pandas").transform(rows)
assert list(table.columns[:2]) == ["pixel0", "pixel1"] and np.array_equal(table.to_numpy(), c.set_output(transform="default").transform(rows))
PROGRAM
else
    skip "set_output('pandas')" "no python3-pandas"
fi
passes "GridSearchCV over k" <<'PROGRAM'
from common import *
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
rows = images.reshape(len(images), -1)
p = Pipeline([("upright", learner(lambda_="neighbours", shape=(28, 28))), ("classes", KNeighborsClassifier(3))])
g = GridSearchCV(p, {"upright__k": [3, 12]}, cv=2, error_score="raise").fit(rows, labels)
assert g.best_params_["upright__k"] in (3, 12) and g.best_estimator_["upright"].k == g.best_params_["upright__k"]
few, many = (learner(lambda_="neighbours", k=k).fit(images).transform_with_poses(images)[1].natural for k in (3, 12))
assert not np.array_equal(few, many)  # k is not without effect
alone = GridSearchCV(learner(lambda_="neighbours"), {"k": [5]}, cv=2, error_score="raise").fit(images)
assert np.isfinite(alone.best_score_) and alone.best_estimator_.transform(images[:4]).shape == (4, 28, 28)
PROGRAM
passes "NotFittedError" <<'PROGRAM'
from common import *
from sklearn.exceptions import NotFittedError
for call in (Canonicalizer("fashion").transform, Canonicalizer("fashion").score, PoseScorer("fashion").predict,
             PoseScorer("fashion").score_samples):
    refused(NotFittedError, "is not fitted yet", call, images)
PROGRAM
passes "a wrong shape is a ValueError" <<'PROGRAM'
from common import *
c = Canonicalizer("fashion", frozen=True).fit(images)
refused(ValueError, "X has 700 features", c.transform, np.zeros((3, 700)))
refused(ValueError, "28 x 28 x 1", c.transform, np.zeros((3, 28, 28, 7), np.uint8))
refused(ValueError, "rows of pixels need shape=", Canonicalizer().fit, np.zeros((3, 784)))
refused(ValueError, "28 x 28", learner().fit, np.zeros((40, 20, 20)))
refused(ValueError, "frozen: a model is needed", Canonicalizer(frozen=True).fit, images)
refused(ValueError, "a model of molecules", Canonicalizer("conformers", frozen=True).fit, images)
refused(ValueError, "a share between 0 and 1", PoseScorer("fashion", frozen=True, false_alarms=2).fit(images).predict, images)
PROGRAM
passes "NaN and infinity are a ValueError" <<'PROGRAM'
from common import *
for bad in np.nan, np.inf:
    x = images.copy()
    x[4, 3, 2] = bad
    for kind in Canonicalizer, PoseScorer:
        refused(ValueError, str(bad), learner(kind).fit, x)
    refused(ValueError, str(bad), Canonicalizer("fashion", frozen=True).fit(images).transform, x)
    refused(ValueError, str(bad), PoseScorer("fashion", frozen=True).fit(images).score_samples, x)
PROGRAM
passes "pictures of any size, at their own size" <<'PROGRAM'
from common import *
x = [np.zeros((100, 80, 3), np.uint8), np.zeros((50, 60), np.uint16)]
x[0][30:60, 20:30], x[1][10:40, 20:30] = 200, 60000
c = Canonicalizer("fashion", frozen=True).fit(x)
made, own = c.transform(x), recon.load("fashion").canonicalize(x)[0]
assert all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(made, own)) and len(made) == 2
assert PoseScorer("fashion", frozen=True).fit(x).predict(x).shape == (2,)
PROGRAM
finish
