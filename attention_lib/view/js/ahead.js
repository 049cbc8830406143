// The picture does not wait for Python: what an edit brings about is calculated here and shown in the next frame.
// As long as edits are open, Python's numbers for what follows from them are older than the page's own.

import { calculate, following } from "./chain.js";

/** @import { Panel } from "./panel.js" */
/** @import { Matrix, Model, Step } from "./types.js" */

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
