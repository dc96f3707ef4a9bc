#!/bin/sh
# recon check: how equivariant a model is, as a table, as JSON, as a figure.
here=$(cd "${0%/*}" && pwd)
. "$here/lib.sh"
. "$here/tiny.sh"
prepare discover --model backbone $letters --k 5 --folds 0 --out found --quiet
report "$code" "discover"
images="--data npy:images.npy --limit 40"

run check --help
[ "$code" -eq 0 ] && grep -q '^example:' "$scratch/stdout" && [ ! -s "$scratch/stderr" ]
report $? "check --help shows an example"
refused 2 "name a model" check $images
refused 2 "--data is given twice" check backbone second $images
refused 2 "unexpected argument 'second'" check backbone $images second
refused 2 "check itself rotates the data" check backbone $images --rotate all

run check backbone $images
[ "$code" -eq 0 ] && grep -q 'two rotated copies of each of 40 images of npy:images.npy' "$scratch/stdout" &&
    grep -q '^    any ' "$scratch/stdout" && grep -q '^  layer 5 ' "$scratch/stdout" &&
    grep -q '^Exact at right angles' "$scratch/stdout" && grep -q '^The network is .*equivariant enough' "$scratch/stdout"
report $? "a table: angles, layers, exact at right angles, and a verdict"
cp "$scratch/stdout" first
run check backbone $images --threads 1
cmp -s first "$scratch/stdout"
report $? "another number of threads gives the same table"

# Models say which images they were made from.
run check backbone --limit 20
[ "$code" -eq 0 ] && grep -q '20 images of npy:images.npy' "$scratch/stdout"
report $? "without --data, on those that the model names"
run check found/model.safetensors --json --quiet
[ "$code" -eq 0 ] && is_json "$scratch/stdout"
report $? "--json, without --data"
missing=
for key in images equivariant random pose_median_deg pose_p95_deg pose_max_deg centre_median_deg centre_p95_deg \
    centre_max_deg code_median code_p95 code_max angles_deg by_angle layer_images layers name fields \
    height width error floor; do
    grep -q "\"$key\":" "$scratch/stdout" || missing="$missing $key"
done
[ -z "$missing" ] && grep -q '"images": 120' "$scratch/stdout" && grep -q '"layer_images": 64' "$scratch/stdout"
report $? "its keys (missing:${missing:- none})"

run check backbone $images --svg errors.svg --quiet
[ "$code" -eq 0 ] && [ ! -s "$scratch/stdout" ] && grep -q '</svg>' errors.svg &&
    grep -q 'interpolation alone' errors.svg
report $? "--svg draws the errors beside what interpolation costs"

if [ -e "$OLDPWD/models/mnist-small.safetensors" ]; then
    cp "$OLDPWD/models/mnist-small.safetensors" old
    sed -i 's/"data":/"dato":/' old # as long as it was
    refused 1 "old does not record its training data" check old --quiet
fi
refused 1 "nowhere: " check nowhere $images --quiet
head -c 100 backbone >cut
refused 1 "cut: " check cut $images --quiet
printf '\002\000\000\000\000\000\000\000{}' >empty
refused 1 "empty: not a model of \`recon train\`" check empty $images --quiet
letters 4 | npy wide.npy '|u1' '4, 8, 32'
refused 1 "but the model was made for 16 x 16 x 1" check backbone --data npy:wide.npy --quiet
finish
