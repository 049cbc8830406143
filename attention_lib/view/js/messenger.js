// What goes to Python: never more on the way than it can answer, and the latest wins.

const IN_FLIGHT = 2; // messages on the way: two keep the line busy, more would build a backlog
const PATIENCE = 5000; // ms without an answer, after which the view says so

// One message slot for each thing that can change; the latest of a slot replaces the one before.
class Messenger {
  constructor(model, onSilence) {
    this.model = model;
    this.onSilence = onSilence;
    this.id = Math.random().toString(36).slice(2);
    this.sent = 0;
    this.acked = 0;
    this.waiting = new Map();
  }
  put(slot, content) {
    this.waiting.set(slot, content);
    this.pump();
  }
  pump() {
    while (this.waiting.size && this.sent - this.acked < IN_FLIGHT) {
      const [slot, content] = this.waiting.entries().next().value;
      this.waiting.delete(slot);
      content.view = this.id;
      content.n = ++this.sent;
      this.model.send(content);
    }
    clearTimeout(this.timer);
    this.timer = this.sent > this.acked ? setTimeout(() => this.onSilence(true), PATIENCE) : null;
  }
  acknowledge([view, n]) {
    if (view !== this.id) return;
    this.acked = Math.max(this.acked, n);
    this.onSilence(false);
    this.pump();
  }
  // An edit counts as open until Python has answered it.
  open(slot, content) {
    return this.waiting.has(slot) || content.n > this.acked;
  }
}
