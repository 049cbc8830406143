"""Notebook 01: what its prose says and no cell prints comes out of a calculation."""

import re

import numpy as np
from notebook_tools import NOTEBOOKS, read

from attention_lib import scaled_dot_product_attention, self_attention
from attention_lib.examples.three_meanings import load_meanings
from attention_lib.examples.trained_heads import load_sentence

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


def example():
    cell = next(cell for cell in read(NOTEBOOKS / "01_self_attention.ipynb").cells if cell.id == "hand-load")
    names = {"np": np}
    exec(cell.source, names)
    return names["sentence"], scaled_dot_product_attention(names["Q"], names["K"], names["V"])


def test_the_example_by_hand_is_what_the_prose_says():
    sentence, trace = example()
    it, cat, milk, drank = (sentence.index(token) for token in ("it", "cat", "milk", "drank"))
    w = trace.weights
    for said in (
        f"preferably for a living one: {tuple(trace.Q[it].astype(int).tolist())}",
        f"so its own key is {tuple(trace.K[it].astype(int).tolist())}",
        f"*it* takes {w[it, cat]:.2f} of what *cat* hands over, {w[it, milk]:.2f} of what",
        f"gives *drank* {w[cat, drank]:.2f}, but itself only {w[cat, cat]:.2f}.",
        f"gives *cat* {w[drank, cat]:.2f}, but itself only {w[drank, drank]:.2f}.",
        "(1, 1, 1) + ({:.2f}, {:.2f}, {:.2f})".format(*TRACE.output[1, :3]),
    ):
        assert said in prose()


def test_under_one_matrix_no_two_words_look_at_each_other_more_than_at_themselves():
    for seed in range(100):
        rng = np.random.default_rng(seed)
        rows = rng.normal(size=(6, 5)) @ rng.normal(size=(5, 4))
        scores = rows @ rows.T
        own = np.diag(scores)
        assert not ((scores > own) & (scores > own[:, None])).any()


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


def test_one_matrix_could_serve_배_but_gives_the_same_score_back():
    W = np.where(WORDS.W_K == 1, 2, WORDS.W_K)
    for meaning in ("pear", "belly", "ship"):
        trace = self_attention(WORDS.embed(WORDS.sentences[meaning]), W, W, WORDS.W_V)
        there, back = trace.weights[1, 3], trace.weights[3, 1]
        assert f"{there:.3f} in each sentence, and the last word gives 배 {back:.3f}." in prose(), "one way"
        assert trace.scores[1, 3] == trace.scores[3, 1] > 0
