// What a panel shows of its values: digits, colours, outlines, words.

import { numberText } from "./page.js";

/** @import { PanelFrame } from "./panel_frame.js" */
/** @import { Edit } from "./types.js" */

/**
 * @param {Float64Array} a
 * @param {Float64Array} b
 */
const isSame = (a, b) => a.length === b.length && a.every((value, k) => Object.is(value, b[k]));

export class PanelPicture {
  /** @param {PanelFrame} frame */
  constructor(frame) {
    this.frame = frame;
    this.spec = frame.spec;
    this.words = frame.words;
    this.palette = frame.palette;
    /** @type {Float64Array} */
    this.values = new Float64Array(frame.size);
    this.hasValues = false;
    /** @type {Map<number, Edit>} cell -> its edit that Python has not answered yet */
    this.pending = new Map();
    /** @type {Float64Array | null} */
    this.base = null; // values before this gesture
    /** @type {string[]} */
    this.baseTexts = []; // as far as they were needed
    /** @type {Uint8Array | null} */
    this.marks = null; // Python's own choice of outlined cells
    this.stretched = false;
    this.low = 0;
    this.scale = 0; // colours a unit
    this.rangeShown = "";
    /** @type {number | null} */
    this.pointed = null; // the cell that the line below tells of
    /** @type {number | null} */
    this.chosen = null;
    /** @type {number | null} */
    this.followed = null; // the column that the text speaks of
    // What each cell of the page holds.
    this.shown = Array.from({ length: frame.size }, () => ({
      value: Number.NaN,
      text: /** @type {string | null} */ (null),
      background: /** @type {string | null} */ (null),
      dark: false,
      changed: false,
      special: "",
    }));
    this.labelStretch();
    this.showReadout(null);
  }

  /** @returns {[low: number, high: number]} */
  range() {
    const { spec } = this;
    const signed = spec.kind === "signed";
    if (this.stretched) {
      const finite = this.values.filter(Number.isFinite);
      const least = Math.min(...finite);
      const most = Math.max(...finite);
      const size = Math.max(Math.abs(least), Math.abs(most));
      if (finite.length) return signed ? [-size, size] : [least, most]; // two hues stay around 0
    }
    return [signed ? -spec.limit : 0, spec.limit];
  }

  /** @param {boolean} on */
  setStretched(on) {
    if (this.stretched === on || !this.frame.stretchButton) return;
    this.stretched = on;
    this.labelStretch();
    this.draw();
  }

  labelStretch() {
    const { words } = this;
    const button = this.frame.stretchButton;
    if (!button) return;
    button.textContent = this.stretched ? words.fixed : words.stretch;
    button.title = this.stretched ? words.fixed_title : words.stretch_title;
    button.setAttribute("aria-label", `${this.spec.called}: ${button.textContent}`);
  }

  draw() {
    if (this.frame.numeric) this.drawScale();
    this.drawCells();
  }

  drawCells() {
    for (let k = 0; k < this.frame.size; k++) this.drawCell(k);
    if (this.pointed !== null) this.showReadout(this.pointed);
  }

  drawScale() {
    const { frame, words } = this;
    const [low, high] = this.range();
    const digits = this.stretched ? Math.max(3, this.spec.digits) : Number.isInteger(high) ? 0 : 2;
    const rangeShown = numberText(low, digits) + numberText(high, digits) + this.stretched;
    if (rangeShown !== this.rangeShown) {
      this.rangeShown = rangeShown;
      frame.lowText.textContent = numberText(low, digits);
      frame.highText.textContent = numberText(high, digits) + (this.stretched ? ` (${words.stretched})` : "");
    }
    this.low = low;
    this.scale = high > low ? (this.palette[0].length - 1) / (high - low) : 0;
  }

  /** @param {number} k */
  valueAt(k) {
    const edit = this.pending.get(k);
    return edit ? edit.value : this.values[k];
  }

  /**
   * @param {number} k
   * @param {number} value
   * @param {string} text
   */
  isChanged(k, value, text) {
    if (this.marks) return this.marks[k] === 1;
    if (!this.base || Object.is(value, this.base[k])) return false;
    this.baseTexts[k] ??= this.textOf(this.base[k]);
    return this.baseTexts[k] !== text;
  }

  /** @param {number} value */
  textOf(value) {
    if (this.spec.blanks && Number.isNaN(value)) return "";
    if (this.frame.numeric) return numberText(value, this.spec.digits);
    if (this.spec.kind === "mask") return value ? "✓" : "×";
    return (this.spec.categories[value] || ["", "?"])[1];
  }

