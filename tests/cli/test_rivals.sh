#!/bin/sh
# The networks of `reproduce --baselines` that are shipped keep what their cards promise, on a part of the test split: those of
# garments in `make test`, of digits too in `make check-slow` (RECON_SLOW=1).
. "${0%/*}/lib.sh"
root=$OLDPWD

# set:network:least accuracy. On 300 images a share varies by 1 to 3 points, on 2,000 (RECON_SLOW=1) by 0.5 to 1: three of these
# below the figure of the card.
if [ "${RECON_SLOW:-}" = 1 ]; then
    part="--images 2000" bounds="mnist:escnn:93.9 mnist:equiadapt:94.2 mnist:augmented:96.5 mnist:partial_gcnn:91
        fashion:escnn:80.9 fashion:equiadapt:82.5 fashion:augmented:83 fashion:partial_gcnn:72.9"
else
    part="--images 300" bounds="fashion:escnn:76.9 fashion:equiadapt:78.7 fashion:augmented:79 fashion:partial_gcnn:68.3"
fi

cd "$root" || exit 1
for bound in $bounds; do
    set=${bound%%:*} least=${bound##*:} name=${bound#*:}
    name=${name%:*}
    if [ "${RECON_BUILD:-build}" != build ]; then
        skip "$set: $name" "slow under sanitizers"
        continue
    fi
    run reproduce "$set" --baselines --rival "$name" $part --quiet --json
    if [ "$code" -ne 0 ] && grep -q 'to get it$' "$scratch/stderr"; then
        skip "$set: $name" "$(cat "$scratch/stderr")"
        continue
    fi
    [ "$code" -eq 0 ] && awk -v key="\"$name\":" -v least="$least" \
        '$1 == key && !found { found = 1; enough = $2 + 0 >= least } END { exit !enough }' "$scratch/stdout"
    report $? "$set: $name classifies at least $least % of rotated test images"
done
finish
