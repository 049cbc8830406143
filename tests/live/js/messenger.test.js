// The Messenger talks here to a stand-in for Python, which answers when it is told to.
// The clock is node's mock: no test waits.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { Messenger, PACE } from "../../../attention_lib/live/js/messenger.js";

class Line {
  constructor() {
    this.sent = [];
    this.silences = [];
    this.messenger = new Messenger(this, (silent) => this.silences.push(silent));
  }
  set(_name, { view, acts }) {
    this.sent.push({ view, acts: acts.map(({ value }) => value), n: acts.at(-1).n });
  }
  save_changes() {}
  answer(at = -1) {
    const { view, n } = this.sent.at(at);
    this.messenger.acknowledge([view, n]);
  }
  put(slot, value) {
    this.messenger.put(slot, { slot, value });
  }
  get values() {
    return this.sent.at(-1).acts;
  }
}

beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
afterEach(() => mock.timers.reset());

test("what is not answered is sent again with what comes after it, the latest of each slot last", () => {
  const line = new Line();
  for (const [slot, value] of [
    ["a", 1],
    ["b", 2],
    ["a", 3],
  ]) {
    line.put(slot, value);
    mock.timers.tick(PACE);
  }
  assert.deepEqual(
    line.sent.map(({ acts }) => acts),
    [[1], [1, 2], [2, 3]],
  );
  line.answer(0); // a newer one of the same slot is on its way
  assert.deepEqual([...line.messenger.unanswered.keys()], ["b", "a"]);
  line.answer();
  line.answer(0);
  assert.equal(line.messenger.unanswered.size, 0);
});

test("an answer to another view is none", () => {
  const line = new Line();
  line.put("a", 1);
  line.messenger.acknowledge(["another view", 9]);
  assert.deepEqual([line.messenger.unanswered.has("a"), line.silences], [true, []]);
});

test("messages keep a pace, and the last arrives without another", () => {
  const line = new Line();
  for (let ms = 0; ms < 4 * PACE; ms++) {
    line.put("a", ms);
    mock.timers.tick(1);
  }
  assert.ok(line.sent.length === 4 || line.sent.length === 5, `${line.sent.length} messages`);
  mock.timers.tick(PACE);
  assert.deepEqual(line.values, [4 * PACE - 1]);
  line.put("a", 1);
  line.put("a", 2);
  line.messenger.close();
  assert.deepEqual(line.values, [2]);
});
