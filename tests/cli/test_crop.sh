#!/bin/sh
# --crop auto: objects that are small in their frames are found, cropped for the model, and written whole.
. "${0%/*}/lib.sh"

# letters N X Y: L and T of 10 pixels in frames of 32, their top left corners at (X, Y) (bytes from 1 on).
letters() {
    LC_ALL=C awk -v n="$1" -v x="$2" -v y="$3" 'BEGIN { for (k = 0; k < n; k++) for (i = 0; i < 32; i++)
        for (j = 0; j < 32; j++) { t = k % 2; p = i - y; q = j - x
            stem = p >= 0 && p < 10 && (q == 1 + 3 * t || q == 2 + 3 * t)
            bar = t ? (p == 0 || p == 1) && q >= 0 && q < 10 : (p == 8 || p == 9) && q > 0 && q < 7
            printf "%c", 1 + 119 * (stem || bar) } }'
}
letters 48 11 11 | npy middle.npy '|u1' '48, 32, 32'
letters 48 3 19 | npy corner.npy '|u1' '48, 32, 32'
echo '{ "default": { "uniform": 40 } }' >rule.json
small="--preset small --width 0.25 --code 8 --epochs 2 --batch 11 --threads 2"

refused 2 "--crop is for images" train --data conformers --crop auto --out x
refused 2 "--crop tight must be one of none|auto" train --data npy:middle.npy --crop tight --out x
# shellcheck disable=SC2086
run train --data npy:middle.npy --rotate rule.json $small --out plain
[ "$code" -eq 0 ] && said "objects span" && said "--crop auto"
report $? "train says that objects are small in their frames"
run train --data npy:middle.npy --preset photo-small --width 0.25 --code 8 --epochs 1 --batch 11 --threads 2 --out photo
[ "$code" -eq 0 ] && ! said "objects span"
report $? "photo presets take pictures whole, and nothing is said of objects"
# shellcheck disable=SC2086
run train --data npy:middle.npy --rotate rule.json $small --crop auto --out backbone
[ "$code" -eq 0 ] && ! said "objects span"
report $? "with --crop auto they are not"
run info backbone
grep -qE '^ *crop  *auto' "$scratch/stdout"
report $? "the model records it"
run info plain
! grep -q 'crop' "$scratch/stdout"
report $? "and only where it was asked for"
run info npy:middle.npy
grep -q 'objects    span [3-5][0-9] % of their frames' "$scratch/stdout"
report $? "info says how large objects are"

prepare discover --model backbone --data npy:middle.npy --rotate rule.json --folds 0 --out found --quiet
[ "$code" -eq 0 ] && grep -q '"crop": "auto"' found/summary.json
report $? "discover crops by itself, and the summary says so"
run discover --model plain --data npy:middle.npy --rotate rule.json --folds 0 --out also --crop auto --quiet
[ "$code" -eq 0 ] && "$recon" info also/model.safetensors | grep -qE '^ *crop  *auto'
report $? "discover --crop is recorded too"

# The same letters in another place have the same poses, and stay where they are: the ink that is
# written is that of the image, not of a crop.
for where in middle corner; do
    run canonicalize --all --model found --data npy:$where.npy --out $where.out.npy --poses $where.g.npy --quiet
    [ "$code" -eq 0 ]
    report $? "canonicalize, $where"
    od -An -v -w8 -j128 -t f8 $where.g.npy >$where.txt
done
paste middle.txt corner.txt | awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > most) most = d }
    END { exit !(NR == 48 && most < 0.05) }'
report $? "poses do not depend on where the object is"
ink() { # FILE TYPE SCALE
    od -An -v -w"${2#?}" -j128 -t "$2" "$1" | awk -v scale="$3" '{ sum += $1 / scale } END { print sum }'
}
awk -v a="$(ink middle.npy u1 255)" -v b="$(ink middle.out.npy f4 1)" 'BEGIN { exit !(b > 0.85 * a && b < 1.15 * a) }'
report $? "what is written is not cropped"

mkdir pictures
letters 2 3 19 | tail -c 1024 >raw
{ printf 'P5\n32 32\n255\n' && cat raw; } >pictures/a.pgm
run canonicalize --all --model found --data images:pictures --out rotated --quiet
if [ "$code" -eq 1 ] && said "without libpng"; then
    skip "pictures keep their size" "no libpng"
else
    [ "$code" -eq 0 ] && [ -s rotated/a.pgm.png ] && "$recon" info images:rotated | grep -q '32 x 32'
    report $? "pictures keep their size"
fi
finish
