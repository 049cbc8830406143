// One panel: its grid as it is built once, and what it shows of its values.

import { labelWidth, make, numberText } from "./page.js";
import { PanelHand } from "./panel_hand.js";

/** @import { Board } from "./board.js" */
/** @import { Spec } from "./types.js" */

const HANGUL = /[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]/;
const SPECIAL = ["av-allowed", "av-forbidden"]; // classes in place of a colour of the scale
const DENSE = 20; // rows or columns, beyond which digits are dropped
const LONGEST_COLUMN = 4.4; // em, the widest label that stands level above its column
const LONGEST_UPRIGHT = 6.5; // em, of labels that stand upright; what is longer is cut with "…"
const LONGEST_ROW = 8; // em

// Marks what is selected, also for those who hear it.
function mark(node, className, on) {
  node.classList.toggle(className, on);
  if (on === node.hasAttribute("aria-selected")) return;
  if (on) node.setAttribute("aria-selected", "true");
  else node.removeAttribute("aria-selected");
}

export class Panel {
  /** @param {Board} board @param {Spec} spec */
  constructor(board, spec, id, parent) {
    this.board = board;
    this.spec = spec;
    this.nRows = spec.rows.length;
    this.nColumns = spec.columns.length;
    this.size = this.nRows * this.nColumns;
    this.numeric = spec.kind !== "mask";
    this.isShare = spec.kind === "weights" && spec.limit === 1;
    this.palette = board.palettes[spec.kind === "signed" ? "diverging" : "sequential"];
    this.low = spec.kind === "signed" ? -spec.limit : 0;
    this.scale = (this.palette[0].length - 1) / (spec.limit - this.low); // colours a unit
    this.values = null; // with the hand's latest, which the next frame shows
    this.base = null; // values before this gesture
    this.chosen = null;
    // What each cell of the page holds.
    this.shown = Array.from({ length: this.size }, () => ({ value: Number.NaN, text: "" }));
    this.dense = spec.dense || this.nRows > DENSE || this.nColumns > DENSE;
    this.textWidth = 0; // characters, the longest number so far
    this.widestColumn = Math.max(...spec.columns.map(labelWidth));
    this.side = this.dense ? Math.max(1.05, Math.min(1.5, 34 / Math.max(this.nColumns, this.nRows))) : 2.05; // em
    this.upright = this.widestColumn > (this.dense ? this.side : LONGEST_COLUMN);
    this.lines = [];
    this.rowLabels = [];
    this.cells = [];
    this.texts = [];
    this.root = make("section", "av-panel", parent);
    make("div", "av-title", this.root, spec.title).id = id;
    this.grid = make("div", "av-grid", this.root);
    this.columnLabels = this.buildHead();
    for (let i = 0; i < this.nRows; i++) this.buildLine(i);
    this.buildFoot(make("div", "av-foot", this.root));
    this.caption = make("p", "av-caption", this.root);
    this.captionText = this.caption.appendChild(document.createTextNode(""));
    this.describe(id);
    this.setSizes();
    this.hand = new PanelHand(this);
  }

  // -- how it is built ------------------------------------------------------------------------------

  describe(id) {
    const { spec, root, grid } = this;
    root.dataset.panel = spec.name;
    root.classList.toggle("av-dense", this.dense);
    root.classList.toggle("av-bars", spec.bars);
    this.caption.id = `${id}-caption`;
    grid.setAttribute("role", "grid");
    grid.setAttribute("aria-labelledby", id);
    grid.setAttribute("aria-describedby", `${id}-caption`);
    grid.setAttribute("aria-rowcount", String(this.nRows + 1));
    grid.setAttribute("aria-colcount", String(this.nColumns + 1));
    grid.setAttribute("aria-readonly", String(!spec.editable));
    grid.classList.toggle("av-editable", spec.editable && this.numeric);
    grid.classList.toggle("av-clickable", spec.editable && !this.numeric);
    grid.classList.toggle("av-upright", this.upright);
  }

  setSizes() {
    const { spec, grid, side } = this;
    const axes = [spec.row_axis, spec.column_axis].map((axis) => labelWidth(axis) + 1.4); // an arrow
    const longest = Math.max(...spec.rows.map(labelWidth), ...axes);
    const whole = Math.ceil(Math.log10(Math.max(spec.limit, spec.editable ? spec.high : 0, 1) * 1.0001));
    this.fitText(this.numeric ? Math.max(1, whole) + spec.digits + 2 : 2);
    grid.style.setProperty("--av-label", `${Math.min(LONGEST_ROW, Math.max(2.6, longest)) + 0.7}em`);
    grid.style.setProperty("--av-height", `${side}em`);
    if (this.dense) grid.style.setProperty("--av-width", `${side}em`);
    grid.style.setProperty("--av-columns", String(this.nColumns));
    grid.style.setProperty("--av-rows", String(this.nRows));
  }

