// SPDX-License-Identifier: MIT
// Run: the host twin runs a kernel on small arrays; who touched which element, in which interval between barriers. With
// a barrier or a guard switched off, the fault with its threads.

import { latest } from "./ask.js";
import { choice, field, make } from "./dom.js";
import { allKernels, fieldsOf, kernelSelect, requestOf, sentenceOf } from "./form.js";
import { fragmentOf, writeFragment } from "./fragment.js";
import { grid } from "./grid.js";
import { shader } from "./shader.js";

// Small, and no multiples of tiles, so that guards have something to guard.
const kSmall = { MxNxK: "20x12x9", QUERIESxKEYSxWIDTH: "3x9x8", TOKENSxHEADSxWIDTH: "3x2x8" };
const smallSize = (entry) => kSmall[entry.size] ?? (entry.size.split("x").length === 3 ? "3x4x8" : "12x20");

export const runRequest = (values, entry) => ({
  ...requestOf({ ...values, size: values.size || smallSize(entry) }),
  without: (values.without ?? "").split(",").filter(Boolean).map(Number),
  data: values.data || "counting",
});

// At most five characters, for a cell.
const shortNumber = (value) => (value === null ? "?" : Number.isInteger(value) && Math.abs(value) < 1e5 ? String(value)
  : Number(value).toPrecision(2).replace("e+", "e"));

// One access of the answer, with names.
function touchOf(answer, touch) {
  const [array, element, workgroup, thread, interval, writes, by, value] = touch;
  return { array, element, workgroup, thread, interval, writes: writes === 1, by: answer.partitions[by], value };
}

const nameOf = (answer, touch) =>
  (answer.groups.some((count) => count > 1) ? `thread ${touch.thread} of workgroup ${touch.workgroup}` : `thread ${touch.thread}`);
const sentence = (answer, touch) => `${nameOf(answer, touch)} ${touch.writes ? "writes" : "reads"}` +
  `${touch.value === null ? "" : ` ${touch.value}`} by '${touch.by}'`;

function faultText(answer, fault) {
  const touches = fault.touches.map((i) => touchOf(answer, answer.touches[i]));
  if (fault.kind === "outside") {
    return `outside ${fault.array}: ${sentence(answer, touches[0])} at ${fault.coordinates}`;
  }
  const when = touches[0].interval === touches[1].interval ? `interval ${touches[0].interval}` : "one launch";
  return `race on ${fault.array}[${fault.element}] in ${when}: ${touches.map((one) => sentence(answer, one)).join("; ")}`;
}

