#!/bin/sh
# train --from: a new run starts from the weights of another model, and what does not go with it is refused.
here=$(cd "${0%/*}" && pwd)
. "$here/lib.sh"
. "$here/tiny.sh"
from="train $letters --from backbone --out new"

refused 2 "--from is for images" train --data conformers --from backbone --out new
refused 1 "nowhere" train $letters --from nowhere --out new
refused 1 "rule.json" train $letters --from rule.json --out new
refused 2 "backbone: its preset is small, but fast was asked for" $from --preset fast
refused 2 "backbone: its width is 0.25, but 0.5 was asked for" $from --width 0.5
refused 2 "backbone: its code is 8, but 16 was asked for" $from --code 16
refused 2 "backbone: it has a pose density" $from --plain
refused 2 "plain cannot be used with pose" train --data npy:images.npy --plain --pose 1 --out new
refused 2 "plain cannot be used with density" train --data npy:images.npy --plain --density 1 --out new
refused 2 "views given needs plain or preset paper" train --data npy:images.npy --views given --out new
refused 2 "--no-density cannot be used with density" train --data npy:images.npy --no-density --density 1 --out new
head -c $((24 * 16 * 16 * 3)) images.npy | npy colour.npy '|u1' '24, 16, 16, 3'
refused 2 "backbone: its number of channels is 1, but these images have 3 (grey 1, colour 3)" \
    train --data npy:colour.npy --from backbone --out new

# --- settings -------------------------------------------------------------------------------------
"$recon" train --help all >help
[ "$(grep -cE '^  (-[a-z], )?--' help)" -le 27 ]
report $? "the help lists 26 options at most, and --set"
for name in width frequencies code batch rate decay contrast temperature pose density warp augment views flip; do
    refused 2 "$name odd must be" train --data npy:images.npy --$name odd --out new
    refused 2 "$name odd must be" train --data npy:images.npy --set $name=odd --out new
    grep -qE "^  $name " help
    report $? "and is in the help"
done
for name in layers radius before batch rate element align contrast temperature pairs; do
    refused 2 "$name odd must be" train --data conformers --$name=odd --out new
done
refused 2 "there is no setting contrats (did you mean contrast?): for images there are width," \
    train --data npy:images.npy --set contrats=1 --out new
refused 2 "unknown option --contrats (did you mean --set contrast=VALUE?)" train --data npy:images.npy --contrats 1 --out new
refused 2 "align is for molecules" train --data npy:images.npy --set align=1 --out new
refused 2 "--set rate: NAME=VALUE is needed" train --data npy:images.npy --set rate --out new
refused 2 "images are rotated by so2" train --data npy:images.npy --group so3 --out new
brief="train $letters --preset small --epochs 1 --batch 22 --quiet"
accepted "settings by --set" $brief --set width=0.25 --set code=8 --set contrast=0 --set flip=auto --out by-set
accepted "and by options" $brief --width 0.25 --code 16 --code 8 --no-contrast --out by-option
cmp -s by-set by-option
report $? "give the same bytes"

# --- the model to start from ----------------------------------------------------------------------
accepted "a run starts from a model" $from --epochs 1 --quiet
"$recon" info new >"$scratch/stdout"
grep -qE '^ *from  *backbone$' "$scratch/stdout" && grep -qE 'preset: small.* from: [0-9]+$' "$scratch/stdout"
report $? "which says so"
refused 2 "from: was" train $letters --quiet --preset small --width 0.25 --code 8 --epochs 2 --out new --resume
accepted "and is resumed with it" $from --epochs 2 --resume --quiet

# As every other command does, of a folder that discover made too; folds train it again from there.
run discover --model new --data npy:images.npy --rotate rule.json --folds 2 --out found
[ "$code" -eq 0 ] && said "backbone and maps are fitted 2 times" && "$recon" info found/model.safetensors | grep -qE '^ *from  *backbone$'
report $? "folds begin at the same model"
accepted "a whole model is one to start from" train $letters --from found --epochs 1 --out third --quiet
mkdir models
cp backbone models/known.safetensors
accepted "so is one that comes with recon, by name" train $letters --from known --epochs 1 --out fourth --quiet
mv backbone elsewhere
run discover --model new --data npy:images.npy --rotate rule.json --out without
[ "$code" -eq 0 ] && said "the model that the backbone was trained from is not there, or has changed"
report $? "where it is not there, folds are left out with a warning"
mv elsewhere backbone

# --- another size ---------------------------------------------------------------------------------
mkdir pictures
for i in $(seq 24); do
    { printf 'P5\n20 20\n255\n' && tail -c +$((200 * i)) images.npy | head -c 400; } >pictures/"$i".pgm
done
run train --data images:pictures --from backbone --epochs 1 --batch 8 --out fitted
[ "$code" -eq 0 ] && ! said "decoder" && "$recon" info fitted | grep -qE '^ *height  *16$'
report $? "pictures are fitted to the model's size"
{ printf 'P6\n20 20\n255\n' && tail -c +5000 images.npy | head -c 1200; } >pictures/colour.ppm
run train pictures --from backbone --epochs 1 --batch 8 --out grey
[ "$code" -eq 0 ] && "$recon" info grey | grep -qE '^ *channels  *1$'
report $? "and to its channels"
run train --data images:pictures --from backbone --size 20 --epochs 1 --batch 8 --out larger
[ "$code" -eq 0 ] && said "only its encoder is used" && "$recon" info larger | grep -qE '^ *height  *20$'
report $? "unless --size says otherwise"

# --- cropped --------------------------------------------------------------------------------------
run train --data images:pictures --size 16 --preset small --width 0.25 --code 8 --epochs 1 --batch 8 --crop auto \
    --out cropped --quiet
run train --data images:pictures --from cropped --epochs 1 --batch 8 --out follows --quiet
"$recon" info follows | grep -qE '^ *crop  *auto$'
report $? "--crop follows the model"
run train --data images:pictures --from cropped --crop none --epochs 1 --batch 8 --out whole --quiet
"$recon" info whole >"$scratch/stdout" && ! grep -q '^ *crop' "$scratch/stdout"
report $? "unless it is given"
finish
