// The browser's part of MatrixView (see matrix_view.py): draws the panels, sends what the reader does.
// It computes nothing about attention and sets no state: Python answers every message with new state.

const IN_FLIGHT = 2; // messages on the way: two keep the line busy, more would build a backlog
const ECHO = 40; // ms without an answer, after which an edited cell shows its new value alone: one frame is cheaper than two
const GESTURE_PAUSE = 700; // ms without an update, after which the next one starts a new comparison
const REST = 600; // ms without an update, after which words are read out
const PATIENCE = 5000; // ms without an answer, after which the view says so
const DRAG_PIXELS = 3; // a step of the value for each
const DENSE = 20; // rows or columns, beyond which digits are dropped
const LONGEST_COLUMN = 4.4; // em, the widest label that stands level above its column
const LONGEST_UPRIGHT = 6.5; // em, of labels that stand upright; what is longer is cut with "…"
const LONGEST_ROW = 8; // em
const MINUS = "\u2212";

function make(tag, className, parent, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  if (parent) parent.appendChild(node);
  return node;
}

// Rounds as Python does, so that page, print and still picture agree: a tie goes to the even digit.
// v lies midway between two roundings exactly where v * 2^(digits + 1) is an odd integer.
export function numberText(v, digits) {
  if (v === -Infinity) return MINUS + "∞";
  if (v === Infinity) return "∞";
  if (Number.isNaN(v)) return "NaN";
  const size = Math.abs(v);
  let text = size.toFixed(digits);
  if (Math.abs((size * 2 ** (digits + 1)) % 2) === 1) {
    const below = Math.floor(size * 10 ** digits);
    text = ((below % 2 ? below + 1 : below) / 10 ** digits).toFixed(digits);
  }
  return v < 0 && Number(text) !== 0 ? MINUS + text : text;
}

// What a reader types: 0.5, -0.5, −.5, 0,5. Anything else is null.
export function parseNumber(text) {
  const plain = text.trim().replace(/[\u2212\u2013]/g, "-").replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : null;
}

const fill = (template, parts) => template.replace(/\{(\w+)\}/g, (_, key) => parts[key]);

// A label's width in em: Hangul and other wide letters take a whole one.
const labelWidth = (text) => [...text].reduce((sum, c) => sum + (c > "\u1100" ? 1.0 : 0.6), 0);

// One message slot for each thing that can change; the latest of a slot replaces the one before.
class Messenger {
  constructor(model, onSilence) {
    this.model = model;
    this.onSilence = onSilence;
    this.id = Math.random().toString(36).slice(2);
    this.sent = 0;
    this.acked = 0;
    this.waiting = new Map();
  }
  put(slot, content) {
    this.waiting.set(slot, content);
    this.pump();
  }
  pump() {
    while (this.waiting.size && this.sent - this.acked < IN_FLIGHT) {
      const [slot, content] = this.waiting.entries().next().value;
      this.waiting.delete(slot);
      content.view = this.id;
      content.n = ++this.sent;
      this.model.send(content);
    }
    clearTimeout(this.timer);
    this.timer = this.sent > this.acked ? setTimeout(() => this.onSilence(true), PATIENCE) : null;
  }
  acknowledge([view, n]) {
    if (view !== this.id) return;
    this.acked = Math.max(this.acked, n);
    this.onSilence(false);
    this.pump();
  }
  // An edit counts as open until Python has answered it.
  open(slot, content) {
    return this.waiting.has(slot) || content.n > this.acked;
  }
}

class PanelView {
  constructor(board, spec, offset, parent) {
    this.board = board;
    this.spec = spec;
    this.offset = offset;
    this.nRows = spec.rows.length;
    this.nColumns = spec.columns.length;
    this.size = this.nRows * this.nColumns;
    this.numeric = spec.kind === "weights" || spec.kind === "signed";
    this.dense = spec.dense || this.nRows > DENSE || this.nColumns > DENSE;
    this.palette = board.palettes[{ weights: "sequential", signed: "diverging" }[spec.kind] || "category"];
    this.pending = new Map(); // cell -> its edit that Python has not answered yet
    this.values = new Float64Array(this.size);
    this.base = null; // values before this gesture
    this.marks = null; // Python's own choice of outlined cells
    this.stretched = false;
    this.active = 0; // the one cell that Tab reaches
    this.build(parent);
  }

