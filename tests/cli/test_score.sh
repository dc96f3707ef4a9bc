#!/bin/sh
# recon score and recon distribution: unusual poses are found, one image's poses are told.
here=$(cd "${0%/*}" && pwd)
. "$here/lib.sh"
. "$here/tiny.sh"
prepare discover --model backbone $letters --k 5 --folds 0 --out found --quiet
report "$code" "discover"
model="--model found/model.safetensors"

# --- score ----------------------------------------------------------------------------------------
run score --help
[ "$code" -eq 0 ] && grep -q '^example:' "$scratch/stdout" && [ ! -s "$scratch/stderr" ]
report $? "score --help shows an example"
run score $model $letters --limit 5
[ "$code" -eq 0 ] && [ "$(wc -l <"$scratch/stdout")" -eq 6 ] && head -n 1 "$scratch/stdout" | grep -q '^file,index,' &&
    grep -q 'do not use' "$scratch/stderr" && cp "$scratch/stdout" plain.csv
run score $model $letters --limit 5 --out five.csv
[ "$code" -eq 0 ] && cmp -s plain.csv five.csv
report $? "without --out the same table goes to standard output, and a warning to standard error"
run score $model $letters --limit 5 --out strict.csv --strict
[ "$code" -eq 1 ] && cmp -s strict.csv five.csv
report $? "--strict: a model that is not to be used is exit 1, after the work"
refused 2 "--false-alarms 1.5: must be below 1, such as 0.05 for 5 %" score $model $letters --out s.npy --false-alarms 1.5
refused 2 "--data is given twice" score $model $letters --data npy:images.npy --out s.npy

# unusual_of ARGS: how many were called unusual.
unusual_of() {
    run score $model "$@" --false-alarms 0.1 --out s.npy --json
    [ "$code" -eq 0 ] && is_json "$scratch/stdout" && sed -n 's/^  "unusual": \([0-9]*\),/\1/p' "$scratch/stdout"
}
natural=$(unusual_of $letters)
rotated=$(unusual_of --data npy:images.npy --rotate all)
[ -n "$natural" ] && [ -n "$rotated" ] && [ "$natural" -lt 30 ] && [ "$rotated" -gt 48 ]
report $? "of natural poses few are unusual ($natural of 120), of any poses many ($rotated of 120)"
run score $model $letters --out s.npy
[ "$code" -eq 0 ] && grep -q '  lowest p   image' "$scratch/stdout" && [ "$(grep -c ' degrees$' "$scratch/stdout")" -eq 5 ]
report $? "the most unusual are listed"
grep -q 'calibrated on 10 natural images: no p-value is below 0.091' "$scratch/stdout" &&
    grep -q 'unusual    none: the lowest possible false-alarm rate is one in 11' "$scratch/stdout"
report $? "how fine p-values can be is said"
run score $model $letters --out s.npy --json
grep -q '"unusual": 0,' "$scratch/stdout"
report $? "fewer false alarms than can be told: nothing is unusual"
run score $model $letters --false-alarms 0.1 --limit 5 --out five.npy --rows rows.npy
[ "$code" -eq 0 ] && [ "$(grep -c warning "$scratch/stdout")" -eq 1 ] && said_on_stdout=$(grep warning "$scratch/stdout") &&
    [ "${said_on_stdout#*do not use}" != "$said_on_stdout" ]
report $? "--rows, and a word on a model that is not to be used"
sed -n 's/^ *\([0-9]*\) .* degrees$/\1/p' "$scratch/stdout" | sort -n >listed
tail -c 40 rows.npy | od -A n -t d8 -v | tr -s ' ' '\n' | sed '/^$/d' >written
cmp -s listed written
report $? "--rows says which of the data they are, as the list does ($(tr '\n' ' ' <written))"
run distribution $model $letters --index "$(tail -n 1 listed)" --json
want=$(sed -n 's/^  "score": \(.*\),/\1/p' "$scratch/stdout")
run score $model $letters --out all.npy --limit 5 --json
grep -qF "\"score\": $want," "$scratch/stdout"
report $? "and distribution --index takes it"
run score $model $letters --out t.npy --threads 1 --quiet
[ "$code" -eq 0 ] && [ ! -s "$scratch/stdout" ] && cmp -s s.npy t.npy
report $? "another number of threads gives the same scores"
run info s.npy
grep -q 's.npy: float64 120, C order, finite' "$scratch/stdout"
report $? "one score for each image"
# What the letters are not: noise.
LC_ALL=C awk 'BEGIN { srand(5); for (i = 0; i < 40 * 256; i++) printf "%c", 1 + int(126 * rand()) }' | npy noise.npy '|u1' '40, 16, 16'
run score $model --data npy:noise.npy --false-alarms 0.1 --out n.npy
[ "$code" -eq 0 ] && grep -qE '^  unlike     (3[6-9]|40) ' "$scratch/stdout"
report $? "noise is unlike the training data ($(sed -n 's/^  unlike *//p' "$scratch/stdout"))"
# At a rate that no p-value of an embedding is below.
run score $model --data npy:noise.npy --false-alarms 0.001 --out n.npy
[ "$code" -eq 0 ] && grep -qE '^  unlike     none: no p-value of the embedding is below 0[.]' "$scratch/stdout" &&
    ! grep -q '^  unlike     0 ' "$scratch/stdout"
