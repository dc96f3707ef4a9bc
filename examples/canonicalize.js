// canonicalize.js - recon in front of a frozen model, both as ONNX files, in Node.
//   recon export --model fashion --what canonicalize --out upright.onnx
//   recon export --model fashion-classifier --what classifier --out frozen.onnx
//   node examples/canonicalize.js upright.onnx frozen.onnx images.npy labels.npy
// images.npy: n x height x width, uint8 (0 .. 255) or float32 (0 .. 1); labels.npy: n, uint8. Prints the accuracy of the
// frozen model on the images as they are, and on what recon makes of them.
"use strict";
const ort = require("onnxruntime-node"), fs = require("fs"); // tools/setup onnx

function npy(path) {
    const bytes = fs.readFileSync(path), from = 10 + bytes.readUInt16LE(8), text = bytes.toString("latin1", 10, from);
    const data = bytes.buffer.slice(bytes.byteOffset + from), isByte = text.includes("u1");
    const shape = text.match(/\(([^)]*)\)/)[1].split(",").filter(s => s.trim()).map(Number);
    return { shape, isByte, data: isByte ? new Uint8Array(data) : new Float32Array(data) };
}

async function main(upright, frozen, images, labels) {
    const recon = await ort.InferenceSession.create(upright), model = await ort.InferenceSession.create(frozen);
    const x = npy(images), y = npy(labels).data, [n, h, w] = x.shape, batch = 64, hits = [0, 0];
    for (let at = 0; at < n; at += batch) {
        const some = Math.min(batch, n - at), part = x.data.slice(at * h * w, (at + some) * h * w);
        const pixels = Float32Array.from(part, v => x.isByte ? v / 255 : v);
        const as_they_are = new ort.Tensor("float32", pixels, [some, 1, h, w]);
        const { canonical } = await recon.run({ images: as_they_are });
        for (const [k, input] of [as_they_are, canonical].entries()) {
            const { logits } = await model.run({ images: input }), classes = logits.dims[1];
            for (let i = 0; i < some; i++) {
                const row = logits.data.slice(i * classes, (i + 1) * classes);
                hits[k] += row.indexOf(Math.max(...row)) === y[at + i];
            }
        }
    }
    console.log(`as they are ${(100 * hits[0] / n).toFixed(2)} %, canonicalized ${(100 * hits[1] / n).toFixed(2)} %`);
}
main(...process.argv.slice(2));
