// SPDX-License-Identifier: MIT
// test.mjs SITE CHROMIUM BENCH SCREENSHOTS: see run beside this file. BENCH and SCREENSHOTS may be empty.

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Browser, serve } from "./browser.mjs";
import { kErrors, kLayouts, kSolutions } from "./expected.mjs";

const [site, chromium, bench, screenshots] = process.argv.slice(2);
const kReady = 'document.documentElement.dataset.ready === "yes"';
let failed = 0, passed = 0;

function expect(what, holds, found = "") {
  if (holds) { ++passed; return; }
  ++failed;
  console.log(`FAILED ${what}${found === "" ? "" : `: ${String(found).slice(0, 400)}`}`);
}

const server = await serve(site);
const browser = new Browser(chromium);
const quoted = (value) => JSON.stringify(value);
const open = async (fragment, options) => {
  const started = performance.now();
  await browser.open(`${server.origin}/${fragment}`, options);
  await browser.until(kReady);
  return performance.now() - started;
};
// Types into the first field that `selector` matches, as a user would: the whole text at once.
const type = (selector, text) => browser.value(`(() => {
  const field = document.querySelector(${quoted(selector)});
  field.value = ${quoted(text)};
  field.dispatchEvent(new Event("input", {bubbles: true}));
})()`);
const kInput = 'main input[type="text"]';
const textOf = (selector) => browser.value(`document.querySelector(${quoted(selector)})?.textContent ?? ""`);
const svgText = `[...document.querySelector(".picture").shadowRoot.querySelectorAll("text")].map((one) => one.textContent).join("\\n")`;

// Expects that an expression of the page holds soon; `found`: what shows why not.
async function eventually(what, expression, found) {
  const holds = await browser.until(expression, 10).catch(() => false);
  expect(what, Boolean(holds), holds ? "" : await browser.value(found));
}

async function sizes() {
  // Nothing loads the text of the licences unless a reader opens it.
  const files = readdirSync(site, { withFileTypes: true })
    .filter((one) => one.isFile() && one.name !== "licences.txt")
    .map((one) => readFileSync(join(site, one.name)));
  const bytes = files.reduce((sum, file) => sum + file.length, 0);
  const packed = files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0);
  console.log(`${bytes} bytes in ${files.length} files, ${packed} after gzip`);
  expect("at most 3 MB", bytes <= 3e6, bytes);
  const times = [];
  for (let i = 0; i < 3; ++i) times.push(await open(""));
  console.log(`loaded in ${times.map((time) => time.toFixed(0)).join(", ")} ms`);
  expect("loads within 2 s", Math.min(...times) <= 2000, times);
}

async function layouts() {
  await open("#layout");
  const times = [];
  for (const [expression, value] of kLayouts) {
    await browser.value('document.querySelector("main output").textContent = ""');
    await type(kInput, expression);
    await browser.until('document.querySelector("main output").textContent !== "" && document.querySelector(".picture")');
    times.push(Number(await browser.value('document.querySelector("[data-ms-in-all]").dataset.msInAll')));
    const text = await textOf("main output");
    if (value !== null) expect(`value of ${expression}`, text.endsWith(`: ${value}`), text);
    if (bench) {
      const svg = execFileSync(bench, ["layout", expression, "--draw", "svg"], { encoding: "utf8" });
      const theirs = [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map((match) =>
        match[1].replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&")).join("\n");
      const ours = await browser.value(svgText);
      expect(`picture of ${expression}`, ours === theirs, ours);
    }
  }
  const slowest = kLayouts[times.indexOf(Math.max(...times))][0];
  times.sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)];
  console.log(`a layout is drawn in ${median} ms (median of ${times.length}, largest ${times.at(-1)}, of ${slowest})`);
  expect("draws within 50 ms", median <= 50, times);

  for (const [expression, error] of kErrors) {
    await type(kInput, expression);
    await eventually(`error of ${expression}`,
      `document.querySelector(".error").textContent.includes(${quoted(error)})`, 'document.querySelector(".error").textContent');
    expect(`no picture beside an error of ${expression}`, await browser.value('document.querySelector(".picture") === null'));
  }

  await type(kInput, kLayouts[1][0]);
  await browser.until('location.hash.includes("zipped_divide")');
  const link = await browser.value("location.href");
  await open("#tour");
  await browser.open(link);
  await browser.until('document.querySelector(".picture")');
  expect("a link is opened again", await browser.value(`document.querySelector(${quoted(kInput)}).value`) === kLayouts[1][0], link);
  await browser.value(`[...document.querySelectorAll("button")].find((one) => one.textContent === "tiles").click()`);
  await eventually("the tiles of a divide",
    `(${svgText}).startsWith("(32,32):(1,32), one colour for each of 4 tiles")`, svgText);
  await type(kInput, "parallelize((4,4), (2,2))");
  await browser.until('document.querySelector("main output").textContent.includes("((2,2),(2,2))")');
  await browser.value(`[...document.querySelectorAll("button")].find((one) => one.textContent === "threads").click()`);
  await eventually("the threads of a tile", `(${svgText}).includes("T3V3")`, svgText);
}

