// One panel: what it shows of its values, what Python hears of it, and what Python says.

import { numberText } from "./page.js";
import { PanelFrame } from "./panel_frame.js";
import { PanelHand } from "./panel_hand.js";

/** @import { Board } from "./board.js" */
/** @import { Edit, Spec } from "./types.js" */

const PALETTES = { weights: "sequential", signed: "diverging", mask: "category", category: "category" };

/**
 * Marks what is selected, also for those who hear it.
 * @param {HTMLElement} node
 * @param {string} className
 * @param {boolean} on
 */
function mark(node, className, on) {
  node.classList.toggle(className, on);
  if (on) node.setAttribute("aria-selected", "true");
  else node.removeAttribute("aria-selected");
}

/**
 * @param {Float64Array} a
 * @param {Float64Array} b
 */
const isSame = (a, b) => a.length === b.length && a.every((value, k) => Object.is(value, b[k]));

export class Panel {
  /**
   * @param {Board} board
   * @param {Spec} spec
   * @param {number} offset of its first value among those of all panels
   * @param {Element} parent
   */
  constructor(board, spec, offset, parent) {
    this.board = board;
    this.spec = spec;
    this.offset = offset;
    this.palette = board.palettes[PALETTES[spec.kind]];
    this.frame = new PanelFrame(spec, this.palette, `av-${board.messenger.id}-${offset}`, parent);
    this.size = this.frame.size;
    /** @type {Float64Array | null} */
    this.values = null;
    /** @type {Map<number, Edit>} cell -> its edit that Python has not answered yet */
    this.pending = new Map();
    /** @type {Float64Array | null} */
    this.base = null; // values before this gesture
    /** @type {string[]} */
    this.baseTexts = []; // as far as they were needed
    this.low = spec.kind === "signed" ? -spec.limit : 0;
    this.scale = (this.palette[0].length - 1) / (spec.limit - this.low); // colours a unit
    /** @type {number | null} */
    this.chosen = null;
    /** @type {number | null} */
    this.followed = null; // the column that the text speaks of
    // What each cell of the page holds.
    this.shown = Array.from({ length: this.size }, () => ({
      value: Number.NaN,
      text: /** @type {string | null} */ (null),
      background: /** @type {string | null} */ (null),
      dark: false,
      changed: false,
      special: "",
    }));
    this.hand = new PanelHand(this);
  }

  /** @param {number} k */
  valueAt(k) {
    return this.pending.get(k)?.value ?? this.values?.[k] ?? Number.NaN;
  }

  // -- what Python hears --------------------------------------------------------------------------

  /** @param {number} k */
  slot(k) {
    return `edit ${this.spec.name} ${k}`;
  }

  /**
   * Tells Python; what follows shows in the next frame where the page can calculate it, else with the answer.
   * @param {number} k
   * @param {number} value
   */
  edit(k, value) {
    const { board, spec } = this;
    if (board.dead || Object.is(value, this.valueAt(k))) return;
    const gesture = board.gesture(`${spec.name} ${k}`);
    /** @type {Edit} */
    const edit = { do: "edit", panel: spec.name, ...this.frame.placeOf(k), value, gesture, n: 0 }; // 0: not sent yet
    board.note.clear();
    board.edited = this.frame.cells[k];
    this.pending.set(k, edit);
    const isShown = board.covers(spec.name);
    if (isShown) board.calculateSoon();
    else this.drawCell(k);
    board.messenger.put(this.slot(k), edit, isShown && this.hand.drag !== null);
  }

  /** Forgets the edits that Python has answered; returns their cells. */
  settle() {
    const answered = [...this.pending].filter(([k, edit]) => !this.board.messenger.open(this.slot(k), edit));
    for (const [k] of answered) this.pending.delete(k);
    return answered.map(([k]) => k);
  }

  // -- what is shown ------------------------------------------------------------------------------

  /**
   * @param {Float64Array} values
   * @param {boolean} newGesture
   */
  setValues(values, newGesture) {
    const isShown = this.values !== null && !newGesture && isSame(values, this.values);
    if (newGesture) {
      this.base = this.values;
      this.baseTexts = [];
    }
    this.values = values;
    if (!isShown) this.draw();
  }

  draw() {
    for (let k = 0; k < this.size; k++) this.drawCell(k);
  }

  /** @param {number} value */
  textOf(value) {
    if (this.frame.numeric) return numberText(value, this.spec.digits);
    return this.spec.categories[value][1];
  }

