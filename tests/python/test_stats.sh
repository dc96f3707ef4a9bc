#!/bin/sh
# recon.stats: means and spread beside SciPy's and NumPy's, tests, and the symmetry by name.
here=$(cd "${0%/*}" && pwd)
. "$here/../cli/lib.sh"
. "$here/python.sh"
needs_package

passes "weighted means of angles and their spread" <<'PROGRAM'
import numpy as np, recon
from recon import stats
r = np.random.default_rng(1)
x, w = r.normal(2.8, 0.6, 50), r.random(50)
chordal = np.angle(np.sum(w * np.exp(1j * x)))
assert abs(stats.mean(x, weights=w, kind="chordal") - chordal) < 1e-12
grid = np.linspace(-np.pi, np.pi, 200001)
loss = sum(v * np.angle(np.exp(1j * (grid - a))) ** 2 for a, v in zip(x, w))
mean = stats.mean(x, weights=w)
assert abs(np.angle(np.exp(1j * (mean - grid[loss.argmin()])))) < 1e-4
assert abs(stats.dispersion(x, weights=w) - np.sqrt(loss.min() / w.sum())) < 1e-6
elements = [0, 3, 3, 5]
assert stats.mean(elements, group="c8") == 3 and stats.mean(elements, group="c8", weights=[5, 1, 1, 1]) == 0
assert stats.mean(np.c_[x, -x], group="torus2", weights=w).shape == (2,)
PROGRAM
if "$python" -c 'import scipy' 2>/dev/null; then
    passes "weighted means of rotations are SciPy's, whatever form they have" <<'PROGRAM'
import numpy as np, recon
from recon import stats
from scipy.spatial.transform import Rotation
from scipy.stats import circmean
g, w = Rotation.random(40, random_state=1), np.random.default_rng(2).random(40)
for poses, order in (g, None), (g.as_matrix(), None), (g.as_quat(), "xyzw"):
    mean = stats.mean(poses, group="so3", weights=w, kind="chordal", quaternions=order)
    assert np.abs(mean - g.mean(w).as_matrix()).max() < 1e-12
near = Rotation.from_rotvec(0.3 * g.as_rotvec())
mean = Rotation.from_matrix(stats.mean(near, group="so3", weights=w))
assert np.abs(w @ (near * mean.inv()).as_rotvec()).max() < 1e-10  # the geodesic mean
assert abs(stats.dispersion(near, group="so3", weights=w) - np.sqrt(w @ (near * mean.inv()).magnitude() ** 2 / w.sum())) < 1e-10
angles = near.magnitude()
assert abs(np.exp(1j * stats.mean(angles, kind="chordal")) - np.exp(1j * circmean(angles))) < 1e-12
PROGRAM
else
    skip "rotations beside SciPy's" "no python3-scipy"
fi
passes "tests and names" <<'PROGRAM'
import numpy as np, recon
from recon import stats
r = np.random.default_rng(3)
step = np.arange(60) % 4 * np.pi / 2 + 0.05 * r.normal(size=60)
assert stats.uniform_test(r.uniform(-3, 3, 30)) > 0.01 > stats.uniform_test(step)
assert stats.one_mode_test(r.normal(size=40) / 9) > 0.05 > stats.one_mode_test(np.repeat([0, 1.0], 20) + r.normal(size=40) / 9)
c4 = stats.symmetry(step, group="so2")
assert (c4.name, c4.order, c4.axis) == ("C4", 4, None) and abs(c4.center) < 0.05 and 0 < c4.p <= 1
c, s, o = np.cos(step), np.sin(step), np.zeros(60)
found = stats.symmetry(np.stack([c, -s, o, s, c, o, o, o, o + 1], 1))
assert found.name == "C4" and abs(found.axis[2]) > 0.999 and found.center.shape == (3, 3)
none = stats.symmetry(r.uniform(-0.8, 0.8, 60), group="so2")
assert none.name == "C1" and none.order == 1 and np.isnan(none.p)
frames = recon.normalize(r.normal(size=(120, 3)), np.tile(step, 2), k=40)
assert set(frames.symmetry) == {"C4"} and frames.symmetry.dtype.kind == "U"
for text, call in {
    "weights: 3": lambda: stats.mean(step, weights=[1, 2, 3]),
    "weight 1 is -1": lambda: stats.mean([0, 1.0], weights=[1, -1]),
    "no weights": lambda: stats.mean([0, 1.0], weights=[1, 1], kind="tukey"),
    "no symmetries are named in T^2": lambda: stats.symmetry(np.zeros((30, 2)), group="torus2"),
}.items():
    try: call()
    except recon.Error as error: assert text in str(error), error
    else: raise AssertionError(text)
PROGRAM
finish
