# lib.sh - what the command's tests share: TAP lines, the build under test, files made by printf.
# A test sources it, calls checks, and ends with `finish`.
set -u
recon=$PWD/${RECON_BUILD:-build}/recon
release=$PWD/build/recon
simulate=$PWD/${RECON_BUILD:-build}/examples/simulate
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch" # some checks run as nobody
work=$scratch/work
mkdir "$work"
cd "$work" || exit 1
number=0 failed=0

# report STATUS TEXT: one line of TAP; after a failure also what the last command said.
report() {
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
        return
    fi
    failed=1
    echo "not ok $number - $2"
    sed 's/^/# stdout: /' "$scratch/stdout" | head -n 20
    sed 's/^/# stderr: /' "$scratch/stderr" | head -n 20
    echo "# exit code $code"
}

skip() {
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

finish() {
    echo "1..$number"
    exit $failed
}

# run ARGS: leaves code, stdout and stderr.
run() {
    "$recon" "$@" >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
}

# prepare ARGS: run, by the release build where that is there: what a test needs, and does not try, takes many
# times as long with sanitizers.
prepare() {
    under_test=$recon
    [ ! -x "$release" ] || recon=$release
    run "$@"
    recon=$under_test
}

# Names and contents of everything in the working folder.
snapshot() {
    find . -type d | sort
    find . -type f -exec cksum {} + | sort
}

one_line() {
    [ "$(wc -l <"$1")" -eq 1 ]
}

said() {
    grep -qF -- "$1" "$scratch/stderr"
}

# What every failure owes: the exit code, one line on standard error that holds TEXT, nothing on
# standard output, and a working folder as it was. `before` is the snapshot.
failed_cleanly() {
    [ "$code" -eq "$1" ] && one_line "$scratch/stderr" && said "$2" && [ ! -s "$scratch/stdout" ] &&
        [ "$(snapshot)" = "$before" ]
}

# refused CODE TEXT ARGS
refused() {
    want=$1 text=$2
    shift 2
    before=$(snapshot)
    run "$@"
    failed_cleanly "$want" "$text"
    report $? "$1: $text"
}

# accepted TEXT ARGS: exit code 0 and nothing on standard error.
accepted() {
    text=$1
    shift
    run "$@"
    [ "$code" -eq 0 ] && [ ! -s "$scratch/stderr" ]
    report $? "$text"
}

# listens PID: waits until a process catches Ctrl-C (bit 2 of the signals it catches), or is gone.
listens() {
    tries=1200
    while [ $tries -gt 0 ] && kill -0 "$1" 2>/dev/null; do
        ! grep -q '^SigCgt:.*[2367abef]$' "/proc/$1/status" 2>/dev/null || return 0
        sleep 0.05
        tries=$((tries - 1))
    done
}

# ends SIGNAL PID: leaves code, and in took how long the process went on, in milliseconds of processor
# time of all its threads: that does not depend on what else the machine does.
ends() {
    computed=$(ticks "$2") took=0
    kill "-$1" "$2"
    while more=$(ticks "$2") && [ -n "$more" ]; do
        took=$(((more - computed) * 1000 / $(getconf CLK_TCK)))
        sleep 0.02
    done
    wait "$2"
    code=$?
}
ticks() { # nothing of a process that has ended
    awk '$3 != "Z" { print $14 + $15 }' "/proc/$1/stat" 2>/dev/null
}

# f32 1 0 -1 2 nan inf: little-endian bytes.
f32() {
    for number_ in "$@"; do
        case $number_ in
        0) printf '\000\000\000\000' ;;
        1) printf '\000\000\200\077' ;;
        -1) printf '\000\000\200\277' ;;
        2) printf '\000\000\000\100' ;;
        nan) printf '\000\000\300\177' ;;
        inf) printf '\000\000\200\177' ;;
        esac
    done
}

# npy FILE TYPE SHAPE <DATA: version 1.0, C order; SHAPE as Python writes it inside the brackets.
npy() {
    printf '\223NUMPY\001\000\166\000%-117s\n' \
        "{'descr': '$2', 'fortran_order': False, 'shape': ($3), }" >"$1"
    cat >>"$1"
}

is_json() {
    if python3 -c '' 2>/dev/null; then
        python3 -c 'import json, sys; assert isinstance(json.load(sys.stdin), dict)' <"$1"
    else
        [ "$(head -c 1 "$1")" = '{' ] && [ "$(tail -n 1 "$1")" = '}' ]
    fi
}