  build(parent) {
    const { spec, board } = this;
    const root = (this.root = make("section", "av-panel", parent));
    root.dataset.panel = spec.name;
    root.classList.toggle("av-small", spec.small);
    root.classList.toggle("av-dense", this.dense);
    const id = `av-${board.messenger.id}-${this.offset}`;
    const title = make("div", "av-title", root, spec.title);
    title.id = id;
    const grid = (this.grid = make("div", "av-grid", root));
    grid.setAttribute("role", "grid");
    grid.setAttribute("aria-labelledby", id);
    grid.setAttribute("aria-describedby", id + "-caption");
    grid.setAttribute("aria-rowcount", this.nRows + 1);
    grid.setAttribute("aria-colcount", this.nColumns + 1);
    grid.setAttribute("aria-readonly", String(!spec.editable));
    grid.classList.toggle("av-editable", spec.editable && this.numeric);
    grid.classList.toggle("av-clickable", spec.editable && !this.numeric);
    this.setSizes();

    const head = make("div", "av-line av-head", grid);
    head.setAttribute("role", "row");
    const corner = make("div", "av-corner", head);
    corner.setAttribute("role", "columnheader");
    make("span", "av-axis av-axis-column", corner, spec.column_axis + " →");
    make("span", "av-axis av-axis-row", corner, spec.row_axis + " ↓");
    this.columnLabels = spec.columns.map((label, j) => {
      const node = make("div", "av-column-label", head);
      make("span", "", node, label);
      node.setAttribute("role", "columnheader");
      node.title = label;
      node.classList.toggle("av-long", labelWidth(label) > (this.upright ? LONGEST_UPRIGHT : LONGEST_COLUMN));
      node.classList.toggle("av-thinned", j % this.labelEvery !== 0);
      return node;
    });
    this.lines = [];
    this.rowLabels = [];
    this.cells = [];
    this.texts = [];
    this.shown = []; // what each cell's DOM holds: [text, background, dark, outlined, special]
    for (let i = 0; i < this.nRows; i++) {
      const line = make("div", "av-line", grid);
      line.setAttribute("role", "row");
      this.lines.push(line);
      const label = make("div", "av-row-label", line);
      make("span", "", label, spec.rows[i]);
      label.setAttribute("role", "rowheader");
      label.title = spec.rows[i];
      label.classList.toggle("av-long", labelWidth(spec.rows[i]) > LONGEST_ROW);
      label.classList.toggle("av-thinned", i % this.labelEvery !== 0);
      label.avRow = i;
      this.rowLabels.push(label);
      for (let j = 0; j < this.nColumns; j++) this.addCell(line, i, j);
    }
    this.focusTarget(0).tabIndex = 0;
    this.buildFoot(root, id);
    this.listen();
  }

  addCell(line, i, j) {
    const cell = make("div", "av-cell", line);
    const k = i * this.nColumns + j;
    cell.setAttribute("role", "gridcell");
    let target = cell;
    if (this.spec.editable) {
      target = make("span", "av-value", cell);
      target.setAttribute("role", this.numeric ? "spinbutton" : "checkbox");
      if (this.numeric) {
        target.setAttribute("aria-valuemin", this.spec.low);
        target.setAttribute("aria-valuemax", this.spec.high);
      }
      target.setAttribute("aria-label", `${this.spec.name}, ${this.spec.rows[i]}, ${this.spec.columns[j]}`);
    }
    target.tabIndex = -1;
    target.dataset.lmSuppressShortcuts = "true"; // JupyterLab leaves the keys to the element that has the focus
    const text = document.createTextNode("");
    target.appendChild(text);
    cell.avCell = k;
    this.cells.push(cell);
    this.texts.push(text);
    this.shown.push([null, null, false, false, ""]);
  }

  buildFoot(root, id) {
    const { spec, board } = this;
    const foot = make("div", "av-foot", root);
    if (this.numeric) {
      this.lowText = make("span", "av-end", foot);
      const bar = make("span", "av-bar", foot);
      const colours = this.palette[0].filter((_, i) => i % 15 === 0);
      bar.style.background = `linear-gradient(to right, ${colours.join(", ")})`;
      this.highText = make("span", "av-end", foot);
      if (spec.stretch) {
        this.stretchButton = make("button", "av-stretch", foot);
        this.stretchButton.type = "button";
        this.labelStretch();
        this.stretchButton.addEventListener("click", () => {
          this.setStretched(!this.stretched);
          board.messenger.put("stretch" + spec.name, { do: "stretch", panel: spec.name, on: this.stretched });
        });
      }
    } else {
      const items = spec.kind === "mask" ? [[board.words.forbidden, "×"], [board.words.allowed, "✓"]] : spec.categories;
      items.forEach(([name, symbol], index) => {
        const item = make("span", "av-legend", foot);
        const swatch = make("span", "av-swatch", item, symbol);
        this.paintPlain(swatch, index);
        make("span", "", item, name);
      });
    }
    const readout = make("div", "av-readout", root);
    readout.setAttribute("aria-hidden", "true");
    this.readout = readout.appendChild(document.createTextNode("")); // a text node's data changes at less cost
    this.caption = make("p", "av-caption", root);
    this.caption.id = id + "-caption";
    this.captionText = this.caption.appendChild(document.createTextNode(""));
    this.showReadout(null);
  }

