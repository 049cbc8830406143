// What the reader does in a panel: mouse, touch, keys, typing. Each panel is one Tab stop.

import { fill, make, numberText, parseNumber } from "./page.js";

/** @import { Panel } from "./panel.js" */

const DRAG_PIXELS = 3; // a step of the value for each

// The box in a cell that a number is typed into.
class PanelInput {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.box = null;
  }

  // `first` was typed to open it; where it is null, the number that is there can be changed.
  open(k, first) {
    const { panel } = this;
    if (panel.board.dead) return;
    this.close();
    const { spec } = panel;
    const before = numberText(panel.valueAt(k), spec.digits);
    const node = make("input", "av-input", panel.cells[k]);
    panel.cells[k].classList.add("av-typing");
    node.type = "text";
    node.inputMode = spec.low < 0 ? "text" : "decimal"; // the number pad of some phones has no minus
    node.setAttribute("aria-label", panel.focusTarget(k).getAttribute("aria-label") ?? "");
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
    this.panel.cells[box.k].classList.remove("av-typing");
  }

  // Takes what was typed, or the nearest number that the cell can hold, and says where that is another.
  commit(text, k) {
    const { board, cells, spec } = this.panel;
    const number = parseNumber(text);
    const value = number === null ? this.panel.valueAt(k) : Math.min(spec.high, Math.max(spec.low, number));
    board.endGesture();
    this.panel.edit(k, value);
    if (value === number) return;
    const [low, high] = [spec.low, spec.high].map((end) => numberText(end, Number.isInteger(end) ? 0 : spec.digits));
    const parts = { low, high, value: numberText(value, spec.digits) };
    board.say(fill(board.words[number === null ? "no number" : "range"], parts), cells[k]);
  }
}

