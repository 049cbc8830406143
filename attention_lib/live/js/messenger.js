// What the hand did and Python has not answered: one trait of the view, which the page sets. As with a slider, ipywidgets
// keeps one message on the way, and the latest wins.

import { newId } from "./page.js";

/** @import { Message } from "./types.js" */

export const PACE = 50; // ms between two messages: what follows from a hand the page shows by itself
export const SILENCE = 6000; // ms without an answer, after which the reader is told

// One slot for each thing that can change; the latest of a slot replaces the one before.
export class Messenger {
  // `onSilence` is told true where no answer has come for long, and false at every answer.
  constructor(model, onSilence) {
    this.model = model;
    this.onSilence = onSilence;
    this.id = newId();
    this.latest = 0; // the number of the latest message
    this.sent = 0; // and of the latest that was sent
    /** @type {Map<string, Message>} by slot, oldest first: what Python says of it till then is older than the hand */
    this.unanswered = new Map();
    this.rest = undefined; // while it runs, nothing leaves
    this.timer = undefined;
  }

  /** @param {Message} content */
  put(slot, content) {
    this.unanswered.delete(slot); // the latest counts last
    this.unanswered.set(slot, { ...content, n: ++this.latest });
    this.listen();
    if (this.rest === undefined) this.send();
  }

  // Sends what the hand did, and after a rest what it did meanwhile.
  send() {
    this.sent = this.latest;
    this.model.set("_hand", { view: this.id, acts: [...this.unanswered.values()] });
    this.model.save_changes();
    this.rest = setTimeout(() => {
      this.rest = undefined;
      if (this.sent < this.latest) this.send();
    }, PACE);
  }

  // The clock runs from the last answer on; no new edit winds it back.
  listen() {
    if (this.unanswered.size) this.timer ??= setTimeout(() => this.onSilence(true), SILENCE);
  }

  acknowledge([view, n]) {
    if (view !== this.id) return;
    for (const [slot, message] of this.unanswered) if (Number(message.n) <= n) this.unanswered.delete(slot);
    clearTimeout(this.timer);
    this.timer = undefined;
    this.onSilence(false);
    this.listen();
  }

  close() {
    if (this.sent < this.latest) this.send();
    clearTimeout(this.rest);
    clearTimeout(this.timer);
  }
}
