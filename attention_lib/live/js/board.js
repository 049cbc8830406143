// All panels of one MatrixView, and what passes between them and Python (see matrix_view.py).
// The browser sets what the hand did: Python answers with new state, and what it says stands. Until then the page
// shows what its own chain makes of the edits that are open.

import { calculate, matricesOf, numbersOf, panelsIn } from "./chain.js";
import { Messenger } from "./messenger.js";
import { CAUGHT_UP, IS_CAUGHT_UP, make } from "./page.js";
import { Panel } from "./panel.js";

/** @import { Palette } from "./types.js" */

const GESTURE_PAUSE = 700; // ms without a change, after which the next one starts a new comparison
const SELECT = "select"; // the slot of all that is selected in a view
const HEARD = ["_spec", "_arrangement", "_values", "_highlight", "_selected", "_captions", "_ack", "_given"];
const GAP = 4; // px between a note and the cells of its matrix

export class Board {
  constructor(model, el) {
    this.model = model;
    this.words = model.get("_words");
    /** @type {Record<string, Palette>} */
    this.palettes = model.get("_palettes");
    /** @type {Map<string, Panel>} */
    this.panels = new Map();
    this.heard = new Map(); // the state as it was shown last
    this.chosen = "";
    this.gestureNumber = 0;
    this.gestureTime = -Infinity;
    this.gestureWhere = null; // the cell that the hand is at
    this.lastChange = -Infinity;
    this.anew = false; // whether what is shown next is compared with what is shown now
    this.frame = null; // the one in which edits are shown
    this.messenger = new Messenger(model, (silent) => {
      this.alarm.textContent = silent ? this.words.waiting : "";
    });
    this.root = make("div", "attention-theme attention-view", el);
    this.root.addEventListener(IS_CAUGHT_UP, (event) => {
      if (this.messenger.unanswered.size) event.preventDefault();
    });
    this.alarm = make("div", "av-alarm", this.root);
    this.alarm.setAttribute("role", "alert");
    this.body = make("div", "av-body", this.root);
    // The sentence about what was done to a cell. It goes with the next key, press or change.
    this.note = make("div", "av-note", this.root);
    this.note.setAttribute("role", "status");
    for (const event of ["keydown", "pointerdown"]) this.root.addEventListener(event, () => this.say(""), true);
    this.onChange = () => this.refresh();
    this.refresh();
    model.on("change", this.onChange);
  }

  // Whether the kernel is gone: ipywidgets marks every widget then, and the box around says it.
  get dead() {
    return this.root.closest(".jupyter-widgets-disconnected") !== null;
  }

  dispose() {
    this.model.off("change", this.onChange);
    if (this.frame !== null) cancelAnimationFrame(this.frame);
    this.messenger.close();
  }

  // -- what Python says -----------------------------------------------------------------------------

  // The names of the state that has changed since this was asked last.
  news() {
    const names = HEARD.filter((name) => this.model.get(name) !== this.heard.get(name));
    for (const name of names) this.heard.set(name, this.model.get(name));
    return new Set(names);
  }

  refresh() {
    const news = this.news();
    if (!news.size) return; // it is the hand's own doing
    const ack = this.model.get("_ack");
    const isAnswer = news.has("_ack") && ack[0] === this.messenger.id;
    if (isAnswer) this.messenger.acknowledge(ack);
    if (isAnswer && !this.messenger.unanswered.size) this.root.dispatchEvent(new Event(CAUGHT_UP));
    const isBuilt = news.has("_spec") || news.has("_arrangement");
    if (isBuilt) this.rebuild();
    if (news.has("_values") && !isAnswer) {
      this.say("");
      if (performance.now() - this.lastChange > GESTURE_PAUSE) this.anew = true;
    }
    this.body.classList.toggle("av-moves", this.model.get("_moves") && !isBuilt);
    this.show();
    if (isBuilt) this.lastChange = -Infinity;
    this.showWords();
    this.showSelected();
    if (news.has("_values")) this.lightUp();
  }

  rebuild() {
    const panels = [...this.panels.values()];
    const focused = panels.find(({ grid }) => grid.contains(document.activeElement));
    const at = focused?.cellOf(document.activeElement) ?? null;
    this.panels = new Map();
    this.body.textContent = "";
    this.build(this.model.get("_arrangement"), this.body);
    const same = focused && this.panels.get(focused.spec.name);
    if (!focused || !same || at === null) return;
    const { row, column } = focused.placeOf(at);
    if (row < same.nRows && column < same.nColumns) same.hand.focusCell(row * same.nColumns + column); // the hand stays where it was
  }