  // A cell of a mask or of categories: one colour for each.
  paintPlain(node, index) {
    const forbidden = this.spec.kind === "mask" && index === 0;
    node.classList.toggle("av-forbidden", forbidden);
    if (forbidden) return;
    const at = this.spec.kind === "mask" ? 0 : index;
    node.style.backgroundColor = this.palette[0][at];
    node.classList.toggle("av-on-dark", this.palette[1][at] === "#ffffff");
  }

  setSizes() {
    const { spec, grid } = this;
    const longest = Math.max(...spec.rows.map(labelWidth), labelWidth(spec.row_axis) + 1);
    const side = this.dense ? Math.max(0.6, Math.min(1.5, 34 / Math.max(this.nColumns, this.nRows))) : 2.05;
    this.widestColumn = Math.max(...spec.columns.map(labelWidth));
    this.upright = this.widestColumn > (this.dense ? side : LONGEST_COLUMN);
    this.labelEvery = Math.ceil(1.1 / side); // labels of very small cells: every second or third
    const whole = Math.ceil(Math.log10(Math.max(spec.limit, spec.editable ? spec.high : 0, 1) * 1.0001));
    this.textWidth = 0;
    this.fitText(this.numeric ? Math.max(1, whole) + spec.digits + 2 : 2);
    grid.classList.toggle("av-upright", this.upright);
    grid.style.setProperty("--av-label", Math.min(LONGEST_ROW, Math.max(2.6, longest)) + 0.7 + "em");
    grid.style.setProperty("--av-height", side + "em");
    if (this.dense) grid.style.setProperty("--av-width", side + "em");
    grid.style.setProperty("--av-columns", this.nColumns);
  }

  // Cells only ever grow, so nothing jumps while a value changes.
  fitText(characters) {
    if (this.dense || characters <= this.textWidth) return;
    this.textWidth = characters;
    const label = this.upright ? 1.2 : this.widestColumn + 0.3;
    this.grid.style.setProperty("--av-width", Math.max(2.1, label, characters * 0.57 + 0.6) + "em");
  }

  focusTarget(k) {
    return this.spec.editable ? this.cells[k].firstChild : this.cells[k];
  }

  // -- drawing --------------------------------------------------------------------------------

  range() {
    const { spec, values } = this;
    let low = spec.kind === "signed" ? -spec.limit : 0;
    let high = spec.limit;
    if (this.stretched) {
      let least = Infinity;
      let most = -Infinity;
      for (const v of values) {
        if (!Number.isFinite(v)) continue;
        if (v < least) least = v;
        if (v > most) most = v;
      }
      if (least <= most) [low, high] = spec.kind === "signed" ? this.around(least, most) : [least, most];
    }
    return [low, high];
  }

  // Two hues stay around 0, also when stretched.
  around(least, most) {
    const size = Math.max(Math.abs(least), Math.abs(most));
    return [-size, size];
  }

  setStretched(on) {
    if (this.stretched === on || !this.stretchButton) return;
    this.stretched = on;
    this.labelStretch();
    this.draw();
  }

  labelStretch() {
    const { words } = this.board;
    this.stretchButton.textContent = this.stretched ? words.fixed : words.stretch;
    this.stretchButton.title = this.stretched ? words.fixed_title : words.stretch_title;
    this.stretchButton.setAttribute("aria-label", `${this.spec.name}: ${this.stretchButton.textContent}`);
  }

  draw() {
    clearTimeout(this.echo);
    this.echo = null;
    if (this.numeric) {
      const [low, high] = this.range();
      const digits = this.stretched ? Math.max(3, this.spec.digits) : Number.isInteger(high) ? 0 : 2;
      const rangeShown = numberText(low, digits) + numberText(high, digits) + this.stretched;
      if (rangeShown !== this.rangeShown) {
        this.rangeShown = rangeShown;
        this.lowText.textContent = numberText(low, digits);
        this.highText.textContent = numberText(high, digits) + (this.stretched ? ` (${this.board.words.stretched})` : "");
      }
      this.low = low;
      this.scale = high > low ? (this.palette[0].length - 1) / (high - low) : 0;
    }
    for (let k = 0; k < this.size; k++) this.drawCell(k);
    if (this.pointed !== undefined && this.pointed !== null) this.showReadout(this.pointed);
  }

