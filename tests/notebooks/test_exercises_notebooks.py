"""The notebooks hold the exercises and predictions of the registry and the tables."""

import re

import pytest
from notebook_tools import paths, put_exercises, read

from attention_lib.checks.registry import predictions

PATHS = paths()[1:]  # 00 asks nothing


def code(path):
    return "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "code")


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_each_exercise_stands_in_its_notebook_as_in_the_registry(path):
    assert put_exercises(read(path), path.stem) == read(path)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_predictions_and_their_table_agree(path):
    asked = re.findall(r'\bpredict\(\s*"([^"]+)"', code(path))
    assert len(asked) == len(set(asked)) >= 3
    assert set(asked) == set(predictions(path.stem[:2])), "the table holds what the notebook asks, and no more"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_progress_is_shown_after_everything_it_counts(path):
    text = code(path)
    assert text.count("progress()") == 1
    assert text.index("progress()") > max(match.end() for match in re.finditer(r"\b(predict|check)\(", text))
