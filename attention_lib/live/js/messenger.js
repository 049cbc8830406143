// What goes to Python: never more on the way than it can answer, and the latest wins.

import { newId } from "./page.js";

/** @import { Ack, Message, Model } from "./types.js" */

export const IN_FLIGHT = 2; // messages on the way: two keep the line busy, more would build a backlog
export const PACE = 50; // ms between two messages of a drag whose consequences the page shows by itself
export const SILENCE = 6000; // ms without an answer, after which the reader is told and the next message goes anyway

// One message slot for each thing that can change; the latest of a slot replaces the one before.
export class Messenger {
  /**
   * @param {Pick<Model, "send">} model
   * @param {(silent: boolean) => void} onSilence told true where no answer has come for long, false at every answer
   */
  constructor(model, onSilence) {
    this.model = model;
    this.onSilence = onSilence;
    this.id = newId();
    this.sent = 0; // the number of the latest message
    /** @type {Map<string, Message>} slot -> content, to be sent */
    this.waiting = new Map();
    /** @type {Map<number, [slot: string, content: Message]>} by number, sent and not answered */
    this.underway = new Map();
    /** @type {ReturnType<typeof setTimeout> | undefined} while it runs, nothing of a drag leaves */
    this.rest = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /**
   * @param {string} slot
   * @param {Message} content
   * @param {boolean} [isPaced] whether it may wait a little after the one before; `hurry` ends that
   */
  put(slot, content, isPaced = false) {
    this.waiting.set(slot, content);
    if (!isPaced) this.hurry();
    else if (this.rest === undefined) this.pace();
  }

  pace() {
    this.rest = setTimeout(() => {
      this.rest = undefined;
      if (this.waiting.size) this.pace();
    }, PACE);
    this.pump();
  }

  // The hand has let go, or does something else: what waits leaves at once.
  hurry() {
    clearTimeout(this.rest);
    this.rest = undefined;
    this.pump();
  }

  pump() {
    for (const [slot, content] of this.waiting) {
      if (this.underway.size >= IN_FLIGHT) break;
      this.waiting.delete(slot);
      this.underway.set(this.send(content), [slot, content]);
    }
    // The clock runs from the last answer on; no new edit winds it back.
    if (this.underway.size) this.timer ??= setTimeout(() => this.giveUp(), SILENCE);
  }

  /** @param {Message} content */
  send(content) {
    const n = ++this.sent;
    this.model.send({ ...content, view: this.id, n });
    return n;
  }

  // A busy kernel answers later, and one that is gone never does: nothing waits for it.
  giveUp() {
    this.timer = undefined;
    this.onSilence(true);
    this.underway.clear();
    this.pump();
  }

  /** @param {Ack} ack */
  acknowledge([view, n]) {
    if (view !== this.id) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.onSilence(false);
    for (const number of [...this.underway.keys()]) if (number <= n) this.underway.delete(number); // they come in order
    if (this.rest === undefined) this.pump();
  }

  /** What Python has not answered, oldest first: what it says of that till then is older than the hand. */
  get unanswered() {
    return [...this.underway.values(), ...this.waiting];
  }

  /** @param {string} slot */
  expects(slot) {
    return this.unanswered.some(([name]) => name === slot);
  }

  // The view goes: what still waits is sent, since nobody will be there to hear an answer.
  close() {
    for (const content of this.waiting.values()) this.send(content);
    this.waiting.clear();
    clearTimeout(this.timer);
    clearTimeout(this.rest);
  }
}
