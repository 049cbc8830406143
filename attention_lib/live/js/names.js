// Names of ipywidgets' controls, for those who hear them: it gives a slider's handle none, and says of no switch
// whether it is on.

import { newId } from "./page.js";

/**
 * @param {Element} node
 * @param {string} name
 * @param {string} value
 */
function give(node, name, value) {
  if (value && node.getAttribute(name) !== value) node.setAttribute(name, value);
}

/**
 * The choices of one question get one common name. Without it the browser does not know that they belong together:
 * an arrow key on the last one would go on to the next question, or, in Firefox, do nothing.
 * @param {Element} box
 */
function groupChoices(box) {
  for (const group of box.querySelectorAll(".widget-radio-box")) {
    const choices = group.querySelectorAll("input[type=radio]");
    // Drawn, not counted: each control brings a copy of this script.
    const name = choices[0]?.getAttribute("name") || `choices-${newId()}`;
    for (const choice of choices) give(choice, "name", name);
  }
}

/** @param {Element} box */
export function nameControls(box) {
  groupChoices(box);
  for (const handle of box.querySelectorAll(".noUi-handle")) {
    const slider = handle.closest(".widget-slider");
    const label = slider?.querySelector(".widget-label")?.textContent?.trim() ?? "";
    give(handle, "aria-label", label);
    // A slider of steps says in its title what the reader sees; itself it knows its steps alone.
    const title =
      slider?.closest("[title]")?.getAttribute("title") ?? slider?.querySelector("[title]")?.getAttribute("title");
    if (title?.startsWith(`${label}: `)) give(handle, "aria-valuetext", title.slice(label.length + 2));
  }
  for (const field of box.querySelectorAll("input.widget-input, .widget-textarea textarea")) {
    const label = field.closest(".jupyter-widgets")?.querySelector(".widget-label");
    if (!label?.textContent?.trim()) give(field, "aria-label", field.getAttribute("title") ?? "");
  }
  // "changed by you", "your own", "stored": what a menu says; nobody chooses it.
  for (const entry of box.querySelectorAll(".menu-says option:first-child")) {
    if (!(entry instanceof HTMLOptionElement) || entry.hidden) continue;
    entry.hidden = true;
    entry.disabled = true;
  }
  for (const button of box.querySelectorAll(".widget-toggle-button")) {
    button.setAttribute("aria-pressed", String(button.classList.contains("mod-active")));
  }
}
