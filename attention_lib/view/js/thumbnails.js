// The browser's part of Thumbnails (see thumbnails.py): draws the maps, tells Python which one is opened.

// "#rrggbb" as a canvas holds it: four bytes, red first.
function pixelOf(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return new Uint32Array(Uint8Array.of(red, green, blue, 255).buffer)[0];
}

class Grid {
  constructor(model, el) {
    this.model = model;
    this.words = model.get("_words");
    this.shape = model.get("_grid");
    this.id = Math.random().toString(36).slice(2);
    this.wishes = 0; // how many this view has sent
    this.root = make("div", "attention-theme attention-thumbnails");
    this.grid = make("div", "at-grid");
    this.grid.setAttribute("role", "toolbar");
    this.grid.style.setProperty("--at-columns", this.shape.columns);
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
    this.grid.addEventListener("keyup", (event) => this.letCombinationsPass(event, false));
    this.listen();
    for (const draw of ["drawMaps", "drawNumbers", "drawOrder", "drawMark", "drawChosen", "drawWords"]) this[draw]();
  }

  listen() {
    const drawn = {
      _maps: "drawMaps", _size: "drawMaps", _numbers: "drawNumbers", _order: "drawOrder",
      _mark: "drawMark", _chosen: "drawChosen", _caption: "drawWords", _note: "drawWords",
    };
    // One message of Python fires several of these; each drawing is done once, after the last.
    this.dirty = new Set();
    this.handlers = Object.entries(drawn).map(([name, draw]) => [`change:${name}`, () => this.dirty.add(draw)]);
    this.handlers.push(["change", () => this.refresh()]);
    this.handlers.push(["comm_live_update", () => this.setDead()]); // the kernel ended
    for (const [name, handler] of this.handlers) this.model.on(name, handler);
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

  makeMap(k) {
    const button = make("button", "at-map");
    button.type = "button";
    button.tabIndex = -1;
    button.dataset.lmSuppressShortcuts = "true"; // JupyterLab leaves the keys to the element that has the focus
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
    const bytes = this.model.get("_maps");
    if (!n || bytes.byteLength !== this.maps.length * n * n) return;
    const pixels = Uint32Array.from(this.model.get("_colours"), pixelOf);
    this.maps.forEach(({ canvas }, k) => {
      canvas.width = canvas.height = n; // a pixel a weight; the page enlarges it
      const context = canvas.getContext("2d");
      const image = context.createImageData(n, n);
      const drawn = new Uint32Array(image.data.buffer);
      for (let i = 0; i < n * n; i++) drawn[i] = pixels[bytes.getUint8(k * n * n + i)];
      context.putImageData(image, 0, 0);
    });
  }

  drawNumbers() {
    const { row_axis, column_axis } = this.shape;
    const numbers = this.model.get("_numbers");
    this.maps.forEach(({ button, number, row, column }, k) => {
      if (number.textContent === numbers[k]) return;
      number.textContent = numbers[k];
      button.setAttribute("aria-label", fill(this.words.one, { row_axis, column_axis, row, column, number: numbers[k] }));
    });
  }

  // In a sorted order each map says its own row and column; in rows and columns the edges do.
  drawOrder() {
    const order = this.model.get("_order");
    const focused = this.maps.find(({ button }) => button === document.activeElement);
    this.order = order.length ? order : this.maps.map((_, k) => k);
    this.grid.classList.toggle("at-sorted", order.length > 0);
    const buttons = this.order.map((k) => this.maps[k].button);
    this.grid.replaceChildren(...(order.length ? buttons : this.labelled(buttons)));
    if (focused) focused.button.focus();
  }

  labelled(buttons) {
    const { rows, columns, row_axis, column_axis } = this.shape;
    const label = (text) => make("span", "at-label", null, text);
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

  setChosen(chosen) {
    this.chosen = chosen;
    this.maps.forEach(({ button }, k) => {
      button.setAttribute("aria-pressed", String(k === chosen));
      button.tabIndex = k === chosen ? 0 : -1;
    });
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

  open(k) {
    if (this.dead) return;
    this.maps[k].button.focus();
    if (k === this.chosen) return;
    this.setChosen(k);
    this.model.set("_wish", [k, this.id, ++this.wishes]);
    this.model.save_changes();
  }

  onClick(event) {
    const k = this.maps.findIndex(({ button }) => button.contains(event.target));
    if (k >= 0) this.open(k);
  }

  onKeyDown(event) {
    this.letCombinationsPass(event, true);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.order.findIndex((k) => this.maps[k].button === event.target);
    const { columns } = this.shape;
    const last = this.order.length - 1;
    const to = {
      ArrowLeft: at - 1, ArrowRight: at + 1, ArrowUp: at - columns, ArrowDown: at + columns, Home: 0, End: last,
    }[event.key];
    if (at < 0 || (to === undefined && event.key !== "Enter" && event.key !== " ")) return;
    event.stopPropagation();
    if (to === undefined) return; // Enter and Space press the button as everywhere
    event.preventDefault();
    if (to >= 0 && to <= last) this.open(this.order[to]);
  }

  // Ctrl+S and the like still belong to the notebook.
  letCombinationsPass(event, down) {
    if (event.key !== "Control" && event.key !== "Meta") return;
    if (down) delete event.target.dataset.lmSuppressShortcuts;
    else event.target.dataset.lmSuppressShortcuts = "true";
  }
}

export default {
  render({ model, el }) {
    const grid = new Grid(model, el);
    return () => grid.dispose();
  },
};
