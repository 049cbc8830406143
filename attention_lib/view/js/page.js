// What every view uses: elements, and numbers as Python writes them.

const MINUS = "\u2212";

function make(tag, className, parent, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  if (parent) parent.appendChild(node);
  return node;
}

// Rounds as Python does, so that page, print and still picture agree: a tie goes to the even digit.
// v lies midway between two roundings exactly where v * 2^(digits + 1) is an odd integer.
export function numberText(v, digits) {
  if (v === -Infinity) return MINUS + "∞";
  if (v === Infinity) return "∞";
  if (Number.isNaN(v)) return "NaN";
  const size = Math.abs(v);
  let text = size.toFixed(digits);
  if (Math.abs((size * 2 ** (digits + 1)) % 2) === 1) {
    const below = Math.floor(size * 10 ** digits);
    text = ((below % 2 ? below + 1 : below) / 10 ** digits).toFixed(digits);
  }
  return v < 0 && Number(text) !== 0 ? MINUS + text : text;
}

// What a reader types: 0.5, -0.5, −.5, 0,5. Anything else is null.
export function parseNumber(text) {
  const plain = text.trim().replace(/[\u2212\u2013]/g, "-").replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : null;
}

const fill = (template, parts) => template.replace(/\{(\w+)\}/g, (_, key) => parts[key]);

// A label's width in em: Hangul and other wide letters take a whole one.
const labelWidth = (text) => [...text].reduce((sum, c) => sum + (c > "\u1100" ? 1.0 : 0.6), 0);
