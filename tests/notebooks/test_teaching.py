"""The rules of teaching hold in each notebook, and each rule finds what breaks it."""

import copy
import functools

import nbformat
import numpy as np
import pytest
import teaching
from notebook_tools import FURTHER_CLOSED, clean, paths, read

import attention_lib
from attention_lib._words import LOCALE
from attention_lib.checks.predict import predict
from attention_lib.checks.predictions import Question

BY_NUMBER = {path.stem[:2]: path for path in paths()}
EDITIONS = [
    path for language in sorted(LOCALE.iterdir()) for path in (BY_NUMBER["00"].parent / language.name).glob("*.ipynb")
]
v4 = nbformat.v4


@functools.cache
def run_of(number):
    return teaching.run_notebook(BY_NUMBER[number])


@pytest.mark.parametrize("number", BY_NUMBER)
def test_the_rules_are_kept_each_cell_prints_what_is_stored_and_answers_are_the_same_after_run_all(number):
    """A notebook computes each answer from its own variables.

    If a later cell gives a variable another meaning, a reader who commits late would be told something else.
    """
    run = run_of(number)
    assert run.other == []
    assert teaching.faults(read(BY_NUMBER[number]), run) == []
    assert run.last == run.first
    assert run.first.keys() == run.predictions.keys(), "an answer that nothing in the notebook computes"


@pytest.mark.parametrize("path", EDITIONS, ids=lambda path: f"{path.parent.name} {path.stem}")
def test_no_translation_gives_an_answer_away_and_each_cell_prints_what_is_stored(path):
    try:
        run = teaching.run_notebook(path)  # its first cell chooses the language
        assert run.other == []
        assert list(teaching.prediction_faults(read(path), run)) == []
    finally:
        attention_lib.language("en")


def test_every_notebook_but_the_first_shows_a_step_in_pytorch_that_agrees_with_our_numbers():
    texts = {number: "\n".join(cell.source for cell in read(path).cells) for number, path in BY_NUMBER.items()}
    assert [number for number, text in texts.items() if number != "00" and not teaching.FOLD.search(text)] == []
    pytest.importorskip("torch")
    assert {number: run_of(number).folds for number in BY_NUMBER if run_of(number).folds} == {}


# What follows from tags


def test_cells_are_closed_as_their_tags_say_and_as_nothing_else_does():
    cells = [
        v4.new_markdown_cell("## Further"),
        v4.new_markdown_cell("## Furthermore"),
        v4.new_code_cell("predict('a')", metadata={"tags": ["predict"]}),
        v4.new_code_cell('draw(x,\ntitle="It grows")', metadata={"tags": ["reveal"]}),
        v4.new_code_cell("draw(x, title=found)", metadata={"tags": ["reveal"]}),
        v4.new_code_cell("x", metadata={"jupyter": {"outputs_hidden": True}}),
    ]
    cells[1].metadata.update(FURTHER_CLOSED)
    kept = [cell.metadata for cell in clean(v4.new_notebook(cells=cells)).cells]
    assert kept[:2] == [FURTHER_CLOSED, {}]
    assert kept[2]["jupyter"] == {"source_hidden": True}
    assert kept[3]["jupyter"] == {"outputs_hidden": True, "source_hidden": True}
    assert kept[4]["jupyter"] == {"outputs_hidden": True}
    assert kept[5] == {}


# Each rule, broken once


def notebook_of(*cells):
    """Cells from short forms: text, or (code, text output, tags)."""
    made = []
    for cell in cells:
        if isinstance(cell, str):
            made.append(v4.new_markdown_cell(cell))
        else:
            source, text, *tags = cell
            outputs = [v4.new_output("stream", name="stdout", text=text)] if text else []
            made.append(v4.new_code_cell(source, outputs=outputs, metadata={"tags": tags}))
    return clean(v4.new_notebook(cells=made))


QUESTION = Question("topic", "right", {}, {"rows": "each row, of its own", "all": "all"})
ASK = ('predict(\n    "99.a", answer=found\n)', "", "predict")
REVEAL = ("print('The sums:', sums)", "The sums:\n1.00", "reveal")


def run_with(question=QUESTION, answer="rows"):
    prediction = predict("01.scores_shape", answer="pairs").prediction
    asked = copy.copy(prediction)
    asked.question, asked._answer, asked.choices = question, answer, dict(question.choices)
    return teaching.Run(predictions={"99.a": asked})


def prediction_faults(*cells, **asked):
    return list(teaching.prediction_faults(notebook_of(*cells), run_with(**asked)))


def test_a_prediction_before_its_answer_has_no_faults():
    folded = "<details><summary>Why</summary>each row, of its own</details>"
    assert prediction_faults("# Title", ASK, REVEAL, folded) == []
    assert prediction_faults("# Title", ASK, REVEAL, "text", "more", "each row, of its own") == []


@pytest.mark.parametrize(
    "cells",
    [
        ["## Each Row, of its own", ASK, REVEAL],
        [("draw(title='each row, of its own')", ""), ASK, REVEAL],
        [("x", "each row, of its own"), ASK, REVEAL],
        [ASK, REVEAL, "Each row, of its own, sums to 1."],
        [ASK, ("draw()  # each row, of its own", "The sums:\n1", "reveal")],
        [ASK, ("print(sums)", "each row, of its own\n1", "reveal")],
        [ASK, ("draw()  # each row, of its own", "The sums:\n1", "reveal", "fold")],
        [('found = "each row, of its own"\npredict(\n    "99.a", answer=found\n)', "", "predict"), REVEAL],
        [('predict("99.a", answer=found)', "", "predict"), REVEAL],
        [("draw(title='each row, of its own')", "The sums:", "reveal"), ASK],
        [(ASK[0], ""), REVEAL],
        [ASK, ("print(sums)", "0.12\n0.13", "reveal")],
    ],
    ids=range(12),
)
def test_an_answer_in_sight_is_a_fault(cells):
    assert len(prediction_faults("# Title", *cells)) == 1