  // Cells only ever grow, so nothing jumps while a value changes.
  fitText(characters) {
    if (this.dense || characters <= this.textWidth) return;
    this.textWidth = characters;
    const label = this.upright ? 1.2 : this.widestColumn + 0.3;
    this.grid.style.setProperty("--av-width", `${Math.max(2.1, label, characters * 0.57 + 0.6)}em`);
  }

  buildHead() {
    const { spec } = this;
    const head = make("div", "av-line av-head", this.grid);
    head.setAttribute("role", "row");
    const corner = make("div", "av-corner", head);
    corner.setAttribute("role", spec.row_axis || spec.column_axis ? "columnheader" : "gridcell"); // no header is empty
    const named = (axis, arrow) => (axis ? `${axis} ${arrow}` : "");
    make("span", "av-axis", corner, named(spec.column_axis, "→"));
    make("span", "av-axis", corner, named(spec.row_axis, "↓"));
    const longest = this.upright ? LONGEST_UPRIGHT : LONGEST_COLUMN;
    const role = (label) => (label ? "columnheader" : "gridcell");
    return spec.columns.map((label) => this.buildLabel("av-column-label", role(label), head, label, longest));
  }

  buildLine(i) {
    const line = make("div", "av-line", this.grid);
    line.setAttribute("role", "row");
    this.lines.push(line);
    this.rowLabels.push(this.buildLabel("av-row-label", "rowheader", line, this.spec.rows[i], LONGEST_ROW));
    for (let j = 0; j < this.nColumns; j++) this.buildCell(line, i, j);
  }

  // A label longer than `longest`, in em, is cut.
  buildLabel(className, role, parent, text, longest) {
    const node = make("div", className, parent);
    const [word, gloss] = text.split("\n");
    make("span", "", node, word);
    if (gloss) make("span", "av-gloss", node, gloss).lang = ""; // not in the language of the word
    node.setAttribute("role", role);
    node.title = text;
    if (HANGUL.test(text)) node.lang = "ko"; // for its letters, and for those who listen
    node.classList.toggle("av-long", labelWidth(text) > longest);
    return node;
  }

  buildCell(line, i, j) {
    const { spec } = this;
    const cell = make("div", "av-cell", line);
    cell.setAttribute("role", "gridcell");
    let target = cell;
    if (spec.editable) {
      target = make("span", "av-value", cell);
      target.setAttribute("role", this.numeric ? "spinbutton" : "checkbox");
      if (this.numeric) {
        target.setAttribute("aria-valuemin", String(spec.low));
        target.setAttribute("aria-valuemax", String(spec.high));
      }
      const row = `${spec.row_axis} ${spec.rows[i]}`.trim();
      const column = `${spec.column_axis} ${spec.columns[j]}`.trim();
      target.setAttribute("aria-label", `${spec.title}, ${row}, ${column}`);
    }
    target.tabIndex = -1;
    this.cells.push(cell);
    this.texts.push(target.appendChild(document.createTextNode("")));
  }

  // What the colours mean: a scale of numbers, or the two signs of a mask.
  buildFoot(foot) {
    const { limit, symbols } = this.spec;
    const { words } = this.board;
    if (this.numeric) {
      const digits = Number.isInteger(limit) ? 0 : 2;
      make("span", "", foot, numberText(this.low, digits));
      const bar = make("span", "av-bar", foot);
      const colours = this.palette[0].filter((_, i) => i % 15 === 0);
      bar.style.background = `linear-gradient(to right, ${colours.join(", ")})`;
      make("span", "", foot, numberText(limit, digits));
      return;
    }
    for (const [i, name] of ["forbidden", "allowed"].entries()) {
      const item = make("span", "av-legend", foot);
      make("span", `av-swatch av-${name}`, item, symbols[i]);
      make("span", "", item, words[name]);
    }
  }

  // -- where something is ---------------------------------------------------------------------------

  // What the focus goes to in a cell.
  focusTarget(k) {
    const cell = this.cells[k];
    return this.spec.editable ? cell.firstChild : cell;
  }

  // The number of the cell that an element stands in, or null.
  cellOf(target) {
    const cell = target instanceof Element ? target.closest(".av-cell") : null;
    const k = cell ? this.cells.indexOf(cell) : -1;
    return k < 0 ? null : k;
  }

  // The row whose label an element stands in, or null.
  rowOf(target) {
    const label = target instanceof Element ? target.closest(".av-row-label") : null;
    const row = label ? this.rowLabels.indexOf(label) : -1;
    return row < 0 ? null : row;
  }

