// What goes to Python: never more on the way than it can answer, the latest wins, and no edit is lost.

const IN_FLIGHT = 2; // messages on the way: two keep the line busy, more would build a backlog
const ASK_AFTER = 2000; // ms without an answer, after which the view asks what was heard
const ASK_AT_MOST = 60000; // ms: each question that is not answered doubles the time to the next, up to this

// One message slot for each thing that can change; the latest of a slot replaces the one before.
class Messenger {
  constructor(model, onSilence) {
    this.model = model;
    this.onSilence = onSilence; // told true where a question was not answered either, false at every answer
    this.id = Math.random().toString(36).slice(2);
    this.sent = 0; // the number of the latest message
    this.waiting = new Map(); // slot -> content, to be sent
    this.underway = new Map(); // number -> { slot, content, replaced }, sent and not answered
    this.questions = 0; // asked since the last answer
    this.timer = null;
  }

  put(slot, content) {
    this.waiting.set(slot, content);
    this.pump();
  }

  pump() {
    while (this.waiting.size && this.underway.size < IN_FLIGHT) {
      const [slot, content] = this.waiting.entries().next().value;
      this.waiting.delete(slot);
      for (const message of this.underway.values()) message.replaced ||= message.slot === slot;
      this.send(content);
      this.underway.set(content.n, { slot, content, replaced: false });
    }
    this.watch();
  }

  send(content) {
    content.view = this.id;
    content.n = ++this.sent;
    this.model.send(content);
  }

  // While an answer is due, a clock runs, from the last answer or question on; no new edit winds it back.
  watch() {
    if (!this.underway.size || this.timer !== null) return;
    const pause = Math.min(ASK_AFTER * 2 ** this.questions, ASK_AT_MOST);
    this.timer = setTimeout(() => this.ask(), pause);
  }

  stop() {
    clearTimeout(this.timer);
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

  // `n` is the message that is answered; `lost`, in the answer to a question, are those that were never heard.
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

  // Lost messages wait for their turn once more, unless something newer has taken their place.
  sendAgain(question, lost) {
    for (const [number, { slot, content, replaced }] of this.underway) {
      if (number > question) continue; // on its way since
      this.underway.delete(number);
      if (lost.includes(number) && !replaced && !this.waiting.has(slot)) this.waiting.set(slot, content);
    }
  }

  // An edit counts as open until Python has answered it.
  open(slot, content) {
    return this.waiting.has(slot) || this.underway.has(content.n);
  }

  // The view goes: what still waits is sent, since nobody will be there to hear an answer.
  close() {
    this.stop();
    for (const content of this.waiting.values()) this.send(content);
    this.waiting.clear();
  }
}
