#!/bin/sh
# train over ranks: model and checkpoint of one process, byte by byte; resumed on another number of them;
# one message, and no hang.
here=$(cd "${0%/*}" && pwd)
. "$here/lib.sh"
RECON_DATA=$OLDPWD/data/
export RECON_DATA
. "$here/tiny.sh"
. "$here/ranks.sh"
small="--preset small --width 0.25 --code 8 --threads 1 --quiet"

# alike NAME COUNTS ARGS: a training on so many ranks of each MPI leaves the bytes of one process.
alike() {
    name=$1 counts=$2
    shift 2
    rm -f one one.*
    run train "$@" --threads 2 --out one --quiet
    [ $code -eq 0 ] || { report 1 "$name: one process"; return; }
    for engine in $engines; do
        if ! usable "$engine"; then
            skip "$name: ranks under $engine" "no $engine, or no plug-in for it"
            continue
        fi
        for n in $(numbers "$engine" "$counts"); do
            rm -f many many.*
            ranks "$engine" "$n" train "$@" --threads 1 --out many --quiet
            [ $code -eq 0 ] && cmp -s one many && cmp -s one.last many.last
            report $? "$name: $n ranks of $engine give the bytes of one process"
        done
    done
}

# 22 images make slices of three, the last of one. On 2 and 3 ranks below: what they begin and others end.
alike "images" "4" $letters --preset small --width 0.25 --code 8 --epochs 2 --batch 22
# Eleven pairs make slices of two, the last of one; both stages, partners and the contrast are in it.
molecules="--data conformers/train --limit 60 --preset small --width 0.125 --batch 22"
[ "${RECON_BUILD:-build}" != build ] || alike "molecules" "4" $molecules --epochs 4 --before 2

# --- another number of ranks ------------------------------------------------------------------------

# resumed NAME FIRST LAST ARGS: a training of FIRST epochs on 2 ranks of each MPI, and then of LAST on 3.
resumed() {
    name=$1 first=$2 last=$3
    shift 3
    rm -f apart apart.*
    run train "$@" --epochs "$first" --out apart
    cp apart begun && cp apart.last begun.last
    run train "$@" --epochs "$last" --out apart --resume
    for engine in $engines; do
        usable "$engine" || continue
        rm -f cut cut.*
        ranks "$engine" 2 train "$@" --epochs "$first" --out cut
        [ $code -eq 0 ] && cmp -s cut begun && cmp -s cut.last begun.last
        report $? "$name: 2 ranks of $engine give the bytes of one process"
        ranks "$engine" 3 train "$@" --epochs "$last" --out cut --resume
        [ $code -eq 0 ] && cmp -s cut apart && cmp -s cut.last apart.last
        report $? "$name: $engine: --resume from 2 to 3 ranks is that of one process"
    done
}
# With sanitizers the interruptions below are enough of images.
[ "${RECON_BUILD:-build}" != build ] || resumed "images" 2 4 $letters $small --batch 22
# In the first stage, and then in the second, whose partners are found again.
resumed "molecules" 5 7 $molecules --threads 1 --quiet --before 2

# --- ranks with devices of their own ----------------------------------------------------------------

# As GPUs without NCCL: each rank has a part of the batch, and gradients go through the host. The plain
# loops stand in for the GPU: they have no slices either.
apart="--preset small --width 0.125 --code 4 --threads 1 --quiet --device ref --batch 6"
rm -f parts parts.* first first.*
for engine in $engines; do
    usable "$engine" || continue
    rm -f parts parts.*
    ranks "$engine" 2 train $letters --limit 30 $apart --epochs 1 --out parts
    before=$code
    ranks "$engine" 2 train $letters --limit 30 $apart --epochs 2 --out parts --resume
    [ $before -eq 0 ] && [ $code -eq 0 ] && run info parts && [ $code -eq 0 ]
    report $? "$engine: ranks with devices of their own train, and go on"
    [ -e first ] || { cp parts first && cp parts.last first.last; }
    cmp -s parts first && cmp -s parts.last first.last
    report $? "$engine: their sums have one order"
done

# --- interruptions ----------------------------------------------------------------------------------

