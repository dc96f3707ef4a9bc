#!/bin/sh
# recon.torch.Canonicalizer: tensors in and out, in front of a frozen model.
here=$(cd "${0%/*}" && pwd)
. "$here/../cli/lib.sh"
. "$here/python.sh"
needs_package
if ! "$python" -c 'import torch' 2>/dev/null; then
    skip "recon.torch" "no python3-torch"
    finish
fi
ln -s "$root/data" data && ln -s "$root/models" models
cat >common.py <<'PROGRAM'
import numpy as np, recon, torch
from recon.torch import Canonicalizer
torch.manual_seed(1)
images = recon.read_images("garments", rotate="all", limit=40).images
x = torch.from_numpy(images)[:, None]
def network(): return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 10), torch.nn.Dropout(0.5), torch.nn.Softmax(1))
def refused(text, call, *arguments):
    try: call(*arguments)
    except recon.InputError as error: assert text in str(error), error
    else: raise AssertionError(text)
PROGRAM
passes "tensors: shape, dtype and pixels" <<'PROGRAM'
from common import *
model = recon.load("fashion")
upright, poses = Canonicalizer(model).canonicalize(x)
own, own_poses = model.canonicalize(images)
assert np.array_equal(upright[:, 0].numpy(), own) and poses == own_poses
assert torch.equal(Canonicalizer("fashion")(x), upright)
for dtype in torch.float64, torch.float16, torch.uint8:
    made = Canonicalizer("fashion")((255 * x).to(dtype) if dtype == torch.uint8 else x.to(dtype))
    assert made.dtype == dtype and made.shape == x.shape and made.device == x.device
    seen = made.float() / (255 if dtype == torch.uint8 else 1)
    near = (seen - upright).abs().amax((1, 2, 3)) < 0.05  # all but where rounding chooses another mode
    assert near.float().mean() > 0.9, (dtype, near)
colour = torch.randint(0, 255, (3, 3, 90, 60), dtype=torch.uint8)
made = Canonicalizer("fashion")(colour)
assert made.shape == colour.shape and made.dtype == torch.uint8
arrays = [one.permute(1, 2, 0).numpy() for one in colour]
assert all(np.array_equal(a.permute(1, 2, 0).numpy(), b) for a, b in zip(made, model.canonicalize(arrays)[0]))
mixed = Canonicalizer("fashion")([(255 * x[0]).round().to(torch.uint8), x[1]])  # of one size, bytes and floats
assert mixed[0].dtype == torch.uint8 and (mixed[0].float() / 255 - upright[0]).abs().max() < 0.05
assert mixed[1].dtype == torch.float32 and (mixed[1] - upright[1]).abs().max() < 1e-5
several = Canonicalizer("fashion")([colour[0], colour[1, :, :50, :40], x[0]])
assert [tuple(one.shape) for one in several] == [(3, 90, 60), (3, 50, 40), (1, 28, 28)] and several[2].dtype == torch.float32
gated = Canonicalizer("fashion", only_if=0.01)
same = torch.from_numpy(~gated.canonicalize(x)[1].rotated)
assert torch.equal(gated(x)[same], x[same]) and 0 < same.sum() < 40
sure = Canonicalizer("fashion", only="one")
assert np.array_equal(sure.canonicalize(x)[1].rotated, [d.verdict == "one" for d in sure.model.distribution(x.numpy()[:, 0])])
assert "only='one'" in repr(sure)
assert Canonicalizer("fashion")(x[:0]).shape == (0, 1, 28, 28)
PROGRAM
passes "in front of a frozen model" <<'PROGRAM'
from common import *
net = network()
robust = Canonicalizer("fashion", net)
assert not any(p.requires_grad for p in net.parameters()) and not robust.train().frozen.training and robust.training
assert torch.equal(robust(x), net(Canonicalizer("fashion")(x))) and robust(x).shape == (40, 10)
turned = torch.rot90(x, 1, (2, 3))
a, b = robust(x).argmax(1), robust(turned).argmax(1)
assert (a == b).float().mean() > 0.8 > (net(x).argmax(1) == net(turned).argmax(1)).float().mean()
listed = robust(list(x[:4]))
assert torch.allclose(listed, robust(x[:4]), atol=1e-5) and "average" not in repr(robust) and "fashion" in repr(robust)
assert set(robust.state_dict()) == {"frozen.1.weight", "frozen.1.bias"}
PROGRAM
passes "average: the mean over the candidates, by their weights" <<'PROGRAM'
from common import *
net = network().eval()
mean = Canonicalizer("fashion", net, average=True)
candidates = recon.load("fashion").candidates(images)
assert max(len(c.weight) for c in candidates) > 1
by_hand = torch.stack([sum(
    w * net(torch.from_numpy(p.to_canonical(masks=images[i : i + 1]))[:, None])[0]
    for p, w in zip((c.poses[j] for j in range(len(c.weight))), c.weight.tolist())) for i, c in enumerate(candidates)])
assert torch.allclose(mean(x), by_hand.to(torch.float32), atol=1e-5)
single = torch.tensor([len(c.weight) == 1 for c in candidates])
assert torch.allclose(mean(x)[single], Canonicalizer("fashion", net)(x)[single], atol=1e-5)
assert torch.allclose(mean(list(x[:6])), mean(x[:6]), atol=1e-5)
assert mean(x[:0]).shape == Canonicalizer("fashion", net)(x[:0]).shape == (0, 10)
class Answers(torch.nn.Module):
    def __init__(self, answer): super().__init__(); self.answer = answer
    def forward(self, y): return self.answer(y)
