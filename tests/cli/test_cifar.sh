#!/bin/sh
# recon reproduce cifar10, on pictures that are made here in the files of CIFAR-10: a light sky above dark
# grass, and a spot whose colour is the class. What is measured must fit together, and up is learned.
. "${0%/*}/lib.sh"
refused 2 "--preset fast must be one of photo|photo-small" reproduce cifar10 --preset fast
refused 2 "--train needs --out DIR" reproduce cifar10 --train
refused 1 "preset photo is for images" train --data "flat:$OLDPWD/data/conformers" --preset photo --out m --quiet
refused 2 "--seed needs --train" reproduce cifar10 --seed 2
refused 2 "--overwrite needs --train" reproduce cifar10 --overwrite
run info cifar10/test
if [ "$code" -ne 0 ]; then # pictures may be installed for all
    refused 1 "\`tools/get-cifar10\` to get it" reproduce cifar10
fi
if [ "${RECON_BUILD:-build}" != build ] || ! command -v python3 >/dev/null; then
    finish # training, which takes many times as long under sanitizers
fi

mkdir -p data/cifar10
python3 - <<'PROGRAM'
import json, random, struct, zlib
random.seed(1)
def picture(label):
    x, y, horizon = random.uniform(8, 24), random.uniform(10, 22), random.uniform(11, 21)
    spot = [(230, 30, 30), (30, 230, 30), (30, 30, 230)][label]
    out = bytearray()
    for i in range(32):
        for j in range(32):
            base = (140 + 3 * i, 170 + 2 * i, 230) if i < horizon else (80, 90, 40) # sky above grass
            noise = random.randrange(20)
            out += bytes(spot if (i - y) ** 2 + (j - x) ** 2 < 16 else (min(c + noise, 255) for c in base))
    return out
def strip(name, labels):
    chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    rows = b"".join(b"\0" + picture(label) for label in labels)
    head = struct.pack(">IIBBBBB", 1024, len(labels), 8, 2, 0, 0, 0)
    with open("data/cifar10/" + name + ".png", "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))
train, test = [i % 3 for i in range(360)], [i % 3 for i in range(90)]
for i in range(5):
    strip(f"data_batch_{i + 1}", train[72 * i:72 * (i + 1)])
strip("test_batch", test)
json.dump(train, open("data/cifar10/train_lables.json", "w")), json.dump(test, open("data/cifar10/test_lables.json", "w"))
PROGRAM
run info cifar10/test
if said "without libpng"; then
    skip "cifar10" "no libpng"
    finish
fi
grep -q "90 images of 32 x 32, 3 channels" "$scratch/stdout"
report $? "strips are read"
mv data/cifar10/data_batch_5.png .
run info cifar10/train
said "data_batch_5.png is missing: 288 training images; tools/get-cifar10 gets all"
report $? "a missing strip is said"
mv data_batch_5.png data/cifar10/
refused 1 "none.safetensors: cannot open" reproduce cifar10 --classifier none.safetensors
mkdir models # where a program elsewhere finds them
ln -s "$OLDPWD/models/cifar10.safetensors" "$OLDPWD/models/cifar10-classifier.safetensors" models/
run reproduce cifar10 --quick --json
[ "$code" -eq 0 ] && awk '/"within_22_5_percent"/ { sub(",", "", $2); exit !($2 >= 60) }' "$scratch/stdout"
report $? "the shipped model, which has seen no such pictures, knows up: by chance 12.5 % are within 22.5 degrees"
run classifier train --data cifar10 --net small --epochs 4 --out c.safetensors
report $code "a classifier"
run reproduce cifar10 --train --classifier c.safetensors --augmented c.safetensors --epochs 6 --quick --json --out run
report $code "a whole run"
cp "$scratch/stdout" result.json
python3 - <<'PROGRAM' 2>"$scratch/stderr"
import json
r = json.load(open("result.json"))
upright, c8, gate = r["accuracy"]["upright"], r["accuracy"]["c8"], r["gate"]
assert r["images"] == 90 and r["validation_images"] == 30, r
assert upright["undo"] == upright["none"] == upright["augmented"]
assert [g["p"] for g in gate["curve"]] == [.001, .002, .005, .01, .02, .03, .05, .07, .1, .2, .5, 1]
chosen = next(g for g in gate["curve"] if g["p"] == gate["p"])
assert chosen["upright"] == upright["gated"] and chosen["c8"] == c8["gated"]
held = gate["validation"]
gain = held[-1]["kept"] is not None # rotating all helps the rotated ones that are held out
def keeps(g): # 96 %, by more than a standard error
    lost = max(held[-1]["c8"] - g["c8"], 0) / 100
    return g["kept"] == 1 or lost + (lost * (1 - lost) / r["validation_images"]) ** .5 <= .04 * lost / (1 - g["kept"])
assert not gain or gate["p"] == next(g["p"] for g in held if keeps(g)), gate
assert c8["tta36"] is None and 0 <= r["accuracy"]["any"]["average"] <= 100
error = r["pose_error"]
assert error["median_deg"] < 45 and error["median_deg"] <= error["p75_deg"] <= error["p90_deg"] <= 180, error
assert all(r["ms_a_picture"][k] > 0 for k in ("classifier", "recon", "recon_one"))
PROGRAM
report $? "the figures fit together, and up is learned"
accepted "of models that are there" reproduce cifar10 --model run/found/model.safetensors --classifier c.safetensors --images 30
grep -q "P = .* was chosen on validation" "$scratch/stdout"
report $? "the curve of the gate is printed"
run discover --model run/photo.safetensors --data cifar10 --limit 60 --folds 0 --out one
[ "$code" -eq 0 ] && grep -q '^  lambda     density;' "$scratch/stdout"
report $? "natural poses of a photo preset come from its density"
grep -q 'which a photo preset cannot tell apart' "$scratch/stdout"
report $? "its widths are not said to be rotations"
run discover --model run/photo.safetensors --data cifar10 --limit 60 --folds 0 --heads paper --out two
[ "$code" -eq 2 ] && said "heads paper needs a steerable backbone"
report $? "and it has no heads as in the paper"
accepted "check draws no layers of it" check run/photo.safetensors --data cifar10 --limit 20 --svg check.svg --quiet
python3 - <<'PROGRAM'
import random, struct
def save(name, shape, body):
    head = "{'descr': '|u1', 'fortran_order': False, 'shape': %s, }" % (shape,)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    open(name, "wb").write(b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode() + body)
random.seed(2)
save("images.npy", (96, 16, 16), bytes(random.randrange(256) for _ in range(96 * 256)))
save("labels.npy", (96,), bytes(i % 2 for i in range(96)))
save("large.npy", (48, 64, 64, 3), bytes(random.randrange(256) for _ in range(64 * 64 * 3)) * 48)
PROGRAM
run classifier train --data npy:images.npy --net small --epochs 1 --out c1.safetensors
refused 1 "c1.safetensors takes images of 16 x 16 x 1, but cifar10 has 32 x 32 x 3" \
    reproduce cifar10 --train --classifier c.safetensors --augmented c1.safetensors --out again
refused 1 "preset photo-small starts from a model of about the same size (--size 32)" \
    train --data npy:large.npy --from run/photo.safetensors --out larger --quiet
finish