def test_the_digits_of_a_number_are_looked_for():
    number = Question("topic", "right", {}, digits=3)
    for text, n_faults in {"It is 2.718.": 1, "It is 2.72.": 1, "12.718 and 2.7185 and 2.7": 0}.items():
        assert len(prediction_faults("# Title", text, ASK, REVEAL, question=number, answer=np.e)) == n_faults


def drawn(*calls):
    """What a notebook of these calls draws."""
    run = teaching.Run()
    for i, (function, *arguments, named) in enumerate(calls):
        teaching.noted(getattr(teaching.plots, function), run, f"cell-{i}")(*arguments, **named)
    return run


EVEN, SHARP, AB = np.full((2, 2), 0.5), np.array([[0.9, 0.1], [0.2, 0.8]]), ["a", "b"]


MAP = ("heatmap", EVEN, AB, AB, {"title": "even", "vmax": 1})


@pytest.mark.parametrize(
    ("calls", "n_faults"),
    [
        ([MAP, ("heatmaps", {"sharp": SHARP, "other": SHARP[::-1]}, AB, AB, {"title": "two", "vmax": 1})], 0),
        ([MAP, MAP], 1),
        ([("heatmap", EVEN, AB, AB, {"title": "a"}), ("heatmap", SHARP, AB, AB, {"title": "b"})], 1),
        ([("heatmaps", {"scores": 3 * SHARP, "half": SHARP / 2}, AB, AB, {"title": "two"})], 1),
    ],
    ids=["different", "twice", "two scales", "not said"],
)
def test_each_fault_of_pictures_is_found(calls, n_faults):
    assert len(list(teaching.map_faults(drawn(*calls)))) == n_faults


GLOSSES = ["배 *(pear)*", "배 (pear, ship)", "**배**, *pear*", "배: *pear*", "| 배 | pear |", "| belly<br>ship | 배 |"]


@pytest.mark.parametrize("gloss", GLOSSES)
def test_a_gloss_in_each_form_is_known(gloss):
    assert list(teaching.gloss_faults(notebook_of("# 배", gloss, ("x", "배: 0.1")))) == []


def test_words_without_a_gloss_are_found():
    notebook = notebook_of("# 배 *(pear)* and 가 *(subject)*", "배가", ("'먹었다'", "고파서 0.87"))
    assert list(teaching.gloss_faults(notebook)) == ["no gloss for 고파서, 먹었다"]
    assert list(teaching.gloss_faults(notebook_of("| 배 | 가 |"))) == ["no gloss for 가, 배"]


def fold_of(code):
    return f"text\n\n<details><summary>In PyTorch</summary>\n\n```python\n{code}\n```\n\n</details>"


GOOD_FOLD = "import torch\nassert torch.allclose(torch.tensor(ours), torch.tensor(2.0))"


@pytest.mark.parametrize(
    ("broken", "ours", "n_faults"),
    [
        ("", 2.0, 0),
        ("", 3.0, 1),
        ("\nassert missing", 2.0, 1),
        ("x = 1\n" * teaching.MOST_FOLD_LINES, 2.0, 1),
    ],
    ids=["fine", "other numbers", "fails", "too long"],
)
def test_a_fold_runs_beside_the_numbers_of_the_notebook(broken, ours, n_faults):
    pytest.importorskip("torch")
    (code,) = teaching.FOLD.findall(fold_of(GOOD_FOLD))
    assert len(list(teaching.try_fold(code + broken, {"ours": ours}))) == n_faults
    assert len(list(teaching.try_fold("import torch\nours = 3", {}))) == 1  # it compares nothing


def test_a_notebook_is_run_with_its_folds_at_their_place_and_what_changes_or_is_other_than_stored_is_found(tmp_path):
    pytest.importorskip("torch")
    sources = [
        ("ours = 2.0\nprint(ours)", "2.0\n"),
        fold_of(GOOD_FOLD),
        ("ours = 3.0\nfrom attention_lib.checks.predict import predict\nprint(ours)", "2.0\n"),
        fold_of(GOOD_FOLD),
        ('predict("01.scores_shape", answer=lambda: found)', "", "predict"),
        ('predict("01.three", answer=lambda: never)', "", "predict"),
        ("found = 'pairs'", ""),
        ("found = 'tokens'", ""),
        ("1 / 0", "", "raises-exception"),
    ]
    nbformat.write(notebook_of("# Title", *sources), tmp_path / "a.ipynb")
    run = teaching.run_notebook(tmp_path / "a.ipynb")
    assert len(run.folds) == 1 and "AssertionError" in run.folds[0]
    assert len(run.other) == 3  # the printed number, and the words of two predictions
    assert (run.first, run.last) == ({"01.scores_shape": "pairs"}, {"01.scores_shape": "tokens"})
    assert list(run.predictions) == ["01.scores_shape", "01.three"]
    assert teaching.predict_module.predict is predict
