"""The decks, without a browser: what the cells say about slides, and what is exported from it."""

import re

import make_slides
import nbformat
import pytest
from notebook_tools import paths, read

from attention_lib import lessons

MOST_PAGES = 30
KINDS = {"slide", "subslide", "fragment", "notes", "skip", "-"}
LESSONS = {}  # the labs of each notebook
for lab, module in lessons.LABS.items():
    LESSONS.setdefault(module.partition(".")[0], []).append(lab)
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAADklEQVR4nGP4z8AAQQAJAAH/XpC4MwAAAABJRU5ErkJggg=="


def kind(cell):
    return cell.metadata.get("slideshow", {}).get("slide_type")


@pytest.mark.parametrize("path", paths(), ids=lambda path: path.stem)
def test_every_cell_says_where_it_stands_in_a_deck_that_opens_with_the_title_and_stays_short(path):
    cells = read(path).cells
    assert {cell.id: kind(cell) for cell in cells if kind(cell) not in KINDS} == {}
    assert kind(cells[0]) == "slide"
    assert 4 <= sum(kind(cell) in ("slide", "subslide") for cell in cells) <= MOST_PAGES


@pytest.mark.parametrize("path", paths()[1:], ids=lambda path: path.stem)
def test_a_deck_shows_the_lab_and_leaves_out_what_needs_a_hand(path):
    shown = [cell.source for cell in read(path).cells if kind(cell) not in ("skip", "notes")]
    labs = LESSONS.get(path.stem[3:], [])
    assert not labs or any(f"{lab}(" in source for lab in labs for source in shown)
    assert [source for source in shown if re.search(r"^(predict|check|progress)\(|^### Exercise", source, re.M)] == []


def small_notebook():
    v4 = nbformat.v4
    picture = v4.new_output("display_data", {"image/png": PNG, "text/plain": "배 attends most to <itself>, 0.13."})
    folded = v4.new_output("display_data", {"text/html": "<details>Two pixels.</details>"})
    text = "predict 01.x (run the notebook from the top to answer)\n  ○ each column\n  ○ each row"
    choices = v4.new_output("execute_result", {"text/plain": text})
    mark = v4.new_output("display_data", {"text/html": "<span class='attention-waits'></span>", "text/plain": ""})
    result = v4.new_output("stream", name="stdout", text="each row: 1.00")
    cells = [
        v4.new_markdown_cell("# Title\n\nSee [two](02_scaling.ipynb) and [the code](../attention_lib/masks.py)."),
        v4.new_markdown_cell("## A section\n\nWith a² and 1/2"),
        v4.new_markdown_cell("*Predict:* what comes?"),
        v4.new_code_cell('predict("01.x", answer="rows")', outputs=[choices]),
        v4.new_code_cell("plots.draw()", outputs=[picture, folded]),
        v4.new_code_cell('reveal("01.x")\nprint("by rows")', outputs=[mark, result]),
        v4.new_code_cell("forgotten()"),
        v4.new_markdown_cell("Say this."),
    ]
    for cell, slide_type in zip(cells, ["slide", "slide", "subslide", "skip", "fragment", "fragment", None, "notes"]):
        cell.metadata = {"slideshow": {"slide_type": slide_type}} if slide_type else {}
    return v4.new_notebook(cells=cells)


@pytest.fixture
def deck(tmp_path):
    nbformat.write(small_notebook(), tmp_path / "01_small.ipynb")
    return make_slides.export(tmp_path / "01_small.ipynb", tmp_path).read_text("utf-8")


def test_what_a_deck_shows_of_its_notebook(deck):
    assert 'alt="배 attends most to &lt;itself&gt;, 0.13."' in deck
    assert re.search(r"○ each column\s+○ each row", deck), "the choices of a prediction"
    assert "each row: 1.00" in deck, "a result that waits in the notebook"
    assert re.findall(r'running-head">([^<]+)<', deck) == ["A section"], "on pages without a heading"
    assert re.search(r'<aside class="notes">(?:(?!</aside>).)*Say this', deck, re.DOTALL)
    assert 'href="02_scaling.html"' in deck and 'href="../attention_lib/masks.py"' in deck


def test_what_a_deck_leaves_out(deck):
    code_and_marks = ["draw", "Two pixels", "run the cell", "predict(", "reveal(", "attention-waits", "forgotten"]
    assert [left_out for left_out in code_and_marks if left_out in deck] == []


@pytest.mark.parametrize(("name", "tag"), [("Why", "<details open>"), ("In PyTorch", "<details>")])
def test_what_a_text_folds_away_is_open_in_its_deck_and_code_is_not(name, tag):
    notebook = small_notebook()
    notebook.cells[1].source += f"\n\n<details><summary>{name}</summary>\n\nIt sums to 1.\n\n</details>"
    assert f"{tag}<summary>{name}</summary>" in make_slides.arrange(notebook).cells[1].source
