import assert from "node:assert/strict";
import { test } from "node:test";

import { fill, labelWidth, numberText, parseNumber } from "../../../attention_lib/live/js/page.js";

test("numbers are rounded, a tie to the even digit", () => {
  const rounded = [0.125, 0.375, 2.675, -0.125, 1.005, 12.3456].map((v) => numberText(v, 2));
  assert.deepEqual(rounded, ["0.12", "0.38", "2.67", "\u22120.12", "1.00", "12.35"]);
  assert.deepEqual(
    [0.5, 1.5, 2.5].map((v) => numberText(v, 0)),
    ["0", "2", "2"],
  );
});

test("nothing is minus zero", () => {
  assert.equal(numberText(-0.004, 2), "0.00");
  assert.equal(numberText(-0, 2), "0.00");
});

test("what is no plain number has a sign of its own", () => {
  assert.deepEqual(
    [-Infinity, Infinity, Number.NaN].map((v) => numberText(v, 2)),
    ["\u2212∞", "∞", "NaN"],
  );
});

test("numbers are read as people type them", () => {
  const typed = { 0.5: 0.5, "-.5": -0.5, "−2": -2, "–2": -2, "0,7": 0.7, " 3 ": 3, "+1": 1, "1e-3": 0.001, "2.": 2 };
  Object.assign(typed, { "1,000": 1000, "-12,500.5": -12500.5, "0,125": 0.125, "1,25": 1.25 });
  for (const [text, number] of Object.entries(typed)) assert.equal(parseNumber(text), number, text);
  for (const text of ["", "-", ".", "x", "1.2.3", "1,2,3", "0x10", "1e", "Infinity", "NaN"]) {
    assert.equal(parseNumber(text), null, text);
  }
});

test("a sentence takes the words of its places as they are", () => {
  assert.equal(
    fill("“{text}” keeps {value}, {text}", { text: "$& {value}", value: 0 }),
    "“$& {value}” keeps 0, $& {value}",
  );
});

test("Hangul is wider than Latin", () => {
  assert.equal(labelWidth("배"), 1);
  assert.ok(labelWidth("a") < 1);
});
