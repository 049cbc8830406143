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
    /** @type {Map<number, string>} number -> slot, sent and not answered */
    this.underway = new Map();
    /** @type {Set<string>} slots whose messages leave no faster than the pace */
    this.paced = new Set();
    /** @type {Map<string, ReturnType<typeof setTimeout>>} those whose next message is to wait */
    this.resting = new Map();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /**
   * @param {string} slot
   * @param {Message} content
   * @param {boolean} [isPaced] whether it may wait a little after the last of its slot; `hurry` ends that
   */
  put(slot, content, isPaced = false) {
    this.waiting.set(slot, content);
    if (isPaced) this.paced.add(slot);
    else this.unpace(slot);
    this.pump();
  }

  // The hand has let go: what waits for its time leaves at once.
  hurry() {
    for (const slot of [...this.paced]) this.unpace(slot);
    this.pump();
  }

  /** @param {string} slot */
  unpace(slot) {
    this.paced.delete(slot);
    clearTimeout(this.resting.get(slot));
    this.resting.delete(slot);
  }

  /** @param {string} slot */
  rest(slot) {
    const ended = () => {
      this.resting.delete(slot);
      this.pump();
    };
    this.resting.set(slot, setTimeout(ended, PACE));
  }

  pump() {
    for (const [slot, content] of this.waiting) {
      if (this.underway.size >= IN_FLIGHT) break;
      if (this.resting.has(slot)) continue;
      if (this.paced.has(slot)) this.rest(slot);
      this.waiting.delete(slot);
      this.underway.set(this.send(content), slot);
    }
    // The clock runs from the last answer on; no new edit winds it back.
    if (this.underway.size) this.timer ??= setTimeout(() => this.giveUp(), SILENCE);
  }

  /** @param {Message} content */
  send(content) {
    const n = ++this.sent;
    content.view = this.id;
    content.n = n;
    this.model.send(content);
    return n;
  }

  // A busy kernel answers later, and one that is gone never does: nothing waits for it.
  giveUp() {
    this.stop();
    this.onSilence(true);
    this.underway.clear();
    this.pump();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** @param {Ack} ack */
  acknowledge([view, n]) {
    if (view !== this.id) return;
    this.stop();
    this.onSilence(false);
    for (const number of [...this.underway.keys()]) if (number <= n) this.underway.delete(number); // they come in order
    this.pump();
  }

  /**
   * Whether an edit is open: it is until Python has answered it.
   * @param {string} slot
   * @param {Message} content
   */
  open(slot, content) {
    return this.waiting.has(slot) || this.underway.has(content.n ?? 0);
  }

  /**
   * Whether Python has yet to answer something of this slot: what it says of it till then is older than the hand.
   * @param {string} slot
   */
  expects(slot) {
    return this.waiting.has(slot) || [...this.underway.values()].includes(slot);
  }

  // The view goes: what still waits is sent, since nobody will be there to hear an answer.
  close() {
    this.stop();
    for (const slot of [...this.resting.keys()]) this.unpace(slot);
    for (const content of this.waiting.values()) this.send(content);
    this.waiting.clear();
  }
}
