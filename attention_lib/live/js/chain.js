// What follows from what, calculated in the page: one evaluator for the chains that Python declares (see chain.py).
// It is held to attention_lib, to the printed digit, by a test; where the two differ, Python's answer stands.

/** @import { Matrix, Spec, Step } from "./types.js" */

// What is in bytes that Python sent, as a copy.
export const numbersOf = (bytes) =>
  new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));

/**
 * The panels of a view by name; their values are parts of `all`.
 * @param {Spec[]} specs
 * @returns {Map<string, Matrix>}
 */
export function panelsIn(specs, all) {
  const panels = new Map();
  let start = 0;
  for (const { name, rows, columns } of specs) {
    const end = start + rows.length * columns.length;
    panels.set(name, { rows: rows.length, columns: columns.length, values: all.subarray(start, end) });
    start = end;
  }
  return panels;
}

// The matrices of a chain that no panel shows, by name.
export function matricesOf(given) {
  const matrices = new Map();
  for (const [name, lines] of Object.entries(given)) {
    matrices.set(name, { rows: lines.length, columns: lines[0].length, values: Float64Array.from(lines.flat()) });
  }
  return matrices;
}

/** @returns {Matrix} */
const zeros = (rows, columns) => ({ rows, columns, values: new Float64Array(rows * columns) });

const each = (a, change) => ({ ...a, values: a.values.map(change) });

function matmul(a, b) {
  const product = zeros(a.rows, b.columns);
  for (let i = 0; i < a.rows; i++) {
    for (let j = 0; j < b.columns; j++) {
      let sum = 0;
      for (let k = 0; k < a.columns; k++) sum += a.values[i * a.columns + k] * b.values[k * b.columns + j];
      product.values[i * b.columns + j] = sum;
    }
  }
  return product;
}

function transpose(a) {
  const turned = zeros(a.columns, a.rows);
  for (let i = 0; i < a.rows; i++) {
    for (let j = 0; j < a.columns; j++) turned.values[j * a.rows + i] = a.values[i * a.columns + j];
  }
  return turned;
}

// Each row sums to 1; a row of nothing but -inf has no key to attend to, and becomes zeros.
function softmax(a) {
  const weights = zeros(a.rows, a.columns);
  for (let start = 0; start < a.values.length; start += a.columns) {
    const row = a.values.subarray(start, start + a.columns);
    const largest = Math.max(...row);
    if (largest === -Infinity) continue;
    const exps = row.map((score) => Math.exp(score - largest));
    const total = exps.reduce((sum, exp) => sum + exp, 0);
    for (let j = 0; j < a.columns; j++) weights.values[start + j] = exps[j] / total;
  }
  return weights;
}

// After how many layers of the same mask, b at most, each word has heard of each other; -inf where it has not.
function layers(mask, b) {
  const needed = each(mask, (allowed) => allowed || -Infinity);
  let reached = mask;
  for (let n = 2; n <= b.values[0]; n++) {
    reached = matmul(mask, each(reached, Math.sign));
    for (const [k, paths] of reached.values.entries()) if (paths && needed.values[k] < 0) needed.values[k] = n;
  }
  return needed;
}

const nthRow = (a, i) => a.values.slice(i * a.columns, (i + 1) * a.columns);

/** @type {Record<string, (a: Matrix, b: Matrix) => Matrix>} by name: what a step of chain.py does with its operands */
const OPERATIONS = {
  matmul,
  transpose,
  softmax,
  layers,
  divide: (a, b) => each(a, (value) => value / b.values[0]),
  row: (a, b) => ({ rows: 1, columns: a.columns, values: nthRow(a, b.values[0]) }),
  column: (a, b) => ({ rows: a.columns, columns: 1, values: nthRow(a, b.values[0]) }),
  add: (a, b) => each(a, (value, k) => value + b.values[k]),
  mask: (a, b) => each(a, (value, k) => (b.values[k] ? value : -Infinity)),
};

function operandOf(operand, known) {
  if (typeof operand === "number") return { rows: 1, columns: 1, values: Float64Array.of(operand) };
  const found = known.get(operand);
  if (!found) throw new Error(`the chain needs ${operand}`);
  return found;
}

// The names of all that follows from some matrices.
function following(chain, sources) {
  const reached = new Set(sources);
  const found = new Set();
  for (const [result, , ...operands] of chain) {
    if (!operands.some((name) => typeof name === "string" && reached.has(name))) continue;
    reached.add(result);
    found.add(result);
  }
  return found;
}

/**
 * Calculates what follows from `sources`; the matrices of `known` are as they stand, and stay as they are.
 * @param {Step[]} chain
 * @param {Map<string, Matrix>} known
 * @returns {Map<string, Matrix>} by name
 */
export function calculate(chain, known, sources) {
  const wanted = following(chain, sources);
  const all = new Map(known);
  for (const [result, operation, ...operands] of chain) {
    if (all.has(result) && !wanted.has(result)) continue; // nothing that it follows from has changed
    const [a, b] = operands.map((operand) => operandOf(operand, all));
    all.set(result, OPERATIONS[operation](a, b));
  }
  return new Map([...wanted].map((name) => [name, all.get(name)]));
}
