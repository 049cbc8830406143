// The Messenger talks here to a stand-in for Python, which answers when it is told to.
// The clock is node's mock: no test waits.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { Messenger, PACE, SILENCE } from "../../../attention_lib/live/js/messenger.js";

const SLOTS = ["a", "b", "c"];

// What matrix_view.py does with messages: it keeps the latest value of each slot and answers in order.
class Line {
  constructor() {
    this.sent = 0;
    this.values = {};
    this.answers = []; // not delivered yet, in order
    this.silences = [];
    this.messenger = new Messenger(this, (silent) => this.silences.push(silent));
  }
  send({ slot, value, view, n }) {
    this.sent += 1;
    this.values[slot] = value;
    this.answers.push([view, n]);
  }
  answer() {
    while (this.answers.length) this.messenger.acknowledge(this.answers.shift());
  }
  put(slot, value, isPaced = false) {
    this.messenger.put(slot, { slot, value }, isPaced);
  }
  get quiet() {
    return !this.messenger.waiting.size && !this.messenger.underway.size;
  }
}

const timed = (name, body) =>
  test(name, () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      body();
    } finally {
      mock.timers.reset();
    }
  });

timed("two messages are on the way, and the latest of what waits follows", () => {
  const line = new Line();
  for (let i = 1; i <= 9; i++) line.put("a", i);
  assert.equal(line.sent, 2);
  line.answer();
  assert.deepEqual([line.sent, line.values.a], [3, 9]);
});

timed("in a drag messages keep a pace, and the last arrives without another", () => {
  const line = new Line();
  for (let ms = 0; ms < 4 * PACE; ms++) {
    line.put("a", ms, true);
    line.answer();
    mock.timers.tick(1);
  }
  assert.ok(line.sent === 4 || line.sent === 5, `${line.sent} messages`);
  mock.timers.tick(PACE);
  line.answer();
  assert.deepEqual([line.values.a, line.quiet], [4 * PACE - 1, true]);
});

timed("the pace ends with the drag, and with anything else that is done to the cell", () => {
  const line = new Line();
  for (const [end, last] of [
    [() => line.messenger.hurry(), 2],
    [() => line.put("a", 3), 3],
  ]) {
    line.put("a", 1, true);
    line.answer();
    line.put("a", 2, true);
    line.answer();
    assert.equal(line.values.a, 1);
    end();
    line.answer();
    assert.deepEqual([line.values.a, line.quiet], [last, true]);
  }
  line.put("a", 4, true);
  line.put("a", 5, true);
  line.messenger.close();
  assert.equal(line.values.a, 5);
});

timed("a message is unanswered until it is answered, also while it waits to be sent", () => {
  const line = new Line();
  const unanswered = () => line.messenger.unanswered.map(([slot, { value }]) => [slot, value]);
  for (const [i, slot] of ["b", "c", "a"].entries()) line.put(slot, i);
  line.put("b", 4);
  assert.deepEqual([line.sent, unanswered().at(-1)], [2, ["b", 4]]); // the latest counts last
  line.messenger.acknowledge(line.answers.shift());
  assert.deepEqual([line.sent, line.messenger.expects("a"), line.messenger.expects("b")], [3, true, true]);
  line.answer();
  assert.deepEqual([unanswered(), line.messenger.expects("a")], [[], false]);
});

timed("an answer covers what was sent before it, and one to another view nothing", () => {
  const line = new Line();
  line.put("a", 1);
  line.put("b", 2);
  const [first, second] = line.answers.splice(0);
  line.messenger.acknowledge(["another view", ...second.slice(1)]);
  assert.equal(line.quiet, false);
  line.messenger.acknowledge(second);
  assert.equal(line.quiet, true);
  line.messenger.acknowledge(first);
  assert.equal(line.quiet, true);
});

timed("a long silence is told, keeps nothing back, and ends with the next answer", () => {
  const line = new Line();
  for (let i = 1; i <= 9; i++) line.put("a", i);
  mock.timers.tick(SILENCE - 1);
  assert.deepEqual([line.sent, line.silences], [2, []]);
  mock.timers.tick(1);
  assert.deepEqual([line.sent, line.values.a, line.silences], [3, 9, [true]]);
  line.answer();
  assert.deepEqual([line.silences.at(-1), line.quiet], [false, true]);
  mock.timers.tick(10 * SILENCE);
  assert.equal(line.silences.at(-1), false);
});

timed("a view that goes sends what waits, and no clock runs on", () => {
  const line = new Line();
  for (const slot of SLOTS) line.put(slot, slot);
  line.messenger.close();
  assert.deepEqual(Object.keys(line.values), SLOTS);
  mock.timers.tick(10 * SILENCE);
  assert.deepEqual([line.sent, line.silences], [3, []]);
});

timed("edits do not wind the clock back, and answers do", () => {
  const line = new Line();
  line.put("a", 1);
  mock.timers.tick(SILENCE - 1);
  line.put("b", 2);
  line.messenger.acknowledge(line.answers.shift());
  mock.timers.tick(SILENCE - 1);
  line.put("a", 3);
  assert.deepEqual(line.silences, [false]);
  mock.timers.tick(1);
  assert.equal(line.silences.at(-1), true);
});
