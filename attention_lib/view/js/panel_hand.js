// What the reader does in a panel: mouse, touch, keys, typing.

import { keepKeys } from "./page.js";
import { STRETCH_KEY } from "./panel_frame.js";
import { PanelInput } from "./panel_input.js";

/** @import { Panel } from "./panel.js" */

const DRAG_PIXELS = 3; // a step of the value for each

export class PanelHand {
  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
    this.frame = panel.frame;
    this.spec = panel.spec;
    this.input = new PanelInput(panel);
    this.active = 0; // the one cell that Tab reaches
    this.isStop = false; // whether Tab stops in this panel
    /** @type {number | null} */
    this.hovered = null;
    /** @type {{ k: number, x: number, value: number, pointer: number, moved: boolean } | null} */
    this.drag = null;
    /** @type {number | null} the cell that a finger has tapped and not dragged */
    this.tapped = null;
    this.listen();
  }

  listen() {
    const { grid } = this.frame;
    grid.addEventListener("pointerdown", (event) => this.onPointerDown(event));
    grid.addEventListener("pointermove", (event) => this.onPointerMove(event));
    grid.addEventListener("pointerup", (event) => this.onPointerUp(event));
    grid.addEventListener("pointercancel", (event) => this.onPointerUp(event));
    grid.addEventListener("click", () => this.onClick());
    grid.addEventListener("pointerover", (event) => this.onHover(this.frame.cellOf(event.target)));
    grid.addEventListener("pointerleave", () => this.onHover(null));
    grid.addEventListener("dblclick", (event) => {
      // The drag took the pointer, so the event's own target is the grid.
      const k = this.frame.cellOf(document.elementFromPoint(event.clientX, event.clientY));
      if (k !== null && this.spec.editable && this.frame.numeric) this.input.open(k, null);
    });
    grid.addEventListener("keydown", (event) => this.onKeyDown(event));
    grid.addEventListener("paste", (event) => this.onPaste(event));
    this.frame.root.addEventListener("focusin", () => this.panel.board.round.reach(this.panel));
    grid.addEventListener("focusin", (event) => {
      const k = this.frame.cellOf(event.target);
      if (k !== null) this.panel.picture.showReadout(k);
    });
    grid.addEventListener("focusout", (event) => {
      this.panel.picture.showReadout(null);
      if (this.frame.cellOf(event.target) !== null) keepKeys(/** @type {HTMLElement} */ (event.target));
    });
    this.frame.stretchButton?.addEventListener("click", () => this.panel.switchStretch());
  }

  /** @param {number} k */
  setActive(k) {
    this.frame.focusTarget(this.active).tabIndex = -1;
    this.active = k;
    this.setStop(this.isStop);
  }

  /** @param {boolean} on */
  setStop(on) {
    this.isStop = on;
    this.frame.focusTarget(this.active).tabIndex = on ? 0 : -1;
  }

  /** @param {number} k */
  focusCell(k) {
    this.setActive(k);
    this.frame.focusTarget(k).focus();
  }

  /** @param {number} k */
  goTo(k) {
    this.focusCell(k);
    const { row, column } = this.frame.placeOf(k);
    this.panel.select(row, column);
  }

  /** @param {number | null} k */
  onHover(k) {
    if (this.drag || this.hovered === k) return;
    this.hovered = k;
    const focused = this.frame.grid.contains(document.activeElement) ? this.active : null;
    this.panel.picture.showReadout(k ?? focused);
    this.panel.hover(k);
  }

  /** @param {PointerEvent} event */
  onPointerDown(event) {
    if (event.button !== 0 || event.target instanceof HTMLInputElement) return;
    const row = this.frame.rowOf(event.target);
    if (row !== null) {
      this.panel.select(row, null);
      return;
    }
    const k = this.frame.cellOf(event.target);
    if (k === null) return;
    event.preventDefault(); // no text selection; the focus is set here
    this.goTo(k);
    if (!this.spec.editable) return;
    this.panel.endGesture();
    if (!this.frame.numeric) {
      this.panel.toggle(k);
      return;
    }
    this.drag = { k, x: event.clientX, value: this.panel.valueAt(k), pointer: event.pointerId, moved: false };
    this.frame.grid.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  onPointerMove(event) {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.pointer) return;
    const steps = Math.trunc((event.clientX - drag.x) / DRAG_PIXELS);
    if (steps === 0 && !drag.moved) return;
    drag.moved = true;
    this.panel.edit(drag.k, this.stepped(drag.value + steps * this.spec.step * (event.shiftKey ? 5 : 1)));
  }

  /** @param {PointerEvent} event */
  onPointerUp(event) {
    if (!this.drag || event.pointerId !== this.drag.pointer) return;
    const isTap = event.pointerType === "touch" && event.type === "pointerup" && !this.drag.moved;
    this.tapped = isTap ? this.drag.k : null;
    this.drag = null;
    this.panel.board.messenger.hurry();
  }

  // A phone opens its keyboard for a field that gets the focus in a click, and in no earlier event.
  onClick() {
    const k = this.tapped;
    this.tapped = null;
    if (k !== null) this.input.open(k, null);
  }

  /** @param {KeyboardEvent} event */
  onKeyDown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return;
    const k = this.frame.cellOf(event.target);
    if (k === null) return;
    const isHeard = this.editByKey(k, event) || this.moveByKey(k, event) || this.stretchByKey(event);
    if (isHeard || this.refuseKey(k, event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /**
   * A number that is pasted onto a cell is as good as one that is typed there.
   * @param {ClipboardEvent} event
   */
  onPaste(event) {
    const k = this.frame.cellOf(event.target);
    if (k === null || !this.spec.editable || !this.frame.numeric || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    event.stopPropagation();
    this.input.commit(event.clipboardData?.getData("text/plain") ?? "", k);
  }

  /**
   * Whether the key changes the cell; then it has.
   * @param {number} k
   * @param {KeyboardEvent} event
   */
  editByKey(k, event) {
    const { editable, step, low, high } = this.spec;
    if (!editable) return false;
    if (!this.frame.numeric) {
      if (event.key !== " " && event.key !== "Enter") return false;
      this.panel.toggle(k);
      return true;
    }
    /** @type {Record<string, number>} */
    const stepKeys = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 };
    const steps = stepKeys[event.key];
    if (steps) this.panel.edit(k, this.stepped(this.panel.valueAt(k) + steps * step * (event.shiftKey ? 5 : 1)));
    else if (event.key === "Home") this.panel.edit(k, low);
    else if (event.key === "End") this.panel.edit(k, high);
    else if (event.key === "Enter" || event.key === "F2") this.input.open(k, null);
    else if (/^[-+\u2212.,\d]$/.test(event.key)) this.input.open(k, event.key);
    else return false;
    return true;
  }

  /**
   * Whether the key belongs to the grid; then the focus has gone there, if there is such a cell.
   * @param {number} k
   * @param {KeyboardEvent} event
   */
  moveByKey(k, event) {
    const { nColumns, size } = this.frame;
    const { column } = this.frame.placeOf(k);
    const wraps = this.spec.editable;
    /** @type {Record<string, number>} */
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
    if (to === k && event.key === "ArrowLeft") this.panel.board.round.go(this.panel, -1, k);
    if (to === k && event.key === "ArrowRight") this.panel.board.round.go(this.panel, 1, k);
    if (to >= 0 && to < size && to !== k) this.goTo(to);
    return true;
  }

  /** @param {KeyboardEvent} event */
  stretchByKey(event) {
    if (event.key !== STRETCH_KEY || !this.frame.stretchButton) return false;
    this.panel.switchStretch();
    return true;
  }

  /**
   * Whether the key is a sign that no number begins with; then the panel says so, as of what is typed in its box.
   * @param {number} k
   * @param {KeyboardEvent} event
   */
  refuseKey(k, event) {
    if (!this.spec.editable || !this.frame.numeric || this.panel.board.dead || !/^\S$/u.test(event.key)) return false;
    this.input.refuse(event.key, k);
    return true;
  }

  /**
   * A value on the grid of steps from `low`, inside the range.
   * @param {number} value
   */
  stepped(value) {
    const { low, high, step } = this.spec;
    const onGrid = Math.round((value - low) / step) * step + low;
    return Math.min(high, Math.max(low, Number(onGrid.toFixed(10))));
  }
}
