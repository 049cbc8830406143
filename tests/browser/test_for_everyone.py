"""Labs for those who listen, use keys only, want less motion, lack a font or a kernel; test_every_lab runs axe-core."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hangul_fonts import not_in_the_font
from harness import NotebookPage
from lab_server import LabServer, write_notebook
from lone_view import MODEL

from attention_lib import lessons
from attention_lib.checks import exercise_cells
from attention_lib.live.keys import Keys

ROOT = Path(__file__).parents[2]
AXE = ROOT / "tools" / "javascript" / "node_modules" / "axe-core" / "axe.min.js"
#: The last cell of each lab in its notebook.
LABS = {
    shown[1]: cell.source
    for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
    for cell in nbformat.read(path, as_version=4).cells
    if (shown := re.search(rf"^({'|'.join(lessons.LABS)})\(.*\)$", cell.source, re.MULTILINE))
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


def test_arrow_keys_lead_through_what_is_one_stop(open_notebook: Any) -> None:
    """From button to button, and within a matrix; Tab comes back to where the hand was."""
    notebook = open_notebook("from attention_lib.lessons import Explorer\nExplorer()")
    notebook.page.get_by_role("button", name="Undo").wait_for()
    notebook.settle()
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
    notebook.settle()
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
    page.get_by_role("slider", name="W_Q, from body, to sea", exact=True).wait_for()
    notebook.cell("W_K", 0, 1).click()
    page.get_by_role("slider", name="W_K, from food, to body", exact=True).wait_for()
    page.get_by_role("spinbutton", name="W_Q, from food, to food", exact=True).wait_for()
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
    notebook.page.get_by_role("button", name="within 5 steps of that").click()
    box = notebook.page.locator(".number-box input").first
    notebook.settle()  # Python may write into the box too
    box.fill("150")
    box.press("Enter")
    notebook.eventually(strong.all_inner_texts, ["belly", "1.00"])


def test_before_any_cell_runs_korean_words_are_painted_with_the_font_of_make_lab(lab: LabServer, context: Any) -> None:
    """Prose, code and stored outputs, on a machine without a Korean font: no local one is looked for."""
    path = lab.root / "unrun.ipynb"
    write_notebook(path, ["print('배')"])
    stored = nbformat.read(path, as_version=4)
    stored.cells[0].outputs = [nbformat.v4.new_output("stream", text="고파서")]
    stored.cells.insert(0, nbformat.v4.new_markdown_cell("# 배\n\n*belly* is 배"))
    nbformat.write(stored, path)

    def without_local_fonts(route: Any) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=re.sub(r'local\("[^"]*"\),', "", answer.text()))

    context.route("**/custom/custom.css", without_local_fonts)
    notebook = NotebookPage(context, lab, path.name)
    context.unroute("**/custom/custom.css")
    assert not_in_the_font(notebook.page, ".jp-Notebook") == []
    notebook.close()
    assert (notebook.problems, notebook.foreign) == ([], [])


BOXES = {name: cell for name, cell in CELLS.items() if name != "check"}  # what a check says is words alone

# What a hand could still move, by box: menus, buttons, boxes, sliders.
CONTROLS = """() => Object.fromEntries([...document.querySelectorAll('.attention-keys')].map((box) => [
    `${box.className.split(' ').find((name) => name.includes('attention-')) ?? ''} ${box.className}`,
    [...box.querySelectorAll('button, select, input, .noUi-target')]
        .filter((node) => node.checkVisibility() && !node.disabled && !node.closest('[inert], [disabled]'))
        .map((node) => node.outerHTML.slice(0, 120))]))"""
SHOWN = "() => [...document.querySelectorAll('.attention-keys .av-cell')].map((cell) => cell.textContent)"


def test_after_a_restart_no_control_moves_and_every_box_says_why(open_notebook: Any) -> None:
    cells = dict.fromkeys(BOXES.values())
    notebook = open_notebook(*cells)
    page = notebook.page
    boxes = page.locator(".attention-keys")
    notebook.settle()  # eighteen labs at once: their views can take longer than one thing that is shown
    notebook.eventually(boxes.count, len(BOXES), what="every box")
    assert sum(map(len, page.evaluate(CONTROLS).values())) > 5 * len(BOXES)
    menu = page.locator(".attention-keys select").first
    before = menu.input_value(), page.evaluate(SHOWN)
    notebook.restart_kernel()
    gone = page.get_by_text("The kernel that this belongs to is gone").locator("visible=true")
    notebook.eventually(gone.count, len(BOXES), what="the sentence in every box")
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
