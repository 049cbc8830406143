"""What notebook 05 claims, beyond what its cells show."""

import re

import numpy as np
from notebook_tools import NOTEBOOKS, read

from attention_lib import MultiHeadAttention
from attention_lib.examples.trained_heads import load_sentence
from attention_lib.lessons.multi_head_attention.made_up_heads import load_heads_example

CELLS = read(NOTEBOOKS / "05_multi_head_attention.ipynb").cells
PROSE = "\n".join(cell.source for cell in CELLS if cell.cell_type == "markdown")
EXAMPLE = load_heads_example()


def table_of(tokens, features):
    """The embeddings that a table of the prose gives these words, in these columns, (n, 8)."""
    X = np.zeros((len(tokens), 8))
    for row in re.findall(rf"^\| ((?:{'|'.join(tokens)}) \|.*) \|$", PROSE.replace("−", "-"), re.MULTILINE):
        word, *numbers = row.split(" | ")
        X[tokens.index(word), [EXAMPLE.features.index(name) for name in features.split()]] = np.array(numbers, float)
    return X


def test_the_tables_of_words_are_those_of_the_file():
    dog, tower = EXAMPLE.sentences["dog_barked"], EXAMPLE.sentences["miniature_eiffel_tower"]
    of_dog = table_of(list(dog.tokens), "subject modifier animal")
    of_dog[5, 2] = 1  # barked asks
    assert np.array_equal(of_dog, dog.X)
    assert np.array_equal(table_of(list(tower.tokens), "modifier asks Paris size"), tower.X)


def test_the_columns_of_X_are_listed_in_their_order():
    *names, last = (f"*{name}*" for name in EXAMPLE.features)
    assert f"The eight columns of X are the features {', '.join(names)} and {last}." in PROSE


def test_the_lab_can_be_calculated_from_its_table_and_the_numbers_beside_it():
    asks, size = EXAMPLE.features.index("asks"), EXAMPLE.features.index("size")
    assert EXAMPLE.W_Q[asks, ::2].tolist() == [8, 8, 4, 4] and np.count_nonzero(EXAMPLE.W_Q) == 4
    assert EXAMPLE.W_K[size, 6] == -1
    given = EXAMPLE.layer()(EXAMPLE.sentences["miniature_eiffel_tower"].X).contributions  # (h, n, d_model)
    assert np.allclose(given[2, :2, EXAMPLE.features.index("Paris")], 2 / 3) and np.allclose(given[3, :2, size], -1 / 3)


def test_the_table_of_heads_0_and_1_says_what_their_columns_hold():
    for name in ("W_Q", "W_K", "W_V"):
        W = np.zeros((8, 4))
        (row,) = re.findall(rf"^\| {name} \| (.*) \|$", PROSE, re.MULTILINE)
        for head, (number, feature) in enumerate(re.findall(r"(\d) in row \*(\w+)\*", row)):
            W[EXAMPLE.features.index(feature), 2 * head] = int(number)
        assert np.array_equal(W, getattr(EXAMPLE, name)[:, :4])


def test_of_keys_without_the_animal_every_column_of_the_output_is_the_same_mixture_shifted_and_scaled():
    """The columns then differ from sentence to sentence along one line, whatever the matrices are."""
    X = np.tile(EXAMPLE.sentences["dog_barked"].X, (4, 1, 1))
    X[:, [1, 4], 3] = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    for keys_hold_animal in (False, True):
        for seed in range(20):
            W_Q, W_K, W_V, W_O = np.random.default_rng(seed).normal(size=(4, 8, 8))
            W_K[3] *= keys_hold_animal
            output = MultiHeadAttention(W_Q, W_K, W_V, W_O, n_heads=1)(X).output[:, 5]  # (4, 8)
            n_directions = np.linalg.matrix_rank(output - output.mean(axis=0), tol=1e-9)
            assert (n_directions == 1) != keys_hold_animal


def test_in_most_of_the_72_maps_it_reads_a_special_token_most_and_the_picked_heads_read_a_word_most():
    paper = load_sentence("paper")
    rows = paper.trace.weights[:, :, paper.query]  # (layers, heads, n)
    assert np.isin(rows.argmax(axis=-1), [0, len(paper.tokens) - 1]).sum() > 72 / 2
    picked = {divmod(int(place), 12) for place in rows[..., 1:-1].max(axis=-1).ravel().argsort()[-4:]}
    assert picked == {(0, 2), (1, 8), (2, 1), (4, 4)}
