#!/bin/sh
# examples/toy.c, a kind of data and a kind of backbone of one's own, goes the whole way with public headers
# alone: discover, open, canonicalize, score, report.
here=$(cd "${0%/*}" && pwd)
. "$here/../cli/lib.sh"
toy=${recon%/*}/examples/toy code=0

"$toy" >"$scratch/stdout" 2>"$scratch/stderr"
report $? "the toy domain keeps its laws"
grep -q "p < 0.05: [0-9]* % as they came, [0-9]* % upside down" "$scratch/stdout"
report $? "it says what it measured"
grep -q '"kind": "outlines"' toy/summary.json
report $? "the summary names the kind"
grep -q 'outlines' toy/report.html
report $? "the report is there"
"$recon" score --model toy/model.safetensors --data garments --out s.npy >"$scratch/stdout" 2>"$scratch/stderr"
[ $? -eq 1 ] && grep -q 'not a model of `recon train` or `recon discover`' "$scratch/stderr"
report $? "a program that does not know the kind says so"
"$recon" report toy --out none.html >"$scratch/stdout" 2>"$scratch/stderr"
[ $? -eq 1 ] && grep -q "toy/summary.json: unknown kind 'outlines'" "$scratch/stderr" && [ ! -e none.html ]
report $? "and takes its folder for nothing else"
[ "$(wc -l <"$here/../../examples/toy.c")" -lt 200 ]
report $? "in fewer than 200 lines"
finish
