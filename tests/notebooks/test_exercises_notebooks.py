"""The notebooks hold the exercises and predictions of the registry and the tables, and every solution passes there."""

import pathlib
import re

import nbformat
import pytest

from attention_lib.checks import exercise_cells, exercise_names, exercises
from attention_lib.checks.predictions import find_question
from attention_lib.checks.registry import notebooks, predictions

FOLDER = pathlib.Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = [notebook for notebook in notebooks() if exercise_names(notebook)]


def cells(notebook: str) -> list[tuple[str, str]]:
    """Return (kind, source) of each cell."""
    return [(cell.cell_type, cell.source) for cell in nbformat.read(FOLDER / f"{notebook}.ipynb", 4).cells]


def code(notebook: str) -> str:
    return "\n".join(source for kind, source in cells(notebook) if kind == "code")


@pytest.mark.parametrize("name", [name for notebook in NOTEBOOKS for name in exercise_names(notebook)])
def test_exercise_stands_in_its_notebook_as_in_the_registry(name):
    found, wanted = cells(exercises()[name].notebook), exercise_cells(name)
    assert wanted[2] in found, "the exercise is not in its notebook"
    check = found.index(wanted[2])
    assert found[check - 2 : check + 2] == wanted


@pytest.mark.parametrize("notebook", notebooks())
def test_predictions_and_their_table_agree(notebook):
    asked = re.findall(r'\bpredict\(\s*"([^"]+)"', code(notebook))
    assert len(asked) == len(set(asked)) >= 3
    assert all(find_question(name) for name in asked)
    table = predictions(notebook[:2])
    assert set(asked) == set(table), "the table holds what the notebook asks, and no more"


@pytest.mark.parametrize("notebook", notebooks())
def test_progress_is_shown_after_everything_it_counts(notebook):
    text = code(notebook)
    assert text.count("progress()") == 1
    assert text.index("progress()") > max(match.end() for match in re.finditer(r"\b(predict|check)\(", text))
