#!/bin/sh
# recon canonicalize: images in, images of the same kind out, with their poses.
here=$(cd "${0%/*}" && pwd)
root=$PWD
. "$here/lib.sh"
. "$here/tiny.sh"
prepare discover --model backbone $letters --k 5 --folds 0 --out found --quiet
report "$code" "discover"
model="--model found/model.safetensors"

run canonicalize --help
[ "$code" -eq 0 ] && grep -q '^example:' "$scratch/stdout" && [ ! -s "$scratch/stderr" ]
report $? "--help shows an example"
refused 2 "--out FILE.npy|DIR|FILE.xyz is required" canonicalize $model $letters
refused 2 "--interpolation cubic must be one of bilinear|bicubic" canonicalize $model $letters --out c.npy --interpolation cubic

# --- arrays ---------------------------------------------------------------------------------------
run canonicalize --all $model $letters --out c.npy --poses g.npy
[ "$code" -eq 0 ] && grep -q '120 images of npy:images.npy' "$scratch/stdout"
report $? "arrays in, arrays out"
run info c.npy
grep -q 'c.npy: float32 120 x 16 x 16, C order, finite' "$scratch/stdout"
report $? "the images have the shape of those that came in"
run info g.npy
grep -q 'g.npy: float64 120, C order, finite' "$scratch/stdout"
report $? "the poses are angles"
run canonicalize --all $model $letters --out again.npy --threads 1 --json
[ "$code" -eq 0 ] && is_json "$scratch/stdout" && cmp -s c.npy again.npy
report $? "another number of threads gives the same bytes"
run canonicalize --all $model $letters --out sharp.npy --interpolation bicubic --quiet
[ "$code" -eq 0 ] && [ ! -s "$scratch/stdout" ] && ! cmp -s c.npy sharp.npy
report $? "--interpolation bicubic"
run canonicalize --all $model $letters --out few.npy --limit 7 --quiet
run info few.npy
grep -q 'float32 7 x 16 x 16' "$scratch/stdout"
report $? "--limit"
run canonicalize --all $model $letters --out low.npy --precision bf16 --quiet
run info low.npy
grep -q 'float32 120 x 16 x 16' "$scratch/stdout"
report $? "--precision bf16"

# --- the gate -------------------------------------------------------------------------------------
refused 2 "--only-if 2: must be at most 1, such as 0.01" canonicalize $model $letters --out gate.npy --only-if 2
[ ! -e gate.npy ]
report $? "and nothing is written"
refused 2 "--only-if 0 must be a number above 0" canonicalize $model $letters --out gate.npy --only-if 0
refused 2 "--poses g.txt: poses go to FILE.npy or FILE.csv" canonicalize $model $letters --out gate.npy --poses g.txt
run canonicalize --all $model $letters --out gate.npy --poses gate.csv --only-if 0.5 --json
rotated=$(sed -n 's/^  "rotated": \([0-9]*\),/\1/p' "$scratch/stdout")
[ "$code" -eq 0 ] && is_json "$scratch/stdout" && [ "$(grep -c ',1$' gate.csv)" -eq "$rotated" ] &&
    [ "$rotated" -gt 0 ] && [ "$(grep -c ',0$' gate.csv)" -eq $((120 - rotated)) ] && [ "$rotated" -lt 120 ]
report $? "--only-if rotates some ($rotated of 120), and the table says which"
RECON_DATA=$OLDPWD/data run canonicalize --model "$OLDPWD/models/fashion.safetensors" --data garments --rotate all --limit 40 \
    --out one.npy --poses one.csv --only-one
rotated=$(grep -c ',1$' one.csv)
[ "$code" -eq 0 ] && [ "$rotated" -gt 0 ] && [ "$rotated" -lt 40 ] && [ "$(grep -c ',one,.*,1$' one.csv)" -eq "$rotated" ] &&
    [ "$(grep -c ',one,' one.csv)" -eq "$rotated" ] &&
    grep -q "rotated    $rotated (" "$scratch/stdout" &&
    grep -q "unchanged  $((40 - rotated)): the verdict is not one natural pose" "$scratch/stdout"
