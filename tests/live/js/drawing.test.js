// How far a hand was turned by a pointer that goes around it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { turnedBy } from "../../../attention_lib/live/js/drawing.js";

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-12, `${a} is not ${b}`);

test("a hand is turned the short way, also over the left end, where angles jump", () => {
  near(turnedBy(0.2, 0.5), 0.3);
  near(turnedBy(3, -3), 2 * Math.PI - 6);
  near(turnedBy(-3, 3), 6 - 2 * Math.PI);
});
