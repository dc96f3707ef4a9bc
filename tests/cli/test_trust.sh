#!/bin/sh
# What must not be trusted is not: noise, four steps of training, a handful of pictures, pictures without
# content. Both `train` and `discover` end in the verdict and its reason.
. "${0%/*}/lib.sh"
root=$OLDPWD
if [ "${RECON_BUILD:-build}" != build ]; then
    finish # what is learned does not depend on the sanitizers, and takes long with them
fi

# pixels N PROGRAM: N images of 16 x 16 bytes, each what the awk program leaves in v (1 to 255).
pixels() {
    LC_ALL=C awk -v n="$1" 'BEGIN { srand(5); for (k = 0; k < n; k++) for (i = 0; i < 16; i++)
        for (j = 0; j < 16; j++) { '"$2"'; printf "%c", v } }'
}
small="--preset small --width 0.25 --code 8 --threads 2"

# judged NAME EPOCHS: trains on NAME.npy and discovers.
judged() {
    run train --data "npy:$1.npy" $small --epochs "$2" --out "$1.model"
    [ "$code" -eq 0 ] && mv "$scratch/stdout" "$1.train"
    run discover --data "npy:$1.npy" --model "$1.model" --folds 0 --threads 2 --out "$1"
    [ "$code" -eq 0 ] && cp "$scratch/stdout" "$1.discover"
}

# not_used NAME REASON: by train, by discover and in its summary; no NaN anywhere.
not_used() {
    for file in "$1.train" "$1.discover"; do
        grep -q '^  verdict    do not use' "$file" && tr -s '\n ' ' ' <"$file" | grep -q "$2" &&
            ! grep -qi '\bnan\b' "$file" && ! grep -q ' $' "$file" || return 1
    done
    grep -q '"verdict": "do not use"' "$1/summary.json"
}

pixels 300 'v = 1 + int(120 * rand())' | npy noise.npy '|u1' '300, 16, 16'
# careful NAME: nothing was learned, and that may be because there is no natural pose: train says "do not use", and
# discover that or, where it has found that there is none, "with care"; nothing is rotated.
careful() {
    grep -q '^  verdict    do not use' "$1.train" && grep -qE '^  verdict    (do not use|with care)' "$1.discover" &&
        tr -s '\n ' ' ' <"$1.discover" | grep -q 'hardly better' && ! grep -qi '\bnan\b' "$1.train" "$1.discover" || return 1
    run canonicalize --model "$1" --data "npy:$1.npy" --out "$1.upright.npy" --poses "$1.csv"
    [ "$code" -eq 0 ] && [ "$(awk -F, 'NR > 1 && $NF == 1' "$1.csv" | wc -l)" -eq 0 ]
}

judged noise 4
careful noise
report $? "noise is not trusted, and left as it is"
! grep -q '^  gain' noise.train && ! grep -q '^  gain' noise.discover && grep -q '"gain_deg": null' noise/summary.json
report $? "noise: no gain is claimed"

for file in noise noise/model.safetensors; do
    run info "$file"
    [ "$code" -eq 0 ] && grep -qE '^  trust          (do not use|with care)' "$scratch/stdout" && grep -q 'hardly' "$scratch/stdout"
    report $? "info $file says so"
done
run info noise/model.safetensors --json
[ "$code" -eq 0 ] && grep -q '"nothing_learned"' "$scratch/stdout" && is_json "$scratch/stdout"
report $? "info --json has the measures"

# Blobs: noise that has shapes, fading to the borders.
pixels 300 'if (!i && !j) for (b = 0; b < 4; b++) { y[b] = 3 + 10 * rand(); x[b] = 3 + 10 * rand() }
    v = 1; for (b = 0; b < 4; b++) v += int(60 * exp(-((i - y[b])^2 + (j - x[b])^2) / 4))' |
    npy blobs.npy '|u1' '300, 16, 16'
judged blobs 4
careful blobs
report $? "blobs at random are not trusted, and left as they are"

# L and T, which more training would learn.
pixels 300 't = k % 2; v = 1 + int(9 * rand()) + 115 * (i > 2 && i < 13 && (j == 5 + 2 * t || j == 6 + 2 * t) ||
    (t ? (i == 3 || i == 4) && j > 2 && j < 13 : (i == 11 || i == 12) && j > 4 && j < 11))' |
    npy letters.npy '|u1' '300, 16, 16'
run train --data npy:letters.npy $small --batch 68 --epochs 1 --out letters.model
[ "$code" -eq 0 ] && grep -q '^small: 4 steps' "$scratch/stdout" && mv "$scratch/stdout" letters.train
report $? "four steps"
run discover --data npy:letters.npy --model letters.model --folds 0 --threads 2 --out letters
[ "$code" -eq 0 ] && cp "$scratch/stdout" letters.discover
not_used letters 'Train longer'
report $? "what four steps have learned must not be used"

pixels 30 'v = 1 + int(120 * rand())' | npy few.npy '|u1' '30, 16, 16'
judged few 30
not_used few 'Few inputs were held out'
report $? "30 pictures verify nothing"

# One picture many times: it has its natural pose already, and no distance between two of it.
pixels 300 'v = 1 + 115 * (i > 2 && i < 13 && (j == 5 || j == 6) || (i == 11 || i == 12) && j > 4 && j < 11)' |
    npy same.npy '|u1' '300, 16, 16'
judged same 12
grep -q '^  verdict    trustworthy' same.discover && grep -q 'already in their natural pose' same.discover &&
    grep -qE '^  gain  +0[.]0 degrees (closer to|further from) the natural pose' same.discover && ! grep -qi '\bnan\b' same.discover
report $? "one picture many times is upright"

# Upright pictures of which the model knows the smaller part. On that it is sure, and right; the others it would rotate
# at random, and only their neighbours tell.
{
    gunzip -c "$root/data/garments/t10k-images-idx3-ubyte.gz" | tail -c +17 | head -c $((784 * 110))
    LC_ALL=C awk 'BEGIN { srand(2); for (k = 0; k < 150; k++) {
        for (b = 0; b < 4; b++) { y[b] = 6 + 16 * rand(); x[b] = 6 + 16 * rand(); h[b] = 2 + 5 * rand(); w[b] = 2 + 5 * rand() }
        for (i = 0; i < 28; i++) for (j = 0; j < 28; j++) { on = 0
            for (b = 0; b < 4; b++) on = on || ((i - y[b]) / h[b]) ^ 2 + ((j - x[b]) / w[b]) ^ 2 < 1
            printf "%c", 1 + 110 * on } } }'
} | npy unknown.npy '|u1' '260, 28, 28'
run discover --data npy:unknown.npy --model "$root/models/fashion.safetensors" --folds 0 --threads 2 --out unknown
[ "$code" -eq 0 ] && grep -qE '^  verdict    (with care|do not use)' "$scratch/stdout" && grep -q '"disagrees"' unknown/summary.json &&
    tr -s '\n ' ' ' <"$scratch/stdout" | grep -q 'disagree by more than 20 degrees in the median'
report $? "a model whose estimates disagree is not trustworthy, however sure it is"
rotated=$(sed -n 's/^  as given   \([0-9]*\) images.* would be rotated by more than 20 degrees$/\1/p' "$scratch/stdout")
[ -n "$rotated" ] && [ "$rotated" -gt 0 ]
report $? "and how many it would rotate is said ($rotated of 260)"

pixels 300 'v = 7' | npy blank.npy '|u1' '300, 16, 16'
refused 1 "all 300 images are blank" train --data npy:blank.npy $small --out blank.model
finish
