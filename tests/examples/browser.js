// browser.js - drops a picture on a page in headless Chromium, without a network, and says what the page makes of it.
//   node browser.js PAGE.html|URL PICTURE SHOT.png [WIDTH]
// Prints the degrees by which the page rotated it. Chromium is driven through a pipe: its DevTools protocol, JSON
// messages that end in a zero byte.
"use strict";
const { spawn } = require("child_process"), fs = require("fs"), os = require("os"), path = require("path");

const [page, picture, shot, width = "800"] = process.argv.slice(2);
const url = /^http:/.test(page) ? page : "file://" + path.resolve(page);
const host = /^http:/.test(page) ? new URL(page).host : "";
const profile = fs.mkdtempSync(path.join(os.tmpdir(), "chromium-"));
const browser = spawn("chromium", [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--no-first-run",
    "--user-data-dir=" + profile, `--window-size=${Math.max(width, 500)},700`, "--hide-scrollbars", "--remote-debugging-pipe",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "about:blank",
], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });

const waiting = new Map();
let said = "", number = 0, requests = 0;
browser.stdio[4].on("data", bytes => {
    const messages = (said + bytes).split("\0");
    said = messages.pop();
    for (const message of messages.map(text => JSON.parse(text))) {
        const asked = message.method === "Network.requestWillBeSent" && message.params.request.url;
        if (asked && /^(https?|wss?):/.test(asked) && new URL(asked).host !== host)
            requests++;
        if (waiting.has(message.id))
            waiting.get(message.id)(message.result);
    }
});

function ask(method, params, sessionId) {
    const id = ++number;
    browser.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    return new Promise(resolve => waiting.set(id, resolve));
}

function end(code, text) {
    (code ? console.error : console.log)(text);
    browser.on("exit", () => {
        fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
        process.exit(code);
    });
    browser.kill();
}

async function main() {
    const { targetId } = await ask("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await ask("Target.attachToTarget", { targetId, flatten: true });
    const evaluate = async text =>
        (await ask("Runtime.evaluate", { expression: text, returnByValue: true }, sessionId)).result.value;
    const until = async (text, good) => {
        for (let value; ; await new Promise(resolve => setTimeout(resolve, 200)))
            if (good(value = await evaluate(text)))
                return value;
    };
    await ask("Network.enable", {}, sessionId);
    await ask("Page.enable", {}, sessionId);
    const screen = { width: Number(width), height: 700, deviceScaleFactor: 1, mobile: width < 500 };
    await ask("Emulation.setDeviceMetricsOverride", screen, sessionId);
    await ask("Page.navigate", { url }, sessionId);
    const status = "(document.getElementById('said') || {}).textContent";
    const opened = await until(status, text => text && !text.startsWith("loading"));
    if (opened !== "ready")
        return end(1, opened);
    const data = { items: [], files: [path.resolve(picture)], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"])
        await ask("Input.dispatchDragEvent", { type, x: width / 2, y: 150, data }, sessionId);
    const degrees = await until(`document.body.dataset.degrees || (${status} !== 'ready' && ${status})`, value => value);
    const { data: png } = await ask("Page.captureScreenshot", { format: "png" }, sessionId);
    fs.writeFileSync(shot, Buffer.from(png, "base64"));
    end(isNaN(Number(degrees)) || requests ? 1 : 0, requests ? `the page asked for ${requests} addresses` : degrees);
}

setTimeout(() => end(1, "the page did not answer"), 300000).unref();
main();
