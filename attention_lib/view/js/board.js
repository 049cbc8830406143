// All panels of one MatrixView, and what passes between them and Python (see matrix_view.py).
// The browser computes nothing about attention and sets no state: Python answers every message with new state.

const GESTURE_PAUSE = 700; // ms without an update, after which the next one starts a new comparison
const REST = 600; // ms without an update, after which words are read out

class Board {
  constructor(model, el) {
    this.model = model;
    this.el = el;
    this.words = model.get("_words");
    this.palettes = model.get("_palettes");
    this.dead = false;
    this.localNote = "";
    this.gestureNumber = 0;
    this.frameGesture = null;
    this.lastFrame = 0;
    this.messenger = new Messenger(model, (silent) => this.setSilent(silent));
    this.root = make("div", "attention-theme attention-view", el);
    this.alarm = make("div", "av-alarm", this.root);
    this.alarm.setAttribute("role", "alert");
    this.body = make("div", "av-body", this.root);
    this.noteLine = make("div", "av-note", this.root);
    this.noteLine.setAttribute("role", "status");
    this.spoken = make("div", "av-hidden", this.root); // what is read out after a change
    this.spoken.setAttribute("aria-live", "polite");
    this.rebuild();
    this.listen();
  }

  listen() {
    const { model } = this;
    // One message of Python fires several of these; the work is done once, after the last.
    const words = ["_captions", "_descriptions", "_note"];
    const names = ["_spec", "_arrangement", "_values", "_changed", "_highlight", "_selected", "_stretched", ...words];
    this.dirty = new Set();
    this.handlers = new Map(names.map((name) => [`change:${name}`, () => this.dirty.add(name)]));
    this.handlers.set("change:_ack", () => {
      this.dirty.add("_ack");
    });
    this.handlers.set("change", () => this.refresh());
    // Sent when the kernel restarts or ends; where a front end does not, the silence is noticed instead.
    this.handlers.set("comm_live_update", () => this.setDead(true));
    for (const [name, handler] of this.handlers) model.on(name, handler);
  }

  dispose() {
    for (const [name, handler] of this.handlers) this.model.off(name, handler);
    if (this.dead) this.messenger.stop();
    else this.messenger.close();
    clearTimeout(this.restTimer);
  }

  rebuild() {
    const { model } = this;
    this.body.textContent = "";
    this.panels = new Map();
    const specs = model.get("_spec");
    const offsets = new Map();
    let offset = 0;
    for (const spec of specs) {
      offsets.set(spec.name, offset);
      offset += spec.rows.length * spec.columns.length;
    }
    const byName = new Map(specs.map((spec) => [spec.name, spec]));
    for (const names of model.get("_arrangement")) {
      const row = make("div", "av-row", this.body);
      for (const name of names) {
        this.panels.set(name, new PanelView(this, byName.get(name), offsets.get(name), row));
      }
      const edited = names.map((name) => byName.get(name)).filter((spec) => spec.editable);
      if (!edited.length) continue;
      make("div", "av-hint", this.body, edited[0].kind === "mask" ? this.words.toggle_hint : this.words.edit_hint);
    }
    this.frameGesture = null;
    this.lastFrame = 0;
    this.showValues(true);
    this.showStretched();
    this.showCaptions();
    this.showHighlight();
    this.showSelected();
    this.showNote();
  }

  refresh() {
    const dirty = this.dirty;
    if (!dirty.size) return;
    this.dirty = new Set();
    this.setDead(false); // Python spoke
    if (dirty.has("_ack")) this.messenger.acknowledge(this.model.get("_ack"));
    if (dirty.has("_spec") || dirty.has("_arrangement")) {
      this.rebuild();
      return;
    }
    if (dirty.has("_values") || dirty.has("_changed")) {
      this.showValues(false);
      this.rest();
    }
    if (dirty.has("_ack")) for (const panel of this.panels.values()) panel.settle();
    if (dirty.has("_stretched")) this.showStretched();
    if (dirty.has("_captions") || dirty.has("_descriptions")) this.showCaptions();
    if (dirty.has("_highlight")) this.showHighlight();
    if (dirty.has("_selected")) this.showSelected();
    if (dirty.has("_note")) this.showNote();
  }

