#!/bin/sh
# Pictures as people have them: with alpha, of 16 bits, very large, beside files that are not read, and
# named as people name them.
here=$(cd "${0%/*}" && pwd)
. "$here/lib.sh"
if ! python3 -c 'import zlib' 2>/dev/null; then
    skip "pictures are made by Python" "no python3"
    finish
fi

# make.py KIND DIR N: letters L and T of 24 x 24 at random angles; peek.py FILE: what a PNG is.
cat >make.py <<'END'
import math, os, random, struct, sys, zlib
def chunk(t, d): return struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d))
def png(path, w, h, depth, kind, rows, extra=b""):
    c = zlib.compressobj(9)
    body = b"".join(c.compress(b"\0" + r) for r in rows) + c.flush()
    open(path, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, depth, kind, 0, 0, 0))
                           + extra + chunk(b"IDAT", body) + chunk(b"IEND", b""))
def on(k, i, j, a, s):
    x, y = (j - 11.5), (11.5 - i)
    u, v = math.cos(a) * x + math.sin(a) * y, math.cos(a) * y - math.sin(a) * x
    return (-5 < u < -2 and -8 < v < 8 or -8 < v < -5 and -5 < u < 5) if k % 2 else (-1.5 < u < 1.5 and -8 < v < 8 or 5 < v < 8 and -7 < u < 7)
kind, folder, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
os.makedirs(folder, exist_ok=True)
random.seed(1)
for k in range(n):
    a = random.uniform(-0.6, 0.6)
    shape = [[on(k, i, j, a, 1) for j in range(24)] for i in range(24)]
    path = f"{folder}/{k:03}.png"
    if kind == "black": png(path, 24, 24, 8, 6, [b"".join(b"\0\0\0\xff" if p else b"\0\0\0\0" for p in r) for r in shape])
    if kind == "white": png(path, 24, 24, 8, 4, [b"".join(b"\xff\xff" if p else b"\0\0" for p in r) for r in shape])
    if kind == "half": png(path, 24, 24, 8, 6, [b"".join((b"\0\0\0\xff" if j < 12 else b"\xff\xff\xff\xff") if p else b"\0\0\0\0" for j, p in enumerate(r)) for r in shape])
    if kind == "deep": png(path, 24, 24, 16, 0, [b"".join(b"\xff\x01" if p else b"\x01\x02" for p in r) for r in shape])
    if kind == "deeprgb": png(path, 24, 24, 16, 2, [b"".join(b"\xff\x01\x80\x07\0\0" if p else b"\x01\x02\0\0\0\0" for p in r) for r in shape])
    if kind == "palette": png(path, 24, 24, 8, 3, [bytes(1 if p else 0 for p in r) for r in shape],
                              chunk(b"PLTE", bytes([0, 255, 0, 10, 20, 30])) + chunk(b"tRNS", b"\0\xff"))
if kind == "bomb":
    for k in range(n):
        png(f"{folder}/{k:03}.png", 9000, 9000, 1, 0, (bytes(1125) for _ in range(9000)))
if kind == "huge":
    png(f"{folder}/huge.png", 17400, 17400, 8, 0, (bytes(17400) for _ in range(17400)))
END
cat >peek.py <<'END'
import struct, sys, zlib
b = open(sys.argv[1], "rb").read()
w, h, depth, kind = struct.unpack(">IIBB", b[16:26])
at, data = 8, b""
while at < len(b):
    n, t = struct.unpack(">I4s", b[at:at + 8])
    data += b[at + 8:at + 8 + n] if t == b"IDAT" else b""
    at += n + 12
