// One panel: what stands on the page, what it shows, what the hand does to it, and what Python hears of it.

import { PanelFrame } from "./panel_frame.js";
import { PanelHand } from "./panel_hand.js";
import { PanelPicture } from "./panel_picture.js";

/** @import { Board } from "./board.js" */
/** @import { Edit, Spec } from "./types.js" */

const PALETTES = { weights: "sequential", signed: "diverging", mask: "category", category: "category" };
export const SELECT = "select"; // the slot of all that is selected in a view
const ECHO = 40; // ms without an answer, after which an edited cell shows its new value alone: one frame is cheaper than two

export class Panel {
  /**
   * @param {Board} board
   * @param {Spec} spec
   * @param {number} offset of its first value among those of all panels
   * @param {Element} parent
   */
  constructor(board, spec, offset, parent) {
    this.board = board;
    this.spec = spec;
    this.offset = offset;
    const palette = board.palettes[PALETTES[spec.kind]];
    this.frame = new PanelFrame(spec, board.words, palette, `av-${board.messenger.id}-${offset}`, parent);
    this.picture = new PanelPicture(this.frame);
    this.hand = new PanelHand(this);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.echo = undefined;
  }

  get size() {
    return this.frame.size;
  }

  /** @param {number} k */
  valueAt(k) {
    return this.picture.valueAt(k);
  }

  // -- what Python hears --------------------------------------------------------------------------

  /** @param {number} k */
  slot(k) {
    return `edit ${this.spec.name} ${k}`;
  }

  /**
   * Tells Python; what follows shows in the next frame where the page can calculate it, else with the answer. The new
   * value itself shows soon without one.
   * @param {number} k
   * @param {number} value
   */
  edit(k, value) {
    const { board, spec } = this;
    if (board.dead || Object.is(value, this.valueAt(k))) return;
    /** @type {Edit} */
    const edit = {
      do: "edit",
      panel: spec.name,
      ...this.frame.placeOf(k),
      value,
      gesture: board.gesture(`${spec.name} ${k}`),
      n: 0, // not sent yet
    };
    board.note.clear();
    this.picture.pending.set(k, edit);
    const isShown = board.ahead.covers(spec.name);
    if (isShown) board.ahead.soon();
    else this.echo ??= setTimeout(() => this.draw(), ECHO);
    board.messenger.put(this.slot(k), edit, isShown && this.hand.drag !== null);
  }

  /** @param {number} k */
  toggle(k) {
    this.endGesture();
    this.edit(k, this.valueAt(k) ? 0 : 1);
  }

  endGesture() {
    this.board.endGesture();
  }

  /**
   * @param {number} row
   * @param {number | null} column
   */
  select(row, column) {
    if (!this.board.select(this, row, column)) return;
    this.board.messenger.put(SELECT, { do: "select", panel: this.spec.name, row, column });
  }

  /** @param {number | null} k */
  hover(k) {
    const place = k === null ? { row: 0, column: null } : this.frame.placeOf(k);
    this.board.hover({ do: "hover", panel: k === null ? null : this.spec.name, ...place });
  }

  get stretchSlot() {
    return `stretch ${this.spec.name}`;
  }

  switchStretch() {
    const on = !this.picture.stretched;
    this.picture.setStretched(on);
    this.board.messenger.put(this.stretchSlot, { do: "stretch", panel: this.spec.name, on });
  }

  // -- what Python says ---------------------------------------------------------------------------

  draw() {
    clearTimeout(this.echo);
    this.echo = undefined;
    this.picture.draw();
  }

  /**
   * @param {Float64Array} values
   * @param {Uint8Array | null} marks
   * @param {boolean} newGesture
   */
  setValues(values, marks, newGesture) {
    clearTimeout(this.echo);
    this.echo = undefined;
    this.picture.setValues(values, marks, newGesture);
  }

  /** Forgets the edits that Python has answered; returns their cells. */
  settle() {
    const { pending } = this.picture;
    const answered = [...pending].filter(([k, edit]) => !this.board.messenger.open(this.slot(k), edit));
    for (const [k] of answered) pending.delete(k);
    return answered.map(([k]) => k);
  }

  /** @param {boolean} on */
  setStretched(on) {
    if (!this.board.messenger.expects(this.stretchSlot)) this.picture.setStretched(on);
  }

  /**
   * @param {number | null} row
   * @param {number | null} column
   */
  setSelected(row, column) {
    this.picture.setSelected(row, column);
    const { chosen } = this.picture;
    if (chosen !== null && !this.frame.grid.contains(document.activeElement)) this.hand.setActive(chosen);
  }

  dispose() {
    clearTimeout(this.echo);
  }
}
