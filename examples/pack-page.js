// pack-page.js - makes one file of examples/upright.html, onnxruntime-web and a model: it opens from a disk, and asks
// no other host for anything.
//   node examples/pack-page.js MODEL.onnx upright-packed.html
"use strict";
const fs = require("fs"), path = require("path");

const [model, out] = process.argv.slice(2);
if (!out) {
    console.error("usage: node examples/pack-page.js MODEL.onnx OUT.html");
    process.exit(2);
}
const dist = path.dirname(require.resolve("onnxruntime-web/wasm")); // tools/setup onnx
const read = name => fs.readFileSync(name);
const base64 = name => read(name).toString("base64");
const packed = {
    wasm: base64(path.join(dist, "ort-wasm-simd-threaded.wasm")),
    mjs: base64(path.join(dist, "ort-wasm-simd-threaded.mjs")),
    model: base64(model),
};
const runtime = read(path.join(dist, "ort.wasm.min.js")).toString().replace(/<\/script/g, "<\\/script");
const page = read(path.join(__dirname, "upright.html")).toString();
const tag = /<script src="[^"]*ort\.wasm\.min\.js"><\/script>/;
fs.writeFileSync(out, page.replace(tag, () =>
    `<script>${runtime}</script>\n<script>window.reconPacked = ${JSON.stringify(packed)};</script>`));
