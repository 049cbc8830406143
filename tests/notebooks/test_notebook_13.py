"""What notebook 13 claims, beyond what its cells show."""

import numpy as np
from notebook_tools import NOTEBOOKS
from notebook_tools import read as read_notebook

from attention_lib.layers import layer_norm
from attention_lib.training.depth import random_layer


def as_they_are(X):
    return X


def after_twelve_layers(read, shares):
    """How different the words are if layers read `read(rows)` and what each adds has a share of the rows' length.

    The average of the twenty stacks of the notebook.
    """
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rows = rng.standard_normal((8, 32))
        for share in shares:
            change = random_layer(rng)(read(rows)).output
            rows = rows + share * change * np.linalg.norm(rows) / np.linalg.norm(change)
        found.append(np.linalg.norm(rows - rows.mean(axis=0)) / np.linalg.norm(rows))
    return np.mean(found)


def test_the_more_a_layer_adds_the_more_alike_the_words_become():
    found = [after_twelve_layers(as_they_are, [share] * 12) for share in (0.2, 0.46, 0.7, 1.06)]
    assert found == sorted(found, reverse=True)


def test_the_norm_keeps_the_words_apart_through_the_length_of_what_is_added():
    """With the shares of the other design, each design ends about where the other one does."""
    without, with_norm = np.linspace(0.46, 1.06, 12), np.linspace(0.47, 0.36, 12)
    assert after_twelve_layers(as_they_are, with_norm) > 0.43
    assert after_twelve_layers(layer_norm, without) < 0.15


def test_the_more_alike_eight_rows_are_the_more_a_layer_adds():
    shares = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rows, layer = rng.standard_normal((8, 32)), random_layer(rng)
        closer = [rows[0] + left * (rows - rows[0]) for left in (1, 0.7, 0.5, 0.3, 0)]
        closer = [X * np.linalg.norm(rows) / np.linalg.norm(X) for X in closer]
        shares.append([np.linalg.norm(layer(X).output) / np.linalg.norm(X) for X in closer])
    assert (np.diff(np.mean(shares, axis=0)) > 0).all()


def shares_and_weights(change):
    """The share that each of twelve layers with skip connections adds, and the largest weights of its words.

    A layer reads the rows that `change(rows, start, rng)` makes of those of the stack. The average of twenty stacks.
    """
    found = []
    for seed in range(20):
        rng, fresh = np.random.default_rng(seed), np.random.default_rng(1000 + seed)
        start = rows = rng.standard_normal((8, 32))
        for _ in range(12):
            layer = random_layer(rng)
            X = change(rows, start, fresh)
            trace = layer(X)
            share = np.linalg.norm(trace.output) / np.linalg.norm(X)
            found.append((share, trace.heads.weights.max(axis=-1).mean()))
            rows = rows + layer(rows).output
    return np.reshape(found, (20, 12, 2)).mean(axis=0).T


def as_long_as(X, other):
    return X * np.linalg.norm(other) / np.linalg.norm(X)


def test_alike_rows_and_long_rows_each_make_the_share_rise():
    only_alike, _weights = shares_and_weights(lambda rows, start, rng: as_long_as(rows, start))
    only_long, weights = shares_and_weights(lambda rows, start, rng: as_long_as(rng.standard_normal((8, 32)), rows))
    for shares in (only_alike, only_long):
        assert shares[0] < 0.5 and shares[-1] > 0.9
    assert weights[0] < 0.4 and weights[-1] > 0.9


def test_most_of_the_weight_is_on_one_word_if_the_rows_are_ten_times_as_long():
    _shares, weights = shares_and_weights(lambda rows, start, rng: 10 * start)
    assert weights.mean() > 0.8


def test_what_is_added_is_more_alike_with_the_norm_in_the_middle_layers_and_about_as_alike_in_the_last_one():
    found = {as_they_are: [], layer_norm: []}
    for read in found:
        for seed in range(20):
            rng = np.random.default_rng(seed)
            rows = rng.standard_normal((8, 32))
            for _ in range(12):
                change = random_layer(rng)(read(rows)).output
                found[read].append(np.linalg.norm(change - change.mean(axis=0)) / np.linalg.norm(change))
                rows = rows + change
    without, with_norm = (np.reshape(each, (20, 12)).mean(axis=0) for each in found.values())
    assert (with_norm[3:10] < 0.8 * without[3:10]).all()
    assert without[-1] < 0.1 and with_norm[-1] < 0.1


def shares_of_the_parts(post_norm):
    """What attention and the network add in each of twelve blocks, relative to the rows. The average of twenty stacks.

    The matrices are drawn as in the notebook.
    """
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rows = rng.standard_normal((8, 32))
        for _ in range(12):
            attention = random_layer(rng)
            W_1 = rng.standard_normal((32, 128)) * np.sqrt(2 / 32)
            W_2 = rng.standard_normal((128, 32)) / np.sqrt(128)
            for part in ("attention", "network"):
                X = rows if post_norm else layer_norm(rows)
                change = attention(X).output if part == "attention" else np.maximum(X @ W_1, 0) @ W_2
                found.append(np.linalg.norm(change) / np.linalg.norm(rows))
                rows = layer_norm(rows + change) if post_norm else rows + change
    return np.reshape(found, (20, 12, 2)).mean(axis=0).T


def test_only_with_post_norm_the_last_blocks_add_as_much_as_the_first_ones():
    attention, network = shares_of_the_parts(post_norm=False)
    assert attention[-1] < 0.5 * attention[0] and network[-1] < 0.3 * network[0]
    attention, network = shares_of_the_parts(post_norm=True)
    assert attention[-1] > 1.5 * attention[0] and abs(network - network[0]).max() < 0.1


def test_no_matrix_with_a_constant_gives_the_four_answers_before_or_after_the_norm():
    (cell,) = (cell.source for cell in read_notebook(NOTEBOOKS / "13_the_block.ipynb").cells if cell.id == "feed-hand")
    made = {"np": np, "layer_norm": layer_norm}
    exec(cell, made)
    for X in (made["says"], layer_norm(made["says"])):
        with_constant = np.hstack([X, np.ones((4, 1))])
        best, *_others = np.linalg.lstsq(with_constant, np.array([1, 0, 0, 1]), rcond=None)
        assert np.allclose(with_constant @ best, 0.5)
