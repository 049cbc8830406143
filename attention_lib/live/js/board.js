// All panels of one MatrixView, and what passes between them and Python (see matrix_view.py).
// The browser sets no state: Python answers every message with new state, and what it says stands.

import { calculate, following, matricesOf, numbersOf } from "./chain.js";
import { Messenger } from "./messenger.js";
import { Note } from "./note.js";
import { make } from "./page.js";
import { Panel } from "./panel.js";
import { PanelRound } from "./panel_hand.js";

/** @import { Ack, Arranged, Matrix, Model, Palette, Spec, Step, View, Words } from "./types.js" */

const GESTURE_PAUSE = 700; // ms without an update, after which the next one starts a new comparison
const SELECT = "select"; // the slot of all that is selected in a view
const HEARD = ["_spec", "_arrangement", "_values", "_highlight", "_selected", "_captions", "_ack", "_given"];

export class Board {
  /**
   * @param {Model} model
   * @param {Element} el
   */
  constructor(model, el) {
    this.model = model;
    /** @type {Words} */
    this.words = model.get("_words");
    /** @type {Record<string, Palette>} */
    this.palettes = model.get("_palettes");
    /** @type {Map<string, Panel>} */
    this.panels = new Map();
    this.round = new PanelRound([], "");
    /** @type {Set<string>} names of the state that has changed since it was last shown */
    this.dirty = new Set();
    this.chosen = "";
    this.gestureNumber = 0;
    this.gestureTime = 0;
    /** @type {string | null} the cell that the hand is at */
    this.gestureWhere = null;
    /** @type {string | null} the gesture that the values shown belong to */
    this.frameGesture = null;
    this.lastFrame = 0;
    this.lastAck = "";
    /** @type {Map<string, Matrix>} matrices that no panel shows */
    this.given = new Map();
    /** @type {Map<string, Matrix>} the panels as Python last gave them */
    this.answers = new Map();
    /** @type {number | null} the frame in which what follows from an edit is calculated */
    this.frame = null;
    this.messenger = new Messenger(model, (silent) => {
      this.alarm.textContent = silent && !this.dead ? this.words.waiting : "";
    });
    this.root = make("div", "attention-theme attention-view", el);
    this.alarm = make("div", "av-alarm", this.root);
    this.alarm.setAttribute("role", "alert");
    this.body = make("div", "av-body", this.root);
    this.note = new Note(this.root);
    /** @type {Element} the cell that was edited last */
    this.edited = this.body;
    this.roundHint = make("div", "av-hidden", this.root, this.words.round);
    this.roundHint.id = `av-${this.messenger.id}-round`;
    this.rebuild();
    // One message of Python fires several of these; the work is done once, after the last.
    /** @type {Map<string, () => unknown>} */
    this.handlers = new Map(HEARD.map((name) => [`change:${name}`, () => this.dirty.add(name)]));
    this.handlers.set("change", () => this.refresh());
    for (const [name, handler] of this.handlers) model.on(name, handler);
  }

  /** Whether the kernel is gone: ipywidgets marks every widget then, and the box around says it. */
  get dead() {
    return this.root.closest(".jupyter-widgets-disconnected") !== null;
  }

  dispose() {
    for (const [name, handler] of this.handlers) this.model.off(name, handler);
    if (this.frame !== null) cancelAnimationFrame(this.frame);
    this.frame = null;
    this.note.clear();
    if (this.dead) this.messenger.stop();
    else this.messenger.close();
  }

  rebuild() {
    const { model } = this;
    const focused = [...this.panels.values()].find(({ frame }) => frame.grid.contains(document.activeElement));
    const place = focused?.frame.cellOf(document.activeElement) ?? null;
    this.panels = new Map();
    this.body.textContent = "";
    /** @type {Map<string, [spec: Spec, offset: number]>} */
    const described = new Map();
    let offset = 0;
    for (const spec of /** @type {Spec[]} */ (model.get("_spec"))) {
      described.set(spec.name, [spec, offset]);
      offset += spec.rows.length * spec.columns.length;
    }
    this.build(model.get("_arrangement"), described, this.body);
    this.round = new PanelRound([...this.panels.values()], this.roundHint.id, this.round.reached);
    this.answers = new Map();
    this.given = matricesOf(model.get("_given"));
    this.frameGesture = null;
    this.lastFrame = 0;
    this.showValues(true);
    this.showCaptions();
    this.showHighlight();
    this.showSelected();
    const same = focused && this.panels.get(focused.spec.name);
    if (same && place !== null && place < same.size) same.hand.focusCell(place); // the hand stays where it was
  }

