// What Python answers in a notebook, answered in the page: two numbers, and their double below.

import assert from "node:assert/strict";
import { test } from "node:test";

import { LoneModel } from "../../../attention_lib/live/js/lone_model.js";

const spec = (name, digits) => ({ name, digits, rows: ["a"], columns: ["0", "1"] });

function start(values, preset = "one") {
  return {
    ...{
      _spec: [spec("x", 2), spec("double", 2)],
      _chain: [["double", "times", "x", "two"]],
      _given: { two: [[2, 2]] },
    },
    ...{ _values: new DataView(Float64Array.from(values).buffer) },
    ...{ _captions: {}, _highlight: {} },
    ...{ _selected: [], _ack: [], preset, touched: false },
  };
}

const numbers = (model) => [...new Float64Array(model.get("_values").buffer)];
const edit = (n, column, value, gesture) => ({ do: "edit", view: "v", n, panel: "x", row: 0, column, value, gesture });

function opened() {
  const model = new LoneModel(start([1, 2, 2, 4]), () => {});
  const told = [];
  for (const name of ["_values", "_ack", "_selected"]) model.on(`change:${name}`, () => told.push(name));
  return { model, told };
}

test("a message is answered after it was sent, with what follows from it", async () => {
  const { model, told } = opened();
  model.send(edit(1, 0, 1.50004, "drag"));
  assert.deepEqual(told, []);
  await Promise.resolve();
  assert.deepEqual(numbers(model), [1.5, 2, 3, 4]);
  assert.deepEqual(model.get("_ack"), ["v", 1]);
  assert.deepEqual(told.sort(), ["_ack", "_values"]);
});

test("reset leads back to the start that was loaded last, and undo to what was before, one gesture at a time", () => {
  const { model } = opened();
  model.answer(edit(1, 0, 3, "drag"));
  model.answer(edit(1, 0, 5, "drag"));
  model.answer(edit(1, 0, 6, "another"));
  model.reset();
  for (const first of [6, 5, 1]) {
    model.undo();
    assert.equal(numbers(model)[0], first);
  }
  assert.deepEqual([numbers(model), model.get("touched")], [[1, 2, 2, 4], false]);
  model.load(start([7, 8, 14, 16], "two"));
  model.answer(edit(2, 0, 9, "drag"));
  assert.equal(model.get("touched"), true);
  model.reset();
  assert.deepEqual([numbers(model), model.get("preset")], [[7, 8, 14, 16], "two"]);
});

test("a selection is answered, and stays where the panels do", () => {
  const { model } = opened();
  model.answer({ do: "select", view: "v", n: 1, panel: "x", row: 0, column: 1 });
  model.reset();
  assert.deepEqual(model.get("_selected"), ["x", 0, 1]);
  assert.deepEqual(model.get("_ack"), ["v", 1]);
  model.load(start([7, 8, 14, 16], "two"));
  assert.deepEqual(model.get("_selected"), []);
});
