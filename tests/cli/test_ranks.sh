#!/bin/sh
# Several processes under mpirun: one answer, one message, and no MPI where none is asked for.
here=$(cd "${0%/*}" && pwd)
. "$here/lib.sh"
. "$here/ranks.sh"

! ldd "$recon" | grep -q 'libmpi\|libmpich'
report $? "the program is linked with no MPI"

cat >rank_1_has_little_memory <<'END'
#!/bin/sh
case ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} in
1) ulimit -v 1500000 ;; # less than the stacks of 250 threads
esac
exec "$@"
END
chmod +x rank_1_has_little_memory

for engine in $engines; do
    if ! usable $engine; then
        skip "several ranks under $engine" "no $engine, or no plug-in for it"
        continue
    fi
    ranks $engine 3 --version
    [ $code -eq 0 ] && [ "$(grep -c '^recon ' "$scratch/stdout")" -eq 1 ]
    report $? "$engine: three ranks answer once"

    ranks $engine 3 info --no-such-option
    [ $code -eq 2 ] && said_once "it runs in one process, but 3 were started"
    report $? "$engine: a command for one process says so, once"

    ranks $engine 2 nonsense
    [ $code -eq 2 ] && said_once "unknown command 'nonsense'"
    report $? "$engine: misuse is said once"

    ranks $engine 1 info mnist/test --json
    alone=$code
    run info mnist/test --json
    [ $alone -eq $code ]
    report $? "$engine: one rank is the ordinary program"

    RECON_PLUGINS=$work/none ranks $engine 2 --version
    [ $code -ne 0 ] && said_once "none/recon-comm-$engine.so not found"
    report $? "$engine: a plug-in that cannot be loaded is named, once"

    RECON_COMM_PLUGIN=none ranks $engine 2 --version
    [ $code -eq 0 ] && [ "$(grep -c '^recon ' "$scratch/stdout")" -eq 2 ]
    report $? "$engine: RECON_COMM_PLUGIN=none runs every process alone"

    [ "${RECON_BUILD:-build}" = build ] || continue # sanitizers need more room than this
    case $engine in openmpi) more=--oversubscribe ;; *) more= ;; esac
    timeout -k 5 60 "mpirun.$engine" $more -n 2 ./rank_1_has_little_memory "$recon" normalize --embeddings z.npy \
        --poses g.npy --group so2 --out r --threads 250 >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
    code=$?
    [ $code -ne 0 ] && [ $code -ne 124 ] && [ $code -ne 137 ] # by the time limit
    report $? "$engine: nobody waits for a rank that cannot begin"
done

SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0 run --version
[ $code -eq 1 ] && said "--mpi=pmix"
report $? "tasks of srun without MPI are told how to get it"
SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=2 run --version
[ $code -eq 1 ] && [ ! -s "$scratch/stderr" ]
report $? "and the first task alone says so"
finish
