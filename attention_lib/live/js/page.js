// What every view uses: elements, keys, and numbers as Python writes them.

const MINUS = "\u2212";
export const IS_CAUGHT_UP = "av-is-caught-up"; // asks a view; one with edits that Python has not answered prevents it
export const CAUGHT_UP = "av-caught-up"; // what happens to a view when Python has answered all

export function make(tag, className, parent, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  if (parent) parent.appendChild(node);
  return node;
}

const GUARD = 6; // decimals beyond those shown, after which nothing decides a rounding

// Rounds as number_text of attention_lib/_numbers.py does, so that page and still picture agree.
// The last bits of a sum hang on the order in which a processor adds: they decide no digit. A tie goes to the even one:
// v lies midway between two roundings exactly where v * 2^(digits + 1) is an odd integer.
export function numberText(value, digits) {
  if (value === -Infinity) return `${MINUS}∞`;
  const v = Number(value.toFixed(digits + GUARD));
  const size = Math.abs(v);
  let text = size.toFixed(digits);
  if (Math.abs((size * 2 ** (digits + 1)) % 2) === 1) {
    const below = Math.floor(size * 10 ** digits);
    text = ((below % 2 ? below + 1 : below) / 10 ** digits).toFixed(digits);
  }
  return v < 0 && Number(text) !== 0 ? MINUS + text : text;
}

const THOUSANDS = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/; // as in _numbers.py

// What a reader types: 0.5, -0.5, −.5, 0,5, and 1,000 for a thousand. Anything else is null.
export function parseNumber(text) {
  const minus = text.trim().replace(/[\u2212\u2013]/g, "-");
  const plain = THOUSANDS.test(minus) ? minus.replaceAll(",", "") : minus.replace(",", ".");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) && Number.isFinite(Number(plain)) ? Number(plain) : null;
}

// A sentence of a message table with its places filled in.
export const fill = (template, parts) => template.replace(/\{(\w+)\}/g, (_, key) => String(parts[key]));

// A label's width in em: Hangul and other wide letters take a whole one. A gloss on a second line is small, and wraps.
export const labelWidth = (text) => [...text.split("\n")[0]].reduce((sum, c) => sum + (c > "\u1100" ? 1.0 : 0.6), 0);

// JupyterLab leaves the keys to the element that has the focus and this mark.
export const KEEPS_KEYS = "data-lm-suppress-shortcuts";

export function keepKeys(node) {
  node.setAttribute(KEEPS_KEYS, "true");
}

// Ctrl+S and the like still belong to the notebook: while Control or Meta is down, the mark is off.
export function letCombinationsPass(event) {
  if (event.key !== "Control" && event.key !== "Meta") return;
  const node = event.target;
  if (event.type === "keydown") node.removeAttribute(KEEPS_KEYS);
  else keepKeys(node);
}

// A name that no other view has, for its messages and the ids of its elements.
export const newId = () => Math.random().toString(36).slice(2);
