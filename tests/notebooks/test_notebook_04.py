"""Notebook 04: what its prose and its table say comes out of a calculation."""

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


@pytest.mark.parametrize("seed", [0, 4, 5, 20, 22, 33, 40])  # with 22 and 33, not all rows are right
def test_other_draws_learn_the_map_too(seed: int) -> None:
    layer, batch, new = translation_task(seed)
    learned = train(layer, batch, new, steps=200, every=200).last
    random_map = train(layer, batch, new, steps=200, every=200, frozen=("W_Q", "W_K")).last
    assert counterparts_found(learned.layer, new) >= 0.97
    assert learned.accuracy >= 0.96 and "at least 96% of the words" in PROSE
    assert 0.165 <= random_map.accuracy < 0.375 and "only 17% to 37%" in PROSE
    shown, as_object = (
        as_batch([SHOWN]),
        as_batch([SHOWN._replace(korean=(*SHOWN.korean[:2], "고양이를", "달을", "본다"))]),
    )
    reading, logits = answer(learned.layer, shown.X, shown.context)
    wrong = np.flatnonzero(logits.argmax(axis=-1)[0] != shown.answers[0]).tolist()
    assert wrong == ([4] if seed in (0, 4, 5, 40) else []) and "four of them predict a wrong word" in PROSE
    assert counterparts_found(learned.layer, shown) == 1
    fall = reading.weights[0, 2, 2] - answer(learned.layer, as_object.X, as_object.context)[0].weights[0, 2, 2]
    assert fall >= 0.35 and "falls by at least 0.35" in PROSE
    assert np.allclose(answer(learned.layer, shown.X, shown.context[:, ::-1])[1], logits)
