"""What notebook 13 claims, beyond what its cells show, asked of the functions in its cells."""

import numpy as np
from notebook_tools import NOTEBOOKS, read

from attention_lib import MultiHeadAttention, merge_heads, split_heads
from attention_lib.layers import layer_norm
from attention_lib.training.depth import random_layer

MADE = {}
for cell in read(NOTEBOOKS / "13_the_block.ipynb").cells:
    if cell.id in ("imports", "stack", "measure", "twenty", "skip-code", "feed-hand", "block"):
        exec(cell.source, MADE)
length, differ, relu, draw_block = (MADE[name] for name in ("length", "differ", "relu", "draw_block"))


def left(step, draw=random_layer, after=12):
    """The difference between the words after so many layers, on average in the twenty stacks of the notebook."""
    return differ(MADE["twenty"](step, draw)[:, after]).mean().round(2)


def of_size(size):
    def draw(rng):
        layer = random_layer(rng)
        return MultiHeadAttention(*(size * W for W in (layer.W_Q, layer.W_K, layer.W_V, layer.W_O)), n_heads=4)

    return draw


def test_how_fast_the_words_become_alike_depends_on_the_size_of_the_matrices():
    assert [left(MADE["alone"], of_size(2), after) for after in (3, 12)] == [0.64, 0]
    assert left(MADE["skip"], of_size(0.5)) == 0.89
    assert left(lambda X, layer: X + layer(layer_norm(X)).output, of_size(0.5)) == 0.9


def mixed(layer, for_weights, for_values):
    """What a layer gives if its weights and its values come from different rows."""
    values = split_heads(for_values @ layer.W_V, 4)
    return merge_heads(layer(for_weights).heads.weights @ values) @ layer.W_O


def test_the_norm_keeps_the_words_apart_through_the_values():
    assert left(lambda X, layer: X + mixed(layer, X, layer_norm(X))) == 0.5
    assert left(lambda X, layer: X + mixed(layer, layer_norm(X), X)) == 0.08


def parts_of(block):
    attention, W_1, W_2 = block
    return lambda X: attention(X).output, lambda X: relu(X @ W_1) @ W_2


def test_networks_alone_make_the_words_more_alike_too():
    assert left(lambda X, block: layer_norm(X + parts_of(block)[1](X)), draw_block) == 0.49


def test_how_much_each_part_adds_makes_the_difference_between_pre_norm_and_post_norm():
    ends, shares = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        start = pre = post = less = more = rng.standard_normal((8, 32))
        for part in [part for _ in range(12) for part in parts_of(draw_block(rng))]:
            growth, of_more = length(pre) / length(start), length(more) / length(start)
            less = layer_norm(less + part(less) / growth)
            more = more + part(layer_norm(more)) * of_more
            shares.append([length(part(layer_norm(pre))) / length(pre), length(part(post)) / length(post)])
            pre, post = pre + part(layer_norm(pre)), layer_norm(post + part(post))
        ends.append([differ(less), differ(more)])
    assert np.mean(ends, axis=0).round(2).tolist() == [0.53, 0.04]  # as the notebook says
    of_pre, of_post = np.mean(np.reshape(shares, (20, 24, 2)), axis=0).T  # (24,), for the parts of twelve blocks
    assert (of_pre[-2:] < 0.5 * of_pre[:2]).all() and (abs(of_post[-2:] - 1) < 0.1).all()
