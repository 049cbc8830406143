// The Messenger talks here to a stand-in for Python, over a line that loses what it is told to lose.
// The clock is node's mock: no test waits.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { ASK_AFTER, ASK_AT_MOST, IN_FLIGHT, Messenger, PACE } from "../../../attention_lib/view/js/messenger.js";

const SLOTS = ["a", "b", "c"];
const LONG = 10 * ASK_AT_MOST;

// What matrix_view.py does with messages: it keeps the latest value of each slot and says what it never heard.
class Line {
  constructor(loses = () => false) {
    this.loses = loses; // (message, "there" or "back") -> whether it is lost
    this.heard = [];
    this.values = {};
    this.answers = []; // not delivered yet, in order
    this.silences = [];
    this.messenger = new Messenger(this, (silent) => this.silences.push(silent));
  }
  send(content) {
    const message = structuredClone(content);
    this.sent = (this.sent || 0) + 1;
    if (this.loses(message, "there")) return;
    const lost = message.unanswered?.filter((n) => !this.heard.includes(n));
    if (!lost) this.values[message.slot] = message.value;
    this.heard.push(message.n);
    if (!this.loses(message, "back")) this.answers.push([message.view, message.n, "", ...(lost ? [lost] : [])]);
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

// Let the clock go on, with answers as they come, until nothing is on the way.
function settle(line) {
  line.answer();
  for (let i = 0; i < 100 && !line.quiet; i++) {
    mock.timers.tick(ASK_AFTER);
    line.answer();
  }
}

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

for (const way of ["there", "back"]) {
  timed(`both are lost on the way ${way}, and the last edit arrives all the same`, () => {
    const line = new Line((message, direction) => message.n <= 2 && direction === way);
    for (let i = 1; i <= 9; i++) line.put("a", i);
    settle(line);
    assert.deepEqual([line.values.a, line.quiet], [9, true]);
  });

  timed(`one of two cells is lost on the way ${way}, and no clock is needed to see it`, () => {
    const line = new Line((message, direction) => message.n === 1 && direction === way);
    line.put("a", 1);
    line.put("b", 2);
    line.answer();
    assert.deepEqual([line.values, line.quiet], [{ a: 1, b: 2 }, true]);
  });
}

timed("what was lost does not overwrite what came after it", () => {
  const line = new Line((message) => message.n === 1);
  line.put("a", 1);
  line.put("a", 2);
  settle(line);
  assert.deepEqual([line.values.a, line.quiet], [2, true]);
});

timed("an edit is open until it is answered, also while it waits to be sent", () => {
  let broken = true;
  const line = new Line(() => broken);
  const edit = { slot: "a", value: 1 };
  line.put("b", 2);
  line.put("c", 3);
  line.messenger.put("a", edit);
  assert.ok(line.messenger.open("a", edit));
  mock.timers.tick(LONG);
  assert.ok(line.messenger.open("a", edit));
  broken = false;
  mock.timers.tick(LONG);
  line.answer();
  assert.ok(!line.messenger.open("a", edit) && line.values.a === 1);
});

timed("the silence is told at the second question, and its end", () => {
  let broken = true;
  const line = new Line(() => broken);
  line.put("a", 1);
  mock.timers.tick(ASK_AFTER);
  assert.ok(!line.silences.includes(true));
  mock.timers.tick(2 * ASK_AFTER);
  assert.equal(line.silences.at(-1), true);
  broken = false;
  mock.timers.tick(LONG);
  line.answer();
  assert.equal(line.silences.at(-1), false);

  broken = true; // once more, and everything is as the first time
  line.put("a", 2);
  mock.timers.tick(ASK_AFTER);
  assert.equal(line.silences.at(-1), false);
  broken = false;
  mock.timers.tick(2 * ASK_AFTER);
  line.answer();
  assert.ok(line.quiet && line.values.a === 2);
});

timed("questions become rare, however long it lasts and whatever is edited meanwhile", () => {
  const line = new Line(() => true);
  for (let second = 0; second < 3600; second++) {
    line.put("a", second);
    mock.timers.tick(1000);
  }
  const most = 3600000 / ASK_AT_MOST + Math.log2(ASK_AT_MOST / ASK_AFTER) + IN_FLIGHT + 1;
  assert.ok(line.sent > 10 && line.sent <= most, `${line.sent} messages`);
});

timed("a busy Python hears nothing twice", () => {
  const line = new Line();
  line.put("a", 1);
  line.put("b", 2);
  mock.timers.tick(LONG); // it answers after that
  const numbers = line.heard.length;
  line.answer();
  assert.deepEqual([line.heard.length, line.quiet], [numbers, true]);
});

timed("a view that goes sends what waits and asks nothing more", () => {
  const line = new Line((_message, direction) => direction === "back");
  for (const slot of SLOTS) line.put(slot, slot);
  line.messenger.close();
  const { sent } = line;
  mock.timers.tick(LONG);
  assert.deepEqual([Object.keys(line.values), line.sent], [SLOTS, sent]);
});

timed("whatever the line loses, every last edit arrives", () => {
  let state = 1;
  const random = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  for (let round = 0; round < 300; round++) {
    let losing = true;
    const rate = random();
    const line = new Line(() => losing && random() < rate);
    const wanted = {};
    for (let i = 0; i < 40; i++) {
      const slot = SLOTS[Math.floor(random() * SLOTS.length)];
      wanted[slot] = i;
      line.put(slot, i, random() < 0.5);
      if (random() < 0.5) line.answer();
      if (random() < 0.2) mock.timers.tick(ASK_AFTER);
    }
    losing = false;
    settle(line);
    assert.deepEqual([line.quiet, line.values], [true, wanted], `round ${round}`);
  }
});
