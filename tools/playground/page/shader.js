// SPDX-License-Identifier: MIT
// A shader with what each access costs under the line that makes it.
//
// A line is found by the comment above it, which names the partitions of a copy, and by the array that it reads or
// writes. The libraries do not say the line: an access may stand in a function, or several times.

import { definitions, make } from "./dom.js";

// The comment above each line, wrapped ones joined: "copy parallelize(tile(src, ..)) to parallelize(tile, ..)".
function commentsAbove(lines) {
  let comment = "", wasComment = false;
  return lines.map((line) => {
    const text = line.match(/^\s*\/\/ ?(.*)$/)?.[1];
    if (text === undefined) { wasComment = false; return comment; }
    comment = wasComment ? `${comment} ${text.trim()}` : text.trim();
    wasComment = true;
    return null;
  });
}

function touches(line, array, isStore) {
  const element = `\\b${array}(_x\\d+|_words)?\\[`;
  const store = new RegExp(`^\\s*${element}.*\\]\\S* [-+|&^]?= `);
  if (isStore) return store.test(line) || new RegExp(`(Store\\w*|atomic\\w+)\\(.*${element}`).test(line);
  return new RegExp(element).test(line.replace(store, "= ")) && !/^\s*(layout|shared)\b/.test(line);
}

// The accesses of each line, and those that were not found.
export function accessesByLine(glsl, accesses) {
  const lines = glsl.split("\n");
  const comments = commentsAbove(lines);
  const byLine = new Map(), elsewhere = [];
  for (const access of accesses) {
    const isStore = access.access === "store";
    const all = lines.map((line, i) => i)
      .filter((i) => comments[i] !== null && touches(lines[i], access.array, isStore));
    const best = all.find((i) => comments[i].includes(access.partition) &&
      !(byLine.get(i) ?? []).some((one) => one.array === access.array && one.access === access.access)) ??
      all.find((i) => comments[i].includes(access.partition)) ?? all[0];
    if (best === undefined) elsewhere.push(access);
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
