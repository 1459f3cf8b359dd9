// SPDX-License-Identifier: MIT
// Tour: ten steps, each with something to change and a check.

import { make } from "./dom.js";
import { allKernels, fieldsOf, requestOf } from "./form.js";
import { fragmentOf } from "./fragment.js";
import { kernelView } from "./kernel.js";
import { layoutView } from "./layout.js";
import { runRequest, runView, switchFields } from "./run.js";
import { kSteps, missingIn } from "./tour_steps.js";

const done = new Set();

const views = {
  layout(step, check) {
    return layoutView(step.start, { changed: (expression, answer) => check(answer), picture: step.picture });
  },
  kernel(step, check, entry) {
    const values = { ...step.values };
    const view = kernelView({ proves: false, describes: false, changed: check });
    const update = () => view.update(requestOf(values));
    update();
    return make("div", {}, fieldsOf(entry, values, update, { only: step.fields }), view.box);
  },
  run(step, check, entry) {
    const values = { ...step.values };
    const view = runView();
    const switches = make("div", {});
    const update = async () => {
      const answer = await view.update(runRequest(values, entry));
      if (answer === null) return;
      if (!answer.error) {
        const focused = document.activeElement?.dataset?.switch;
        switches.replaceChildren(switchFields(answer, values, update));
        if (focused !== undefined) switches.querySelector(`[data-switch="${focused}"]`)?.focus();
      }
      check(answer);
    };
    update();
    return make("div", {}, fieldsOf(entry, values, update, { only: step.fields }), switches, view.box);
  },
};

export async function showTour(main, given) {
  const number = Math.min(Math.max(1, Number(given.step) || 1), kSteps.length);
  const step = kSteps[number - 1];
  const entry = step.values ? (await allKernels()).find((one) => one.name === step.values.kernel) : null;
  const verdict = make("div", { class: "verdict bad", role: "status", id: "check" });
  const links = make("ol", { class: "steps" });
  const drawLinks = () => links.replaceChildren(...kSteps.map((one, i) => make("li", {}, make("a", {
    href: fragmentOf("tour", { step: i + 1 }), title: one.title, class: done.has(i) ? "done" : null,
    "aria-current": i === number - 1 ? "step" : null,
  }, String(i + 1)))));
  const check = (answer) => {
    const missing = missingIn(step, answer);
    verdict.className = `verdict ${missing === "" ? "good" : "bad"}`;
    verdict.textContent = missing === "" ? "Done." : `Missing: ${missing}`;
    if (missing === "" && number < kSteps.length) {
      verdict.append(" ", make("a", { href: fragmentOf("tour", { step: number + 1 }) }, `Step ${number + 1}: ${kSteps[number].title}`));
    }
    if (missing === "") done.add(number - 1);
    drawLinks();
  };
  drawLinks();
  main.append(links, make("h2", {}, `${number}. ${step.title}`), ...step.text.map((text) => make("p", {}, text)),
    make("p", { class: "box" }, make("strong", {}, "To do: "), step.task), verdict,
    views[step.kind](step, check, entry));
}
