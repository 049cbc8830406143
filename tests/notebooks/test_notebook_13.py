"""What notebook 13 claims, beyond what its cells show."""

import numpy as np
import pytest

from attention_lib import MultiHeadAttention
from attention_lib.layers import layer_norm
from attention_lib.training.depth import random_layer

SEEDS = range(20)
SMALL = 0.02 * (768 / 32) ** 0.5  # as nanoGPT starts; what writes on the rows is divided by √24 besides


def differ(X):
    return np.linalg.norm(X - X.mean(axis=0)) / np.linalg.norm(X)


def after(n_layers, seed, is_causal=False):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((8, 32))
    for layer in [random_layer(rng) for _ in range(n_layers)]:
        X = layer(X, is_causal=is_causal).output
    return differ(X)


def test_with_a_causal_mask_attention_alone_loses_the_words_more_slowly():
    without = [after(6, seed) for seed in range(20)]
    causal = {n_layers: [after(n_layers, seed, is_causal=True) for seed in range(20)] for n_layers in (6, 12)}
    assert max(without) < 1e-10 < min(causal[6])
    assert max(causal[12]) < 0.01


def stack(step, draw, seed, n_layers=12):
    """The rows before each layer and after the last."""
    rng = np.random.default_rng(seed)
    rows, layers = [rng.standard_normal((8, 32))], [draw(rng) for _ in range(n_layers)]
    for layer in layers:
        rows.append(step(rows[-1], layer))
    return rows


def small_layer(rng):
    W_Q, W_K, W_V, W_O = rng.standard_normal((4, 32, 32)) * SMALL
    return MultiHeadAttention(W_Q, W_K, W_V, W_O / 24**0.5, n_heads=4)


def small_block(rng):
    layer = small_layer(rng)
    return layer, rng.standard_normal((32, 128)) * SMALL, rng.standard_normal((128, 32)) * SMALL / 24**0.5


def network(X, W_1, W_2):
    return np.maximum(X @ W_1, 0) @ W_2


def no_norms(X, layer):
    X = X + layer[0](X).output
    return X + network(X, *layer[1:])


def post_norm(X, layer):
    X = layer_norm(X + layer[0](X).output)
    return layer_norm(X + network(X, *layer[1:]))


def pre_norm(X, layer):
    X = X + layer[0](layer_norm(X)).output
    return X + network(layer_norm(X), *layer[1:])


def test_with_smaller_matrices_attention_alone_loses_the_words_faster():
    def alone(X, layer):
        return layer(X).output

    usual = [differ(stack(alone, random_layer, seed, 2)[-1]) for seed in SEEDS]
    assert max(differ(stack(alone, small_layer, seed, 2)[-1]) for seed in SEEDS) < min(usual) / 10


def test_long_additions_do_no_harm_if_each_word_reads_only_itself():
    def itself(X, layer):
        return X + X @ layer.W_V @ layer.W_O

    stacks = [stack(itself, random_layer, seed) for seed in SEEDS]
    assert min(np.linalg.norm(rows[-1]) / np.linalg.norm(rows[0]) for rows in stacks) > 24
    kept = [differ(rows[-1]) / differ(rows[0]) for rows in stacks]
    assert np.mean(kept) > 0.97 and min(kept) > 0.8


@pytest.mark.parametrize("step", [no_norms, post_norm, pre_norm])
def test_blocks_that_start_as_nanogpt_does_keep_the_words_apart(step):
    assert min(differ(stack(step, small_block, seed)[-1]) for seed in SEEDS) > 0.85


def test_what_a_network_adds_is_alike_because_of_relu():
    with_relu, without = [], []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        X, W_1, W_2 = (rng.standard_normal(shape) for shape in ((8, 32), (32, 128), (128, 32)))
        with_relu.append(differ(network(X, W_1, W_2)))
        without.append(differ(X @ W_1 @ W_2))
    assert np.mean(with_relu) < 0.85 and np.mean(without) > 0.92


def test_with_a_skip_connection_one_head_tells_praise_from_blame():
    row, value = {"good": -1, "bad": 2}, {"not": 0, "good": 2, "bad": -2}
    for phrase, praise in {"good": 1, "not good": 0, "bad": 0, "not bad": 1}.items():
        words = phrase.split()
        assert row[words[-1]] + np.mean([value[word] for word in words]) == praise