  valueAt(k) {
    const edit = this.pending.get(k);
    return edit ? edit.value : this.values[k];
  }

  isChanged(k, value, text) {
    if (this.marks) return this.marks[k] === 1;
    if (!this.base || Object.is(value, this.base[k])) return false;
    return this.textOf(this.base[k]) !== text;
  }

  textOf(value) {
    if (this.numeric) return numberText(value, this.spec.digits);
    if (this.spec.kind === "mask") return value ? "✓" : "×";
    return (this.spec.categories[value] || ["", "?"])[1];
  }

  // Writes to the page only what differs from what is there.
  drawCell(k) {
    const value = this.valueAt(k);
    const shown = this.shown[k];
    const cell = this.cells[k];
    const text = this.textOf(value);
    const changed = this.isChanged(k, value, text);
    if (text !== shown[0]) {
      shown[0] = text;
      if (!this.dense) this.texts[k].data = text;
      if (text.length > this.textWidth) this.fitText(text.length);
      if (this.spec.editable) this.announceValue(k, value, text);
      else if (this.dense) cell.setAttribute("aria-label", text);
    }
    let special = "";
    let at = 0;
    if (this.numeric) {
      if (value === -Infinity) special = "av-forbidden";
      else if (!Number.isFinite(value)) special = "av-broken";
      else at = Math.min(this.palette[0].length - 1, Math.max(0, Math.round((value - this.low) * this.scale)));
    } else if (this.spec.kind === "mask") special = value ? "" : "av-forbidden";
    else at = Math.min(this.palette[0].length - 1, Math.max(0, value));
    if (special !== shown[4]) {
      if (shown[4]) cell.classList.remove(shown[4]);
      if (special) cell.classList.add(special);
      shown[4] = special;
    }
    const background = special ? "" : this.palette[0][at];
    if (background !== shown[1]) {
      shown[1] = background;
      cell.style.backgroundColor = background;
      const dark = !special && this.palette[1][at] === "#ffffff";
      if (dark !== shown[2]) cell.classList.toggle("av-on-dark", (shown[2] = dark));
    }
    if (changed !== shown[3]) {
      shown[3] = changed;
      cell.classList.toggle("av-changed", changed);
    }
  }

  announceValue(k, value, text) {
    const target = this.focusTarget(k);
    if (this.numeric) {
      target.setAttribute("aria-valuenow", value);
      target.setAttribute("aria-valuetext", text);
    } else {
      target.setAttribute("aria-checked", String(Boolean(value)));
    }
  }

  setValues(values, marks, newGesture) {
    if (newGesture) this.base = this.hasValues ? this.values : null;
    this.values = values;
    this.hasValues = true;
    this.marks = marks;
    this.draw();
  }

  // Python has answered some edits: its own values show again.
  settle() {
    for (const [k, edit] of this.pending) {
      if (this.board.messenger.open(this.slot(k), edit)) continue;
      this.pending.delete(k);
      this.drawCell(k);
    }
  }

  setCaption(text, visible) {
    if (text !== this.captionText.data) this.captionText.data = text;
    this.caption.classList.toggle("av-hidden", !visible);
  }

  setHighlight(list) {
    for (let k = 0; k < this.size; k++) {
      const i = Math.floor(k / this.nColumns);
      const j = k % this.nColumns;
      const on = list.some(([row, column]) => (row === null || row === i) && (column === null || column === j));
      this.cells[k].classList.toggle("av-lit", on);
    }
  }

  setSelected(row, column) {
    this.lines.forEach((line, i) => line.classList.toggle("av-selected-line", i === row));
    this.rowLabels.forEach((label, i) => {
      label.classList.toggle("av-selected-label", i === row);
      if (i === row) label.setAttribute("aria-selected", "true");
      else label.removeAttribute("aria-selected");
    });
    this.columnLabels.forEach((label, j) => label.classList.toggle("av-selected-label", j === column));
    const chosen = row === null || column === null ? null : row * this.nColumns + column;
    if (this.chosen !== undefined && this.chosen !== null) {
      this.cells[this.chosen].classList.remove("av-selected");
      this.cells[this.chosen].removeAttribute("aria-selected");
    }
    this.chosen = chosen;
    if (chosen === null) return;
    this.cells[chosen].classList.add("av-selected");
    this.cells[chosen].setAttribute("aria-selected", "true");
    if (!this.grid.contains(document.activeElement)) this.setActive(chosen);
  }

