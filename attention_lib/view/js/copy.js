// "Show as code" copies: what opens on a press comes into sight and goes to the clipboard.

const SWITCH = ".lab-code-switch";
const AREA = ".lab-code";

/** @param {HTMLTextAreaElement} field */
async function copied(field) {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    field.focus(); // no secure page, or not allowed: the lines are selected, and an older way is tried
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
    /** @type {Map<Element, MutationObserver>} */
    this.observers = new Map();
    this.onClick = (/** @type {Event} */ event) => {
      this.pressed ||= event.target instanceof Element && event.target.closest(SWITCH) !== null;
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
    area.scrollIntoView({ block: "nearest" });
    this.tell(await copied(field));
  }

  stop() {
    for (const observer of this.observers.values()) observer.disconnect();
    this.box.removeEventListener("click", this.onClick, true);
  }
}
