// A drawing in a page without Python: its hands turn the numbers of a panel, and those numbers turn the hands.

import { renderDrawing } from "./hands.js";
import { numbersIn } from "./lone_model.js";

/** @import { LoneModel } from "./lone_model.js" */
/** @import { Edit, Handler, Model } from "./types.js" */

const PANEL = "moves";
const NAMES = ["query", "key", "both"]; // of the hands, in the order of the panel's rows

/** Plays the model that anywidget hands to a drawing. */
export class LoneDrawing {
  /**
   * @param {LoneModel} model
   * @param {HTMLElement} el
   */
  constructor(model, el) {
    this.model = model;
    this.el = el;
    renderDrawing({ model: /** @type {Model} */ (/** @type {unknown} */ (this)), el });
    this.turn();
  }

  get() {
    return this.model.state.drawing;
  }

  /** A hand was turned. @param {string} _name @param {[string, number]} turned */
  set(_name, [hand, value]) {
    const row = NAMES.indexOf(hand);
    this.model.answer(/** @type {Edit} */ ({ do: "edit", panel: PANEL, row, column: 0, value, gesture: "", n: 0 }));
  }

  save_changes() {}

  /** @param {string} _name @param {Handler} handler */
  on(_name, handler) {
    this.model.on("change:drawing", handler);
  }

  off() {}

  /** The hands point where the numbers of the panel say; what a dial is called says no number that has changed. */
  turn() {
    for (const svg of this.el.querySelectorAll("svg:has(.rim)")) {
      svg.setAttribute("aria-label", svg.querySelector(".quiet")?.textContent ?? "");
    }
    const numbers = numbersIn(this.model.state, PANEL);
    for (const hand of this.el.querySelectorAll("[data-with]")) {
      const { dataset, style } = /** @type {SVGElement} */ (hand);
      for (const name of String(dataset.with).split(" ")) {
        const number = numbers[NAMES.indexOf(name)];
        const moved = number - Number(dataset[`at_${name}`]);
        dataset.angle = String(Number(dataset.angle) + moved * Number(dataset.speed));
        dataset[`at_${name}`] = String(number);
      }
      dataset.value = String(numbers[NAMES.indexOf(String(dataset.drag))]);
      style.setProperty("--angle", `${dataset.angle}rad`);
    }
  }
}
