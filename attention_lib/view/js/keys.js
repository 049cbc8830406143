// What a box of controls needs on the page: its keys for itself, its language, names for its controls, words
// after a change, and results that wait for an answer.
// Keys pressed on a lab's buttons, menus and sliders are the lab's: `x` on a button does not cut the notebook's cell.
// JupyterLab asks the focused element itself whether it keeps its keys, so each is marked when it gets the focus.

import { Copier } from "./copy.js";
import { askForHangul } from "./hangul.js";
import { keepMenus } from "./menus.js";
import { nameControls } from "./names.js";
import { keepKeys, letCombinationsPass, make } from "./page.js";
import { Answer, watchMarks } from "./reveal.js";
import { Speaker } from "./speaker.js";
import { Toolbars } from "./toolbars.js";

/** @import { View } from "./types.js" */

const BOX = ".attention-keys";
const CONTROLS = "button, select, input, .noUi-target"; // of a slider the box around its handle
const GONE = "jupyter-widgets-disconnected"; // ipywidgets gives it to every widget whose kernel is gone
const OFF = "attention-off"; // what is switched off here, and not by Python
const LOOK_EVERY = 80; // ms: in a drag lines change in each frame, controls do not

/** @param {Event} event */
function inLab(event) {
  return event.target instanceof HTMLElement && event.target.closest(BOX) !== null;
}

/** @param {FocusEvent} event */
function mark(event) {
  if (inLab(event)) keepKeys(/** @type {HTMLElement} */ (event.target));
}

/**
 * Controls whose kernel is gone are switched off: otherwise a menu moves, and nothing around it follows.
 * @param {Element} box of controls
 */
function switchOff(box) {
  const off = box.classList.contains(GONE);
  for (const control of box.querySelectorAll(off ? CONTROLS : `.${OFF}`)) {
    if (off && control.hasAttribute("disabled")) continue;
    control.toggleAttribute("disabled", off);
    control.classList.toggle(OFF, off);
  }
}

/**
 * A control that is switched off while it has the focus loses it to nobody, and the notebook's keys with it:
 * the cell takes it, so that Shift+Enter goes on.
 * @param {EventTarget | null} reached the control that had the focus last
 */
function giveBack(reached) {
  if (!(reached instanceof HTMLElement) || !reached.matches(":disabled")) return reached;
  const now = document.activeElement;
  if (now !== reached && now !== document.body) return null;
  /** @type {HTMLElement | null} */
  const cell = reached.closest(".jp-Cell");
  cell?.focus({ preventScroll: true });
  return null;
}

/**
 * Enter on a choice commits it, as Enter in a box of numbers does.
 * @param {KeyboardEvent} event
 */
function commitByEnter(event) {
  const { target, currentTarget: box } = event;
  const isPlain = !(event.shiftKey || event.ctrlKey || event.altKey || event.metaKey);
  if (event.key !== "Enter" || !isPlain || !(target instanceof Element) || !(box instanceof Element)) return;
  if (!target.matches("input[type=radio]")) return;
  const commit = box.querySelector("button.mod-primary");
  if (commit instanceof HTMLElement) commit.click();
  event.preventDefault();
}

/** @param {KeyboardEvent} event */
function pass(event) {
  if (inLab(event)) letCombinationsPass(event);
}

export default {
  /** @param {View} view */
  render({ model, el }) {
    el.classList.add("attention-keeper");
    if (!el.closest(`.${GONE}`)) askForHangul(model, () => model.send({ do: "font" }));
    const stopWatching = watchMarks(model.get("_words"));
    document.addEventListener("focusin", mark);
    document.addEventListener("keydown", pass, true);
    document.addEventListener("keyup", pass, true);
    /** @type {MutationObserver | undefined} */
    let observer;
    /** @type {MutationObserver | undefined} */
    let life;
    /** @type {Copier | undefined} */
    let copier;
    /** @type {Toolbars | undefined} */
    let toolbars;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    /** @type {EventTarget | null} */
    let reached = null;
    // What stands in the box is made before it is put there: a frame before, and on a busy page many.
    let frame = 0;
    const begin = () => {
      const box = el.closest(BOX);
      if (!(box instanceof HTMLElement)) {
        frame = requestAnimationFrame(begin);
        return;
      }
      box.lang = model.get("_lang");
      const spoken = make("div", "attention-spoken", el);
      spoken.setAttribute("aria-live", "polite");
      const speaker = new Speaker(box, spoken);
      for (const event of ["pointerdown", "keydown", "click", "input"]) {
        box.addEventListener(event, () => speaker.touch(), { capture: true, once: true });
      }
      copier = new Copier(box, (done) => model.send({ do: "copied", done }));
      toolbars = new Toolbars(box);
      const answer = new Answer(box);
      keepMenus(box);
      box.addEventListener("keydown", commitByEnter);
      box.addEventListener("click", () => {
        timer ??= setTimeout(look, LOOK_EVERY); // a switch may be on now
      });
      if (box.contains(document.activeElement)) reached = document.activeElement; // a hand was sooner
      box.addEventListener("focusin", (event) => {
        reached = event.target;
      });
      const look = () => {
        timer = undefined;
        reached = giveBack(reached);
        nameControls(box);
        switchOff(box);
        answer.look();
        copier?.look();
        toolbars?.look();
      };
      observer = new MutationObserver((changes) => {
        if (changes.every(({ target }) => el.contains(target))) return;
        timer ??= setTimeout(look, LOOK_EVERY);
        speaker.soon();
      });
      // ipywidgets writes a label as a child, and a control's tooltip as its title, at each change.
      observer.observe(box, {
        childList: true,
        subtree: true,
        attributes: true,
        attributeFilter: ["title", "aria-valuetext", "disabled"],
      });
      // Whether its kernel is there: only then, since classes change in each frame of a drag elsewhere.
      life = new MutationObserver(look);
      life.observe(box, { attributes: true, attributeFilter: ["class"] });
      look();
      speaker.soon();
    };
    frame = requestAnimationFrame(begin);
    return () => {
      cancelAnimationFrame(frame);
      observer?.disconnect();
      life?.disconnect();
      clearTimeout(timer);
      stopWatching();
      copier?.stop();
      toolbars?.stop();
    };
  },
};
