// SPDX-License-Identifier: MIT
// An array as a grid of cells, each with the thread that touched it. Arrow keys move between cells.

import { make, makeSvg } from "./dom.js";

const kWidth = 40, kHeight = 24, kLeft = 44, kTop = 22, kMaxCells = 4096;

// The colours of the pictures of layouts: neighbouring threads differ most.
const hue = (thread) => ((thread % 32) * 137) % 360;
const colour = (thread) => `light-dark(hsl(${hue(thread)},75%,84%), hsl(${hue(thread)},45%,28%))`;

// Shared memory: a column for each bank of 4 bytes. Buffers: the contiguous axis to the right.
export function columnsOf(array) {
  if (array.space === "shared") return 32;
  return array.extents.length > 1 ? Math.max(1, array.extents[0]) : Math.min(32, array.elements);
}

// cells: a map from an element to {thread, text}; `fault`: an element with a red border, or -1.
export function grid(array, cells, { fault, chosen, choose }) {
  const columns = columnsOf(array), drawn = Math.min(array.elements, kMaxCells);
  const rows = Math.ceil(drawn / columns);
  const x = (at) => kLeft + (at % columns) * kWidth, y = (at) => kTop + Math.floor(at / columns) * kHeight;
  const frame = (at, kind, by = 0) => makeSvg("rect",
    { class: kind, x: x(at) + by, y: y(at) + by, width: kWidth - 2 * by, height: kHeight - 2 * by });
  const head = (text, left, top) => makeSvg("text", { class: "head", x: left, y: top }, String(text));
  const heads = [];
  for (let c = 0; c < Math.min(columns, drawn); ++c) heads.push(head(c, kLeft + (c + 0.5) * kWidth, kTop - 7));
  for (let r = 0; r < rows; ++r) heads.push(head(r * (array.space === "shared" ? columns : 1), 20, kTop + r * kHeight + 16));
  const bodies = [];
  for (let at = 0; at < drawn; ++at) {
    const cell = cells.get(at);
    const box = frame(at, "cell");
    if (cell && cell.thread !== null) box.style.fill = colour(cell.thread);
    bodies.push(box);
    if (cell) bodies.push(makeSvg("text", { x: x(at) + kWidth / 2, y: y(at) + 16 }, cell.text));
  }
  const marks = makeSvg("g", {});
  const mark = (now) => marks.replaceChildren(
    ...(fault >= 0 && fault < drawn ? [frame(fault, "fault")] : []),
    ...(now >= 0 && now < drawn ? [frame(now, "chosen", 3)] : []));
  const width = kLeft + Math.min(columns, drawn) * kWidth + 8, height = kTop + rows * kHeight + 8;
  const svg = makeSvg("svg", { class: "grid", width, height, viewBox: `0 0 ${width} ${height}` }, heads, bodies, marks);
  let current = chosen;
  const pick = (at, scrolls) => {
    if (at < 0 || at >= drawn) return;
    current = at;
    mark(at);
    if (scrolls) marks.lastChild.scrollIntoView({ block: "nearest", inline: "nearest" });
    choose(at);
  };
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
  const box = make("div", {
    class: "picture", tabindex: 0, role: "application",
    "aria-label": `${array.name}: arrow keys choose an element`,
    onkeydown: (event) => {
      if (!(event.key in steps)) return;
      event.preventDefault();
      pick(current < 0 ? 0 : current + steps[event.key], true);
    },
    onclick: (event) => {
      const place = svg.getBoundingClientRect();
      const c = Math.floor((event.clientX - place.left - kLeft) / kWidth);
      const r = Math.floor((event.clientY - place.top - kTop) / kHeight);
      if (c >= 0 && c < columns && r >= 0) pick(r * columns + c, false);
    },
  }, svg);
  mark(chosen);
  return make("div", {}, box, drawn < array.elements
    ? make("p", { class: "faint" }, `The first ${drawn} of ${array.elements} elements.`) : null);
}
