"""What a lab says or explains lies over nothing that is operated, and moves nothing away."""

from typing import Any

import pytest
from test_mistake_lab import CUT
from test_one_screen import LABS

from attention_lib.labs.cache_stepper import PRESETS

# What can be operated and is covered, by what. A message lets clicks through; here it must not lie there.
COVERED = """() => {
    const notes = [...document.querySelectorAll('.attention-lab :is(.lab-message, .lab-refusal) .widget-html-content')]
        .filter((note) => note.textContent.trim());
    for (const note of notes) note.parentElement.style.pointerEvents = note.style.pointerEvents = 'auto';
    const parts = '.attention-lab :is(button, select, input, .noUi-handle, .av-cell)';
    const found = [...document.querySelectorAll(parts)].filter((part) => part.checkVisibility()).filter((part) => {
        const { left, right, top, bottom } = part.getBoundingClientRect();
        const places = [[(left + right) / 2, (top + bottom) / 2], [left + 3, top + 3], [right - 3, top + 3]];
        return places.some(([x, y]) => notes.some((note) => note.contains(document.elementFromPoint(x, y))));
    }).map((part) => part.outerHTML.slice(0, 90));
    for (const note of notes) note.parentElement.style.pointerEvents = note.style.pointerEvents = '';
    return { said: notes.map((note) => note.textContent).join(' '), found };
}"""
NEW_START = {"CacheStepper": PRESETS["window"], "CacheSize": "Mistral-7B-v0.1"}


def opened(open_notebook: Any, name: str) -> Any:
    """Open a lab in a small window beside the file browser."""
    notebook = open_notebook(LABS[name], width=1280, height=720, shell="lab")
    notebook.page.locator(".attention-lab").first.wait_for()
    notebook.settle()
    notebook.page.evaluate("document.querySelector('.attention-lab').scrollIntoView({ block: 'start' })")
    return notebook


@pytest.mark.parametrize("name", NEW_START)
def test_a_message_lies_over_nothing_that_is_operated(name: str, open_notebook: Any, shots: Any) -> None:
    notebook = opened(open_notebook, name)
    page = notebook.page
    start = page.get_by_label("start from", exact=True)
    assert start.evaluate(CUT) == []
    start.select_option(label=NEW_START[name])
    page.locator(".lab-message", has_text="A new start").wait_for()
    notebook.settle()
    page.screenshot(path=shots / f"new_start_{name}.png")
    assert page.evaluate(COVERED) == {"said": "A new start; undo goes back.", "found": []}
    if name != "CacheStepper":
        return
    for typed, answer in {"the cat sat on the mat": "Your sentence", "word " * 40: "That is 40 tokens"}.items():
        notebook.type_into(page.get_by_label("own sentence", exact=True), typed)
        page.locator(".lab-message", has_text=answer).wait_for()
        notebook.settle()
        page.screenshot(path=shots / f"own_sentence_{answer[:4]}.png")
        seen = page.evaluate(COVERED)
        assert answer in seen["said"] and seen["found"] == []


def test_what_the_explorers_number_box_says_is_read_whole_and_lies_over_no_number(open_notebook: Any) -> None:
    notebook = opened(open_notebook, "Explorer")
    notebook.cell("W_K", 0, 0).click()
    notebook.type_into(notebook.page.locator(".explorer-value input").first, "1e9")
    said = notebook.page.locator(".explorer-value .number-said .widget-html-content", has_text="became 3")
    said.wait_for()
    notebook.settle()
    note, lab = (
        notebook.page.locator(part).bounding_box() for part in (".explorer-value .number-said", ".attention-lab")
    )
    assert note["y"] + note["height"] <= lab["y"] + lab["height"], "below its last line a lab is cut"
    grid = notebook.panel("W_V").locator(".av-grid").bounding_box()
    assert note["x"] >= grid["x"] + grid["width"] or note["y"] >= grid["y"] + grid["height"]


def test_what_each_check_does_is_read_beside_its_table(open_notebook: Any, shots: Any) -> None:
    """Opened, the text moves neither its summary nor the table, and is read whole; what is done next leaves it open."""
    notebook = opened(open_notebook, "MistakeLab")
    page = notebook.page
    summary, table = page.get_by_text("What each check does"), page.locator(".attention-mistakes-table table")
    before = [part.bounding_box() for part in (summary, table)]
    summary.click()
    notebook.settle()
    page.screenshot(path=shots / "what_each_check_does.png")
    after = [part.bounding_box() for part in (summary, table)]
    assert [(box["x"], box["y"]) for box in after] == [(box["x"], box["y"]) for box in before]
    assert abs(after[1]["y"] - notebook.panel("wrong").bounding_box()["y"]) < 20, "the table stands beside the maps"
    last = page.get_by_text("Heads apart: ")
    last.scroll_into_view_if_needed()
    text, window = last.bounding_box(), page.locator(".jp-WindowedPanel-outer").bounding_box()
    assert text["y"] + text["height"] <= window["y"] + window["height"]
    page.get_by_role("button", name="tell me").click()
    notebook.settle()
    assert last.is_visible()
