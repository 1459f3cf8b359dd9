// SPDX-License-Identifier: MIT
// The fields that state a kernel: its name, type, size and options. The tour shows some of them.

import { ask } from "./ask.js";
import { field, make } from "./dom.js";

let entries = null;
export async function allKernels() {
  entries ??= (await ask("kernels")).kernels;
  return entries;
}

export const sentenceOf = (text) => text[0].toUpperCase() + text.slice(1);

const kOption = "option.";

// {kernel, type, size, option.pad, ..} of a fragment as a request.
export function requestOf(values) {
  const options = Object.fromEntries(Object.entries(values)
    .filter(([name]) => name.startsWith(kOption)).map(([name, value]) => [name.slice(kOption.length), value]));
  return { kernel: values.kernel, type: values.type ?? "", size: values.size ?? "", options };
}

function textField(name, values, label, placeholder, help, changed) {
  return field(label, make("input", {
    type: "text", value: values[name] ?? "", placeholder, title: help, spellcheck: "false", autocomplete: "off",
    oninput: (event) => { values[name] = event.target.value; changed(); },
  }));
}

function optionField(option, values, changed) {
  const name = kOption + option.name;
  const label = `--${option.name}`;
  if (option.choices.length === 0) return textField(name, values, label, option.value, option.help, changed);
  return field(label, make("select", {
    title: option.help, value: values[name] ?? "",
    onchange: (event) => { values[name] = event.target.value; changed(); },
  }, make("option", { value: "" }, option.value || "-"), option.choices.map((one) =>
    make("option", { value: one, selected: values[name] === one }, one))));
}

// The fields of values.kernel, or those that `only` names. `changed` is called after each change of `values`.
export function fieldsOf(entry, values, changed, { size = "", only = null } = {}) {
  const shown = (name) => only === null || only.includes(name);
  const own = entry.options.filter((one) => !one.of_problem && shown(one.name));
  const problem = entry.options.filter((one) => one.of_problem && shown(one.name));
  const fields = [];
  if (shown("type")) {
    fields.push(field("type", make("select", {
      onchange: (event) => { values.type = event.target.value; changed(); },
    }, entry.types.map((one) => make("option", { selected: one === (values.type || entry.type) }, one)))));
  }
  if (shown("size")) {
    fields.push(textField("size", values, `size: ${entry.size}`, size, "the sizes of the problem", changed));
  }
  const box = make("div", {}, make("div", { class: "fields" }, fields,
    own.map((one) => optionField(one, values, changed))));
  if (problem.length > 0) {
    const isOpen = problem.some((one) => values[kOption + one.name]);
    box.append(make("details", { open: isOpen }, make("summary", {}, "Options of the problem"),
      make("div", { class: "fields" }, problem.map((one) => optionField(one, values, changed)))));
  }
  return box;
}

export function kernelSelect(all, chosen, choose) {
  const families = new Map();
  for (const { name } of all) {
    const family = name.split("/")[0];
    families.set(family, [...(families.get(family) ?? []), name]);
  }
  return field("kernel", make("select", { onchange: (event) => choose(event.target.value) },
    [...families].map(([family, names]) => make("optgroup", { label: family },
      names.map((name) => make("option", { selected: name === chosen }, name))))));
}
