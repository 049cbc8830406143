// What a box of controls needs on the page: its keys for itself, names for its controls, and words after a change.
// Keys pressed on a lab's buttons, menus and sliders are the lab's: `x` on a button does not cut the notebook's cell.
// JupyterLab asks the focused element itself whether it keeps its keys, so each is marked when it gets the focus.

import { askForHangul } from "./hangul.js";
import { nameControls } from "./names.js";
import { keepKeys, letCombinationsPass, make } from "./page.js";

/** @import { View } from "./types.js" */

const BOX = ".attention-keys";
const SAYS = ".lab-says"; // goal, headline, verdict: read out once they have changed
const REST = 700; // ms without a change, after which words are read out

/** @param {Event} event */
function inLab(event) {
  return event.target instanceof HTMLElement && event.target.closest(BOX) !== null;
}

/** @param {FocusEvent} event */
function mark(event) {
  if (inLab(event)) keepKeys(/** @type {HTMLElement} */ (event.target));
}

/** @param {KeyboardEvent} event */
function pass(event) {
  if (inLab(event)) letCombinationsPass(event);
}

/** Reads out what the lines that say what became of a change say anew, once the hand rests. */
class Speaker {
  /**
   * @param {Element} box
   * @param {Element} el
   */
  constructor(box, el) {
    this.box = box;
    this.spoken = make("div", "attention-spoken", el);
    this.spoken.setAttribute("aria-live", "polite");
    /** @type {WeakMap<Element, string>} */
    this.said = new WeakMap();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  lines() {
    return [...this.box.querySelectorAll(SAYS)].map(
      (line) => /** @type {[Element, string]} */ ([line, (line.textContent ?? "").trim()]),
    );
  }

  soon() {
    // What a line says when it is first seen is no change: it is read in its place.
    for (const [line, text] of this.lines()) if (!this.said.has(line)) this.said.set(line, text);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.speak(), REST);
  }

  speak() {
    const changed = this.lines().filter(([line, text]) => text !== this.said.get(line));
    for (const [line, text] of changed) this.said.set(line, text);
    const told = changed.map(([, text]) => text).filter(Boolean);
    if (told.length) this.spoken.textContent = told.join(" ");
  }
}

export default {
  /** @param {View} view */
  render({ model, el }) {
    el.classList.add("attention-keeper");
    if (!el.closest(".jupyter-widgets-disconnected")) askForHangul(model, () => model.send({ do: "font" }));
    document.addEventListener("focusin", mark);
    document.addEventListener("keydown", pass, true);
    document.addEventListener("keyup", pass, true);
    /** @type {MutationObserver | undefined} */
    let observer;
    // The box is on the page a moment after what stands in it.
    const begin = requestAnimationFrame(() => {
      const box = el.closest(BOX);
      if (!box) return;
      const speaker = new Speaker(box, el);
      const look = () => {
        nameControls(box);
        speaker.soon();
      };
      observer = new MutationObserver((changes) => {
        if (changes.some(({ target }) => !el.contains(target))) look();
      });
      // ipywidgets writes a label as a child, and a control's tooltip as its title, at each change.
      observer.observe(box, { childList: true, subtree: true, attributes: true, attributeFilter: ["title"] });
      look();
    });
    return () => {
      cancelAnimationFrame(begin);
      observer?.disconnect();
    };
  },
};