report $? "--only-one rotates those with one natural pose ($rotated of 40), and no others"
RECON_DATA=$OLDPWD/data run canonicalize --model "$OLDPWD/models/fashion.safetensors" --data garments --rotate all --limit 40 \
    --out alone.npy --only-one
[ "$code" -eq 0 ] && cmp -s one.npy alone.npy && grep -q "rotated    $rotated (" "$scratch/stdout"
report $? "without a table the same inputs are rotated"
RECON_DATA=$OLDPWD/data run canonicalize --model "$OLDPWD/models/fashion.safetensors" --data garments --rotate all --limit 40 \
    --out clear.npy --poses clear.csv
left=$(grep -cE ',(none|cannot_tell),.*,0$' clear.csv)
[ "$code" -eq 0 ] && [ "$left" -gt 0 ] && [ "$(grep -cE ',(none|cannot_tell),' clear.csv)" -eq "$left" ] &&
    [ "$(grep -c ',1$' clear.csv)" -eq $((40 - left)) ] && grep -q "unchanged  $left: no natural pose" "$scratch/stdout"
report $? "without an option those with a natural pose are rotated, and the other $left of 40 are not"
refused 2 "--all and --only-one exclude each other" canonicalize $model $letters --out x.npy --all --only-one
run canonicalize $model $letters --out two.npy --poses two.csv --only-if 1e-9
grep -q "warning    no p-value can be below one in 11: " "$scratch/stdout"
report $? "a gate that no p-value opens is said"
# A line an image of 16 x 16 floats.
images_of() { tail -c $((120 * 1024)) "$1" | od -A n -v -t x4 -w1024; }
run canonicalize --all $model $letters --out plain.npy --quiet
images_of gate.npy >gate.txt && images_of plain.npy >plain.txt
sed 1d gate.csv | sed 's/.*,//' | paste -d ' ' - gate.txt | paste -d '|' - plain.txt |
    LC_ALL=C awk -F '|' '{ was = substr($1, 1, 1); same = substr($1, 2) == " " $2 } was == 1 && !same { bad++ }
        was == 0 && same { alike++ } END { exit bad > 0 || alike > 0 }'
report $? "those that are rotated are as without a gate, the others are not"

# --- one answer ------------------------------------------------------------------------------------
run canonicalize $model $letters --out same.npy --poses same.csv --quiet
answers() { awk -F , '{ print $1, $(NF - 1), $NF }' "$1" | paste - - - - && grep -oE ',(one|several|modulo|none|cannot_tell),' "$1"; }
answers same.csv >after && answers found/poses.csv >before && cmp before after && grep -q ',0$' same.csv && grep -q ',1$' same.csv
report $? "discover says of its inputs what canonicalize does with them"

# --- what somebody says of single inputs and clusters -----------------------------------------------
run canonicalize --all $model $letters --out said.npy --poses found.csv --quiet
run canonicalize --all $model $letters --out said.npy --poses said.csv --anchor 000005.png=30 --quiet
# Name, pose and cluster, before and after: the input is rotated as asked, its cluster by the same, nothing else.
paste -d , found.csv said.csv | awk -F , '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cluster" && !c) c = i; half = NF / 2; next }
    { by = $(half + 3) - $3; by -= 360 * int(by / 360 + (by > 0 ? .5 : -.5)); moved[$1] = by; of[$1] = $c; at[$1] = $(half + 3) }
    END { one = "\"000005.png\""; good = at[one] > -30.01 && at[one] < -29.99
          for (name in of) { n += of[name] == of[one]; want = of[name] == of[one] ? moved[one] : 0
              d = moved[name] - want; if (d > 180) d -= 360; if (d < -180) d += 360; if (d > .05 || d < -.05) bad++ }
          print n " of " length(of) > "followed"; exit !(good && n > 1 && n < length(of) && !bad) }'