  // Bytes to numbers. Answered edits are dropped first, so that Python's values show.
  showValues(first) {
    const bytes = this.model.get("_values");
    const all = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    const changed = this.model.get("_changed");
    const marks = changed.byteLength ? new Uint8Array(changed.buffer, changed.byteOffset, changed.byteLength) : null;
    const none = marks && marks.length === 1;
    const now = performance.now();
    const gesture = this.dirtyGesture();
    const newGesture = first || (gesture === null ? now - this.lastFrame > GESTURE_PAUSE : gesture !== this.frameGesture);
    this.frameGesture = gesture;
    this.lastFrame = now;
    for (const panel of this.panels.values()) {
      const end = panel.offset + panel.size;
      for (const [k, edit] of panel.pending) {
        if (!this.messenger.open(panel.slot(k), edit)) panel.pending.delete(k);
      }
      const mine = marks ? (none ? new Uint8Array(panel.size) : marks.slice(marks.length - all.length).subarray(panel.offset, end)) : null;
      panel.setValues(all.subarray(panel.offset, end), mine, newGesture);
    }
  }

  // The gesture that these values answer; null where Python changed them on its own.
  dirtyGesture() {
    const ack = this.model.get("_ack");
    const key = ack.join(" ");
    if (!ack.length || key === this.lastAck) return null;
    this.lastAck = key;
    return ack[2] || null;
  }

  showStretched() {
    const on = this.model.get("_stretched");
    for (const [name, panel] of this.panels) panel.setStretched(on.includes(name));
  }

  showCaptions() {
    const captions = this.model.get("_captions");
    const descriptions = this.model.get("_descriptions");
    for (const [name, panel] of this.panels) {
      if (name in captions) panel.setCaption(captions[name], true);
      else panel.setCaption(descriptions[name] || "", false);
    }
  }

  // Words are read out, and the descriptions asked for, once the hand rests: not at every step of a drag.
  rest() {
    clearTimeout(this.restTimer);
    this.restTimer = setTimeout(() => {
      this.spoken.textContent = Object.values(this.model.get("_captions")).join(" ");
      if (!this.dead) this.messenger.put("describe", { do: "describe" });
    }, REST);
  }

  showHighlight() {
    const highlight = this.model.get("_highlight");
    for (const [name, panel] of this.panels) panel.setHighlight(highlight[name] || []);
  }

  showSelected() {
    const [name, row, column] = this.model.get("_selected");
    this.chosen = [name, row, column].join();
    for (const panel of this.panels.values()) {
      if (panel.spec.name === name) panel.setSelected(row, column);
      else panel.setSelected(null, null);
    }
  }

  // Shows a selection made here at once; false if it is what is selected already.
  select(panel, row, column) {
    const chosen = [panel.spec.name, row, column].join();
    if (chosen === this.chosen || this.dead) return false;
    this.chosen = chosen;
    for (const other of this.panels.values()) other.setSelected(other === panel ? row : null, other === panel ? column : null);
    return true;
  }

  // One drag, one typed number or one run of key presses in one cell is one gesture.
  gesture(where) {
    const now = performance.now();
    const dragging = [...this.panels.values()].some((panel) => panel.drag);
    if (this.gestureWhere !== where || (!dragging && now - this.gestureTime > GESTURE_PAUSE)) this.gestureNumber++;
    this.gestureWhere = where;
    this.gestureTime = now;
    return `${this.messenger.id}-${this.gestureNumber}`;
  }

  endGesture() {
    this.gestureWhere = null;
  }

  // A sentence of the browser's own, about what was just typed; the next edit takes it away.
  say(text) {
    this.localNote = text;
    this.showNote();
  }

  showNote() {
    const text = this.localNote || this.model.get("_note");
    if (text !== this.noteLine.textContent) this.noteLine.textContent = text;
  }

  setSilent(silent) {
    if (this.dead) return;
    this.alarm.textContent = silent ? this.words.waiting : "";
  }

  setDead(dead) {
    if (dead === this.dead) return;
    this.dead = dead;
    if (dead) this.messenger.stop(); // nobody is there to be asked
    this.root.classList.toggle("av-dead", dead);
    this.alarm.textContent = dead ? this.words.gone : "";
    for (const panel of this.panels.values()) panel.grid.setAttribute("aria-disabled", String(dead));
  }
}

export default {
  render({ model, el }) {
    const board = new Board(model, el);
    return () => board.dispose();
  },
};
