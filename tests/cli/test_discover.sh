#!/bin/sh
# recon discover: a whole model in a folder, the same bytes every time, and clear errors.
here=$(cd "${0%/*}" && pwd)
. "$here/lib.sh"
. "$here/tiny.sh"

run discover --help
[ "$code" -eq 0 ] && grep -q '^example:' "$scratch/stdout" && [ ! -s "$scratch/stderr" ]
report $? "--help shows an example"
refused 2 "--model MODEL is required" discover --data mnist --out d
refused 2 "--out DIR is required" discover --data mnist --model m
refused 2 "--family mixture must be one of auto|uniform|normal" discover --data mnist --model m --out d --family mixture

run discover --model backbone $letters --k 5 --folds 0 --out found
[ "$code" -eq 0 ] && grep -q 'hit rate [01][.]' "$scratch/stdout" && grep -q 'written    found/' "$scratch/stdout"
report $? "what was found is told"
cp "$scratch/stderr" "$scratch/stderr.folds"
[ -s found/model.safetensors ] && [ -s found/summary.json ] && [ -s found/gamma.npy ] && [ ! -e found/z.npy ]
report $? "the model and what Algorithm 1 found lie in the folder"
run info found/model.safetensors
grep -q '^  format *0\.3\.0$' "$scratch/stdout"
report $? "the model says from which version on it can be opened"
run discover --model backbone $letters --k 5 --folds 0 --out again --threads 1 --json
[ "$code" -eq 0 ] && is_json "$scratch/stdout" && cmp -s found/model.safetensors again/model.safetensors
report $? "another number of threads gives the same bytes"
cmp -s "$scratch/stdout" again/summary.json
report $? "--json prints summary.json"
run discover --model backbone $letters --k 5 --folds 0 --family normal --mean chordal --half --keep-embeddings --out half --quiet
[ "$code" -eq 0 ] && [ ! -s "$scratch/stdout" ] && [ -s half/z.npy ] && [ -s half/g.npy ] &&
    grep -q '"theta": "normal"' half/summary.json && grep -q '"mean": "chordal"' half/summary.json &&
    [ "$(wc -c <half/model.safetensors)" -lt "$(($(wc -c <found/model.safetensors) * 3 / 5))" ]
report $? "--half, --keep-embeddings, --family and --mean"
grep -aq '"rotate":"rule.json"' half/model.safetensors
report $? "the model says what it was made from"
run normalize --embeddings half/z.npy --poses half/g.npy --group so2 --k 5 --mean chordal --family normal --out normalized
[ "$code" -eq 0 ] && cmp -s normalized/gamma.npy half/gamma.npy && cmp -s normalized/neighbors.npy half/neighbors.npy
report $? "recon normalize finds the same in the embeddings"

# --- networks on images for Lambda and Theta ------------------------------------------------------
if [ "${RECON_BUILD:-build}" = build ]; then # with sanitizers model/test_heads.c trains them
    run discover --model backbone $letters --k 5 --folds 0 --heads paper --head-epochs 2 --lambda head --out nets
    [ "$code" -eq 0 ] && grep -q 'heads      Lambda and Theta are networks' "$scratch/stdout" &&
        grep -q '"heads": "paper"' nets/summary.json && grep -aq '"heads":"paper"' nets/model.safetensors &&
        grep -aq 'lambda_image[.]conv0' nets/model.safetensors && ! grep -aq '"lambda[.]0[.]weight"' nets/model.safetensors
    report $? "--heads paper: Lambda and Theta are networks on the images, and the model says so"
    run discover --model backbone $letters --k 5 --folds 0 --heads paper --head-epochs 2 --lambda head --threads 1 --out nets2 --quiet
    [ "$code" -eq 0 ] && cmp -s nets/model.safetensors nets2/model.safetensors
    report $? "--heads paper: another number of threads gives the same bytes"
    run canonicalize --all --model nets/model.safetensors $letters --out canonical.npy --poses nets-g.npy --quiet
    [ "$code" -eq 0 ] && [ -s canonical.npy ] && run score --model nets/model.safetensors $letters --out s.npy --quiet &&
        run distribution --model nets/model.safetensors $letters --index 0
    report $? "canonicalize, score and distribution take such a model"
    run discover --model nets/model.safetensors $letters --k 5 --folds 0 --out back --quiet
    [ "$code" -eq 0 ] && grep -aq '"heads":"mlp"' back/model.safetensors && ! grep -aq 'lambda_image' back/model.safetensors
    report $? "a model that is fitted anew has the heads that were asked for"
