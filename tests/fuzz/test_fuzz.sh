#!/bin/sh
# Runs each fuzz target for FUZZ_SECONDS (5) from the files in tests/core/data, as TAP. The targets
# are built once, with clang and sanitizers of their own, so the release pass has nothing to add.
set -u
seconds=${FUZZ_SECONDS:-5}
if [ "${RECON_BUILD:-build}" != build ]; then
    echo "1..0 # the fuzz targets are the same in every build"
    exit 0
fi
corpus=$(mktemp -d)
trap 'rm -rf "$corpus"' EXIT
status=0 number=0
for source in tests/fuzz/fuzz_*.c; do
    name=${source#tests/fuzz/fuzz_} name=${name%.c}
    number=$((number + 1))
    program=build/fuzz/$name
    if [ ! -x "$program" ]; then
        echo "ok $number - fuzz $name # SKIP no clang with libFuzzer when it was built"
        continue
    fi
    mkdir -p "$corpus/$name"
    if "$program" -seed=1 -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=4096 \
        -print_final_stats=1 -artifact_prefix=build/fuzz/ "$corpus/$name" \
        "tests/core/data/$name" >"build/fuzz/$name.log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$name.log")
        echo "ok $number - $name reader survives $runs inputs"
    else
        echo "not ok $number - $name reader; the input is in build/fuzz"
        tail -n 30 "build/fuzz/$name.log"
        status=1
    fi
done
echo "1..$number"
exit $status
