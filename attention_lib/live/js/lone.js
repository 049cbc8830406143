// Labs in a page without Python: each has its starts, the way back, and its view. The entry of the script of such pages.

import { Board } from "./board.js";
import { renderDrawing } from "./drawing.js";
import { LoneModel, numbersIn } from "./lone_model.js";
import { make } from "./page.js";

/** @import { Bytes, Edit, Handler, Lone, LoneData, Model } from "./types.js" */

const PAGE_KEYS = new Map([
  ["PageDown", "next"],
  ["PageUp", "prev"],
]);

/** @param {string} text @returns {Bytes} */
const bytesOf = (text) => new DataView(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);

/** @param {LoneData} data @returns {Map<string, Lone>} by name of the start */
function startsOf({ shared, starts }) {
  const made = starts.map((start) => {
    return /** @type {[string, Lone]} */ ([start.preset, { ...shared, ...start, _values: bytesOf(start._values) }]);
  });
  return new Map(made);
}

// A drawing here: its hands turn the numbers of a panel, and those numbers turn the hands.
const PANEL = "moves";
const NAMES = ["query", "key", "both"]; // of the hands, in the order of the panel's rows

/** Plays the model that anywidget hands to a drawing. */
class LoneDrawing {
  /**
   * @param {LoneModel} model
   * @param {HTMLElement} el
   */
  constructor(model, el) {
    this.model = model;
    this.el = el;
    renderDrawing({ model: /** @type {Model} */ (/** @type {unknown} */ (this)), el });
    this.turn();
  }

  get() {
    return this.model.state.drawing;
  }

  /** A hand was turned. @param {string} _name @param {[string, number, string]} turned */
  set(_name, [hand, value, gesture]) {
    const row = NAMES.indexOf(hand);
    this.model.answer(/** @type {Edit} */ ({ do: "edit", panel: PANEL, row, column: 0, value, gesture }));
  }

  save_changes() {}

  /** @param {string} _name @param {Handler} handler */
  on(_name, handler) {
    this.model.on("change:drawing", handler);
  }

  off() {}

  /** The hands point where the numbers of the panel say; what a dial is called says no number that has changed. */
  turn() {
    for (const svg of this.el.querySelectorAll("svg:has(.rim)")) {
      svg.setAttribute("aria-label", svg.querySelector(".quiet")?.textContent ?? "");
    }
    const numbers = numbersIn(this.model.state, PANEL);
    for (const hand of this.el.querySelectorAll("[data-with]")) {
      const { dataset, style } = /** @type {SVGElement} */ (hand);
      for (const name of String(dataset.with).split(" ")) {
        const number = numbers[NAMES.indexOf(name)];
        const moved = number - Number(dataset[`at_${name}`]);
        dataset.angle = String(Number(dataset.angle) + moved * Number(dataset.speed));
        dataset[`at_${name}`] = String(number);
      }
      dataset.value = String(numbers[NAMES.indexOf(String(dataset.drag))]);
      style.setProperty("--angle", `${dataset.angle}rad`);
    }
  }
}

class LoneLab {
  /**
   * @param {HTMLElement} root
   * @param {LoneData} data
   * @param {string} asked the start that the address names
   */
  constructor(root, data, asked) {
    this.root = root;
    this.messages = data.messages;
    this.starts = startsOf(data);
    const first = this.starts.get(asked) ?? [...this.starts.values()][0];
    this.model = new LoneModel(first, () => this.follow());
    const controls = make("div", "lone-controls", root);
    const label = make("label", "", controls, data.labels.preset);
    this.menu = make("select", "", label);
    const changed = make("option", "", this.menu, data.labels.changed); // shown once it is so, and never chosen
    changed.value = "";
    changed.hidden = true;
    changed.disabled = true;
    for (const [name, start] of this.starts) make("option", "", this.menu, start.label).value = name;
    this.menu.addEventListener("change", () => this.begin(this.menu.value));
    this.undo = make("button", "", controls, data.labels.undo);
    const reset = make("button", "", controls, data.labels.reset);
    for (const button of [this.undo, reset]) button.type = "button";
    this.undo.addEventListener("click", () => this.model.undo());
    reset.addEventListener("click", () => {
      this.model.reset();
      this.said.textContent = this.messages.reset;
    });
    this.said = make("p", "lone-said", controls);
    this.numbers = first._values;
    this.gloss = make("p", "lone-gloss", root);
    this.said.setAttribute("role", "status");
    this.drawing = first.drawing ? new LoneDrawing(this.model, make("div", "", root)) : null;
    this.follow();
    this.board = new Board(this.model, make("div", "", root));
  }

  /** @param {string} name */
  begin(name) {
    const start = this.starts.get(name);
    if (!start) return;
    this.model.load(start);
    this.said.textContent = this.messages.loaded;
  }

  // Menu and look say what the state says; a sentence about the last button goes with the next change.
  follow() {
    const { state } = this.model;
    if (state._values !== this.numbers) this.said.textContent = "";
    this.numbers = state._values;
    this.root.className = `lone-lab attention-theme ${state.classes.join(" ")}`;
    this.menu.value = state.touched ? "" : state.preset;
    this.undo.disabled = !this.model.past.length;
    this.gloss.textContent = state.gloss;
    this.drawing?.turn();
  }
}

// In a deck the page stands in a frame: the keys that turn pages are the deck's, and no cell hears them.
/** @param {KeyboardEvent} event */
function turnPage(event) {
  const method = PAGE_KEYS.get(event.key);
  if (!method || parent === window) return;
  event.preventDefault();
  event.stopPropagation();
  parent.postMessage(JSON.stringify({ method }), "*");
}

// A label that is drawn before the page's letters are there can keep its boxes.
await Promise.allSettled([...document.fonts].map((face) => face.load()));
const data = JSON.parse(document.getElementById("lone-data")?.textContent ?? "{}");
document.documentElement.dataset.attentionHangul = "here"; // the page has brought what it needs
new LoneLab(/** @type {HTMLElement} */ (document.getElementById("lone-lab")), data, location.hash.slice(1));
document.addEventListener("keydown", turnPage, true);
document.documentElement.classList.toggle("lone-framed", parent !== window);
