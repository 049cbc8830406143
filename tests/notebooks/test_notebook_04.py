"""Notebook 04: what its prose and its table say comes out of a calculation."""

from dataclasses import replace
from pathlib import Path

import nbformat
import numpy as np
import pytest

from attention_lib.examples.sentence_pairs import load_pairs
from attention_lib.lessons.cross_attention.trained_reading import SHOWN, as_batch, counterparts_found, translation_task
from attention_lib.training.learning import answer, train

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "04_cross_attention.ipynb"
CELLS = nbformat.read(NOTEBOOK, as_version=4).cells
PROSE = "\n".join(cell.source for cell in CELLS if cell.cell_type == "markdown")
PAIR = load_pairs()["chicken"]


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
    layer, batch, new = translation_task(seed)
    learned = train(layer, batch, new, steps=200, every=200).last
    random_map = train(layer, batch, new, steps=200, every=200, frozen=("W_Q", "W_K")).last
    assert counterparts_found(learned.layer, new) >= 0.97
    assert learned.accuracy >= 0.97 and "at least 97% of the words" in PROSE
    assert 0.15 <= random_map.accuracy <= 0.37 and "only 15% to 37%" in PROSE
    exchanged = SHOWN._replace(korean=(*SHOWN.korean[:2], "고양이를", "개가", "본다"))
    both = as_batch([SHOWN, exchanged])
    reading, logits = answer(learned.layer, both.X, both.context)
    assert reading.weights.argmax(axis=-1).tolist() == [[0, 1, 2, 4, 3], [0, 1, 3, 4, 2]]
    assert "In each of the forty other draws, the two rows exchange what they read" in PROSE
    assert np.allclose(answer(learned.layer, both.X, both.context[:, ::-1])[1], logits)


def test_with_a_flat_map_all_rows_of_a_sentence_give_the_same_word() -> None:
    layer, _, new = translation_task(1)
    logits = answer(replace(layer, W_Q=0 * layer.W_Q), new.X, new.context)[1]
    assert np.allclose(logits, logits[:, :1]) and "the same output, and so the same word" in PROSE
