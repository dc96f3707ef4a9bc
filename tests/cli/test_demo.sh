#!/bin/sh
# recon demo: the tour, as whoever has installed recon would take it, and a shorter one over it. `make check-slow`
# takes the whole of it (RECON_SLOW=1), `make test` that of 680 images, which are enough to need no folds: the
# second run has some.
. "${0%/*}/../report/browser.sh"
. "${0%/*}/lib.sh"
root=$OLDPWD
if [ "${RECON_BUILD:-build}" != build ]; then
    finish # every step has tests of its own under sanitizers
fi

# number NAME: of results.json, the last key of its path being unique.
number() {
    sed -n "s/^ *\"$1\": \([-0-9.]*\),*$/\1/p" "$out/results.json" | head -n 1
}

# holds TEXT EXPRESSION: of awk.
holds() {
    awk "BEGIN { exit !($2) }"
    report $? "$1"
}

# Installed, with nothing else of the sources: where the program is, and share/recon beside it.
mkdir -p "$scratch/prefix/bin" "$scratch/prefix/share/recon/models" "$scratch/prefix/share/recon/data"
cp "$recon" "$recon-lab" "$scratch/prefix/bin/"
cp "$root"/models/*.safetensors "$scratch/prefix/share/recon/models/"
cp -R "$root/data/garments" "$root/data/conformers" "$scratch/prefix/share/recon/data/"
recon=$scratch/prefix/bin/recon

out=$work/recon-demo
part=$([ "${RECON_SLOW:-}" = 1 ] || echo "--limit 680")
ties=$([ "${RECON_SLOW:-}" = 1 ] && echo 0 || echo 5) # in per cent: images of 170 that the classifier reads by chance
run demo $part
[ "$code" -eq 0 ] && [ -s "$out/report.html" ]
report $? "from an empty folder, with what was installed alone"
[ "$(wc -l <"$scratch/stdout")" -eq 6 ] && [ "$(tail -n 1 "$scratch/stdout")" = "$out/report.html" ] &&
    [ "$(cut -c 1-12 "$scratch/stdout" | head -n 5 | tr -d ' \n')" = Algorithm1discovercanonicalizeunusualposemolecules ]
report $? "five lines of results, and where the page is"
none=$(number none) recon_=$(number recon) here=$(number recon_here) upright=$(number upright)
holds "canonical images do far better than rotated ones" "$recon_ > $none + 15 && $here > $none + 10"
holds "and never rotated ones at least as well" "$upright + $ties >= $recon_ && $upright + $ties > 90"
area=$(sed -n '/^ *"ood_auc": {/,/}/s/^ *"recon": \([0-9.]*\),*$/\1/p' "$out/results.json")
holds "unusual poses are distinguished" "${area:-0} > 0.8"
holds "axes of molecules are found" "$(number axis_error_deg) < 6"
holds "false alarms are about as many as were asked for" "$(number called) < 12"
holds "Algorithm 1 takes a moment" "$(sed -n '/algorithm1/,/}/s/.*"seconds": \([0-9.]*\)$/\1/p' "$out/results.json") < 60"
missing=""
for file in garments-images.npy garments-labels.npy test-images.npy test-labels.npy discover/z.npy \
    discover/g.npy discover/model.safetensors normalize/gamma.npy molecules/natural.xyz results.json; do
    [ -s "$out/$file" ] || missing="$missing $file"
done
[ -z "$missing" ]
report $? "every step keeps its files$missing"
holds "the page has its figures" "$(grep -c '<figure' "$out/report.html") >= 10"
grep -q '<figure class="pairs">' "$out/report.html" && grep -qF '"sheets":[' "$out/report.html"
report $? "and the pairs and inputs of the discovery"
browser_check "$out/report.html" "$(grep -c '<figure' "$out/report.html")"

cp "$out/report.html" first.html
run demo --limit 200 --json --quiet
[ "$code" -eq 0 ] && [ ! -s "$scratch/stderr" ] && is_json "$scratch/stdout" && [ "$(number test_images)" -eq 50 ] &&
    ! cmp -s first.html "$out/report.html"
report $? "a second run replaces the first"

: >file
refused 1 "cannot make the folder: Not a directory" demo --quiet --out file/demo
refused 1 "file" demo --quiet --out file
refused 2 "--limit 5: must be at least 200" demo --limit 5
refused 2 "recon-demo" demo recon-demo
finish
