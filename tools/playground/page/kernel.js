// SPDX-License-Identifier: MIT
// Kernels: one of the registry with its options; its shader, its description and the report of `explain`.

import { ask, latest } from "./ask.js";
import { definitions, make } from "./dom.js";
import { allKernels, fieldsOf, kernelSelect, requestOf, sentenceOf } from "./form.js";
import { fragmentOf, writeFragment } from "./fragment.js";
import { shader } from "./shader.js";

function description({ description: one, report }) {
  const arrays = make("div", { class: "scroll" }, make("table", {},
    make("tr", {}, ["array", "type", "where", "layout"].map((head) => make("th", {}, head))),
    one.arrays.map((array) => make("tr", {},
      [array.name, array.type, array.access ? `${array.space}, ${array.access.replace("_", " and ")}` : array.space,
        array.layout].map((text) => make("td", { class: "mono" }, text))))));
  const sizes = Object.entries(report.model.sizes).map(([name, value]) => `${name} = ${value}`).join(", ");
  return make("section", { "aria-label": "Description" },
    make("h3", {}, "Description"), make("p", {}, one.why),
    definitions([
      ["config", Object.entries(one.config).map(([name, value]) => `${name}=${value}`).join("  ")],
      ["workgroup", `${one.threads} threads, ${one.shared_bytes} bytes of shared memory`],
      ["costs at", `${sizes}; subgroups of ${report.model.subgroup}, sectors of ${report.model.sector_bytes} bytes, ` +
        `${report.model.banks} banks of ${report.model.bank_bytes} bytes`],
      ["chosen", report.choice?.join("; ")],
      ["command", one.command],
    ]), arrays);
}

function claims(report) {
  return [
    make("div", { class: "scroll" }, make("table", { class: "claims" },
      make("tr", {}, ["answer", "by", "claim"].map((head) => make("th", {}, head))),
      report.claims.map((claim) => make("tr", {},
        make("td", { class: claim.answer === "proved" ? "good" : "fair" }, claim.answer),
        make("td", {}, claim.by), make("td", {}, claim.claim))))),
    report.assumptions.map((one) => make("p", { class: "fair" }, `assumption: ${one}`)),
  ];
}

const kGrades = { problem: "bad", fair: "fair", ok: "good" };
const summary = (report) => make("ul", {}, report.summary.map((line) =>
  make("li", { class: kGrades[line.split(":")[0]] }, line)));

// Shader and report for `request`, under the fields. Also used by the tour.
export function kernelView({ proves = true, describes = true, changed = () => {} } = {}) {
  const error = make("div", { class: "error", role: "alert" });
  const body = make("div", {});
  const draw = (answer, request) => {
    error.textContent = answer.error ?? "";
    if (answer.error) { body.replaceChildren(); return; }
    const proof = make("div", {});
    const prove = async () => {
      proof.replaceChildren(make("p", { class: "faint", role: "status" }, "proving ..."));
      const proved = await ask("kernel", { ...request, prove: true });
      proof.replaceChildren(...(proved.error ? [make("p", { class: "error" }, proved.error)] : claims(proved.report).flat()));
    };
    const report = make("div", {}, describes ? description(answer) : null,
      make("h3", {}, "Report"), summary(answer.report),
      proves ? [make("h3", {}, "Claims"),
        make("button", { type: "button", class: "prove", onclick: prove }, "Prove for every size"), proof] : null);
    body.replaceChildren(make("div", { class: "columns" }, shader(answer.glsl, answer.report.accesses), report));
  };
  const show = latest(draw);
  return {
    box: make("div", {}, error, body),
    update: async (request) => {
      const answer = await show("kernel", request);
      if (answer !== null) changed(answer);
    },
  };
}

export async function showKernel(main, given) {
  const all = await allKernels();
  const values = { kernel: "transpose/simple", ...given };
  const entry = all.find((one) => one.name === values.kernel);
  const view = kernelView();
  const run = make("a", {}, "Run it");
  const update = () => {
    writeFragment("kernel", values);
    run.href = fragmentOf("run", { ...values, size: "" });
    view.update(requestOf(values));
  };
  main.append(make("h2", {}, "Kernels"),
    make("div", { class: "row" },
      kernelSelect(all, values.kernel, (kernel) => { location.hash = fragmentOf("kernel", { kernel }); }), run));
  if (entry) {
    main.append(make("p", {}, `${sentenceOf(entry.summary)} (${entry.source}).`), fieldsOf(entry, values, update, { size: "4096" }));
  }
  main.append(view.box);
  update();
}
