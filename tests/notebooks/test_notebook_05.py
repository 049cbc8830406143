"""What notebook 05 claims, beyond what its cells show."""

import re

import numpy as np
from notebook_tools import NOTEBOOKS, read

from attention_lib.examples.trained_heads import load_sentence
from attention_lib.lessons.multi_head_attention.made_up_heads import load_heads_example

CELLS = read(NOTEBOOKS / "05_multi_head_attention.ipynb").cells
PROSE = "\n".join(cell.source for cell in CELLS if cell.cell_type == "markdown")
EXAMPLE = load_heads_example()
DOG = EXAMPLE.sentences["dog_barked"]


def test_the_table_of_words_is_that_of_the_file():
    rows = [
        [each.strip().replace("−", "-") for each in line.strip("|").split("|")]
        for line in PROSE.splitlines()
        if re.match(r"\| (dog|man) ", line)
    ]
    X = np.zeros((6, 8))
    X[5, 2] = 1  # barked asks
    for word, *numbers in rows:
        X[DOG.tokens.index(word), [0, 1, 3]] = [float(number) for number in numbers]
    assert np.array_equal(X, DOG.X)


def test_the_lab_can_be_calculated_from_its_table_and_the_numbers_beside_it():
    tower = EXAMPLE.sentences["miniature_eiffel_tower"]
    columns = [EXAMPLE.features.index(name) for name in ("modifier", "asks", "Paris", "size")]
    table = {
        line.strip("| ").split(" | ")[0]: [float(each.replace("−", "-")) for each in line.strip("| ").split(" | ")[1:]]
        for line in PROSE.splitlines()
        if re.match(r"\| (Miniature|Eiffel|Tower) ", line)
    }
    X = np.zeros((3, 8))
    X[:, columns] = [table[token] for token in tower.tokens]
    assert np.array_equal(X, tower.X)
    asks, size = EXAMPLE.features.index("asks"), EXAMPLE.features.index("size")
    assert EXAMPLE.W_Q[asks, ::2].tolist() == [8, 8, 4, 4] and np.count_nonzero(EXAMPLE.W_Q) == 4
    assert EXAMPLE.W_K[size, 6] == -1
    head_outputs = EXAMPLE.layer()(X).contributions  # (h, n, d_model)
    assert np.allclose(head_outputs[2, :2, columns[2]], 2 / 3) and np.allclose(head_outputs[3, :2, columns[3]], -1 / 3)
    assert np.allclose(EXAMPLE.layer()(X).heads.weights[1, 2].round(2), [0.5, 0.5, 0])


def test_in_47_of_the_72_maps_it_reads_a_special_token_most_and_the_picked_heads_read_a_word_most():
    paper = load_sentence("paper")
    rows = paper.trace.weights[:, :, paper.query]  # (layers, heads, n)
    assert np.isin(rows.argmax(axis=-1), [0, len(paper.tokens) - 1]).sum() == 47
    on_words = rows[..., 1:-1].max(axis=-1)
    picked = {divmod(int(place), 12) for place in on_words.ravel().argsort()[-4:]}
    assert picked == {(0, 2), (1, 8), (2, 1), (4, 4)}
