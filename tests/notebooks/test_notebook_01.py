"""Notebook 01: what its prose says and no cell prints comes out of a calculation."""

import re

import numpy as np
import pytest
from notebook_tools import NOTEBOOKS, read

from attention_lib import scaled_dot_product_attention, self_attention, softmax
from attention_lib.examples.three_meanings import load_meanings
from attention_lib.examples.worked import load_example

WORDS = load_meanings()
BELLY = WORDS.sentences["belly"]
TRACE = WORDS.trace(BELLY)


def prose():
    cells = read(NOTEBOOKS / "01_self_attention.ipynb").cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def test_the_table_of_words_is_the_data():
    table = re.findall(r"^\| ([가-힣, ]+) \| [^|]+ \| ([^|]+) \| (\d) \| (\d) \| (\d) \|$", prose(), re.MULTILINE)
    assert len(table) == 6
    for words, _, *numbers in table:
        for word in words.split(", "):
            assert np.array_equal(WORDS.embeddings[word][:3], np.array(numbers, float)), word
            assert WORDS.embeddings[word][3] == (word == WORDS.word)


@pytest.mark.parametrize("meaning", range(3))
def test_each_neighbour_pulls_towards_its_own_meaning(meaning):
    text = WORDS.sentences[["pear", "belly", "ship"][meaning]]
    X = WORDS.meaning_of(text)
    assert text in "".join(cell.source for cell in read(NOTEBOOKS / "01_self_attention.ipynb").cells)
    end = (softmax(X @ X.T / np.sqrt(3)) @ X)[1]
    assert np.argmax(end) == meaning and end.max() < 3 / 2 * (1 + 1 / 3), "less than half of the way and of itself"


def test_the_example_by_hand_is_what_the_prose_says():
    cell = next(cell for cell in read(NOTEBOOKS / "01_self_attention.ipynb").cells if cell.id == "hand-load")
    names = {"np": np}
    exec(cell.source, names)
    Q, K, V = (names[name] for name in "QKV")
    trace = scaled_dot_product_attention(Q, K, V)
    it, cat, milk = (names["sentence"].index(token) for token in ("it", "cat", "milk"))
    assert (Q[it].tolist(), K[it].tolist()) == ([2, 1, 0, 0], [1, 0, 0, 0])
    assert "(2, 1, 0, 0)" in prose() and "(1, 0, 0, 0)" in prose()
    shares = f"*it* takes {trace.weights[it, cat]:.2f} of what *cat* hands over, {trace.weights[it, milk]:.2f} of what"
    assert shares in prose() and trace.weights[it, cat] > 1 / 2
    food, body, sea = TRACE.output[3, :3]
    assert f"its output is ({food:.2f}, {body:.0f}, {sea:.2f})" in prose()


def test_only_배_is_open_and_its_key_is_nothing():
    assert np.array_equal(TRACE.Q[1], [2, 2, 2, 0]) and not np.delete(TRACE.Q, 1, axis=0).any()
    assert not TRACE.K[1].any() and np.array_equal(TRACE.K[3], [0, 3, 0, 0])


def test_the_article_of_eight_words_is_nearly_flat_under_its_own_numbers():
    weights = load_example("bae_hungry").trace().weights
    assert np.abs(weights - 1 / 8).max() < 0.01
    assert WORDS.trace("어제 밤에 배 가 고파서 치킨을 시켜서 먹었다").weights[2].argmax() == 4


def test_two_matrices_let_the_two_words_look_at_each_other_and_a_second_layer_reads_body():
    look, offer = WORDS.W_Q.copy(), WORDS.W_K.copy()
    look[:, 3] = 2, 2, 2, -6
    offer[3, 3] = 1
    code = "".join(cell.source for cell in read(NOTEBOOKS / "01_self_attention.ipynb").cells)
    assert "look[:, 3] = 2, 2, 2, -6 " in code and "offer[3, 3] = 1 " in code
    for meaning, axis in {"pear": 0, "belly": 1, "ship": 2}.items():
        X = WORDS.embed(WORDS.sentences[meaning])
        first = self_attention(X, look, offer, WORDS.W_V)
        assert np.allclose(first.weights[[1, 3], [3, 1]], TRACE.weights[1, 3])
        assert np.ptp(first.output[3, :3]) < 0.15, "the old row of 배 says all three"
        second = self_attention(X + first.output, look, offer, WORDS.W_V)
        assert second.output[3, axis] > 3 * np.delete(second.output[3, :3], axis).max()


def test_one_matrix_could_serve_배_but_gives_the_same_score_back():
    W = np.diag([4.0, 4, 4, 0])
    W[3, :3] = -2
    for meaning in ("pear", "belly", "ship"):
        trace = self_attention(WORDS.embed(WORDS.sentences[meaning]), W, W, WORDS.W_V)
        assert trace.weights[1, 3] > 0.99 and trace.scores[1, 3] == trace.scores[3, 1] > 0
        assert round(WORDS.trace(WORDS.sentences[meaning]).weights[1, 3], 2) == 0.87
    assert (TRACE.scores[1, 3], TRACE.scores[3, 1]) == (6, 0)


def test_softmax_down_the_columns_passes_the_row_sums_where_all_scores_are_equal():
    assert np.allclose(softmax(np.zeros((4, 4)), axis=0).sum(axis=-1), 1)


def test_what_the_lab_says_of_its_two_numbers():
    """The test of the explorer tries all 32; here are those that the text gives."""
    W_K, W_Q = np.eye(4), np.eye(4)
    W_K[3, 3], W_Q[3, 1] = -3, 1
    X = WORDS.embed(BELLY)
    start, with_key = self_attention(X, np.eye(4), np.eye(4), np.eye(4)), self_attention(X, np.eye(4), W_K, np.eye(4))
    assert start.scores[1, [1, 3]].tolist() == [4, 3] and with_key.scores[1, [1, 3]].tolist() == [0, 3]
    asks = [
        self_attention(WORDS.embed(WORDS.sentences[m]), W_Q, np.eye(4), np.eye(4)) for m in ("belly", "pear", "ship")
    ]
    weights = [start, with_key, *asks]
    assert [f"{trace.weights[1, 3]:.3f}" for trace in weights] == ["0.323", "0.599", "0.586", "0.240", "0.240"]
    assert all(number in prose() for number in ("0.323", "0.599", "0.586", "0.240"))
