#!/bin/sh
# examples/frozen_torchvision.py: a torchvision ResNet gains from canonicalization what the C path's
# classifier gains, image for image; any TorchScript model will do.
here=$(cd "${0%/*}" && pwd)
. "$here/../cli/lib.sh"
. "$here/python.sh"
if [ "${RECON_BUILD:-build}" != build ]; then
    finish # the library is that of the release build
fi
for needed in node_modules data; do
    [ ! -e "$root/$needed" ] || ln -s "$root/$needed" .
done
if [ -z "$python" ] || ! "$python" -c 'import torch, torchvision' 2>/dev/null; then
    skip "a frozen torchvision model" "no python3-torch and python3-torchvision"
    finish
elif ! "$python" -c 'import recon; recon.read_images("mnist/test", limit=1)' 2>/dev/null; then
    skip "a frozen torchvision model" "no MNIST"
    finish
fi
example() {
    "$python" "$root/examples/frozen_torchvision.py" --model "$root/models/mnist-small.safetensors" \
        --images 150 "$@" >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
}
accuracy() { # ARGS: of the command
    run classifier eval --model "$root/models/mnist-classifier.safetensors" "$@" --json
    sed -n 's/^ *"accuracy": \([0-9.]*\).*/\1/p' "$scratch/stdout"
}

example --json
cp "$scratch/stdout" torch.json
report "$code" "the example runs"
rotated="mnist/test --rotate mnist --rotate-seed 2 --limit 150"
plain=$(accuracy --data $rotated)
run canonicalize --model "$root/models/mnist-small.safetensors" --data $rotated --out images.npy --quiet
"$python" -c 'import recon, numpy
numpy.save("labels.npy", recon.read_images("mnist/test", rotate="mnist", rotate_seed=2, limit=150).labels.astype("u1"))'
upright=$(accuracy --data npy:images.npy)
passes "the same share of right answers as the command's: $plain rotated, $upright canonicalized" <<PROGRAM
import json
found = json.load(open("torch.json"))
assert abs(found["no correction"] - $plain) < 1e-6, found
assert abs(found["canonicalized"] - $upright) < 1e-6, found
assert min(found["canonicalized"], found["candidates searched"]) > found["no correction"] + 0.15, found
PROGRAM

example --data nothing
[ "$code" -eq 1 ] && one_line "$scratch/stderr" && said "frozen_torchvision.py: unknown data set 'nothing'"
report $? "data that are not there are missed in one line"

"$python" -c 'import torch
torch.jit.script(torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 10))).save("any.pt")' 2>"$scratch/stderr"
example --classifier any.pt
grep -q '150 images of mnist/test' "$scratch/stdout"
report $? "any TorchScript model"
finish
