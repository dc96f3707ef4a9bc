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

checker() {
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import onnx' 2>/dev/null && echo "$python" && return
    done
}
python=$(checker)
if [ -n "$python" ]; then
    "$python" -c 'import onnx, os, sys
for path in sys.argv[1:]:
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    weights = sum(len(t.raw_data) for t in model.graph.initializer if "." in t.name)
    assert os.path.getsize(path) < 1.1 * weights, (path, weights)' *.onnx >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
    report $code "the checker of ONNX has nothing to say; at most 1.1 times the weights"
else
    skip "the checker of ONNX" "no python3-onnx: tools/setup onnx"
fi

# answers RUNTIME BATCH MODEL.onnx images.npy poses.npy canonical.npy|table.csv: within the limits of docs/export.md.
answers() {
    runtime=$1 batch=$2
    shift 2
    NODE_PATH=$root/node_modules node "$here/export.js" "$runtime" "$1" "$2" "$3" "$batch" "$4" >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
    report $code "onnxruntime-$runtime, ${1%.onnx}, batches of $batch: $(cat "$scratch/stdout")"
}

for lambda in density head; do
    run canonicalize --model "$model" --data npy:images.npy --lambda $lambda --precision f32 --out $lambda.npy --poses $lambda-g.npy
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
    answers $runtime 64 score.onnx images.npy density-g.npy score.csv
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
    run canonicalize --model $1 --data npy:$2 $short --precision f32 --out $1.npy --poses $1-g.npy
    run score --model $1 --data npy:$2 $short --precision f32 --out $1.csv
    accepted "export of $1" export --model $1 --what canonicalize --out $1.onnx --quiet
    accepted "export of scores of $1" export --model $1 --what score --out $1-score.onnx --quiet
    answers node 64 $1.onnx $2 $1-g.npy $1.npy
    answers node 64 $1-score.onnx $2 $1-g.npy $1.csv
done
[ -n "${RECON_SLOW:-}" ] || finish

# The table of docs/export.md: every shipped model of images, 1,000 images, each rotated at random.
. "$here/../python/python.sh"
for name in mnist-small mnist mnist-plain fashion fashion-plain general; do
    "$python" - $name "$root" <<'PROGRAM' || exit 1
import os, sys, numpy as np
name, root = sys.argv[1:]
here = os.getcwd()
os.chdir(root)
import recon
pad = (recon.load(f"models/{name}.safetensors").size[0] - 28) // 2
data = "mnist/test" if name.startswith("mnist") else "fashion/test"
x = recon.read_images(data, limit=1000, seed=5, rotate="all", rotate_seed=7).images
np.save(f"{here}/x.npy", np.round(255 * np.pad(x, ((0, 0), (pad, pad), (pad, pad)))).astype(np.uint8))
PROGRAM
    given="--model $root/models/$name.safetensors --data npy:x.npy --crop none --precision f32"
    run canonicalize $given --out x-c.npy --poses x-g.npy
    run score $given --out x.csv
    for what in canonicalize score; do
        accepted "$name, $what" export --model "$root/models/$name.safetensors" --what $what --out $name-$what.onnx
    done
    for runtime in node web; do
        for batch in 64 1; do
            answers $runtime $batch $name-canonicalize.onnx x.npy x-g.npy x-c.npy
            answers $runtime $batch $name-score.onnx x.npy x-g.npy x.csv
        done
    done
done
finish
