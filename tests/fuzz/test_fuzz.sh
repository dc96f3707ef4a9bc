#!/bin/sh
# Runs each fuzz target for FUZZ_SECONDS (1) from the files in tests/fuzz/corpus, as TAP, two at a
# time. The targets are built once, with clang and sanitizers of their own: one pass runs them. An
# input of 4 KiB may not make a reader hold more than 64 MiB in one piece.
set -u
seconds=${FUZZ_SECONDS:-1}
if [ "${RECON_BUILD:-build}" != build ]; then
    echo "1..0 # the fuzz targets are the same in every build"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fuzz() { # NAME
    mkdir -p "$work/$1"
    "build/fuzz/$1" -seed=1 -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
        -malloc_limit_mb=64 -max_len=4096 -print_final_stats=1 -artifact_prefix="build/fuzz/$1-" \
        "$work/$1" "tests/fuzz/corpus/$1" >"build/fuzz/$1.log" 2>&1
    echo $? >"$work/$1.status"
}

status=0 number=0 inputs=0
report() { # NAME
    number=$((number + 1))
    if [ ! -x "build/fuzz/$1" ]; then
        echo "ok $number - fuzz $1 # SKIP no clang with libFuzzer when it was built"
    elif [ "$(cat "$work/$1.status")" -eq 0 ]; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$1.log")
        inputs=$((inputs + runs))
        echo "ok $number - $1 reader survives $runs inputs"
    else
        echo "not ok $number - $1 reader; the input is in build/fuzz/$1-*"
        tail -n 30 "build/fuzz/$1.log"
        status=1
    fi
}

set --
for source in tests/fuzz/fuzz_*.c; do
    name=${source#tests/fuzz/fuzz_}
    set -- "$@" "${name%.c}"
done
while [ $# -gt 0 ]; do
    first=$1 second=${2:-}
    [ -x "build/fuzz/$first" ] && fuzz "$first" &
    [ -n "$second" ] && [ -x "build/fuzz/$second" ] && fuzz "$second"
    wait
    report "$first"
    [ -z "$second" ] || { report "$second"; shift; }
    shift
done
echo "# counted: $inputs inputs made up for $number targets, $seconds s each"
echo "1..$number"
exit $status
