// A view without Python: what Python answers in a notebook is answered in the page, by the view's own chain.
// States never change in place; each is what a view's `get` reads.

import { calculate, matricesOf, numbersOf, panelsIn } from "./chain.js";
import { numberText, parseNumber } from "./page.js";

/** @import { Lone } from "./types.js" */

const DIGITS = 4; // decimals that a lab keeps of what is typed

/**
 * The state after an edit.
 * @param {Lone} state
 */
export function edited(state, { panel, row, column, value }) {
  const all = numbersOf(state._values);
  const panels = panelsIn(state._spec, all);
  const target = panels.get(panel);
  target.values[row * target.columns + column] = parseNumber(numberText(value, DIGITS)) ?? value;
  const made = calculate(state._chain, new Map([...matricesOf(state._given), ...panels]), [panel]);
  for (const [name, { values }] of made) panels.get(name)?.values.set(values);
  return { ...state, said: "", _values: new DataView(all.buffer) };
}

// Plays the model that anywidget hands to a view.
export class LoneModel {
  /** @param {Lone} state */
  constructor(state) {
    this.state = state;
    /** @type {Lone[]} before each change */
    this.past = [];
    this.gesture = "";
    this.handlers = new Set();
  }

  get(name) {
    return this.state[name];
  }

  // A view sets what the hand did.
  set(_name, hand) {
    for (const act of hand.acts) this.answer(act, hand.view);
  }

  save_changes() {}
  send() {}

  // A view hears of all changes at once.
  on(_name, handler) {
    this.handlers.add(handler);
  }

  off(_name, handler) {
    this.handlers.delete(handler);
  }

  answer(message, view = "") {
    const { n = 0, panel = "", row = 0, column = null } = message;
    const _ack = [view, n];
    if (message.do === "select") {
      this.show({ ...this.state, _selected: [panel, row, column], _ack });
      return;
    }
    const now = edited(this.state, message);
    const isNew = `${numbersOf(this.state._values)}` !== `${numbersOf(now._values)}`;
    if (isNew) this.remember(message.gesture);
    this.show({ ...now, _ack });
  }

  // Keeps the state for undo, once for each gesture.
  remember(gesture) {
    if (!gesture || gesture !== this.gesture) this.past.push(this.state);
    this.gesture = gesture;
  }

  undo() {
    const before = this.past.pop();
    if (before) this.go(before, "");
  }

  // Begins with another state, and says so.
  load(state, said) {
    this.remember("");
    this.go(state, said);
  }

  // Goes to a state; what is selected stays where there is still such a cell.
  go(state, said) {
    const { _ack, _selected, _spec } = this.state;
    this.gesture = "";
    this.show({ ...state, said, _selected: _spec === state._spec ? _selected : [], _ack });
  }

  /** @param {Lone} state */
  show(state) {
    this.state = state;
    for (const handler of this.handlers) handler(undefined);
  }
}
