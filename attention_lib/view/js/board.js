// All panels of one MatrixView, and what passes between them and Python (see matrix_view.py).
// The browser sets no state: Python answers every message with new state, and what it says stands.

import { Ahead } from "./ahead.js";
import { following } from "./chain.js";
import { askForHangul } from "./hangul.js";
import { Messenger } from "./messenger.js";
import { Note } from "./note.js";
import { letCombinationsPass, make } from "./page.js";
import { Panel, SELECT } from "./panel.js";
import { PanelRound } from "./panel_round.js";

/** @import { Ack, Arranged, Bytes, Matrix, Message, Model, Palette, Spec, View, Words } from "./types.js" */

const GESTURE_PAUSE = 700; // ms without an update, after which the next one starts a new comparison
const REST = 600; // ms without an update, after which words are read out
const HEARD = [
  ...["_spec", "_arrangement", "_values", "_changed", "_highlight", "_selected", "_stretched"],
  ...["_captions", "_descriptions", "_note", "_ack", "_chain", "_given"],
];

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
    this.round = new PanelRound([]);
    /** @type {Set<string>} names of the state that has changed since it was last shown */
    this.dirty = new Set();
    this.dead = false;
    this.chosen = "";
    this.gestureNumber = 0;
    this.gestureTime = 0;
    /** @type {string | null} the cell that the hand is at */
    this.gestureWhere = null;
    /** @type {string | null} the gesture that the values shown belong to */
    this.frameGesture = null;
    this.lastFrame = 0;
    this.lastAck = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.restTimer = undefined;
    this.ahead = new Ahead(model, (shown) => this.showAhead(shown));
    this.messenger = new Messenger(model, (silent) => this.setSilent(silent));
    this.root = make("div", "attention-theme attention-view", el);
    this.alarm = make("div", "av-alarm", this.root);
    this.alarm.setAttribute("role", "alert");
    this.body = make("div", "av-body", this.root);
    this.note = new Note(this.root);
    this.spoken = make("div", "av-hidden", this.root); // what is read out after a change
    this.spoken.setAttribute("aria-live", "polite");
    this.roundHint = make("div", "av-hidden", this.root, this.words.round);
    this.roundHint.id = `av-${this.messenger.id}-round`;
    this.root.addEventListener("keydown", letCombinationsPass);
    this.root.addEventListener("keyup", letCombinationsPass);
    this.root.lang = this.words.lang;
    this.rebuild();
    askForHangul(model, () => this.messenger.put("font", { do: "font" }));
    // One message of Python fires several of these; the work is done once, after the last.
    /** @type {Map<string, () => void>} */
    this.handlers = new Map(HEARD.map((name) => [`change:${name}`, () => this.soil(name)]));
    this.handlers.set("change", () => this.refresh());
    // Sent when the kernel restarts or ends; where a front end does not, the silence is noticed instead.
    this.handlers.set("comm_live_update", () => this.setDead(true));
    for (const [name, handler] of this.handlers) model.on(name, handler);
    // Drawn after the kernel ended, as in a new view of an output.
    if (el.closest(".jupyter-widgets-disconnected")) this.setDead(true);
  }

  /** @param {string} name */
  soil(name) {
    this.dirty.add(name);
  }

  dispose() {
    for (const [name, handler] of this.handlers) this.model.off(name, handler);
    for (const panel of this.panels.values()) panel.dispose();
    this.ahead.stop();
    this.note.clear();
    if (this.dead) this.messenger.stop();
    else this.messenger.close();
    clearTimeout(this.restTimer);
  }

  rebuild() {
    const { model } = this;
    const focused = [...this.panels.values()].find(({ frame }) => frame.grid.contains(document.activeElement));
    const place = focused?.frame.cellOf(document.activeElement) ?? null;
    for (const panel of this.panels.values()) panel.dispose();
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
    this.round = new PanelRound([...this.panels.values()]);
    this.round.tell(this.roundHint.id);
    this.ahead.begin(this.panels);
    this.ahead.readGiven();
    this.frameGesture = null;
    this.lastFrame = 0;
    this.showValues(true);
    this.showStretched();
    this.showCaptions();
    this.showHighlight();
    this.showSelected();
    this.note.tell(model.get("_note"));
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
    const edited = [...described.values()].map(([spec]) => spec).find((spec) => spec.editable);
    if (!edited || parent !== this.body) return;
    make("div", "av-hint", this.body, edited.kind === "mask" ? this.words.toggle_hint : this.words.edit_hint);
  }

  refresh() {
    const { dirty } = this;
    if (!dirty.size) return;
    this.dirty = new Set();
    this.setDead(false); // Python spoke
    if (dirty.has("_ack")) this.messenger.acknowledge(this.model.get("_ack"));
    if (dirty.has("_spec") || dirty.has("_arrangement")) {
      this.rebuild();
      return;
    }
    if (dirty.has("_given")) this.ahead.readGiven();
    if (dirty.has("_values") || dirty.has("_changed")) {
      this.showValues(false);
      this.rest();
    }
    if (dirty.has("_ack")) this.settle();
    if (dirty.has("_stretched")) this.showStretched();
    if (dirty.has("_captions") || dirty.has("_descriptions")) this.showCaptions();
    if (dirty.has("_highlight")) this.showHighlight();
    if (dirty.has("_selected")) this.showSelected();
    if (dirty.has("_note")) this.note.tell(this.model.get("_note"));
  }

  /**
   * Shows what Python says, but not where the page is ahead of it. Answered edits are dropped first.
   * @param {boolean} first
   */
  showValues(first) {
    const all = this.readValues();
    const marks = this.readMarks(all.length);
    const gesture = this.answeredGesture();
    const rested = performance.now() - this.lastFrame > GESTURE_PAUSE;
    const isNew = gesture === null ? rested : gesture !== this.frameGesture;
    const overtaken = this.numberOf(gesture) < this.numberOf(this.frameGesture); // what is shown is compared already
    const newGesture = first || (isNew && !overtaken);
    if (!overtaken) this.frameGesture = gesture;
    const unmarked = this.model.get("_changed").byteLength === 1;
    // What follows values without outlines is compared with them, however soon.
    this.lastFrame = first || unmarked ? -Infinity : performance.now();
    this.body.classList.toggle("av-moves", this.model.get("_moves") && !first);
    const answered = this.dropAnswered();
    const ahead = this.ahead.ahead();
    for (const [name, panel] of this.panels) {
      const end = panel.offset + panel.size;
      const values = all.subarray(panel.offset, end);
      this.ahead.tell(name, panel, values);
      if (!ahead.has(name)) panel.setValues(values, marks?.subarray(panel.offset, end) ?? null, newGesture);
    }
    for (const [panel, k] of answered) panel.picture.drawCell(k);
  }

  /**
   * Shows what the page has calculated itself.
   * @param {Map<string, Matrix>} shown
   */
  showAhead(shown) {
    const gesture = `${this.messenger.id}-${this.gestureNumber}`;
    const newGesture = gesture !== this.frameGesture;
    this.frameGesture = gesture;
    this.lastFrame = performance.now();
    if (this.body.classList.contains("av-moves")) this.body.classList.remove("av-moves"); // it follows the hand
    for (const [name, panel] of this.panels) {
      const values = shown.get(name)?.values;
      if (values) panel.setValues(values, null, newGesture);
      else if (newGesture) panel.setValues(panel.picture.values, null, true);
      else if (panel.picture.pending.size) panel.draw();
    }
  }

  readValues() {
    /** @type {Bytes} */
    const bytes = this.model.get("_values");
    return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  }

  /**
   * Python's choice of outlined cells; null where the browser compares.
   * @param {number} size
   */
  readMarks(size) {
    /** @type {Bytes} */
    const bytes = this.model.get("_changed");
    if (!bytes.byteLength) return null;
    if (bytes.byteLength === 1) return new Uint8Array(size); // none
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength).slice(-size);
  }

  /** Forgets the edits that Python has answered; returns their cells. */
  dropAnswered() {
    return [...this.panels.values()].flatMap((panel) =>
      panel.settle().map((k) => /** @type {[Panel, number]} */ ([panel, k])),
    );
  }

  // Python has answered some edits and changed no value: it refused them, or they changed nothing. What was shown
  // ahead of the answer goes back.
  settle() {
    const answered = this.dropAnswered();
    for (const [panel, k] of answered) panel.picture.drawCell(k);
    const ahead = this.ahead.ahead();
    const edited = answered.map(([panel]) => panel.spec.name);
    for (const name of following(this.ahead.chain, edited)) {
      const panel = this.panels.get(name);
      const told = this.ahead.told.get(name);
      if (panel && told && !ahead.has(name)) panel.setValues(told.values, panel.picture.marks, false);
    }
    if (ahead.size) this.ahead.soon();
  }

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

  showStretched() {
    const on = this.model.get("_stretched");
    for (const [name, panel] of this.panels) panel.setStretched(on.includes(name));
  }

  showCaptions() {
    const captions = this.model.get("_captions");
    const descriptions = this.model.get("_descriptions");
    for (const [name, panel] of this.panels) {
      if (name in captions) panel.picture.setCaption(captions[name], true);
      else panel.picture.setCaption(descriptions[name] || "", false);
    }
  }

  // Words are read out, and the descriptions asked for, once the hand rests: not at every step of a drag.
  rest() {
    clearTimeout(this.restTimer);
    this.restTimer = setTimeout(() => {
      // In a lab its goal or verdict is read out (keys.js), not the words under every picture.
      const isSaid = this.root.closest(".attention-keys")?.querySelector(".lab-says");
      if (!isSaid) this.spoken.textContent = Object.values(this.model.get("_captions")).join(" ");
      if (!this.dead) this.messenger.put("describe", { do: "describe" });
    }, REST);
  }

  showHighlight() {
    const highlight = this.model.get("_highlight");
    for (const [name, panel] of this.panels) panel.picture.setHighlight(highlight[name] || []);
  }

  showSelected() {
    if (this.messenger.expects(SELECT)) return;
    const [name, row, column] = this.model.get("_selected");
    this.chosen = [name, row, column].join();
    for (const panel of this.panels.values()) {
      if (panel.spec.name === name) panel.setSelected(row, column);
      else panel.setSelected(null, null);
    }
  }

  /**
   * Shows a selection made here at once; false if it is what is selected already.
   * @param {Panel} panel
   * @param {number} row
   * @param {number | null} column
   */
  select(panel, row, column) {
    const chosen = [panel.spec.name, row, column].join();
    if (chosen === this.chosen || this.dead) return false;
    this.chosen = chosen;
    for (const other of this.panels.values()) {
      if (other === panel) other.setSelected(row, column);
      else other.setSelected(null, null);
    }
    return true;
  }

  /** @param {Message} message */
  hover(message) {
    if (this.model.get("_hover")) this.messenger.put("hover", message);
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

  /** @param {boolean} silent */
  setSilent(silent) {
    if (!this.dead) this.alarm.textContent = silent ? this.words.waiting : "";
  }

  /** @param {boolean} dead */
  setDead(dead) {
    if (dead === this.dead) return;
    this.dead = dead;
    if (dead) this.messenger.stop(); // nobody is there to be asked
    this.root.classList.toggle("av-dead", dead);
    this.alarm.textContent = dead ? this.words.gone : "";
    for (const panel of this.panels.values()) panel.frame.grid.setAttribute("aria-disabled", String(dead));
  }
}

export default {
  /** @param {View} view */
  render({ model, el }) {
    const board = new Board(model, el);
    return () => board.dispose();
  },
};
