// A view without Python: what Python answers in a notebook is answered in the page, by the view's own chain.
// States never change in place; each is what a view's `get` reads.

import { calculate, matricesOf, numbersOf, panelsIn } from "./chain.js";
import { numberText, parseNumber } from "./page.js";

/** @import { Ack, Edit, Handler, Lone, Matrix, Message } from "./types.js" */

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
  return { ...state, said: "", _values: new DataView(all.buffer) };
}

/** Plays the model that anywidget hands to a view. */
export class LoneModel {
  /** @param {Lone} state */
  constructor(state) {
    this.state = state;
    /** @type {Lone[]} before each change */
    this.past = [];
    this.gesture = "";
    /** @type {Set<Handler>} */
    this.handlers = new Set();
  }

  /** @param {string} name */
  get(name) {
    return this.state[/** @type {keyof Lone} */ (name)];
  }

  /** A view sets what the hand did. @param {string} _name @param {unknown} hand */
  set(_name, hand) {
    const { view, acts } = /** @type {{ view: string, acts: Message[] }} */ (hand);
    for (const act of acts) this.answer(act, view);
  }

  save_changes() {}
  send() {}

  /** A view hears of all changes at once. @param {string} _name @param {Handler} handler */
  on(_name, handler) {
    this.handlers.add(handler);
  }

  /** @param {string} _name @param {Handler} handler */
  off(_name, handler) {
    this.handlers.delete(handler);
  }

  /** @param {Message} message @param {string} [view] */
  answer(message, view = "") {
    const { n = 0, panel = "", row = 0, column = null } = message;
    /** @type {Ack} */
    const _ack = [view, n];
    if (message.do === "select") {
      this.show({ ...this.state, _selected: [panel, row, column], _ack });
      return;
    }
    const edit = /** @type {Edit} */ (message);
    const now = edited(this.state, edit);
    const isNew = `${numbersOf(this.state._values)}` !== `${numbersOf(now._values)}`;
    if (isNew) this.remember(edit.gesture);
    this.show({ ...now, _ack });
  }

  /** Keeps the state for undo, once for each gesture. @param {string} gesture */
  remember(gesture) {
    if (!gesture || gesture !== this.gesture) this.past.push(this.state);
    this.gesture = gesture;
  }

  undo() {
    const before = this.past.pop();
    if (before) this.go(before, "");
  }

  /** Begins with another state, and says so. @param {Lone} state @param {string} said */
  load(state, said) {
    this.remember("");
    this.go(state, said);
  }

  /** Goes to a state; what is selected stays where there is still such a cell. @param {Lone} state @param {string} said */
  go(state, said) {
    const { _ack, _selected, _spec } = this.state;
    this.gesture = "";
    this.show({ ...state, said, _selected: _spec === state._spec ? _selected : /** @type {[]} */ ([]), _ack });
  }

  /** @param {Lone} state */
  show(state) {
    this.state = state;
    for (const handler of this.handlers) handler(undefined);
  }
}
