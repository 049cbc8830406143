"""The presenter's pages: minutes add up, and every heading, preset, prediction and number in them exists."""

import re

import lab_hands
import pytest
from notebook_tools import NOTEBOOKS, paths, read

from attention_lib import lessons

SHEETS = NOTEBOOKS / "presenting" / "run_sheets.md"
SHEET = re.compile(r"^## \[(\d\d) · [^]]+\]\(([^)]+)\), (\d+) minutes\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def labs_of(number):
    folder = notebook(number).stem[3:]
    names = [name for name, module in lessons.LABS.items() if module.partition(".")[0] == folder]
    return [lab_hands.opened(name) for name in names]


def text():
    return SHEETS.read_text("utf-8")


def sheets():
    return SHEET.findall(text())


def rows(table):
    return [(int(a), int(b), row) for row, a, b in re.findall(r"^(\| (\d+)–(\d+) \|.*)$", table, re.MULTILINE)]


def headings(cells):
    lines = [line for cell in cells if cell.cell_type == "markdown" for line in cell.source.splitlines()]
    return {match[1] for match in map(re.compile(r"#{1,3} (.+)").fullmatch, lines) if match}


def presets(number):
    """The entries of the menus of presets in a notebook's labs, each with its lab and its name there."""
    return {label: (lab, name) for lab in labs_of(number) for name, (label, _) in lab.presets.items()}


def notebook(number):
    return next(path for path in paths() if path.stem.startswith(number))


def test_there_is_a_sheet_for_every_notebook_but_the_first_and_the_minutes_of_each_and_of_two_hours_add_up():
    assert [number for number, *_ in sheets()] == [path.stem[:2] for path in paths()[1:]]
    assert all((SHEETS.parent / link).resolve() == notebook(number) for number, link, *_ in sheets())
    (two_hours,) = re.findall(r"^## Two hours.*?(?=^## )", text(), re.MULTILINE | re.DOTALL)
    for name, minutes, table in [("two hours", 120, two_hours), *((sheet[0], *sheet[2:]) for sheet in sheets())]:
        starts, ends, _ = zip(*rows(table))
        assert [*starts, int(minutes)] == [0, *ends] and all(start < end for start, end in zip(starts, ends)), name


@pytest.mark.parametrize("sheet", sheets(), ids=lambda sheet: sheet[0])
def test_everything_a_sheet_names_exists(sheet):
    number, _, _, table = sheet
    cells = read(notebook(number)).cells
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    assert set(re.findall(r"\*\*(.+?)\*\*", table)) - headings(cells) == set()
    named = set(re.findall(r"`(.+?)`", table))
    predictions = {name for name in named if re.fullmatch(r"\d\d\.\w+", name)}
    assert predictions
    assert predictions <= set(re.findall(r'predict\(\s*"([^"]+)"', code))
    starts = presets(number).keys()
    assert len(named - predictions) >= (2 if starts else 0)
    assert named - predictions - starts == set()


NUMBER = re.compile(r"−?\d+\.\d+|\d+%")
SHOWN_BY = ("description", "value", "_options_labels", "_markup", "_shares")


def numbers_of(widget):
    """Every decimal number and every share in what a widget shows."""
    own = {n for name in SHOWN_BY for n in NUMBER.findall(str(getattr(widget, name, "")).replace("-", "−"))}
    return own.union(*map(numbers_of, getattr(widget, "children", ())))


def is_shown(claim, lab):
    """Whether a number stands in the words of a lab, or is one of its numbers, rounded."""
    panels = lab.view.panels if lab.view else {}
    titles = {number for panel in panels.values() for number in NUMBER.findall(panel.title)}
    digits = len(claim.partition(".")[2])
    rounded = {f"{value:.{digits}f}".replace("-", "−") for name in panels for value in lab.view[name].flat}
    return claim in numbers_of(lab) | titles | rounded


@pytest.mark.parametrize("sheet", sheets(), ids=lambda sheet: sheet[0])
def test_a_number_stands_behind_a_preset_whose_lab_shows_it_and_a_goal_is_reached_where_the_sheet_says_so(sheet):
    starts = presets(sheet[0])
    others = re.sub(r"\*\*.*?\*\*", "", sheet[3])  # without the headings of the notebook
    for label, said in re.findall(r"`([^`]+)`([^`|]*)", sheet[3]):
        if label in starts:
            lab, name = starts[label]
            lab._starts.value = name
            assert [claim for claim in NUMBER.findall(said) if not is_shown(claim, lab)] == [], label
            assert "is-reached" in lab.goal._dom_classes or "the goal is reached" not in said, label
            others = others.replace(said, "")
    assert NUMBER.findall(others) == []
