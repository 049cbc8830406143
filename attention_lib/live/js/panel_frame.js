// One panel as it is built once: its grid, labels, cells, legend, and how large they are.

import { labelWidth, make, numberText } from "./page.js";

/** @import { Palette, Spec } from "./types.js" */

const HANGUL = /[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]/;
const DENSE = 20; // rows or columns, beyond which digits are dropped
const LONGEST_COLUMN = 4.4; // em, the widest label that stands level above its column
const LONGEST_UPRIGHT = 6.5; // em, of labels that stand upright; what is longer is cut with "…"
const LONGEST_ROW = 8; // em

export class PanelFrame {
  /**
   * @param {Spec} spec
   * @param {Palette} palette
   * @param {string} id
   * @param {Element} parent
   */
  constructor(spec, palette, id, parent) {
    this.spec = spec;
    this.palette = palette;
    this.nRows = spec.rows.length;
    this.nColumns = spec.columns.length;
    this.size = this.nRows * this.nColumns;
    this.numeric = spec.kind === "weights" || spec.kind === "signed";
    this.dense = spec.dense || this.nRows > DENSE || this.nColumns > DENSE;
    this.textWidth = 0; // characters, the longest number so far
    /** @type {HTMLElement[]} */
    this.lines = [];
    /** @type {HTMLElement[]} */
    this.rowLabels = [];
    /** @type {HTMLElement[]} */
    this.cells = [];
    /** @type {Text[]} */
    this.texts = [];
    /** @type {Map<Element, number>} */
    this.cellNumbers = new Map();

    this.root = make("section", "av-panel", parent);
    this.root.dataset.panel = spec.name;
    this.root.classList.toggle("av-dense", this.dense);
    this.root.classList.toggle("av-bars", spec.bars);
    if (spec.size !== 1) this.root.style.fontSize = `${spec.size}em`;
    make("div", "av-title", this.root, spec.title).id = id;
    this.grid = this.buildGrid(id);
    this.widestColumn = Math.max(...spec.columns.map(labelWidth));
    this.side = this.dense ? Math.max(0.6, Math.min(1.5, 34 / Math.max(this.nColumns, this.nRows))) : 2.05;
    this.upright = this.widestColumn > (this.dense ? this.side : LONGEST_COLUMN);
    this.labelEvery = Math.ceil(1.1 / this.side); // labels of very small cells: every second or third
    this.setSizes();
    this.columnLabels = this.buildHead();
    for (let i = 0; i < this.nRows; i++) this.buildLine(i);
    const foot = make("div", "av-foot", this.root);
    if (this.numeric) this.buildScale(foot);
    else this.buildLegend(foot);
    this.caption = make("p", "av-caption", this.root);
    this.caption.id = `${id}-caption`;
    this.captionText = this.caption.appendChild(document.createTextNode(""));
  }

  /** @param {string} id */
  buildGrid(id) {
    const { spec } = this;
    const grid = make("div", "av-grid", this.root);
    grid.setAttribute("role", "grid");
    grid.setAttribute("aria-labelledby", id);
    grid.setAttribute("aria-describedby", `${id}-caption`);
    grid.setAttribute("aria-rowcount", String(this.nRows + 1));
    grid.setAttribute("aria-colcount", String(this.nColumns + 1));
    grid.setAttribute("aria-readonly", String(!spec.editable));
    grid.classList.toggle("av-editable", spec.editable && this.numeric);
    grid.classList.toggle("av-clickable", spec.editable && !this.numeric);
    return grid;
  }

  buildHead() {
    const { spec } = this;
    const head = make("div", "av-line av-head", this.grid);
    head.setAttribute("role", "row");
    const corner = make("div", "av-corner", head);
    corner.setAttribute("role", spec.row_axis || spec.column_axis ? "columnheader" : "gridcell"); // no header is empty
    const named = (/** @type {string} */ axis, /** @type {string} */ arrow) => (axis ? `${axis} ${arrow}` : "");
    make("span", "av-axis", corner, named(spec.column_axis, "→"));
    make("span", "av-axis", corner, named(spec.row_axis, "↓"));
    return spec.columns.map((label, j) => {
      const longest = this.upright ? LONGEST_UPRIGHT : LONGEST_COLUMN;
      return this.buildLabel("av-column-label", "columnheader", head, label, longest, j);
    });
  }

  /** @param {number} i */
  buildLine(i) {
    const line = make("div", "av-line", this.grid);
    line.setAttribute("role", "row");
    this.lines.push(line);
    this.rowLabels.push(this.buildLabel("av-row-label", "rowheader", line, this.spec.rows[i], LONGEST_ROW, i));
    for (let j = 0; j < this.nColumns; j++) this.buildCell(line, i, j);
  }

  /**
   * @param {string} className
   * @param {string} role
   * @param {Element} parent
   * @param {string} text
   * @param {number} longest in em
   * @param {number} index
   */
  buildLabel(className, role, parent, text, longest, index) {
    const node = make("div", className, parent);
    const [word, gloss] = text.split("\n");
    make("span", "", node, word);
    if (gloss) make("span", "av-gloss", node, gloss).lang = ""; // not in the language of the word
    node.setAttribute("role", role);
    node.title = text;
    if (HANGUL.test(text)) node.lang = "ko"; // for its letters, and for those who listen
    node.classList.toggle("av-long", labelWidth(text) > longest);
    node.classList.toggle("av-thinned", index % this.labelEvery !== 0);
    return node;
  }

