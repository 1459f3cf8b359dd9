// SPDX-License-Identifier: MIT
// Layouts: an expression, its value and its pictures.

import { ask, latest } from "./ask.js";
import { choice, make } from "./dom.js";
import { fragmentOf, writeFragment } from "./fragment.js";
import { picture } from "./picture.js";

const kExamples = [
  ["a layout", "(4,8):(8,1)"],
  ["composition", "composition((4,8):(8,1), 4:2)"],
  ["a divide", "zipped_divide((8,8), (2,4))"],
  ["a product", "blocked_product((2,2), (3,4))"],
  ["threads of a tile", "parallelize((8,8), (4,4))"],
  ["six threads", "make_tiled_copy((2,3):(3,1), (2,3))"],
  ["a multiply-add", "make_tiled_mma((2,4), 2, 2)"],
  ["bank conflicts", "bank_map((32,32):(1,32), 32:32)"],
  ["padding", "bank_map((32,32):(1,33), 32:33)"],
  ["a swizzle", "Swizzle<2,0,2> o 0 o (4,4):(1,4)"],
  ["a collision", "find_collision((32,32):(1,31))"],
];
const kNames = { layout: "value", tiles: "tiles", threads: "threads", banks: "banks" };
const kWhat = {
  layout: "The value: of a layout, the offset at each coordinate; of a tiled copy, thread T and value V of each cell.",
  tiles: "The first argument, with one colour for each tile into which it is divided.",
  threads: "The tile, with the thread T and the value V of each cell, one colour for each thread.",
  banks: "The same offsets in the colours of 32 banks: lanes that access one colour at once wait for each other.",
};

// The value, the error and the pictures of an expression, under the field where it is typed. Also used by the tour.
export function layoutView(expression, { changed, examples = [], picture: first = "layout" }) {
  const input = make("input", {
    type: "text", class: "wide", value: expression, spellcheck: "false", autocomplete: "off",
    "aria-label": "Expression", "aria-describedby": "layout-error", oninput: () => evaluate(),
  });
  const error = make("div", { class: "error", id: "layout-error", role: "alert" });
  const value = make("output", { class: "value" });
  const pictures = make("div", {});
  let kind = first, refocus = false;

  function draw(answer) {
    const started = performance.now();
    error.textContent = answer.error ?? "";
    if (answer.error) { value.replaceChildren(); pictures.replaceChildren(); return; }
    value.replaceChildren(make("span", { class: "faint" }, `${answer.kind}: `), answer.text);
    const names = answer.pictures.map((one) => one.name);
    const one = answer.pictures.find((each) => each.svg) ?? answer.pictures[0];
    pictures.replaceChildren(...(names.length > 1
      ? [choice("Picture:", names.map((name) => kNames[name]), kNames[one.name], (name) => {
        kind = names.find((each) => kNames[each] === name);
        evaluate(true);
      })] : []),
    ...(one === undefined ? [] : [
      one.svg ? picture(one.svg, one.text.length < 4000 ? one.text : one.text.split("\n")[0])
        : make("p", { class: "faint" }, one.why_not ?? ""),
      make("p", { class: "faint" }, kWhat[one.name])]));
    if (refocus) pictures.querySelector('[aria-pressed="true"]')?.focus();
    refocus = false;
    pictures.dataset.ms = (performance.now() - started).toFixed(1);
  }

  const show = latest(draw);
  async function evaluate(byChoice = false) {
    const started = performance.now();
    refocus = byChoice;
    const answer = await show("layout", { expression: input.value, picture: kind });
    if (answer === null) return;
    pictures.dataset.msInAll = (performance.now() - started).toFixed(1);
    if (!byChoice) changed(input.value, answer);
  }
  const box = make("div", {}, input, error,
    examples.length > 0 ? make("div", { class: "examples" }, examples) : null, make("p", {}, value), pictures);
  evaluate();
  return box;
}

export function showLayout(main, values) {
  const copied = make("span", { class: "faint", role: "status" });
  const link = make("button", {
    type: "button",
    onclick: async () => {
      try {
        await navigator.clipboard.writeText(location.href);
        copied.textContent = "copied";
      } catch { copied.textContent = location.href; }
    },
  }, "Copy the link");
  const examples = kExamples.map(([name, expression]) =>
    make("a", { href: fragmentOf("layout", { expression }) }, name));
  const operations = make("details", {}, make("summary", {}, "All operations"));
  main.append(
    make("h2", {}, "Layouts"),
    make("p", {}, "A layout shape:stride is a function from coordinates to offsets. Type an expression, as ",
      make("code", {}, "vkmoye-bench layout"), " takes it."),
    layoutView(values.expression ?? kExamples[0][1], {
      changed: (expression) => writeFragment("layout", { expression }), examples,
    }),
    make("div", { class: "row" }, link, copied), operations);
  ask("layout", { operations: true }).then((answer) => operations.append(
    make("ul", { class: "mono" }, answer.operations.map((one) => make("li", {}, one)))));
}
