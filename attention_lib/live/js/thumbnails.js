// The browser's part of Thumbnails (see thumbnails.py): draws the maps, tells Python which one is opened.

import { make, numberText } from "./page.js";

/** @import { Bytes, Model, View } from "./types.js" */

/**
 * "#rrggbb" as a canvas holds it: four bytes, red first.
 * @param {string} colour
 */
function pixelOf(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return new Uint32Array(Uint8Array.of(red, green, blue, 255).buffer)[0];
}

class Grid {
  /**
   * @param {Model} model
   * @param {Element} el
   */
  constructor(model, el) {
    this.model = model;
    /** @type {{ rows: number, columns: number, row: string, column: string, all: string }} */
    this.shape = model.get("_grid");
    const { rows, columns, row, column } = this.shape;
    const root = make("div", "attention-theme attention-thumbnails", el);
    make("div", "at-axes", root, `${column} →, ${row} ↓`);
    this.grid = make("div", "at-grid", root);
    this.grid.setAttribute("role", "toolbar");
    this.grid.setAttribute("aria-label", this.shape.all);
    this.grid.style.setProperty("--at-columns", String(columns));
    for (let j = -1; j < columns; j++) this.makeLabel(j < 0 ? "" : String(j));
    this.maps = Array.from({ length: rows * columns }, (_, k) => {
      if (k % columns === 0) this.makeLabel(String(k / columns));
      return this.makeMap(k);
    });
    this.grid.addEventListener("keydown", (event) => this.onKeyDown(event));
    this.draw = () => {
      this.drawMaps();
      this.drawShares();
      this.drawChosen();
    };
    this.draw();
    model.on("change", this.draw); // once for all that Python says at once
  }

  dispose() {
    this.model.off("change", this.draw);
  }

  /** @param {string} text */
  makeLabel(text) {
    make("span", "at-label", this.grid, text).setAttribute("aria-hidden", "true");
  }

  /** @param {number} k */
  makeMap(k) {
    const button = make("button", "at-map", this.grid);
    button.type = "button";
    button.addEventListener("click", () => this.open(k));
    return { button, canvas: make("canvas", "at-canvas", button), bar: make("i", "at-bar", button) };
  }

  drawMaps() {
    /** @type {Bytes} */
    const bytes = this.model.get("_maps");
    const n = Math.sqrt(bytes.byteLength / this.maps.length);
    const pixels = Uint32Array.from(this.model.get("_colours"), pixelOf);
    for (const [k, { canvas }] of this.maps.entries()) {
      canvas.width = canvas.height = n; // a pixel a cell; the page enlarges it
      const context = canvas.getContext("2d");
      const image = context?.createImageData(n, n);
      if (!image) continue;
      const drawn = new Uint32Array(image.data.buffer);
      for (let i = 0; i < drawn.length; i++) drawn[i] = pixels[bytes.getUint8(k * n * n + i)];
      context?.putImageData(image, 0, 0);
    }
  }

  drawShares() {
    const { columns, row, column } = this.shape;
    for (const [k, share] of this.model.get("_shares").entries()) {
      const { button, bar } = this.maps[k];
      bar.style.setProperty("--at-share", `${100 * share}%`);
      const place = `${column} ${k % columns}, ${row} ${Math.floor(k / columns)}: ${numberText(share, 2)}`;
      button.title = place;
      button.setAttribute("aria-label", place);
    }
  }

  drawChosen() {
    const chosen = this.model.get("chosen");
    for (const [k, { button }] of this.maps.entries()) {
      button.setAttribute("aria-pressed", String(k === chosen));
      button.tabIndex = k === chosen ? 0 : -1;
    }
    if (this.grid.contains(document.activeElement)) this.maps[chosen].button.focus();
  }

  /** @param {number} k */
  open(k) {
    this.maps[k].button.focus();
    if (k === this.model.get("chosen")) return;
    this.model.set("chosen", k);
    this.model.save_changes();
  }

  /** @param {KeyboardEvent} event */
  onKeyDown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.maps.findIndex(({ button }) => button === event.target);
    const { columns } = this.shape;
    const last = this.maps.length - 1;
    /** @type {Record<string, number>} */
    const places = { ArrowLeft: at - 1, ArrowRight: at + 1, ArrowUp: at - columns, ArrowDown: at + columns };
    Object.assign(places, { Home: 0, End: last });
    const to = places[event.key];
    if (at < 0 || to === undefined) return; // Enter and Space press the button as everywhere
    event.stopPropagation();
    event.preventDefault();
    if (to >= 0 && to <= last) this.open(to);
  }
}

export default {
  /** @param {View} view */
  render({ model, el }) {
    const grid = new Grid(model, el);
    return () => grid.dispose();
  },
};
