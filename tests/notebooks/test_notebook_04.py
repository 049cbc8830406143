"""Notebook 04: what its prose and its table say comes out of a calculation."""

from dataclasses import replace
from pathlib import Path

import nbformat
import numpy as np
import pytest

from attention_lib.examples.sentence_pairs import load_pairs
from attention_lib.lessons.cross_attention import trained_reading as task
from attention_lib.training.learning import answer, train

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "04_cross_attention.ipynb"
CELLS = nbformat.read(NOTEBOOK, as_version=4).cells
PROSE = "\n".join(cell.source for cell in CELLS if cell.cell_type == "markdown")
PAIR = load_pairs()["chicken"]
PEAR, EATS = task.ENGLISH.index("pear"), task.ENGLISH.index("eats")


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


@pytest.mark.parametrize("seed", [0, 1, 7, 12, 22, 23, 30, 33, 38, 39, 40])  # the best and the worst of forty-one
def test_other_draws_learn_the_map_too(seed: int) -> None:
    layer, batch, new = task.translation_task(seed)
    learned = train(layer, batch, new, steps=200, every=200).last
    no_queries = replace(layer, W_Q=0 * layer.W_Q)
    flat = train(no_queries, batch, new, steps=200, every=200, frozen=("W_Q", "W_K")).last
    assert task.counterparts_found(learned.layer, new) >= 0.97
    assert learned.accuracy >= 0.97 and "at least 97% after training" in PROSE
    assert 0.19 <= flat.accuracy <= 0.20 and "19% to 20% with the flat map" in PROSE
    english = ("today", "the", "small", "dog", "sees", "the", "cat")
    both = task.as_batch([task.SHOWN, task.Pair(english, ("오늘", "작은", "고양이를", "개가", "본다"))])
    reading, logits = answer(learned.layer, both.X, both.context)
    assert reading.weights.argmax(axis=-1).tolist() == [[0, 1, 2, 4, 3], [0, 1, 3, 4, 2]]
    assert np.array_equal(logits.argmax(axis=-1), both.answers) == (seed != 12)
    assert "the two rows swap nouns too; in 39, all predicted words are right" in PROSE
    assert np.allclose(answer(learned.layer, both.X, both.context[:, ::-1])[1], logits)
    pears = (new.answers[:, 4] == PEAR) & (new.X[:, 4, EATS] == 1)
    right = answer(learned.layer, new.X[pears], new.context[pears])[1][:, 4].argmax(axis=-1) == PEAR
    assert right.tolist() == [seed not in (7, 22, 39)] * len(right) and "In three of the forty other draws" in PROSE
