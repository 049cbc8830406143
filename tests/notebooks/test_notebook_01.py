"""Notebook 01: what its prose says and no cell prints comes out of a calculation."""

import re

import numpy as np
import pytest
from notebook_tools import NOTEBOOKS, read

from attention_lib import scaled_dot_product_attention, self_attention, softmax
from attention_lib.examples.three_meanings import load_meanings
from attention_lib.examples.trained_heads import load_sentence
from attention_lib.examples.worked import load_example
from attention_lib.lessons.self_attention.explorer_starts import starts, with_words

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


def example():
    cell = next(cell for cell in read(NOTEBOOKS / "01_self_attention.ipynb").cells if cell.id == "hand-load")
    names = {"np": np}
    exec(cell.source, names)
    return names["sentence"], scaled_dot_product_attention(names["Q"], names["K"], names["V"])


def test_the_example_by_hand_is_what_the_prose_says():
    sentence, trace = example()
    it, cat, milk = (sentence.index(token) for token in ("it", "cat", "milk"))
    assert (trace.Q[it].tolist(), trace.K[it].tolist()) == ([2, 1, 0, 0], [1, 0, 0, 0])
    assert "(2, 1, 0, 0)" in prose() and "(1, 0, 0, 0)" in prose()
    shares = f"*it* takes {trace.weights[it, cat]:.2f} of what *cat* hands over, {trace.weights[it, milk]:.2f} of what"
    assert shares in prose() and trace.weights[it, cat] > 1 / 2
    food, body, sea = TRACE.output[3, :3]
    assert f"its output is ({food:.2f}, {body:.0f}, {sea:.2f})" in prose()


def test_without_the_fourth_feature_배_is_the_mean_of_the_three_last_words():
    rows = [WORDS.embeddings[word][:3] for word in ("고파서", "깎아서", "타고")]
    assert np.array_equal(np.mean(rows, axis=0), WORDS.embeddings["배"][:3])
    assert np.allclose(TRACE.output[0], TRACE.V.mean(axis=0)), "a query of zeros takes the mean of the values"
    assert not TRACE.Q[:, 3].any() and not TRACE.K[:, 3].any()


def test_only_배_is_open_and_its_key_is_nothing():
    assert np.array_equal(TRACE.Q[1], [2, 2, 2, 0]) and not np.delete(TRACE.Q, 1, axis=0).any()
    assert not TRACE.K[1].any() and np.array_equal(TRACE.K[3], [0, 3, 0, 0])


def test_the_article_of_eight_words_is_nearly_flat_under_its_own_numbers():
    weights = load_example("bae_hungry").trace().weights
    assert np.abs(weights - 1 / 8).max() < 0.01
    assert WORDS.trace("어제 밤에 배 가 고파서 치킨을 시켜서 먹었다").weights[2].argmax() == 4


def test_two_words_look_at_each_other_in_section_3_and_under_one_matrix_they_never_do():
    sentence, trace = example()
    cat, drank = sentence.index("cat"), sentence.index("drank")
    there, back = trace.weights[cat, [drank, cat]], trace.weights[drank, [cat, drank]]
    assert there[0] > there[1] and back[0] > back[1]
    assert f"gives *drank* {there[0]:.2f}, but itself only {there[1]:.2f}." in prose()
    assert f"gives *cat* {back[0]:.2f}, but itself only {back[1]:.2f}." in prose()
    for seed in range(100):
        rng = np.random.default_rng(seed)
        rows = rng.normal(size=(6, 5)) @ rng.normal(size=(5, 4))
        scores = rows @ rows.T
        own = np.diag(scores)
        assert not ((scores > own) & (scores > own[:, None])).any()


def test_the_same_score_is_not_the_same_weight():
    X = WORDS.meaning_of(BELLY)
    trace = scaled_dot_product_attention(X, X, X)
    assert trace.scores[1, 3] == trace.scores[3, 1] == 3 and trace.scores[3, 3] == 9
    there, back, own = trace.weights[1, 3], trace.weights[3, 1], trace.weights[3, 3]
    assert f"gives 고파서 {there:.3f}, but 고파서 gives 배 only {back:.3f}. It gives {own:.3f} to itself" in prose()
    power = f"{np.exp(np.sqrt(3)):.2f}"
    assert f"{power}/({power} + {power} + 1 + 1) = {there:.3f}" in prose() and f"{np.sqrt(3):.3f}" in prose()


def test_without_W_V_the_next_layer_would_ask_too():
    X = WORDS.embed(BELLY)
    query = (X[3] + (TRACE.weights @ X)[3]) @ WORDS.W_Q
    assert "(" + ", ".join(f"{number:g}" for number in query) + ")" == "(0.5, 0.5, 0.5, 0)"
    assert "with the query (0.5, 0.5, 0.5, 0)" in prose()


def test_a_word_pulls_as_hard_as_the_sum_of_its_numbers_says():
    X = WORDS.meaning_of("배 달콤한 먹었다 고파서 치킨을")
    weights = scaled_dot_product_attention(X, X, X).weights[0]
    assert np.array_equal(np.argsort(-weights[1:], kind="stable"), np.argsort(-X[1:].sum(axis=1), kind="stable"))
    assert weights[1] == weights[2], "sweet (2, 0, 0), ate (1, 1, 0)"


def test_no_head_gives_paper_more_than_the_one_that_is_shown():
    paper = load_sentence("paper")
    shown = paper.head(4, 4).weights[paper.query, paper.key]
    everywhere = paper.trace.weights[:, :, paper.query, paper.key]
    assert shown == everywhere.max()
    assert f"The median over the {everywhere.size} places is only {np.median(everywhere):.2f}." in prose()


def test_a_sentence_with_an_unknown_word_keeps_the_matrices_and_loses_the_goal():
    before = starts()["one_number"][1]
    for text in ("I like pears", "배 를 peeling"):
        after = with_words(before, text)
        assert np.array_equal(after.inputs.W_K, before.inputs.W_K) and after.goal is None
    assert not np.array_equal(after.inputs.X[0], WORDS.embed("배")[0]), "even a word that has numbers"


def test_one_matrix_could_serve_배_but_gives_the_same_score_back():
    W = np.where(WORDS.W_K == 1, 2, WORDS.W_K)
    for meaning in ("pear", "belly", "ship"):
        trace = self_attention(WORDS.embed(WORDS.sentences[meaning]), W, W, WORDS.W_V)
        there, back = trace.weights[1, 3], trace.weights[3, 1]
        assert f"{there:.3f} in each sentence, and the last word gives 배 {back:.3f}." in prose(), "one way"
        assert trace.scores[1, 3] == trace.scores[3, 1] > 0
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
