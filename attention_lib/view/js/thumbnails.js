// The browser's part of Thumbnails (see thumbnails.py): draws the maps, tells Python which one is opened.

import { fill, keepKeys, letCombinationsPass, make, newId } from "./page.js";
import { PixelMap, pixelOf } from "./pixels.js";

/** @import { Bytes, Model, View, Words } from "./types.js" */

// The names of what Python keeps, and what each is drawn by.
/** @type {Record<string, Drawing>} */
const DRAWN = {
  _maps: "drawMaps",
  _size: "drawMaps",
  _numbers: "drawNumbers",
  _order: "drawOrder",
  _mark: "drawMark",
  _chosen: "drawChosen",
  _caption: "drawWords",
  _note: "drawWords",
};

/** @typedef {"drawMaps" | "drawNumbers" | "drawOrder" | "drawMark" | "drawChosen" | "drawWords"} Drawing */

class Grid {
  /**
   * @param {Model} model
   * @param {Element} el
   */
  constructor(model, el) {
    this.model = model;
    /** @type {Words} */
    this.words = model.get("_words");
    /** @type {{ rows: number, columns: number, row_axis: string, column_axis: string }} */
    this.shape = model.get("_grid");
    this.id = newId();
    this.dead = false;
    this.chosen = 0;
    /** @type {Set<Drawing>} what is to be drawn again */
    this.dirty = new Set();
    this.wishes = 0; // how many this view has sent
    this.root = make("div", "attention-theme attention-thumbnails");
    this.grid = make("div", "at-grid");
    this.grid.setAttribute("role", "toolbar");
    this.grid.style.setProperty("--at-columns", String(this.shape.columns));
    this.note = make("div", "at-note");
    this.note.setAttribute("role", "status");
    this.caption = make("p", "at-caption");
    this.caption.id = `at-${this.id}`;
    this.grid.setAttribute("aria-describedby", this.caption.id);
    this.root.append(this.grid, this.caption, this.note);
    el.append(this.root);
    const count = this.shape.rows * this.shape.columns;
    this.grid.setAttribute("aria-label", fill(this.words.all, { count }));
    this.maps = Array.from({ length: count }, (_, k) => this.makeMap(k));
    this.grid.addEventListener("click", (event) => this.onClick(event));
    this.grid.addEventListener("keydown", (event) => this.onKeyDown(event));
    this.grid.addEventListener("keydown", letCombinationsPass);
    this.grid.addEventListener("keyup", letCombinationsPass);
    this.order = this.maps.map((_, k) => k); // the maps from the first to the last
    for (const draw of new Set(Object.values(DRAWN))) this[draw]();
    // One message of Python fires several of these; each drawing is done once, after the last.
    /** @type {Map<string, () => void>} */
    this.handlers = new Map(Object.entries(DRAWN).map(([name, draw]) => [`change:${name}`, () => this.soil(draw)]));
    this.handlers.set("change", () => this.refresh());
    this.handlers.set("comm_live_update", () => this.setDead()); // the kernel ended
    for (const [name, handler] of this.handlers) model.on(name, handler);
    if (el.closest(".jupyter-widgets-disconnected")) this.setDead(); // drawn after that
  }

  /** @param {Drawing} draw */
  soil(draw) {
    this.dirty.add(draw);
  }

  refresh() {
    const { dirty } = this;
    this.dirty = new Set();
    if (dirty.has("drawMaps")) dirty.add("drawMark"); // its place depends on the size
    for (const draw of dirty) this[draw]();
  }

  dispose() {
    for (const [name, handler] of this.handlers) this.model.off(name, handler);
  }

  /** @param {number} k */
  makeMap(k) {
    const button = make("button", "at-map");
    button.type = "button";
    button.tabIndex = -1;
    keepKeys(button);
    const row = Math.floor(k / this.shape.columns);
    const column = k % this.shape.columns;
    const picture = make("span", "at-picture");
    const canvas = make("canvas", "at-canvas");
    const number = make("span", "at-number");
    picture.append(canvas, make("span", "at-mark"));
    button.append(picture, make("span", "at-short", null, fill(this.words.short, { row, column })), number);
    return { button, canvas, number, row, column };
  }

  // -- drawing --------------------------------------------------------------------------------

  drawMaps() {
    const n = this.model.get("_size");
    /** @type {Bytes} */
    const bytes = this.model.get("_maps");
    if (!n || bytes.byteLength !== this.maps.length * n * n) return;
    const pixels = Uint32Array.from(this.model.get("_colours"), pixelOf);
    for (const [k, { canvas }] of this.maps.entries()) {
      new PixelMap(canvas, n, n).draw((i) => pixels[bytes.getUint8(k * n * n + i)]);
    }
  }

