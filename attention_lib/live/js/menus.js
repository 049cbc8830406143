// A menu whose choice is an answer, such as a guess. On a closed menu browsers take the next entry at an arrow key and
// another at a letter: the reader would have answered before reading what there is. There such a key opens the menu
// and changes nothing; Enter in the opened one answers, and Escape does not: Chromium takes the marked entry at both, and
// tells them apart only by what comes next, the click that it makes of Enter or the Escape that is let go.

const MENU = ".menu-answers";
const MOVES = ["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End", "PageDown", "PageUp"];

const NEXT = ["click", "keyup"];
const LATEST = 400; // ms: what comes after a choice has come by then; some browsers send nothing

/** @type {WeakMap<HTMLSelectElement, string>} what was chosen when the menu opened */
const chosen = new WeakMap();

/** @param {EventTarget | null} menu @returns {menu is HTMLSelectElement} */
const answers = (menu) => menu instanceof HTMLSelectElement && menu.closest(MENU) !== null;

/** Keeps the keys of the menus in a box: which entry answers, and when. @param {HTMLElement} box */
export function keepMenus(box) {
  box.addEventListener("keydown", openFirst, true);
  for (const event of ["focusin", "keydown", "pointerdown"]) box.addEventListener(event, remember, true);
  for (const event of ["input", "change"]) box.addEventListener(event, wait, true);
}

/** @param {Event} event */
function remember({ target }) {
  if (answers(target) && !isOpen(target)) chosen.set(target, target.value);
}

/**
 * A choice waits for what comes next.
 * @param {Event} event
 */
function wait(event) {
  const menu = event.target;
  if (!answers(menu) || !event.isTrusted) return;
  event.stopImmediatePropagation();
  if (event.type === "input") return; // the change comes with it
  const decide = (/** @type {Event | undefined} */ next) => {
    clearTimeout(timer);
    for (const name of NEXT) menu.removeEventListener(name, decide);
    if (next instanceof KeyboardEvent && next.key === "Escape") menu.value = chosen.get(menu) ?? menu.value;
    else menu.dispatchEvent(new Event("change", { bubbles: true }));
  };
  const timer = setTimeout(decide, LATEST);
  for (const name of NEXT) menu.addEventListener(name, decide);
}

/** @param {KeyboardEvent} event */
function openFirst(event) {
  const menu = event.target;
  if (!answers(menu) || !menu.showPicker || isOpen(menu)) return;
  const isLetter = /^[^ ]$/u.test(event.key) && !(event.ctrlKey || event.metaKey || event.altKey);
  if (!isLetter && !MOVES.includes(event.key)) return;
  event.preventDefault();
  try {
    menu.showPicker();
  } catch {
    // Inside a frame of another server, as in Colab, only the browser itself opens menus: by a click or the space bar.
  }
}

/** @param {HTMLSelectElement} menu */
function isOpen(menu) {
  return CSS.supports("selector(:open)") && menu.matches(":open");
}
