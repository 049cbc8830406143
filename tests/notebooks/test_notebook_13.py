"""What notebook 13 claims, beyond what its cells show."""

import numpy as np
import pytest

from attention_lib.training.depth import random_layer


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


@pytest.mark.parametrize("n_layers", [1, 6])
def test_a_layer_of_a_skip_stack_makes_nearly_every_row_longer(n_layers):
    longer = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((8, 32))
        for layer in [random_layer(rng) for _ in range(n_layers)]:
            new = X + layer(X).output
            longer.append(np.linalg.norm(new, axis=1) > np.linalg.norm(X, axis=1))
            X = new
    assert np.mean(longer) > 0.8
