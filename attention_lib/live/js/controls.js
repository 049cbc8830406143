// What ipywidgets' controls lack: names for those who hear them, rows of buttons as one Tab stop, and words that are
// read out after a change.

import { newId } from "./page.js";

// -- names: ipywidgets gives a slider's handle none, and says of no switch whether it is on -------------

function give(node, name, value) {
  if (value && node.getAttribute(name) !== value) node.setAttribute(name, value);
}

// The choices of one question get one common name. Without it the browser does not know that they belong together:
// an arrow key on the last one would go on to the next question, or, in Firefox, do nothing.
function groupChoices(box) {
  for (const group of box.querySelectorAll(".widget-radio-box")) {
    const choices = group.querySelectorAll("input[type=radio]");
    // Drawn, not counted: each control brings a copy of this script.
    const name = choices[0]?.getAttribute("name") || `choices-${newId()}`;
    for (const choice of choices) give(choice, "name", name);
  }
}

export function nameControls(box) {
  groupChoices(box);
  for (const handle of box.querySelectorAll(".noUi-handle")) {
    const slider = handle.closest(".widget-slider");
    const label = slider?.querySelector(".widget-label")?.textContent?.trim() ?? "";
    give(handle, "aria-label", label);
    // A slider of steps says in its title what the reader sees; itself it knows its steps alone.
    const title =
      slider?.closest("[title]")?.getAttribute("title") ?? slider?.querySelector("[title]")?.getAttribute("title");
    if (title?.startsWith(`${label}: `)) give(handle, "aria-valuetext", title.slice(label.length + 2));
  }
  for (const field of box.querySelectorAll("input.widget-input")) {
    const label = field.closest(".jupyter-widgets")?.querySelector(".widget-label");
    if (!label?.textContent?.trim()) give(field, "aria-label", field.getAttribute("title") ?? "");
  }
  for (const button of box.querySelectorAll(".widget-toggle-button")) {
    button.setAttribute("aria-pressed", String(button.classList.contains("mod-active")));
  }
  for (const button of box.querySelectorAll(".lab-tools button")) {
    button.setAttribute("aria-disabled", String(button.classList.contains("leads-nowhere")));
  }
}

// -- toolbars: a row of buttons, or of menus, is one Tab stop; within it the arrow keys lead on ----------

const TOOLBAR = ".lab-toolbar";
const CONTROL = "button, select";

const barOf = (target) => (target instanceof Element ? target.closest(TOOLBAR) : null);

function controlsOf(bar) {
  const all = bar.querySelectorAll(CONTROL);
  return [...all].filter((control) => !control.disabled && control.checkVisibility());
}

// Tab is to reach the control `reached`; without one, the one that it reached before.
function setStop(bar, reached) {
  const controls = controlsOf(bar);
  const before = controls.find((control) => control.getAttribute("tabindex") === "0");
  const stop = controls.find((control) => control === reached) ?? before ?? controls[0];
  bar.setAttribute("role", "toolbar");
  for (const control of bar.querySelectorAll(CONTROL)) give(control, "tabindex", control === stop ? "0" : "-1");
}

// Rows come to the page after the box, and their controls come, go and are switched off.
export function setStops(box) {
  for (const bar of box.querySelectorAll(TOOLBAR)) setStop(bar);
}

// In a grid, which has columns, keys lead up and down and to its ends too, and press what they reach.
function moveInToolbar(event) {
  const bar = barOf(event.target);
  if (!bar || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const controls = controlsOf(bar);
  const at = controls.indexOf(event.target);
  const columns = Number(bar.getAttribute("data-columns"));
  const places = { ArrowLeft: at - 1, ArrowRight: at + 1 };
  const further = { ArrowUp: at - columns, ArrowDown: at + columns, Home: 0, End: controls.length - 1 };
  if (columns) Object.assign(places, further);
  if (at < 0 || !(event.key in places)) return;
  event.preventDefault();
  event.stopPropagation();
  const reached = controls[places[event.key]];
  reached?.focus();
  if (columns) reached?.click();
}

export function listenToToolbars(box) {
  box.addEventListener("focusin", ({ target }) => {
    const bar = barOf(target);
    if (bar) setStop(bar, target);
  });
  box.addEventListener("keydown", moveInToolbar, true); // before a menu takes the key for its own
}

// -- sliders: a press on the track moves the handle there, and then the handle follows the mouse -------------

export function listenToTracks(box) {
  const listen = ({ isTrusted, target, clientX, clientY }) => {
    const track = target.closest(".noUi-target");
    const handle = track?.querySelector(".noUi-handle");
    if (!isTrusted || !handle || handle.contains(target)) return;
    const press = { clientX, clientY, buttons: 1, bubbles: true };
    setTimeout(() => {
      // By now the slider has set its value. It glides there, and nothing can grab it until then: this ends the glide.
      track.classList.remove("noUi-state-tap");
      handle.focus({ preventScroll: true }); // so that the keys that follow are the lab's
      handle.firstElementChild.dispatchEvent(new MouseEvent("mousedown", press));
    });
  };
  box.addEventListener("mousedown", listen, true); // the slider lets no other listener hear it afterwards
}

// -- what is read out after a change: the goal, the headline or the verdict of a lab, once the hand rests --

const SAYS = ".lab-says";
const REST = 700; // ms without a change, after which words are read out

// Puts what the lines of a box say anew where it is read out.
export class Speaker {
  constructor(box, spoken) {
    this.box = box;
    this.spoken = spoken;
    this.said = undefined; // what was said before; until a hand has touched the box, it opens
    this.timer = undefined;
  }

  touch() {
    this.said ??= this.lines();
  }

  lines() {
    const lines = [...this.box.querySelectorAll(SAYS)];
    return new Map(lines.map((line) => [line, (line.textContent ?? "").trim()]));
  }

  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const before = this.said;
      if (!before) return;
      this.said = this.lines();
      const changed = [...this.said].filter(([line, text]) => text && text !== before.get(line));
      if (changed.length) this.spoken.textContent = changed.map(([, text]) => text).join(" ");
    }, REST);
  }
}
