#!/bin/sh
# recon classifier: it learns, it can be killed and go on with the same bits, and what is wrong is
# said in one line.
. "${0%/*}/lib.sh"

# 240 images of 8 x 8: class c is bright in rows 2 c and 2 c + 1, under noise.
LC_ALL=C awk 'BEGIN { srand(5); for (n = 0; n < 240; n++) for (i = 0; i < 8; i++) for (j = 0; j < 8; j++)
    printf "%c", 1 + int(90 * rand()) + 150 * (int(i / 2) == n % 3) }' |
    npy images.npy '|u1' '240, 8, 8'
LC_ALL=C awk 'BEGIN { for (n = 0; n < 240; n++) printf "%c", n % 3 + 48 }' | tr 012 '\000\001\002' |
    npy labels.npy '|u1' '240,'
train="classifier train --data npy:images.npy --device ref --batch 20 --epochs 3"

# --- help and misuse ------------------------------------------------------------------------------
run classifier --help
[ "$code" -eq 0 ] && grep -q '^example:' "$scratch/stdout" && [ ! -s "$scratch/stderr" ]
report $? "--help shows an example"
refused 2 "--data SPEC is required" classifier train --out m
refused 2 "name train or eval" classifier --data fashion
refused 2 "'fit' is neither train nor eval" classifier fit --data fashion
refused 2 "train needs --out MODEL" classifier train --data fashion
refused 2 "eval needs --model MODEL" classifier eval --data fashion
refused 2 "--net vgg must be one of small|resnet18" classifier train --data fashion --out m --net vgg
refused 1 "unknown data set 'letters'" classifier train --data letters --out m
refused 1 "nowhere/images.npy" classifier train --data npy:nowhere/images.npy --out m
refused 1 "220 images do not fill a batch of 500" $train --batch 500 --out m
cp images.npy alone.npy
refused 1 "the images have no labels" classifier train --data npy:alone.npy --out m --device ref
printf '1 2 3 4 0\n1 2 x 4 1\n' >rows.amat
refused 1 "rows.amat: row 2: number 3 of 5" classifier train --data amat:rows.amat --out m
run classifier train --data amat:rows.amat --skip-bad --out m
[ "$code" -eq 1 ] && said "1 of 2 images cannot be used and is skipped" && said "1 image: one of 12"
report $? "--skip-bad leaves out and counts"
refused 1 "cannot write" $train --out nowhere/m --quiet

# --- training and measuring -----------------------------------------------------------------------
run $train --out m --threads 1
[ "$code" -eq 0 ] && grep -q 'validation accuracy 1.0000' "$scratch/stdout"
report $? "three epochs tell the classes apart"
[ -s m ] && [ -s m.last ] && [ "$(grep -c validation m.jsonl)" -eq 3 ]
report $? "model, checkpoint and readings lie beside each other"
run classifier eval --model m --data npy:images.npy --device ref --json
[ "$code" -eq 0 ] && is_json "$scratch/stdout" && grep -q '"accuracy": 1.0' "$scratch/stdout"
report $? "eval --json"
run $train --out cpu --device cpu --precision bf16 --json
[ "$code" -eq 0 ] && is_json "$scratch/stdout" && grep -q '"validation_accuracy": 1.0' "$scratch/stdout"
report $? "bf16 on the cpu learns it too"
run $train --out narrow --net resnet18 --width 2 --epochs 1 --shift 1 --flip --weights bf16 --json
[ "$code" -eq 0 ] && is_json "$scratch/stdout" && grep -aq 'net: resnet18, width: 2, .*shift: 1, flip: yes' narrow
report $? "a narrow ResNet-18 on moved and mirrored images"
run $train --out free --epochs 1 --decay 0 --quiet
[ "$code" -eq 0 ] && grep -aq 'decay: 0,' free && grep -aq 'decay: 0.01,' m
report $? "--decay 0 is none, not the default"
run classifier eval --model narrow --data npy:images.npy --device ref --json
[ "$code" -eq 0 ] && grep -q '"weights": 11' "$scratch/stdout"
report $? "eval knows its width"
refused 1 "small has one width" $train --out m2 --width 20
run $train --out more --threads 3 --quiet
[ "$code" -eq 0 ] && [ ! -s "$scratch/stdout" ] && cmp -s m more && cmp -s m.last more.last
report $? "another number of threads gives the same bytes"

# --- kill -9 and Ctrl-C ---------------------------------------------------------------------------
halfway=1
for life in 1 2 3; do
    "$recon" $train --out killed --every 1 --resume --quiet >/dev/null 2>&1 &
    victim=$!
    while [ ! -e killed.last ] && kill -0 $victim 2>/dev/null; do sleep 0.02; done
    sleep 0.0$((life * 2))
    kill -9 $victim 2>/dev/null
    wait $victim 2>/dev/null
    [ -e killed.last ] && ! cmp -s m.last killed.last && halfway=0
done
run $train --out killed --every 1 --resume --threads 2 --quiet
[ "$code" -eq 0 ] && cmp -s m killed && cmp -s m.last killed.last && [ $halfway -eq 0 ]
report $? "killed three times and resumed: the same bytes"
"$recon" $train --out cut --epochs 500 --quiet >"$scratch/stdout" 2>"$scratch/stderr" &
victim=$!
listens $victim
sleep 0.2
kill -INT $victim
wait $victim
code=$?
[ "$code" -eq 130 ] && said "interrupted after step" && [ -s cut.last ]
report $? "Ctrl-C leaves a checkpoint"
refused 2 "cut.last: started with other settings: batch: was 20, now 10" $train --out cut --batch 10 --resume --quiet
printf '\002' | dd of=labels.npy bs=1 seek=138 conv=notrunc 2>/dev/null
refused 2 "cut.last: started with other data: identity: was " $train --out cut --resume --quiet
printf '\001' | dd of=labels.npy bs=1 seek=138 conv=notrunc 2>/dev/null
refused 2 "cut.last exists: --resume continues that run, --overwrite replaces it" $train --out cut --quiet

# --- what does not fit ----------------------------------------------------------------------------
head -c 15360 images.npy | tail -c +129 | head -c 3600 | npy small-images.npy '|u1' '100, 6, 6'
head -c 228 labels.npy | tail -c 100 | npy small-labels.npy '|u1' '100,'
refused 1 "images of 6 x 6 x 1, but the classifier was made for 8 x 8 x 1" \
    classifier eval --model m --data npy:small-images.npy --device ref
refused 1 "images.npy: " classifier eval --model images.npy --data npy:images.npy --device ref
refused 1 "m.last: not a classifier of images: \`recon classifier train\` makes one" classifier eval --model m.last --data npy:images.npy
head -c 3000 m >broken
refused 1 "broken" classifier eval --model broken --data npy:images.npy --device ref
finish