fi
refused 2 "--heads huge must be one of mlp|paper" discover --model backbone $letters --out d --heads huge
refused 2 "--head-epochs: only with --heads paper" discover --model backbone $letters --out d --head-epochs 3
refused 2 "--head-rate: only with --heads paper" discover --model backbone $letters --out d --head-rate 1e-3

# --- what is read is not written over -------------------------------------------------------------
mkdir inp trained && cp backbone trained/model.safetensors && ln -s inp inp2
refused 1 "trained/model.safetensors: this is the input, and would be replaced by the new model" \
    discover --model trained $letters --out trained
refused 1 "inp: this is the input; choose another --out" discover --model backbone --data images:inp --out inp
refused 1 "inp2: this is the input; choose another --out" discover --model backbone --data inp --out inp2
refused 1 "backbone: this is the input; choose another --out" train $letters --from backbone --out ./backbone --overwrite
refused 1 "rule.json: this is the input; choose another --out" score --model found $letters --out rule.json
refused 1 "found/model.safetensors: this is the input; choose another --out" \
    export --model found --out found/model.safetensors
refused 1 "images.npy: this is the input; choose another --svg" \
    distribution --model found $letters --index 0 --svg images.npy
refused 1 "backbone: this is the input; choose another --svg" check backbone $letters --svg backbone
refused 1 "half: this is the input; choose another --figures" \
    reproduce mnist --model found --embeddings half --figures half
refused 1 "half/z.npy: this is the input; choose another --out" \
    normalize --embeddings half/z.npy --poses half/g.npy --group so2 --out half/z.npy
mkdir all && run discover --model backbone $letters --limit 60 --k 5 --rotate all --folds 0 --out all --quiet
report $? "a folder may be called as a rule is"
rm -r inp inp2 trained all

# --- calibration by folds -------------------------------------------------------------------------
grep -q 'p-values and thresholds are rough: 120 images, and no folds were asked for' "$scratch/stderr.folds"
report $? "--folds 0 is warned of"
if [ "${RECON_BUILD:-build}" = build ]; then # five trainings; with sanitizers model/test_discover.c makes them
    run discover --model backbone $letters --k 5 --out folds
    [ "$code" -eq 0 ] && grep -q 'calibration by 5 folds' "$scratch/stdout" && grep -q '"folds": 5' folds/summary.json &&
        grep -q 'This takes about 0.[0-9] times as long as training did' "$scratch/stderr" && grep -q 'fold 4 of 5: ' "$scratch/stderr"
    report $? "below 500 inputs there are 5, and the time is said"
    run score --model folds/model.safetensors $letters --out s.npy --json
    [ "$code" -eq 0 ] && grep -q '"calibration": 120' "$scratch/stdout"
    report $? "all inputs are behind the calibration"
fi
refused 2 "--folds 1: 0, or 2 to 100" discover --model backbone $letters --out d --folds 1

# --- over an earlier result -----------------------------------------------------------------------
echo mine >half/notes.txt
mkdir half/sub
run discover --model backbone $letters --k 5 --folds 0 --out half --quiet
[ "$code" -eq 0 ] && [ ! -e half/z.npy ] && [ ! -e half/g.npy ] && cmp -s half/model.safetensors found/model.safetensors
report $? "embeddings of an earlier result do not stay beside a new one"
[ -s half/notes.txt ] && [ -d half/sub ] && [ "$(ls -A half | grep -c '^[.]')" -eq 0 ] && [ "$(ls -A | grep -c '^[.]half')" -eq 0 ]
report $? "what is the user's stays, and nothing else"
rm half/natural.npy && mkdir half/natural.npy && touch half/natural.npy/x
refused 1 "half/natural.npy: is a folder, where a file of the result has to go" \
    discover --model backbone $letters --k 5 --folds 0 --out half --quiet
rm -r half/natural.npy
run discover --model backbone $letters --k 5 --folds 0 --out half --quiet --keep-embeddings
refused 1 "half/z.npy: belongs to the result that would be replaced" \
    normalize --embeddings half/z.npy --poses half/g.npy --out half
(cd half && "$recon" normalize --embeddings ../found/gamma.npy --poses ../found/gamma.npy --out . >/dev/null 2>&1)
[ -e half/model.safetensors ]
report $? "an error leaves the folder one stands in as it was"
(cd half && "$recon" discover --model ../backbone --data npy:../images.npy --rotate ../rule.json --k 5 --folds 0 --out . --quiet)
[ $? -eq 0 ] && [ ! -e half/z.npy ] && [ -s half/report.html ] && [ -d half/sub ] && [ "$(ls -A half | grep -c '^[.]')" -eq 0 ]
report $? "--out . replaces what is there"

