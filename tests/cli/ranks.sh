# ranks.sh - the command under both MPIs. Sourced after lib.sh; mpi holds those that can be used.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm_rsh_agent=
export OMPI_MCA_orte_tmpdir_base="$scratch" # several launchers at once race for one in /tmp
export ASAN_OPTIONS=detect_leaks=0 # of the MPI's own
engines="openmpi mpich"
[ "${RECON_BUILD:-build}" = build ] || engines=openmpi # with sanitizers one is enough

# usable ENGINE: its launcher is there, and a plug-in was built.
usable() {
    command -v "mpirun.$1" >/dev/null && [ -e "${recon%/*}/recon-comm-$1.so" ]
}

# numbers ENGINE COUNTS: on how many ranks it is tried. How work is split does not depend on the MPI: the
# second one runs the largest number alone, or 3, which is enough for messages past one's neighbour.
numbers() {
    case $1 in
    mpich) ! usable openmpi || set -- "$1" "$(echo "${2##* }" | sed 's/4/3/')" ;;
    esac
    echo "$2"
}

# ranks ENGINE N ARGS: recon on N ranks, ended after five minutes; leaves code, stdout and stderr. What
# launchers themselves say of an exit code is between lines of dashes or equal signs.
ranks() {
    engine=$1 n=$2
    shift 2
    case $engine in
    openmpi) set -- --oversubscribe --bind-to none -n "$n" "$recon" "$@" ;;
    *) set -- -n "$n" "$recon" "$@" ;;
    esac
    # MPICH's launcher may die of a broken pipe, and lose what was said, where a program ends at once.
    for _ in 1 2 3; do
        timeout -k 5 300 "mpirun.$engine" "$@" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
        code=$?
        [ $code -eq 141 ] || break
    done
}

# The lines of recon itself, of which there must be one that holds TEXT.
said_once() {
    [ "$(grep -c '^recon' "$scratch/stderr")" -eq 1 ] && grep '^recon' "$scratch/stderr" | grep -qF -- "$1"
}
