#!/bin/sh
# Every command gets SIGINT and SIGTERM at random moments, and ends within two seconds, with 130 or 143
# and without temporary files, or had done its work. Trainings get one, two and three Ctrl-C, eight at
# once whatever the number of cores: each ends with one line, exit code 130 and a checkpoint that can be
# read; none crashes.
#   RECON_SLOW=1        ten moments for each command, wherever it is then; 120 trainings, 1 to 15 seconds
#                       after their first step (make check-slow)
#   RECON_INTERRUPTS=N  N trainings
#   RECON_SEED=S        the moments of an earlier run
if [ "${RECON_BUILD:-build}" = build/debug ]; then # the crash was in code that sanitizers do not see
    echo 1..0
    exit
fi
here=$(cd "${0%/*}" && pwd)
data=$PWD/data
. "$here/lib.sh"
export RECON_DATA="$data"
AT_ONCE=8
count=${RECON_INTERRUPTS:-8} longest=1
if [ "${RECON_SLOW:-}" = 1 ]; then
    count=${RECON_INTERRUPTS:-120} longest=15
fi
train="train --data garments --limit 400 --preset small --epochs 1000 --every 1 --quiet"

# Whole numbers below $1, from the system.
draw() {
    echo $(($(od -An -N4 -tu4 /dev/urandom) % $1))
}

# until_first_step FOLDER PID: the first checkpoint is there.
until_first_step() {
    while [ ! -e "$1/m.last" ] && kill -0 "$2" 2>/dev/null; do sleep 0.05; done
}

# interrupt FOLDER SIGNALS DELAY: a training with SIGNALS Ctrl-C, DELAY milliseconds after its first
# step. Leaves exit code and what it said.
interrupt() {
    mkdir "$1"
    "$recon" $train --out "$1/m" >"$1/stdout" 2>"$1/stderr" &
    victim=$!
    until_first_step "$1" $victim
    sleep "$(($3 / 1000)).$(printf %03d $(($3 % 1000)))"
    for signal in $(seq "$2"); do
        kill -INT $victim 2>/dev/null # it may be gone by the second
        [ "$(draw 2)" -eq 0 ] || sleep 0.0"$(draw 10)"
    done
    wait $victim
    echo $? "$2" >"$1/ended"
}

# What a run owes; says what is missing.
judge() {
    read -r code signals <"$1/ended"
    [ "$code" -eq 130 ] || echo "$1: exit code $code after $signals signals"
    one_line "$1/stderr" && grep -q "interrupted after step" "$1/stderr" || sed "s|^|$1: |" "$1/stderr"
    "$recon" info "$1/m.last" >"$1/info" 2>&1 || sed "s|^|$1: |" "$1/info"
    [ -z "$(find "$1" -name '*tmp*')" ] || echo "$1: a temporary file is left"
}

# --- every command --------------------------------------------------------------------------------
# Milliseconds of processor time that each takes by itself (training: as long as is tried), and its
# arguments; O is a folder of its own. Two threads have 4 seconds of processor time in 2 seconds.
cat >commands <<END
3000 train --data garments --limit 400 --preset small --epochs 1000 --out O/m --threads 2
850 discover --model mnist-small --data garments --limit 60 --out O/d --threads 2
100 normalize --embeddings z.npy --poses g.npy --group so3 --out O/n --threads 2
300 report n --out O/r.html
550 canonicalize --model mnist-small --data garments --limit 500 --out O/c --threads 2
500 audit --model mnist-small --data garments --limit 1000 --out O/a.csv --threads 2
500 score --model mnist-small --data garments --limit 1000 --out O/s.csv --threads 2
60 distribution --model mnist-small --data garments --index 5 --svg O/x.svg
20 export --model mnist-small --out O/m.onnx
250 check mnist-small --data garments --limit 20 --threads 2
150 classifier train --data garments --limit 500 --epochs 1 --out O/k --threads 2
40000 reproduce letters --quick --out O/l --threads 2
6000 info large.npy
3000 upright conformers/test --quick --out O/u --threads 2
60 models
7000 demo --limit 200 --out O/demo --threads 2
END
"$simulate" so3 . 1500 5 8 && run normalize --embeddings z.npy --poses g.npy --group so3 --out n --quiet
: | npy large.npy '<f4' '20000000, 128' && truncate -s $((128 + 20000000 * 128 * 4)) large.npy # all holes
ln -s "$data/../models" models
[ "$("$recon" help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' | sort)" = "$(cut -d' ' -f2 commands | sort)" ]
report $? "every command of the help is interrupted here"

