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

test("once around in small steps is one turn", () => {
  const angles = Array.from({ length: 101 }, (_, i) => Math.atan2(Math.sin(i / 10), Math.cos(i / 10)));
  near(
    angles.slice(1).reduce((sum, angle, i) => sum + turnedBy(angles[i], angle), 0),
    10,
  );
});
