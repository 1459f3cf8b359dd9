// SPDX-License-Identifier: MIT
// make("p", {class: "faint"}, "text", child) makes an element with attributes, listeners and children.

const kSvg = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

export const make = (name, attributes = {}, ...children) =>
  fill(document.createElement(name), attributes, children);
export const makeSvg = (name, attributes = {}, ...children) =>
  fill(document.createElementNS(kSvg, name), attributes, children);

// A field with its label above.
export const field = (label, control) => make("label", {}, label, control);

export const definitions = (pairs) =>
  make("dl", {}, pairs.filter(([, value]) => value !== null && value !== "" && value !== undefined)
    .map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));

// Buttons of which one is pressed. `choose` is called with its name.
export function choice(label, names, chosen, choose) {
  const group = make("div", { class: "row", role: "group", "aria-label": label });
  const draw = (now) => group.replaceChildren(
    make("span", { class: "faint" }, label),
    ...names.map((name) => make("button", {
      type: "button", "aria-pressed": String(name === now),
      onclick: () => { draw(name); group.querySelector('[aria-pressed="true"]').focus(); choose(name); },
    }, name)));
  draw(chosen);
  return group;
}
