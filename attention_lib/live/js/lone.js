// Labs in a page without Python: each has its starts, the way back, and its view. The entry of the script of such pages.

import { Board } from "./board.js";
import { numbersOf, panelsIn } from "./chain.js";
import { LoneModel } from "./lone_model.js";
import { fill, make } from "./page.js";

/** @import { Lone, LoneData } from "./types.js" */

const PAGE_KEYS = { PageDown: "next", PageUp: "prev" };

const bytesOf = (text) => new DataView(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);

/** @returns {Map<string, Lone>} by name of the start */
function startsOf({ shared, starts }) {
  return new Map(starts.map((start) => [start.preset, { ...shared, ...start, _values: bytesOf(start._values) }]));
}

class LoneLab {
  /** @param {LoneData} data; `asked` is the start that the address names */
  constructor(root, data, asked) {
    this.root = root;
    this.messages = data.messages;
    this.starts = startsOf(data);
    this.model = new LoneModel(this.starts.get(asked) ?? [...this.starts.values()][0]);
    const controls = make("div", "lone-controls", root);
    const label = make("label", "", controls, data.labels.preset);
    this.menu = make("select", "", label);
    const changed = make("option", "", this.menu, data.labels.changed); // shown once it is so, and never chosen
    changed.value = "";
    changed.hidden = true;
    changed.disabled = true;
    for (const [name, start] of this.starts) make("option", "", this.menu, start.label).value = name;
    this.menu.addEventListener("change", () => {
      this.model.load(this.starts.get(this.menu.value), this.messages.loaded);
    });
    this.undo = make("button", "", controls, data.labels.undo);
    const reset = make("button", "", controls, data.labels.reset);
    this.undo.addEventListener("click", () => this.model.undo());
    reset.addEventListener("click", () => this.model.load(this.start, this.messages.reset));
    this.said = make("p", "lone-said", document.body); // in sight wherever the page is scrolled to, as the view's note is
    this.said.setAttribute("role", "status");
    this.gloss = make("p", "lone-gloss", root);
    this.model.on("change", () => this.follow());
    this.follow();
    this.board = new Board(this.model, make("div", "", root));
    document.body.append(this.board.note);
  }

  // The start that this state came from.
  get start() {
    return this.starts.get(this.model.state.preset);
  }

  // Says how many of the explorer's bars with a red line are past it, once one is.
  passed({ _highlight, _spec, _values }) {
    const name = _highlight.three ? "three" : "weight";
    const { values = [] } = panelsIn(_spec, numbersOf(_values)).get(name) ?? {};
    const marked = (_highlight[name] ?? []).map(([row]) => values[row]);
    const n = marked.filter((weight) => weight >= 0.5).length; // where the red line stands
    return n ? fill(this.messages.passed, { n, all: marked.length }) : "";
  }

  // Menu and look say what the state says.
  follow() {
    const { state } = this.model;
    this.said.textContent = state.said || this.passed(state);
    this.root.className = `lone-lab attention-theme ${state.classes.join(" ")}`;
    this.menu.value = state._values === this.start._values ? state.preset : "";
    this.undo.disabled = !this.model.past.length;
    this.gloss.textContent = state.gloss;
  }
}

// In a deck the page stands in a frame: the keys that turn pages are the deck's, and no cell hears them.
function turnPage(event) {
  const method = PAGE_KEYS[event.key];
  if (!method || parent === window) return;
  event.preventDefault();
  event.stopPropagation();
  parent.postMessage(JSON.stringify({ method }), "*");
}

// A label that is drawn before the page's letters are there can keep its boxes.
await Promise.allSettled([...document.fonts].map((face) => face.load()));
const data = JSON.parse(document.getElementById("lone-data")?.textContent ?? "{}");
new LoneLab(document.getElementById("lone-lab"), data, location.hash.slice(1));
document.addEventListener("keydown", turnPage, true);
document.documentElement.classList.toggle("lone-framed", parent !== window);
