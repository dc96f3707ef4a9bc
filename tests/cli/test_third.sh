#!/bin/sh
# A domain and a group that no source of cli/ or src/ knows (third.c) meet every command: what works for any
# domain works for them, what does not is refused by their own names, and nothing takes them for images, molecules,
# SO(2) or SO(3).
here=$(cd "${0%/*}" && pwd)
. "$here/lib.sh"
build=${recon%/recon}
recon=$build/tests/cli/third release=${release%/recon}/tests/cli/third

# model NAME: a file that says no more than which backbone it is for.
model() {
    header="{\"__metadata__\":{\"model\":\"$1\"}}"
    while [ $((${#header} % 8)) -ne 0 ]; do header="$header "; done
    printf "\\$(printf %o ${#header})\000\000\000\000\000\000\000%s" "$header" >"$1.safetensors"
}
model toy
model third
"$simulate" so3 . 200 5 8
outlines="--data outlines --threads 2"

# Neither of the known domains and groups is spoken of.
unmistaken() { # FILE...
    ! grep -qiE 'image|picture|molecule|conformer|SO\([23]\)|so[23]\b' "$@" 2>/dev/null
}
works() { # TEXT ARGS
    accepted "$@"
    unmistaken "$scratch/stdout"
    report $? "$1: taken for nothing else"
}

# --- the domain, poses in SO(2) -------------------------------------------------------------------
prepare discover --model toy.safetensors $outlines --out found --quiet
report "$code" "discover"
grep -q '"kind": "outlines"' found/summary.json
report $? "its result says what it is of"
works "report" report found --out page.html
sed '/<style/,/<\/style>/d; /<script/,/<\/script>/d; s/<[^>]*>//g' page.html >text
grep -q ' 600 outlines' text && ! grep -qiE 'images|molecule|conformer|photograph' text
report $? "its page is of these inputs"
works "score" score --model found $outlines --out s.csv
works "score in JSON" score --model found $outlines --out s.npy --json
[ "$(wc -l <s.csv)" -eq 601 ] && head -n 1 s.csv | grep -q '^input,index'
report $? "its table is of inputs"
works "audit" audit --model found $outlines --out a.csv
[ "$(wc -l <a.csv)" -eq 601 ] && ! grep -q degrees a.csv
report $? "its table is of inputs, too"
accepted "info" info found
for out in c.npy c.xyz folder; do
    refused 1 "this command has nothing for outlines" canonicalize --model found $outlines --out $out
done
refused 1 "this command has nothing for outlines" distribution --model found $outlines --index 1
refused 1 "a model of outlines" export --model found --out m.onnx
refused 1 "of kind outlines" check found $outlines
refused 1 "this command has nothing for outlines" classifier train $outlines --out k
refused 1 "this command has nothing for outlines" info outlines
refused 2 "recon trains no network of outlines" train $outlines --out m
refused 1 "the model takes outlines" score --model found --data garments --out x.csv
for flag in "--mask" "--held outlines"; do
    refused 2 "${flag%% *} is for" train $outlines --out m $flag
done
refused 2 "--crop is for images" discover --model toy.safetensors $outlines --out x --crop auto

# --- the group ------------------------------------------------------------------------------------
works "normalize" normalize --embeddings z.npy --poses g.npy --group third --k 10 --out third
grep -q '"group": "third"' third/summary.json
report $? "its result says in which group"
accepted "report" report third --out third.html
grep -q 'the rotations of the test' third.html && ! grep -qE 'SO\([23]\)' third.html
report $? "its page says in which group"
accepted "info" info third
none="there are no heads for poses in the third group"
refused 1 "$none" discover --model third.safetensors $outlines --out x
for command in "canonicalize --out c.npy" "score --out s.npy" "audit" "distribution --index 1"; do
    refused 1 "without maps" $command --model third.safetensors $outlines
done
refused 1 "outlines: there is no model for such data" upright outlines
refused 1 "without maps" export --model third.safetensors --out m.onnx

# --- none is forgotten ----------------------------------------------------------------------------
tried="audit canonicalize check classifier discover distribution export info normalize report score train upright"
elsewhere="demo models reproduce" # take no data of one's own
[ "$("$recon" help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' | sort)" = "$(printf '%s\n' $tried $elsewhere | sort)" ]
report $? "every command of the help is tried here"
finish
