"""The head surgery lab, driven by mouse and keyboard in a real browser."""

from functools import partial

import numpy as np
import pytest

from attention_lib.labs.head_surgery import MESSAGES, SurgeryModel

CELLS = ["from attention_lib.labs.head_surgery import HeadSurgeryLab\nlab = HeadSurgeryLab()\nlab"]
PANELS = {"enlarged": 2, "terms": 2, "ΔE": 2, "W_O": 1}  # panel -> digits shown


@pytest.fixture
def notebook(open_notebook):
    page = open_notebook(*CELLS, height=1500)
    page.page.wait_for_selector('[data-panel="ΔE"] .av-cell')
    return page


def digits(matrix, n):
    return [[f"{value:.{n}f}" for value in row] for row in np.round(matrix, n) + 0.0]


def shows(page, model):
    """The page shows the sentence and the digits that the model calculates."""
    page.page.locator(".head-surgery-summary", has_text=model.summary()).wait_for()
    matrices = model.matrices()
    for name in [*PANELS, *(f"head {i}" for i in range(model.state.n_heads))]:
        expected = digits(matrices[name], PANELS.get(name, 2))
        read = page.texts if name in PANELS else lambda name: spoken(page, name)
        page.eventually(partial(read, name), expected)


def spoken(page, name):
    """The small maps have no digits in their cells: what is read out of them."""
    return page.panel(name).evaluate(
        "(panel) => [...panel.querySelectorAll('.av-grid > .av-line:not(.av-head)')]"
        ".map((line) => [...line.querySelectorAll('.av-cell')].map((cell) => cell.getAttribute('aria-label')))"
    )


def choose(page, label, option):
    page.page.get_by_role("combobox", name=label, exact=True).select_option(label=option)


def test_the_lab_follows_the_reader(notebook, shots):
    page, model = notebook.page, SurgeryModel()
    shows(notebook, model)
    choose(notebook, "head 1", "off")
    model.set_mode(1, "off")
    shows(notebook, model)

    page.locator('[data-panel="head 3"] .av-cell').nth(8).hover()
    model.enlarge(3)
    page.locator('[data-panel="enlarged"]').get_by_text(
        MESSAGES["enlarged"].format(head=model.head_label(3))
    ).wait_for()
    shows(notebook, model)
    page.locator('[data-panel="head 0"] .av-row-label').nth(1).click()
    model.enlarge(0)
    model.row = 1
    shows(notebook, model)

    notebook.settle()
    notebook.eventually(page.locator(".av-changed").count, 0)  # no number moves; strips follow late
    choose(notebook, "head 2", "off")
    choose(notebook, "head 0", "off")
    page.locator('[data-panel="ΔE"] .av-changed').first.wait_for()
    for _ in range(3):  # head 0, head 2, head 1
        page.get_by_role("button", name="undo").click()
        model.undo()
    shows(notebook, model)
    notebook.settle()
    notebook.eventually(page.locator(".av-changed").count, 0)  # as it was made: nothing has changed

    choose(notebook, "head 0", "averaged")
    choose(notebook, "head 1", "averaged")
    model.set_mode(0, "averaged")
    model.set_mode(1, "averaged")
    shows(notebook, model)
    page.locator(".head-surgery").screenshot(path=shots / "head_surgery_averaged.png")

    choose(notebook, "W_O", "identity: no W_O, as in article 004")
    model.set_output("identity")
    shows(notebook, model)
    cell = page.locator('[data-panel="W_O"] .av-value').first
    cell.click()
    cell.press("ArrowDown")
    model.edit(0, 0, 0.9)
    shows(notebook, model)

    page.mouse.move(0, 0)  # off every head: the maps will move under the pointer
    box = page.locator(".head-surgery .number-box input")
    notebook.type_into(box, "3")
    page.get_by_text("H, heads can be 1, 2, 4, 8: 3 became 2.").first.wait_for()
    model.set_heads(2)
    shows(notebook, model)
    notebook.type_into(box, "8")
    model.set_heads(8)
    shows(notebook, model)
    page.screenshot(path=shots / "head_surgery_eight.png")

    choose(notebook, "sentence", "Miniature Eiffel Tower")
    model.set_sentence("miniature_eiffel_tower")
    shows(notebook, model)
    page.get_by_role("button", name="reset").click()
    shows(notebook, SurgeryModel())


@pytest.mark.parametrize("presentation", [False, True])
def test_four_heads_stand_on_one_line(open_notebook, shots, presentation):
    notebook = open_notebook(*CELLS, height=720, shell="lab")
    if presentation:
        notebook.command("application:toggle-presentation-mode")
        notebook.run_anew()
    notebook.page.wait_for_selector('[data-panel="head 3"] .av-cell')
    notebook.settle()
    boxes = [notebook.panel(f"head {i}").bounding_box() for i in range(4)]
    assert len({box["y"] for box in boxes}) == 1, boxes
    assert all(box["x"] + box["width"] <= 1280 for box in boxes), boxes
    notebook.page.screenshot(path=shots / f"head_surgery_line_{presentation}.png")
    if presentation:
        notebook.command("application:toggle-presentation-mode")


def test_the_lab_in_the_dark(open_notebook, shots):
    page = open_notebook(*CELLS, height=1500, dark=True)
    shows(page, SurgeryModel())
    page.page.screenshot(path=shots / "head_surgery_dark.png")