report $? "where nothing can be, it is said, not counted ($(sed -n 's/^  unlike *//p' "$scratch/stdout"))"
run score $model $letters --false-alarms 0.1 --out n.npy --json
unlike=$(sed -n 's/^  "unlike": \([0-9]*\),/\1/p' "$scratch/stdout")
[ -n "$unlike" ] && [ "$unlike" -lt 30 ]
report $? "the letters themselves are not ($unlike of 120)"
refused 1 "images.npy: this is the input; choose another --out" score $model $letters --out ./images.npy
refused 1 "images.npy: this is the input; choose another --rows" score $model $letters --out s2.npy --rows images.npy
refused 2 "--rows s2.npy: the scores go there" score $model $letters --out s2.npy --rows s2.npy
refused 1 "nowhere/s.npy" score $model $letters --out nowhere/s.npy --quiet
refused 1 "run \`recon discover\` first" score --model backbone $letters --out s2.npy

# --- distribution ---------------------------------------------------------------------------------
run distribution --help
[ "$code" -eq 0 ] && grep -q '^example:' "$scratch/stdout" && [ ! -s "$scratch/stderr" ]
report $? "distribution --help shows an example"
refused 2 "--index -1 must be a whole number of at least 0" distribution $model $letters --index -1
refused 1 "no image 120: it has 120" distribution $model $letters --index 120
refused 2 "--limit has no effect here" distribution $model $letters --limit 5
run distribution $model $letters --index 0
[ "$code" -eq 0 ] && grep -q '^image 0 of npy:images.npy' "$scratch/stdout" &&
    grep -q '  width ' "$scratch/stdout" && grep -q '  modes ' "$scratch/stdout"
report $? "an image's poses as text"
run distribution $model $letters --index 5 --json
[ "$code" -eq 0 ] && is_json "$scratch/stdout" && grep -q '"moments"' "$scratch/stdout"
report $? "--json"
run distribution $model $letters --index 5 --svg poses.svg --quiet
[ "$code" -eq 0 ] && [ ! -s "$scratch/stdout" ] && grep -q '</svg>' poses.svg
report $? "--svg draws them"
run distribution $model $letters --index 5 --svg poses.svg
grep -q '  written    poses.svg' "$scratch/stdout"
report $? "and that is said"
refused 1 "nowhere/poses.svg" distribution $model $letters --svg nowhere/poses.svg --quiet

# --- progress -------------------------------------------------------------------------------------
# Percents between 0 and 100 that never fall, of the command itself and not of a search within it; rates
# and times that can be read.
shows_progress() { # COMMAND ARGS
    script -qec "'$recon' $* --model mnist-small --data garments --limit 400" "$scratch/stderr" </dev/null >/dev/null
    code=$?
    tr '\r' '\n' <"$scratch/stderr" | grep '\[[#.]*\]' >"$scratch/stdout"
    [ "$code" -eq 0 ] && awk -v label="$1" '
        { percent = $0; sub(/%.*/, "", percent); sub(/.* /, "", percent); percent += 0 }
        $1 != label || percent < last || percent > 100 || $0 !~ /%  [0-9][0-9,.]*\/s  [0-9:]* left / { exit bad = 1 }
        { last = percent }
        END { exit bad || NR < 1 || last != 100 }' "$scratch/stdout"
    report $? "$1: progress from 0 to 100 %"
}
if [ "${RECON_BUILD:-build}" = build ] && command -v script >/dev/null; then
    shows_progress score --out s.npy
    shows_progress canonicalize --out turned
else
    skip "progress from 0 to 100 %" "no script(1), or a slow build"
fi
finish
