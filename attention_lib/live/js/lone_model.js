// A view without Python: what Python answers in a notebook is answered in the page, by the view's own chain.
// States never change in place; each is what a view's `get` reads.

import { calculate, matricesOf, numbersOf, panelsIn } from "./chain.js";
import { numberText, parseNumber } from "./page.js";

/** @import { Edit, Handler, Lone, Matrix, Message } from "./types.js" */

const DIGITS = 4; // decimals that a lab keeps of what is typed; of whole numbers none

/**
 * The numbers of one panel, row by row.
 * @param {Lone} state
 * @param {string} name
 */
export function numbersIn(state, name) {
  return panelsIn(state._spec, numbersOf(state._values)).get(name)?.values ?? new Float64Array();
}

/**
 * The state after an edit.
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
  return { ...state, touched: true, _values: new DataView(all.buffer) };
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
    /** @type {[state: Lone, start: Lone][]} before each change */
    this.past = [];
    this.gesture = "";
    this.onChange = onChange;
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
    const gesture = message.do === "edit" ? /** @type {Edit} */ (message).gesture : "";
    if (message.do === "edit") {
      now = edited(this.state, /** @type {Edit} */ (message));
      const isNew = `${numbersOf(this.state._values)}` !== `${numbersOf(/** @type {Lone} */ (now)._values)}`;
      if (isNew) this.remember(gesture);
    } else now._selected = [message.panel ?? "", message.row ?? 0, message.column ?? null];
    this.show({ ...this.state, ...now, _ack: [view, n] });
  }

  /** Keeps the state for undo, once for each gesture. @param {string} gesture */
  remember(gesture) {
    if (!gesture || gesture !== this.gesture) this.past.push([this.state, this.start]);
    this.gesture = gesture;
  }

  undo() {
    const before = this.past.pop();
    if (before) this.go(...before);
  }

  /** Begins with another state. @param {Lone} state */
  load(state) {
    this.remember("");
    this.go(state, state);
  }

  reset() {
    this.load(this.start);
  }

  /** Goes to a state; what is selected stays where there is still such a cell. @param {Lone} state @param {Lone} start */
  go(state, start) {
    const { _ack, _selected, _spec } = this.state;
    this.start = start;
    this.gesture = "";
    this.show({ ...state, _selected: _spec === state._spec ? _selected : /** @type {[]} */ ([]), _ack });
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
