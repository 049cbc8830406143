// "Show as code" copies: what opens on a press goes to the clipboard. A press by keys brings it into sight too; under a
// pointer the page stays where it is, so that a second press at the same place closes what the first has opened.

const SWITCH = ".lab-code-switch";
const AREA = ".lab-code";

/** @param {HTMLTextAreaElement} field */
async function copied(field) {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    field.focus({ preventScroll: true }); // no secure page, or not allowed: the lines are selected, and an older way is tried
    field.select();
    return document.execCommand("copy");
  }
}

export class Copier {
  /**
   * @param {Element} box
   * @param {(done: boolean) => void} tell
   */
  constructor(box, tell) {
    this.box = box;
    this.tell = tell;
    this.pressed = false; // by a hand: what Python opens is not copied
    this.pointed = false; // by a pointer, not by a key
    /** @type {Map<Element, MutationObserver>} */
    this.observers = new Map();
    this.onClick = (/** @type {Event} */ event) => {
      this.pressed ||= event.target instanceof Element && event.target.closest(SWITCH) !== null;
      this.pointed = event instanceof MouseEvent && event.detail > 0;
    };
    box.addEventListener("click", this.onClick, true);
  }

  /** Areas come to the page after the box. */
  look() {
    for (const area of this.box.querySelectorAll(AREA)) {
      if (this.observers.has(area)) continue;
      const observer = new MutationObserver(() => this.opened(/** @type {HTMLElement} */ (area)));
      observer.observe(area, { attributes: true, attributeFilter: ["style"] });
      this.observers.set(area, observer);
    }
  }

  /** @param {HTMLElement} area */
  async opened(area) {
    const field = area.querySelector("textarea");
    if (!this.pressed || !field || area.style.display === "none") return;
    this.pressed = false;
    if (!this.pointed) area.scrollIntoView({ block: "nearest", inline: "start" });
    this.tell(await copied(field));
  }

  stop() {
    for (const observer of this.observers.values()) observer.disconnect();
    this.box.removeEventListener("click", this.onClick, true);
  }
}
