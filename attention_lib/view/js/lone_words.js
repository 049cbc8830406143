// Sentences over numbers on the page: the lab's own, which Python hands over with places to fill in.
// What is not read here is not said: no sentence outlives the numbers it is about.

import { filled, rowOf } from "./lines.js";
import { fill, numberText } from "./page.js";

/** @import { Followed, Lines, LoneWords, Matrix } from "./types.js" */

const TIE = 1e-9; // weights closer than this are alike
const SHOWN = 0.005; // smaller numbers read 0.00

/**
 * Lines as a notebook has them: of the explorer its goal.
 * @param {LoneWords} words
 * @param {Map<string, Matrix>} panels
 * @returns {Followed}
 */
const lines = (words, panels) => Object.fromEntries(filled(/** @type {Lines} */ (words), panels));

/**
 * What a mask lets through, and the rows that it leaves without a key.
 * @param {LoneWords} words
 * @param {Map<string, Matrix>} panels
 * @returns {Followed}
 */
function mask({ templates, names }, panels) {
  const allowed = /** @type {Matrix} */ (panels.get("mask"));
  const rows = names.map((_, i) => [...rowOf(allowed, i)]);
  const dead = [...names.keys()].filter((i) => !rows[i].some(Boolean));
  const unread = names.filter((_, j) => !rows.some((row) => row[j]));
  const forbidden = allowed.values.filter((value) => !value).length;
  const told = {
    allowed: allowed.values.length - forbidden,
    unread: unread.length ? fill(templates.unread, { words: unread.join(", ") }) : "",
  };
  const lines = dead.map((i) => /** @type {[number, null]} */ ([i, null]));
  return {
    _captions: {
      mask: fill(templates.mask, told),
      "masked scores": fill(templates.masked, { forbidden }),
      weights: dead.length ? fill(templates.dead, { words: dead.map((i) => names[i]).join(", ") }) : templates.alive,
    },
    _highlight: { mask: lines, "masked scores": lines, weights: lines },
  };
}

/**
 * Which word each query reads most.
 * @param {LoneWords} words
 * @param {Map<string, Matrix>} panels
 * @returns {Followed}
 */
function reading({ templates, names, queries = [] }, panels) {
  const weights = /** @type {Matrix} */ (panels.get("weights"));
  const said = queries.map((word, i) => {
    const row = [...rowOf(weights, i)];
    const largest = Math.max(...row);
    const top = names.filter((_, j) => row[j] > largest - TIE);
    const alike = top.length === row.length && row.length > 2;
    const keys = alike ? templates.alike : top.join(", ");
    return fill(templates.reading, { word, keys, weight: numberText(largest, 2) });
  });
  return { _captions: { weights: `${said.join("; ")}.` } };
}

/**
 * What a word is given, now and as the layer was made.
 * @param {LoneWords} words
 * @param {Map<string, Matrix>} panels
 * @returns {Followed}
 */
function given({ templates, names, query = 0 }, panels) {
  const [now, before] = ["ΔE", "ΔE as made"].map((name) => [...rowOf(/** @type {Matrix} */ (panels.get(name)), query)]);
  /** @param {number[]} row */
  const entries = (row) =>
    names
      .map((feature, j) => ({ feature, size: row[j], value: numberText(row[j], 2) }))
      .filter(({ size }) => Math.abs(size) >= SHOWN)
      .map((entry) => fill(templates.entry, entry))
      .join(", ") || templates.nothing;
  const same = now.every((value, j) => Math.abs(value - before[j]) <= SHOWN);
  return { goal: fill(same ? templates.same : templates.changed, { now: entries(now), before: entries(before) }) };
}

/** @type {Record<string, (words: LoneWords, panels: Map<string, Matrix>) => Followed>} */
const READERS = { lines, mask, reading, given };

/**
 * What can be said of the numbers of the panels, by part of the state.
 * @param {LoneWords | null} words
 * @param {Map<string, Matrix>} panels
 */
export const followed = (words, panels) => (words ? READERS[words.reader](words, panels) : {});
