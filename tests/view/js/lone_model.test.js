// What Python answers in a notebook, answered in the page: two numbers, and their double below.

import assert from "node:assert/strict";
import { test } from "node:test";

import { LoneModel } from "../../../attention_lib/view/js/lone_model.js";

const spec = (name, digits) => ({ name, digits, rows: ["a"], columns: ["0", "1"] });

function start(values, preset = "one") {
  return {
    ...{
      _spec: [spec("x", 2), spec("double", 2)],
      _chain: [["double", "times", "x", "two"]],
      _given: { two: [[2, 2]] },
    },
    ...{ _values: new DataView(Float64Array.from(values).buffer), _changed: new DataView(new ArrayBuffer(0)) },
    ...{ _captions: { x: "set here", double: "2 and 4" }, _descriptions: {}, _highlight: {}, _note: "" },
    ...{ _selected: [], _stretched: [], _ack: [], preset, goal: "", touched: false },
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
  assert.deepEqual(model.get("_ack"), ["v", 1, "drag"]);
  assert.deepEqual(told.sort(), ["_ack", "_values"]);
});

test("words that no longer hold go", () => {
  const { model } = opened();
  model.answer(edit(1, 0, 3, "drag"));
  assert.deepEqual(model.get("_captions"), {});
});

test("a gesture is taken back as one, with its words; reset can be taken back too", () => {
  const { model } = opened();
  model.answer(edit(1, 0, 3, "drag"));
  model.answer(edit(2, 0, 4, "drag"));
  model.answer(edit(3, 1, 5, "other"));
  model.reset();
  assert.deepEqual(numbers(model), [1, 2, 2, 4]);
  const seen = [];
  while (model.undo()) seen.push(numbers(model).slice(0, 2));
  assert.deepEqual(seen, [
    [4, 5],
    [4, 2],
    [1, 2],
  ]);
  assert.deepEqual(model.get("_captions"), { x: "set here", double: "2 and 4" });
});

test("after another start, reset leads to it, and undo to what was before", () => {
  const { model } = opened();
  model.answer(edit(1, 0, 3, "drag"));
  model.load(start([7, 8, 14, 16], "two"));
  model.answer(edit(2, 0, 9, "drag"));
  model.reset();
  assert.deepEqual(numbers(model), [7, 8, 14, 16]);
  for (let i = 0; i < 3; i++) model.undo();
  assert.deepEqual([numbers(model), model.get("preset")], [[3, 2, 6, 4], "one"]);
});

test("a selection and a stretched panel are answered, and are no step of the way back", () => {
  const { model } = opened();
  model.answer({ do: "select", view: "v", n: 1, panel: "x", row: 0, column: 1 });
  model.answer({ do: "stretch", view: "v", n: 2, panel: "x", on: true });
  model.answer({ do: "describe", view: "v", n: 3 });
  assert.deepEqual([model.get("_selected"), model.get("_stretched")], [["x", 0, 1], ["x"]]);
  assert.deepEqual(model.get("_ack"), ["v", 3, ""]);
  assert.equal(model.undo(), false);
});
