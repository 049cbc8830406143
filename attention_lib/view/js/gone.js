// Controls whose kernel is gone are switched off: else a menu moves, and nothing around it follows. What a view offers
// on its own, such as other colours, goes on.

const CONTROLS = "button, select, input, .noUi-target"; // of a slider the box around its handle
const VIEW = ".attention-theme";
const MARK = "attention-off"; // what is switched off here, and not by Python

const GONE = "jupyter-widgets-disconnected"; // ipywidgets gives it to every widget whose kernel is gone

/** @param {Element} box of controls */
export function switchOff(box) {
  const off = box.classList.contains(GONE);
  for (const control of box.querySelectorAll(off ? CONTROLS : `.${MARK}`)) {
    if (control.closest(VIEW) || (off && control.hasAttribute("disabled"))) continue;
    control.toggleAttribute("disabled", off);
    control.classList.toggle(MARK, off);
  }
}
