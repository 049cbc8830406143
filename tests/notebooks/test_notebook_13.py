"""What notebook 13 claims, beyond what its cells show."""

import numpy as np

from attention_lib import MultiHeadAttention, merge_heads, split_heads
from attention_lib.layers import layer_norm
from attention_lib.training.depth import random_layer


def differ(X):
    return np.linalg.norm(X - X.mean(axis=0)) / np.linalg.norm(X)


def draw_parts(rng):
    attention = random_layer(rng)
    W_1 = rng.standard_normal((32, 128)) * np.sqrt(2 / 32)
    W_2 = rng.standard_normal((128, 32)) / np.sqrt(128)
    return lambda X: attention(X).output, lambda X: np.maximum(X @ W_1, 0) @ W_2


def after_twelve_blocks(seed):
    """How different the words are with pre-norm and post-norm, and when each adds as much as the other."""
    rng = np.random.default_rng(seed)
    start = rng.standard_normal((8, 32))
    pre = post = pre_that_adds_more = post_that_adds_less = start
    for part in [part for _ in range(12) for part in draw_parts(rng)]:
        growth = np.linalg.norm(pre) / np.linalg.norm(start)
        pre = pre + part(layer_norm(pre))
        post = layer_norm(post + part(post))
        post_that_adds_less = layer_norm(post_that_adds_less + part(post_that_adds_less) / growth)
        more = np.linalg.norm(pre_that_adds_more) / np.linalg.norm(start)
        pre_that_adds_more = pre_that_adds_more + part(layer_norm(pre_that_adds_more)) * more
    return [differ(X) for X in (pre, post_that_adds_less, post, pre_that_adds_more)]


def test_how_much_is_added_makes_the_difference_between_pre_norm_and_post_norm():
    pre, post_that_adds_less, post, pre_that_adds_more = np.mean([after_twelve_blocks(s) for s in range(20)], axis=0)
    found = [pre, post_that_adds_less, post, pre_that_adds_more]
    assert np.round(found, 2).tolist() == [0.51, 0.53, 0.04, 0.04]  # as the notebook says


def added_by_each_part(seed):
    """How long what each part adds is, compared with the rows: first with pre-norm, then with post-norm."""
    rng = np.random.default_rng(seed)
    pre = post = rng.standard_normal((8, 32))
    compared = []
    for part in [part for _ in range(12) for part in draw_parts(rng)]:
        to_pre, to_post = part(layer_norm(pre)), part(post)
        compared.append([np.linalg.norm(to_pre) / np.linalg.norm(pre), np.linalg.norm(to_post) / np.linalg.norm(post)])
        pre, post = pre + to_pre, layer_norm(post + to_post)
    return np.transpose(compared)  # (2, n_parts)


def test_the_last_block_adds_less_than_the_first_with_pre_norm_and_as_much_as_the_rows_with_post_norm():
    pre, post = np.mean([added_by_each_part(seed) for seed in range(20)], axis=0)
    assert (pre[-2:] < 0.5 * pre[:2]).all()
    assert (abs(post[-2:] - 1) < 0.1).all()


def after_layers(step, n_layers=12, size=1.0):
    """How different the words are on average in the twenty stacks of the notebook; `size` multiplies all matrices."""
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rows = rng.standard_normal((8, 32))
        for _ in range(n_layers):
            drawn = random_layer(rng)
            matrices = [size * W for W in (drawn.W_Q, drawn.W_K, drawn.W_V, drawn.W_O)]
            rows = step(rows, MultiHeadAttention(*matrices, n_heads=4))
        found.append(differ(rows))
    return round(float(np.mean(found)), 2)


def read(layer, for_weights, for_values):
    """What a layer gives if its weights and its values come from different rows."""
    values = split_heads(for_values @ layer.W_V, 4)
    return merge_heads(layer(for_weights).heads.weights @ values) @ layer.W_O


def test_the_norm_keeps_the_words_apart_through_the_values():
    assert after_layers(lambda X, layer: X + read(layer, X, X)) == 0.15
    assert after_layers(lambda X, layer: X + read(layer, X, layer_norm(X))) == 0.5
    assert after_layers(lambda X, layer: X + read(layer, layer_norm(X), X)) == 0.08
    assert after_layers(lambda X, layer: X + read(layer, layer_norm(X), layer_norm(X))) == 0.43


def test_how_fast_the_words_become_alike_depends_on_the_size_of_the_matrices():
    assert after_layers(lambda X, layer: layer(X).output, n_layers=3, size=2) == 0.64
    assert after_layers(lambda X, layer: layer(X).output, size=2) == 0
    assert after_layers(lambda X, layer: X + layer(X).output, size=0.5) == 0.89
    assert after_layers(lambda X, layer: X + layer(layer_norm(X)).output, size=0.5) == 0.9


def test_networks_alone_make_the_words_more_alike_too():
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rows = rng.standard_normal((8, 32))
        for _ in range(12):
            _attention, network = draw_parts(rng)
            rows = layer_norm(rows + network(rows))
        found.append(differ(rows))
    assert round(float(np.mean(found)), 2) == 0.49
