// What Python draws anew glides to its place, its hands can be turned, and its buttons pressed: see drawing.py.

import { KEEPS_KEYS, make } from "./page.js";

const QUICK = 300; // ms between two drawings of a drag, which do not glide

// Make one tree like another, and keep its elements: only what stays can move.
export function become(old, next) {
  if (old.nodeName !== next.nodeName || old.childNodes.length !== next.childNodes.length) {
    old.replaceWith(next);
    return;
  }
  if (old.nodeValue !== next.nodeValue) old.nodeValue = next.nodeValue;
  if (old instanceof Element && next instanceof Element) {
    for (const { name } of [...old.attributes]) {
      // What has the focus keeps the mark that its keys are not JupyterLab's.
      if (!next.hasAttribute(name) && name !== KEEPS_KEYS) old.removeAttribute(name);
    }
    for (const { name, value } of next.attributes) {
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
  }
  const children = [...next.childNodes];
  for (const [i, child] of [...old.childNodes].entries()) become(child, children[i]);
}

// How far a hand was turned from one angle to another, the short way.
export function turnedBy(from, to) {
  const turn = (to - from) % (2 * Math.PI);
  return turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI));
}

// A hand in the reader's hand: its number, and how far it was turned, or drawn to the side where there is no rim.
class Turning {
  constructor(grip, event) {
    const svg = grip.ownerSVGElement;
    const rim = svg.querySelector(".rim")?.getBoundingClientRect();
    this.middle = rim && { x: rim.left + rim.width / 2, y: rim.top + rim.height / 2 };
    const { drag = "", speed, most, value } = grip.dataset;
    this.name = drag;
    this.gesture = `${drag} ${event.timeStamp}`;
    // Radians, or pixels, for each step of the number.
    this.speed = Number(speed) * (rim ? 1 : svg.getBoundingClientRect().width / svg.viewBox.baseVal.width);
    this.most = Number(most);
    this.exact = Number(value); // the hand is here, and its number is the nearest whole one
    this.place = this.placeOf(event);
  }

  get value() {
    return Math.round(this.exact);
  }

  placeOf({ clientX, clientY }) {
    return this.middle ? Math.atan2(this.middle.y - clientY, clientX - this.middle.x) : clientX;
  }

  follow(event) {
    const place = this.placeOf(event);
    const by = this.middle ? turnedBy(this.place, place) : place - this.place;
    if (this.speed) this.exact += by / this.speed;
    this.exact = Math.min(Math.max(this.exact, 0), this.most);
    this.place = place;
  }
}

function gripOf(target) {
  const grip = target instanceof Element ? target.closest("[data-drag]") : null;
  return grip instanceof SVGElement ? grip : null;
}

export function renderDrawing({ model, el }) {
  const root = make("div", "attention-drawing", el);
  let turning = null;
  let last = Number.NEGATIVE_INFINITY;

  // Hands follow at once: Python's answer may be on the way for long.
  const turn = () => {
    for (const hand of root.querySelectorAll("[data-with]")) {
      const { dataset, style } = /** @type {SVGElement} */ (hand);
      let angle = Number(dataset.angle);
      if (turning && String(dataset.with).split(" ").includes(turning.name)) {
        angle += (turning.exact - Number(dataset[`at_${turning.name}`])) * Number(dataset.speed);
      }
      style.setProperty("--angle", `${angle}rad`);
    }
  };
  const draw = () => {
    const now = performance.now();
    root.classList.toggle("is-quick", turning !== null || now - last < QUICK);
    last = now;
    const next = make("div", root.className);
    next.innerHTML = model.get("_markup");
    const same = root.childNodes.length === next.childNodes.length;
    if (same) become(root, next);
    else root.replaceChildren(...next.childNodes);
    turn();
  };
  const tell = (name, value, gesture) => {
    model.set("_hand", [name, value, gesture]);
    model.save_changes();
  };

  // A finger on a hand does not scroll: the style alone cannot say so of a part of an SVG.
  root.addEventListener("touchstart", (event) => gripOf(event.target) && event.preventDefault(), { passive: false });
  root.addEventListener("pointerdown", (event) => {
    const grip = gripOf(event.target);
    if (!grip) return;
    turning = new Turning(grip, event);
    root.setPointerCapture(event.pointerId);
    event.preventDefault();
    tell(turning.name, turning.value, turning.gesture);
  });
  root.addEventListener("pointermove", (event) => {
    if (!turning) return;
    const before = turning.value;
    turning.follow(event);
    root.classList.add("is-quick");
    if (turning.value !== before) tell(turning.name, turning.value, turning.gesture);
    turn();
  });
  for (const end of ["pointerup", "pointercancel"]) {
    root.addEventListener(end, () => {
      if (turning) turning.exact = turning.value; // the hand comes to rest where its number is
      turn();
      turning = null;
    });
  }
  root.addEventListener("click", (event) => {
    const button = /** @type {Element} */ (event.target).closest("[data-press]");
    if (button) tell("press", Number(button.getAttribute("data-press")), `press ${event.timeStamp}`);
  });
  model.on("change:_markup", draw);
  draw();
  return () => model.off("change:_markup", draw);
}

export default { render: renderDrawing };
