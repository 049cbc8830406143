// What the reader does in a panel: mouse, touch, keys, typing.

const ECHO = 40; // ms without an answer, after which an edited cell shows its new value alone: one frame is cheaper than two
const DRAG_PIXELS = 3; // a step of the value for each

class PanelView extends PanelPicture {
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
      n: 0, // not sent yet
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
