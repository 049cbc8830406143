// Keys pressed on a lab's buttons, menus and sliders are the lab's: `x` on a button does not cut the notebook's cell.
// JupyterLab asks the focused element itself whether it keeps its keys, so each is marked when it gets the focus.

import { askForHangul } from "./hangul.js";
import { keepKeys, letCombinationsPass } from "./page.js";

/** @import { View } from "./types.js" */

/** @param {Event} event */
function inLab(event) {
  return event.target instanceof HTMLElement && event.target.closest(".attention-keys") !== null;
}

/** @param {FocusEvent} event */
function mark(event) {
  if (inLab(event)) keepKeys(/** @type {HTMLElement} */ (event.target));
}

/** @param {KeyboardEvent} event */
function pass(event) {
  if (inLab(event)) letCombinationsPass(event);
}

export default {
  /** @param {View} view */
  render({ model, el }) {
    el.style.display = "none";
    if (!el.closest(".jupyter-widgets-disconnected")) askForHangul(model, () => model.send({ do: "font" }));
    document.addEventListener("focusin", mark);
    document.addEventListener("keydown", pass, true);
    document.addEventListener("keyup", pass, true);
  },
};
