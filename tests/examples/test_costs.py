"""The bytes of a KV cache, against a real one."""

import numpy as np
import pytest

from attention_lib import KVCache
from attention_lib.examples.costs import CacheShape, load_model_shapes


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