  /**
   * Panels, and arrows between them; a list is a row in a column, and a column in a row.
   * @param {Arranged[]} items
   * @param {Map<string, [spec: Spec, offset: number]>} described
   * @param {Element} parent
   */
  build(items, described, parent) {
    const inRow = parent.classList.contains("av-row");
    for (const item of items) {
      if (Array.isArray(item)) {
        this.build(item, described, make("div", inRow ? "av-stack" : "av-row", parent));
        continue;
      }
      const found = described.get(item);
      if (found) this.panels.set(item, new Panel(this, ...found, parent));
      else make("div", "av-arrow", parent, item).setAttribute("aria-hidden", "true");
    }
  }

  refresh() {
    const { dirty } = this;
    if (!dirty.size) return;
    this.dirty = new Set();
    if (dirty.has("_ack")) this.messenger.acknowledge(this.model.get("_ack"));
    if (dirty.has("_spec") || dirty.has("_arrangement")) {
      this.rebuild();
    } else {
      if (dirty.has("_given")) this.given = matricesOf(this.model.get("_given"));
      if (dirty.has("_values")) this.showValues(false);
      if (dirty.has("_ack")) this.settle();
      if (dirty.has("_captions")) this.showCaptions();
      if (dirty.has("_highlight")) this.showHighlight();
      if (dirty.has("_selected")) this.showSelected();
    }
    if (dirty.has("_values")) this.lightUp();
    if (dirty.has("_ack")) this.showProblem();
  }

  /** After a click a lab's style may light the panels up in the order of the calculation; in a drag it may not. */
  lightUp() {
    this.body.classList.toggle("av-steps", false); // `remove` would write even where there is nothing to remove
    if (!this.model.get("_moves")) return;
    void this.body.offsetWidth; // read, so that the browser notices the change, and what ran before begins again
    this.body.classList.add("av-steps");
  }

  /** Says at its cell why Python refused an edit of this view. */
  showProblem() {
    const [view, , , problem] = this.model.get("_ack");
    if (view === this.messenger.id && problem)
      this.note.say(problem, this.edited.isConnected ? this.edited : this.body);
  }

  /**
   * Shows what Python says, but not where the page is ahead of it. Answered edits are dropped first.
   * @param {boolean} first
   */
  showValues(first) {
    const all = numbersOf(this.model.get("_values"));
    const gesture = this.answeredGesture();
    const rested = performance.now() - this.lastFrame > GESTURE_PAUSE;
    const isNew = gesture === null ? rested : gesture !== this.frameGesture;
    const overtaken = this.numberOf(gesture) < this.numberOf(this.frameGesture); // what is shown is compared already
    const newGesture = first || (isNew && !overtaken);
    if (!overtaken) this.frameGesture = gesture;
    this.lastFrame = first ? -Infinity : performance.now();
    this.body.classList.toggle("av-moves", this.model.get("_moves") && !first);
    const answered = this.dropAnswered();
    const ahead = this.ahead();
    for (const [name, panel] of this.panels) {
      const values = all.subarray(panel.offset, panel.offset + panel.size);
      this.answers.set(name, { rows: panel.frame.nRows, columns: panel.frame.nColumns, values });
      if (!ahead.has(name)) panel.setValues(values, newGesture);
    }
    for (const { panel, k } of answered) panel.drawCell(k);
  }

  /** Forgets the edits that Python has answered; returns their cells. */
  dropAnswered() {
    return [...this.panels.values()].flatMap((panel) => panel.settle().map((k) => ({ panel, k })));
  }

  // Python has answered some edits and changed no value: it refused them, or they changed nothing. What was shown
  // ahead of the answer goes back.
  settle() {
    const answered = this.dropAnswered();
    for (const { panel, k } of answered) panel.drawCell(k);
    const ahead = this.ahead();
    const edited = answered.map(({ panel }) => panel.spec.name);
    for (const name of following(this.chain, edited)) {
      const panel = this.panels.get(name);
      const answer = this.answers.get(name);
      if (panel && answer && !ahead.has(name)) panel.setValues(answer.values, false);
    }
    if (ahead.size) this.calculateSoon();
  }

  // -- ahead of Python: what an edit brings about is calculated here and shown in the next frame ----

