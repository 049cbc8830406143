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


ONE = np.array([[1.0], [1], [1], [0]])  # food + body + sea


def with_one_matrix(sentence):
    return self_attention(WORDS.embed(sentence), ONE, ONE, WORDS.W_V)


@pytest.mark.parametrize("meaning", ["pear", "belly", "ship"])
def test_one_matrix_reaches_a_tie(meaning):
    trace = with_one_matrix(WORDS.sentences[meaning])
    assert np.array_equal(WORDS.embed(WORDS.sentences[meaning]) @ ONE, [[0], [3], [0], [3]])
    assert np.allclose(trace.weights[[1, 1, 3, 3], [1, 3, 1, 3]], 1 / 2, atol=1e-3)
    assert "the score is 3·3 = 9" in prose()


def mutual(W_Q, W_K, sentence):
    X = WORDS.embed(sentence)
    return self_attention(X, W_Q, W_K, WORDS.W_V).weights[[1, 3], [3, 1]]


@pytest.mark.parametrize("meaning", ["pear", "belly", "ship"])
def test_two_matrices_let_each_look_at_the_other_and_it_takes_both_changes(meaning):
    W_Q, W_K = WORDS.W_Q.copy(), WORDS.W_K.copy()
    W_K[3, 3] = 1
    W_Q[:, 3] = 2, 2, 2, -6
    code = "".join(cell.source for cell in read(NOTEBOOKS / "01_self_attention.ipynb").cells)
    assert "offer[3, 3] = 1 " in code and "look[:, 3] = 2, 2, 2, -6 " in code
    sentence = WORDS.sentences[meaning]
    share = TRACE.weights[1, 3]
    assert np.allclose(mutual(W_Q, W_K, sentence), [share, share])
    assert np.allclose(mutual(WORDS.W_Q, W_K, sentence), [share, 1 / 4])
    assert np.allclose(mutual(W_Q, WORDS.W_K, sentence), [share, 1 / 4])
