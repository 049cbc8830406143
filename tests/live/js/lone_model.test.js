// What Python answers in a notebook, answered in the page: two numbers, and below them their double and their triple.

import assert from "node:assert/strict";
import { test } from "node:test";

import { LoneModel } from "../../../attention_lib/live/js/lone_model.js";

const spec = (name, digits) => ({ name, digits, rows: ["a"], columns: ["0", "1"] });

function start(values, preset = "one") {
  return {
    ...{
      _spec: [spec("x", 2), spec("product", 2)],
      _chain: [["product", "matmul", "x", "factors"]],
      _given: {
        factors: [
          [2, 0],
          [0, 3],
        ],
      },
    },
    ...{ _values: new DataView(Float64Array.from(values).buffer) },
    ...{ _captions: {}, _highlight: {} },
    ...{ _selected: [], _ack: [], preset, said: "" },
  };
}

const numbers = (model) => [...new Float64Array(model.get("_values").buffer)];
const edit = (n, column, value, gesture) => ({ do: "edit", n, panel: "x", row: 0, column, value, gesture });

function opened() {
  const first = start([1, 2, 2, 6]);
  const model = new LoneModel(first);
  const told = [];
  model.on("change", () => told.push(numbers(model)));
  return { model, first, told };
}

test("what the hand did is answered with what follows from it", () => {
  const { model, told } = opened();
  model.set("_hand", { view: "v", acts: [edit(1, 0, 1.50004, "drag")] });
  assert.deepEqual(told, [[1.5, 2, 3, 6]]);
  assert.deepEqual(model.get("_ack"), ["v", 1]);
});

test("undo leads to what was before, one gesture at a time, and a sentence goes with the next change", () => {
  const { model, first } = opened();
  model.answer(edit(1, 0, 3, "drag"));
  model.answer(edit(1, 0, 5, "drag"));
  model.answer(edit(1, 0, 6, "another"));
  model.load(first, "Back.");
  assert.deepEqual([numbers(model), model.get("said")], [[1, 2, 2, 6], "Back."]);
  for (const before of [6, 5, 1]) {
    model.undo();
    assert.deepEqual([numbers(model)[0], model.get("said")], [before, ""]);
  }
  assert.equal(model.get("_values"), first._values);
  model.load(start([7, 8, 14, 24], "two"), "New.");
  model.answer(edit(2, 0, 9, "drag"));
  assert.deepEqual([numbers(model)[0], model.get("said"), model.get("preset")], [9, "", "two"]);
});

test("a selection is answered, and stays where the panels do", () => {
  const { model, first } = opened();
  model.answer({ do: "select", n: 1, panel: "x", row: 0, column: 1 }, "v");
  model.load(first, "");
  assert.deepEqual(model.get("_selected"), ["x", 0, 1]);
  assert.deepEqual(model.get("_ack"), ["v", 1]);
  model.load(start([7, 8, 14, 24], "two"), "");
  assert.deepEqual(model.get("_selected"), []);
});
