// What a drag costs the page in lines of words: only the words that differ are written, and while they change in each
// frame a line is held in its size, so that nothing around it is laid out anew.

const HELD = 400; // ms without a change, after which a line takes the room that it needs

/**
 * Makes a node say what another says, and touches only what differs.
 * @param {Node} node
 * @param {Node} wanted
 */
function become(node, wanted) {
  if (node instanceof Text) {
    if (node.data !== wanted.nodeValue) node.data = wanted.nodeValue ?? "";
    return;
  }
  if (node instanceof Element && wanted instanceof Element) {
    for (const { name, value } of wanted.attributes) {
      if (node.getAttribute(name) !== value) node.setAttribute(name, value);
    }
  }
  const others = [...wanted.childNodes];
  for (const [k, child] of [...node.childNodes].entries()) become(child, others[k]);
}

/**
 * What a node is made of, without its words and the values of its attributes.
 * @param {Node} node
 * @returns {string}
 */
function build(node) {
  const names = node instanceof Element ? node.getAttributeNames().join() : "";
  return `${node.nodeName} ${names}(${[...node.childNodes].map(build)})`;
}

/**
 * @param {Element} node
 * @param {string} html
 */
export function writeInto(node, html) {
  const made = document.createElement("template");
  made.innerHTML = html;
  const inside = (/** @type {Node} */ one) => [...one.childNodes].map(build).join();
  if (node.firstChild && inside(node) === inside(made.content)) {
    const wanted = [...made.content.childNodes];
    for (const [k, child] of [...node.childNodes].entries()) become(child, wanted[k]);
  } else {
    node.replaceChildren(made.content);
  }
}

/** Holds lines that change in each frame in their size, until they rest. */
export class Holder {
  constructor() {
    /** @type {Map<HTMLElement, number>} when each was last written */
    this.written = new Map();
    /** @type {Set<HTMLElement>} */
    this.held = new Set();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /**
   * To be called before a line is written.
   * @param {HTMLElement} node
   */
  touch(node) {
    const now = performance.now();
    const last = this.written.get(node) ?? -Infinity;
    this.written.set(node, now);
    if (now - last > HELD) return; // one change alone
    if (!this.held.has(node)) this.hold(node);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.letGo(), HELD);
  }

  /** @param {HTMLElement} node */
  hold(node) {
    const { width, height } = node.getBoundingClientRect();
    node.style.setProperty("--line-width", `${width}px`);
    node.style.setProperty("--line-height", `${height}px`);
    node.parentElement?.classList.add("line-held"); // see keys.css
    this.held.add(node);
  }

  letGo() {
    clearTimeout(this.timer);
    for (const node of this.held) node.parentElement?.classList.remove("line-held");
    this.held.clear();
  }
}
