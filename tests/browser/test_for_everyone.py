"""Labs for those who listen, who use keys only, who want less motion; axe-core reads each in test_every_lab."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness import NotebookPage
from lone_view import MODEL

from attention_lib import lessons
from attention_lib.checks import exercise_cells
from attention_lib.live.keys import Keys

ROOT = Path(__file__).parents[2]
AXE = ROOT / "tools" / "javascript" / "node_modules" / "axe-core" / "axe.min.js"
NEEDED = {
    "MaskWorkbench": "list('abcdefgh'), np.random.default_rng(0).normal(size=(8, 4)), np.eye(4), np.eye(4), np.eye(4)",
}
LABS = {
    name: f"import numpy as np\nfrom attention_lib.lessons import {name}\n{name}({NEEDED.get(name, '')})"
    for name in lessons.LABS
}
_, _, (STUB, CHECK), _ = exercise_cells("scale_scores")
SCALED = "import numpy as np\ndef scale_scores(scores, d_k):\n    return scores / d_k"
OTHERS = {
    "choice": "from attention_lib.checks.predict import predict\npredict('01.scores_shape', answer='pairs')",
    "number": "from attention_lib.checks.predict import predict\npredict('01.twice_the_score', answer=7.4)",
    "progress": "from attention_lib.checks.predict import progress\nprogress()",
    "check": f"from attention_lib.checks import check\n{SCALED}\n{CHECK}",
}
CELLS = LABS | OTHERS
RUN_AXE = """() => axe.run({ include: [['.jp-CodeCell:not(.jp-mod-noOutputs) .jp-OutputArea']] }).then((found) =>
    found.violations.map(({ id, nodes }) => [id, nodes.length, nodes[0].html, nodes[0].failureSummary]))"""
OUTPUT = ".jp-CodeCell:not(.jp-mod-noOutputs) .jp-OutputArea"
# How many stops there are in each matrix of a lab, and in each row of its buttons.
STOPS_OF_PARTS = """(lab) => {
    const isSeen = (node) => node.checkVisibility({ visibilityProperty: true });
    const all = (within, selector) => [...within.querySelectorAll(selector)].filter(isSeen);
    const stops = (within) => all(within, 'button, select, [tabindex]')
        .filter((node) => node.tabIndex >= 0 && !node.disabled).length;
    return {
        matrices: all(lab, '.attention-view [data-panel]').map(stops),
        rows: all(lab, '.lab-toolbar button, .lab-toolbar select').map((node) => stops(node.closest('.lab-toolbar'))),
    };
}"""


@pytest.fixture
def show(open_notebook: Any) -> Callable[..., NotebookPage]:
    """Show what the cell of this name shows, and nothing else."""

    def show_(name: str) -> NotebookPage:
        notebook: NotebookPage = open_notebook(CELLS[name])
        notebook.page.locator(OUTPUT).locator("> *").first.wait_for()
        notebook.settle()
        return notebook

    return show_


def test_arrow_keys_lead_through_what_is_one_stop(show: Any) -> None:
    """From button to button, and within a matrix; Tab comes back to where the hand was."""
    notebook = show("Explorer")
    keys, focus = notebook.page.keyboard, "document.activeElement"
    panel = f"{focus}.closest('[data-panel]')?.dataset.panel"
    notebook.page.get_by_role("button", name="Undo").focus()
    for key, name in [("ArrowRight", "Redo"), ("ArrowRight", "Start again"), ("ArrowLeft", "Redo")]:
        keys.press(key)
        assert notebook.page.evaluate(f"{focus}.textContent") == name
    keys.press("Tab")
    assert notebook.page.evaluate(panel) == "W_Q"
    keys.press("Shift+Tab")
    assert notebook.page.evaluate(f"{focus}.textContent") == "Redo"
    notebook.cell("weight", 1, 0).focus()
    keys.press("ArrowDown")
    assert notebook.cell("weight", 2, 0).evaluate("(cell) => cell === document.activeElement")
    keys.press("Shift+Tab")
    assert notebook.page.evaluate(panel) == "scaled score"
    keys.press("Tab")
    assert notebook.cell("weight", 2, 0).evaluate("(cell) => cell === document.activeElement")


def test_names_say_what_a_control_changes(show: Any) -> None:
    """Also after the control has become another's; a cell's name says its axes, a switch whether it is on."""
    notebook = show("Explorer")
    page = notebook.page
    notebook.cell("W_Q", 1, 2).click()
    page.get_by_role("slider", name="W_Q, from 1, to 2", exact=True).wait_for()
    notebook.cell("W_K", 0, 1).click()
    page.get_by_role("slider", name="W_K, from 0, to 1", exact=True).wait_for()
    page.get_by_role("spinbutton", name="W_Q, from 0, to 0", exact=True).wait_for()
    more = page.get_by_role("button", name="More")
    for is_on in ("true", "false"):
        more.click()
        notebook.eventually(lambda: more.get_attribute("aria-pressed"), is_on)


def test_after_a_change_the_live_region_says_the_goal(show: Any) -> None:
    notebook = show("ScalingLab")
    spoken = notebook.page.locator(f"{OUTPUT} .attention-spoken")
    assert spoken.get_attribute("aria-live") == "polite"
    assert spoken.text_content() == ""  # opening is no change
    goal = notebook.page.locator(f"{OUTPUT} .lab-goal")
    before = goal.text_content()
    target = notebook.page.locator(f"{OUTPUT} :is(.av-value, .noUi-handle)").first
    target.focus()
    target.press("End")
    notebook.settle()
    notebook.eventually(lambda: goal.text_content() != before, True)
    notebook.eventually(lambda: (goal.text_content() or "").strip() in (spoken.text_content() or ""), True)
    number = notebook.page.locator(f"{OUTPUT} .number-box input").first.input_value()
    notebook.eventually(lambda: target.get_attribute("aria-valuetext"), number, what="the number, not its step")


def test_a_tap_on_a_cell_opens_the_keyboard(show: Any) -> None:
    """A finger that drags opens none, and the number typed is taken."""
    notebook = show("Explorer")
    finger = notebook.page.context.new_cdp_session(notebook.page)
    finger.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        cell = notebook.cell("W_Q", 0, 0)
        cell.scroll_into_view_if_needed()
        notebook.settle()
        box = cell.bounding_box()
        middle = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [middle]})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        field = notebook.page.locator(f"{OUTPUT} .av-input")
        field.wait_for()
        notebook.settle()
        assert field.evaluate("(node) => node === document.activeElement")
        assert field.get_attribute("inputmode") == "text"  # the number pad of some phones has no minus
        notebook.page.keyboard.type("-1.5")
        notebook.page.keyboard.press("Enter")
        notebook.eventually(lambda: notebook.texts("W_Q")[0][0], "-1.50")
        assert field.count() == 0
    finally:
        finger.detach()


LATE = """async (source) => {
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const keeper = document.createElement("div");
    (await import(url)).default.render({ model, el: keeper });
    for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
    const box = Object.assign(document.createElement("div"), { className: "attention-keys" });
    document.body.append(box);
    box.append(keeper);
}"""


def test_a_lab_whose_box_comes_late_is_read_out_too(bare_page: Any) -> None:
    """On a busy page it is put there many frames after what stands in it was made."""
    bare_page.goto("about:blank")
    bare_page.evaluate(MODEL)
    bare_page.evaluate(LATE, str(Keys._esm))
    bare_page.wait_for_selector(".attention-spoken", state="attached")


def test_only_the_likeliest_meaning_is_bold_after_the_run(open_notebook: Any) -> None:
    notebook = open_notebook(LABS["LearningLab"])
    strong = notebook.page.locator(".attention-bars .strong")
    notebook.page.locator(".training-picture").wait_for()
    notebook.settle()
    notebook.eventually(strong.all_inner_texts, ["ship", "0.34"])
    assert not notebook.page.get_by_role("button", name="play").is_visible(), "a guess comes first"
    notebook.page.get_by_role("button", name="as it halves").click()
    box = notebook.page.locator(".number-box input").first
    notebook.settle()  # Python may write into the box too
    box.fill("150")
    box.press("Enter")
    notebook.eventually(strong.all_inner_texts, ["belly", "1.00"])
