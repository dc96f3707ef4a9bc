// export.js - runs an exported model over images and holds it to what the command wrote.
//   node export.js node|web BATCH MODEL.onnx images.npy poses.npy [canonical.npy] [table.csv]
// Images are n x height x width [x channels], uint8. Prints the differences, median and largest: degrees, values of pixels
// (of each image the largest), and with a table of `recon score` scores, p-values, and what these are computed from if
// the table has it. Ends with 1 where they are above the limits. NODE_PATH has the runtimes.
"use strict";
const fs = require("fs");

function npy(path) {
    const bytes = fs.readFileSync(path), from = 10 + bytes.readUInt16LE(8);
    const header = bytes.toString("latin1", 10, from), data = bytes.buffer.slice(bytes.byteOffset + from);
    const type = header.match(/'descr': '([^']*)'/)[1];
    const shape = header.match(/'shape': \(([^)]*)\)/)[1].split(",").filter(s => s.trim()).map(Number);
    const of = { "|u1": Uint8Array, "<f4": Float32Array, "<f8": Float64Array }[type];
    return { shape, data: new of(data) };
}

function summary(errors) {
    const sorted = Float64Array.from(errors).sort();
    return [sorted[sorted.length >> 1], sorted[sorted.length - 1]];
}

// n x height x width x channels to n x channels x height x width.
function planes(x, channels) {
    const size = x.length / channels, out = new Float32Array(x.length);
    for (let i = 0; i < x.length; i++)
        out[(i % channels) * size + Math.floor(i / channels)] = x[i];
    return out;
}

// The columns of a table by their names, as numbers.
function csv(path) {
    const [names, ...rows] = fs.readFileSync(path, "latin1").trim().split("\n").map(line => line.split(","));
    return Object.fromEntries(names.map((name, k) => [name, rows.map(row => Number(row[k]))]));
}

// What may differ, in the median and at most: docs/export.md. Where rounding moves a pose by more than FIRM degrees, the
// image has hardly any, and its tail and p-value move too: as much as a score may.
const FIRM = 1e-3;
const limits = {
    degrees: [1e-3, 0.05], pixels: [1e-3, 0.02], score: [1e-4, 1e-3], sharpness: [1e-4, 1e-4], tail: [1e-4, 1e-4],
    p_value: [1e-4, 1e-4], "p_value without a firm pose": [1e-3, 1e-3],
};

async function main(runtime, batch, model, images, poses, ...answers) {
    const [canonical] = answers.filter(name => name.endsWith(".npy")).map(name => npy(name).data);
    const [table = {}] = answers.filter(name => name.endsWith(".csv")).map(csv);
    const columns = ["score", "sharpness", "tail", "p_value"].filter(name => table[name]);
    const ort = require("onnxruntime-" + runtime);
    const options = runtime === "web" ? { executionProviders: ["wasm"] } : { intraOpNumThreads: 1 };
    if (runtime === "web")
        ort.env.wasm.numThreads = 1;
    const session = await ort.InferenceSession.create(new Uint8Array(fs.readFileSync(model)), options);
    const x = npy(images), pose = npy(poses).data;
    const [n, h, w, channels = 1] = x.shape, size = h * w * channels;
    const image = (of, i) => planes(of.subarray(i * size, (i + 1) * size), channels);
    const apart = {}, add = (name, error) => (apart[name] = apart[name] || []).push(error);
    for (let at = 0; at < n; at += batch) {
        const some = Math.min(batch, n - at), pixels = new Float32Array(some * size);
        for (let i = 0; i < some; i++)
            pixels.set(image(x.data, at + i).map(v => v / 255), i * size);
        const input = new ort.Tensor("float32", pixels, [some, channels, h, w]);
        const out = await session.run({ images: input });
        for (let i = 0; i < some; i++) {
            // The table has the pose; the rotation takes it back.
            const d = (out.angle.data[i] + pose[at + i]) * 180 / Math.PI;
            const [c, s] = out.rotation.data.slice(2 * i, 2 * i + 2);
            const off = Math.sin(out.angle.data[i] - Math.atan2(s, c)) * 180 / Math.PI;
            const degrees = Math.max(Math.abs(d - 360 * Math.round(d / 360)), Math.abs(off));
            add("degrees", degrees);
            if (canonical)
                add("pixels", Math.max(...image(canonical, at + i).map((v, k) => Math.abs(out.canonical.data[i * size + k] - v))));
            for (const name of columns) {
                const error = Math.abs(out[name].data[i] - table[name][at + i]);
                if (degrees <= FIRM || !["tail", "p_value"].includes(name))
                    add(name, error);
                else if (name === "p_value")
                    add("p_value without a firm pose", error);
            }
        }
    }
    const found = Object.entries(apart).map(([name, errors]) => [name, summary(errors)]);
    const count = name => apart[name].length < n ? ` (${apart[name].length})` : "";
    console.log(found.map(([name, pair]) => `${name}${count(name)} ${pair.map(v => v.toExponential(1)).join(" ")}`).join(", "));
    return found.every(([name, [median, most]]) => median <= limits[name][0] && most <= limits[name][1]);
}

const [runtime, batch, ...files] = process.argv.slice(2);
main(runtime, Number(batch), ...files).then(
    good => process.exit(good ? 0 : 1),
    error => { console.error(String(error)); process.exit(1); });
