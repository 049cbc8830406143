"""Every lab, opened once and looked at in every way: before an audience, on a narrow page, by Tab and by axe-core."""

import os
from typing import Any

import present
import pytest
from harness import first_of
from test_for_everyone import AXE, CELLS, LABS, MOST_TABS, OUTPUT, RUN_AXE, STOPS, STOPS_OF_PARTS
from test_one_screen import AUDIENCE, DIGITS, PLACES, look

SHOWN = CELLS | AUDIENCE
CODE = f"{OUTPUT} .lab-code-switch"
WITHOUT_CODE = ("CacheSize", "DecodeTimer", "MovingPoint", "OverflowLab")
TYPE = present.SETTINGS["@jupyterlab/apputils-extension:themes"]["overrides"]
LARGE_TYPE = """(sizes) => Object.entries(sizes).forEach(
    ([name, size]) => document.documentElement.style.setProperty(name, size))"""
OWN_TYPE = "(names) => names.forEach((name) => document.documentElement.style.removeProperty(name))"

# What is read from the last row, of those labs that have room for it on one screen.
READ = {"Explorer": '[data-panel^="W_"]', **dict.fromkeys(("MistakeLab", "TurningLab, one", "TurningLab, four"), "")}
SMALLEST = """(part) => Math.min(...[...document.querySelectorAll(
    `.attention-lab ${part} :is(.av-cell, .av-row-label, .av-column-label), .turning-dials text`)]
    .map((node) => parseFloat(getComputedStyle(node).fontSize)))"""

# The scope of what follows makes pytest run all tests of one lab one after the other.


@pytest.mark.parametrize("name", AUDIENCE, scope="module")
def test_a_lab_stands_on_one_screen_before_an_audience_and_scrolls_on_a_narrow_page(
    name: str, open_notebook: Any, shots: Any
) -> None:
    notebook = open_notebook.look_at(SHOWN[name], height=660)
    notebook.page.evaluate(LARGE_TYPE, {f"--jp-{variable}": size for variable, size in TYPE.items()})
    style = notebook.page.add_style_tag(content=present.STYLE.read_text("utf-8"))
    boxes = look(notebook, shots / f"audience_{name}.png")
    assert boxes["height"] <= boxes["seen"]
    assert (boxes["outside"], boxes["cut"]) == ([], [])
    if name == "Explorer":  # the run sheets promise it to the last row
        assert min(notebook.page.evaluate(DIGITS)) >= 15
    if name in READ:
        assert notebook.page.evaluate(SMALLEST, READ[name]) >= 14
    style.evaluate("(style) => style.remove()")

    notebook.use_size(800, 900)
    boxes = look(notebook, shots / f"narrow_{name}.png")
    assert (boxes["outside"], boxes["cut"]) == ([], [])
    notebook.page.evaluate(OWN_TYPE, [f"--jp-{variable}" for variable in TYPE])


@pytest.mark.parametrize("name", [name for name in LABS if name not in WITHOUT_CODE], scope="module")
def test_the_switch_of_the_code_stays_under_the_pointer(name: str, open_notebook: Any) -> None:
    notebook = open_notebook(LABS[name], shell="lab", width=1280, height=720)
    notebook.page.locator(CODE).first.wait_for()
    notebook.settle()
    before = notebook.page.evaluate(PLACES)
    notebook.grab(notebook.page.locator(CODE))
    for is_open in (True, False):
        notebook.page.mouse.up()
        notebook.settle()
        assert notebook.page.locator(f"{OUTPUT} .lab-code textarea").is_visible() == is_open
        assert notebook.page.evaluate(PLACES) == before
        notebook.page.mouse.down()
    notebook.page.mouse.up()


@pytest.mark.parametrize("dark", first_of([False, True]), ids=["light", "dark"])
@pytest.mark.parametrize("name", CELLS, scope="module")
def test_tab_stops_are_few_and_axe_finds_nothing(name: str, dark: bool, open_notebook: Any) -> None:
    """From any control to any other: a matrix that is edited is one stop, all others are one together, and so is each
    row of buttons."""
    notebook = open_notebook.look_at(SHOWN[name], dark=dark)
    if name in LABS:
        stops = notebook.page.locator(OUTPUT).first.evaluate(STOPS)
        assert len(stops) - 1 <= MOST_TABS, stops
        parts = notebook.page.locator(f"{OUTPUT} .attention-lab").evaluate(STOPS_OF_PARTS)
        assert {name: set(counts) for name, counts in parts.items() if set(counts) - {1}} == {}, parts
    if not AXE.exists():
        assert os.environ.get("CI") != "true", "axe-core is not installed: npm ci"
        pytest.skip("axe-core is not installed: npm ci")
    if notebook.page.evaluate("typeof axe") == "undefined":
        notebook.page.evaluate(AXE.read_text("utf-8"))
    for switch in notebook.page.locator(f"{OUTPUT} .widget-toggle-button:text-is('show as code')").all():
        notebook.as_it_opened = False
        switch.click()
        notebook.settle()
    found = notebook.await_("axe", RUN_AXE)
    assert found == []
