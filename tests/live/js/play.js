// Run by test_pages.py: plays edits on the states of a page, and writes what the page then holds and says.

import { readFileSync } from "node:fs";

import { edited } from "../../../attention_lib/live/js/lone_model.js";

const bytesOf = (text) => new DataView(Uint8Array.from(Buffer.from(text, "base64")).buffer);

function played({ start, edits }) {
  let state = { ...start, _values: bytesOf(start._values) };
  return edits.map((edit) => {
    state = edited(state, edit);
    const { _captions } = state;
    const values = Array.from(new Float64Array(state._values.buffer), String); // JSON has no infinity
    return { values, _captions };
  });
}

console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(played)));
