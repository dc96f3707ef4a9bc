// export.js - runs an exported model over images and holds it to what the command wrote.
//   node export.js node|web MODEL.onnx images.npy poses.npy BATCH [canonical.npy | table.csv]
// Images are n x height x width [x channels], uint8. Prints the differences, median and largest: degrees, and values of
// pixels (of each image the largest); or with a table of `recon score` those of scores and of p-values. Ends with 1 where
// they are above what docs/export.md says. NODE_PATH has the runtimes.
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
    return sorted.length ? [sorted[sorted.length >> 1], sorted[sorted.length - 1]] : [0, 0];
}

// n x height x width x channels to n x channels x height x width.
function planes(x, channels) {
    const size = x.length / channels, out = new Float32Array(x.length);
    for (let i = 0; i < x.length; i++)
        out[(i % channels) * size + Math.floor(i / channels)] = x[i];
    return out;
}

// The columns of a table by their names.
function csv(path) {
    const [names, ...rows] = fs.readFileSync(path, "latin1").trim().split("\n").map(line => line.split(","));
    return name => rows.map(row => Number(row[names.indexOf(name)]));
}

async function main(runtime, model, images, poses, batch, answers) {
    const canonical = answers && answers.endsWith(".npy") ? answers : null;
    const table = answers && !canonical ? csv(answers) : null, scores = [], p_values = [];
    const ort = require("onnxruntime-" + runtime);
    const options = runtime === "web" ? { executionProviders: ["wasm"] } : { intraOpNumThreads: 1 };
    if (runtime === "web")
        ort.env.wasm.numThreads = 1;
    const session = await ort.InferenceSession.create(new Uint8Array(fs.readFileSync(model)), options);
    const x = npy(images), pose = npy(poses).data, want = canonical ? npy(canonical).data : null;
    const [n, h, w, channels = 1] = x.shape, size = h * w * channels;
    const image = (of, i) => planes(of.subarray(i * size, (i + 1) * size), channels);
    const degrees = [], values = [];
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
            const apart = out.angle.data[i] - Math.atan2(s, c);
            degrees.push(Math.max(Math.abs(d - 360 * Math.round(d / 360)), Math.abs(Math.sin(apart)) * 180 / Math.PI));
            if (want)
                values.push(Math.max(...image(want, at + i).map((v, k) => Math.abs(out.canonical.data[i * size + k] - v))));
            if (table) {
                scores.push(Math.abs(out.score.data[i] - table("score")[at + i]));
                p_values.push(Math.abs(out.p_value.data[i] - table("p_value")[at + i]));
            }
        }
    }
    const text = pair => pair.map(v => v.toExponential(1)).join(" ");
    const d = summary(degrees), v = summary(values), s = summary(scores), p = summary(p_values);
    console.log(`degrees ${text(d)}` + (want ? `, pixels ${text(v)}` : table ? `, scores ${text(s)}, p-values ${text(p)}` : ""));
    const within = ([median, most], low, high) => median <= low && most <= high;
    return within(d, 1e-3, 0.05) && within(v, 1e-3, 0.02) && within(s, 1e-4, 1e-3) && within(p, 1e-4, 1e-4);
}

const [runtime, model, images, poses, batch, answers] = process.argv.slice(2);
main(runtime, model, images, poses, Number(batch), answers).then(
    good => process.exit(good ? 0 : 1),
    error => { console.error(String(error)); process.exit(1); });
