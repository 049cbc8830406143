"""Notebook 04: what its prose and its table say comes out of a calculation."""

import itertools
from pathlib import Path

import nbformat
import numpy as np
import pytest

from attention_lib import cross_attention
from attention_lib.examples.sentence_pairs import load_pairs
from attention_lib.lessons.cross_attention.trained_reading import (
    ENGLISH,
    SHOWN,
    as_batch,
    counterparts_found,
    translation_task,
)
from attention_lib.training.learning import answer, train

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "04_cross_attention.ipynb"
CELLS = nbformat.read(NOTEBOOK, as_version=4).cells
PROSE = "\n".join(cell.source for cell in CELLS if cell.cell_type == "markdown")
PAIR = load_pairs()["chicken"]
TRACE = PAIR.trace()


def test_the_table_of_embeddings_is_that_of_the_file() -> None:
    lines = [line.strip("|").split("|") for line in PROSE.splitlines() if line.startswith("|")]
    rows = [
        [each.strip().split(" *(")[0].replace("−", "-") for each in line]
        for line in lines
        if len(line) == 11 and "-" not in line[0]
    ]
    assert [row[1:5] for row in rows[:1]] == [list(PAIR.columns["X"])]
    assert [row[7:11] for row in rows[:1]] == [list(PAIR.columns["context"])]
    body = rows[1:]
    assert [row[0] for row in body] == list(PAIR.english) and [row[6] for row in body] == list(PAIR.korean)
    assert np.array_equal([[float(each) for each in row[1:5]] for row in body], PAIR.X)
    assert np.array_equal([[float(each) for each in row[7:11]] for row in body], PAIR.context)


@pytest.mark.parametrize("name", ["W_Q", "W_K"])
def test_one_number_of_a_projection_moves_one_or_two_rows(name: str) -> None:
    moved = set()
    for i, j, step in itertools.product(range(4), range(4), (-1.0, 0.5)):
        changed = {"W_Q": PAIR.W_Q.copy(), "W_K": PAIR.W_K.copy(), "W_V": PAIR.W_V}
        changed[name][i, j] += step
        now = cross_attention(PAIR.X, PAIR.context, **changed).weights
        moved.add(int((~np.isclose(now, TRACE.weights)).any(axis=1).sum()))
    assert moved == {1, 2}
    assert "At the start of a goal, changing a number in W_Q or W_K changes one or two of the five rows" in PROSE


@pytest.mark.parametrize(("seed", "all_found"), [(0, True), (20, True), (22, False), (33, False), (40, True)])
def test_other_draws_learn_the_map_too(seed: int, all_found: bool) -> None:
    layer, batch, new = translation_task(seed)
    learned = train(layer, batch, new, steps=200, every=200).last
    found = counterparts_found(learned.layer, new)
    assert (found == 1) == all_found and found >= 0.97 and "at least 97 % of the rows did" in PROSE
    assert learned.accuracy >= 0.96 and "at least 96 % of the words" in PROSE


def test_a_right_map_may_still_give_a_wrong_word() -> None:
    """With seed 4, the moon is read and a dog is predicted."""
    layer, batch, new = translation_task(4)
    shown = as_batch([SHOWN])
    reading, logits = answer(train(layer, batch, new, steps=200, every=200).last.layer, shown.X, shown.context)
    assert reading.weights[0, 4, SHOWN.korean.index("달을")] > 0.8 and "a weight of more than 0.8" in PROSE
    assert ENGLISH[logits[0, 4].argmax()] == "dog" and "*dog* with seed 4" in PROSE
