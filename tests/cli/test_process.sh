#!/bin/sh
# The process around a command: descriptors that are closed, signals, and the limits of ulimit. Each
# ends with a line and an exit code; none leaves a damaged or a temporary file.
here=$(cd "${0%/*}" && pwd)
models=$PWD/models
. "$here/lib.sh"
. "$here/tiny.sh"
"$simulate" so2 . 300 3 8 || exit 1
prepare discover --model backbone $letters --k 5 --folds 0 --out found --quiet
report "$code" "discover"
model=found/model.safetensors

# No file in the folder has a temporary name.
tidy() {
    [ -z "$(find "${1:-.}" -name '*tmp*')" ]
}

# starts ARGS: runs recon in the background until it listens to signals.
starts() {
    "$recon" "$@" >"$scratch/stdout" 2>"$scratch/stderr" &
    pid=$!
    listens $pid
}
# there FILE: waits until it has something in it.
there() {
    for wait_ in $(seq 600); do
        [ ! -s "$1" ] || return 0
        sleep 0.1
    done
}

# --- descriptors ----------------------------------------------------------------------------------
# What is printed into a file is not seen in it afterwards unless a run is long: who holds the
# descriptor is.
"$recon" train $letters --preset small --out closed --epochs 500 --quiet <&- >&- 2>&- &
pid=$!
there closed.jsonl # steps have been made
good=0
for fd in 0 1 2; do
    [ "$(readlink /proc/$pid/fd/$fd)" = /dev/null ] || good=1
done
kill -TERM $pid
wait $pid
code=$?
[ $good -eq 0 ] && [ "$code" -eq 143 ] && [ -s closed.last ] && tidy
report $? "descriptors 0 to 2 are the null device where they were closed"
rm -f closed*

run canonicalize --model $model --data npy:images.npy --out open.npy --quiet
"$recon" canonicalize --model $model --data npy:images.npy --out shut.npy 2>&- >"$scratch/stdout"
[ $? -eq 0 ] && cmp -s open.npy shut.npy
report $? "canonicalize 2>&-: the same bytes"
"$recon" canonicalize --model $model --data npy:images.npy --out shut.npy <&- >"$scratch/stdout"
[ $? -eq 0 ] && cmp -s open.npy shut.npy
report $? "canonicalize <&-: the same bytes"
rm -f shut.npy
"$recon" canonicalize --model $model --data npy:images.npy --out shut.npy >&- 2>"$scratch/stderr"
code=$?
[ "$code" -eq 1 ] && said "recon: standard output: Bad file descriptor" && cmp -s open.npy shut.npy
report $? "canonicalize >&-: the answer is written, what was not printed is said"
"$recon" info images.npy >/dev/full 2>"$scratch/stderr"
code=$?
[ "$code" -eq 1 ] && said "recon: standard output: No space left on device"
report $? "info >/dev/full: a failure"
{
    sleep 0.3
    "$recon" info images.npy 2>"$scratch/stderr"
    echo $? >"$scratch/code"
} | true
code=$(cat "$scratch/code")
[ "$code" -eq 141 ] && [ ! -s "$scratch/stderr" ]
report $? "info | true: ends quietly, with the exit code of SIGPIPE"

rm -f "$scratch/pid" "$scratch/code"
{
    head -c 65536 /dev/zero # fills the pipe
    "$recon" info images.npy 2>"$scratch/stderr" &
    echo $! >"$scratch/pid"
    wait $!
    echo $? >"$scratch/code"
} | {
    there "$scratch/code"
} &
there "$scratch/pid"
listens "$(cat "$scratch/pid")"
sleep 0.3
kill -TERM "$(cat "$scratch/pid")"
wait
code=$(cat "$scratch/code")
[ "$code" = 143 ]
report $? "SIGTERM ends a command whose answer nobody reads"

