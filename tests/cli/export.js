// export.js - runs an exported model over images and holds it to what the command wrote.
//   node export.js node|web MODEL.onnx images.npy poses.npy BATCH [canonical.npy | table.csv]
// Prints the differences, median and largest: degrees, and values of pixels (of each image the largest); or with a
// table of `recon score` those of scores and of p-values, both above 1e-4 for as few as it says. Ends with 1 where they
// are above what docs/export.md says. NODE_PATH has the runtimes.
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
    const [n, h, w] = x.shape, size = h * w, pixels = Float32Array.from(x.data, v => v / 255);
    const degrees = [], values = [];
    for (let at = 0; at < n; at += batch) {
        const some = Math.min(batch, n - at);
        const input = new ort.Tensor("float32", pixels.slice(at * size, (at + some) * size), [some, 1, h, w]);
        const out = await session.run({ images: input });
        for (let i = 0; i < some; i++) {
            // The table has the pose; the rotation takes it back.
            const d = (out.angle.data[i] + pose[at + i]) * 180 / Math.PI;
            const [c, s] = out.rotation.data.slice(2 * i, 2 * i + 2);
            const apart = out.angle.data[i] - Math.atan2(s, c);
            degrees.push(Math.max(Math.abs(d - 360 * Math.round(d / 360)), Math.abs(Math.sin(apart)) * 180 / Math.PI));
            let most = 0;
            for (let k = 0; want && k < size; k++)
                most = Math.max(most, Math.abs(out.canonical.data[i * size + k] - want[(at + i) * size + k]));
            values.push(most);
            if (table) {
                scores.push(Math.abs(out.score.data[i] - table("score")[at + i]));
                p_values.push(Math.abs(out.p_value.data[i] - table("p_value")[at + i]));
            }
        }
    }
    const [dm, dx] = summary(degrees), [vm, vx] = summary(values);
    if (table) {
        const [sm, sx] = summary(scores), [pm] = summary(p_values), far = p_values.filter(p => p > 1e-4).length;
        console.log(`scores ${sm.toExponential(2)} ${sx.toExponential(2)} p-values ${pm.toExponential(2)}, above 1e-4: ${far} of ${n}`);
        return sm <= 1e-4 && sx <= 1e-3 && pm <= 1e-4 && far <= 0.01 * n && dx <= 0.05;
    }
    console.log(`degrees ${dm.toExponential(2)} ${dx.toExponential(2)} pixels ${vm.toExponential(2)} ${vx.toExponential(2)}`);
    return dm <= 1e-3 && dx <= 0.05 && vm <= 1e-3 && vx <= 0.02;
}

const [runtime, model, images, poses, batch, answers] = process.argv.slice(2);
main(runtime, model, images, poses, Number(batch), answers).then(
    good => process.exit(good ? 0 : 1),
    error => { console.error(String(error)); process.exit(1); });