# after MS PID: it has computed for so long, or is gone.
after() {
    while has=$(ticks "$2") && [ -n "$has" ] && [ $((has * 1000 / ticks_in_second)) -lt "$1" ]; do sleep "$nap"; done
}
ticks_in_second=$(getconf CLK_TCK)

seed=${RECON_SEED:-$(draw 100000)} moments=2 most=700
[ "${RECON_SLOW:-}" != 1 ] || moments=10 most=40000
awk -v seed="$seed" -v n=$moments -v most=$most '
    BEGIN { srand(seed) }
    { m = $1 < most ? $1 : most; $1 = ""; for (i = 0; i < n; i++) print (i % 2 ? "TERM 143 " : "INT 130 ") int(m * rand()) $0 }
' commands >plan
asked=0 stopped=0
while read -r signal want moment arguments; do
    mkdir O
    env --default-signal=INT,TERM "$recon" $arguments >said 2>&1 </dev/null &
    victim=$!
    nap=0.$(printf %03d $((moment / 8 % 1000 + 5)))
    after "$moment" $victim
    ends "$signal" $victim 2>/dev/null
    asked=$((asked + 1)) left=$(find O -name '*.tmp-*' -o -name '.recon-*')
    [ "$code" -ne "$want" ] || stopped=$((stopped + 1))
    { [ "$code" -eq "$want" ] || [ "$code" -eq 0 ]; } && [ "$took" -le 4000 ] && [ -z "$left" ] ||
        echo "$arguments: $signal after $moment ms: exit code $code, $took ms of processor $left: $(tail -n 1 said)" >>bad
    rm -rf O
done <plan
cp bad "$scratch/stderr" 2>/dev/null
code=$(wc -l 2>/dev/null <bad)
[ ! -s bad ] && [ "$stopped" -gt 0 ]
report $? "$asked signals to every command: all end within 2 seconds (RECON_SEED=$seed)"
echo "# counted: $stopped of $asked commands ended by the signal, the others had done their work"
rm -f large.npy

# --- in one long step -----------------------------------------------------------------------------
# Steps of 256 x 256 pixels take many seconds.
head -c $((24 * 65536)) /dev/urandom | npy large.npy '|u1' '24, 256, 256'
mkdir long
"$recon" train --data npy:large.npy --preset small --batch 8 --epochs 1 --threads 2 --out long/m >/dev/null 2>long/stderr &
victim=$!
until grep -q "MiB per step" long/stderr || ! kill -0 $victim 2>/dev/null; do sleep 0.1; done
sleep 1
ends INT $victim
cp long/stderr "$scratch/stderr"
[ "$code" -eq 130 ] && said "interrupted after step 0" && [ "$took" -le 4000 ] && [ -s long/m.last ]
report $? "Ctrl-C ends a training within a step of large images ($took ms of processor)"
rm -rf long large.npy

# --- many at once ---------------------------------------------------------------------------------
# A lane runs every eighth of them.
lane() {
    for run in $(seq "$1" $AT_ONCE "$count"); do
        interrupt "run$run" $((run % 3 + 1)) $((1000 * (longest > 1) + $(draw $((1000 * (longest - (longest > 1)))))))
        judge "run$run" >>"lane$1"
        rm -f "run$run"/m*
    done
}
for first in $(seq $AT_ONCE); do
    lane "$first" &
done
wait
cat lane? >"$scratch/stderr"
: >"$scratch/stdout"
code=0
ended=$(cat run*/ended | grep -c '^130 ')
[ ! -s "$scratch/stderr" ] && [ "$ended" -eq "$count" ]
report $? "$count trainings, $AT_ONCE at once, with one to three Ctrl-C: $ended ended as they should"
echo "# counted: $ended of $count interrupted trainings left a checkpoint"
finish
