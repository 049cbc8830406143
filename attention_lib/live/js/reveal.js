// A result waits until its question is answered, also after Run All. Python puts a mark before it (`reveal`). While a
// mark waits, the style sheet hides the outputs that follow it; in their place it shows a sentence and a button.

import { keepKeys, make } from "./page.js";

const RESULT = "attention-result";
const WAITS = "attention-waits";
const OF = "attention-of-"; // and the name of a prediction: a class of its box and of the marks that wait for it
const ANSWERED = "attention-answered";
const ARRIVES = "attention-arrives"; // the animation that the style sheet gives to a mark

// The name of the question that a box or a mark has.
const questionOf = (node) => [...node.classList].find((name) => name.startsWith(OF));

const notebookOf = (node) => node.closest(".jp-Notebook") ?? document.body;

function follow(mark) {
  const question = questionOf(mark);
  if (question) mark.classList.toggle(WAITS, !notebookOf(mark).classList.contains(`${question}-answered`));
}

// The notebook keeps what is answered, because a mark may come after its answer.
function setAnswered(node, question, isAnswered) {
  const notebook = notebookOf(node);
  notebook.classList.toggle(`${question}-answered`, isAnswered);
  for (const mark of notebook.getElementsByClassName(question)) if (mark.classList.contains(RESULT)) follow(mark);
}

function showAnyway(mark) {
  const question = questionOf(mark);
  if (question) setAnswered(mark, question, true);
  else mark.classList.remove(WAITS);
  const cell = mark.closest(".jp-Cell");
  cell?.focus({ preventScroll: true }); // the button is gone
}

function furnish(mark, words) {
  follow(mark);
  if (mark.firstChild) return;
  make("span", "", mark, words[questionOf(mark) ? "asked" : "untried"]);
  const button = make("button", "jupyter-button", mark, words.show);
  button.addEventListener("click", () => showAnyway(mark));
  keepKeys(button);
}

// Furnish the marks that are on the page, and each that comes; returns how to stop.
export function watchMarks(words) {
  for (const mark of document.getElementsByClassName(RESULT)) furnish(mark, words);
  // A mark is heard by its animation: an observer would be called for every picture of a drag.
  const arrived = (event) => {
    if (event.animationName === ARRIVES) furnish(event.target, words);
  };
  document.addEventListener("animationstart", arrived);
  return () => document.removeEventListener("animationstart", arrived);
}

// Tells the marks when the question of a box is answered, or asked again.
export class Answer {
  constructor(box) {
    this.box = box;
    this.question = questionOf(box);
    this.was = undefined; // what somebody shows anyway stays, while nothing changes in the box
  }

  look() {
    const isAnswered = this.box.classList.contains(ANSWERED);
    if (!this.question || isAnswered === this.was) return;
    this.was = isAnswered;
    setAnswered(this.box, this.question, isAnswered);
  }
}
