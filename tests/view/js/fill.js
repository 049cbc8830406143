// Run by test_follow.py: calculates what follows from an edit, and fills in the lines as the page does.

import { readFileSync } from "node:fs";

import { calculate } from "../../../attention_lib/view/js/chain.js";
import { filled } from "../../../attention_lib/view/js/lines.js";
import { FUNCTIONS } from "../../../attention_lib/view/js/reader.js";

const matrix = (lines) => ({
  rows: lines.length,
  columns: lines[0].length,
  values: Float64Array.from(lines.flat(), Number),
});

function answer({ chain, known, sources, said, row }) {
  const matrices = new Map(Object.entries(known).map(([name, lines]) => [name, matrix(lines)]));
  const made = calculate(chain, matrices, sources);
  return filled(said, new Map([...matrices, ...made]), row);
}

const cases = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify({ functions: FUNCTIONS, answers: cases.map(answer) }));