report $? "--anchor rotates an input as asked, and the others of its cluster ($(cat followed)) follow"
grep -qE '"000005.png",.*,one,1,' said.csv
report $? "whose natural pose is then one"
run canonicalize --all $model $letters --out said.npy --poses twice.csv --anchor 000005.png=30 --anchor 000005.png=30 --quiet
cmp -s said.csv twice.csv
report $? "said twice is said once"
refused 2 "--actions and --only-if exclude each other" canonicalize $model $letters --out x.npy --actions a.csv --only-if 0.1
refused 1 "--anchor nothing.png: no input has this name" canonicalize $model $letters --out x.npy --anchor nothing.png=3
refused 2 "--anchor 000005.png: FILE=DEGREES is needed" canonicalize $model $letters --out x.npy --anchor 000005.png
cluster=$(awk -F , '/"000005.png"/ { print $(NF - 1) }' found.csv)
printf 'note,cluster,action,degrees\n"a, b",%s,leave,\n' "$cluster" >clusters.csv
printf 'file,action,degrees\n"000005.png",rotate,30\n000006.png,leave,\n' >files.csv
run canonicalize --all $model $letters --out said.npy --poses left.csv --actions clusters.csv --quiet
[ "$code" -eq 0 ] && [ "$(awk -F , -v c="$cluster" '$(NF - 1) == c && $NF == 1' left.csv | wc -l)" -eq 0 ] &&
    [ "$(awk -F , -v c="$cluster" '$(NF - 1) != c && $NF == 0' left.csv | wc -l)" -eq 0 ]
report $? "--actions leaves a cluster as it is"
run canonicalize --all $model $letters --out said.npy --poses left.csv --actions files.csv --quiet
[ "$code" -eq 0 ] && grep -q '"000005.png",.*,-30.00,.*,1$' left.csv && grep -q '"000006.png",.*,0$' left.csv
report $? "and rotates single files as asked"
for line in "000005.png,turn,:the action is 'turn', not rotate or leave" "nothing.png,leave,:no input is called 'nothing.png'" \
    "000005.png,rotate,much:degrees 'much' is not a number"; do
    printf 'file,action,degrees\n%s\n' "${line%%:*}" >wrong.csv
    refused 1 "wrong.csv: line 2: ${line#*:}" canonicalize $model $letters --out x.npy --actions wrong.csv
done
printf 'cluster,action\n999,leave\n' >wrong.csv
refused 1 "no cluster 999" canonicalize $model $letters --out x.npy --actions wrong.csv
printf 'name,what\na,b\n' >wrong.csv
refused 1 "wrong.csv: line 1: needs the columns action, and file (or molecule) or cluster" canonicalize $model $letters --out x.npy --actions wrong.csv

# --- folders of pictures --------------------------------------------------------------------------
run canonicalize --all $model --data npy:images.npy --limit 9 --out pictures --quiet
if [ "$code" -eq 1 ] && said "without libpng"; then
    skip "pictures in, pictures out" "no libpng"
    finish
fi
[ "$code" -eq 0 ] && [ "$(ls pictures/*.png | wc -l)" -eq 9 ] && [ -s pictures/000008.png ] &&
    [ "$(wc -l <pictures/poses.csv)" -eq 10 ] && grep -qE '^"000008.png",[0-9]+,-?[0-9.]+,[-0-9.e+]+,[0-9.e-]+,[0-9.e-]+,[a-z_]+,[0-4],-?[0-9.]+:[0-9.]+[-0-9.:;]*,[0-9]*,1$' pictures/poses.csv
report $? "a folder gets pictures, and their poses by name"
run canonicalize --all $model --data images:pictures --out upright
[ "$code" -eq 0 ] && [ "$(ls upright/*.png | wc -l)" -eq 9 ]
report $? "pictures in, pictures out"
run canonicalize $model --data images:pictures --out gated --only-if 1e-9
[ "$code" -eq 0 ] && grep -q '  rotated    0 (0.00 %)' "$scratch/stdout" && cmp -s pictures/000003.png gated/000003.png &&
    [ "$(grep -c ',0$' gated/poses.csv)" -eq 9 ]
report $? "a picture behind a closed gate is copied byte for byte"
refused 2 "--poses p.csv: gated has poses.csv" canonicalize $model --data images:pictures --out gated --poses p.csv
head -c 60 pictures/000003.png >cut.png
cp -R pictures broken && mv cut.png broken/000003.png
refused 1 "000003.png" canonicalize $model --data images:broken --out b --quiet
run canonicalize --all $model --data images:broken --out b --skip-bad
[ "$code" -eq 0 ] && grep -q 'skipped    1 ' "$scratch/stdout" &&
    grep -q '^  *broken/000003.png: ' "$scratch/stdout" && [ "$(ls b/*.png | wc -l)" -eq 8 ]
