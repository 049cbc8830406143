// The box in a cell that a number is typed into.

import { fill, keepKeys, make, numberText, parseNumber } from "./page.js";

/** @import { Panel } from "./panel.js" */

export class PanelInput {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    /** @type {{ node: HTMLInputElement, k: number } | null} */
    this.box = null;
  }

  /**
   * @param {number} k
   * @param {string | null} first what was typed to open it, or null: the number that is there
   */
  open(k, first) {
    const { panel } = this;
    if (panel.board.dead) return;
    this.close();
    const { frame, spec } = panel;
    const before = numberText(panel.valueAt(k), spec.digits);
    const node = make("input", "av-input", frame.cells[k]);
    frame.cells[k].classList.add("av-typing");
    node.type = "text";
    node.inputMode = spec.low < 0 ? "text" : "decimal"; // the number pad of some phones has no minus
    keepKeys(node);
    node.setAttribute("aria-label", frame.focusTarget(k).getAttribute("aria-label") ?? "");
    node.value = first ?? before;
    this.box = { node, k };
    node.focus();
    if (first === null) node.select();
    node.addEventListener("keydown", (event) => this.onKeyDown(event, k));
    node.addEventListener("blur", () => {
      if (this.box?.node !== node) return;
      if (node.value !== before) this.commit(node.value, k);
      this.close();
    });
  }

  /**
   * @param {KeyboardEvent} event
   * @param {number} k
   */
  onKeyDown(event, k) {
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
    if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
    event.preventDefault();
    if (event.key === "Enter" && this.box) this.commit(this.box.node.value, k);
    this.close();
    this.panel.hand.focusCell(k);
  }

  close() {
    const { box } = this;
    this.box = null; // before removing it, which makes it blur
    if (!box) return;
    box.node.remove();
    this.panel.frame.cells[box.k].classList.remove("av-typing");
  }

  /**
   * Say of what is no number that the cell stays as it is.
   * @param {string} text
   * @param {number} k
   */
  refuse(text, k) {
    const { board, frame, spec } = this.panel;
    const value = numberText(this.panel.valueAt(k), spec.digits);
    const said = text.trim() ? board.words.not_a_number : board.words.no_number;
    board.note.say(fill(said, { text: text.trim(), value }), frame.cells[k]);
  }

  /**
   * @param {string} text
   * @param {number} k
   */
  commit(text, k) {
    const { board, frame, spec } = this.panel;
    const { words } = board;
    const number = parseNumber(text);
    if (number === null) {
      this.refuse(text, k);
      return;
    }
    const value = Math.min(spec.high, Math.max(spec.low, number));
    this.panel.endGesture();
    this.panel.edit(k, value);
    if (value === number) return;
    const template = number > spec.high ? words.too_high : words.too_low;
    board.note.say(fill(template, { text: text.trim(), value: numberText(value, spec.digits) }), frame.cells[k]);
  }
}
