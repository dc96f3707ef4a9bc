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
refused 1 "lambda neighbours" export --model "$model" --lambda neighbours --out m.onnx

accepted "pose" export --model "$model" --out pose.onnx --quiet
accepted "canonicalize, by the density" export --model "$model" --what canonicalize --licence MIT --out density.onnx --quiet
accepted "canonicalize, by the head" export --model "$model" --what canonicalize --lambda head --out head.onnx --quiet
accepted "score" export --model "$model" --what score --out score.onnx --quiet
accepted "a classifier" export --model "$root/models/mnist-classifier.safetensors" --what classifier --out frozen.onnx --quiet
run export --model "$model" --out again.onnx --json
is_json "$scratch/stdout" && cmp -s pose.onnx again.onnx
report $? "the same bytes again, and JSON"

checker() {
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import onnx' 2>/dev/null && echo "$python" && return
    done
}
python=$(checker)
if [ -n "$python" ]; then
    "$python" -c 'import onnx, sys
for path in sys.argv[1:]:
    onnx.checker.check_model(onnx.load(path), full_check=True)' *.onnx >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
    report $code "the checker of ONNX has nothing to say"
else
    skip "the checker of ONNX" "no python3-onnx: tools/setup onnx"
fi

zcat "$root/data/garments/t10k-images-idx3-ubyte.gz" | tail -c +17 | head -c $((128 * 784)) |
    npy images.npy '|u1' '128, 28, 28'
for lambda in density head; do
    run canonicalize --model "$model" --data npy:images.npy --lambda $lambda --precision f32 --out $lambda.npy --poses $lambda-g.npy
done
run score --model "$model" --data npy:images.npy --precision f32 --out score.csv
for runtime in node web; do
    if [ -z "$plain" ] || ! command -v node >/dev/null || [ ! -e "$root/node_modules/onnxruntime-$runtime" ]; then
        skip "answers of onnxruntime-$runtime" "no node_modules/onnxruntime-$runtime, or another build: tools/setup onnx"
        continue
    fi
    for case in "density 64" "density 1" "head 64"; do
        set -- $case
        NODE_PATH=$root/node_modules node "$here/export.js" $runtime $1.onnx images.npy $1-g.npy $2 $1.npy \
            >"$scratch/stdout" 2>"$scratch/stderr"
        code=$?
        report $code "onnxruntime-$runtime, $1, batches of $2: $(cat "$scratch/stdout")"
    done
    NODE_PATH=$root/node_modules node "$here/export.js" $runtime score.onnx images.npy density-g.npy 64 score.csv \
        >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
    report $code "onnxruntime-$runtime: $(cat "$scratch/stdout")"
done

# Networks of other kinds, trained for a moment: that for photographs, and Lambda as a network on images.
if [ -z "$plain" ] || ! command -v node >/dev/null || [ ! -e "$root/node_modules/onnxruntime-node" ]; then
    skip "photographs, and heads on images" "no node_modules/onnxruntime-node, or another build: tools/setup onnx"
    finish
fi
data="--data npy:images.npy --threads 2 --quiet"
run train $data --preset photo-small --width 0.5 --code 16 --epochs 1 --batch 32 --out photo-b
run discover --model photo-b $data --k 5 --folds 0 --lambda density --out photo
run train $data --preset small --width 0.25 --code 8 --plain --epochs 1 --batch 32 --out paper-b
run discover --model paper-b $data --k 5 --folds 0 --heads paper --head-epochs 1 --lambda head --out paper
for case in photo paper; do
    run canonicalize --model $case $data --precision f32 --out $case.npy --poses $case-g.npy
    accepted "export of $case" export --model $case --what canonicalize --out $case.onnx --quiet
    NODE_PATH=$root/node_modules node "$here/export.js" node $case.onnx images.npy $case-g.npy 64 $case.npy \
        >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
    report $code "onnxruntime-node, $case: $(cat "$scratch/stdout")"
done
run score --model paper $data --precision f32 --out paper.csv
accepted "export of scores by a mixture" export --model paper --what score --out mixture.onnx --quiet
NODE_PATH=$root/node_modules node "$here/export.js" node mixture.onnx images.npy paper-g.npy 64 paper.csv \
    >"$scratch/stdout" 2>"$scratch/stderr"
code=$?
report $code "onnxruntime-node, a mixture: $(cat "$scratch/stdout")"
refused 1 "a model without maps" export --model paper-b --out m.onnx
finish