size = {0: 1, 2: 3, 4: 2, 6: 4}[kind] * depth // 8
raw, prior, rows = zlib.decompress(data), bytes(w * size), []
for y in range(h):
    f, line = raw[y * (w * size + 1)], bytearray(raw[y * (w * size + 1) + 1:(y + 1) * (w * size + 1)])
    for i in range(len(line)):
        a, u, c = (line[i - size] if i >= size else 0), prior[i], (prior[i - size] if i >= size else 0)
        p = min((a, u, c), key=lambda v: (abs(a + u - c - v)))
        line[i] = (line[i] + (0, a, u, (a + u) // 2, p)[f]) & 255
    prior = bytes(line)
    rows.append(prior)
corner = rows[0][:size]
middle = [rows[y][x * size:(x + 1) * size] for y in range(h) for x in range(w)]
alphas = sorted({m[-1] for m in middle}) if kind in (4, 6) else []
print(f"{w} x {h} depth {depth} kind {kind} alpha {alphas[:1] + alphas[-1:]} low bytes {len({m[1] for m in middle}) if depth == 16 else 0}"
      f" opaque {sorted({m[:-1].hex() for m in middle if m[-1] == 255})[:2] if kind in (4, 6) else 0}")
END

# --- black on a transparent ground ------------------------------------------------------------------
python3 make.py black black 48
run train --data black --preset small --width 0.25 --code 8 --epochs 2 --threads 2 --out model --json
if said "without libpng"; then
    skip "pictures" "no libpng"
    finish
fi
[ "$code" -eq 0 ] && ! said "of one colour" && grep -q '"not_read": 0' "$scratch/stdout"
report $? "black strokes on a transparent ground are seen in training"
run info model
grep -q 'transparent  *lifted' "$scratch/stdout" && grep -q 'data  *images:black' "$scratch/stdout"
report $? "the model records how transparent pixels were read"
prepare discover --model model --data black --k 5 --folds 0 --out found --quiet
[ "$code" -eq 0 ] && grep -q '"transparent": "lifted"' found/summary.json
report $? "and so does the summary"
for kind in "black 6" "white 4" "half 6" "palette 6"; do
    python3 make.py "${kind% *}" "${kind% *}" 6
    run canonicalize --all --model found --data "${kind% *}" --out "up-${kind% *}" --quiet
    python3 peek.py "up-${kind% *}/003.png" >"$scratch/stdout"
    [ "$code" -eq 0 ] && [ ! -s "$scratch/stderr" ] && grep -q "^24 x 24 depth 8 kind ${kind#* } alpha \[0, 255\]" "$scratch/stdout"
    report $? "canonicalize: ${kind% *} on a transparent ground stays so"
done
python3 peek.py up-black/001.png >"$scratch/stdout"
grep -q "opaque \['000000'\]" "$scratch/stdout"
report $? "colours do not change: black stays black"

# Somebody's own picture of the same name stays; an earlier result is replaced.
mkdir own && echo mine >own/000.png
run canonicalize --all --model found --data images:black --out own
[ "$code" -eq 1 ] && said "own/000.png exists, and is not an earlier result of recon" && grep -q mine own/000.png
report $? "canonicalize does not write over pictures that are not its own"
run canonicalize --all --model found --data images:black --limit 1 --out some && echo mine >some/005.png
run canonicalize --all --model found --data images:black --out some
[ "$code" -eq 1 ] && said "some/005.png exists" && grep -q mine some/005.png
report $? "nor over one beside an earlier result"
run canonicalize --all --model found --data images:black --out again && run canonicalize --model found --data images:black --out again
[ "$code" -eq 0 ]
report $? "and replaces an earlier result"
python3 peek.py up-palette/001.png >"$scratch/stdout"
grep -q "opaque \['0a141e'\]" "$scratch/stdout"
report $? "and no hidden green bleeds into a palette's colour"

python3 make.py deep opaque 6
cp -R black blend && cp opaque/000.png blend/opaque.png
run score --model found --data blend --out s.npy
[ "$code" -eq 0 ] && said "blend: mixes transparent pictures (48) with opaque ones (1)"
report $? "a folder that mixes both is told"

for kind in "deep 0" "deeprgb 2"; do
    python3 make.py "${kind% *}" "${kind% *}" 6
    run canonicalize --all --model found --data "images:${kind% *}" --out "up-${kind% *}" --quiet
    python3 peek.py "up-${kind% *}/003.png" >"$scratch/stdout"
    [ "$code" -eq 0 ] && grep -q "^24 x 24 depth 16 kind ${kind#* } .* low bytes [1-9][0-9]" "$scratch/stdout"
    report $? "canonicalize: 16 bits stay 16 (${kind% *})"
done

# --- what is not read ---------------------------------------------------------------------------------
cp -R black mixed
for i in 1 2 3 4 5 6 7 8 9 10; do echo x >mixed/$i.gif; done
echo x >mixed/scan.BMP
run info mixed
[ "$code" -eq 0 ] && said "warning: mixed: 10 .gif files are not read" &&
    grep -qF '  not read   10 .gif files are not read: convert them first, for example by `find DIR -iname' "$scratch/stdout" &&
    grep -q '^  *1 .bmp file is not read' "$scratch/stdout"
report $? "files of other formats are counted, and how to convert them"
for spec in images:mixed; do
    run score --model found --data $spec --out s.npy --json
    [ "$code" -eq 0 ] && is_json "$scratch/stdout" && grep -q '"not_read": 11' "$scratch/stdout" && said "10 .gif files are not read"
    report $? "$spec: in --json too, and as a warning"
done
mkdir -p tree/cats/kittens tree/dogs
cp black/00[0-3].png tree/cats && cp black/00[4-5].png tree/dogs && cp black/00[6-9].png tree/cats/kittens
run info tree
[ "$code" -eq 0 ] && grep -q '6 images' "$scratch/stdout" && grep -q 'not read   4 pictures are not read: they lie in folders of folders (cats/kittens)' "$scratch/stdout"
report $? "pictures that lie too deep are counted and named"

# --- names --------------------------------------------------------------------------------------------
run info images:black/000.png
[ "$code" -eq 0 ] && grep -q '1 image of' "$scratch/stdout"
report $? "one picture is data"
run score black/000.png -m found -o one.csv --quiet
[ "$code" -eq 0 ] && [ "$(tail -n +2 one.csv | cut -d, -f1,2)" = '"000.png",0' ]
report $? "with the name of its file"
run canonicalize black/000.png -m found -o alone --all --quiet
[ "$code" -eq 0 ] && [ -s alone/000.png ]
report $? "and can be canonicalized"
refused 1 "black/000.png exists, and is not an earlier result" canonicalize black/000.png -m found -o black --quiet
refused 2 "unknown command 'trian' (did you mean train?)" trian
refused 2 "--out up.jpg: images go to a folder, as files, or to a FILE.npy" canonicalize --model found --data black --out up.jpg
refused 2 "--out s.txt: scores go to FILE.npy or FILE.csv" score --model found --data black --out s.txt
refused 2 "--false-alarms 5: must be below 1" score --model found --data black --out s.npy --false-alarms 5
mkdir nothing
refused 1 "nothing/model.safetensors" score --model nothing --data black --out s.npy --quiet
accepted "check takes a folder too" check found --data black --limit 5 --quiet
run score --model found --data black --out s.csv --quiet
[ "$code" -eq 0 ] && [ "$(head -n 1 s.csv)" = "file,index,angle_deg,score,p_value,p_embedding,verdict,fold,candidates,cluster" ] &&
    [ "$(wc -l <s.csv)" -eq 49 ] && grep -qE '^"007.png",7,-?[0-9.]+,-?[0-9.e+-]+,[0-9.e-]+,' s.csv
report $? "score --out s.csv is a table by name"
run canonicalize --all --model found --data black --out timed --json
[ "$code" -eq 0 ] && python3 -c 'import json, sys
a = json.load(sys.stdin)
assert abs(a["ms_an_image"] - 1000 * a["seconds"] / 48) < 1e-6 and a["seconds_model"] < a["seconds"]' <"$scratch/stdout"
report $? "canonicalize: the time of each is that of the whole work"

# --- memory -------------------------------------------------------------------------------------------
python3 make.py huge huge 0
[ "$(wc -c <huge/huge.png)" -lt 300000 ]
report $? "a picture of 300 MB in less than 300 kB"
for command in "info huge" "train --data huge --out m" "score --model found --data huge --out s.npy" "canonicalize --model found --data huge --out h"; do
    refused 1 "huge/huge.png: a picture of 17400 x 17400 would take 303 MB from a file of 0.29 MB: 268 MB are allowed (raise --picture-limit to read it)" $command --quiet
done
if [ "${RECON_BUILD:-build}" = build/debug ]; then # what is measured is the release build's
    finish
fi
accepted "info takes --picture-limit too" info huge --picture-limit 400 --quiet
python3 make.py bomb bombs 4
# peak ARGS: the largest memory of the command, in MB.
peak() {
    python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$recon" "$@" 2>"$scratch/stderr"
}
most=$(peak canonicalize --all --model found --data bombs --out b --threads 4 --quiet)
[ "${most:-9999}" -lt 512 ] && [ -s b/003.png ]
report $? "four pictures of 81 MB in 40 kB, four threads: ${most:-?} MB"
# Names as people have them.
mkdir named
python3 -c 'open("named/a.ppm", "wb").write(b"P6 24 24 255\n" + bytes(range(192)) * 9)'
cp named/a.ppm named/b.pnm
cp deep/000.png named/a.ppm.png
refused 1 "a.ppm and a.ppm.png would both be written as a.ppm.png: rename one of them" canonicalize --model found --data images:named --out up-named
[ ! -e up-named ]
report $? "two pictures that would be one file: nothing is written"
long=$(printf '%0251d' 0).png
mv named/a.ppm.png "named/$long"
run canonicalize --all --model found --data images:named --out up-named --quiet
[ "$code" -eq 0 ] && [ -e up-named/a.ppm.png ] && [ -e up-named/b.pnm.png ] && [ -e "up-named/$long" ]
report $? "canonicalize: .pnm files, and names of 255 bytes"
finish