export class PanelHand {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.spec = panel.spec;
    this.input = new PanelInput(panel);
    this.active = 0; // the one cell that Tab reaches
    this.drag = null; // where it began
    this.tapped = null; // the cell that a finger has tapped and not dragged
    this.setActive(0);
    this.listen();
  }

  listen() {
    const { grid } = this.panel;
    grid.addEventListener("pointerdown", (event) => this.onPointerDown(event));
    grid.addEventListener("pointermove", (event) => this.onPointerMove(event));
    grid.addEventListener("pointerup", (event) => this.onPointerUp(event));
    grid.addEventListener("pointercancel", (event) => this.onPointerUp(event));
    grid.addEventListener("click", () => this.onClick());
    grid.addEventListener("dblclick", (event) => {
      // The drag took the pointer, so the event's own target is the grid.
      const k = this.panel.cellOf(document.elementFromPoint(event.clientX, event.clientY));
      if (k !== null && this.spec.editable && this.panel.numeric) this.input.open(k, null);
    });
    grid.addEventListener("keydown", (event) => this.onKeyDown(event));
    grid.addEventListener("paste", (event) => this.onPaste(event));
  }

  setActive(k) {
    this.panel.focusTarget(this.active).tabIndex = -1;
    this.active = k;
    this.panel.focusTarget(k).tabIndex = 0;
  }

  focusCell(k) {
    this.setActive(k);
    this.panel.focusTarget(k).focus();
  }

  goTo(k) {
    this.focusCell(k);
    const { row, column } = this.panel.placeOf(k);
    this.panel.board.select(this.panel, row, column);
  }

  onPointerDown(event) {
    if (event.button !== 0 || event.target instanceof HTMLInputElement) return;
    const row = this.panel.rowOf(event.target);
    if (row !== null) {
      this.panel.board.select(this.panel, row, null);
      return;
    }
    const k = this.panel.cellOf(event.target);
    if (k === null) return;
    event.preventDefault(); // no text selection; the focus is set here
    this.goTo(k);
    if (!this.spec.editable) return;
    this.panel.board.endGesture();
    this.drag = { k, x: event.clientX, value: this.panel.valueAt(k), pointer: event.pointerId, moved: false };
    if (!this.panel.numeric) this.paint(k);
    this.panel.grid.setPointerCapture(event.pointerId);
  }

  // A mask is painted: what a drag reaches becomes what its first cell has become.
  paint(k) {
    if (this.drag) this.panel.edit(k, this.drag.value ? 0 : 1, "painted");
  }

  onPointerMove(event) {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.pointer) return;
    if (!this.panel.numeric) {
      const k = this.panel.cellOf(document.elementFromPoint(event.clientX, event.clientY));
      if (k !== null) this.paint(k);
      return;
    }
    const steps = Math.trunc((event.clientX - drag.x) / DRAG_PIXELS);
    if (steps === 0 && !drag.moved) return;
    drag.moved = true;
    this.panel.edit(drag.k, this.stepped(drag.value + steps * this.spec.step * (event.shiftKey ? 5 : 1)));
  }

  onPointerUp(event) {
    if (!this.drag || event.pointerId !== this.drag.pointer) return;
    const isTouch = event.pointerType === "touch" && event.type === "pointerup";
    const isTap = isTouch && this.panel.numeric && !this.drag.moved;
    this.tapped = isTap ? this.drag.k : null;
    this.drag = null;
  }

  // A phone opens its keyboard for a field that gets the focus in a click, and in no earlier event.
  onClick() {
    const k = this.tapped;
    this.tapped = null;
    if (k !== null) this.input.open(k, null);
  }

  onKeyDown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return;
    const k = this.panel.cellOf(event.target);
    if (k === null) return;
    // Space would scroll the lab away.
    if (this.editByKey(k, event) || this.moveByKey(k, event) || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  // A number that is pasted onto a cell is as good as one that is typed there.
  onPaste(event) {
    const k = this.panel.cellOf(event.target);
    if (k === null || !this.spec.editable || !this.panel.numeric || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    event.stopPropagation();
    this.input.commit(event.clipboardData?.getData("text/plain") ?? "", k);
  }

  // Whether the key changes the cell; then it has. Any sign opens the box: what is no number is refused at its end.
  editByKey(k, event) {
    const { editable, step, low, high } = this.spec;
    if (!editable) return false;
    if (!this.panel.numeric) {
      if (event.key !== " " && event.key !== "Enter") return false;
      this.panel.board.endGesture();
      this.panel.edit(k, this.panel.valueAt(k) ? 0 : 1);
      return true;
    }
    const stepKeys = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 };
    const steps = stepKeys[event.key];
    if (steps) this.panel.edit(k, this.stepped(this.panel.valueAt(k) + steps * step * (event.shiftKey ? 5 : 1)));
    else if (event.key === "Home") this.panel.edit(k, low);
    else if (event.key === "End") this.panel.edit(k, high);
    else if (event.key === "Enter" || event.key === "F2") this.input.open(k, null);
    else if (/^\S$/u.test(event.key)) this.input.open(k, event.key);
    else return false;
    return true;
  }

  // Whether the key belongs to the grid; then the focus has gone there, if there is such a cell.
  moveByKey(k, event) {
    const { nColumns, size } = this.panel;
    const { column } = this.panel.placeOf(k);
    const wraps = this.spec.editable;
    const places = {
      ArrowLeft: column > 0 || (wraps && k > 0) ? k - 1 : k,
      ArrowRight: column < nColumns - 1 || (wraps && k < size - 1) ? k + 1 : k,
      ArrowUp: k - nColumns,
      ArrowDown: k + nColumns,
      Home: k - column,
      End: k - column + nColumns - 1,
      PageUp: column,
      PageDown: size - nColumns + column,
    };
    const to = places[event.key];
    if (to === undefined) return false;
    if (to >= 0 && to < size && to !== k) this.goTo(to);
    return true;
  }

  // A value on the grid of steps from `low`, inside the range.
  stepped(value) {
    const { low, high, step } = this.spec;
    const onGrid = Math.round((value - low) / step) * step + low;
    return Math.min(high, Math.max(low, Number(onGrid.toFixed(10))));
  }
}