async function kernels() {
  await open("#kernel?kernel=transpose/simple");
  await browser.until('document.querySelector(".shader")');
  const notes = await browser.value(`[...document.querySelectorAll(".shader li")].flatMap((line) =>
    [...line.querySelectorAll("summary")].map((note) => [line.firstChild.textContent.trim(), note.textContent]))`);
  const wanted = [["tile[tile_at + 256u * v1] = src[src_col + cols * src_row];", "load src: coalesced"],
    ["tile[tile_at + 256u * v1] = src[src_col + cols * src_row];", "store tile: conflict-free"],
    ["dst[dst_row + rows * dst_col] = tile[tile_at + 8u * v1];", "load tile: 32-way bank conflict: 32 wavefronts where 1 would do"],
    ["dst[dst_row + rows * dst_col] = tile[tile_at + 8u * v1];", "store dst: coalesced"]];
  expect("notes under their lines", quoted(notes) === quoted(wanted), quoted(notes));
  if (bench) {
    const shader = execFileSync(bench, ["emit", "transpose/simple"], { encoding: "utf8" });
    const lines = await browser.value(`[...document.querySelectorAll(".shader li")].map((line) => [...line.childNodes]
      .filter((node) => !node.classList?.contains("note")).map((node) => node.textContent).join("").trimEnd()).join("\\n")`);
    expect("the shader is that of emit", `${lines}\n` === shader, lines);
  }
  await browser.value('document.querySelector(".prove").click()');
  await browser.until('document.querySelector("table.claims")');
  const claims = await textOf("table.claims");
  expect("claims are proved by isl", /provedislno invocation touches what another writes in dst/.test(claims), claims);
  await type('label input[placeholder="0"]', "1");
  await eventually("padding removes the conflict",
    '!document.querySelector(".shader").textContent.includes("bank conflict")', 'document.querySelector(".shader").textContent');
  await type('label input[placeholder="(32,32):(1,32)"]', "(32,32):(1,31)");
  await eventually("a kernel is refused with its reason",
    'document.querySelector(".error").textContent.includes("share address 31")', 'document.querySelector(".error").textContent');
}

async function runs() {
  await open("#run?kernel=transpose/padded&size=12x20&without=2");
  await browser.until('document.querySelector(".verdict.bad")');
  const race = await textOf(".verdict.bad"), fault = await textOf(".fault-line");
  const threads = race.match(/writes tile\[(\d+)\] in thread (\d+) and .* reads it in thread (\d+)/) ?? [];
  expect("the twin names a race with two threads", threads.length === 4, race);
  expect("the page shows the same element and threads",
    fault.includes(`tile[${threads[1]}]`) && fault.includes(`thread ${threads[2]} writes`) && fault.includes(`thread ${threads[3]} reads`), fault);
  expect("the element has a red border", await browser.value('document.querySelectorAll(".grid .fault").length') === 1);
  await browser.value('document.querySelector(".fault-line button").click()');
  await browser.until(`document.querySelector("dl").textContent.includes("tile[${threads[1]}]")`, 5);
  await browser.value('document.querySelector("[data-switch=\\"2\\"]").click()');
  await browser.until('document.querySelector(".verdict.good")');
  expect("the shader has its barrier", (await textOf(".shader")).includes("barrier()"));
  await browser.value('document.querySelector("[data-switch=\\"0\\"]").click()');
  await browser.until('document.querySelector(".verdict.bad")');
  const outside = await textOf(".verdict.bad");
  expect("a guard that is off: an access outside", /touches src at col = \d+ in thread \d+/.test(outside), outside);
}

