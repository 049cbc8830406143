"""The bytes of a KV cache, against a real one."""

import numpy as np
import pytest

from attention_lib import KVCache
from attention_lib.examples.costs import CacheShape


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