run train $letters $small --epochs 4 --batch 22 --out whole
# interrupted ENGINE N: a training on N ranks gets a Ctrl-C at all of them after its first checkpoint, and
# goes on on another number of ranks.
cat >tell_pid <<'END2'
#!/bin/sh
echo $$ >>pids
exec "$@"
END2
chmod +x tell_pid
interrupted() {
    engine=$1
    case $engine in openmpi) more="--oversubscribe --bind-to none" ;; *) more= ;; esac
    rm -f cut cut.* pids
    timeout -k 5 300 "mpirun.$engine" $more -n "$2" ./tell_pid "$recon" train $letters $small --epochs 4 --batch 22 \
        --every 1 --out cut >"$scratch/stdout" 2>"$scratch/stderr" </dev/null &
    launcher=$!
    until [ -e cut.last ] || ! kill -0 $launcher 2>/dev/null; do sleep 0.02; done
    kill -INT $(cat pids) 2>/dev/null
    wait $launcher
    code=$?
}
for engine in $engines; do
    usable "$engine" || continue
    interrupted "$engine" 2
    [ $code -ne 0 ] && [ $code -ne 124 ] && [ $code -ne 137 ] && said_once "; resume from cut.last"
    report $? "$engine: Ctrl-C leaves a checkpoint and says so once"
    ranks "$engine" 3 train $letters $small --epochs 4 --batch 22 --out cut --resume
    [ $code -eq 0 ] && cmp -s cut whole && cmp -s cut.last whole.last
    report $? "$engine: what was interrupted on 2 ranks ends on 3 as if it had not been"
done

# --- failures ---------------------------------------------------------------------------------------

cat >only_rank_1_dies <<'END2'
#!/bin/sh
case ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} in
1)
    "$@" &
    until [ -e dead.last ]; do sleep 0.02; done
    kill -9 $!
    exit 9
    ;;
*) exec "$@" ;;
esac
END2
chmod +x only_rank_1_dies
mkdir other
cp images.npy rule.json other
printf '\377' | dd of=other/images.npy bs=1 seek=$((128 + 7 * 256 + 100)) conv=notrunc 2>/dev/null # one pixel
for engine in $engines; do
    usable "$engine" || continue
    case $engine in openmpi) more=--oversubscribe ;; *) more= ;; esac
    rm -f dead dead.*
    timeout -k 5 300 "mpirun.$engine" $more -n 3 ./only_rank_1_dies "$recon" train $letters $small --epochs 500 \
        --batch 22 --every 1 --out dead >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
    code=$?
    [ $code -ne 0 ] && [ $code -ne 124 ] && [ $code -ne 137 ] # by the time limit
    report $? "$engine: a rank that is killed ends the others"
    rm -f dead dead.*
    before=$(snapshot)
    ranks "$engine" 4 train $letters $small --epochs 1 --batch 3 --out dead
    [ $code -ne 0 ] && said_once "a batch of 3 goes to at most 3 ranks, and 4 were started" && [ "$before" = "$(snapshot)" ]
    report $? "$engine: more ranks than slices are refused"
    ranks "$engine" 4 train --data conformers/train --limit 60 --preset small --width 0.125 --batch 6 --epochs 4 \
        --before 2 --threads 1 --out dead
    [ $code -ne 0 ] && said_once "a batch of 3 goes to at most 3 ranks, and 4 were started" && [ "$before" = "$(snapshot)" ]
    report $? "$engine: more ranks than slices of pairs are refused before the first stage"

    timeout -k 5 300 "mpirun.$engine" $more -n 1 -wdir "$work" "$recon" train $letters $small --epochs 1 --out dead : \
        -n 1 -wdir "$work/other" "$recon" train $letters $small --epochs 1 --out dead \
        >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
    code=$?
    [ $code -eq 2 ] && said_once "the training data differs between rank 0 and rank 1" && [ "$before" = "$(snapshot)" ]
    report $? "$engine: ranks that read different files are told apart"

    mkdir disk
    if unshare -m mount -t tmpfs none disk 2>/dev/null; then
        unshare -m sh -c 'mount -t tmpfs -o size=64k none disk && exec "$@"' sh timeout -k 5 300 "mpirun.$engine" $more \
            -n 2 "$recon" train $letters $small --epochs 1 --batch 22 --out disk/r >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
        code=$?
        [ $code -ne 0 ] && [ $code -ne 124 ] && grep -q "No space left on device" "$scratch/stderr"
        report $? "$engine: a full disk at rank 0 ends all ranks"
    else
        skip "$engine: a full disk at rank 0 ends all ranks" "no file system can be mounted here"
    fi
    rmdir disk
done

# --- other networks ---------------------------------------------------------------------------------

[ "${RECON_BUILD:-build}" = build ] || finish # more of the same
usable openmpi && engines=openmpi || engines=mpich
alike "preset fast" "3" $letters --preset fast --width 0.125 --code 8 --epochs 1 --batch 16
alike "preset paper" "2" $letters --preset paper --width 0.25 --code 8 --epochs 1 --batch 10
alike "preset photo-small" "3" $letters --preset photo-small --width 0.25 --code 8 --epochs 1 --batch 16
alike "molecules, preset fast" "3" --data conformers/train --limit 60 --preset fast --width 0.125 --batch 18 \
    --epochs 2 --before 1 --precision f32
alike "molecules, preset paper" "2 4" --data conformers/train --limit 60 --preset paper --width 0.0625 --layers 2 \
    --batch 22 --epochs 1
alike "molecules, no pairs" "3" $molecules --epochs 1 --plain
alike "float" "3" $letters --preset small --width 0.25 --code 8 --epochs 1 --batch 20 --precision f32
finish