async function tour() {
  for (const [i, moves] of kSolutions.entries()) {
    const what = `step ${i + 1}`;
    await open(`#tour?step=${i + 1}`);
    await browser.until('document.querySelector("#check")?.textContent');
    expect(`${what} is not done at the start`, (await textOf("#check")).startsWith("Missing: "), await textOf("#check"));
    for (const [j, move] of moves.entries()) {
      const before = await textOf("#check");
      if (move.type !== undefined) await type(kInput, move.type);
      else await browser.value(`document.querySelector('[data-switch="${move.switch}"]').click()`);
      const isLast = j === moves.length - 1;
      await browser.until(isLast ? 'document.querySelector("#check").textContent.startsWith("Done.")'
        : `document.querySelector("#check").textContent !== ${quoted(before)}`, 15).catch(() => {});
      const now = await textOf("#check");
      expect(`${what} after ${quoted(move)}`, now.startsWith(isLast ? "Done." : "Missing: ") && now !== before, now);
    }
  }
}

async function keys() {
  await open("#run?kernel=transpose/padded&size=12x20");
  await browser.until('document.querySelector(".grid")');
  const seen = new Set();
  for (let i = 0; i < 40; ++i) {
    await browser.press("Tab");
    seen.add(await browser.value('document.activeElement.id || document.activeElement.getAttribute("class") || document.activeElement.tagName + document.activeElement.textContent.slice(0, 9)'));
  }
  for (const one of ["skip", "ALayouts", "theme", "picture", "INPUT"]) {
    expect(`Tab reaches ${one}`, [...seen].some((name) => name.startsWith(one)), [...seen]);
  }
  await browser.value('document.querySelector(".picture").focus()');
  for (const key of ["ArrowRight", "ArrowDown", "ArrowRight"]) await browser.press(key);
  expect("arrow keys choose an element", (await textOf("main dl")).startsWith("elementtile[33]"), await textOf("main dl"));
  await browser.value('document.querySelector("#theme").focus()');
  await browser.press("Enter");
  await browser.press("Enter");
  expect("Enter changes the theme", await browser.value("document.documentElement.dataset.theme") === "dark");
  await browser.value('localStorage.removeItem("theme")');
}

async function looks() {
  if (screenshots) mkdirSync(screenshots, { recursive: true });
  const parts = { layout: "#layout?expression=make_tiled_copy((2,3):(3,1),(2,3))", kernel: "#kernel", run: "#run?without=2", tour: "#tour?step=5" };
  for (const [name, fragment] of Object.entries(parts)) {
    for (const width of [400, 1400]) {
      for (const dark of [false, true]) {
        await open(fragment, { width, dark });
        await browser.until('document.querySelector(".picture, .shader")');
        const inAll = await browser.value("document.documentElement.scrollWidth");
        expect(`${name} fits into ${width} pixels`, inAll <= width, inAll);
        const page = await browser.value("getComputedStyle(document.body).backgroundColor");
        expect(`${name} is ${dark ? "dark" : "light"}`, (page === "rgb(255, 255, 255)") !== dark, page);
        if (screenshots) {
          await new Promise((resolve) => setTimeout(resolve, 300));
          writeFileSync(join(screenshots, `${name}_${width}_${dark ? "dark" : "light"}.png`), await browser.screenshot());
        }
      }
    }
  }
}

for (const test of [sizes, layouts, kernels, runs, tour, keys, looks]) {
  const before = failed, started = performance.now();
  await test().catch((error) => expect(test.name, false, error.message));
  console.log(`${failed === before ? "passed" : "FAILED"} ${test.name}, ${((performance.now() - started) / 1000).toFixed(1)} s`);
}
const away = browser.requests().filter((url) => !url.startsWith(`${server.origin}/`) && !url.startsWith("data:") && url !== "about:blank");
expect("no request to anywhere else", away.length === 0, away);
const absent = server.paths.filter((path) => path !== "/" && !readdirSync(site).includes(path.slice(1)));
expect("every file that is asked for is there", absent.length === 0, absent);
expect("no errors in the console", browser.errors().length === 0, browser.errors().join("\n"));
await browser.close();
server.close();
console.log(`${passed} passed, ${failed} failed${bench ? "" : "; pictures were not compared: no vkmoye-bench"}`);
process.exitCode = failed === 0 ? 0 : 1;
