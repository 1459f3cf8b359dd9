// SPDX-License-Identifier: MIT
// Light, dark, or as the system says. Pictures are told by the event "theme" on the document.

const kChoices = ["system", "light", "dark"];
const system = matchMedia("(prefers-color-scheme: dark)");
let chosen = "system";
try { chosen = localStorage.getItem("theme") ?? "system"; } catch { /* storage may be off */ }
if (!kChoices.includes(chosen)) chosen = "system";

export const isDark = () => (chosen === "system" ? system.matches : chosen === "dark");

function apply() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  document.getElementById("theme").textContent = `Theme: ${chosen}`;
  document.dispatchEvent(new Event("theme"));
}

export function startTheme() {
  system.addEventListener("change", apply);
  document.getElementById("theme").addEventListener("click", () => {
    chosen = kChoices[(kChoices.indexOf(chosen) + 1) % kChoices.length];
    try { localStorage.setItem("theme", chosen); } catch { /* likewise */ }
    apply();
  });
  apply();
}
