"""The counts of `costs`, against the arrays of a layer and of a cache."""

import numpy as np
import pytest

from attention_lib import KVCache, MultiHeadAttention
from attention_lib.examples.costs import (
    CacheShape,
    attention_flops,
    parameter_count,
    softmax_entries,
)

SHAPES = [(6, 8, 4, 2, 4), (6, 8, 4, 2, 2), (5, 8, 4, 3, 1), (3, 5, 1, 7, 1)]  # n, d_model, h, d_head, h_kv


def layer(d_model, h, d_head, h_kv):
    rng = np.random.default_rng(0)
    widths = [(d_model, h * d_head), (d_model, h_kv * d_head), (d_model, h_kv * d_head), (h * d_head, d_model)]
    return MultiHeadAttention(*(rng.normal(size=shape) for shape in widths), n_heads=h, n_kv_heads=h_kv)


@pytest.mark.parametrize(("n", "d_model", "h", "d_head", "h_kv"), SHAPES)
def test_counts_are_those_of_the_arrays_of_a_layer(n, d_model, h, d_head, h_kv):
    mha = layer(d_model, h, d_head, h_kv)
    heads = mha(np.random.default_rng(1).normal(size=(n, d_model))).heads
    n_products = heads.scores.size * heads.Q.shape[-1] + heads.weights.size * heads.V.shape[-1]
    assert attention_flops(n, h, d_head) == 2 * n_products  # each is multiplied, and added to the others
    assert softmax_entries(n, h) == heads.weights.size
    assert parameter_count(d_model, h, d_head, h_kv) == sum(W.size for W in (mha.W_Q, mha.W_K, mha.W_V, mha.W_O))


@pytest.mark.parametrize("n_kv_heads", [1, 2, 8])
@pytest.mark.parametrize(("dtype", "size"), [(np.float16, 2), (np.float32, 4)])
def test_bytes_are_those_that_the_cache_allocates(n_kv_heads, dtype, size):
    shape = CacheShape(3, 8, n_kv_heads, d_k=4, d_v=6, bytes_per_number=size)
    one_layer = KVCache(capacity=5, n_kv_heads=n_kv_heads, d_k=4, d_v=6, dtype=dtype)
    assert shape.cache_bytes(5) == 3 * one_layer.nbytes == 5 * shape.bytes_per_token()


def test_a_window_caps_the_bytes():
    shape = CacheShape(1, 1, 1, 4, 4, window=10)
    assert [shape.cache_bytes(n) // shape.bytes_per_token() for n in (1, 10, 11, 1000)] == [1, 10, 10, 10]


def test_a_latent_stands_in_place_of_keys_and_values():
    assert CacheShape(2, 128, 128, 128, 128, latent=576).bytes_per_token() == 2 * 576 * 2
