#!/bin/sh
# --precision: every choice works on every CPU, auto is one of them, and none is refused for want of
# instructions.
if [ "${RECON_BUILD:-build}" = build/debug ]; then # the same calls as the tests of ops, nn and model
    echo 1..0
    exit
fi
here=$(cd "${0%/*}" && pwd)
. "$here/lib.sh"
. "$here/tiny.sh"

refused 2 "--precision half must be one of auto|f32|tf32|bf16" discover --model backbone $letters --out d --precision half
for p in f32 tf32 bf16 auto; do
    run discover --model backbone $letters --k 5 --folds 0 --out "found-$p" --precision $p --quiet
    report "$code" "discover --precision $p"
    run canonicalize --all --model found-f32/model.safetensors $letters --out "c-$p.npy" --poses "g-$p.npy" --precision $p
    report "$code" "canonicalize --precision $p"
    run score --model found-f32/model.safetensors $letters --out "s-$p.npy" --precision $p --quiet
    report "$code" "score --precision $p"
    run train $letters --preset small --width 0.25 --code 8 --epochs 1 --batch 22 --out "b-$p" --precision $p --quiet
    report "$code" "train --precision $p"
done
run canonicalize --all --model found-f32/model.safetensors $letters --out c.npy --poses g.npy
cmp -s c.npy c-auto.npy && cmp -s g.npy g-auto.npy
report $? "auto is the default"
cmp -s c-f32.npy c-auto.npy || cmp -s c-bf16.npy c-auto.npy
report $? "auto is f32 or bf16, bit for bit"
cmp -s c-f32.npy c-tf32.npy
report $? "tf32 on a CPU is f32"
run canonicalize --all --model found-f32/model.safetensors $letters --out c.npy --precision bf16
if cmp -s c-f32.npy c-bf16.npy; then
    [ "$(grep -c "not faster on .*, so f32 is used" "$scratch/stderr")" -eq 1 ]
else
    [ ! -s "$scratch/stderr" ]
fi
report $? "bf16 that would be slower is f32, and that is said"
finish
