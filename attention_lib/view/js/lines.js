// Lines around a view that follow its numbers: Python wrote them, with places (see follow.py); the page fills these in.

import { Holder, writeInto } from "./line_nodes.js";
import { Reader } from "./reader.js";

/** @import { Lines, Marks, Matrix } from "./types.js" */

/** @typedef {{ lines: Record<string, string>, captions: Record<string, string>, marks: Marks }} Filled */

/**
 * All that is said of some numbers: the lines by where they stand, the words under panels and the marked rows.
 * @param {Lines} said
 * @param {Map<string, Matrix>} matrices
 * @param {number | null} edited the row of the last edit
 * @returns {Filled}
 */
export function filled({ lines, captions, marks, places }, matrices, edited = null) {
  const read = new Reader(matrices, places, edited);
  /** @type {Marks} */
  const marked = {};
  for (const [panel, [pick, at]] of Object.entries(marks)) {
    const picked = read.picked(pick, at);
    marked[panel] = [...picked.keys()].filter((i) => picked[i]).map((i) => [i, null]);
  }
  return { lines: read.texts(lines), captions: read.texts(captions), marks: marked };
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

  /** @param {Record<string, string>} lines by the class of where they stand */
  write(lines) {
    const box = this.root.closest(".attention-keys");
    if (!box) return; // a view alone
    for (const [where, line] of Object.entries(lines)) {
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