// What was found, then an array in an interval. Also used by the tour.
export function runView() {
  const error = make("div", { class: "error", role: "alert" });
  const body = make("div", {});
  const view = { array: null, interval: "all", group: "all", mode: "writes", element: -1 };

  function faults(answer, draw) {
    if (answer.reasons.length === 0) {
      const result = answer.result === undefined ? "" : ` The result is ${answer.result}.`;
      return [make("div", { class: "verdict good" }, `No fault was found.${result}`)];
    }
    return [
      ...answer.reasons.map((reason) => make("div", { class: "verdict bad" }, reason)),
      ...answer.faults.map((fault) => make("div", { class: "row fault-line" },
        make("span", { class: "mono" }, faultText(answer, fault)),
        fault.kind === "race" ? make("button", {
          type: "button",
          onclick: () => {
            const first = touchOf(answer, answer.touches[fault.touches[1]]);
            Object.assign(view, {
              array: fault.array, element: fault.element, interval: String(first.interval),
              group: "all",
            });
            draw();
          },
        }, "Show the element") : null)),
    ];
  }

  // The accesses that the choices above the grid leave.
  const chosenTouches = (answer, number) => answer.touches.filter((touch) =>
    touch[0] === number && touch[1] >= 0 && (view.interval === "all" || touch[4] === Number(view.interval)) &&
    (view.group === "all" || touch[2] === Number(view.group)));

  function details(answer, array, touches) {
    if (view.element < 0) return make("p", { class: "faint" }, "Choose an element to see who touches it.");
    const lines = touches.filter((touch) => touch[1] === view.element).map((touch) => touchOf(answer, touch));
    const value = array.values?.[view.element];
    return make("div", { "aria-live": "polite" },
      make("dl", {}, make("dt", {}, "element"), make("dd", {}, `${array.name}[${view.element}]`,
        value === undefined ? "" : `, ${value} after the run`)),
      make("ul", { class: "mono" }, lines.slice(0, 40).map((one) =>
        make("li", {}, `interval ${one.interval}: ${sentence(answer, one)}`)),
      lines.length > 40 ? make("li", {}, `and ${lines.length - 40} more`) : null,
      lines.length === 0 ? make("li", {}, "nobody touches it then") : null));
  }

  function drawGrid(answer, place) {
    const arrays = answer.arrays.filter((one) => one.space !== "registers");
    if (!arrays.some((one) => one.name === view.array)) {
      view.array = (arrays.find((one) => one.space === "shared") ?? arrays[arrays.length - 1]).name;
      view.element = -1;
    }
    const array = arrays.find((one) => one.name === view.array);
    const touches = chosenTouches(answer, answer.arrays.indexOf(array));
    const cells = new Map();
    for (const touch of touches) {
      if ((touch[5] === 1) === (view.mode !== "reads")) {
        const text = view.mode === "values" ? shortNumber(touch[7]) : `T${touch[3]}`;
        cells.set(touch[1], { thread: touch[3], text });
      }
    }
    if (view.mode === "values" && array.access === "read") {
      array.values.forEach((value, at) => cells.set(at, { thread: null, text: shortNumber(value) }));
    }
    const intervals = [...new Set(answer.touches.map((touch) => touch[4]))].sort((a, b) => a - b).map(String);
    const groups = [...new Set(answer.touches.map((touch) => touch[2]))].sort((a, b) => a - b).map(String);
    if (!intervals.includes(view.interval)) view.interval = "all";
    if (!groups.includes(view.group)) view.group = "all";
    const fault = answer.faults.find((one) => one.array === view.array && one.kind === "race");
    const more = make("div", { class: "box details" });
    const what = { writes: "T0: the thread that writes last.", reads: "T0: the thread that reads last.",
      values: "The value that is written last, in the colour of its thread." }[view.mode];
    const set = (name) => (value) => { view[name] = value; if (name === "array") view.element = -1; redraw(); };
    const redraw = () => drawGrid(answer, place);
    const showDetails = () => more.replaceChildren(details(answer, array, touches));
    place.replaceChildren(
      choice("Array:", arrays.map((one) => one.name), view.array, set("array")),
      make("div", { class: "row" },
        choice("Show:", ["writes", "reads", "values"], view.mode, set("mode")),
        intervals.length > 1 ? choice("Interval:", ["all", ...intervals], view.interval, set("interval")) : null,
        groups.length > 1 && groups.length <= 16 ? choice("Workgroup:", ["all", ...groups], view.group, set("group")) : null),
      make("p", { class: "faint" }, array.space === "shared"
        ? `Shared memory ${array.layout}: 32 elements in a row, so that a column is a bank of elements of 4 bytes. ${what}`
        : `A buffer of ${array.extents.join(" x ")}, its contiguous axis to the right. ${what}`),
      more, grid(array, cells, {
        fault: fault ? fault.element : -1, chosen: view.element,
        choose: (element) => { view.element = element; showDetails(); },
      }));
    showDetails();
  }

  const draw = (answer) => {
    error.textContent = answer.error ?? "";
    if (answer.error) { body.replaceChildren(); return; }
    const place = make("div", {});
    const head = make("div", {});
    const redraw = () => drawGrid(answer, place);
    head.append(...faults(answer, redraw));
    redraw();
    body.replaceChildren(head, place);
  };
  const show = latest(draw);
  return { box: make("div", {}, error, body), update: (request) => show("run", request) };
}

// A check box for each barrier and guard, on unless values.without names it.
export function switchFields(answer, values, changed) {
  const off = () => answer.switches.flatMap((one, i) => (one.off ? [i] : []));
  return make("fieldset", { class: "box switches" }, make("legend", {}, "Barriers and guards"),
    answer.switches.map((one, i) => make("label", { class: "check" },
      make("input", {
        type: "checkbox", checked: !one.off, "data-switch": i,
        onchange: (event) => {
          one.off = !event.target.checked;
          values.without = off().join(",");
          changed();
        },
      }), make("code", {}, one.kind === "barrier" ? one.text : `if (${one.text})`))),
    answer.switches.length === 0 ? make("p", { class: "faint" }, "The kernel has none.") : null);
}

export async function showRun(main, given) {
  const all = await allKernels();
  const values = { kernel: "transpose/padded", ...given };
  const entry = all.find((one) => one.name === values.kernel);
  const view = runView();
  const switches = make("div", {}), code = make("div", {});
  let stated = "";
  const update = async () => {
    writeFragment("run", values);
    const answer = await view.update(runRequest(values, entry));
    if (answer === null) return;
    if (answer.error) { switches.replaceChildren(); code.replaceChildren(); stated = ""; return; }
    // Other options may give other guards: the boxes are made anew, unless one of them was changed.
    const now = JSON.stringify(answer.switches.map((one) => one.text));
    if (now !== stated) switches.replaceChildren(switchFields(answer, values, update));
    stated = now;
    code.replaceChildren(shader(answer.glsl));
  };
  main.append(make("h2", {}, "Run"),
    make("p", {}, "The host twin runs the kernel here, in the arithmetic of its types, and checks each access."),
    make("div", { class: "row" },
      kernelSelect(all, values.kernel, (kernel) => { location.hash = fragmentOf("run", { kernel }); }),
      field("data", make("select", { onchange: (event) => { values.data = event.target.value; update(); } },
        ["counting", "random"].map((one) => make("option", { selected: one === values.data }, one))))));
  if (!entry) {
    main.append(make("p", { class: "error" }, `no kernel '${values.kernel}'`));
    return;
  }
  const columns = make("div", { class: "columns" }, view.box, make("div", {}, make("h3", {}, "Shader"), code));
  main.append(make("p", {}, `${sentenceOf(entry.summary)}.`),
    fieldsOf(entry, values, () => { values.without = ""; update(); }, { size: smallSize(entry) }), switches, columns);
  update();
}
