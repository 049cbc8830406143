"""Predictions keep their answers: committed right after the reveal or after Run All, the answer is the same.

A notebook computes each answer from its own variables. If a later cell gives a
variable another meaning, a reader who commits late would be told something else.
"""

import warnings

import numpy as np
import pytest
from notebook_tools import paths, read

import attention_lib.view.predict as predict_module


class Recorder:
    """Stands for `predict`: after each cell that follows, asks for the answers that could not be computed before."""

    def __init__(self):
        self.asked = {}  # name -> the answer argument
        self.first = {}  # name -> the first answer that could be computed

    def __call__(self, name, answer=None, **_):
        self.asked[name] = answer
        self.first.pop(name, None)

    def answers(self, known=()):
        for name, answer in self.asked.items():
            if name in known:
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    yield name, plain(answer() if callable(answer) else answer)
            except Exception:  # its cell has not run yet
                continue

    def after_cell(self):
        self.first |= dict(self.answers(known=self.first))


def plain(answer):
    return round(float(answer), 9) if isinstance(answer, (int, float, np.number)) else str(answer)


def run(path, monkeypatch):
    """Run a notebook's cells in this process, as Run All would."""
    recorder = Recorder()
    monkeypatch.setattr(predict_module, "predict", recorder)
    monkeypatch.chdir(path.parent)
    scope = {"__name__": "__main__"}
    for cell in read(path).cells:
        if cell.cell_type == "code":
            exec(compile(cell.source, f"{path.name}, cell {cell.id}", "exec"), scope)
            recorder.after_cell()
    return recorder


@pytest.mark.parametrize("path", paths(), ids=lambda path: path.stem)
def test_answers_are_the_same_after_run_all(path, monkeypatch):
    recorder = run(path, monkeypatch)
    assert dict(recorder.answers()) == recorder.first
    assert recorder.first.keys() == recorder.asked.keys(), "an answer that nothing in the notebook computes"