  // The line under the panel: the cell under the pointer or the focus, with more digits than fit the cell.
  showReadout(k) {
    this.pointed = k;
    const { spec, board } = this;
    let text = "";
    if (k !== null) {
      const i = Math.floor(k / this.nColumns);
      const j = k % this.nColumns;
      const value = this.valueAt(k);
      const name = spec.kind === "mask" ? board.words[value ? "allowed" : "forbidden"] : (spec.categories[value] || [""])[0];
      const shown = this.numeric ? numberText(value, spec.digits + 2) : name;
      text = `${spec.row_axis} ${spec.rows[i]}, ${spec.column_axis} ${spec.columns[j]}: ${shown}`;
    }
    if (text !== this.readout.data) this.readout.data = text;
  }

  // -- what the reader does ---------------------------------------------------------------------

  slot(k) {
    return `edit ${this.spec.name} ${k}`;
  }

  setActive(k) {
    this.focusTarget(this.active).tabIndex = -1;
    this.active = k;
    this.focusTarget(k).tabIndex = 0;
  }

  focusCell(k) {
    this.setActive(k);
    this.focusTarget(k).focus();
  }

  select(row, column) {
    if (this.board.select(this, row, column)) {
      this.board.messenger.put("select", { do: "select", panel: this.spec.name, row, column });
    }
  }

  // Tells Python; the new value shows with the answer, or soon without it.
  edit(k, value) {
    if (this.board.dead || Object.is(value, this.valueAt(k))) return;
    const edit = {
      do: "edit",
      panel: this.spec.name,
      row: Math.floor(k / this.nColumns),
      column: k % this.nColumns,
      value,
      gesture: this.board.gesture(`${this.spec.name} ${k}`),
      n: Infinity, // not sent yet
    };
    this.board.say("");
    this.pending.set(k, edit);
    if (!this.echo) this.echo = setTimeout(() => this.draw(), ECHO);
    this.board.messenger.put(this.slot(k), edit);
  }

  // A value on the grid of steps from `low`, inside the range.
  stepped(value) {
    const { low, high, step } = this.spec;
    const onGrid = Math.round((value - low) / step) * step + low;
    return Math.min(high, Math.max(low, Number(onGrid.toFixed(10))));
  }

  toggle(k) {
    this.board.endGesture();
    this.edit(k, this.valueAt(k) ? 0 : 1);
  }

  cellOf(event) {
    const cell = event.target.closest && event.target.closest(".av-cell");
    return cell && this.grid.contains(cell) ? cell.avCell : null;
  }

  listen() {
    const { grid } = this;
    grid.addEventListener("pointerdown", (event) => this.onPointerDown(event));
    grid.addEventListener("pointermove", (event) => this.onPointerMove(event));
    grid.addEventListener("pointerup", (event) => this.onPointerUp(event));
    grid.addEventListener("pointercancel", (event) => this.onPointerUp(event));
    grid.addEventListener("pointerover", (event) => this.onHover(this.cellOf(event)));
    grid.addEventListener("pointerleave", () => this.onHover(null));
    grid.addEventListener("dblclick", (event) => {
      // The drag took the pointer, so the event's own target is the grid.
      const k = this.cellOf({ target: document.elementFromPoint(event.clientX, event.clientY) });
      if (k !== null && this.spec.editable && this.numeric) this.openInput(k, null);
    });
    grid.addEventListener("keydown", (event) => this.onKeyDown(event));
    grid.addEventListener("keyup", (event) => this.letCombinationsPass(event, false));
    grid.addEventListener("focusin", (event) => {
      const k = this.cellOf(event);
      if (k !== null) this.showReadout(k);
    });
    grid.addEventListener("focusout", (event) => {
      this.showReadout(null);
      if (this.cellOf(event) !== null) event.target.dataset.lmSuppressShortcuts = "true";
    });
  }

  // Ctrl+S and the like still belong to the notebook.
  letCombinationsPass(event, down) {
    if (event.key !== "Control" && event.key !== "Meta") return;
    if (down) delete event.target.dataset.lmSuppressShortcuts;
    else event.target.dataset.lmSuppressShortcuts = "true";
  }

