"""What notebook 13 claims, beyond what its cells show."""

import numpy as np
from notebook_tools import NOTEBOOKS
from notebook_tools import read as read_notebook

from attention_lib.layers import layer_norm
from attention_lib.training.depth import random_layer


def as_they_are(X):
    return X


def difference(rows):
    return np.linalg.norm(rows - rows.mean(axis=0)) / np.linalg.norm(rows)


def after_twelve_layers(read, shares, at_the_end=as_they_are):
    """How different the words are if layers read `read(rows)` and what each adds has a share of the rows' length.

    The average of the twenty stacks of the notebook.
    """
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rows = rng.standard_normal((8, 32))
        for share in shares:
            change = random_layer(rng)(read(rows)).output
            rows = at_the_end(rows + share * change * np.linalg.norm(rows) / np.linalg.norm(change))
        found.append(difference(rows))
    return np.mean(found)


def test_the_more_a_layer_adds_the_more_alike_the_words_become():
    found = [after_twelve_layers(as_they_are, [share] * 12) for share in (0.2, 0.46, 0.7, 1.06)]
    assert found == sorted(found, reverse=True)


def test_pre_norm_keeps_the_words_apart_through_the_length_of_what_is_added():
    """With the shares of the other design, each design ends about where the other one does."""
    without, with_norm = np.linspace(0.46, 1.06, 12), np.linspace(0.47, 0.36, 12)
    assert after_twelve_layers(as_they_are, with_norm) > 0.43
    assert after_twelve_layers(as_they_are, with_norm, at_the_end=layer_norm) > 0.43
    assert after_twelve_layers(layer_norm, without) < 0.15


def test_alike_words_lose_less_in_a_mixture_and_different_ones_more_again():
    """With equal weights, other words in the last layer take away what the rows had in common."""
    alike, different = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rows = rng.standard_normal((8, 32))
        for _ in range(12):
            layer = random_layer(rng)
            mix = layer.W_V @ layer.W_O / 8
            before, rows = rows, rows + rows.sum(axis=0) @ mix
        alike.append(np.linalg.norm(before.sum(axis=0) @ mix) * np.sqrt(8) / np.linalg.norm(before))
        others = rng.standard_normal((8, 32))
        different.append(np.linalg.norm(others.sum(axis=0) @ mix) * np.sqrt(8) / np.linalg.norm(others))
    assert np.mean(alike) > 0.9
    assert max(different) < min(alike)


def test_no_matrix_with_a_constant_gives_the_four_answers_before_or_after_the_norm():
    (cell,) = (cell.source for cell in read_notebook(NOTEBOOKS / "13_the_block.ipynb").cells if cell.id == "feed-hand")
    made = {"np": np, "layer_norm": layer_norm}
    exec(cell, made)
    for X in (made["says"], layer_norm(made["says"])):
        with_constant = np.hstack([X, np.ones((4, 1))])
        best, *_others = np.linalg.lstsq(with_constant, np.array([1, 0, 0, 1]), rcond=None)
        assert np.allclose(with_constant @ best, 0.5)
