"""Notebook 01: what its prose says and no cell prints comes out of a calculation."""

import re
from itertools import permutations

import numpy as np
from notebook_tools import NOTEBOOKS, read

from attention_lib import scaled_dot_product_attention, self_attention
from attention_lib.examples.three_meanings import load_meanings
from attention_lib.examples.trained_heads import load_sentence

WORDS = load_meanings()


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
    it, cat, milk = (sentence.index(token) for token in ("it", "cat", "milk"))
    w = trace.weights
    for said in (
        f"preferably for a living one: {tuple(trace.Q[it].astype(int).tolist())}",
        f"so its own key is {tuple(trace.K[it].astype(int).tolist())}",
        f"*it* takes {w[it, cat]:.2f} of what *cat* hands over, {w[it, milk]:.2f} of what",
        f"*it* gives *cat* the score {trace.scores[it, cat]:.0f}, "
        f"but *cat* gives *it* the score {trace.scores[cat, it]:.0f}, ",
    ):
        assert said in prose()


def test_what_a_query_of_zeros_takes():
    trace = self_attention(WORDS.embed("어제 배 가 고파서"), WORDS.W_Q, WORDS.W_K, WORDS.W_V)
    assert not trace.Q[3].any() and np.allclose(trace.weights[3], 0.25)
    assert "its output is ({:g}, {:g}, {:g}).".format(*trace.output[3, :3]) in prose()


def test_the_place_of_the_telling_word_plays_no_part():
    X = WORDS.meaning_of("어제 배 가 고파서")
    expected = scaled_dot_product_attention(X, X, X).output[1]
    for order in map(list, permutations(range(4))):
        shuffled = scaled_dot_product_attention(X[order], X[order], X[order])
        assert np.allclose(shuffled.output[order.index(1)], expected)


def test_with_one_matrix_the_telling_word_looks_at_itself_as_much_as_it_is_found():
    """So no single matrix reaches both goals of section 4: exactly by the proof there, and not nearly either."""
    n_found = 0
    for text in ("어제 배 가 고파서", "어제 배 를 깎아서", "어제 배 를 타고"):
        X = WORDS.embed(text)
        for seed in range(2000):
            W = np.random.default_rng(seed).normal(size=(4, 4))
            weights = self_attention(X, W, W, WORDS.W_V).weights
            if weights[1].argmax() == 3:
                n_found += 1
                assert weights[3, 3] >= weights[1, 3] - 1e-12
    assert n_found > 1000
    assert "No single matrix for both queries and keys reaches both goals." in prose()


def test_the_single_matrix_of_the_notebook_reaches_the_first_goal_in_all_three_sentences_and_not_the_second():
    source = next(cell.source for cell in read(NOTEBOOKS / "01_self_attention.ipynb").cells if cell.id == "trace")
    names = {"np": np}
    exec("\n".join(source.splitlines()[:2]), names)
    for text in ("어제 배 가 고파서", "어제 배 를 깎아서", "어제 배 를 타고"):
        X = WORDS.embed(text)
        single = self_attention(X, names["one"], names["one"], WORDS.W_V)
        two = self_attention(X, WORDS.W_Q, WORDS.W_K, WORDS.W_V)
        assert single.weights[1, 3] > two.weights[1, 3] > 0.5
        assert single.weights[3, 3] > 0.999 and np.allclose(two.weights[3], 0.25)


def test_the_row_that_is_calculated_on_paper():
    sentence, trace = example()
    drank, cat = sentence.index("drank"), sentence.index("cat")
    assert sentence[2] == "drank"  # as all_outputs[2]
    text = prose()
    assert f"= {trace.weights[drank, cat]:.3f}, and each of the others gets 1/13.39 = " in text
    for feature, output in zip(("animal", "drink", "rest"), trace.output[drank]):
        (said,) = re.findall(rf"= (\d\.\d+) of \*{feature}\*", text)
        assert abs(float(said) - output) < 0.001, feature


def test_no_matrices_tell_three_equal_words_of_a_sentence_apart():
    X = WORDS.embed(WORDS.sentences["three"])
    for seed in range(20):
        output = self_attention(X, *np.random.default_rng(seed).normal(size=(3, 4, 4))).output
        assert np.allclose(output[[3, 7]], output[0]) and not np.allclose(output[1], output[0])


def test_the_picture_of_one_head_has_the_sizes_of_the_model():
    head = load_sentence("paper").head(4, 4)
    source = next(cell.source for cell in read(NOTEBOOKS / "01_self_attention.ipynb").cells if cell.id == "whole")
    for name in ("Q", "K", "V", "scores", "weights", "output"):
        n, columns = getattr(head, name).shape
        assert re.search(rf'"{name}[^"]*\\n{n} × {columns}"', source), name
    assert f"12 outputs\\nside by side\\n{n} × {12 * columns}" in source


def test_the_trained_head_is_the_one_in_which_it_takes_most_from_paper():
    paper = load_sentence("paper")
    shares = paper.trace.weights[:, :, paper.query, paper.key]
    assert shares.size == 72 and shares[4, 4] == shares.max()