  onHover(k) {
    if (this.drag || this.hovered === k) return;
    this.hovered = k;
    this.showReadout(k !== null ? k : this.grid.contains(document.activeElement) ? this.active : null);
    if (!this.board.model.get("_hover")) return;
    const cell = k === null ? [null, 0, null] : [this.spec.name, Math.floor(k / this.nColumns), k % this.nColumns];
    this.board.messenger.put("hover", { do: "hover", panel: cell[0], row: cell[1], column: cell[2] });
  }

  onPointerDown(event) {
    if (event.button !== 0 || event.target.tagName === "INPUT") return;
    const label = event.target.closest(".av-row-label");
    if (label) {
      this.select(label.avRow, null);
      return;
    }
    const k = this.cellOf(event);
    if (k === null) return;
    event.preventDefault(); // no text selection; the focus is set here
    this.focusCell(k);
    this.select(Math.floor(k / this.nColumns), k % this.nColumns);
    if (!this.spec.editable) return;
    this.board.endGesture();
    if (!this.numeric) this.toggle(k);
    else {
      this.drag = { k, x: event.clientX, value: this.valueAt(k), pointer: event.pointerId };
      this.grid.setPointerCapture(event.pointerId);
    }
  }

  onPointerMove(event) {
    if (!this.drag || event.pointerId !== this.drag.pointer) return;
    const steps = Math.trunc((event.clientX - this.drag.x) / DRAG_PIXELS);
    if (steps === 0 && !this.drag.moved) return;
    this.drag.moved = true;
    this.edit(this.drag.k, this.stepped(this.drag.value + steps * this.spec.step * (event.shiftKey ? 5 : 1)));
  }

  onPointerUp(event) {
    if (!this.drag || event.pointerId !== this.drag.pointer) return;
    this.drag = null;
  }

