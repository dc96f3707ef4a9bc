#!/bin/sh
# recon audit: the inputs of an aligned set that are not aligned come first, and what is said of them.
. "${0%/*}/lib.sh"
album=$OLDPWD/examples/album
mkdir models && cp "$OLDPWD/models/general.safetensors" models
general="--model general --threads 2"

# --- wrong usage ----------------------------------------------------------------------------------
run audit --help
[ "$code" -eq 0 ] && grep -q '^  recon audit' "$scratch/stdout" && [ ! -s "$scratch/stderr" ]
report $? "audit --help shows an example"
refused 2 "--fdr 1.5: must be below 1, such as 0.05 for 5 %" audit "$album" $general --fdr 1.5
refused 2 "--out a.txt: FILE.csv or FILE.html is written" audit "$album" $general --out a.txt
refused 1 "11 inputs: an audit compares inputs, and needs 12" audit "$album" $general --limit 11
mkdir empty
refused 1 "empty: no PNG" audit empty

# --- a set with rotated inputs --------------------------------------------------------------------
run audit "$album" $general --out audit.csv
[ "$code" -eq 0 ] && grep -q '  warning    too few to call one wrong' "$scratch/stdout" &&
    grep -q 'no input is called wrong' "$scratch/stdout"
report $? "of few inputs none is called wrong, which is said"
tail -n 1 "$scratch/stdout" | grep -q '^  verdict  '
report $? "the verdict is the last line"
[ "$(head -n 1 audit.csv)" = file,index,rank,score,p_value,wrong,mixed,action,degrees ] &&
    [ "$(wc -l <audit.csv)" -eq $(($(ls "$album" | wc -l) + 1)) ]
report $? "the table has a line for each input"
awk -F, 'NR > 2 && ($4 > score || $3 != NR - 1 || $5 < p || $6 != 0 || $8 != "leave") { exit 1 }
    { score = $4; p = $5 }' audit.csv
report $? "ranked by score, p-values rising"
# Of things with an upright pose that were rotated by more than 60 degrees, among as many first ones.
awk -F, 'NR == FNR { if (FNR > 1 && $3 == 1) { known["\"" $1 "\""] = 1; if ($2 > 60 || $2 < -60) { far["\"" $1 "\""] = 1; n++ } } next }
    FNR > 1 && $1 in known && ++at <= n { found += $1 in far }
    END { print found " of " n; exit !(n && found >= 0.5 * n) }' \
    "$album.csv" audit.csv >counts
report $? "the rotated ones come first ($(cat counts))"
run audit "$album" $general --json
[ "$code" -eq 0 ] && is_json "$scratch/stdout" && grep -q '"wrong": 0' "$scratch/stdout" &&
    [ "$(grep -c '"p_value"' "$scratch/stdout")" -eq 10 ]
report $? "the same as JSON, with the first ten"
run audit "$album" $general --threads 1 --quiet --out again.csv
[ "$code" -eq 0 ] && [ ! -s "$scratch/stdout" ] && cmp -s audit.csv again.csv
report $? "another number of threads gives the same table"

run audit "$album" --threads 2 --out page.html
[ "$code" -eq 0 ] && grep -q '^  model      general, which knows most of these' "$scratch/stdout" && cmp -s audit.csv page.csv
report $? "without --model the shipped one that knows most is taken, with the same table"
head -n 1 page.html | grep -q '^<!doctype html>' && tail -n 1 page.html | grep -q '</html>$' &&
    [ "$(grep -c '<li class=' page.html)" -ge 10 ] && ! grep -qE '(src|href)="https?:' page.html
report $? "the page shows the first ones and loads nothing"
sed 1d page.html | python3 -c 'import sys, xml.etree.ElementTree as x, re
x.fromstring(re.sub(r"<(style|script)[^>]*>.*?</\1>", "", sys.stdin.read(), flags=re.S))' 2>errors
report $? "it is well-formed ($(tail -n 1 errors))"

# --- the table is one of actions ------------------------------------------------------------------
sed '2s/leave/rotate/' audit.csv >edited.csv
run canonicalize "$album" $general --actions edited.csv --out mended
name=$(sed -n '2s/"\([^"]*\)".*/\1/p' audit.csv)
[ "$code" -eq 0 ] && ! cmp -s "mended/$name" "$album/$name" &&
    [ "$(for f in "$album"/*; do cmp -s "$f" "mended/${f##*/}" || echo "$f"; done | wc -l)" -eq 1 ]
report $? "canonicalize --actions rotates the line that says so ($name), and no other file"
finish
