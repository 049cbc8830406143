// A view without Python: what Python answers in a notebook is answered in the page, by the view's own chain.
// States never change in place; each is what a view's `get` reads, so the way back is a list of them.

import { calculate } from "./chain.js";
import { numberText, parseNumber } from "./page.js";

/** @import { Bytes, Edit, Handler, Lone, Matrix, Message, Spec } from "./types.js" */

const DIGITS = 4; // decimals that a lab keeps of what is typed; of whole numbers none
const MOST_UNDOS = 500;
const COMPARE = new DataView(new ArrayBuffer(0)); // `_changed`: the view outlines what differs
const UNMARKED = new DataView(new ArrayBuffer(1)); // `_changed`: nothing is outlined

/** @param {Bytes} bytes */
const numbersOf = (bytes) =>
  new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));

/**
 * The panels of a state by name; their values are parts of `all`.
 * @param {Spec[]} specs
 * @param {Float64Array} all
 * @returns {Map<string, Matrix>}
 */
function panelsIn(specs, all) {
  const panels = new Map();
  let start = 0;
  for (const { name, rows, columns } of specs) {
    const end = start + rows.length * columns.length;
    panels.set(name, { rows: rows.length, columns: columns.length, values: all.subarray(start, end) });
    start = end;
  }
  return panels;
}

/**
 * @param {Record<string, number[][]>} given
 * @returns {[name: string, matrix: Matrix][]}
 */
function matricesOf(given) {
  return Object.entries(given).map(([name, lines]) => {
    const values = Float64Array.from(lines.flat());
    return [name, { rows: lines.length, columns: lines[0].length, values }];
  });
}

/**
 * The state after an edit: its numbers, and the words that still hold.
 * @param {Lone} state
 * @param {Pick<Edit, "panel" | "row" | "column" | "value">} edit
 * @returns {Lone}
 */
export function edited(state, { panel, row, column, value }) {
  const all = numbersOf(state._values);
  const panels = panelsIn(state._spec, all);
  const target = /** @type {Matrix} */ (panels.get(panel));
  const digits = state._spec.find((spec) => spec.name === panel)?.digits ? DIGITS : 0;
  target.values[row * target.columns + column] = parseNumber(numberText(value, digits)) ?? value;
  const made = calculate(state._chain, new Map([...matricesOf(state._given), ...panels]), [panel]);
  for (const [name, { values }] of made) panels.get(name)?.values.set(values);
  /** @param {Record<string, string>} words */
  const still = (words) =>
    Object.fromEntries(Object.entries(words).filter(([name]) => name !== panel && !made.has(name)));
  const now = {
    ...state,
    touched: true,
    _values: new DataView(all.buffer),
    _changed: COMPARE,
    _captions: still(state._captions),
    _descriptions: still(state._descriptions),
  };
  return now;
}

/** Plays the model that anywidget hands to a view. */
export class LoneModel {
  /**
   * @param {Lone} state
   * @param {() => void} onChange
   */
  constructor(state, onChange) {
    this.state = state;
    this.start = state;
    this.onChange = onChange;
    /** @type {{ state: Lone, start: Lone }[]} */
    this.past = [];
    /** @type {string | null} */
    this.gesture = null;
    /** @type {Map<string, Set<Handler>>} */
    this.handlers = new Map();
  }

  /** @param {string} name */
  get(name) {
    return this.state[/** @type {keyof Lone} */ (name)];
  }

  // A view sets no state: it sends messages.
  set() {}
  save_changes() {}

  /** @param {string} name @param {Handler} handler */
  on(name, handler) {
    this.handlers.set(name, (this.handlers.get(name) ?? new Set()).add(handler));
  }

  /** @param {string} name @param {Handler} handler */
  off(name, handler) {
    this.handlers.get(name)?.delete(handler);
  }

  /** The view counts a message as sent before it is answered. @param {unknown} content */
  send(content) {
    queueMicrotask(() => this.answer(/** @type {Message} */ (content)));
  }

  /** @param {Message} message */
  answer(message) {
    const { view = "", n = 0 } = message;
    /** @type {Partial<Lone>} */
    let now = {};
    if (message.do === "edit") {
      const edit = /** @type {Edit} */ (message);
      this.keep(edit.gesture);
      now = edited(this.state, edit);
    } else if (message.do === "select") {
      now._selected = [message.panel ?? "", message.row ?? 0, message.column ?? null];
    } else if (message.do === "stretch") {
      const others = this.state._stretched.filter((name) => name !== message.panel);
      now._stretched = message.on && message.panel ? [...others, message.panel] : others;
    }
    const gesture = message.do === "edit" ? /** @type {Edit} */ (message).gesture : "";
    this.show({ ...this.state, ...now, _ack: message.do === "again" ? [view, n, "", []] : [view, n, gesture] });
  }

  /** @param {string | null} gesture changes of one gesture are taken back together */
  keep(gesture) {
    if (gesture === null || gesture !== this.gesture) this.past.push({ state: this.state, start: this.start });
    if (this.past.length > MOST_UNDOS) this.past.shift();
    this.gesture = gesture;
  }

  /** Begins with another state. @param {Lone} state */
  load(state) {
    this.keep(null);
    this.start = state;
    this.goTo(state);
  }

  reset() {
    this.keep(null);
    this.goTo(this.start);
  }

  /** Goes back one step; false where there is none. */
  undo() {
    const before = this.past.pop();
    this.gesture = null;
    if (!before) return false;
    this.start = before.start;
    this.goTo(before.state);
    return true;
  }

  /** A way back outlines nothing; what is selected and stretched is no part of it. @param {Lone} state */
  goTo(state) {
    const { _ack, _selected, _stretched, _spec } = this.state;
    const same = _spec === state._spec;
    const looks = same ? { _selected, _stretched } : { _selected: /** @type {[]} */ ([]) };
    this.show({ ...state, ...looks, _ack, _changed: UNMARKED });
  }

  /** @param {Lone} state */
  show(state) {
    const before = this.state;
    this.state = state;
    const names = /** @type {(keyof Lone)[]} */ (Object.keys(state));
    for (const name of names) if (state[name] !== before[name]) this.tell(`change:${name}`);
    this.tell("change");
    this.onChange();
  }

  /** @param {string} name */
  tell(name) {
    for (const handler of this.handlers.get(name) ?? []) handler(undefined);
  }
}
