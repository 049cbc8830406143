// Run by test_pages.py: calculates chains and writes their numbers as the page would show them.

import { readFileSync } from "node:fs";

import { calculate } from "../../../attention_lib/live/js/chain.js";
import { numberText } from "../../../attention_lib/live/js/page.js";

const matrix = (lines) => ({
  rows: lines.length,
  columns: lines[0].length,
  values: Float64Array.from(lines.flat(), Number),
});

function texts({ rows, columns, values }, digits) {
  const written = Array.from(values, (value) => numberText(value, digits));
  return Array.from({ length: rows }, (_, i) => written.slice(i * columns, (i + 1) * columns));
}

function answer({ chain, known, sources, digits }) {
  const matrices = new Map(Object.entries(known).map(([name, lines]) => [name, matrix(lines)]));
  const made = calculate(chain, matrices, sources);
  return Object.fromEntries([...made].map(([name, found]) => [name, texts(found, digits[name] ?? 3)]));
}

const cases = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify({ answers: cases.map(answer) }));
