#!/bin/sh
# recon report: a page of what discover or normalize left, with pictures where the data can be had,
# and clear errors.
here=$(cd "${0%/*}" && pwd)
. tests/report/browser.sh
. "$here/lib.sh"
. "$here/tiny.sh"

# has FILE TEXT: the page says it.
has() {
    grep -qF -- "$2" "$1"
}

# pictures FILE: how many lines of it hold one.
pictures() {
    grep -c 'data:image/' "$1"
}

run report --help
[ "$code" -eq 0 ] && grep -q '^example:' "$scratch/stdout" && [ ! -s "$scratch/stderr" ]
report $? "--help shows an example"
refused 2 "DIR is required" report
refused 1 "nowhere/summary.json" report nowhere
mkdir broken && echo '{ "all": ' >broken/summary.json
refused 1 "broken/summary.json: line 2" report broken
rm -r broken

# --- images ---------------------------------------------------------------------------------------
run discover --model backbone $letters --k 5 --folds 0 --limit 100 --out found
[ "$code" -eq 0 ] && grep -q '  report     found/report.html' "$scratch/stdout" && [ -s found/report.html ]
report $? "discover leaves a page and says where"
accepted "the same page from the folder" report found --out again.html
cmp -s found/report.html again.html
report $? "and it is the same to the byte"
sed -n '/"source"/,/}/p' found/summary.json | tr -d ' \n' | grep -qF \
    '"source":{"spec":"npy:images.npy","rotate":"rule.json","seed":1,"limit":100,"skip_bad":false}'
report $? "because the summary says what the data were"
if grep -q 'built without libpng' again.html; then
    skip "its pictures" "no libpng"
else
    has again.html '100 images would be rotated, ' && has again.html 'cluster 0' && has again.html 'As given, and rotated'
    report $? "it counts what would be rotated, and shows pairs and clusters"
    has again.html '"heading":"file"' && has again.html '"sheets":['
    report $? "and lists all inputs with their pictures"
    browser_check again.html "$(grep -o '<figure' again.html | wc -l)"
    cp images.npy plain.npy
    run discover --model backbone --data npy:plain.npy --rotate rule.json --k 5 --folds 0 --out plain --quiet
    [ "$code" -eq 0 ] && ! has plain/report.html 'have its label' && has plain/report.html 'cluster 0'
    report $? "without labels, clusters"
    rm plain.npy
    accepted "data that are gone are no failure" report plain --out gone.html
    grep -q '^no pictures: npy:plain.npy' "$scratch/stdout" || grep -q '^no pictures: plain.npy' "$scratch/stdout"
    report $? "but are told"
    has gone.html 'Pictures are missing: ' && has gone.html '"000007.png"' && [ "$(pictures gone.html)" -eq 0 ]
    report $? "on the page too"
    accepted "--data says where they are now" report plain --data npy:images.npy --rotate rule.json --out there.html --quiet
    [ "$(pictures there.html)" -gt 0 ]
    report $? "and there are pictures"
    refused 2 "that of these 100 is" report plain --data npy:images.npy --limit 100 --out x.html
    refused 2 "plain was made from other images: their identity was " \
        report plain --data npy:images.npy --rotate rule.json --rotate-seed 5 --out x.html
fi
refused 1 "molecules, but the model takes images" report found --data xyz:chains.xyz --out x.html
refused 1 "nowhere/x.html" report found --out nowhere/x.html
refused 2 "--out found/summary.json: name a file such as report.html" report found --out found/summary.json
cp found/report.html page.html && echo mine >mine.html
ln -sf ../mine.html found/report.html && ln -s mine.html to.html
accepted "a page of the folder" report found --quiet
[ ! -L found/report.html ] && cmp -s found/report.html page.html && [ "$(cat mine.html)" = mine ]
report $? "replaces a link, as all files of a result do"
accepted "a page that is named" report found --out to.html --quiet
[ -L to.html ] && cmp -s mine.html page.html
report $? "goes where a link leads"
mv found/poses.csv poses.csv
refused 1 "found/poses.csv" report found --out x.html
mv poses.csv found/poses.csv

# --- molecules ------------------------------------------------------------------------------------
LC_ALL=C awk 'BEGIN { srand(7); for (c = 0; c < 24; c++) for (m = 0; m < 2; m++) {
    print 6 + m; print "name=chain" m; for (i = 1; i < 7 + m; i++) printf "%s %.4f %.4f %.4f\n",
        i % 3 ? "C" : "N", 1.2 * i + .06 * rand(), .7 * ((i * (m + 1)) % 3) + .06 * rand(),
        .6 * ((i + m) % 2) + .3 * ((i * i + m) % 4) } }' >chains.xyz
# Maps on SO(3) take long under sanitizers, where tests/cli/test_molecules.sh makes such a page.
if [ "${RECON_BUILD:-build}" = build ]; then
    chains="--data xyz:chains.xyz --rotate haar --threads 2"
    run train $chains --preset small --width 0.25 --layers 2 --code 8 --epochs 2 --batch 16 --out molecules --quiet
    run discover --model molecules $chains --k 8 --folds 0 --out mols
    [ "$code" -eq 0 ] && has mols/report.html '48 conformers would be rotated, ' && has mols/report.html chain1
    report $? "molecules have a page too"
    has mols/report.html '"conformers":[' && has mols/report.html '"heading":"molecule"'
    report $? "with a list of all, from which the script draws"
    browser_check mols/report.html "$(grep -o '<figure' mols/report.html | wc -l)"
fi

# --- embeddings of any backbone -------------------------------------------------------------------
for group in so2 so3; do
    mkdir points.$group && "$simulate" $group points.$group 300 >"$scratch/stdout" 2>"$scratch/stderr"
    run normalize --embeddings points.$group/z.npy --poses points.$group/g.npy --group $group --out $group --quiet
    accepted "normalize on $group" report $group --out $group.html --json
    is_json "$scratch/stdout" && has $group.html 'nearest neighbours' && has $group.html 'cluster 1'
    report $? "its page"
done
finish
