// SPDX-License-Identifier: MIT
// A shader with what each access costs under the line that makes it.
//
// A line is found by the comment above it, which names the partitions of a copy, and by the array that it reads or
// writes. The libraries do not say the line: an access may stand in a function, or several times.

import { definitions, make } from "./dom.js";

// The comment above each line, wrapped ones joined: "copy parallelize(tile(src, ..)) to parallelize(tile, ..)". Comments
// that name no partition, such as "4 elements at a time", leave the one above them in force. null: a comment.
function commentsAbove(lines, partitions) {
  let comment = "", run = null;
  return lines.map((line) => {
    const text = line.match(/^\s*\/\/ ?(.*)$/)?.[1];
    if (text !== undefined) {
      run = run === null ? text.trim() : `${run} ${text.trim()}`;
      return null;
    }
    if (run !== null && partitions.some((one) => run.includes(one))) comment = run;
    run = null;
    return comment;
  });
}

// "src[..", "src_x4[..", "coopMatLoad(x, src, ..": 2 if the width is that of the access, 1 if it may be, 0 otherwise.
function touches(line, { array, access, width }) {
  const isStore = access === "store";
  if (/^\s*(layout|shared)\b/.test(line)) return 0;
  if (new RegExp(`\\bcoopMat${isStore ? "Store" : "Load"}\\([^,]*, ${array}\\b`).test(line)) return 1;
  const element = new RegExp(`\\b${array}(_x\\d+|_words)?\\[`);
  const stored = new RegExp(`^\\s*${element.source}.*\\]\\S* [-+|&^]?= `);
  const atomic = new RegExp(`atomic\\w+\\(.*${element.source}`);
  const part = isStore ? line.match(stored) ?? line.match(atomic) : line.replace(stored, "= ").match(element);
  if (!part) return 0;
  return (part[1] ?? "") === (width > 1 ? `_x${width}` : "") ? 2 : 1;
}

// The accesses of each line, and those that were not found. Accesses are in the order of the text, so that the first
// line that has none yet is taken.
export function accessesByLine(glsl, accesses) {
  const lines = glsl.split("\n");
  const comments = commentsAbove(lines, accesses.map((access) => access.partition));
  const byLine = new Map(), elsewhere = [];
  const isTaken = (i, access) =>
    (byLine.get(i) ?? []).some((one) => one.array === access.array && one.access === access.access);
  for (const access of accesses) {
    let best = -1, most = 0;
    lines.forEach((line, i) => {
      const fits = comments[i] === null ? 0 : touches(line, access);
      if (fits === 0) return;
      const points = fits + (comments[i].includes(access.partition) ? 6 : 0) + (isTaken(i, access) ? 0 : 3);
      if (points > most) [best, most] = [i, points];
    });
    if (best < 0) elsewhere.push(access);
    else byLine.set(best, [...(byLine.get(best) ?? []), access]);
  }
  return { byLine, elsewhere };
}

const cost = (access) => access.sectors
  ? `${access.sectors.found} sectors for ${access.sectors.bytes} bytes, ${access.sectors.ideal} at best`
  : access.banks ? `${access.banks.wavefronts} wavefronts, ${access.banks.ideal} at best` : null;

export function accessNote(access) {
  return make("details", { class: `note ${access.grade}` },
    make("summary", {}, `${access.access} ${access.array}: ${access.verdict}`),
    definitions([
      ["by", access.partition],
      ["where", access.path],
      ["width", `${access.width} element${access.width === 1 ? "" : "s"}, ${access.bytes} bytes; not wider: ${access.not_wider}`],
      [access.banks ? "banks" : "memory", cost(access)],
      ["efficiency", access.requests > 0 ? `${Math.round(100 * access.efficiency)} %` : null],
      ["inside", access.bounds.join(", ")],
    ]));
}

export function shader(glsl, accesses = []) {
  const { byLine, elsewhere } = accessesByLine(glsl, accesses);
  const lines = glsl.replace(/\n$/, "").split("\n");
  const list = make("ol", {}, lines.map((line, i) => {
    const comment = line.indexOf("//");
    const code = comment < 0 ? line : line.slice(0, comment);
    return make("li", {}, code || (comment < 0 ? " " : ""),
      comment < 0 ? null : make("span", { class: "comment" }, line.slice(comment)),
      (byLine.get(i) ?? []).map(accessNote));
  }));
  const box = make("div", { class: "shader", tabindex: 0, role: "region", "aria-label": "GLSL" }, list);
  return make("div", {}, box, elsewhere.map(accessNote));
}
