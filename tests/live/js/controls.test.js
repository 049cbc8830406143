import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { Speaker } from "../../../attention_lib/live/js/controls.js";

/** A box whose lines are plain objects, and the place where words are read out. */
function begin(...lines) {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  const spoken = { textContent: "" };
  return { spoken, speaker: new Speaker({ querySelectorAll: () => lines }, spoken) };
}

test("a change is read out once the hand rests, and what did not change is not", () => {
  const [goal, verdict] = [{ textContent: "goal: 0.12" }, { textContent: "wide" }];
  const { spoken, speaker } = begin(goal, verdict);
  speaker.touch();
  for (const words of ["goal: 0.30", "goal: 0.41"]) {
    goal.textContent = words;
    speaker.soon();
    mock.timers.tick(600);
  }
  assert.equal(spoken.textContent, "");
  mock.timers.tick(200);
  assert.equal(spoken.textContent, "goal: 0.41");
});

test("what comes before a hand has touched the box is no change", () => {
  const [goal, message] = [{ textContent: "" }, { textContent: "" }];
  const { spoken, speaker } = begin(goal, message);
  goal.textContent = "goal: 0.12"; // on a busy page words come after their line
  speaker.soon();
  mock.timers.tick(1000);
  assert.equal(spoken.textContent, "");
  speaker.touch();
  message.textContent = "Undone.";
  speaker.soon();
  mock.timers.tick(1000);
  assert.equal(spoken.textContent, "Undone.");
});
