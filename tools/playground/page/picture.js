// SPDX-License-Identifier: MIT
// A picture that the libraries drew, in a tree of its own: its style must not reach the page, nor other pictures.
// The style has a dark palette under a media query, which becomes the theme of the page.

import { make } from "./dom.js";
import { isDark } from "./theme.js";

const painters = new WeakMap();
document.addEventListener("theme", () => {
  for (const box of document.querySelectorAll(".picture")) painters.get(box)?.();
});

export function picture(svg, label) {
  const box = make("div", { class: "picture", tabindex: 0, role: "img", "aria-label": label });
  const root = box.attachShadow({ mode: "open" });
  const [, before, css, after] = svg.match(/^(.*?)<style>(.*?)<\/style>(.*)$/s);
  const sheet = new CSSStyleSheet();
  const paint = () => sheet.replaceSync(
    css.replace("(prefers-color-scheme:dark)", isDark() ? "all" : "not all") + "svg{display:block}");
  root.adoptedStyleSheets = [sheet];
  root.innerHTML = before + after;  // thousands of cells: several times as fast as an XML parser
  painters.set(box, paint);
  paint();
  return box;
}
