#!/bin/sh
# Molecules, from an XYZ file to natural poses, unusual poses and pictures; and what is wrong said in one
# line.
here=$(cd "${0%/*}" && pwd)
. "$here/lib.sh"

# frames N: N shaken conformers of each of two chains of 6 and 7 atoms, all upright.
frames() {
    LC_ALL=C awk -v each="$1" 'BEGIN { srand(7); split("C N O C C O N C", kind, " ")
        for (c = 0; c < each; c++) for (m = 0; m < 2; m++) { n = 6 + m; print n; print "name=chain" m
            for (i = 1; i <= n; i++) printf "%s %.4f %.4f %.4f\n", i == n ? "H" : kind[(i + m) % 8 + 1],
                1.15 * i + .06 * (rand() - .5), .7 * ((i * (m + 1)) % 3) + .06 * (rand() - .5),
                .6 * ((i + m) % 2) + .3 * ((i * i + m) % 4) + .06 * (rand() - .5) } }'
}
frames 40 >chains.xyz
sulphur='2\nsulphur\nS 0 0 0\nC 0 0 1.8\n'
printf "$sulphur" >sulphur.xyz
echo '{ "default": [100, 0.001, 0.001] }' >rule.json # a ring about x: its spin is free
chains="--data xyz:chains.xyz --rotate rule.json --threads 2"

