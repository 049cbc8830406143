"""Notebook 04: what its prose and its table say comes out of a calculation."""

import itertools
from pathlib import Path

import nbformat
import numpy as np
import pytest

from attention_lib import causal_mask, cross_attention, plots
from attention_lib.examples.sentence_pairs import load_pairs

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


def test_five_of_ten_pairs_of_beams_cross_and_the_verb_crosses_three() -> None:
    read = TRACE.weights.argmax(axis=-1)  # (n_queries,)
    crossing = [(i, j) for i, j in itertools.combinations(range(5), 2) if read[i] > read[j]]
    assert "Of the ten pairs of thick lines, five cross" in PROSE and len(crossing) == 5
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
    assert "A number of W_Q or W_K changes one or two of the five rows" in PROSE


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


def test_with_the_identity_as_W_K_no_word_finds_its_own() -> None:
    weights = cross_attention(PAIR.X, PAIR.context, PAIR.W_Q, np.eye(4), PAIR.W_V).weights
    assert not PAIR.alignment[np.arange(5), weights.argmax(axis=-1)].any()


def test_what_the_titles_of_the_pictures_say() -> None:
    """Each beam is thickest on the word that means the same; under a causal mask two cannot reach theirs."""
    own = PAIR.alignment
    assert (own[np.arange(5), TRACE.weights.argmax(axis=-1)]).all()
    ate, chicken = PAIR.english.index("ate"), PAIR.english.index("chicken")
    shut = (own & ~causal_mask(5)).any(axis=1)
    assert np.flatnonzero(shut).tolist() == [ate, chicken]
    cat = load_pairs()["cat"]
    alike = [word for word, row in zip(cat.english, cat.trace().weights) if np.ptp(row) < 1e-12]
    assert alike == ["The", "the"]


def test_the_picture_of_encoder_and_decoder_keeps_the_answer_about_causal_masks() -> None:
    picture = plots.encoder_decoder("a", "b", "c")
    words = " ".join(text.get_text() for text in picture.axes[0].texts) + picture.description
    assert "causal" not in words and "vectors of" in words
