// The panels of a view that are not edited are one Tab stop: at the edge of one the arrow keys lead on to the next.
// A panel that is edited is a stop of its own.

/** @import { Panel } from "./panel.js" */

export class PanelRound {
  /** @param {Panel[]} panels of a view, in their order */
  constructor(panels) {
    this.panels = panels.filter(({ spec }) => !spec.editable);
    for (const panel of panels) if (panel.spec.editable) panel.hand.setStop(true);
    const first = this.panels.find(({ spec }) => spec.name === "weights") ?? this.panels[0];
    if (first) this.reach(first); // what all others lead to comes first
  }

  /**
   * Says how to get from one to the next, to those who hear it: in the element of this id.
   * @param {string} id
   */
  tell(id) {
    if (this.panels.length < 2) return;
    for (const { frame } of this.panels) {
      frame.grid.setAttribute("aria-describedby", `${frame.grid.getAttribute("aria-describedby")} ${id}`);
    }
  }

  /**
   * From now on Tab stops in this panel of the round.
   * @param {Panel} panel
   */
  reach(panel) {
    if (!this.panels.includes(panel) || panel.hand.isStop) return;
    for (const other of this.panels) other.hand.setStop(other === panel);
  }

  /**
   * From a cell at the edge of a panel to the next panel's edge, in the same row where there is one.
   * @param {Panel} panel
   * @param {1 | -1} by
   * @param {number} k
   */
  go(panel, by, k) {
    const at = this.panels.indexOf(panel);
    const next = at < 0 ? undefined : this.panels[at + by];
    if (!next) return;
    const { nRows, nColumns } = next.frame;
    const row = Math.min(panel.frame.placeOf(k).row, nRows - 1);
    next.hand.goTo(row * nColumns + (by > 0 ? 0 : nColumns - 1));
  }
}
