// Sentences over numbers on a page without Python: the lab's own, which Python hands over with places to fill in.
// What is not read here is not said: no sentence outlives the numbers it is about.

import { filled } from "./lines.js";

/** @import { Followed, Lines, Matrix } from "./types.js" */

/**
 * What can be said of the numbers of the panels, by part of the state.
 * @param {Lines | null} words
 * @param {Map<string, Matrix>} panels
 * @returns {Followed}
 */
export function followed(words, panels) {
  if (!words) return {};
  const { lines, captions, marks } = filled(words, panels);
  return { ...lines, _captions: captions, ...(Object.keys(marks).length ? { _highlight: marks } : {}) };
}
