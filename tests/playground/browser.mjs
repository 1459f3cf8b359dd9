// SPDX-License-Identifier: MIT
// Headless Chromium by its DevTools protocol over pipes, and a file server for one folder: no packages are needed.

import { spawn } from "node:child_process";
import { createReadStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";

const kTypes = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };

// Serves `folder` on a free port: {origin, paths: what was asked for, close}.
export function serve(folder) {
  const paths = [];
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
    paths.push(path);
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    try {
      statSync(file);
      response.writeHead(200, { "Content-Type": kTypes[extname(file)] ?? "application/octet-stream" });
      createReadStream(file).pipe(response);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve({
    origin: `http://127.0.0.1:${server.address().port}`, paths, close: () => server.close(),
  })));
}

export class Browser {
  constructor(program) {
    this.folder = mkdtempSync(join(tmpdir(), "playground-"));
    const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    this.process = spawn(program, [
      "--headless", "--hide-scrollbars", "--remote-debugging-pipe", `--user-data-dir=${this.folder}`, "--no-first-run", "--disable-gpu",
      "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", ...sandbox, "about:blank",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.waiting = new Map();
    this.number = 0;
    this.events = [];
    let rest = "";
    this.process.stdio[4].on("data", (data) => {
      const parts = (rest + data).split("\0");
      rest = parts.pop();
      for (const part of parts) this.take(JSON.parse(part));
    });
    this.process.on("exit", () => {
      for (const { reject } of this.waiting.values()) reject(new Error("chromium ended"));
    });
  }

  take(message) {
    if (message.id === undefined) { this.events.push(message); return; }
    const { resolve, reject } = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error) reject(new Error(message.error.message));
    else resolve(message.result);
  }

  send(method, params = {}, sessionId = this.session) {
    const id = ++this.number;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: sessionId ?? undefined })}\0`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  // A new page in place of the last one, `width` pixels wide.
  async open(url, { width = 1400, height = 900, dark = false } = {}) {
    if (this.target) await this.send("Target.closeTarget", { targetId: this.target }, null);
    ({ targetId: this.target } = await this.send("Target.createTarget", { url: "about:blank" }, null));
    ({ sessionId: this.session } = await this.send("Target.attachToTarget", { targetId: this.target, flatten: true }, null));
    await this.send("Page.enable");
    await this.send("Network.enable");
    await this.send("Runtime.enable");
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
    await this.send("Page.navigate", { url });
  }

  // The value of an expression of the page, which may be a promise.
  async value(expression) {
    const { result, exceptionDetails } =
      await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  // Waits until an expression holds; returns its value.
  async until(expression, seconds = 30) {
    const end = Date.now() + 1000 * seconds;
    for (;;) {
      const value = await this.value(expression).catch(() => null);
      if (value) return value;
      if (Date.now() > end) throw new Error(`after ${seconds} s, this does not hold: ${expression}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async press(key, options = {}) {
    const codes = { Tab: 9, Enter: 13, ArrowRight: 39, ArrowDown: 40, " ": 32 };
    const event = { key, code: key === " " ? "Space" : key, windowsVirtualKeyCode: codes[key], ...options };
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", text: key === "Enter" ? "\r" : key === " " ? " " : undefined, ...event });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  }

  async screenshot(full = true) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: full });
    return Buffer.from(data, "base64");
  }

  // URLs that pages asked for, and messages of their consoles, since the start.
  requests() {
    return this.events.filter((event) => event.method === "Network.requestWillBeSent").map((event) => event.params.request.url);
  }
  errors() {
    return this.events.flatMap(({ method, params }) =>
      method === "Runtime.exceptionThrown" ? [params.exceptionDetails.exception?.description ?? params.exceptionDetails.text]
        : method === "Runtime.consoleAPICalled" && params.type === "error" ? [params.args.map((one) => one.value).join(" ")]
          : []);
  }

  async close() {
    await this.send("Browser.close", {}, null).catch(() => {});
    await new Promise((resolve) => (this.process.exitCode !== null ? resolve() : this.process.on("exit", resolve)));
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
