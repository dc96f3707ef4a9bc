#!/bin/sh
# Training that continues and keeps: nothing is overwritten unasked, a run can be made longer, and the
# memory of a step is known, said and kept to. Images and molecules alike.
here=$(cd "${0%/*}" && pwd)
. "$here/lib.sh"
. "$here/tiny.sh"
[ "${RECON_BUILD:-build}" = build ] || finish # nn/ and backbone/ have it with sanitizers
train="train $letters --preset small --width 0.25 --code 8 --batch 22"

# Progress comes after seconds: it is looked at in the end.
long=$scratch/long
mkdir "$long"
"$recon" train $letters --width 0.25 --code 8 --epochs 100000 --out "$long/m" >"$long/stdout" 2>"$long/stderr" &
progressing=$!

# --- nothing is overwritten -----------------------------------------------------------------------
refused 2 "backbone.last exists: --resume continues that run, --overwrite replaces it" $train --epochs 2 --out backbone
cp backbone lone
refused 2 "lone exists: --resume continues that run, --overwrite replaces it" $train --epochs 2 --out lone
refused 2 "lone exists, but not lone.last" $train --epochs 2 --out lone --resume
accepted "--overwrite replaces it" $train --epochs 2 --out lone --overwrite --quiet
cmp -s lone backbone && cmp -s lone.last backbone.last
report $? "the same run gives the same bytes"
accepted "another decay" $train --epochs 2 --decay 2 --out decayed --quiet
grep -aq 'decay: 2,' decayed && grep -aq 'decay: 0.05,' backbone && ! cmp -s decayed backbone
report $? "the decay is recorded, and moves the weights"
refused 2 "started with other settings: decay: was 2, now 3" $train --epochs 3 --decay 3 --out decayed --resume
refused 2 "decay -1 must be a number of at least 0" $train --epochs 2 --decay -1 --out none
accepted "no decay" $train --epochs 2 --decay 0 --out none --quiet
grep -aq 'decay: 0,' none && ! cmp -s none backbone
report $? "--decay 0 is none, not the default"

# --- other data of the same number, shape and first images -----------------------------------------
{ head -c 10368 images.npy && tail -c 10240 images.npy && tail -c +10369 images.npy | head -c 10240; } >order.npy
cp images.npy pixel.npy
printf '\377' | dd of=pixel.npy bs=1 seek=$((128 + 7 * 256 + 100)) conv=notrunc 2>/dev/null
for other in order pixel; do
    refused 2 "backbone.last: started with other data: identity: was " train --data npy:$other.npy --rotate rule.json \
        --threads 2 --preset small --width 0.25 --code 8 --batch 22 --epochs 3 --out backbone --resume
done

# --- more epochs ----------------------------------------------------------------------------------
run $train --out backbone --resume
[ "$code" -eq 0 ] && grep -q "had finished after 10 steps" "$scratch/stdout"
report $? "--resume of a finished run says so"
refused 1 "backbone.last: 2 epochs are done, 1 were asked for" $train --epochs 1 --out backbone --resume
refused 2 "started with other settings: rate: was 0.003, now 0.1; seed: was 1, now 3" \
    $train --epochs 3 --rate 0.1 --seed 3 --out backbone --resume
run $train --epochs 5 --out backbone --resume --json
[ "$code" -eq 0 ] && grep -q '"steps": 25' "$scratch/stdout" && grep -q '"steps_now": 15' "$scratch/stdout"
report $? "--resume --epochs 5 makes a run of 2 longer"
for life in 1 2 3; do
    "$recon" $train --epochs 5 --every 1 --out lone --resume --quiet >/dev/null 2>&1 &
    victim=$!
    sleep 0.$((life * 2))
    kill -9 $victim 2>/dev/null
    wait $victim 2>/dev/null
done
accepted "killed three times on the way" $train --epochs 5 --every 1 --out lone --resume --quiet
cmp -s lone backbone && cmp -s lone.last backbone.last
report $? "and the bytes are the same"

# --- memory ---------------------------------------------------------------------------------------
run $train --epochs 1 --out m
[ "$code" -eq 0 ] && said "MiB per step"
report $? "the memory of a step is said before the first"

# --- progress -------------------------------------------------------------------------------------
for second in $(seq 200); do
    grep -q "^train: " "$long/stderr" && break
    sleep 1
done
kill -INT $progressing
wait $progressing
grep -q '^train: step [0-9]* of [0-9]*, loss [0-9.]*, [0-9:]* left$' "$long/stderr"
report $? "off a terminal progress has step, loss and time left"
"$recon" info "$long/m.last" | grep -q 'preset: small'
report $? "small is the default on a CPU"
rm -rf "$long"
if [ "${RECON_BUILD:-build}" = build/debug ]; then # what the sanitizers map is beyond any limit
    finish
fi
head -c $((48 * 4096)) /dev/urandom | npy noise.npy '|u1' '48, 64, 64'
limited() {
    (
        ulimit -v "$1"
        shift
        exec "$recon" "$@"
    ) >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
}
noise="train --data npy:noise.npy --preset small --batch 44 --epochs 1 --threads 2"
limited 700000 $noise --out split
[ "$code" -eq 0 ] && said "a batch of 44 is split into"
report $? "a batch that does not fit is split"
before=$(snapshot)
limited 300000 $noise --width 3 --out refused --quiet
failed_cleanly 1 "MiB are free (a smaller --size or --width takes less)"
report $? "what cannot fit is refused, with the remedy"

# Resident memory grows by what was said, within a fifth.
if python3 -c '' 2>/dev/null; then
    python3 - "$recon" $noise --out measured >"$scratch/stdout" 2>"$scratch/stderr" <<'P'
import resource, subprocess, sys
run = subprocess.run(sys.argv[1:], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
said = float(run.stderr.split("about ")[1].split(" MiB")[0])
print(f"{said:.0f} MiB were said, {peak - 25:.0f} were taken")
sys.exit(not 0.8 < said / (peak - 25) < 1.2) # 25: code and data, before the first step
P
    code=$?
    report $code "$(cat "$scratch/stdout")"
fi
finish
