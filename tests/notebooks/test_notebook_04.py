"""Notebook 04: what its prose and its table say comes out of a calculation."""

import itertools
from pathlib import Path

import nbformat
import numpy as np
import pytest

from attention_lib import cross_attention
from attention_lib.examples.sentence_pairs import load_pairs
from attention_lib.examples.small_models import load_writing_model
from attention_lib.lessons.cross_attention.trained_reading import words_found
from attention_lib.training.two_languages import draw_sentence, in_english

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


def test_the_verb_crosses_the_three_words_after_it() -> None:
    read = TRACE.weights.argmax(axis=-1)  # (n_queries,)
    crossing = [(i, j) for i, j in itertools.combinations(range(5), 2) if read[i] > read[j]]
    ate = PAIR.english.index("ate")
    assert [j for i, j in crossing if i == ate] == [2, 3, 4]
    assert not [i for i, j in crossing if j == ate]


def test_last_and_night_find_different_words_and_hand_on_the_same() -> None:
    last, night = 3, 4
    assert np.allclose(TRACE.output[last], TRACE.output[night])
    assert "(0, 0.10, 1.69)" in PROSE and TRACE.output[last].round(2).tolist() == [0, 0.1, 1.69]
    assert TRACE.weights[last].argmax() != TRACE.weights[night].argmax()


@pytest.mark.parametrize("name", ["W_Q", "W_K"])
def test_one_number_of_a_projection_moves_one_or_two_rows(name: str) -> None:
    moved = set()
    for i, j, step in itertools.product(range(4), range(4), (-1.0, 0.5)):
        changed = {"W_Q": PAIR.W_Q.copy(), "W_K": PAIR.W_K.copy(), "W_V": PAIR.W_V}
        changed[name][i, j] += step
        now = cross_attention(PAIR.X, PAIR.context, **changed).weights
        moved.add(int((~np.isclose(now, TRACE.weights)).any(axis=1).sum()))
    assert moved == {1, 2}
    assert "Changing a number in W_Q or W_K changes one or two of the five rows" in PROSE


def test_what_the_lab_is_said_to_show() -> None:
    for i, j in itertools.product(range(5), range(4)):
        X, context = PAIR.X.copy(), PAIR.context.copy()
        X[i, j] += 0.5
        context[i, j] += 0.5
        asks = cross_attention(X, PAIR.context, PAIR.W_Q, PAIR.W_K, PAIR.W_V)
        read = cross_attention(PAIR.X, context, PAIR.W_Q, PAIR.W_K, PAIR.W_V)
        assert np.flatnonzero(~np.isclose(asks.weights, TRACE.weights).all(axis=1)).tolist() == [i]
        assert np.flatnonzero(~np.isclose(read.scores, TRACE.scores).all(axis=0)).tolist() == [i]
        looking = np.flatnonzero(TRACE.Q @ (PAIR.W_K.T)[:, j])
        assert np.flatnonzero(~np.isclose(read.weights, TRACE.weights).all(axis=1)).tolist() == looking.tolist()


def test_each_of_three_trained_heads_finds_its_kinds_of_words_in_twenty_other_draws() -> None:
    model = load_writing_model()
    for seed in range(0, 21, 5):  # the notebook's own, and some of the others
        found = words_found(model, seed=seed)
        assert all(found[kind][:, 1, 3].all() for kind in ("adjective", "noun"))
        assert found["verb"][:, 1, 2].all()
        assert all(found[kind][:, 0, 1].all() for kind in ("time", "verb"))


def test_a_random_pick_finds_one_of_seven_and_a_time_word_stands_first() -> None:
    rng = np.random.default_rng(0)
    sentences = [draw_sentence(rng) for _ in range(200)]
    assert all(in_english(each)[0] == each.time for each in sentences if each.time)
    chances = []  # of each word with a counterpart, which stands once in its sentence
    for each in sentences:
        english = in_english(each)
        words = [word for word in each if word]
        chances += [english.count(word) / len(english) for word in words]
    assert round(1 / np.mean(chances)) == 7