refused 1 "nowhere" discover --model nowhere $letters --out d
refused 1 "images.npy: " discover --model images.npy $letters --out d
refused 1 "cannot make the folder" discover --model backbone $letters --out nowhere/d --quiet
refused 1 "k = 500, but there are only 120 points: choose a smaller --k" discover --model backbone $letters --out d --k 500 --quiet
letters 100 | npy wide.npy '|u1' '64, 20, 20'
refused 1 "images of 20 x 20 x 1, but the model was made for 16 x 16 x 1" \
    discover --model backbone --data npy:wide.npy --out d --quiet
cp images.npy odd-images.npy
head -c 200 labels.npy | tail -c 72 | npy odd-labels.npy '|u1' '72,'
refused 1 "72 labels for 120 images" discover --model backbone --data npy:odd-images.npy --out d

[ "${RECON_BUILD:-build}" = build ] || finish # more trainings, and long with sanitizers

# --- where Lambda comes from ------------------------------------------------------------------------
run discover --model backbone --data npy:images.npy --lambda head --folds 0 --out by-head
[ "$code" -eq 0 ] && grep -q '^  lambda     head; log-likelihood on' "$scratch/stdout" && grep -q '^  verdict    ' "$scratch/stdout"
report $? "--lambda head is taken, and a verdict given"
run canonicalize --all --model by-head/model.safetensors --data npy:images.npy --lambda neighbours --out near.npy
[ "$code" -eq 0 ]
report $? "canonicalize by neighbours that the model keeps"
run train --data npy:images.npy --preset small --width 0.25 --code 8 --epochs 1 --batch 20 --no-density --out bare
run discover --model bare --data npy:images.npy --lambda density --out no-density
[ "$code" -eq 2 ] && [ ! -e no-density ] && said "bare has no pose density"
report $? "--lambda density without one is misuse, and nothing is written"
refused 2 "--lambda head: bare is only a backbone; \`recon discover --model bare --data SPEC --out DIR\`" \
    canonicalize --all --model bare $letters --lambda head --out c.npy

# --- Algorithm 1 behind Lambda ----------------------------------------------------------------------
# by NAME ARGS: discovers on a backbone trained by reconstruction alone; NAME.npy are the poses of canonicalize.
run train $letters --preset small --width 0.25 --code 8 --epochs 2 --batch 20 --plain --out plain --quiet
by() {
    name=$1
    shift
    run discover --model plain $letters --folds 0 --out "$name" --quiet "$@"
    run canonicalize --all --model "$name" $letters --out canonical.npy --poses "$name.npy" --quiet
}
# differ NAMES: no two have the same natural poses, nor give the same canonical ones.
differ() {
    for name in "$@"; do cksum <"$name/natural.npy"; done | sort -u | wc -l >natural
    for name in "$@"; do cksum <"$name.npy"; done | sort -u | wc -l >canonical
    [ "$(cat natural)" -eq $# ] && [ "$(cat canonical)" -eq $# ]
}
ways="head neighbours"
for lambda in $ways; do
    by 5 --lambda $lambda --k 5
    by 10 --lambda $lambda
    by 50 --lambda $lambda --k 50
    differ 5 10 50
    report $? "--lambda $lambda: --k 5, 10 and 50 give different canonical poses"
    by frechet --lambda $lambda --mean frechet
    by chordal --lambda $lambda --mean chordal
    differ 10 frechet chordal
    report $? "--lambda $lambda: so do the means of Tukey, Frechet and the chordal one"
    by uniform --lambda $lambda --family uniform
    by normal --lambda $lambda --family normal
    grep -q '"theta": "uniform"' uniform/summary.json && grep -q '"theta": "normal"' normal/summary.json &&
        [ "$(grep -m 1 theta_deg uniform/summary.json)" != "$(grep -m 1 theta_deg normal/summary.json)" ]
    report $? "--lambda $lambda: --family decides what Theta is the width of"
done
run discover --model backbone $letters --lambda density --k 7 --mean frechet --folds 0 --out useless
[ "$code" -eq 0 ] && [ "$(grep -c 'not the natural poses' "$scratch/stderr")" -eq 1 ] && said "--k and --mean: affects only Algorithm 1"
report $? "--lambda density: that --k and --mean do not move the natural poses is said"
run discover --model plain $letters --lambda head --k 7 --folds 0 --out useful
[ "$code" -eq 0 ] && ! said "not the natural poses"
report $? "and not where they do"
finish
