// The sentence about what was done to a cell. It lies below the cells of its matrix, so that it covers none of them and
// nothing moves, and goes with the next thing that a hand does in the lab.

import { make } from "./page.js";

const ACTS = ["pointerdown", "keydown"];
const PASSING = ["Tab", "Shift", "Control", "Meta", "Alt"]; // keys that do nothing by themselves
const GAP = 4; // px under the cells, or above them

export class Note {
  /** @param {HTMLElement} root of the view */
  constructor(root) {
    this.root = root;
    this.line = make("div", "av-note", root);
    this.line.setAttribute("role", "status");
    /** @type {Element | null} where hands are watched, while there is a sentence to take away */
    this.watched = null;
    this.onAct = (/** @type {Event} */ event) => {
      if (!(event instanceof KeyboardEvent && PASSING.includes(event.key))) this.clear();
    };
  }

  /**
   * @param {string} text
   * @param {Element} cell that it is about
   */
  say(text, cell) {
    this.clear();
    this.line.textContent = text;
    const [root, at] = [this.root.getBoundingClientRect(), cell.getBoundingClientRect()];
    const grid = (cell.closest(".av-grid") ?? cell).getBoundingClientRect();
    const { width, height } = this.line.getBoundingClientRect();
    this.watched = this.root.closest(".attention-keys") ?? this.root;
    const fits = grid.bottom + GAP + height <= this.watched.getBoundingClientRect().bottom; // else its lower edge is cut
    const top = fits ? grid.bottom + GAP : grid.top - GAP - height;
    this.line.style.left = `${Math.max(0, Math.min(at.left - root.left, root.width - width))}px`;
    this.line.style.top = `${top - root.top}px`;
    for (const act of ACTS) this.watched.addEventListener(act, this.onAct, true);
  }

  clear() {
    for (const act of ACTS) this.watched?.removeEventListener(act, this.onAct, true);
    this.watched = null;
    if (this.line.textContent) this.line.textContent = "";
  }
}
