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
    /** @type {WeakSet<Element>} areas */
    this.observed = new WeakSet();
    box.addEventListener("click", (event) => this.onClick(event), true);
  }

  /** @param {Event} event */
  onClick(event) {
    this.pressed ||= event.target instanceof Element && event.target.closest(SWITCH) !== null;
    this.pointed = event instanceof MouseEvent && event.detail > 0;
  }

  /** Areas come to the page after the box. */
  look() {
    for (const area of this.box.querySelectorAll(AREA)) {
      if (this.observed.has(area)) continue;
      this.observed.add(area);
      const observer = new MutationObserver(() => this.opened(/** @type {HTMLElement} */ (area)));
      observer.observe(area, { attributes: true, attributeFilter: ["style"] });
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
}
