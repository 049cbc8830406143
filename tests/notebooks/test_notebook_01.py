"""Notebook 01: what its prose says and no cell prints comes out of a calculation."""

import re

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
    it, cat, drank, milk = (sentence.index(token) for token in ("it", "cat", "drank", "milk"))
    w = trace.weights
    for said in (
        f"preferably for a living one: {tuple(trace.Q[it].astype(int).tolist())}",
        f"so its own key is {tuple(trace.K[it].astype(int).tolist())}",
        f"*it* takes {w[it, cat]:.2f} of what *cat* hands over, {w[it, milk]:.2f} of what",
        f"*cat* gives *drank* the score {trace.scores[cat, drank]:.0f}, "
        f"*drank* gives *cat* the score {trace.scores[drank, cat]:.0f}, ",
        f"each gives itself {trace.scores[cat, cat] + trace.scores[drank, drank]:.0f}:",
    ):
        assert said in prose()


def test_what_a_shared_matrix_cannot_do_and_what_a_query_of_zeros_takes():
    numbers = re.search(r"the rows \((\d), (\d)\) and \((\d), (\d)\) give", prose()).groups()
    a, b = np.array(numbers, int).reshape(2, 2)
    assert f"give {a @ a}, {b @ b} and {a @ b}." in prose() and a @ b <= max(a @ a, b @ b)
    trace = self_attention(WORDS.embed("어제 배 가 고파서"), WORDS.W_Q, WORDS.W_K, WORDS.W_V)
    assert not trace.Q[3].any() and np.allclose(trace.weights[3], 0.25)
    assert "({:g}, {:g}, {:g})".format(*trace.output[3, :3]) in prose()


def test_the_trained_head_is_the_one_in_which_it_takes_most_from_paper():
    paper = load_sentence("paper")
    shares = paper.trace.weights[:, :, paper.query, paper.key]
    assert shares.size == 72 and shares[4, 4] == shares.max()