# --- what a file holds ----------------------------------------------------------------------------
run info chains.xyz
[ "$code" -eq 0 ] && [ "$(cat "$scratch/stdout")" = "xyz:chains.xyz: 80 conformers of 2 molecules
  atoms      520, at most 7 in a conformer
  elements   H 80 C 200 N 80 O 160" ]
report $? "info counts conformers, molecules, atoms and elements"
run info xyz:chains.xyz --json
[ "$code" -eq 0 ] && is_json "$scratch/stdout" && grep -q '"H": 80' "$scratch/stdout"
report $? "as JSON too, and of a SPEC"

mkdir runs
frames 2 | sed 's/name=chain\(.*\)/i = \1, time = 0.5, E = -17.25/' >"runs/a b.xyz"
frames 1 | sed 's/name=chain.*/Step 1/' >runs/b.xyz
printf '# mine\na b.xyz\n\nb.xyz\n' >runs/list.txt
run info xyz:runs/list.txt
[ "$code" -eq 0 ] && grep -q '^xyz:runs/list.txt: 6 conformers of 4 molecules' "$scratch/stdout"
report $? "a list of files; comments that count frames name no molecules"
run info 'xyz:runs/*.xyz'
grep -q ': 6 conformers of 4 molecules' "$scratch/stdout"
report $? "a pattern"

# --- train, discover ------------------------------------------------------------------------------
small="--preset small --width 0.25 --layers 2 --code 8 --batch 24"
run train $chains $small --epochs 1 --out brief
[ "$code" -eq 0 ] && grep -q '  written    brief' "$scratch/stdout"
report $? "train, for an epoch"
prepare train $chains $small --epochs 24 --out backbone
[ "$code" -eq 0 ] && grep -q '  held out   loss ' "$scratch/stdout"
report $? "train"
refused 2 "--mask is for images" train $chains --out m --mask
refused 2 "align is for molecules" train --data mnist --out m --align 1
refused 2 "molecules are rotated by so3" train $chains --out m --group so2
prepare discover --model backbone $chains --folds 0 --out found
[ "$code" -eq 0 ] && grep -q '^80 conformers of xyz:chains.xyz' "$scratch/stdout" &&
    grep -q 'hit rate 1.0000' "$scratch/stdout" && grep -q 'an axis, spin free: ' "$scratch/stdout"
report $? "discover tells the classes apart, and that a spin is free"
cp found/summary.json "$scratch/stdout"
is_json found/summary.json && grep -q '"group": "so3"' found/summary.json && grep -q '"name": "chain1"' found/summary.json
report $? "its summary"
refused 2 "--family is for images" discover --model backbone $chains --out d --family normal
refused 2 "--size is for images" discover --model backbone $chains --out d --size 8
model="--model found/model.safetensors"
run info found/model.safetensors
[ "$code" -eq 0 ] && grep -q 'elements *1 6 7 8' "$scratch/stdout" && grep -q 'data *xyz:chains.xyz' "$scratch/stdout"
report $? "the model says what it was made from"

# --- canonicalize ---------------------------------------------------------------------------------
run canonicalize --all $model $chains --out natural.xyz --poses g.npy
[ "$code" -eq 0 ] && grep -q '80 conformers of xyz:chains.xyz' "$scratch/stdout"
report $? "canonicalize"
run info g.npy
grep -q 'g.npy: float64 80 x 3 x 3, C order, finite' "$scratch/stdout"
report $? "poses are matrices"
run canonicalize --all $model $chains --out exact.xyz --precision f32 --quiet # a law that bf16 keeps less well
run canonicalize --all $model --data xyz:chains.xyz --rotate haar --rotate-seed 5 --out other.xyz --precision f32 --quiet
[ "$code" -eq 0 ] && [ ! -s "$scratch/stdout" ] && LC_ALL=C awk 'NR == FNR { line[FNR] = $0; next }
    { n = split(line[FNR], a); if (n != NF) bad++
      for (i = 2; i <= n && n == 4; i++) if ((a[i] - $i) ^ 2 > 1e-4) bad++ } END { exit bad > 0 }' exact.xyz other.xyz
report $? "however it came, a conformer ends in the same place"
run info natural.xyz
grep -q '80 conformers of 2 molecules' "$scratch/stdout"
report $? "what was written can be read again"
run canonicalize --all $model $chains --out again.xyz --threads 1 --json
[ "$code" -eq 0 ] && is_json "$scratch/stdout" && cmp -s natural.xyz again.xyz
report $? "another number of threads gives the same bytes"
run canonicalize $model $chains --out gate.xyz --poses gate.csv --only-if 0.3 --json
rotated=$(sed -n 's/^  "rotated": \([0-9]*\),/\1/p' "$scratch/stdout")
[ "$code" -eq 0 ] && [ "$(head -n 1 gate.csv)" = "molecule,index,rotation,score,p_value,p_embedding,verdict,fold,candidates,cluster,rotated" ] &&
    [ "$(grep -c ',1$' gate.csv)" -eq "$rotated" ] && [ "$rotated" -lt 80 ] && [ "$(grep -c ',0$' gate.csv)" -eq $((80 - rotated)) ]
report $? "--only-if rotates some ($rotated of 80), and --poses FILE.csv says which"
run score $model $chains --out s.csv --quiet
cut -d , -f 1-9 gate.csv | cmp -s - s.csv
report $? "score has the same table"

# A classifier of upright chains chooses the spin that the poses leave free: by the conformers themselves, or by others.
prepare classifier train --data xyz:chains.xyz --epochs 20 --batch 16 --width 16 --out upright --quiet
run canonicalize $model $chains --spin upright --out spun.xyz --poses spun.npy
[ "$code" -eq 0 ] && grep -q 'for [0-9]*: chosen by upright$' "$scratch/stdout" && ! cmp -s spun.npy g.npy
report $? "canonicalize --spin: a classifier chooses"
run canonicalize $model $chains --spin upright --spin-from xyz:chains.xyz --out from.xyz --poses from.csv --quiet
[ "$code" -eq 0 ] && cmp -s spun.xyz from.xyz && [ "$(wc -l <from.csv)" -eq 81 ]
report $? "--spin-from: the same conformers choose the same, beside a table too"
run canonicalize $model $chains --spin upright --spin-k 1 --out alone.xyz --quiet
[ "$code" -eq 0 ] && ! cmp -s spun.xyz alone.xyz
report $? "--spin-k: each by itself chooses otherwise"
refused 2 "--spin-from needs --spin CLASSIFIER" canonicalize $model $chains --out s.xyz --spin-from xyz:chains.xyz
refused 2 "--only-if cannot be used with --spin" canonicalize $model $chains --out s.xyz --spin upright --only-if 0.1
refused 2 "--spin is for molecules" canonicalize --model mnist --data mnist --out s --spin upright
refused 1 "backbone: " canonicalize $model $chains --out s.xyz --spin backbone
refused 2 "molecules go to a FILE.xyz" canonicalize $model $chains --out c.npy
refused 2 "--interpolation is for images" canonicalize $model $chains --out c.xyz --interpolation bicubic
refused 1 "this is the input" canonicalize $model $chains --out chains.xyz
mkdir set
cp chains.xyz set/a.xyz
refused 1 "this is the input" canonicalize $model --data xyz:set --out set/a.xyz
refused 1 "nowhere/c.xyz" canonicalize $model $chains --out nowhere/c.xyz --quiet

# --- score ----------------------------------------------------------------------------------------
# unusual_of ARGS: how many were called unusual.
unusual_of() {
    run score $model "$@" --false-alarms 0.2 --out s.npy --json
    [ "$code" -eq 0 ] && is_json "$scratch/stdout" && sed -n 's/^  "unusual": \([0-9]*\),/\1/p' "$scratch/stdout"
}
natural=$(unusual_of $chains)
rotated=$(unusual_of --data xyz:chains.xyz --rotate haar)
# Eight conformers were held out to say what is usual, and the epoch was chosen on the same eight: the
# share of false alarms is no better known than that.
[ -n "$natural" ] && [ -n "$rotated" ] && [ "$natural" -le 40 ] && [ "$rotated" -gt 70 ]
report $? "of natural poses fewer are unusual ($natural of 80), of any poses most ($rotated of 80)"
run score $model --data xyz:chains.xyz --rotate haar --out s.npy
[ "$code" -eq 0 ] && grep -q '  lowest p .* molecule' "$scratch/stdout" && grep -q 'degrees  chain[01]' "$scratch/stdout"
report $? "the most unusual are listed by name"
run info s.npy
grep -q 's.npy: float64 80, C order, finite' "$scratch/stdout"
report $? "one score for each conformer"

# --- distribution ---------------------------------------------------------------------------------
run distribution $model $chains --index 3
[ "$code" -eq 0 ] && grep -q '^conformer 3 of xyz:chains.xyz: chain1' "$scratch/stdout" &&
    grep -q '^  singular ' "$scratch/stdout" && grep -q 'the spin about the axis is free' "$scratch/stdout"
report $? "a molecule's poses as text, with the spin that is free"
run distribution $model $chains --index 3 --json
[ "$code" -eq 0 ] && is_json "$scratch/stdout" && grep -q '"free": 1' "$scratch/stdout" && grep -q '"singular"' "$scratch/stdout"
report $? "--json"
run distribution $model $chains --index 3 --svg poses.svg --quiet
if [ "$code" -eq 1 ] && said "without libpng"; then
    skip "--svg draws them" "no libpng"
else
    [ "$code" -eq 0 ] && [ ! -s "$scratch/stdout" ] && grep -q 'natural pose' poses.svg && grep -q '</svg>' poses.svg
    report $? "--svg draws them"
fi
refused 1 "no conformer 80: it has 80" distribution $model $chains --index 80

# --- check ----------------------------------------------------------------------------------------
run check found/model.safetensors --limit 20
[ "$code" -eq 0 ] && grep -q '20 conformers of xyz:chains.xyz' "$scratch/stdout" &&
    grep -q '^Mirror images are distinguished' "$scratch/stdout" &&
    grep -q '^The network is equivariant, up to rounding' "$scratch/stdout"
report $? "check, on the data that the model names"
run check backbone --data xyz:chains.xyz --limit 20 --json
[ "$code" -eq 0 ] && is_json "$scratch/stdout" && LC_ALL=C awk '/"all": {/ { on = 1 }
    on && /pose_max_deg|code_max/ { seen++; if ($2 + 0 > 0.05) bad++ } /}/ { on = 0 } END { exit bad > 0 || seen != 2 }' "$scratch/stdout"