  onKeyDown(event) {
    this.letCombinationsPass(event, true);
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "INPUT") return;
    const k = this.cellOf(event);
    if (k === null) return;
    if (this.editByKey(k, event) || this.moveByKey(k, event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  editByKey(k, event) {
    const { editable, step, low, high } = this.spec;
    if (!editable) return false;
    if (!this.numeric) {
      if (event.key !== " " && event.key !== "Enter") return false;
      this.toggle(k);
      return true;
    }
    const steps = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (steps) this.edit(k, this.stepped(this.valueAt(k) + steps * step * (event.shiftKey ? 5 : 1)));
    else if (event.key === "Home") this.edit(k, low);
    else if (event.key === "End") this.edit(k, high);
    else if (event.key === "Enter" || event.key === "F2") this.openInput(k, null);
    else if (/^[-+\u2212.,\d]$/.test(event.key)) this.openInput(k, event.key);
    else return false;
    return true;
  }

  moveByKey(k, event) {
    const { nColumns, size } = this;
    const column = k % nColumns;
    const to = {
      ArrowLeft: column > 0 || (this.spec.editable && k > 0) ? k - 1 : k,
      ArrowRight: column < nColumns - 1 || (this.spec.editable && k < size - 1) ? k + 1 : k,
      ArrowUp: k - nColumns,
      ArrowDown: k + nColumns,
      Home: k - column,
      End: k - column + nColumns - 1,
      PageUp: column,
      PageDown: size - nColumns + column,
    }[event.key];
    if (to === undefined) return false;
    if (to >= 0 && to < size && to !== k) {
      this.focusCell(to);
      this.select(Math.floor(to / nColumns), to % nColumns);
    }
    return true;
  }

  // -- typing -------------------------------------------------------------------------------------

  openInput(k, first) {
    if (this.board.dead) return;
    this.closeInput();
    const before = numberText(this.valueAt(k), this.spec.digits);
    const input = make("input", "av-input", this.cells[k]);
    this.cells[k].classList.add("av-typing");
    input.type = "text";
    input.inputMode = "decimal";
    input.dataset.lmSuppressShortcuts = "true";
    input.setAttribute("aria-label", this.focusTarget(k).getAttribute("aria-label"));
    input.value = first === null ? before : first;
    this.input = { node: input, k };
    input.focus();
    if (first === null) input.select();
    input.addEventListener("keydown", (event) => {
      if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
      if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
      event.preventDefault();
      if (event.key === "Enter") this.commit(input.value, k);
      this.closeInput();
      this.focusCell(k);
    });
    input.addEventListener("blur", () => {
      if (!this.input || this.input.node !== input) return;
      if (input.value !== before) this.commit(input.value, k);
      this.closeInput();
    });
  }

  closeInput() {
    const { input } = this;
    this.input = null; // before removing it, which makes it blur
    if (!input) return;
    input.node.remove();
    this.cells[input.k].classList.remove("av-typing");
  }

  commit(text, k) {
    const { low, high, digits } = this.spec;
    const { words } = this.board;
    const number = parseNumber(text);
    if (number === null || !Number.isFinite(number)) {
      this.board.say(fill(words.not_a_number, { text: text.trim(), value: numberText(this.valueAt(k), digits) }));
      return;
    }
    const value = Math.min(high, Math.max(low, number));
    this.board.endGesture();
    this.edit(k, value);
    if (value !== number) {
      const template = number > high ? words.too_high : words.too_low;
      this.board.say(fill(template, { text: text.trim(), value: numberText(value, digits) }));
    }
  }
}

class Board {
  constructor(model, el) {
    this.model = model;
    this.el = el;
    this.words = model.get("_words");
    this.palettes = model.get("_palettes");
    this.dead = false;
    this.localNote = "";
    this.gestureNumber = 0;
    this.frameGesture = null;
    this.lastFrame = 0;
    this.messenger = new Messenger(model, (silent) => this.setSilent(silent));
    this.root = make("div", "attention-theme attention-view", el);
    this.alarm = make("div", "av-alarm", this.root);
    this.alarm.setAttribute("role", "alert");
    this.body = make("div", "av-body", this.root);
    this.noteLine = make("div", "av-note", this.root);
    this.noteLine.setAttribute("role", "status");
    this.spoken = make("div", "av-hidden", this.root); // what is read out after a change
    this.spoken.setAttribute("aria-live", "polite");
    this.rebuild();
    this.listen();
  }

  listen() {
    const { model } = this;
    // One message of Python fires several of these; the work is done once, after the last.
    const words = ["_captions", "_descriptions", "_note"];
    const names = ["_spec", "_arrangement", "_values", "_changed", "_highlight", "_selected", "_stretched", ...words];
    this.dirty = new Set();
    this.handlers = new Map(names.map((name) => [`change:${name}`, () => this.dirty.add(name)]));
    this.handlers.set("change:_ack", () => {
      this.dirty.add("_ack");
    });
    this.handlers.set("change", () => this.refresh());
    // Sent when the kernel restarts or ends; where a front end does not, the silence is noticed instead.
    this.handlers.set("comm_live_update", () => this.setDead(true));
    for (const [name, handler] of this.handlers) model.on(name, handler);
  }

  dispose() {
    for (const [name, handler] of this.handlers) this.model.off(name, handler);
    clearTimeout(this.messenger.timer);
    clearTimeout(this.restTimer);
  }

  rebuild() {
    const { model } = this;
    this.body.textContent = "";
    this.panels = new Map();
    const specs = model.get("_spec");
    const offsets = new Map();
    let offset = 0;
    for (const spec of specs) {
      offsets.set(spec.name, offset);
      offset += spec.rows.length * spec.columns.length;
    }
    const byName = new Map(specs.map((spec) => [spec.name, spec]));
    for (const names of model.get("_arrangement")) {
      const row = make("div", "av-row", this.body);
      for (const name of names) {
        this.panels.set(name, new PanelView(this, byName.get(name), offsets.get(name), row));
      }
      const edited = names.map((name) => byName.get(name)).filter((spec) => spec.editable);
      if (!edited.length) continue;
      make("div", "av-hint", this.body, edited[0].kind === "mask" ? this.words.toggle_hint : this.words.edit_hint);
    }
    this.frameGesture = null;
    this.lastFrame = 0;
    this.showValues(true);
    this.showStretched();
    this.showCaptions();
    this.showHighlight();
    this.showSelected();
    this.showNote();
  }

  refresh() {
    const dirty = this.dirty;
    if (!dirty.size) return;
    this.dirty = new Set();
    this.setDead(false); // Python spoke
    if (dirty.has("_ack")) this.messenger.acknowledge(this.model.get("_ack"));
    if (dirty.has("_spec") || dirty.has("_arrangement")) {
      this.rebuild();
      return;
    }
    if (dirty.has("_values") || dirty.has("_changed")) {
      this.showValues(false);
      this.rest();
    }
    if (dirty.has("_ack")) for (const panel of this.panels.values()) panel.settle();
    if (dirty.has("_stretched")) this.showStretched();
    if (dirty.has("_captions") || dirty.has("_descriptions")) this.showCaptions();
    if (dirty.has("_highlight")) this.showHighlight();
    if (dirty.has("_selected")) this.showSelected();
    if (dirty.has("_note")) this.showNote();
  }

  // Bytes to numbers. Answered edits are dropped first, so that Python's values show.
  showValues(first) {
    const bytes = this.model.get("_values");
    const all = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    const changed = this.model.get("_changed");
    const marks = changed.byteLength ? new Uint8Array(changed.buffer, changed.byteOffset, changed.byteLength) : null;
    const none = marks && marks.length === 1;
    const now = performance.now();
    const gesture = this.dirtyGesture();
    const newGesture = first || (gesture === null ? now - this.lastFrame > GESTURE_PAUSE : gesture !== this.frameGesture);
    this.frameGesture = gesture;
    this.lastFrame = now;
    for (const panel of this.panels.values()) {
      const end = panel.offset + panel.size;
      for (const [k, edit] of panel.pending) {
        if (!this.messenger.open(panel.slot(k), edit)) panel.pending.delete(k);
      }
      const mine = marks ? (none ? new Uint8Array(panel.size) : marks.slice(marks.length - all.length).subarray(panel.offset, end)) : null;
      panel.setValues(all.subarray(panel.offset, end), mine, newGesture);
    }
  }

  // The gesture that these values answer; null where Python changed them on its own.
  dirtyGesture() {
    const ack = this.model.get("_ack");
    const key = ack.join(" ");
    if (!ack.length || key === this.lastAck) return null;
    this.lastAck = key;
    return ack[2] || null;
  }

  showStretched() {
    const on = this.model.get("_stretched");
    for (const [name, panel] of this.panels) panel.setStretched(on.includes(name));
  }

  showCaptions() {
    const captions = this.model.get("_captions");
    const descriptions = this.model.get("_descriptions");
    for (const [name, panel] of this.panels) {
      if (name in captions) panel.setCaption(captions[name], true);
      else panel.setCaption(descriptions[name] || "", false);
    }
  }

  // Words are read out, and the descriptions asked for, once the hand rests: not at every step of a drag.
  rest() {
    clearTimeout(this.restTimer);
    this.restTimer = setTimeout(() => {
      this.spoken.textContent = Object.values(this.model.get("_captions")).join(" ");
      if (!this.dead) this.messenger.put("describe", { do: "describe" });
    }, REST);
  }

  showHighlight() {
    const highlight = this.model.get("_highlight");
    for (const [name, panel] of this.panels) panel.setHighlight(highlight[name] || []);
  }

  showSelected() {
    const [name, row, column] = this.model.get("_selected");
    this.chosen = [name, row, column].join();
    for (const panel of this.panels.values()) {
      if (panel.spec.name === name) panel.setSelected(row, column);
      else panel.setSelected(null, null);
    }
  }

  // Shows a selection made here at once; false if it is what is selected already.
  select(panel, row, column) {
    const chosen = [panel.spec.name, row, column].join();
    if (chosen === this.chosen || this.dead) return false;
    this.chosen = chosen;
    for (const other of this.panels.values()) other.setSelected(other === panel ? row : null, other === panel ? column : null);
    return true;
  }

  // One drag, one typed number or one run of key presses in one cell is one gesture.
  gesture(where) {
    const now = performance.now();
    const dragging = [...this.panels.values()].some((panel) => panel.drag);
    if (this.gestureWhere !== where || (!dragging && now - this.gestureTime > GESTURE_PAUSE)) this.gestureNumber++;
    this.gestureWhere = where;
    this.gestureTime = now;
    return `${this.messenger.id}-${this.gestureNumber}`;
  }

  endGesture() {
    this.gestureWhere = null;
  }

  // A sentence of the browser's own, about what was just typed; the next edit takes it away.
  say(text) {
    this.localNote = text;
    this.showNote();
  }

  showNote() {
    const text = this.localNote || this.model.get("_note");
    if (text !== this.noteLine.textContent) this.noteLine.textContent = text;
  }

  setSilent(silent) {
    if (this.dead) return;
    this.alarm.textContent = silent ? this.words.waiting : "";
  }

  setDead(dead) {
    if (dead === this.dead) return;
    this.dead = dead;
    this.root.classList.toggle("av-dead", dead);
    this.alarm.textContent = dead ? this.words.gone : "";
    for (const panel of this.panels.values()) panel.grid.setAttribute("aria-disabled", String(dead));
  }
}

export default {
  render({ model, el }) {
    const board = new Board(model, el);
    return () => board.dispose();
  },
};