  /**
   * A class in place of a colour of the scale, or "".
   * @param {number} value
   */
  specialOf(value) {
    if (this.spec.kind === "mask") return value ? "" : "av-forbidden";
    if (!this.frame.numeric || Number.isFinite(value)) return "";
    if (this.spec.blanks && Number.isNaN(value)) return "av-blank";
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
   * How much of its cell a bar fills, in percent.
   * @param {number} value
   */
  shareOf(value) {
    return Number((100 * Math.min(1, Math.abs(value) / this.spec.limit)).toFixed(1));
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
      this.writeText(k, value, text);
    }
    const special = this.specialOf(value);
    if (special !== shown.special) {
      if (shown.special) cell.classList.remove(shown.special);
      if (special) cell.classList.add(special);
      shown.special = special;
    }
    const at = this.colourOf(value);
    const background = special
      ? ""
      : this.spec.bars
        ? `${Math.sign(value)} ${this.shareOf(value)}`
        : this.palette[0][at];
    if (background !== shown.background) {
      shown.background = background;
      if (this.spec.bars) {
        cell.style.backgroundSize = `${this.shareOf(value)}% 100%`;
        cell.classList.toggle("av-below", value < 0);
      } else cell.style.backgroundColor = background;
      const dark = !special && !this.spec.bars && this.palette[1][at] === "#ffffff";
      if (dark !== shown.dark) cell.classList.toggle("av-on-dark", dark);
      shown.dark = dark;
    }
    const changed = this.isChanged(k, value, text);
    if (changed !== shown.changed) {
      shown.changed = changed;
      cell.classList.toggle("av-changed", changed);
    }
  }

  /**
   * @param {number} k
   * @param {number} value
   * @param {string} text
   */
  writeText(k, value, text) {
    const { frame, spec } = this;
    if (!frame.dense) frame.texts[k].data = text;
    frame.fitText(text.length);
    const target = frame.focusTarget(k);
    if (!spec.editable) {
      if (frame.dense) target.setAttribute("aria-label", text);
    } else if (frame.numeric) {
      target.setAttribute("aria-valuenow", String(value));
      target.setAttribute("aria-valuetext", text);
    } else {
      target.setAttribute("aria-checked", String(Boolean(value)));
    }
  }

  /**
   * @param {Float64Array} values
   * @param {Uint8Array | null} marks
   * @param {boolean} newGesture
   */
  setValues(values, marks, newGesture) {
    const shown = this.hasValues && !newGesture && !marks && !this.marks && isSame(values, this.values);
    if (newGesture) this.setBase(this.hasValues ? this.values : null);
    this.values = values;
    this.hasValues = true;
    this.marks = marks;
    if (!shown) this.draw();
  }

  /** @param {Float64Array | null} values */
  setBase(values) {
    this.base = values;
    this.baseTexts = [];
  }

  /**
   * @param {string} text
   * @param {boolean} visible
   */
  setCaption(text, visible) {
    const { caption, captionText } = this.frame;
    if (text !== captionText.data) captionText.data = text;
    caption.classList.toggle("av-hidden", !visible);
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
    const { lines, rowLabels, columnLabels, cells, nColumns } = this.frame;
    for (const [i, line] of lines.entries()) line.classList.toggle("av-selected-line", i === row);
    for (const [i, label] of rowLabels.entries()) {
      label.classList.toggle("av-selected-label", i === row);
      if (i === row) label.setAttribute("aria-selected", "true");
      else label.removeAttribute("aria-selected");
    }
    for (const [j, label] of columnLabels.entries()) label.classList.toggle("av-selected-label", j === column);
    if (this.chosen !== null) {
      cells[this.chosen].classList.remove("av-selected");
      cells[this.chosen].removeAttribute("aria-selected");
    }
    this.chosen = row === null || column === null ? null : row * nColumns + column;
    if (this.chosen === null) return;
    cells[this.chosen].classList.add("av-selected");
    cells[this.chosen].setAttribute("aria-selected", "true");
  }

  /**
   * The line under the panel: the cell under the pointer or the focus, with more digits than fit the cell.
   * @param {number | null} k
   */
  showReadout(k) {
    this.pointed = k;
    const { spec, words, frame } = this;
    let text = "";
    if (k !== null) {
      const { row, column } = frame.placeOf(k);
      const value = this.valueAt(k);
      const name = spec.kind === "mask" ? words[value ? "allowed" : "forbidden"] : (spec.categories[value] || [""])[0];
      const digits = spec.digits && spec.digits + 2; // what is counted has none
      const shown = frame.numeric ? numberText(value, digits) : name;
      text = `${spec.row_axis} ${spec.rows[row]}, ${spec.column_axis} ${spec.columns[column]}: ${shown}`;
    }
    if (text !== frame.readout.data) frame.readout.data = text;
  }
}
