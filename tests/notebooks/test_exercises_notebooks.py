"""The notebooks hold the exercises and predictions of the registry and the tables."""

import re

import pytest
from notebook_tools import paths, put_exercises, read

from attention_lib.checks.registry import predictions

PATHS = paths()[1:]  # 00 asks nothing


def code(path):
    return "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "code")


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_exercises_stand_in_their_notebook_as_in_the_registry_and_predictions_as_in_their_table(path):
    assert put_exercises(read(path), path.stem) == read(path)
    asked = re.findall(r'\bpredict\(\s*"([^"]+)"', code(path))
    assert len(asked) == len(set(asked)) >= 3
    assert set(asked) == set(predictions(path.stem[:2])), "the table holds what the notebook asks, and no more"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_progress_is_shown_after_everything_that_is_not_further(path):
    cells = read(path).cells
    further = next((i for i, cell in enumerate(cells) if cell.source.startswith("## Further")), len(cells))
    code_cells = [i for i, cell in enumerate(cells) if cell.cell_type == "code"]
    counted = [i for i in code_cells if i < further and re.search(r"\b(predict|check)\(", cells[i].source)]
    (shown,) = (i for i in code_cells if "progress()" in cells[i].source)
    assert shown > counted[-1]
