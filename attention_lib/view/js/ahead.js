// The picture does not wait for Python: what an edit brings about is calculated here and shown in the next frame.
// As long as edits are open, Python's numbers for what follows from them are older than the page's own.

import { calculate, following } from "./chain.js";
import { filled } from "./lines.js";

/** @import { Panel } from "./panel.js" */
/** @import { Lines, Marks, Matrix, Model, Step } from "./types.js" */

export class Ahead {
  /**
   * @param {Model} model
   * @param {(shown: Map<string, Matrix>) => void} show
   */
  constructor(model, show) {
    this.model = model;
    this.show = show;
    /** @type {Map<string, Panel>} */
    this.panels = new Map();
    /** @type {Map<string, Matrix>} matrices that no panel shows */
    this.given = new Map();
    /** @type {Map<string, Matrix>} the panels as Python last told them */
    this.told = new Map();
    /** @type {number | null} */
    this.frame = null;
    /** @type {number | null} the row of the last edit */
    this.row = null;
    /** @type {Record<string, string>} words under panels that Python has yet to say */
    this.captions = {};
    /** @type {Marks} rows that Python has yet to mark */
    this.marks = {};
  }

  /** @returns {Lines | null} */
  get said() {
    const said = this.model.get("_lines");
    return said?.lines ? said : null;
  }

  /** @returns {Step[]} */
  get chain() {
    return this.model.get("_chain");
  }

  /** @param {Map<string, Panel>} panels */
  begin(panels) {
    this.panels = panels;
    this.told = new Map();
  }

  readGiven() {
    this.given = new Map();
    for (const [name, lines] of Object.entries(this.model.get("_given"))) {
      const values = Float64Array.from(lines.flat());
      this.given.set(name, { rows: lines.length, columns: lines[0].length, values });
    }
  }

  /**
   * Keeps what Python said.
   * @param {string} name
   * @param {Panel} panel
   * @param {Float64Array} values
   */
  tell(name, panel, values) {
    this.told.set(name, { rows: panel.frame.nRows, columns: panel.frame.nColumns, values });
  }

  /** The panels that hold an edit which Python has not answered. */
  edited() {
    return [...this.panels.values()].filter((panel) => panel.picture.pending.size).map((panel) => panel.spec.name);
  }

  /** The panels for which Python's numbers are older than the page's own. */
  ahead() {
    return following(this.chain, this.edited());
  }

  /**
   * Whether the page can calculate what an edit of this panel brings about.
   * @param {string} name
   */
  covers(name) {
    return following(this.chain, [name]).size > 0;
  }

  soon() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.now();
    });
  }

  now() {
    const edited = this.edited();
    if (!edited.length) return;
    const known = new Map([...this.given, ...this.told]);
    for (const name of edited) known.set(name, this.withEdits(name));
    this.show(calculate(this.chain, known, edited));
  }

  /**
   * All panels as they are shown: as Python told them, but for what the page has calculated itself.
   * @param {Map<string, Matrix>} made
   */
  all(made) {
    const known = new Map([...this.told, ...made]);
    for (const name of this.edited()) if (!made.has(name)) known.set(name, this.withEdits(name));
    return known;
  }

  /**
   * Keeps what is to be said of numbers that Python has not answered; returns the lines around the view.
   * @param {Map<string, Matrix>} made
   */
  say(made) {
    if (!this.said) return {};
    const { lines, captions, marks } = filled(this.said, this.all(made), this.row);
    this.captions = captions;
    this.marks = marks;
    return lines;
  }

  /** Once Python has answered all, its words stand: whether there were others. */
  fallSilent() {
    const spoke = Object.keys(this.captions).length > 0;
    if (this.edited().length) return false;
    this.captions = {};
    this.marks = {};
    return spoke;
  }

  /** @param {string} name */
  withEdits(name) {
    const told = /** @type {Matrix} */ (this.told.get(name));
    const values = told.values.slice();
    for (const [k, edit] of this.panels.get(name)?.picture.pending ?? []) values[k] = edit.value;
    return { ...told, values };
  }

  stop() {
    if (this.frame !== null) cancelAnimationFrame(this.frame);
    this.frame = null;
  }
}