  // Panels, and arrows between them; a list is a row in a column, and a column in a row.
  build(items, parent) {
    const inRow = parent.classList.contains("av-row");
    const specs = this.model.get("_spec");
    for (const item of items) {
      if (Array.isArray(item)) {
        this.build(item, make("div", inRow ? "av-stack" : "av-row", parent));
        continue;
      }
      const at = specs.findIndex(({ name }) => name === item);
      const id = `av-${this.messenger.id}-${at}`;
      if (at >= 0) this.panels.set(item, new Panel(this, specs[at], id, parent));
      else make("div", "av-arrow", parent, item).setAttribute("aria-hidden", "true");
    }
  }

  // After a click a lab's style may light the panels up in the order of the calculation; in a drag it may not.
  lightUp() {
    this.body.classList.toggle("av-steps", false); // `remove` would write even where there is nothing to remove
    if (!this.model.get("_moves")) return;
    void this.body.offsetWidth; // read, so that the browser notices the change, and what ran before begins again
    this.body.classList.add("av-steps");
  }

  // Captions, and the cells that they and the goal speak of.
  showWords() {
    const [captions, highlight] = [this.model.get("_captions"), this.model.get("_highlight")];
    for (const [name, panel] of this.panels) {
      panel.setCaption(captions[name]);
      panel.setHighlight(highlight[name]);
    }
  }

  showSelected() {
    if (this.messenger.unanswered.has(SELECT)) return;
    const [name, row, column] = this.model.get("_selected");
    this.markSelected(name, row, column);
  }

  // -- what the hand does ---------------------------------------------------------------------------

  // An edit of a cell has begun: it shows in the next frame, with all that the page can calculate from it.
  edited() {
    this.say("");
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      for (const name of ["av-moves", "av-steps"]) this.body.classList.toggle(name, false); // it follows the hand
      this.show();
    });
  }

  // Shows what Python last said, and over it the edits that it has not answered, with what follows from them.
  show() {
    const { model } = this;
    const panels = panelsIn(model.get("_spec"), numbersOf(model.get("_values")));
    const known = new Map([...matricesOf(model.get("_given")), ...panels]);
    const open = new Set();
    for (const message of this.messenger.unanswered.values()) {
      if (message.do !== "edit") continue;
      const { panel, row, column, value } = message;
      const answer = known.get(panel);
      if (!answer || row >= answer.rows || column >= answer.columns) continue; // of panels that were there before
      answer.values[row * answer.columns + column] = value;
      open.add(panel);
    }
    const made = open.size ? calculate(model.get("_chain"), known, open) : known;
    for (const [name, panel] of this.panels) {
      const matrix = made.get(name) ?? known.get(name);
      if (matrix) panel.setValues(matrix.values, this.anew);
    }
    this.anew = false;
    this.lastChange = performance.now();
  }

  // One drag, one typed number or one run of key presses in one cell is one gesture.
  gesture(where) {
    const now = performance.now();
    const dragging = [...this.panels.values()].some((panel) => panel.hand.drag);
    if (this.gestureWhere !== where || (!dragging && now - this.gestureTime > GESTURE_PAUSE)) {
      this.gestureNumber++;
      this.anew = true;
    }
    this.gestureWhere = where;
    this.gestureTime = now;
    return `${this.messenger.id}-${this.gestureNumber}`;
  }

  endGesture() {
    this.gestureWhere = null;
  }

  // Shows a selection made here at once, and tells Python.
  select(panel, row, column) {
    const { name } = panel.spec;
    if ([name, row, column].join() === this.chosen || this.dead) return;
    this.say("");
    this.markSelected(name, row, column);
    this.messenger.put(SELECT, { do: "select", panel: name, row, column });
  }

  markSelected(name, row, column) {
    this.chosen = [name, row, column].join();
    for (const panel of this.panels.values()) {
      if (panel.spec.name === name) panel.setSelected(row, column);
      else panel.setSelected(null, null);
    }
  }

  // Says something about a cell, below the cells of its matrix, so that it covers none of them and nothing moves.
  say(text, cell = this.body) {
    const { note, root } = this;
    if (note.textContent === text) return;
    note.textContent = text;
    const box = root.closest(".attention-keys") ?? root;
    const [around, at] = [root.getBoundingClientRect(), cell.getBoundingClientRect()];
    const grid = (cell.closest(".av-grid") ?? cell).getBoundingClientRect();
    const fits = grid.bottom + GAP + note.offsetHeight <= box.getBoundingClientRect().bottom; // else it would be cut
    const top = fits ? grid.bottom + GAP : grid.top - GAP - note.offsetHeight;
    note.style.left = `${Math.max(0, Math.min(at.left - around.left, around.width - note.offsetWidth))}px`;
    note.style.top = `${top - around.top}px`;
  }
}

function renderBoard({ model, el }) {
  const board = new Board(model, el);
  return () => board.dispose();
}

export default { render: renderBoard };
