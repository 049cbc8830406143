"""Where the kernel is gone, what cannot work without it is switched off, in labs, predictions and checks."""

from typing import Any

import pytest
from test_for_everyone import CELLS as ALL

pytestmark = pytest.mark.browser

CELLS = {name: cell for name, cell in ALL.items() if name != "check"}  # what a check says is words alone

# What a hand could still move, by box: menus, buttons, boxes, sliders.
CONTROLS = """() => Object.fromEntries([...document.querySelectorAll('.attention-keys')].map((box) => [
    `${box.className.split(' ').find((name) => name.includes('attention-')) ?? ''} ${box.className}`,
    [...box.querySelectorAll('button, select, input, .noUi-target')]
        .filter((node) => node.checkVisibility() && !node.disabled && !node.closest('[inert], [disabled]'))
        .map((node) => node.outerHTML.slice(0, 120))]))"""
SHOWN = "() => [...document.querySelectorAll('.attention-keys .av-cell')].map((cell) => cell.textContent)"


def test_after_a_restart_no_control_moves_and_every_box_says_why(open_notebook: Any) -> None:
    cells = dict.fromkeys(CELLS.values())
    notebook = open_notebook(*cells)
    page = notebook.page
    boxes = page.locator(".attention-keys")
    notebook.settle()  # eighteen labs at once: their views can take longer than one thing that is shown
    notebook.eventually(boxes.count, len(CELLS), what="every box")
    assert sum(map(len, page.evaluate(CONTROLS).values())) > 5 * len(CELLS)
    menu = page.locator(".attention-keys select").first
    before = menu.input_value(), page.evaluate(SHOWN)
    notebook.restart_kernel()
    gone = page.get_by_text("The kernel that this belongs to is gone").locator("visible=true")
    notebook.eventually(gone.count, len(CELLS), what="the sentence in every box")
    notebook.eventually(lambda: [nodes for nodes in page.evaluate(CONTROLS).values() if nodes], [])
    page.locator('[data-panel="W_Q"] .av-value >> visible=true').first.focus()
    page.keyboard.press("ArrowUp")  # changes nothing: nobody would calculate the rest
    notebook.settle()
    assert menu.evaluate("(menu) => { menu.focus(); return document.activeElement === menu; }") is False
    assert (menu.input_value(), page.evaluate(SHOWN)) == before
    notebook.run_cell(next(iter(cells)))
    notebook.settle()
    back = [nodes for nodes in page.evaluate(CONTROLS).values() if nodes]
    assert len(back) == 1, "that one is back, the others are not"


def test_a_view_that_is_drawn_after_a_restart_is_switched_off_too(desk: Any) -> None:
    notebook = desk.open(shell="lab")  # a page of its own: the second view lies in a tab beside the notebook
    notebook.begin([CELLS["HeadBrowser"]])
    notebook.run_all()
    notebook.settle()
    notebook.restart_kernel()
    dead = (".jupyter-widgets-disconnected .attention-view", ".small-maps button[inert]")
    views = [notebook.page.locator(selector) for selector in dead]
    notebook.eventually(lambda: all(view.count() for view in views), True)
    before = [view.count() for view in views]
    notebook.command("notebook:create-output-view")
    notebook.eventually(lambda: [view.count() for view in views], [2 * count for count in before])
    notebook.close()
