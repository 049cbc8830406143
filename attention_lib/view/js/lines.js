// Lines around a view that follow its numbers: Python wrote them, with places (see follow.py); the page fills these in.
// The functions are those of `Written` in follow.py: a test holds both to the same text.

import { Holder, writeInto } from "./line_nodes.js";
import { numberText } from "./page.js";

/** @import { Lines, Matrix, Place } from "./types.js" */

const SHORT = 3; // decimals of a number in a calculation; zeros at its end are left out
const SHARE = 4; // decimals of a bar's length
const SETTLED = 9; // decimals after which nothing decides which of two numbers is larger

/** @param {number} value */
const settled = (value) => Number(value.toFixed(SETTLED));

/** @param {number} value */
function short(value) {
  const text = numberText(value, SHORT);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** @param {Matrix} matrix @param {number} row */
export const rowOf = ({ values, columns }, row) => values.subarray(row * columns, (row + 1) * columns);

/** @param {Matrix} matrix @param {number} row @param {number} column */
const cellOf = ({ values, columns }, row, column) => values[row * columns + column];

/** @typedef {Map<string, Matrix>} Matrices */

/**
 * A row, or where there is none a column.
 * @param {Matrices} matrices
 * @param {[panel: string, row: number | null, column: number | null]} at
 */
function lineOf(matrices, [panel, row, column]) {
  const matrix = matrixOf(matrices, panel);
  if (row !== null) return [...rowOf(matrix, row)];
  return Array.from({ length: matrix.rows }, (_, i) => cellOf(matrix, i, column ?? 0));
}

/** @param {Matrices} matrices @param {string} name */
function matrixOf(matrices, name) {
  const matrix = matrices.get(name);
  if (!matrix) throw new Error(`a line needs ${name}`);
  return matrix;
}

/**
 * By name: what stands in a place.
 * @type {Record<string, (matrix: Matrix, row: number, ...more: any[]) => string>}
 */
const CELLS = {
  number: (matrix, row, column, digits) => numberText(cellOf(matrix, row, column), digits),
  short: (matrix, row, column) => short(cellOf(matrix, row, column)),
  exp: (matrix, row, column) => short(Math.exp(cellOf(matrix, row, column))),
  exps: (matrix, row) => short(rowOf(matrix, row).reduce((sum, value) => sum + Math.exp(value), 0)),
  row: (matrix, row) => `[${Array.from(rowOf(matrix, row), short).join(", ")}]`,
  share: (matrix, row, column) =>
    numberText(cellOf(matrix, row, column) / (Math.max(...rowOf(matrix, row)) || 1), SHARE),
  top: (matrix, row, names) => {
    const line = Array.from(rowOf(matrix, row), settled);
    return names[line.indexOf(Math.max(...line))];
  },
  most: (matrix, row, digits) => numberText(Math.max(...rowOf(matrix, row)), digits),
  rank: (matrix, row, column) => {
    const line = Array.from(rowOf(matrix, row), settled);
    return String(1 + line.filter((value) => value > line[column]).length);
  },
};

/** The names of all that can stand in a place: those of follow.py. */
export const PLACES = ["products", ...Object.keys(CELLS)];

/** @param {Matrices} matrices @param {Place} place */
function textOf(matrices, [name, ...where]) {
  if (name === "products") {
    const [one, other] = where.map((at) => lineOf(matrices, at));
    return one.map((a, k) => `${short(a)}·${short(other[k])}`).join(" + ");
  }
  const [panel, row, ...more] = where;
  return CELLS[name](matrixOf(matrices, panel), row, ...more);
}

/**
 * The lines with their places filled in, by where they stand; of each the first whose condition holds.
 * @param {Lines} said
 * @param {Matrices} matrices
 * @returns {Map<string, string>}
 */
export function filled({ lines, places }, matrices) {
  const made = Object.entries(lines).map(([where, cases]) => {
    const [, parts] = cases.find(
      ([when]) => !when || settled(cellOf(matrixOf(matrices, when[0]), when[1], when[2])) >= when[3],
    ) ?? [null, []];
    const texts = parts.map((part) => (typeof part === "number" ? textOf(matrices, places[part]) : part));
    return /** @type {[string, string]} */ ([where, texts.join("")]);
  });
  return new Map(made);
}

/** Writes lines where they stand: in controls of ipywidgets, which Python writes to as well. */
export class LineWriter {
  /** @param {Element} root of the view */
  constructor(root) {
    this.root = root;
    /** @type {Map<string, { line: string, first: Node | null }>} what was written, and the node that it made */
    this.written = new Map();
    this.holder = new Holder();
  }

  /**
   * @param {Lines | undefined} said
   * @param {Matrices} matrices
   */
  write(said, matrices) {
    if (!said?.lines) return;
    const box = this.root.closest(".attention-keys");
    if (!box) return; // a view alone
    for (const [where, line] of filled(said, matrices)) {
      const node = box.querySelector(`.${where} .widget-html-content`);
      const before = this.written.get(where);
      if (!(node instanceof HTMLElement) || (before?.line === line && before.first === node.firstChild)) continue;
      this.holder.touch(node);
      writeInto(node, line); // written by Python, with the reader's words escaped
      this.written.set(where, { line, first: node.firstChild });
    }
  }

  stop() {
    this.holder.letGo();
  }
}