report $? "rotated, moved and reordered: pose and z follow up to rounding"
refused 2 "--svg is for images" check backbone --data xyz:chains.xyz --svg e.svg
refused 1 "--svg is for images" check found/model.safetensors --svg e.svg
refused 2 "check itself rotates the data" check backbone $chains

# --- classifier -----------------------------------------------------------------------------------
prepare classifier train --data xyz:chains.xyz --out gcn --width 16 --epochs 15 --batch 20 --rate 0.01 --json
[ "$code" -eq 0 ] && is_json "$scratch/stdout" && grep -q '"net": "gcn"' "$scratch/stdout"
report $? "classifier train"
run classifier eval --model gcn --data xyz:chains.xyz
[ "$code" -eq 0 ] && grep -q 'accuracy 1.0000 on 80 conformers' "$scratch/stdout"
report $? "classifier eval"
frames 2 >held.xyz
run classifier train --data xyz:chains.xyz --held xyz:held.xyz --out gcn2 --width 16 --epochs 1 --batch 20 --json
[ "$code" -eq 0 ] && is_json "$scratch/stdout"
report $? "classifier train --held"
{ frames 1 | sed -n '9,$p'; frames 1; } >order.xyz
refused 1 "molecule 0 is chain0 in xyz:chains.xyz, but chain1 in xyz:order.xyz" \
    classifier train --data xyz:chains.xyz --held xyz:order.xyz --out m --quiet
refused 1 "xyz:sulphur.xyz has 1 molecules, xyz:chains.xyz 2" \
    classifier train --data xyz:chains.xyz --held xyz:sulphur.xyz --out m --quiet
refused 2 "--held is for train" classifier eval --model gcn --data xyz:chains.xyz --held xyz:held.xyz
refused 2 "--held is for molecules" classifier train --data mnist --held mnist --out m
refused 2 "--net is for images" classifier train --data xyz:chains.xyz --out m --net resnet18
refused 1 "backbone: not a" classifier eval --model backbone --data xyz:chains.xyz --quiet