for text, answer in (("an output of the frozen model is not finite", lambda y: y.mean((2, 3)) / 0),
                     ("floating-point numbers, a row for each image", lambda y: y.flatten(1).argmax(1)),  # labels have no mean
                     ("floating-point numbers, a row for each image", lambda y: y.mean((2, 3))[1:]),
                     ("floating-point numbers, a row for each image", lambda y: y.mean())):
    refused(text, Canonicalizer("fashion", Answers(answer), average=True), x[:6])
PROGRAM
passes "it cannot be traced, scripted or exported, and says what can" <<'PROGRAM'
from common import *
import io, warnings
warnings.simplefilter("ignore")
for c in (Canonicalizer("fashion"), Canonicalizer("fashion", network()), torch.nn.Sequential(Canonicalizer("fashion"), network())):
    for way in (lambda: torch.jit.trace(c, x[:2]), lambda: torch.jit.script(c),
                lambda: torch.onnx.export(c, x[:2], io.BytesIO())):
        try: way()
        except recon.UnsupportedError as error: assert "`recon export` writes the model as ONNX" in str(error), error
        else: raise AssertionError(c)
    assert c(x[:2]).shape[0] == 2
PROGRAM
passes "invert: points, boxes, masks and labels, back to the input" <<'PROGRAM'
from common import *
c = Canonicalizer("fashion")
upright, poses = c.canonicalize(x)
boxes = torch.rand(40, 3, 4) * 28
back = c.invert(poses, boxes=boxes)
assert back.shape == boxes.shape and back.dtype == boxes.dtype
assert np.allclose(back.numpy(), poses.to_input(boxes=boxes.numpy()), atol=1e-4)
points = torch.rand(40, 2, dtype=torch.float64)
assert torch.equal(c.invert(poses, points=points), torch.from_numpy(poses.to_input(points=points.numpy())))
masks = c.invert(poses, masks=upright)
assert masks.shape == x.shape and (masks - x).abs().mean() < 0.05 < (upright - x).abs().mean()
labels = c.invert(poses, labels=torch.ones(40, 28, 28, dtype=torch.int64))
assert labels.dtype == torch.int64 and set(labels.unique().tolist()) <= {0, 1}
assert c.invert(poses, points=list(points))[3].shape == (2,)
whole = c.invert(poses, boxes=(28 * boxes[:, 0]).long())
assert whole.dtype == torch.float32 and torch.equal(whole, c.invert(poses, boxes=(28 * boxes[:, 0]).long().float()))
soft = c.invert(poses, masks=torch.ones(40, 28, 28, dtype=torch.bool))
assert soft.dtype == torch.float32 and ((0 < soft) & (soft < 1)).any()
refused("exactly one of", lambda: c.invert(poses))
PROGRAM
passes "a wrong device, dtype, shape or model is a clear error" <<'PROGRAM'
from common import *
c, net = Canonicalizer("fashion"), network()
refused("images of int64: floats, uint8 or uint16", c, x.long())
refused("a tensor of torch.bfloat16: x.float()", c, x.bfloat16())
refused("requires grad, and no gradient flows through recon: x.detach()", c, x.clone().requires_grad_())
with torch.no_grad(): assert torch.equal(c(x.clone().requires_grad_()), c(x))
refused("n x channels x height x width", Canonicalizer("fashion", net), x[:, 0])
refused("each channels x height x width", Canonicalizer("fashion", net), [x[0, 0]])
refused("a tensor is needed", Canonicalizer("fashion", net), images)
refused("the device meta", c, x.to("meta"))
refused("images on meta, but the frozen model is on cpu", Canonicalizer("fashion", net), x.to("meta"))
refused("images of torch.float64, but the frozen model is of torch.float32", Canonicalizer("fashion", net), x.double())
refused("average: a frozen model is needed", lambda: Canonicalizer("fashion", average=True))
refused("a model of molecules", Canonicalizer, "conformers")
refused("frozen: an nn.Module is needed, not function", Canonicalizer, "fashion", lambda y: y)
refused("it must not be empty", Canonicalizer("fashion", net), [])
refused("x.to_dense()", c, x.to_sparse())
refused("is nan", c, torch.full((1, 1, 40, 40), float("nan")))
PROGRAM
cat >loader.py <<'PROGRAM'
from common import *
import copy
class Upright(torch.utils.data.Dataset):
    def __init__(self): self.canonicalize = Canonicalizer("fashion")
    def __len__(self): return len(x)
    def __getitem__(self, i):
        one = self.canonicalize(x[i : i + 1])[0]
        assert torch.utils.data.get_worker_info() is None or recon._library._threads == 1
        return one, i
if __name__ == "__main__":
    alone = [Upright()[i][0] for i in range(len(x))]
    for way, workers in ("fork", 4), ("spawn", 2):  # a spawned one takes seconds to import torch
        loader = torch.utils.data.DataLoader(Upright(), batch_size=5, num_workers=workers, multiprocessing_context=way)
        found = {int(i): one for batch, which in loader for one, i in zip(batch, which)}
        assert len(found) == len(x) and all(torch.equal(found[i], alone[i]) for i in found), way
    net = network()
    robust = Canonicalizer("fashion", net)
    torch.save(robust, "robust.pt")
    assert torch.equal(torch.load("robust.pt")(x), robust(x)) and torch.equal(copy.deepcopy(robust)(x), robust(x))
PROGRAM
"$python" loader.py >"$scratch/stdout" 2>"$scratch/stderr"
code=$?
report $code "a DataLoader with 4 forked workers and with 2 spawned ones; torch.save"
finish