  /** @returns {Step[]} */
  get chain() {
    return this.model.get("_chain");
  }

  /** The panels that hold an edit which Python has not answered. */
  open() {
    return [...this.panels.values()].filter((panel) => panel.pending.size).map((panel) => panel.spec.name);
  }

  /** The panels for which Python's numbers are older than the page's own. */
  ahead() {
    return following(this.chain, this.open());
  }

  /**
   * Whether the page can calculate what an edit of this panel brings about.
   * @param {string} name
   */
  covers(name) {
    return following(this.chain, [name]).size > 0;
  }

  calculateSoon() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.showAhead();
    });
  }

  showAhead() {
    const open = this.open();
    if (!open.length) return;
    const known = new Map([...this.given, ...this.answers]);
    for (const name of open) known.set(name, this.withEdits(name));
    const calculated = calculate(this.chain, known, open);
    const gesture = `${this.messenger.id}-${this.gestureNumber}`;
    const newGesture = gesture !== this.frameGesture;
    this.frameGesture = gesture;
    this.lastFrame = performance.now();
    for (const name of ["av-moves", "av-steps"]) this.body.classList.toggle(name, false); // it follows the hand
    for (const [name, panel] of this.panels) {
      const values = calculated.get(name)?.values;
      if (values) panel.setValues(values, newGesture);
      else if (newGesture && panel.values) panel.setValues(panel.values, true);
      else if (panel.pending.size) panel.draw();
    }
  }

  /** @param {string} name */
  withEdits(name) {
    const answer = /** @type {Matrix} */ (this.answers.get(name));
    const values = answer.values.slice();
    for (const [k, edit] of this.panels.get(name)?.pending ?? []) values[k] = edit.value;
    return { ...answer, values };
  }

  // -- the rest of what Python says -----------------------------------------------------------------

  /**
   * The gesture that these values answer; null where Python changed them on its own.
   * @returns {string | null}
   */
  answeredGesture() {
    /** @type {Ack | []} */
    const ack = this.model.get("_ack");
    const key = ack.join(" ");
    if (!ack.length || key === this.lastAck) return null;
    this.lastAck = key;
    return ack[2] || null;
  }

  /**
   * The number of a gesture that was made here; NaN for another, which overtakes nothing and is not overtaken.
   * @param {string | null} gesture
   */
  numberOf(gesture) {
    const [, number] = gesture?.split(`${this.messenger.id}-`) ?? [];
    return number ? Number(number) : Number.NaN;
  }

  showCaptions() {
    const captions = this.model.get("_captions");
    for (const [name, panel] of this.panels) panel.frame.setCaption(captions[name]);
  }

  showHighlight() {
    const highlight = this.model.get("_highlight");
    for (const [name, panel] of this.panels) panel.setHighlight(highlight[name] || []);
  }

  showSelected() {
    if (this.messenger.expects(SELECT)) return;
    const [name, row, column] = this.model.get("_selected");
    this.markSelected(name, row, column);
  }

  /**
   * @param {string | undefined} name
   * @param {number | null} row
   * @param {number | null} column
   */
  markSelected(name, row, column) {
    this.chosen = [name, row, column].join();
    for (const panel of this.panels.values()) {
      if (panel.spec.name === name) panel.setSelected(row, column);
      else panel.setSelected(null, null);
    }
  }

  /**
   * Shows a selection made here at once, and tells Python.
   * @param {Panel} panel
   * @param {number} row
   * @param {number | null} column
   */
  select(panel, row, column) {
    const { name } = panel.spec;
    if ([name, row, column].join() === this.chosen || this.dead) return;
    this.markSelected(name, row, column);
    this.messenger.put(SELECT, { do: "select", panel: name, row, column });
  }

  /**
   * One drag, one typed number or one run of key presses in one cell is one gesture.
   * @param {string} where
   */
  gesture(where) {
    const now = performance.now();
    const dragging = [...this.panels.values()].some((panel) => panel.hand.drag);
    if (this.gestureWhere !== where || (!dragging && now - this.gestureTime > GESTURE_PAUSE)) this.gestureNumber++;
    this.gestureWhere = where;
    this.gestureTime = now;
    return `${this.messenger.id}-${this.gestureNumber}`;
  }

  endGesture() {
    this.gestureWhere = null;
  }
}

export default {
  /** @param {View} view */
  render({ model, el }) {
    const board = new Board(model, el);
    return () => board.dispose();
  },
};
