"""The counts of `costs` against real matrices, and against a pass that counts its own operations."""

import numpy as np
import pytest

from attention_lib import KVCache, MultiHeadAttention
from attention_lib.examples.costs import (
    CacheShape,
    attention_flops,
    load_model_shapes,
    parameter_count,
    softmax_entries,
)

SHAPES = [(6, 8, 4, 2, 4), (6, 8, 4, 2, 2), (5, 8, 4, 3, 1), (3, 5, 1, 7, 1)]  # n, d_model, h, d_head, h_kv


def layer(d_model, h, d_head, h_kv):
    rng = np.random.default_rng(0)
    widths = [(d_model, h * d_head), (d_model, h_kv * d_head), (d_model, h_kv * d_head), (h * d_head, d_model)]
    return MultiHeadAttention(*(rng.normal(size=shape) for shape in widths), n_heads=h, n_kv_heads=h_kv)


class Counted:
    def __init__(self):
        self.flops = 0

    def product(self, a, b):
        result = np.zeros((a.shape[0], b.shape[1]))
        for i, j in np.ndindex(result.shape):
            for k in range(a.shape[1]):
                result[i, j] += a[i, k] * b[k, j]
                self.flops += 2
        return result


@pytest.mark.parametrize(("n", "d_model", "h", "d_head", "h_kv"), SHAPES)
def test_counts_are_those_of_a_pass_that_counts(n, d_model, h, d_head, h_kv):
    mha = layer(d_model, h, d_head, h_kv)
    X = np.random.default_rng(1).normal(size=(n, d_model))
    trace = mha(X)
    maps = Counted()
    Q, K, V = (X @ W for W in (mha.W_Q, mha.W_K, mha.W_V))
    outputs = []
    for i in range(h):
        own, group = slice(i * d_head, (i + 1) * d_head), i // (h // h_kv)
        shared = slice(group * d_head, (group + 1) * d_head)
        assert np.allclose(maps.product(Q[:, own], K[:, shared].T), trace.heads.scores[i])
        outputs.append(maps.product(trace.heads.weights[i], V[:, shared]))
    assert np.allclose(np.hstack(outputs) @ mha.W_O, trace.output)
    assert attention_flops(n, h, d_head) == maps.flops
    assert softmax_entries(n, h) == trace.heads.weights.size
    assert parameter_count(d_model, h, d_head, h_kv) == sum(W.size for W in (mha.W_Q, mha.W_K, mha.W_V, mha.W_O))


# -- a KV cache, and the shapes of published models


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


# As published; see the sources in data/model_shapes.json.
PUBLISHED = {
    "Llama-2-7B": (32, 32, 32, 128, 128, None, None),
    "Llama-3-8B": (32, 32, 8, 128, 128, None, None),
    "Mistral-7B-v0.1": (32, 32, 8, 128, 128, 4096, None),
    "DeepSeek-V2": (60, 128, 128, 128, 128, None, 512 + 64),
}


def test_shapes_are_as_published():
    models = {model.name: model for model in load_model_shapes()}
    assert list(models) == list(PUBLISHED)
    for name, model in models.items():
        shape = (model.n_layers, model.n_heads, model.n_kv_heads, model.d_k, model.d_v, model.window, model.latent)
        assert shape == PUBLISHED[name]
        assert len(model.source) > 60 and model.context and model.n_heads % model.n_kv_heads == 0
