#!/bin/sh
# recon reproduce letters, its small version: a model of letters knows about how fonts that it has not seen
# are rotated. The bounds are loose: the sample is small and the training short. Widths, which are learned last, are
# left to `make check-slow` (RECON_SLOW=1), which trains twice as long.
. "${0%/*}/lib.sh"
if [ "${RECON_BUILD:-build}" != build ]; then
    finish # half a minute of training, many times that under sanitizers
fi

mkdir empty
refused 1 "nowhere.json" reproduce letters --laws nowhere.json
echo '{ "kinds": [] }' >none.json
refused 1 'no "kinds" with "letters"' reproduce letters --laws none.json
run reproduce letters --quick --fonts empty
if said "without FreeType"; then
    skip "letters" "no FreeType"
    finish
fi
[ "$code" -eq 1 ] && said "\`tools/setup fonts\` installs more"
report $? "without fonts the remedy is said"

mkdir temporary
before=$(snapshot)
TMPDIR=$work/temporary "$recon" reproduce letters --quick --epochs 1000 >"$scratch/stdout" 2>"$scratch/stderr" &
victim=$!
until said "per step" || ! kill -0 $victim 2>/dev/null; do sleep 0.1; done
ends INT $victim
if [ "$code" -eq 1 ] && said "different fonts with these letters"; then
    skip "letters" "too few fonts"
    finish
fi
[ "$code" -eq 130 ] && said "interrupted in the training" && ! said "resume from" && [ "$(snapshot)" = "$before" ]
report $? "Ctrl-C: nothing is left of the temporary folder, and no state in it is named"

epochs=$([ "${RECON_SLOW:-}" = 1 ] && echo 16 || echo 8)
run reproduce letters --quick --epochs $epochs --json --out run
[ "$code" -eq 0 ] && is_json "$scratch/stdout"
report $? "a whole run"
# The number of a key: the first that comes, or comes behind the beginning of an object of the whole.
value() { # KEY [OBJECT]
    awk -v key="\"$1\":" -v object="  \"${2:-}\": {" 'BEGIN { within = object == "  \"\": {" }
        $0 == object { within = 1 } within && $1 == key { sub(",$", "", $2); print $2; exit }' "$scratch/stdout"
}
# holds VALUE OP BOUND TEXT
holds() {
    awk -v a="$1" -v b="$3" -v op="$2" 'BEGIN { exit !(a != "" && (op == "<" ? a + 0 < b : a + 0 > b)) }'
    report $? "$4: $1, must be $2 $3"
}
[ "$(ls run/seed-1/letters | wc -l)" -eq "$(value training_images)" ] && [ -s run/seed-1/found/model.safetensors ]
report $? "--out keeps the pictures and the model"
holds "$(value train fonts)" '>' 11 "fonts for training"
holds "$(value test fonts)" '>' 3 "fonts for tests, of other families"
# By the laws alone: what the drawing promises.
holds "$(value median_deg untouched)" '<' 12 "median distance to natural, untouched"
holds "$(value best ood_auc)" '>' 0.85 "the best possible area under the ROC curve"
# By the model.
holds "$(value median_deg anyway)" '<' 45 "median error of letters at any angle, about 90 untouched"
holds "$(value recon ood_auc)" '>' 0.6 "area under the ROC curve"
holds "$(value at_10 false_alarms_percent)" '<' 40 "false alarms at 10 %"
[ "${RECON_SLOW:-}" != 1 ] || holds "$(value width_mae_deg)" '<' 60 "error of the widths"
finish
