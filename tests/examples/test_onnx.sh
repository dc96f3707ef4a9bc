#!/bin/sh
# The examples around exported models: recon in front of a frozen model in Node, and the page in a browser without a
# network. Both need ONNX Runtime (tools/setup onnx).
here=$(cd "${0%/*}" && pwd)
root=$PWD
. "$here/../cli/lib.sh"
export NODE_PATH="$root/node_modules"

if [ "${RECON_BUILD:-build}" = build ] && command -v node >/dev/null && command -v chromium >/dev/null; then
    node "$here/browser.js" "$root/examples/upright.html" none.bmp none.png >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
    [ "$code" -eq 1 ] && said "Serve the checkout (python3 -m http.server) or pack all of it into one file"
    report $? "the page opened from a disk as it is says what to do"
else
    skip "the page opened from a disk as it is" "no node, no chromium, or another build"
fi

if [ "${RECON_BUILD:-build}" != build ] || ! command -v node >/dev/null || [ ! -e "$root/node_modules/onnxruntime-web" ] ||
    [ ! -e "$root/node_modules/onnxruntime-node" ]; then
    skip "examples of exported models" "no node_modules/onnxruntime-node and -web, or another build: tools/setup onnx"
    finish
fi

# Garments by quarter turns: pixels are exchanged, and no value changes.
zcat "$root/data/garments/t10k-images-idx3-ubyte.gz" | tail -c +17 | head -c $((128 * 784)) >upright.bytes
node -e 'const x = require("fs").readFileSync(0), n = 28, out = Buffer.alloc(x.length);
for (let k = 0; k < x.length / 784; k++) for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) {
    let [r, c] = [i, j];
    for (let q = 0; q < k % 4; q++) [r, c] = [n - 1 - c, r];
    out[k * 784 + r * n + c] = x[k * 784 + i * n + j];
}
process.stdout.write(out);' <upright.bytes | npy images.npy '|u1' '128, 28, 28'
zcat "$root/data/garments/t10k-labels-idx1-ubyte.gz" | tail -c +9 | head -c 128 | npy labels.npy '|u1' '128,'

run export --model "$root/models/fashion.safetensors" --what canonicalize --out upright.onnx
report "$code" "export of a canonicalizer"
run export --model "$root/models/fashion-classifier.safetensors" --what classifier --out frozen.onnx
report "$code" "export of a frozen model"
mkdir c
cp labels.npy c/
run canonicalize --model "$root/models/fashion.safetensors" --data npy:images.npy --precision f32 --out c/images.npy
for data in images.npy c/images.npy; do
    "$recon" classifier eval --model "$root/models/fashion-classifier.safetensors" --data npy:$data --precision f32 --json |
        sed -n 's/.*"accuracy": \([0-9.]*\).*/\1/p'
done | awk '{ a[NR] = 100 * $1 } END { printf "as they are %.2f %%, canonicalized %.2f %%\n", a[1], a[2] }' >want
node "$root/examples/canonicalize.js" upright.onnx frozen.onnx images.npy labels.npy >"$scratch/stdout" 2>"$scratch/stderr"
code=$?
cmp -s want "$scratch/stdout"
report $? "the accuracy of the C path: $(cat want)"

if ! command -v chromium >/dev/null; then
    skip "the page in a browser" "no chromium"
    finish
fi
node "$root/examples/pack-page.js" upright.onnx page.html >"$scratch/stdout" 2>"$scratch/stderr"
code=$?
report $code "the page as one file"
# Garment 5, which lies on its side, as a bitmap file; and enlarged, in colour and not square, also as the command reads
# it. pose: of both by the command, in radians.
node -e 'const fs = require("fs"), x = fs.readFileSync("images.npy").subarray(128 + 5 * 784);
function bmp(width, height, colour) {
    const stride = (3 * width + 3) & ~3, out = Buffer.alloc(54 + stride * height);
    out.write("BM"), out.writeUInt32LE(out.length, 2), out.writeUInt32LE(54, 10), out.writeUInt32LE(40, 14);
    out.writeInt32LE(width, 18), out.writeInt32LE(-height, 22), out.writeUInt16LE(1, 26), out.writeUInt16LE(24, 28);
    for (let i = 0; i < height; i++) for (let j = 0; j < width; j++)
        colour(i, j).forEach((v, c) => { out[54 + i * stride + 3 * j + 2 - c] = v; });
    return out;
}
fs.writeFileSync("garment.bmp", bmp(28, 28, (i, j) => Array(3).fill(x[i * 28 + j])));
const at = (i, j) => x[Math.floor(i / 5) * 28 + Math.floor(j / 5)], large = (i, j) => [at(i, j), at(i, j) >> 1, 90 * (i % 2)];
fs.writeFileSync("large.bmp", bmp(131, 140, large));
const rgb = Buffer.alloc(3 * 131 * 140).map((_, k) => large(Math.floor(k / 393), Math.floor(k / 3) % 131)[k % 3]);
fs.mkdirSync("large"), fs.writeFileSync("large/large.ppm", Buffer.concat([Buffer.from("P6 131 140 255\n"), rgb]));'
run canonicalize --model "$root/models/fashion.safetensors" --data npy:images.npy --precision f32 --out c.npy --poses g.npy
run canonicalize --model "$root/models/fashion.safetensors" --data images:large --precision f32 --out c2 --poses g2.npy
pose() { # FILE ROW OF
    node -e 'const bytes = require("fs").readFileSync(process.argv[1]), [row, of] = process.argv.slice(2).map(Number);
console.log(bytes.readDoubleLE(bytes.length - 8 * (of - row)));' "$@"
}
# upright PAGE PICTURE POSE SHOT WHERE: a picture that is dropped on the page is rotated as the command says.
upright() {
    node "$here/browser.js" "$1" "$2" "$4" >"$scratch/stdout" 2>"$scratch/stderr"
    code=$?
    [ "$code" -eq 0 ] && [ "$(wc -c <"$4")" -gt 10000 ]
    report $? "$5, a dropped garment is rotated by $(cat "$scratch/stdout") degrees"
    node -e 'const [degrees, pose] = process.argv.slice(1).map(Number), apart = degrees + pose * 180 / Math.PI;
process.exit(Math.abs(apart - 360 * Math.round(apart / 360)) < 0.05 ? 0 : 1);' -- "$(cat "$scratch/stdout")" "$3"
    report $? "which is what the command says"
}
upright page.html garment.bmp "$(pose g.npy 5 128)" shot.png "without a network"
if command -v python3 >/dev/null; then
    mkdir served && ln -s "$root/examples" "$root/node_modules" "$PWD/upright.onnx" served/
    python3 -u -m http.server 0 --bind 127.0.0.1 --directory served >port 2>/dev/null &
    server=$!
    while [ ! -s port ]; do sleep 0.1; done
    port=$(sed 's/.*port \([0-9]*\).*/\1/' port)
    upright "http://127.0.0.1:$port/examples/upright.html?model=../upright.onnx" large.bmp "$(pose g2.npy 0 1)" served.png \
        "from a local server and no other host, in colour and not square"
    kill $server
else
    skip "the page from a local server" "no python3"
fi
[ "$(grep -vc '^//' "$root/examples/canonicalize.js")" -le 30 ]
report $? "the script in front of a frozen model has at most 30 lines"
finish
