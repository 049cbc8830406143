// What goes to Python: never more on the way than it can answer, the latest wins, and no edit is lost.

import { newId } from "./page.js";

/** @import { Ack, Message, Model } from "./types.js" */

export const IN_FLIGHT = 2; // messages on the way: two keep the line busy, more would build a backlog
export const PACE = 50; // ms between two messages of a drag whose consequences the page shows by itself
export const ASK_AFTER = 2000; // ms without an answer, after which the view asks what was heard
export const ASK_AT_MOST = 60000; // ms: each question that is not answered doubles the time to the next, up to this

// One message slot for each thing that can change; the latest of a slot replaces the one before.
export class Messenger {
  /**
   * @param {Pick<Model, "send">} model
   * @param {(silent: boolean) => void} onSilence told true where a question was not answered either, false at every answer
   */
  constructor(model, onSilence) {
    this.model = model;
    this.onSilence = onSilence;
    this.id = newId();
    this.sent = 0; // the number of the latest message
    /** @type {Map<string, Message>} slot -> content, to be sent */
    this.waiting = new Map();
    /** @type {Map<number, { slot: string, content: Message, replaced: boolean }>} by number, sent and not answered */
    this.underway = new Map();
    /** @type {Set<string>} slots whose messages leave no faster than the pace */
    this.paced = new Set();
    /** @type {Map<string, ReturnType<typeof setTimeout>>} those whose next message is to wait */
    this.resting = new Map();
    this.questions = 0; // asked since the last answer
    /** @type {ReturnType<typeof setTimeout> | null} */
    this.timer = null;
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
      for (const message of this.underway.values()) message.replaced ||= message.slot === slot;
      this.underway.set(this.send(content), { slot, content, replaced: false });
    }
    this.watch();
  }

  /** @param {Message} content */
  send(content) {
    const n = ++this.sent;
    content.view = this.id;
    content.n = n;
    this.model.send(content);
    return n;
  }

  // While an answer is due, a clock runs, from the last answer or question on; no new edit winds it back.
  watch() {
    if (!this.underway.size || this.timer !== null) return;
    const pause = Math.min(ASK_AFTER * 2 ** this.questions, ASK_AT_MOST);
    this.timer = setTimeout(() => this.ask(), pause);
  }

  stop() {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  // Messages or their answers may have been lost: Python says which it never heard, and how everything stands.
  ask() {
    this.stop();
    if (this.questions) this.onSilence(true);
    this.questions++;
    this.send({ do: "again", unanswered: [...this.underway.keys()] });
    this.watch();
  }

  /**
   * `n` is the message that is answered; `lost`, in the answer to a question, are those that were never heard.
   * @param {Ack} ack
   */
  acknowledge([view, n, , lost]) {
    if (view !== this.id) return;
    this.onSilence(false);
    if (lost) this.sendAgain(n, lost);
    else this.underway.delete(n);
    // Answers come in order: where an older one is missing, it will not come.
    const missing = [...this.underway.keys()].some((number) => number < n);
    if (!missing) {
      this.stop();
      this.questions = 0;
    } else if (!this.questions) this.ask();
    this.pump();
  }

  /**
   * Lost messages wait for their turn once more, unless something newer has taken their place.
   * @param {number} question
   * @param {number[]} lost
   */
  sendAgain(question, lost) {
    for (const [number, { slot, content, replaced }] of this.underway) {
      if (number > question) continue; // on its way since
      this.underway.delete(number);
      if (lost.includes(number) && !replaced && !this.waiting.has(slot)) this.waiting.set(slot, content);
    }
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
    return this.waiting.has(slot) || [...this.underway.values()].some((message) => message.slot === slot);
  }

  // The view goes: what still waits is sent, since nobody will be there to hear an answer.
  close() {
    this.stop();
    for (const slot of [...this.resting.keys()]) this.unpace(slot);
    for (const content of this.waiting.values()) this.send(content);
    this.waiting.clear();
  }
}
