// A closed strip shows colours alone (see labs.css): one small map in place of many cells, drawn in the frame of the
// large ones. Its cells follow once the hand rests, or when the strip opens: until then nobody sees them.

import { make } from "./page.js";
import { PixelMap, pixelOf } from "./pixels.js";

/** @import { PanelPicture } from "./panel_picture.js" */

const CELLS_AFTER = 600; // ms without a change, after which the cells follow
const OPEN = ":hover, :focus-within"; // as the style sheet opens a strip
const NOTHING = 0; // a pixel that is not painted
/** @type {Record<string, number>} in place of what a style sheet draws larger */
const SPECIAL = { "av-forbidden": pixelOf("#e4e4e4"), "av-broken": pixelOf("#8e1b16"), "av-blank": NOTHING };

export class PanelStrip {
  /** @param {PanelPicture} picture */
  constructor(picture) {
    this.picture = picture;
    this.frame = picture.frame;
    this.on = false; // whether the style sheet makes this panel a strip
    this.late = false; // whether the cells are behind the map
    /** @type {PixelMap | null} */
    this.map = null;
    this.colours = [NOTHING];
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    const { root } = this.frame;
    for (const event of ["pointerenter", "focusin"]) root.addEventListener(event, () => this.comeFirst());
    for (const event of ["pointerleave", "focusout"]) root.addEventListener(event, () => this.putBehind(false));
  }

  /** Opens: of two strips, one under the pointer and one with the focus, only that to which the hand came last. */
  comeFirst() {
    this.putBehind(this.on);
    this.catchUp();
  }

  /** @param {boolean} behind whether all others of the view stay closed */
  putBehind(behind) {
    const { root } = this.frame;
    for (const panel of root.closest(".attention-view")?.querySelectorAll("[data-panel]") ?? []) {
      panel.classList.toggle("av-behind", behind && panel !== root);
    }
  }

  /** Reads from the style sheet what the width of the page makes of the panel. */
  read() {
    const on = getComputedStyle(this.frame.root).getPropertyValue("--av-strip").trim() === "1";
    if (on === this.on) return;
    this.on = on;
    if (on) this.begin();
    else this.catchUp();
  }

  begin() {
    const { grid, nRows, nColumns, palette } = this.frame;
    grid.querySelector(".av-strip")?.remove();
    const canvas = make("canvas", "av-strip");
    canvas.setAttribute("aria-hidden", "true");
    grid.prepend(canvas);
    this.map = new PixelMap(canvas, nRows, nColumns);
    this.colours = palette[0].map(pixelOf);
    this.drawMap();
  }

  /** Whether what the style sheet draws over the map (hatching) has changed too. */
  drawMap() {
    const { picture, colours } = this;
    let covered = false;
    this.map?.draw((k) => {
      const value = picture.valueAt(k);
      const special = picture.specialOf(value);
      covered ||= special !== picture.shown[k].special;
      return SPECIAL[special] ?? colours[picture.colourOf(value)];
    });
    return covered;
  }

  /** Draws the map, and says whether the cells can wait. */
  draw() {
    if (!this.on) return false;
    if (this.drawMap() || this.frame.root.matches(OPEN)) return false;
    this.late = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.catchUp(), CELLS_AFTER);
    return true;
  }

  catchUp() {
    clearTimeout(this.timer);
    if (!this.late) return;
    this.late = false;
    this.picture.drawCells();
  }

  stop() {
    clearTimeout(this.timer);
  }
}
