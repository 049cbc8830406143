import assert from "node:assert/strict";
import { test } from "node:test";

import { PanelRound } from "../../../attention_lib/live/js/panel_hand.js";

/** @param {string} name */
function panelCalled(name) {
  const hand = { isStop: false, setStop: (/** @type {boolean} */ on) => (hand.isStop = on) };
  const grid = { getAttribute: () => "", setAttribute: () => {} };
  return /** @type {any} */ ({ spec: { name, editable: false }, hand, grid });
}

/** @param {any[]} panels */
const stops = (panels) => panels.filter(({ hand }) => hand.isStop).map(({ spec }) => spec.name);

test("Tab stops where the hand was, also after the view was built again", () => {
  const names = ["V", "weight", "weights"];
  const panels = names.map(panelCalled);
  const round = new PanelRound(panels, "");
  assert.deepEqual(stops(panels), ["weights"]);
  round.reach(panels[1]);
  const again = names.map(panelCalled);
  new PanelRound(again, "", round.reached);
  assert.deepEqual(stops(again), ["weight"]);
});
