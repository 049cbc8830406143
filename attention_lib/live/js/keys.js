// What a box of controls needs on the page: its keys for itself, its language, names for its controls, words
// after a change, and results that wait for an answer.
// Keys pressed on a lab's buttons, menus and sliders are the lab's: `x` on a button does not cut the notebook's cell.
// JupyterLab asks the focused element itself whether it keeps its keys, so each is marked when it gets the focus.

import { listenToToolbars, listenToTracks, nameControls, Speaker, setStops } from "./controls.js";
import { CAUGHT_UP, IS_CAUGHT_UP, keepKeys, letCombinationsPass, make } from "./page.js";
import { Answer, watchMarks } from "./reveal.js";

const BOX = ".attention-keys";
const CONTROLS = "button, select, input, .noUi-target"; // of a slider the box around its handle
const GONE = "jupyter-widgets-disconnected"; // ipywidgets gives it to every widget whose kernel is gone
const LIVE = "attention-live"; // an output that shows a lab, and not its stored picture
const LOOK_EVERY = 80; // ms: in a drag lines change in each frame, controls do not

// No hand reaches controls whose kernel is gone: otherwise a menu moves, and nothing around it follows.
function switchOff(box) {
  const off = box.classList.contains(GONE);
  for (const control of box.querySelectorAll(CONTROLS)) control.toggleAttribute("inert", off);
}

// A control that is switched off while it has the focus, the last it was at, loses it to nobody, and the notebook's keys
// with it: the cell takes it, so that Shift+Enter goes on.
function giveBack(reached) {
  if (!(reached instanceof HTMLElement) || !reached.matches(":disabled, [inert], [inert] *")) return reached;
  const now = document.activeElement;
  if (now !== reached && now !== document.body) return null;
  /** @type {HTMLElement} */
  const cell = reached.closest(".jp-Cell");
  cell?.focus({ preventScroll: true });
  return null;
}

// Enter on a choice commits it, as Enter in a box of numbers does.
function commitByEnter(event) {
  const { target, currentTarget: box } = event;
  const isPlain = !(event.shiftKey || event.ctrlKey || event.altKey || event.metaKey);
  if (event.key !== "Enter" || !isPlain || !(target instanceof Element) || !(box instanceof Element)) return;
  if (!target.matches("input[type=radio]")) return;
  const commit = box.querySelector("button.mod-primary");
  if (commit instanceof HTMLElement) commit.click();
  event.preventDefault();
}

// Ctrl+Z and Ctrl+Y, or Shift+Ctrl+Z, are a lab's Undo and Redo, except where somebody types. Ctrl+A does nothing:
// in JupyterLab it would select all cells of the notebook.
// Heard at the window: JupyterLab hears its own keys at the document, and passes nothing on.
function undoByKey(box, event) {
  const { key, target } = event;
  const isMeant = (event.ctrlKey || event.metaKey) && !event.altKey && /^[zya]$/i.test(key);
  if (!isMeant || !(target instanceof Element) || !box.contains(target) || target.matches("input")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (/a/i.test(key)) return;
  const [undo, redo] = box.querySelectorAll(".lab-tools button");
  const button = event.shiftKey || /y/i.test(key) ? redo : undo;
  if (button instanceof HTMLElement) button.click();
}

// Undo after an edit waits until Python has answered the edit: while a kernel is busy, ipywidgets holds the edit back,
// and a click would come before it.
function waitForEdits(box, event) {
  const button = event.target instanceof Element && event.target.closest(".lab-tools button");
  const view = box.querySelector(".attention-view");
  if (!(button instanceof HTMLElement) || !view) return;
  if (view.dispatchEvent(new Event(IS_CAUGHT_UP, { cancelable: true }))) return;
  event.stopImmediatePropagation();
  view.addEventListener(CAUGHT_UP, () => button.click(), { once: true });
}

// All that one box of controls needs.
class Keeper {
  constructor(box, { model, el }) {
    this.box = box;
    this.reached = null; // the control that had the focus last
    this.timer = undefined;
    box.lang = model.get("_lang");
    const spoken = make("div", "attention-spoken", el);
    spoken.setAttribute("aria-live", "polite");
    this.speaker = new Speaker(box, spoken);
    listenToToolbars(box);
    listenToTracks(box);
    this.answer = new Answer(box);
    // The lab's own output: the words of its stored picture, in the next one, are hidden while the lab is here.
    this.output = box.matches(".attention-lab") ? box.closest(".jp-OutputArea-child") : null;
    this.output?.classList.add(LIVE);
    for (const event of ["pointerdown", "keydown", "click", "input"]) {
      box.addEventListener(event, () => this.speaker.touch(), { capture: true, once: true });
    }
    box.addEventListener("keydown", letCombinationsPass, true);
    box.addEventListener("keyup", letCombinationsPass, true);
    box.addEventListener("keydown", commitByEnter);
    this.undo = (event) => undoByKey(box, event);
    window.addEventListener("keydown", this.undo, true);
    box.addEventListener("click", (event) => waitForEdits(box, event), true);
    box.addEventListener("click", () => this.lookSoon()); // a switch may be on now
    box.addEventListener("focusin", (event) => this.reach(event.target));
    if (box.contains(document.activeElement)) this.reach(document.activeElement); // a hand was sooner
    this.observer = new MutationObserver((changes) => {
      if (changes.every(({ target }) => el.contains(target))) return;
      this.lookSoon();
      this.speaker.soon();
    });
    // ipywidgets writes a label as a child, and a control's tooltip as its title, at each change.
    const attributeFilter = ["title", "aria-valuetext", "disabled"];
    this.observer.observe(box, { childList: true, subtree: true, attributes: true, attributeFilter });
    // Whether its kernel is there: only then, since classes change in each frame of a drag elsewhere.
    this.life = new MutationObserver(() => this.look());
    this.life.observe(box, { attributes: true, attributeFilter: ["class"] });
    this.look();
  }

  reach(target) {
    this.reached = target;
    if (target instanceof HTMLElement) keepKeys(target);
  }

  lookSoon() {
    this.timer ??= setTimeout(() => this.look(), LOOK_EVERY);
  }

  look() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.reached = giveBack(this.reached);
    nameControls(this.box);
    switchOff(this.box);
    this.answer.look();
    setStops(this.box);
  }

  stop() {
    window.removeEventListener("keydown", this.undo, true);
    this.output?.classList.remove(LIVE);
    this.observer.disconnect();
    this.life.disconnect();
    clearTimeout(this.timer);
  }
}

export default {
  render({ model, el }) {
    el.classList.add("attention-keeper");
    const stopWatching = watchMarks(model.get("_words"));
    let keeper;
    // What stands in the box is made before it is put there: a frame before, and on a busy page many.
    let frame = 0;
    const begin = () => {
      const box = el.closest(BOX);
      if (box instanceof HTMLElement) keeper = new Keeper(box, { model, el });
      else frame = requestAnimationFrame(begin);
    };
    frame = requestAnimationFrame(begin);
    return () => {
      cancelAnimationFrame(frame);
      stopWatching();
      keeper?.stop();
    };
  },
};
