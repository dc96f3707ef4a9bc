#!/bin/sh
# What files and their names say does not steer the terminal; pipes and devices hold no command up.
root=$PWD
. "${0%/*}/lib.sh"

csi=$(printf '\302\233') newline=$(printf '\302\205') override=$(printf '\342\200\256')
isolate=$(printf '\342\201\246') separator=$(printf '\342\200\250') latin=$(printf '\351')
hostile="a${csi}31m$newline$override$isolate$separator${latin}z"
shown='a?31m?????z'

# Nothing but text, tabs and line ends on either stream: no C0, DEL or C1, no marks of direction.
harmless() {
    cat "$scratch/stdout" "$scratch/stderr" | iconv -f UTF-8 -t UTF-8 >/dev/null 2>&1 &&
        ! cat "$scratch/stdout" "$scratch/stderr" | LC_ALL=C grep -qaE \
            "$(printf '[\001-\010\013-\037\177]|\302[\200-\237]|\330\234|\342\200[\216\217\250-\256]|\342\201[\246-\251]')"
}

# shows TEXT WHERE ARGS: the command ends well or not, and shows the name without its marks.
shows() {
    text=$1 where=$2
    shift 2
    run "$@"
    [ "$code" -le 2 ] && harmless && grep -qF "$text" "$scratch/$where"
    report $? "$text on $where"
}

printf '2\nc\n%sX 0 0 0\nH 0 0 1\n' "$csi" >c.xyz
shows "no element is called '?X'" stderr info c.xyz
molecule() { # NAME
    printf '9\nname="%s"\nC 0 0 0\nC 1.5 0 0\nO 2 1.4 0\nH -.4 1 0\nH -.4 -.5 .9\nH -.4 -.5 -.9\nH 1.9 -.5 .9\nH 1.9 -.5 -.9\nH 3 1.4 0\n' "$1"
}
molecule "$hostile" >m.xyz
shows "$shown" stdout distribution --model "$root/models/conformers.safetensors" --data xyz:m.xyz --index 0
shows "$shown" stdout score --model "$root/models/conformers.safetensors" --data xyz:m.xyz --out s.npy
run distribution --model "$root/models/conformers.safetensors" --data xyz:m.xyz --index 0 --json
harmless && is_json "$scratch/stdout"
report $? "distribution --json"

# Names that are UTF-8 come out of JSON as they went in.
name="b${csi}${override}${separator}$(printf '\303\251')"
molecule "$name" >u.xyz
run distribution --model "$root/models/conformers.safetensors" --data xyz:u.xyz --index 0 --json
harmless && grep -qF '"molecule": "b\u009b\u202e\u2028' "$scratch/stdout"
report $? "JSON has them escaped"

mkdir -p "pictures/$hostile" pictures/plain
printf 'P5 28 28 255\n' >"pictures/$hostile/$hostile.pgm"
head -c 784 "$root/models/fashion.safetensors" >>"pictures/$hostile/$hostile.pgm"
cp "pictures/$hostile/$hostile.pgm" pictures/plain/b.pgm
shows "$shown" stdout info images:pictures
shows "$shown" stdout distribution --model "$root/models/fashion.safetensors" --data images:pictures --index 0
shows "$shown" stdout score --model "$root/models/fashion.safetensors" --data images:pictures --out s.npy
cp c.xyz "pictures/$hostile/bad.png"
shows "$shown" stdout info images:pictures --skip-bad
shows "$shown" stderr info "$hostile"
mkdir results
printf '{"points": 3, "family": "x\\u009b\\u202e\\u2028\\ny"}' >results/summary.json
shows 'x????y' stdout info results
shows "unknown command '$shown'" stderr "$hostile"
header='{"__metadata__":{"model":"x\u009b\u202ey"}}'
{ printf '%b' "\\$(printf %o ${#header})\\0\\0\\0\\0\\0\\0\\0"; printf %s "$header"; } >model.safetensors
shows 'x??y' stdout info model.safetensors

# Text of any length comes through whole, however it is cut into pieces.
words=$(LC_ALL=C awk 'BEGIN { for (i = 0; i < 3000; i++) printf "\303\251" }')
header="{\"__metadata__\":{\"a\":\"$words\",\"b\":\"x$words\"}}"
length=$(printf %s "$header" | wc -c)
{ printf '%b' "\\0$(printf %o $((length % 256)))\\0$(printf %o $((length / 256)))\\0\\0\\0\\0\\0\\0"; printf %s "$header"; } >long.safetensors
run info long.safetensors --json
[ "$(tr -cd '\303\251?' <"$scratch/stdout" | wc -c)" -eq 12000 ] && harmless
report $? "letters of two bytes are not cut"

# Pipes and devices, which nobody writes to.
mkfifo pipe
for spec in pipe geom:pipe xyz:pipe sdf:pipe flat:pipe idx:pipe npy:pipe amat:pipe images:pipe \
    geom:/dev/zero xyz:/dev/zero /dev/zero; do
    before=$(snapshot)
    timeout 120 "$recon" info "$spec" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
    code=$?
    failed_cleanly 1 "${spec#*:}"
    report $? "info $spec: $(tail -c 60 "$scratch/stderr")"
done
rm "pictures/$hostile/bad.png"
ln -s ../../pipe pictures/plain/a.png
before=$(snapshot)
timeout 120 "$recon" info images:pictures >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
code=$?
failed_cleanly 1 "a.png: is not a regular file"
report $? "a pipe among pictures"
f32 1 0 -1 2 0 1 | npy z.npy '<f4' '3, 2'
for case in "normalize --embeddings pipe --poses z.npy --out r" "check pipe" \
    "normalize --embeddings z.npy --poses pipe --out r" \
    "canonicalize --model pipe --data npy:z.npy --out o.npy" \
    "classifier eval --model pipe --data npy:z.npy" "report pipe --out r.html" \
    "score --model $root/models/fashion.safetensors --data garments --rotate pipe --limit 2 --out s.npy" \
    "train --data npy:pipe --out m"; do
    timeout 120 "$recon" $case >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
    code=$?
    [ "$code" -ge 1 ] && [ "$code" -le 2 ] && one_line "$scratch/stderr"
    report $? "$case: $(tail -c 60 "$scratch/stderr")"
done
finish
