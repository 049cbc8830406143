// One panel as it is built once: its grid, labels, cells, legend, and how large they are.

const DENSE = 20; // rows or columns, beyond which digits are dropped
const LONGEST_COLUMN = 4.4; // em, the widest label that stands level above its column
const LONGEST_UPRIGHT = 6.5; // em, of labels that stand upright; what is longer is cut with "…"
const LONGEST_ROW = 8; // em

class PanelFrame {
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
}
