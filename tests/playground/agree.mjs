// SPDX-License-Identifier: MIT
// agree.mjs SITE: each barrier and guard of some kernels is switched off. The races and the accesses outside that the page
// finds in the recorded accesses must be in the arrays that the host twin names, and in no others.

import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const kKernels = [
  ...["copy/simple", "copy/tiled_vec", "transpose/tiled", "transpose/padded", "transpose/vec4_shared", "transpose/auto",
    "reduce/sum", "softmax/rows", "argmax/rows"].flatMap((kernel) => ["12x20", "33x32"].map((size) => [kernel, size])),
  ["gemm/moye_simple", "20x12x9"], ["gemm/simt", "20x12x16"], ["attention/simt", "3x9x8"],
];

const folder = mkdtempSync(join(tmpdir(), "playground-"));
for (const name of ["vkmoye.js", "vkmoye.wasm"]) cpSync(join(process.argv[2], name), join(folder, name));
writeFileSync(join(folder, "package.json"), '{"type":"module"}');
const libraries = await (await import(pathToFileURL(join(folder, "vkmoye.js")))).default();

function ask(request) {
  const text = libraries.stringToNewUTF8(JSON.stringify(request));
  const answer = JSON.parse(libraries.UTF8ToString(libraries._answer(text)));
  libraries._free(text);
  if (answer.error) throw new Error(`${JSON.stringify(request)}: ${answer.error}`);
  return answer;
}

const named = (answer, pattern) =>
  [...new Set(answer.reasons.flatMap((reason) => reason.match(pattern)?.slice(1) ?? []))].sort().join();
const found = (answer, kind) => answer.faults.filter((one) => one.kind === kind).map((one) => one.array).sort().join();

let runs = 0, races = 0, outside = 0, failed = 0;
for (const [kernel, size] of kKernels) {
  const whole = ask({ ask: "run", kernel, size, data: "random" });
  const isRight = whole.reasons.length === 0 && whole.faults.length === 0 && whole.result === "right";
  if (!isRight) { ++failed; console.log(`FAILED ${kernel} ${size}: ${whole.reasons} ${whole.result}`); }
  whole.switches.forEach((one, i) => {
    const answer = ask({ ask: "run", kernel, size, without: [i] });
    const race = named(answer, /^race in (?:shared|buffer) (\w+)/), out = named(answer, /touches (\w+) at .* which ends at/);
    ++runs;
    races += race !== "";
    outside += out !== "";
    if (race === found(answer, "race") && out === found(answer, "outside")) return;
    ++failed;
    console.log(`FAILED ${kernel} ${size} without ${one.text}: ${answer.reasons} but ${JSON.stringify(answer.faults)}`);
  });
}
rmSync(folder, { recursive: true });
console.log(`${runs} runs with a barrier or guard switched off: ${races} with races, ${outside} with accesses outside; ${failed} failed`);
process.exitCode = failed === 0 && races > 0 && outside > 0 ? 0 : 1;