  /**
   * @param {Element} line
   * @param {number} i
   * @param {number} j
   */
  buildCell(line, i, j) {
    const { spec } = this;
    const cell = make("div", "av-cell", line);
    cell.setAttribute("role", "gridcell");
    /** @type {HTMLElement} */
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
    this.cellNumbers.set(cell, this.cells.length);
    this.cells.push(cell);
    this.texts.push(target.appendChild(document.createTextNode("")));
  }

  /** @param {Element} foot */
  buildScale(foot) {
    const { kind, limit } = this.spec;
    const digits = Number.isInteger(limit) ? 0 : 2;
    make("span", "", foot, numberText(kind === "signed" ? -limit : 0, digits));
    const bar = make("span", "av-bar", foot);
    const colours = this.palette[0].filter((_, i) => i % 15 === 0);
    bar.style.background = `linear-gradient(to right, ${colours.join(", ")})`;
    make("span", "", foot, numberText(limit, digits));
  }

  /** @param {Element} foot */
  buildLegend(foot) {
    const isMask = this.spec.kind === "mask";
    for (const [index, [name, symbol]] of this.spec.categories.entries()) {
      const item = make("span", "av-legend", foot);
      const swatch = make("span", "av-swatch", item, symbol);
      make("span", "", item, name);
      if (isMask && index === 0) swatch.classList.add("av-forbidden");
      else swatch.style.backgroundColor = this.palette[0][isMask ? 0 : index];
    }
  }

  setSizes() {
    const { spec, grid, root } = this;
    const axes = [spec.row_axis, spec.column_axis].map((axis) => labelWidth(axis) + 1.4); // an arrow
    const longest = Math.max(...spec.rows.map(labelWidth), ...axes);
    const whole = Math.ceil(Math.log10(Math.max(spec.limit, spec.editable ? spec.high : 0, 1) * 1.0001));
    this.fitText(this.numeric ? Math.max(1, whole) + spec.digits + 2 : 2);
    grid.classList.toggle("av-upright", this.upright);
    grid.style.setProperty("--av-label", `${Math.min(LONGEST_ROW, Math.max(2.6, longest)) + 0.7}em`);
    grid.style.setProperty("--av-height", `${this.side}em`);
    if (this.dense) grid.style.setProperty("--av-width", `${this.side}em`);
    root.style.setProperty("--av-columns", String(this.nColumns));
    root.style.setProperty("--av-rows", String(this.nRows));
  }

  /**
   * Cells only ever grow, so nothing jumps while a value changes.
   * @param {number} characters
   */
  fitText(characters) {
    if (this.dense || characters <= this.textWidth) return;
    this.textWidth = characters;
    const label = this.upright ? 1.2 : this.widestColumn + 0.3;
    this.grid.style.setProperty("--av-width", `${Math.max(2.1, label, characters * 0.57 + 0.6)}em`);
  }

  /**
   * @param {number} k
   * @param {number} value
   * @param {string} text
   */
  writeText(k, value, text) {
    const { spec } = this;
    if (!this.dense) this.texts[k].data = text;
    this.fitText(text.length);
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

  /** @param {string} text */
  setCaption(text) {
    if (text !== this.captionText.data) this.captionText.data = text;
  }

  /**
   * What the focus goes to in a cell.
   * @param {number} k
   */
  focusTarget(k) {
    const cell = this.cells[k];
    return this.spec.editable ? /** @type {HTMLElement} */ (cell.firstChild) : cell;
  }

  /**
   * The number of the cell that an element stands in, or null.
   * @param {EventTarget | null} target
   */
  cellOf(target) {
    const cell = target instanceof Element ? target.closest(".av-cell") : null;
    return (cell && this.cellNumbers.get(cell)) ?? null;
  }

  /**
   * The row whose label an element stands in, or null.
   * @param {EventTarget | null} target
   */
  rowOf(target) {
    const label = target instanceof Element ? target.closest(".av-row-label") : null;
    const row = label ? this.rowLabels.indexOf(/** @type {HTMLElement} */ (label)) : -1;
    return row < 0 ? null : row;
  }

  /**
   * Where the panel scrolls, on a narrow page: the names of the rows stay, and cover what is below them.
   * @param {number} column
   */
  bringIntoSight(column) {
    const { root } = this;
    if (root.scrollWidth <= root.clientWidth) return;
    const cell = this.cells[column].getBoundingClientRect();
    const right = cell.right - root.getBoundingClientRect().right;
    const left = this.rowLabels[0].getBoundingClientRect().right - cell.left;
    if (right > 0) root.scrollLeft += right + cell.width;
    else if (left > 0) root.scrollLeft -= left + cell.width;
  }

  /** @param {number} k */
  placeOf(k) {
    return { row: Math.floor(k / this.nColumns), column: k % this.nColumns };
  }
}