report $? "--skip-bad leaves out the broken one and names it"

# --- over an earlier result -----------------------------------------------------------------------
run canonicalize --all $model $letters --out over --poses over/g.npy --quiet
[ "$code" -eq 0 ] && [ "$(ls over | grep -c png)" -eq 120 ] && [ -s over/g.npy ]
report $? "a folder of pictures, and their poses in it"
# What poses.csv says of image 7 is what distribution says of it; p-values have four digits there.
said_of() { sed -n "s/.*\"$1\": \"*\([^,\"]*\).*/\1/p" "$scratch/stdout"; }
run distribution $model $letters --index 7 --json
[ "$code" -eq 0 ] && [ "$(sed -n 9p over/poses.csv | cut -d , -f 5-8)" = \
    "$(printf %.4g "$(said_of p_value)"),$(printf %.4g "$(said_of p_embedding)"),$(said_of verdict),$(said_of fold)" ]
report $? "with both p-values, the verdict and the fold of each"
run score $model $letters --out s.csv --quiet
cut -d , -f 1-10 over/poses.csv | cmp -s - s.csv
report $? "score --out s.csv has the same lines, less the last column"
echo mine >over/mine.png
run canonicalize --all $model $letters --limit 50 --out over --quiet
[ "$code" -eq 0 ] && [ "$(wc -l <over/poses.csv)" -eq 51 ] && [ "$(ls over | grep -c '^[0-9]*[.]png')" -eq 50 ] &&
    [ -s over/mine.png ] && [ "$(ls -A | grep -c '^[.]over')" -eq 0 ]
report $? "pictures of an earlier run are gone, others stay"
rm -r over
ln -s upright.npy link.npy
rm -f upright.npy
run canonicalize --all $model $letters --limit 50 --out link.npy --quiet
[ "$code" -eq 0 ] && [ -L link.npy ] && [ -s upright.npy ]
report $? "a link that leads to nothing stays a link"
rm -f link.npy

# --- what does not fit ----------------------------------------------------------------------------
refused 1 "backbone: a model without maps: run \`recon discover\` first" \
    canonicalize --all --model backbone $letters --out x.npy
refused 1 "nowhere.json" canonicalize $model --data npy:images.npy --rotate nowhere.json --out x.npy
refused 1 "unknown data set 'letters'" canonicalize $model --data letters --out x.npy
letters 100 | npy wide.npy '|u1' '64, 20, 20'
refused 1 "images of 20 x 20 x 1, but the model was made for 16 x 16 x 1" \
    canonicalize --all $model --data npy:wide.npy --out x.npy
refused 1 "this is the input" canonicalize $model --data images:pictures --out pictures/
refused 1 "images.npy: this is the input; choose another --poses" canonicalize $model $letters --out x.npy --poses images.npy
refused 2 "--poses x.npy: the inputs go there" canonicalize $model $letters --out x.npy --poses x.npy
refused 1 "nowhere/x.npy" canonicalize $model $letters --out nowhere/x.npy
refused 1 "cannot make the folder" canonicalize $model $letters --out nowhere/x

# --- inputs that the model does not know ----------------------------------------------------------
garments="--data idx:$root/data/garments/t10k-images-idx3-ubyte.gz --limit 40"
run canonicalize --all --model "$root/models/mnist.safetensors" $garments --out strange
[ "$code" -eq 0 ] && grep -qE '^  warning    (3[0-9]|40) .* are unlike the training data' "$scratch/stdout"
report $? "garments and a model of digits: a warning ($(sed -n 's/^  warning *//p' "$scratch/stdout"))"
run canonicalize --all --model "$root/models/fashion.safetensors" $garments --out known
[ "$code" -eq 0 ] && ! grep -q unlike "$scratch/stdout"
report $? "garments and their model: none"
head -c 3000 found/model.safetensors >cut
refused 1 "cut" canonicalize --model cut $letters --out x.npy
finish
