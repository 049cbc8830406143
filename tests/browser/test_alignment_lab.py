"""The alignment lab in a real JupyterLab: driven by mouse and keyboard, read by its digits."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from harness import NotebookPage
from test_every_lab import LARGE_TYPE, OWN_TYPE, TYPE, present
from test_one_screen import BAR, look

from attention_lib import plots
from attention_lib.labs.alignment_lab import GOALS, LABELS, AlignmentModel, all_alike
from attention_lib.labs.alignment_lab import MESSAGES as WORDS
from attention_lib.view.lab import MESSAGES as SAID

LAB = """\
from attention_lib.labs.alignment_lab import AlignmentLab
lab = AlignmentLab()
lab"""
# The titles that a message lies over.
UNDER_THE_NOTE = """() => {
    const { bottom } = document.querySelector('.lab-message .widget-html-content').getBoundingClientRect();
    return [...document.querySelectorAll('.attention-lab .av-title')]
        .filter((title) => title.getBoundingClientRect().top < bottom).map((title) => title.textContent);
}"""


# How far the words under the weights reach into the titles below them.
PAST_THE_LAB = """() => {
    const { scrollWidth, clientWidth } = document.querySelector('.attention-alignment');
    return scrollWidth - clientWidth;
}"""
INTO_TITLES = """(said) => {
    const caption = document.querySelector('[data-panel="weights"] .av-caption');
    if (said) caption.textContent = said;
    const boxOf = (part) => part.getBoundingClientRect();
    const titles = [...document.querySelectorAll(".attention-lab .av-title")].map(boxOf);
    const { left, right, top, bottom } = caption.getBoundingClientRect();
    const below = titles.filter((title) => title.top > top && title.left < right && title.right > left);
    return below.length ? Math.max(0, bottom - Math.min(...below.map((title) => title.top))) : null;
}"""
# Where every panel and every control stands in the lab, however the page scrolls.
PLACES_IN_LAB = """() => {
    const { left, top } = document.querySelector('.attention-lab').getBoundingClientRect();
    const place = (box) => [box.left - left, box.top - top, box.width, box.height].map(Math.round).join(' ');
    return [...document.querySelectorAll('.attention-lab :is([data-panel], button, select, input)')]
        .map((part) => place(part.getBoundingClientRect()));
}"""


def digits(matrix: Any) -> list[list[str]]:
    return [[plots.number_text(value, 2).replace("−", "-") for value in row] for row in matrix]


def wait_for(notebook: NotebookPage, model: AlignmentModel) -> None:
    """Wait until every panel shows the numbers of a model that was changed alike."""
    notebook.shows({name: digits(matrix) for name, matrix in model.matrices().items()})


def goal_begins(notebook: NotebookPage, words: str) -> None:
    """Wait for the goal to say so: words follow the picture."""
    goal = notebook.page.locator(".alignment-goal")
    notebook.eventually(lambda: goal.inner_text()[: len(words)], words)


def press(notebook: NotebookPage, name: str) -> None:
    notebook.page.get_by_role("button", name=name, exact=True).click()


def choose_goal(notebook: NotebookPage, label: str) -> None:
    notebook.page.locator(".attention-alignment select").first.select_option(label=label)


def test_the_lab_by_hand(open_notebook: Any, shots: Path) -> None:
    notebook, model = open_notebook(LAB, height=1100), AlignmentModel()
    wait_for(notebook, model)
    goal_begins(notebook, "Goal: make “last” read 밤에")
    notebook.page.screenshot(path=shots / "alignment_start.png")

    # Keyboard: the hour of "last" from -1 up to 1, eight steps of a quarter.
    notebook.cell("X", 3, 3).locator(".av-value").click()
    with notebook.in_no_time():
        for _ in range(8):
            notebook.page.keyboard.press("ArrowUp")
    model.edit("X", 3, 3, 1.0)
    wait_for(notebook, model)
    assert notebook.texts("weights")[3] == ["0.05", "0.23", "0.62", "0.05", "0.05"]
    goal_begins(notebook, "Goal reached")
    notebook.panel("weights").locator(".av-caption", has_text="last 밤에 (0.62)").wait_for()
    notebook.page.screenshot(path=shots / "alignment_reached.png")

    # Mouse: drag a Korean number; every row of the map may follow.
    notebook.drag(notebook.cell("context", 4, 3), -12)
    dragged = notebook.python("float(lab.model.crossing.context[4, 3])")
    assert dragged < 2
    model.edit("context", 4, 3, dragged)
    wait_for(notebook, model)

    # Undo takes back the whole drag, then the whole run of keys.
    press(notebook, "undo")
    model.undo()
    wait_for(notebook, model)
    press(notebook, "undo")
    model.undo()
    wait_for(notebook, model)
    assert np.array_equal(model.crossing.X, AlignmentModel().crossing.X)


def test_goals_way_bad_input_and_code(open_notebook: Any, shots: Path) -> None:
    notebook, model = open_notebook(LAB, height=1100, dark=True), AlignmentModel()
    choose_goal(notebook, "give “The” something to read")
    model.start_from("article")
    wait_for(notebook, model)
    assert notebook.texts("weights")[0] == ["0.25"] * 4

    notebook.cell("X", 0, 0).locator(".av-value").click()
    box = notebook.page.locator(".attention-alignment .number-box input")
    for text, answer in [
        ("much", "“much” is not a number"),
        ("", "Type a number"),
        ("9", "can be −3 to 3: 9 became 3"),
    ]:
        notebook.type_into(box, text)
        notebook.page.locator(".attention-alignment .number-said", has_text=answer).wait_for()
    model.edit("X", 0, 0, 3.0)
    wait_for(notebook, model)

    notebook.type_into(box, "1.5")
    model.edit("X", 0, 0, 1.5)
    wait_for(notebook, model)
    goal_begins(notebook, "Goal reached")

    press(notebook, "show as code")
    area = notebook.page.locator(".attention-alignment textarea")
    notebook.eventually(area.input_value, model.code())
    notebook.page.screenshot(path=shots / "alignment_dark.png")

    press(notebook, "show one way")
    model.show_way()
    wait_for(notebook, model)
    press(notebook, "reset")
    model.reset()
    wait_for(notebook, model)
    notebook.page.locator(".lab-message", has_text=SAID["reset"]).wait_for()


def test_what_is_said_of_a_way_and_of_the_hand_has_one_line_and_covers_no_title(
    open_notebook: Any, shots: Path
) -> None:
    notebook = open_notebook(LAB, width=1280 - BAR, height=720, shell="lab")
    notebook.panel("weights").wait_for()
    notebook.settle()
    hint = notebook.page.get_by_text(LABELS["hint"])
    assert hint.evaluate("(node) => node.offsetHeight < 1.9 * parseFloat(getComputedStyle(node).lineHeight)")
    for goal in GOALS.values():
        choose_goal(notebook, goal.label)
        press(notebook, "show one way")
        note = notebook.page.locator(".lab-message .widget-html-content", has_text="One way of many")
        note.wait_for()
        notebook.settle()
        notebook.page.screenshot(path=shots / "alignment_way.png")
        assert notebook.page.evaluate(UNDER_THE_NOTE) == [], goal.label


def sayings(name: str) -> Iterator[str]:
    """What may be said under the weights: the start, and sentences in which every word reads the same."""
    pair = AlignmentModel(name).crossing.pair
    for keys in (*pair.korean, all_alike(len(pair.korean))):
        each = [
            WORDS["reading on" if k else "reading"].format(word=word, keys=keys, weight="0.44")
            for k, word in enumerate(pair.english)
        ]
        yield "; ".join(each) + "."
    yield ""  # as it stands


def test_what_is_said_under_the_weights_covers_no_title_and_is_not_cut(open_notebook: Any, shots: Path) -> None:
    for shell, windows in {
        "lab": [(1280 - BAR, 720), (1280, 720), (1366, 768), (1400, 900), (1440, 900), (1510, 900), (1920, 1080)],
        "doc": [(1000, 800), (1060, 800), (1100, 800), (1180, 800), (1280, 660), (1440, 900)],
    }.items():
        notebook = open_notebook(LAB, width=1440, height=900, shell=shell)
        for name in ("article", "mend", "half", "to"):  # one start for each pair
            choose_goal(notebook, GOALS[name].label)
            notebook.settle()
            for window in windows:
                notebook.use_size(*window)
                notebook.settle()
                for said in sayings(name):
                    assert notebook.page.evaluate(INTO_TITLES, said) == 0, (shell, window, said)
                    assert notebook.page.evaluate(PAST_THE_LAB) <= 0, (shell, window, said)
            notebook.page.screenshot(path=shots / f"alignment_said_{shell}_{name}.png")


def test_what_is_said_under_the_weights_covers_no_title_before_an_audience(open_notebook: Any, shots: Path) -> None:
    notebook = open_notebook(LAB, height=660)
    sizes = {f"--jp-{variable}": size for variable, size in TYPE.items()}
    notebook.page.evaluate(LARGE_TYPE, sizes)
    style = notebook.page.add_style_tag(content=present.STYLE.read_text("utf-8"))
    for name in ("article", "mend", "half", "to"):
        choose_goal(notebook, GOALS[name].label)
        notebook.settle()
        for said in sayings(name):
            assert notebook.page.evaluate(INTO_TITLES, said) == 0, said
        boxes = look(notebook, shots / f"alignment_audience_{name}.png")
        assert boxes["height"] <= boxes["seen"], name
    style.evaluate("(style) => style.remove()")
    notebook.page.evaluate(OWN_TYPE, list(sizes))


def test_on_a_narrow_page_no_click_moves_the_matrix_under_the_hand(open_notebook: Any) -> None:
    notebook = open_notebook(LAB)
    for width in (390, 500, 600, 700, 800):
        notebook.use_size(width, 900)
        choose_goal(notebook, GOALS["article"].label)
        notebook.settle()
        choose_goal(notebook, GOALS["last"].label)  # other words: nothing is chosen
        notebook.settle()
        before = notebook.page.evaluate(PLACES_IN_LAB)
        for panel, row, column in [("X", 3, 3), ("context", 3, 0), ("W_K", 0, 0), ("weights", 2, 2)]:
            notebook.cell(panel, row, column).click()
            notebook.settle()
            assert notebook.page.evaluate(PLACES_IN_LAB) == before, (width, panel)


def test_a_notebook_run_twice_and_after_a_restart(open_notebook: Any) -> None:
    notebook, model = open_notebook("import numpy as np", LAB, height=1100), AlignmentModel()
    notebook.run_all()
    notebook.restart_kernel()
    notebook.run_all()
    notebook.panel("X").scroll_into_view_if_needed()
    wait_for(notebook, model)
    notebook.settle()
    assert notebook.page.locator('[data-mime-type="application/vnd.jupyter.stderr"]').count() == 0
    notebook.cell("X", 3, 3).locator(".av-value").click()
    notebook.page.keyboard.press("ArrowUp")
    model.edit("X", 3, 3, -0.75)
    wait_for(notebook, model)