# --- the other sort of data -----------------------------------------------------------------------
LC_ALL=C awk 'BEGIN { for (i = 0; i < 512; i++) printf "%c", 1 + i % 90 }' | npy images.npy '|u1' '2, 16, 16'
refused 1 "images, but the model takes molecules" score $model --data npy:images.npy --out x.npy --quiet
refused 1 "images, but the model takes molecules" discover --model backbone --data npy:images.npy --out d --quiet
refused 1 "images, but the model takes molecules" check backbone --data npy:images.npy --quiet
refused 1 "backbone: a model without maps: run \`recon discover\` first" score --model backbone $chains --out x.npy --quiet
if [ -e "$OLDPWD/models/mnist-small.safetensors" ]; then
    images="$OLDPWD/models/mnist-small.safetensors"
    refused 1 "molecules, but the model takes images" canonicalize --model "$images" $chains --out c.xyz --quiet
    refused 1 "molecules, but the model takes images" check "$images" --data xyz:chains.xyz --quiet
    refused 1 "molecules, but the model takes images" discover --model "$images" $chains --out d --quiet
fi

# --- broken files ---------------------------------------------------------------------------------
# broken NAME: a file of three good frames and what comes on standard input.
broken() {
    { frames 1; cat; frames 1 | head -n 8; } >"$1"
}
score="score $model --out x.npy --quiet --data"
printf '2\nodd\nC 0 0 0\nXx 0 0 1\n' | broken element.xyz
refused 1 "element.xyz: frame 3, line 21: atom 2: no element is called 'Xx'" $score xyz:element.xyz
printf '1\nalone\nC 0 0 0\n' | broken alone.xyz
refused 1 "1 atom: a pose needs two at least" $score xyz:alone.xyz
printf '2\nbad\nC 0 0 0\nC 0 nan 1\n' | broken nan.xyz
refused 1 "y of atom 2 is 'nan'" $score xyz:nan.xyz
printf '2\none place\nC 0 0 0\nC 0 0 0\n' | broken same.xyz
refused 1 "atoms 1 and 2 are in one place" $score xyz:same.xyz
frames 2 | head -n 30 >cut.xyz
refused 1 "cut.xyz: frame 4, line 30: the file ends before atom" $score xyz:cut.xyz
for file in element alone nan same; do
    run score $model --data xyz:$file.xyz --skip-bad --out x.npy
    [ "$code" -eq 0 ] && grep -q '^3 conformers' "$scratch/stdout" && grep -q 'skipped    1 ' "$scratch/stdout"
    report $? "--skip-bad leaves out and counts ($file.xyz)"
done
run info nan.xyz --skip-bad
[ "$code" -eq 0 ] && grep -q 'skipped    1 ' "$scratch/stdout"
report $? "info --skip-bad"
# An element that the model has not learned.
{ frames 2; printf "$sulphur"; frames 1; } >some.xyz
unknown="some.xyz: conformer 4 (sulphur): an atom of element S (16): the model knows only H C N O"
for command in "score --out x.npy $model" "canonicalize --out x.xyz $model" "distribution $model" \
    "discover --out d --model backbone" "check backbone"; do
    case $command in
    distribution*) index="--index 4" none="an atom of element S (16)" ;;
    *) index= none="none of the conformers can be used by the model" ;;
    esac
    refused 1 "$unknown" $command $index --quiet --data xyz:some.xyz
    [ -n "$index" ] || said "(use --skip-bad to skip such conformers)"
    report $? "and the remedy is named"
    refused 1 "$none" $command --quiet --data xyz:sulphur.xyz --skip-bad
done
refused 1 "conformer 4 (sulphur): an atom of element S (16), which is not in the training data" train $chains --held xyz:some.xyz --epochs 1 --out m --quiet
refused 1 "images, but --data are molecules" train $chains --held garments --epochs 1 --out m --quiet
run distribution $model --data xyz:some.xyz --index 5
[ "$code" -eq 0 ] && grep -q '^conformer 5 of xyz:some.xyz: chain0' "$scratch/stdout"
report $? "distribution looks at one alone"
run score $model --data xyz:some.xyz --skip-bad --out some.npy --json
[ "$code" -eq 0 ] && grep -q '"conformers": 6' "$scratch/stdout" && grep -q '"skipped": 1,' "$scratch/stdout" &&
    grep -qF "xyz:$unknown" "$scratch/stdout" && ! grep -q '"molecule": "sulphur"' "$scratch/stdout"
report $? "score --skip-bad leaves them out and names them"
run canonicalize --all $model --data xyz:some.xyz --skip-bad --out known.xyz --poses known.npy
[ "$code" -eq 0 ] && grep -q '^6 conformers' "$scratch/stdout" && grep -q 'skipped    1 that cannot be used' "$scratch/stdout" &&
    ! grep -q sulphur known.xyz
report $? "so does canonicalize"
run info known.npy
grep -q 'float64 6 x 3 x 3' "$scratch/stdout"
report $? "a pose for each that is left"
refused 1 "absent.xyz" $score xyz:absent.xyz
: >empty.xyz
refused 1 "empty.xyz" info empty.xyz
finish
