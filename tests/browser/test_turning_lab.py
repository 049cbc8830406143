"""The turning lab in a real JupyterLab: driven by mouse and keyboard, read by its digits."""

from pathlib import Path
from typing import Any

from harness import NotebookPage

from attention_lib import plots
from attention_lib.labs.turning_lab import PRESETS, TurningModel
from attention_lib.view.lab import MESSAGES as SAID

LAB = """\
from attention_lib.labs import TurningLab
lab = TurningLab()
lab"""


def wait_for(notebook: NotebookPage, model: TurningModel) -> None:
    """Wait until every panel shows the numbers of a model that was changed alike."""
    digits = {name: 0 if name == "moves" else 2 for name in model.matrices()}
    texts = {
        name: [[plots.number_text(value, digits[name]).replace("−", "-") for value in row] for row in matrix]
        for name, matrix in model.matrices().items()
    }
    notebook.shows(texts)


def test_move_both_then_one_then_the_speed(open_notebook: Any, shots: Path) -> None:
    notebook, model = open_notebook(LAB, height=660), TurningModel()
    goal = notebook.page.locator(".turning-lab .lab-goal")
    wait_for(notebook, model)
    notebook.eventually(lambda: goal.inner_text().count("☐"), 2)
    notebook.page.screenshot(path=shots / "turning_start.png")

    # The first slider, by the keyboard: both move, the score does not.
    before = notebook.texts("score")
    notebook.page.locator(".turning-lab .noUi-handle").first.focus()
    for _ in range(24):
        notebook.page.keyboard.press("ArrowRight")
    model.move(both=24)
    wait_for(notebook, model)
    assert notebook.texts("score") == before
    goal.filter(has_text="☑").wait_for()
    notebook.page.screenshot(path=shots / "turning_both.png")

    # A number in its panel, by the keyboard: one moves, and the score turns.
    notebook.cell("moves", 0, 0).locator(".av-value").click()
    notebook.page.keyboard.press("ArrowUp")
    model.edit("moves", 0, 0, 6)
    wait_for(notebook, model)
    assert notebook.texts("score") == [["-0.99"]]
    notebook.eventually(lambda: goal.inner_text().count("☑"), 2)

    # The speed, by a drag.
    notebook.drag(notebook.cell("speeds", 0, 0), -16)
    dragged = notebook.python("float(lab.model.state.speeds[0])")
    assert dragged < 1
    model.edit("speeds", 0, 0, dragged)
    wait_for(notebook, model)

    notebook.page.get_by_role("button", name="undo", exact=True).click()
    model.undo()
    wait_for(notebook, model)


def test_every_start_and_the_way_back(open_notebook: Any, shots: Path) -> None:
    notebook, model = open_notebook(LAB, height=660), TurningModel()
    for name, label in PRESETS.items():
        notebook.page.locator(".turning-lab select").first.select_option(label=label)
        model.start_from(name)
        wait_for(notebook, model)
        notebook.settle()
        notebook.page.screenshot(path=shots / f"turning_{name}.png")
    notebook.page.get_by_role("button", name="reset", exact=True).click()
    notebook.page.locator(".lab-message", has_text=SAID["nothing to reset"]).wait_for()


# Where everything stands, and whether the point of the curve that is shown can be seen.
PLACES = """() => [...document.querySelectorAll('.turning-lab :is([data-panel], button, select, input, svg)')]
    .map((part) => JSON.stringify(part.getBoundingClientRect()))"""
POINT_SEEN = """() => {
    const shown = [...document.querySelectorAll('.turning-dials .curve')].filter((one) => one.checkVisibility());
    const [point] = [...shown[0].querySelectorAll('circle:not(.dot)')].map((one) => one.getBoundingClientRect());
    const around = document.querySelector('.turning-dials').getBoundingClientRect();
    return [shown.length, point.left >= around.left && point.right <= Math.min(around.right, innerWidth)];
}"""


def test_what_is_said_of_a_number_moves_nothing(open_notebook: Any) -> None:
    notebook = open_notebook(LAB)
    notebook.settle()
    before = notebook.page.evaluate(PLACES)
    box = notebook.page.get_by_label("move both by", exact=True).last
    notebook.type_into(box, "a word that is none")
    notebook.page.locator(".number-said", has_text="is not a number").wait_for()
    notebook.settle()
    assert notebook.page.evaluate(PLACES) == before


def test_the_point_of_the_curve_is_seen_at_every_width(open_notebook: Any) -> None:
    notebook = open_notebook(LAB)
    notebook.page.locator(".turning-dials").wait_for()
    for width in (390, 640, 800, 1280):
        notebook.page.set_viewport_size({"width": width, "height": 800})
        notebook.settle()
        assert notebook.page.evaluate(POINT_SEEN) == [1, True], width


def test_what_is_said_of_a_cell_is_not_cut_below(open_notebook: Any) -> None:
    notebook = open_notebook(LAB)
    notebook.cell("speeds", 0, 0).locator(".av-value").click()
    for key in ("Enter", *"1e9", "Enter"):
        notebook.page.keyboard.press(key)
    note = notebook.page.locator(".turning-lab .av-note", has_text="1e9 is above")
    note.wait_for()
    (lab, said) = (one.bounding_box() for one in (notebook.page.locator(".turning-lab"), note))
    assert said["y"] + said["height"] <= lab["y"] + lab["height"]