  placeOf(k) {
    return { row: Math.floor(k / this.nColumns), column: k % this.nColumns };
  }

  // -- what Python hears of it ------------------------------------------------------------------------

  valueAt(k) {
    return this.values?.[k] ?? Number.NaN;
  }

  // Shows a value in the next frame, with what the page can calculate from it, and tells Python. Changes in a row of one
  // `part` of the panel are one gesture.
  edit(k, value, part = k) {
    const { board, spec } = this;
    if (board.dead || !this.values || Object.is(value, this.values[k])) return;
    const gesture = board.gesture(`${spec.name} ${part}`);
    this.values[k] = value;
    board.edited();
    board.messenger.put(`edit ${spec.name} ${k}`, { do: "edit", panel: spec.name, ...this.placeOf(k), value, gesture });
  }

  // -- what it shows --------------------------------------------------------------------------------

  // `anew`: whether what is shown now is what later values are compared with.
  setValues(values, anew) {
    if (anew && this.values) this.base = Float64Array.from(this.shown, ({ value }) => value);
    this.values = values.slice();
    for (const [k, value] of values.entries()) {
      if (anew || !this.shown[k].text || !Object.is(value, this.shown[k].value)) this.drawCell(k, value);
    }
    const changed = this.cells.filter(({ classList }) => classList.contains("av-changed")).length;
    this.grid.classList.toggle("av-most-changed", changed > 1 && 2 * changed > this.cells.length);
  }

  textOf(value) {
    return this.numeric ? numberText(value, this.spec.digits) : this.spec.symbols[value];
  }

  // A class in place of a colour of the scale, or "".
  specialOf(value) {
    if (!this.numeric) return value ? "av-allowed" : "av-forbidden";
    if (value === 0 && this.isShare) return "av-forbidden"; // softmax itself gives no weight of exactly 0
    return Number.isFinite(value) ? "" : "av-forbidden";
  }

  drawCell(k, value) {
    const shown = this.shown[k];
    const { classList, style } = this.cells[k];
    const text = this.textOf(value);
    shown.value = value;
    if (text !== shown.text) this.writeText(k, value, text);
    shown.text = text;
    const special = this.specialOf(value);
    for (const name of SPECIAL) classList.toggle(name, name === special);
    classList.toggle("av-changed", this.base !== null && text !== this.textOf(this.base[k]));
    if (this.spec.bars) {
      const share = special ? 0 : 100 * Math.min(1, Math.abs(value) / this.spec.limit);
      style.backgroundSize = `${Number(share.toFixed(1))}% 100%`;
      classList.toggle("av-below", value < 0);
      return;
    }
    const [colours, inks] = this.palette;
    const at = Math.min(colours.length - 1, Math.max(0, Math.round((value - this.low) * this.scale)));
    style.backgroundColor = special ? "" : colours[at];
    classList.toggle("av-on-dark", !special && inks[at] === "#ffffff");
  }

  writeText(k, value, text) {
    const { spec } = this;
    if (!this.dense) this.texts[k].data = text;
    this.fitText(text.length);
    this.cells[k].classList.toggle("av-zero", Number(text) === 0);
    const target = this.focusTarget(k);
    if (!spec.editable) {
      if (this.dense) target.setAttribute("aria-label", text);
    } else if (this.numeric) {
      target.setAttribute("aria-valuenow", String(value));
      target.setAttribute("aria-valuetext", text);
    } else {
      target.setAttribute("aria-checked", String(Boolean(value)));
    }
  }

  setCaption(text) {
    if (text !== this.captionText.data) this.captionText.data = text;
  }

  setHighlight(list) {
    for (const [k, cell] of this.cells.entries()) {
      const { row, column } = this.placeOf(k);
      cell.classList.toggle(
        "av-lit",
        list.some(([i, j]) => i === row && (j === null || j === column)),
      );
    }
  }

  setSelected(row, column) {
    for (const [i, line] of this.lines.entries()) line.classList.toggle("av-selected-line", i === row);
    for (const [i, label] of this.rowLabels.entries()) mark(label, "av-selected-label", i === row);
    for (const [j, label] of this.columnLabels.entries()) label.classList.toggle("av-selected-label", j === column);
    if (this.chosen !== null) mark(this.cells[this.chosen], "av-selected", false);
    this.chosen = row === null || column === null ? null : row * this.nColumns + column;
    if (this.chosen === null) return;
    mark(this.cells[this.chosen], "av-selected", true);
    if (!this.grid.contains(document.activeElement)) this.hand.setActive(this.chosen);
  }
}
