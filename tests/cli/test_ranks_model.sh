#!/bin/sh
# discover, score and canonicalize over ranks: the files of one process, byte by byte.
here=$(cd "${0%/*}" && pwd)
. "$here/lib.sh"
. "$here/tiny.sh"
. "$here/ranks.sh"
root=$OLDPWD
prepare discover --model backbone $letters --folds 0 --out found --quiet
report "$code" "discover"
letters 1100 | npy many.npy '|u1' '1100, 16, 16' # more than a block
many="--data npy:many.npy --rotate rule.json"

# alike NAME RANKS FILES ARGS: FILES of one process are those of the ranks, @ standing for the run.
alike() {
    name=$1 counts=$2 files=$3
    shift 3
    run $(echo "$*" | sed 's/@/1/g')
    [ $code -eq 0 ] || { report 1 "$name: one process"; return; }
    for engine in $engines; do
        if ! usable "$engine"; then
            skip "$name: ranks under $engine" "no $engine, or no plug-in for it"
            continue
        fi
        for n in $(numbers "$engine" "$counts"); do
            for file in $files; do # of the run before
                rm -rf "$(echo "${file%%/*}" | sed 's/@/2/')"
            done
            ranks "$engine" "$n" $(echo "$*" | sed 's/@/2/g')
            good=$code
            for file in $files; do
                cmp -s "$(echo "$file" | sed 's/@/1/')" "$(echo "$file" | sed 's/@/2/')" || good=1
            done
            [ "$good" -eq 0 ]
            report $? "$name: $n ranks of $engine give the bytes of one process"
        done
    done
}

alike "score" "2 4" "s@.npy" score --model found $many --out s@.npy --quiet
alike "score, a table" "2" "s@.csv" score --model found $many --out s@.csv --quiet
alike "canonicalize" "3" "c@.npy g@.npy" canonicalize --model found $many --out c@.npy --poses g@.npy --quiet
alike "canonicalize, files" "3" "c@/poses.csv c@/001099.png" canonicalize --model found $many --out c@ --quiet

# One pixel of image 7 differs at rank 1.
mkdir other
cp -r many.npy rule.json found backbone other
printf '\377' | dd of=other/many.npy bs=1 seek=$((128 + 7 * 256 + 100)) conv=notrunc 2>/dev/null
for engine in $engines; do
    usable "$engine" || continue
    case $engine in openmpi) more=--oversubscribe ;; *) more= ;; esac
    for command in "canonicalize --model found --out c.npy" "score --model found --out s.npy" \
        "discover --model backbone --folds 0 --out d"; do
        before=$(snapshot)
        set -- $command $many --quiet
        timeout -k 5 300 "mpirun.$engine" $more -n 1 -wdir "$work" "$recon" "$@" : -n 1 -wdir "$work/other" \
            "$recon" "$@" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
        code=$?
        [ $code -eq 2 ] && said_once "the content of the images differs between rank 0 and rank 1" &&
            [ "$before" = "$(snapshot)" ]
        report $? "$engine: ranks that see different images are told apart: ${command%% *}"
    done
    break # what is compared does not depend on the MPI
done

# The rest is of the release build alone: more of the same, and long with sanitizers.
[ "${RECON_BUILD:-build}" = build ] || finish
# What differs between the two MPIs was tried above.
usable openmpi && engines=openmpi || engines=mpich
alike "discover" "3" "d@/model.safetensors d@/gamma.npy d@/neighbors.npy d@/theta.npy d@/p.npy" \
    discover --model backbone $many --folds 0 --out d@ --quiet
molecules="--model $root/models/conformers.safetensors --data conformers/train --limit 1100 --quiet"
RECON_DATA=$root/data/
export RECON_DATA
alike "score, molecules" "2" "m@.npy" score $molecules --out m@.npy
alike "canonicalize, molecules" "3" "m@.xyz" canonicalize $molecules --out m@.xyz
prepare train --data conformers/train --limit 60 --preset small --width 0.125 --epochs 1 --batch 22 --out small --quiet
alike "discover, molecules" "2" "e@/model.safetensors e@/gamma.npy e@/score.npy" \
    discover --model small --data conformers/train --limit 60 --folds 0 --out e@ --quiet

for engine in openmpi mpich; do
    usable "$engine" || continue
    before=$(snapshot)
    ranks "$engine" 3 score --model none $many --out none.npy
    [ $code -ne 0 ] && said_once "none: cannot open" && [ "$before" = "$(snapshot)" ]
    report $? "$engine: what all ranks find is said once"
done
finish
