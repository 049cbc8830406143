import assert from "node:assert/strict";
import { test } from "node:test";

import { fill, parseNumber } from "../../../attention_lib/live/js/page.js";

test("numbers are read as people type them", () => {
  const typed = { 0.5: 0.5, "-.5": -0.5, "−2": -2, "–2": -2, "0,7": 0.7, " 3 ": 3, "+1": 1, "1e-3": 0.001, "2.": 2 };
  Object.assign(typed, { "1,000": 1000, "-12,500.5": -12500.5, "0,125": 0.125, "1,25": 1.25 });
  for (const [text, number] of Object.entries(typed)) assert.equal(parseNumber(text), number, text);
  for (const text of ["", "-", ".", "x", "1.2.3", "1,2,3", "0x10", "1e", "1e400", "Infinity", "NaN"]) {
    assert.equal(parseNumber(text), null, text);
  }
});

test("a sentence takes the words of its places as they are", () => {
  assert.equal(
    fill("“{text}” keeps {value}, {text}", { text: "$& {value}", value: 0 }),
    "“$& {value}” keeps 0, $& {value}",
  );
});