# --- signals --------------------------------------------------------------------------------------
for signal in INT:130 TERM:143 HUP:129; do
    rm -f cut*
    starts train $letters --preset small --out cut --epochs 500 --quiet
    there cut.jsonl
    kill -${signal%:*} $pid
    wait $pid
    code=$?
    [ "$code" -eq ${signal#*:} ] && one_line "$scratch/stderr" && said "interrupted after step" &&
        [ -s cut.last ] && tidy
    report $? "train, SIG${signal%:*}: exit code ${signal#*:}, a checkpoint"
done
rm -f "$scratch/pid"
(
    trap '' HUP
    "$recon" train $letters --preset small --out cut --overwrite --epochs 500 --quiet >/dev/null 2>&1 &
    echo $! >"$scratch/pid"
    wait
) &
there "$scratch/pid"
pid=$(cat "$scratch/pid")
listens "$pid"
kill -HUP "$pid"
sleep 0.5
kill -0 "$pid" 2>/dev/null
report $? "nohup: a hang-up that was ignored is ignored"
kill -TERM "$pid"
wait

for copy in 0 1 2 3 4 5 6 7 8 9; do
    for more in 0 1 2 3 4 5 6 7 8 9; do
        for again in 0 1 2 3 4; do tail -c +129 images.npy; done
    done
done | npy many.npy '|u1' '60000, 16, 16'
starts canonicalize --model $model --data npy:many.npy --threads 1 --out cut.npy --quiet
sleep 0.2
kill -HUP $pid
wait $pid
code=$?
[ "$code" -eq 129 ] && one_line "$scratch/stderr" && [ ! -e cut.npy ] && tidy
report $? "canonicalize, SIGHUP: no temporary file"

# Between every two of 4,096 atoms: seconds in one call.
awk 'BEGIN { srand(1); print 4096 "\nbig"; for (i = 0; i < 4096; i++)
    printf "C %.3f %.3f %.3f\n", 1.5 * (i % 16) + 0.1 * rand(), 1.5 * (int(i / 16) % 16), 1.5 * int(i / 256) }' >big.xyz
starts canonicalize --model "$models/conformers.safetensors" --data xyz:big.xyz --threads 1 --out cut.xyz --quiet
sleep 0.4
ends TERM $pid
[ "$code" -eq 143 ] && one_line "$scratch/stderr" && [ ! -e cut.xyz ] && [ $took -le 1000 ] && tidy
report $? "a molecule of 4,096 atoms: SIGTERM acts within a second"

# --- ulimit -f: files of 512 bytes at most, in blocks of 512 --------------------------------------
limited() {
    ulimit -f 1
    exec "$recon" "$@"
}
results() { # but for the log of a training, which begins with it
    snapshot | grep -v jsonl
}
too_large() {
    before=$(results)
    (limited "$@") >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
    [ "$code" -eq 1 ] && said "File too large" && [ "$(results)" = "$before" ]
    report $? "ulimit -f: $1 fails with a message and leaves what was there"
}
too_large train $letters --preset small --width 0.25 --code 8 --epochs 1 --batch 22 --out backbone --overwrite --quiet
too_large discover --model backbone $letters --k 5 --folds 0 --out found --quiet
too_large canonicalize --model $model --data npy:images.npy --out open.npy --quiet
too_large normalize --embeddings z.npy --poses g.npy --k 5 --out frames --quiet

# --- ulimit -v ------------------------------------------------------------------------------------
# What the sanitizers map is beyond any limit.
if [ "${RECON_BUILD:-build}" = build/debug ]; then
    finish
fi
# short KILOBYTES ARGS: a clear end in time.
short() {
    size=$1
    shift
    (
        ulimit -c 0
        ulimit -v "$size"
        exec timeout -k 1 300 "$recon" "$@"
    ) >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
    case $code in
    0) ;;
    1) one_line "$scratch/stderr" && grep -q 'memory\|thread' "$scratch/stderr" || return 1 ;;
    *) return 1 ;;
    esac
    tidy
}
for command in info normalize canonicalize discover train score; do
    case $command in
    info) set -- images.npy --threads 2 ;;
    normalize) set -- --embeddings z.npy --poses g.npy --k 5 --threads 2 --out v --quiet ;;
    canonicalize) set -- --model $model --data npy:images.npy --threads 2 --out v.npy --quiet ;;
    discover) set -- --model backbone $letters --k 5 --folds 0 --out v --quiet ;;
    train) set -- $letters --preset small --width 0.25 --code 8 --epochs 1 --out v --quiet ;;
    score) set -- --model $model --data npy:images.npy --threads 2 --out v.npy --quiet ;;
    esac
    bad= ended=
    for size in ${RECON_LIMITS:-120 150 180 210 240 300 400}; do
        short ${size}000 $command "$@" || bad="$bad $size:$code"
        ended="$ended $code"
        rm -rf v v.*
    done
    [ -z "$bad" ]
    report $? "ulimit -v: $command ends clearly (exit codes$ended)${bad:+, but not at$bad}"
    [ "$code" -eq 0 ]
    report $? "ulimit -v: $command has enough in 400 MB"
done
finish
