#!/bin/sh
# recon normalize over ranks: the files of one process, byte by byte, whatever the number of ranks; and
# when a rank fails, one message, nothing half done, and nobody waits.
here=$(cd "${0%/*}" && pwd)
. "$here/lib.sh"
. "$here/ranks.sh"
"$simulate" so2 . 1400 5 8 && mkdir so3 q && "$simulate" so3 so3 1400 5 8 && "$simulate" so3 q 700 5 8 || exit 1

# same A B: the same arrays, and summaries that differ in seconds alone.
same() {
    [ "$(cd "$1" && ls)" = "$(cd "$2" && ls)" ] || return 1
    for file in "$1"/*.npy; do
        cmp -s "$file" "$2/${file##*/}" || return 1
    done
    sed '/"seconds"/,/}/d' "$1/summary.json" >one.json
    sed '/"seconds"/,/}/d' "$2/summary.json" | cmp -s - one.json
    result=$?
    rm one.json
    return $result
}

# alike NAME ARGS: on 2, 3 and 4 ranks as in one process; with four, one of them has no rows: with sanitizers
# these are enough.
counts="2 3 4"
[ "${RECON_BUILD:-build}" = build ] || counts=4
alike() {
    name=$1
    shift
    run normalize "$@" --out alone --quiet
    [ $code -eq 0 ] || { report 1 "$name: one process"; return; }
    for engine in $engines; do
        if ! usable "$engine"; then
            skip "$name: ranks under $engine" "no $engine, or no plug-in for it"
            continue
        fi
        for n in $(numbers "$engine" "$counts"); do
            ranks "$engine" $n normalize "$@" --out shared --quiet
            [ $code -eq 0 ] && same alone shared
            report $? "$name: $n ranks of $engine give the bytes of one process"
            rm -rf shared
        done
    done
    rm -rf alone
}

alike "so2, neighbours" --embeddings z.npy --poses g.npy --group so2 --labels y.npy
alike "so3, queries" --embeddings so3/z.npy --poses so3/g.npy --group so3 --query q/z.npy q/g.npy --metric euclidean
alike "so2, queries" --embeddings z.npy --poses g.npy --group so2 --query z.npy g.npy
alike "so2, classes of its own" --embeddings z.npy --poses g.npy --group so2 --classes y.npy
mkdir se3 && "$simulate" 'se3' se3 700 5 8 || exit 1
alike "se3, neighbours" --embeddings se3/z.npy --poses se3/g.npy --group se3
alike "so2, components" --embeddings z.npy --poses g.npy --group so2 --classes components --eps 0.35

# --- failures ---------------------------------------------------------------------------------------

rm -r q && mkdir q && cp z.npy g.npy q # one number of the last embedding differs
printf '\101' | dd of=q/z.npy bs=1 seek=$(($(wc -c <z.npy) - 1)) conv=notrunc 2>/dev/null
"$simulate" so2 so3 20000 10 16 || exit 1
cat >only_rank_1_dies <<'END'
#!/bin/sh
case ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} in
1)
    "$@" &
    until [ -e r ] || ls -d .r.recon-* >/dev/null 2>&1; do sleep 0.02; done # the work has begun
    kill -9 $!
    exit 9
    ;;
*) exec "$@" ;;
esac
END
chmod +x only_rank_1_dies
for engine in $engines; do
    usable "$engine" || continue
    before=$(snapshot)
    ranks "$engine" 3 normalize --embeddings none.npy --poses g.npy --group so2 --out r
    [ $code -ne 0 ] && said_once "none.npy: cannot open" && [ "$before" = "$(snapshot)" ]
    report $? "$engine: what all ranks find is said once"

    case $engine in openmpi) more=--oversubscribe ;; *) more= ;; esac
    timeout -k 5 300 "mpirun.$engine" $more -n 1 -wdir "$work" "$recon" normalize --embeddings z.npy --poses g.npy \
        --group so2 --out r : -n 1 -wdir "$work/q" "$recon" normalize --embeddings z.npy --poses g.npy --group so2 \
        --out r >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
    code=$?
    [ $code -eq 2 ] && said_once "z.npy differs between rank 0 and rank 1" && [ "$before" = "$(snapshot)" ]
    report $? "$engine: ranks that read different files are told apart"

    timeout -k 5 300 "mpirun.$engine" $more -n 3 ./only_rank_1_dies "$recon" normalize --embeddings so3/z.npy \
        --poses so3/g.npy --group so2 --out r >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
    code=$?
    [ $code -ne 0 ] && [ $code -ne 124 ] && [ $code -ne 137 ] && [ ! -e r/summary.json ] # by the time limit
    report $? "$engine: a rank that is killed ends the others"
    rm -rf r .r* # what a killed process may leave, which the next run removes

    mkdir disk
    if unshare -m mount -t tmpfs none disk 2>/dev/null; then
        unshare -m sh -c 'mount -t tmpfs -o size=128k none disk && exec "$@"' sh timeout -k 5 300 "mpirun.$engine" $more \
            -n 3 "$recon" normalize --embeddings z.npy --poses g.npy --group so2 --out disk/r \
            >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
        code=$?
        [ $code -ne 0 ] && [ $code -ne 124 ] && said_once "No space left on device"
        report $? "$engine: a full disk is said once"
    else
        skip "$engine: a full disk is said once" "no file system can be mounted here"
    fi
    rmdir disk
done
finish