  /**
   * A class in place of a colour of the scale, or "".
   * @param {number} value
   */
  specialOf(value) {
    if (this.spec.kind === "mask") return value ? "" : "av-forbidden";
    if (!this.frame.numeric || Number.isFinite(value)) return "";
    return value === -Infinity ? "av-forbidden" : "av-broken";
  }

  /**
   * The place of a value's colour in the palette.
   * @param {number} value
   */
  colourOf(value) {
    if (this.spec.kind === "mask") return 0;
    const at = this.frame.numeric ? Math.round((value - this.low) * this.scale) : value;
    return Math.min(this.palette[0].length - 1, Math.max(0, at));
  }

  /**
   * @param {number} k
   * @param {number} value
   * @param {string} text
   */
  isChanged(k, value, text) {
    if (!this.base || Object.is(value, this.base[k])) return false;
    this.baseTexts[k] ??= this.textOf(this.base[k]);
    return this.baseTexts[k] !== text;
  }

  /**
   * Writes to the page only what differs from what is there.
   * @param {number} k
   */
  drawCell(k) {
    const value = this.valueAt(k);
    const shown = this.shown[k];
    const cell = this.frame.cells[k];
    const text = shown.text !== null && Object.is(value, shown.value) ? shown.text : this.textOf(value);
    shown.value = value;
    if (text !== shown.text) {
      shown.text = text;
      this.frame.writeText(k, value, text);
      cell.classList.toggle("av-zero", Number(text) === 0);
    }
    const special = this.specialOf(value);
    if (special !== shown.special) {
      if (shown.special) cell.classList.remove(shown.special);
      if (special) cell.classList.add(special);
      shown.special = special;
    }
    if (this.spec.bars) this.drawBar(cell, shown, special ? 0 : value);
    else this.drawColour(cell, shown, special ? null : this.colourOf(value));
    const changed = this.isChanged(k, value, text);
    if (changed !== shown.changed) {
      shown.changed = changed;
      cell.classList.toggle("av-changed", changed);
    }
  }

  /**
   * @param {HTMLElement} cell
   * @param {{ background: string | null }} shown
   * @param {number} value
   */
  drawBar(cell, shown, value) {
    const share = 100 * Math.min(1, Math.abs(value) / this.spec.limit);
    const background = `${Number(share.toFixed(1))}% 100%`;
    if (background !== shown.background) cell.style.backgroundSize = background;
    shown.background = background;
    cell.classList.toggle("av-below", value < 0);
  }

  /**
   * @param {HTMLElement} cell
   * @param {{ background: string | null, dark: boolean }} shown
   * @param {number | null} at its place in the palette
   */
  drawColour(cell, shown, at) {
    const background = at === null ? "" : this.palette[0][at];
    if (background === shown.background) return;
    shown.background = background;
    cell.style.backgroundColor = background;
    const dark = at !== null && this.palette[1][at] === "#ffffff";
    if (dark !== shown.dark) cell.classList.toggle("av-on-dark", dark);
    shown.dark = dark;
  }

  /** @param {[row: number | null, column: number | null][]} list */
  setHighlight(list) {
    for (const [k, cell] of this.frame.cells.entries()) {
      const at = this.frame.placeOf(k);
      const on = list.some(([i, j]) => (i === null || i === at.row) && (j === null || j === at.column));
      cell.classList.toggle("av-lit", on);
    }
    const column = list.find(([i, j]) => i === null && j !== null)?.[1] ?? null;
    if (column !== this.followed && column !== null) this.frame.bringIntoSight(column);
    this.followed = column;
  }

  /**
   * @param {number | null} row
   * @param {number | null} column
   */
  setSelected(row, column) {
    const { lines, rowLabels, columnLabels, cells, nColumns, grid } = this.frame;
    for (const [i, line] of lines.entries()) line.classList.toggle("av-selected-line", i === row);
    for (const [i, label] of rowLabels.entries()) mark(label, "av-selected-label", i === row);
    for (const [j, label] of columnLabels.entries()) label.classList.toggle("av-selected-label", j === column);
    if (this.chosen !== null) mark(cells[this.chosen], "av-selected", false);
    this.chosen = row === null || column === null ? null : row * nColumns + column;
    if (this.chosen === null) return;
    mark(cells[this.chosen], "av-selected", true);
    if (!grid.contains(document.activeElement)) this.hand.setActive(this.chosen);
  }
}
