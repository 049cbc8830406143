"""What notebook 13 claims, beyond what its cells show."""

import numpy as np

from attention_lib.training.depth import random_layer


def after(n_layers, seed, is_causal=False):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((8, 32))
    for layer in [random_layer(rng) for _ in range(n_layers)]:
        X = layer(X, is_causal=is_causal).output
    return X


def differ(X):
    return np.linalg.norm(X - X.mean(axis=0)) / np.linalg.norm(X)


def test_with_a_causal_mask_attention_alone_loses_the_words_more_slowly():
    without = [differ(after(6, seed)) for seed in range(20)]
    causal = {n: [differ(after(n, seed, is_causal=True)) for seed in range(20)] for n in (6, 12)}
    assert max(without) < 1e-10 < min(causal[6])
    assert max(causal[12]) < 0.01


def test_with_a_small_W_O_the_words_stay_apart_without_a_norm():
    def after_twelve(seed, factor):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((8, 32))
        for layer in [random_layer(rng) for _ in range(12)]:
            X = X + factor * layer(X).output
        return differ(X)

    assert all(after_twelve(seed, 0.3) > max(0.7, after_twelve(seed, 1)) for seed in range(20))
