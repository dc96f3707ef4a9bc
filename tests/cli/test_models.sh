#!/bin/sh
# recon models: the models that come with recon, each with a size, a verdict and what it is for.
here=$(cd "${0%/*}" && pwd)
models=$PWD/models
. "$here/lib.sh"
ln -s "$models" models

accepted "the models are listed" models
cp "$scratch/stdout" list
bad=""
for name in $(awk 'NR > 1 { print $1 }' list); do
    [ -s "$models/$name.safetensors" ] && purpose=$(sed -n 's/^For: //p' "$models/$name.md") && [ -n "$purpose" ] &&
        grep -qE "^$name +(images, [0-9]+ x [0-9]+, (grey|colour)|molecules) +[0-9.]+  (trustworthy|with care) .*$purpose\$" list || bad="$bad $name"
done
[ -z "$bad" ] && [ "$(wc -l <list)" -ge 9 ]
report $? "each is there, with its purpose$bad"
run canonicalize x.png -m nothing -o y
for name in $(awk 'NR > 1 { print $1 }' list); do said "$name" || bad="$bad $name"; done
[ "$code" -eq 1 ] && [ -z "$bad" ]
report $? "they are those that a wrong name is answered with"
run models --json
[ "$code" -eq 0 ] && is_json "$scratch/stdout" && [ "$(grep -c '"for": "[^"]' "$scratch/stdout")" -ge 8 ]
report $? "as JSON too"
refused 2 "unexpected argument 'general'" models general
finish