  drawNumbers() {
    const { row_axis, column_axis } = this.shape;
    const numbers = this.model.get("_numbers");
    for (const [k, { button, number, row, column }] of this.maps.entries()) {
      if (number.textContent === numbers[k]) continue;
      number.textContent = numbers[k];
      const told = { row_axis, column_axis, row, column, number: numbers[k] };
      button.setAttribute("aria-label", fill(this.words.one, told));
    }
  }

  // In a sorted order each map says its own row and column; in rows and columns the edges do.
  drawOrder() {
    /** @type {number[]} */
    const order = this.model.get("_order");
    const focused = this.maps.find(({ button }) => button === document.activeElement);
    this.order = order.length ? order : this.maps.map((_, k) => k);
    this.grid.classList.toggle("at-sorted", order.length > 0);
    const buttons = this.order.map((k) => this.maps[k].button);
    this.grid.replaceChildren(...(order.length ? buttons : this.labelled(buttons)));
    if (focused) focused.button.focus();
  }

  /** @param {HTMLElement[]} buttons */
  labelled(buttons) {
    const { rows, columns, row_axis, column_axis } = this.shape;
    const label = (/** @type {string} */ text) => make("span", "at-label", null, text);
    /** @type {HTMLElement[]} */
    const nodes = [label(""), ...Array.from({ length: columns }, (_, j) => label(j ? `${j}` : `${column_axis} 0`))];
    for (let i = 0; i < rows; i++) {
      nodes.push(label(`${row_axis} ${i}`), ...buttons.slice(i * columns, (i + 1) * columns));
    }
    for (const node of nodes) if (node.className === "at-label") node.setAttribute("aria-hidden", "true");
    return nodes;
  }

  drawMark() {
    const [row, column] = this.model.get("_mark");
    const side = 100 / this.model.get("_size");
    this.grid.classList.toggle("at-marked", row !== undefined);
    if (row === undefined) return;
    this.grid.style.setProperty("--at-top", `${row * side}%`);
    this.grid.style.setProperty("--at-left", `${column * side}%`);
    this.grid.style.setProperty("--at-side", `${side}%`);
  }

  // Python's answer to an earlier wish is passed over: a later one is on its way.
  drawChosen() {
    const [k, view, answered] = this.model.get("_chosen");
    if (view === this.id && answered < this.wishes) return;
    this.setChosen(k);
    if (this.grid.contains(document.activeElement)) this.maps[k].button.focus();
  }

  /** @param {number} chosen */
  setChosen(chosen) {
    this.chosen = chosen;
    for (const [k, { button }] of this.maps.entries()) {
      button.setAttribute("aria-pressed", String(k === chosen));
      button.tabIndex = k === chosen ? 0 : -1;
    }
  }

  drawWords() {
    this.caption.textContent = this.model.get("_caption");
    this.note.textContent = this.model.get("_note");
  }

  setDead() {
    this.dead = true;
    this.root.classList.add("at-dead");
    this.note.textContent = this.words.gone;
  }

  // -- what the reader does ---------------------------------------------------------------------

  /** @param {number} k */
  open(k) {
    if (this.dead) return;
    this.maps[k].button.focus();
    if (k === this.chosen) return;
    this.setChosen(k);
    this.model.set("_wish", [k, this.id, ++this.wishes]);
    this.model.save_changes();
  }

  /** @param {MouseEvent} event */
  onClick(event) {
    const { target } = event;
    const k = this.maps.findIndex(({ button }) => target instanceof Node && button.contains(target));
    if (k >= 0) this.open(k);
  }

  /** @param {KeyboardEvent} event */
  onKeyDown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.order.findIndex((k) => this.maps[k].button === event.target);
    const { columns } = this.shape;
    const last = this.order.length - 1;
    /** @type {Record<string, number>} */
    const places = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at - columns,
      ArrowDown: at + columns,
      Home: 0,
      End: last,
    };
    const to = places[event.key];
    if (at < 0 || (to === undefined && event.key !== "Enter" && event.key !== " ")) return;
    event.stopPropagation();
    if (to === undefined) return; // Enter and Space press the button as everywhere
    event.preventDefault();
    if (to >= 0 && to <= last) this.open(this.order[to]);
  }
}

export default {
  /** @param {View} view */
  render({ model, el }) {
    const grid = new Grid(model, el);
    return () => grid.dispose();
  },
};
