"""Notebook 04: its predictions tell the truth, also after everything has run; sums in the prose of 03 and 04 add up."""

import math
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from attention_lib.exercises.predictions import Prediction
from attention_lib.exercises.progress import PROGRESS
from attention_lib.view import predict as predict_module

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "04_cross_attention.ipynb"
ANSWERS = {
    "04.map_shape": "target_by_source",
    "04.chicken": "치킨을",
    "04.values": "source",
    "04.row_sums": "rows",
    "04.reorder": "output_same",
    "04.padding": "shrink",
    "04.causal": "others",
    "04.self_case": "same",
}


def test_every_answer_is_right_once_the_whole_notebook_has_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that a later cell uses again would change an answer that is computed when asked."""
    asked: dict[str, Prediction] = {}

    class Noted(predict_module.PredictControl):
        def __init__(self, prediction: Prediction) -> None:
            asked[prediction.name] = prediction
            super().__init__(prediction)

    monkeypatch.setattr(predict_module, "PredictControl", Noted)
    monkeypatch.setattr(PROGRESS, "entries", {})  # the notebook's progress is not that of other tests
    monkeypatch.setattr(PROGRESS, "_watcher", None)
    scope: dict[str, Any] = {}
    for cell in nbformat.read(NOTEBOOK, as_version=4).cells:
        if cell.cell_type == "code":
            exec(cell.source, scope)
    assert {name: prediction.answer() for name, prediction in asked.items()} == ANSWERS


SUM = re.compile(r"(?<![\w\]])([(√−\d][\d.()·/+− √]*) = (−?\d+(?:\.\d+)?)")
SIGNS = str.maketrans({"−": "-", "·": "*"})


@pytest.mark.parametrize(("number", "fewest"), [("03", 2), ("04", 5)])
def test_a_sum_in_the_prose_gives_the_number_behind_its_equals_sign(number: str, fewest: int) -> None:
    """A reader who takes the printed numbers gets the printed digits."""
    (path,) = NOTEBOOK.parent.glob(f"{number}_*.ipynb")
    cells = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown"]
    found = [match for source in cells for match in SUM.findall(source) if re.search("[·/+√]", match[0])]
    assert len(found) >= fewest, found
    for terms, said in found:
        code = re.sub(r"√(\d+)", r"math.sqrt(\1)", terms.translate(SIGNS))
        digits = len(said.partition(".")[2])
        assert f"{eval(code, {'math': math}):.{digits}f}" == said.translate(SIGNS), f"{terms} = {said}"
