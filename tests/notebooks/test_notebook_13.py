"""What notebook 13 claims, beyond what its cells show."""

import numpy as np
from notebook_tools import NOTEBOOKS
from notebook_tools import read as read_notebook

from attention_lib import softmax
from attention_lib.layers import layer_norm
from attention_lib.training.depth import random_layer


def difference(rows):
    return np.linalg.norm(rows - rows.mean(axis=0)) / np.linalg.norm(rows)


def last_share(read, at_the_end):
    """The length of what layer 12 adds, relative to the rows: the average of the twenty stacks of the notebook."""
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rows = rng.standard_normal((8, 32))
        for _ in range(12):
            change = random_layer(rng)(read(rows)).output
            found.append(np.linalg.norm(change) / np.linalg.norm(rows))
            rows = at_the_end(rows + change)
    return np.mean(found[11::12])


def test_the_last_layer_adds_far_less_with_pre_norm_than_with_post_norm():
    assert last_share(layer_norm, np.asarray) < 0.4
    assert last_share(np.asarray, layer_norm) > 0.95


def after_twelve_networks(seed, bend):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((8, 32))
    for _ in range(12):
        W_1, W_2 = rng.standard_normal((32, 128)) / np.sqrt(32), rng.standard_normal((128, 32)) / np.sqrt(64)
        rows = rows + bend(layer_norm(rows) @ W_1) @ W_2
    return difference(rows)


def test_random_networks_make_words_alike_because_relu_leaves_no_negative_numbers():
    """Without the mean of its numbers, ReLU leaves the words nearly as different as they were."""

    def relu(x):
        return np.maximum(x, 0)

    assert np.mean([after_twelve_networks(seed, relu) for seed in range(20)]) < 0.75
    assert np.mean([after_twelve_networks(seed, lambda x: relu(x) - relu(x).mean()) for seed in range(20)]) > 0.9


def the_four_phrases():
    (cell,) = (cell.source for cell in read_notebook(NOTEBOOKS / "13_the_block.ipynb").cells if cell.id == "features")
    made = {"np": np}
    exec(cell, made)
    return made["features"]


def test_weights_that_depend_on_the_row_can_give_all_four_answers():
    """One head reads the word itself and an empty row, and hands over the feature *plain* or *not* as 1."""
    answers = []
    for row in the_four_phrases():
        says_not, plain, bad, good, _praise = row
        weights = softmax(np.array([20 * (says_not - plain) * (bad - good), 0]))  # a product of features, as in q · k
        values = np.array([says_not + plain, 0])
        answers.append(weights @ values)
    assert np.allclose(answers, [1, 0, 0, 1])


def test_no_matrix_with_a_constant_gives_the_four_answers_before_or_after_the_norm():
    features = the_four_phrases()
    for X in (features, layer_norm(features)):
        with_constant = np.hstack([X, np.ones((4, 1))])
        best, *_others = np.linalg.lstsq(with_constant, np.array([1, 0, 0, 1]), rcond=None)
        assert np.allclose(with_constant @ best, 0.5)
