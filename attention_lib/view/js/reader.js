// What stands in a place of a line, and what a condition asks for: read off matrices as `Written` of follow.py reads.
// A test holds the names of all functions to those of follow.py, and both to the same text.

import { fill, numberText } from "./page.js";

/** @import { At, Case, Matrix, NumberPlace, Place, Row, When } from "./types.js" */

const SHORT = 3; // decimals of a number in a calculation; zeros at its end are left out
const SHARE = 4; // decimals of a bar's length
const SETTLED = 9; // decimals after which nothing decides which of two numbers is larger
const SHOWN = 0.005; // smaller numbers read 0.00
const TIE = 1e-9; // numbers this close are called equal

/** @param {number} value */
const settled = (value) => Number(value.toFixed(SETTLED));

/** @param {number} value */
function short(value) {
  const text = numberText(value, SHORT);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** @param {number[]} line */
const largestOf = (line) => Math.max(...line);

/** @param {Matrix} matrix @param {number} row */
const rowOf = ({ values, columns }, row) => [...values.subarray(row * columns, (row + 1) * columns)];

/** @param {Matrix} matrix @param {number} column */
const columnOf = ({ values, rows, columns }, column) =>
  Array.from({ length: rows }, (_, i) => values[i * columns + column]);

/** @param {number} size @param {(k: number) => number[]} line */
const emptyOnes = (size, line) => Array.from({ length: size }, (_, k) => !line(k).some((value) => value !== 0));

/**
 * By name: what of a line is meant; of a whole matrix, which rows or columns.
 * @type {Record<string, (line: number[], matrix: Matrix) => boolean[]>}
 */
const PICKS = {
  on: (line) => line.map((value) => value !== 0),
  off: (line) => line.map((value) => value === 0),
  top: (line) => line.map((value) => value > largestOf(line) - TIE),
  shown: (line) => line.map((value) => settled(Math.abs(value)) >= SHOWN),
  "empty rows": (_, matrix) => emptyOnes(matrix.rows, (i) => rowOf(matrix, i)),
  "empty columns": (_, matrix) => emptyOnes(matrix.columns, (j) => columnOf(matrix, j)),
};

/**
 * By name: a number of which text says, or on which a condition hangs.
 * @type {Record<string, (read: Reader, ...where: any[]) => number>}
 */
const NUMBER_OF = {
  largest: (read, panel, row, columns) => {
    const line = read.line([panel, row, null]);
    return largestOf(columns ? line.filter((_, j) => columns.includes(j)) : line);
  },
  lead: (read, panel, row, columns) => {
    const others = read.line([panel, row, null]).filter((_, j) => !columns.includes(j));
    return NUMBER_OF.largest(read, panel, row, columns) - largestOf([0, ...others]);
  },
  lowest: (read, panel) => Math.min(...read.matrix(panel).values),
  highest: (read, panel) => Math.max(...read.matrix(panel).values),
  alike: (read, panel, digits) => {
    const [low, high] = [NUMBER_OF.lowest(read, panel), NUMBER_OF.highest(read, panel)];
    return Number(numberText(low, digits) === numberText(high, digits));
  },
  count: (read, pick, at) => read.picked(pick, at).filter(Boolean).length,
  apart: (read, one, other) => {
    const beside = read.line(other);
    return largestOf(read.line(one).map((value, k) => Math.abs(value - beside[k])));
  },
  least: (read, ...numbers) => Math.min(...numbers.map((number) => read.number(number))),
  told: (read, number, digits) => Number(numberText(read.number(number), digits).replace("−", "-")),
  rounding: (read, ...lines) => {
    const numbers = lines.flatMap((line) => read.line(line));
    return largestOf(numbers.map((number) => Math.abs(Number(short(number).replace("−", "-")) - number)));
  },
  changed: (read, ...before) => {
    /** @param {[panel: string, was: number[][]]} one */
    const differ = ([panel, was]) => {
      const all = was.flat();
      return read.matrix(panel).values.filter((value, k) => Math.abs(value - all[k]) > TIE).length;
    };
    return before.reduce((sum, one) => sum + differ(one), 0);
  },
  held: (read, ...conditions) => conditions.filter((when) => read.holds(when)).length,
};

/**
 * By name: what stands in a place.
 * @type {Record<string, (read: Reader, ...where: any[]) => string>}
 */
const TEXT_OF = {
  number: (read, panel, row, column, digits) => numberText(read.cell(panel, row, column), digits),
  value: (read, number, digits) => numberText(read.number(number), digits),
  short: (read, panel, row, column) => short(read.cell(panel, row, column)),
  exp: (read, panel, row, column) => short(Math.exp(read.cell(panel, row, column))),
  exps: (read, panel, row) => short(read.line([panel, row, null]).reduce((sum, value) => sum + Math.exp(value), 0)),
  row: (read, panel, row) => `[${read.line([panel, row, null]).map(short).join(", ")}]`,
  products: (read, one, other) => {
    const beside = read.line(other);
    return read
      .line(one)
      .map((value, k) => `${short(value)}·${short(beside[k])}`)
      .join(" + ");
  },
  share: (read, panel, row, column) =>
    numberText(read.cell(panel, row, column) / (largestOf(read.line([panel, row, null])) || 1), SHARE),
  most: (read, panel, row, digits) => numberText(largestOf(read.line([panel, row, null])), digits),
  rank: (read, panel, row, column) => {
    const line = read.line([panel, row, null]).map(settled);
    return String(1 + line.filter((value) => value > line[column]).length);
  },
  named: (read, row, names) => names[read.rowAt(row) ?? 0],
  of_least: (read, names, ...numbers) => {
    const found = numbers.map((number) => settled(read.number(number)));
    return names[found.indexOf(Math.min(...found))];
  },
  listed: (read, pick, at, names, part, between, values, falling) => {
    const line = values ? read.line(values) : [];
    const picked = [...read.picked(pick, at).keys()].filter((k) => read.picked(pick, at)[k]);
    if (falling) picked.sort((a, b) => settled(line[b]) - settled(line[a]));
    return picked.map((k) => fill(part, { name: names[k], value: numberText(line[k] ?? 0, 2) })).join(between);
  },
  choose: (read, ...cases) => {
    const [, parts] = /** @type {Case[]} */ (cases).find(([when]) => read.holds(when)) ?? [[], []];
    return read.text(parts);
  },
};

/** The names of all that can stand in a place, and of all that a number can be: those of follow.py. */
export const FUNCTIONS = { places: Object.keys(TEXT_OF), numbers: Object.keys(NUMBER_OF) };

export class Reader {
  /**
   * @param {Map<string, Matrix>} matrices
   * @param {Place[]} places what the numbers in a line stand for
   * @param {number | null} edited the row of the last edit
   */
  constructor(matrices, places, edited = null) {
    this.matrices = matrices;
    this.places = places;
    this.edited = edited;
  }

  /** @param {string} name */
  matrix(name) {
    const matrix = this.matrices.get(name);
    if (!matrix) throw new Error(`a line needs ${name}`);
    return matrix;
  }

  /** @param {Row} row */
  rowAt(row) {
    return Array.isArray(row) ? (this.edited ?? row[1]) : row;
  }

  /** @param {string} panel @param {number} row @param {number} column */
  cell(panel, row, column) {
    const { values, columns } = this.matrix(panel);
    return values[row * columns + column];
  }

  /**
   * A row, or a column where there is none; one cell where there are both, all where there is neither.
   * @param {At} at
   */
  line([panel, row, column]) {
    const matrix = this.matrix(panel);
    const at = this.rowAt(row);
    if (at !== null) return column === null ? rowOf(matrix, at) : [rowOf(matrix, at)[column]];
    return column === null ? [...matrix.values] : columnOf(matrix, column);
  }

  /** @param {string} pick @param {At} at */
  picked(pick, at) {
    return PICKS[pick](this.line(at), this.matrix(at[0]));
  }

  /** @param {NumberPlace} number */
  number([name, ...where]) {
    return NUMBER_OF[name](this, ...where);
  }

  /** @param {When} when */
  holds(when) {
    return when.every(([number, low, high]) => {
      const value = settled(this.number(number));
      return (low === null || value >= low) && (high === null || value <= high);
    });
  }

  /** @param {(string | number)[]} parts */
  text(parts) {
    /** @param {Place} place */
    const textOf = ([name, ...where]) => TEXT_OF[name](this, ...where);
    return parts.map((part) => (typeof part === "number" ? textOf(this.places[part]) : part)).join("");
  }

  /** @param {Record<string, (string | number)[]>} lines @returns {Record<string, string>} */
  texts(lines) {
    return Object.fromEntries(Object.entries(lines).map(([where, parts]) => [where, this.text(parts)]));
  }
}
