// What is read out after a change: the goal, the headline or the verdict of a lab, once the hand rests.

const SAYS = ".lab-says";
const REST = 700; // ms without a change, after which words are read out

/** Puts what the lines of a box say anew where it is read out. */
export class Speaker {
  /**
   * @param {Element} box
   * @param {Element} spoken
   */
  constructor(box, spoken) {
    this.box = box;
    this.spoken = spoken;
    /** @type {WeakMap<Element, string>} */
    this.said = new WeakMap();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.touched = false; // by a hand; until then a line that gets its first words is still opening
  }

  touch() {
    this.touched = true;
  }

  /** The lines that say something other than before. What a line says when first seen is read in its place. */
  changed() {
    const changed = [];
    for (const line of this.box.querySelectorAll(SAYS)) {
      const text = (line.textContent ?? "").trim();
      const before = this.said.get(line);
      if (text !== before) this.said.set(line, text);
      const isFirst = before === undefined || (!before && !this.touched);
      if (text && !isFirst && text !== before) changed.push(text);
    }
    return changed;
  }

  soon() {
    for (const line of this.box.querySelectorAll(SAYS)) {
      if (!this.said.has(line)) this.said.set(line, (line.textContent ?? "").trim());
    }
    clearTimeout(this.timer);
    // By then more lines may have come: on a busy page a line gets its class long after it came.
    this.timer = setTimeout(() => this.speak(), REST);
  }

  speak() {
    const told = this.changed();
    if (told.length) this.spoken.textContent = told.join(" ");
  }
}
