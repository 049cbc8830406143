// A row of buttons, or of menus, is one Tab stop: within it the arrow keys lead on, as in toolbars everywhere.

const TOOLBAR = ".lab-toolbar";
const CONTROL = "button, select";

/** @typedef {HTMLButtonElement | HTMLSelectElement} Control */

/** @param {Element} bar */
function controlsOf(bar) {
  /** @type {NodeListOf<Control>} */
  const all = bar.querySelectorAll(CONTROL);
  return [...all].filter((control) => !control.disabled && control.checkVisibility());
}

export class Toolbars {
  /** @param {HTMLElement} box */
  constructor(box) {
    this.box = box;
    /** @type {WeakMap<Element, Control>} the control of a row that Tab reaches */
    this.reached = new WeakMap();
    box.addEventListener("focusin", (event) => this.reach(event.target));
    box.addEventListener("keydown", (event) => this.move(event), true); // before a menu takes the key for its own
  }

  /** Rows come to the page after the box, and their controls come, go and are switched off. */
  look() {
    for (const bar of this.box.querySelectorAll(TOOLBAR)) this.setStop(bar);
  }

  /** @param {Element} bar */
  setStop(bar) {
    const controls = controlsOf(bar);
    const before = this.reached.get(bar);
    const stop = before && controls.includes(before) ? before : controls[0];
    if (!stop) return;
    this.reached.set(bar, stop);
    bar.setAttribute("role", "toolbar");
    for (const control of bar.querySelectorAll(CONTROL))
      control.setAttribute("tabindex", control === stop ? "0" : "-1");
  }

  /** @param {EventTarget | null} target */
  reach(target) {
    const bar = target instanceof Element ? target.closest(TOOLBAR) : null;
    if (!bar || !(target instanceof HTMLButtonElement || target instanceof HTMLSelectElement)) return;
    this.reached.set(bar, target);
    this.setStop(bar);
  }

  /** @param {KeyboardEvent} event */
  move(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !(event.target instanceof Element)) return;
    const bar = event.target.closest(TOOLBAR);
    if (!bar) return;
    const controls = controlsOf(bar);
    const at = controls.indexOf(/** @type {Control} */ (event.target));
    /** @type {Record<string, number>} */
    const places = { ArrowLeft: at - 1, ArrowRight: at + 1 };
    const to = places[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    controls[to]?.focus();
  }
}
