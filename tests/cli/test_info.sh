#!/bin/sh
# recon, and recon info: help, version, exit codes, what a file holds.
. "${0%/*}/lib.sh"

run --version
[ "$code" -eq 0 ] && grep -qE '^recon [0-9]+\.[0-9]+\.[0-9]+(-dev)?$' "$scratch/stdout"
report $? "--version prints the version"
cp "$scratch/stdout" version.txt
run version
[ "$code" -eq 0 ] && cmp -s version.txt "$scratch/stdout"
report $? "so does version"
rm version.txt
refused 2 "unknown option '--verison' (did you mean --version?)" --verison
for word in --help -h help; do
    run $word
    [ "$code" -eq 0 ] && grep -q '^  normalize ' "$scratch/stdout" && [ ! -s "$scratch/stderr" ]
    report $? "$word lists the commands"
done
run
[ "$code" -eq 2 ] && grep -q '^usage: recon' "$scratch/stderr" && [ ! -s "$scratch/stdout" ]
report $? "no command is misuse, and the help comes on standard error"
refused 2 "unknown command 'sing'" sing
refused 2 "unknown command 'normalise' (did you mean normalize?)" normalise
refused 2 "unknown option --embeding (did you mean --embeddings?)" normalize --embeding z.npy
refused 2 "unknown command 'a??[31mb'" "a$(printf '\n\033')[31mb"
refused 2 "unknown option --a?b" info "--a$(printf '\nb')"
run info --help
[ "$code" -eq 0 ] && grep -q 'recon info z.npy' "$scratch/stdout" && [ ! -s "$scratch/stderr" ]
report $? "info --help shows an example"

refused 2 "name a file" info
refused 2 "unexpected argument 'b.npy'" info a.npy b.npy
refused 2 "unknown option --loud" info a.npy --loud
refused 2 "--threads needs N" info a.npy --threads
refused 2 "--threads 0 must be a whole number of at least 1" info a.npy --threads 0
refused 1 "absent.npy: cannot open" info absent.npy

printf 'HEADER    WATER\nATOM      1  O   HOH A   1\n' >water.pdb
refused 1 "water.pdb: unknown format" info water.pdb
said "info reads models, arrays, and data: images: garments, "
report $? "and what can be read is listed"
gzip -c water.pdb >water.xyz.gz
refused 1 "water.xyz.gz: unknown format: unpack it first" info water.xyz.gz
: >nothing
refused 1 "nothing: unknown format" info nothing
printf '\377\000\000\000\000\000\000\000{"a' >renamed
refused 1 "renamed: not a safetensors file, or cut short" info renamed
printf '2\nProperties=species:S:1:pos:R:3\nO 0 0 0\nH 0 0 1\n' >ase.extxyz
run info ase.extxyz
[ "$code" -eq 0 ] && grep -q '^xyz:ase.extxyz: 1 conformer of 1 molecule$' "$scratch/stdout"
report $? "an .extxyz file is one of molecules"
mkdir extended && cp ase.extxyz extended/
run info extended
[ "$code" -eq 0 ] && grep -q '^xyz:extended: 1 conformer of 1 molecule$' "$scratch/stdout"
report $? "and so is a folder of them"
mkdir molecules
printf '2\n\nO 0 0 0\nH 0 0 1\n' >molecules/one.xyz
run info molecules
[ "$code" -eq 0 ] && grep -q '^xyz:molecules: 1 conformer of 1 molecule$' "$scratch/stdout"
report $? "a folder of .xyz files is one of molecules"

f32 1 0 -1 2 0 1 | npy a.npy '<f4' '2, 3'
run info a.npy
[ "$(cat "$scratch/stdout")" = "a.npy: float32 2 x 3, C order, finite, -1 .. 2" ]
report $? "type, shape, order and range in one line"
f32 1 nan inf 2 | npy bad.npy '<f4' '4,'
run info bad.npy
[ "$code" -eq 0 ] && grep -q '2 NaN or infinite, 1 .. 2' "$scratch/stdout"
report $? "NaN and infinity are counted, the range is that of the rest"
npy none.npy '<f4' '0, 3' </dev/null
run info none.npy
[ "$(cat "$scratch/stdout")" = "none.npy: float32 0 x 3, C order, finite" ]
report $? "an empty array has no range"
f32 2 | npy one.npy '<f4' ''
run info one.npy
[ "$(cat "$scratch/stdout")" = "one.npy: float32 one value, C order, finite, 2 .. 2" ]
report $? "a single value"
run info a.npy --json
[ "$code" -eq 0 ] && is_json "$scratch/stdout" && [ ! -s "$scratch/stderr" ] &&
    grep -q '"dtype": "float32"' "$scratch/stdout"
report $? "--json prints one object"
run info a.npy --threads 99999999999
[ "$code" -eq 0 ]
report $? "more threads than there can be are as many as there can be"
accepted "--quiet says nothing about a good file" info a.npy --quiet
[ ! -s "$scratch/stdout" ]
report $? "and that on standard output too"
if [ -w /dev/full ]; then
    "$recon" info a.npy >/dev/full 2>"$scratch/stderr"
    code=$?
    [ "$code" -eq 1 ] && one_line "$scratch/stderr" && said "standard output"
    report $? "an answer that cannot be written is a failure"
else
    skip "an answer that cannot be written is a failure" "no /dev/full"
fi

# --- models ---------------------------------------------------------------------------------------
if [ -e "$OLDPWD/models/mnist-small.safetensors" ]; then
    cp "$OLDPWD/models/mnist-small.safetensors" model.safetensors
    run info model.safetensors
    [ "$code" -eq 0 ] && grep -q 'preset *small' "$scratch/stdout" && grep -q 'numbers$' "$scratch/stdout"
    report $? "a model's settings are told"
    run info --json model.safetensors
    [ "$code" -eq 0 ] && is_json "$scratch/stdout" && grep -q '"metadata"' "$scratch/stdout"
    report $? "as JSON too"
    printf '\072\000\000\000\000\000\000\000{"__metadata__":{"a":"\\u001b[2J\\nb"}}                     ' >steers.safetensors
    run info steers.safetensors
    [ "$code" -eq 0 ] && ! LC_ALL=C grep -q "$(printf '\033')" "$scratch/stdout" && [ "$(wc -l <"$scratch/stdout")" -eq 2 ]
    report $? "a model's words do not steer the terminal"
    ln -s "$OLDPWD/models" "$OLDPWD/data" . # as if here were where recon was built
    run info mnist-small
    [ "$code" -eq 0 ] && grep -q '^mnist-small, a model: .* numbers$' "$scratch/stdout"
    report $? "a shipped model is found by its name"
    run info models/mnist-small --json
    [ "$code" -eq 0 ] && is_json "$scratch/stdout" && grep -q '"metadata"' "$scratch/stdout"
    report $? "or by that of its file, without the ending"
    run info conformers
    [ "$code" -eq 0 ] && grep -q '^conformers, a data set: .* molecules$' "$scratch/stdout" &&
        grep -q '  model      `recon info models/conformers` describes the model' "$scratch/stdout"
    report $? "what is also the name of data is the data, and says where the model is"
    run info models/conformers
    [ "$code" -eq 0 ] && grep -q '^models/conformers, a model: ' "$scratch/stdout" &&
        grep -q '  data set   `recon info conformers` describes the data set' "$scratch/stdout"
    report $? "so does the model of the data"
    head -c 100 model.safetensors >cut.safetensors
    refused 1 "cut.safetensors" info cut.safetensors
fi

finish
