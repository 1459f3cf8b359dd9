// SPDX-License-Identifier: MIT
// Chooses the part of the page that the fragment of the address names.

import { ask } from "./ask.js";
import { make } from "./dom.js";
import { readFragment } from "./fragment.js";
import { showKernel } from "./kernel.js";
import { showLayout } from "./layout.js";
import { showRun } from "./run.js";
import { startTheme } from "./theme.js";
import { showTour } from "./tour.js";

const parts = { layout: showLayout, kernel: showKernel, run: showRun, tour: showTour };

function show() {
  const { part, values } = readFragment();
  const main = document.getElementById("main");
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${part}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  main.replaceChildren();
  if (part in parts) parts[part](main, values);
  else main.append(make("p", { class: "error" }, `The page has no part "${part}".`));
}

startTheme();
addEventListener("hashchange", show);
const answer = await ask("version");
if (answer.error) {
  document.getElementById("loading").textContent = answer.error;
} else {
  document.getElementById("version").textContent = `Version ${answer.version}.`;
  show();
}
document.documentElement.dataset.ready = "yes";
