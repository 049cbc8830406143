// A menu whose choice is an answer, such as a guess. On a closed menu browsers take the next entry at an arrow key and
// another at a letter: the reader would have answered before reading what there is. There such a key opens the menu
// and changes nothing; Enter in the opened one answers.

const MENU = ".menu-answers";
const MOVES = ["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End", "PageDown", "PageUp"];

/** @param {KeyboardEvent} event */
export function openFirst(event) {
  const menu = event.target;
  if (!(menu instanceof HTMLSelectElement) || !menu.closest(MENU) || !menu.showPicker || isOpen(menu)) return;
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
