import numpy as np
import pytest
from _profiles import matrices, repeatable
from hypothesis import given
from hypothesis import strategies as st

from attention_lib import KVCache

pytestmark = pytest.mark.filterwarnings("error")


def state(cache):
    return len(cache), cache.K.tolist(), cache.V.tolist()


@repeatable
@given(st.lists(st.integers(0, 3), min_size=1, max_size=4), st.data())
def test_a_cache_holds_what_was_appended_in_order(pieces, data):
    cache = KVCache(12, n_kv_heads=2, d_k=3, d_v=1)
    all_K, all_V = np.zeros((2, 0, 3)), np.zeros((2, 0, 1))
    for n_new in pieces:
        new_K, new_V = data.draw(matrices(2, n_new, 3)), data.draw(matrices(2, n_new, 1))
        all_K, all_V = np.concatenate([all_K, new_K], 1), np.concatenate([all_V, new_V], 1)
        for K, V in (cache.append(new_K, new_V), (cache.K, cache.V)):
            np.testing.assert_array_equal(K, all_K)
            np.testing.assert_array_equal(V, all_V)
        assert len(cache) == all_K.shape[1]


def test_what_is_appended_is_copied_and_what_is_returned_is_not():
    cache = KVCache(3, 1, 1)
    mine = np.ones((1, 1, 1))
    first, _ = cache.append(mine, mine)
    mine[:] = 7
    assert cache.K.tolist() == cache.V.tolist() == [[[1]]]
    both, _ = cache.append(mine, mine)
    assert np.shares_memory(first, both) and np.shares_memory(both, cache.K)
    assert first.tolist() == [[[1]]] and both.tolist() == [[[1], [7]]]


def test_views_cannot_be_written_through():
    cache = KVCache(2, 1, 1)
    for view in (*cache.append([[[1]]], [[[2]]]), cache.K, cache.V):
        with pytest.raises(ValueError, match="read-only"):
            view[:] = 0


def test_truncating_forgets_the_last_tokens_and_makes_room():
    cache = KVCache(2, 1, 1)
    cache.append([[[1], [2]]], [[[3], [4]]])
    cache.truncate(1)
    assert state(cache) == (1, [[[1]]], [[[3]]])
    cache.append([[[5]]], [[[6]]])
    assert state(cache) == (2, [[[1], [5]]], [[[3], [6]]])
    cache.truncate(0)
    assert len(cache) == 0


one = np.ones((2, 1, 3))
BAD_APPENDS = {
    "full": (np.ones((2, 3, 3)), np.ones((2, 3, 3)), ValueError, "the cache holds 2 of 4 tokens; 3 more do not fit"),
    "d_v": (one, np.ones((2, 1, 2)), ValueError, "V has shape (2, 1, 2); the cache needs (2, n_new, 3)"),
    "axes": (one[..., None], one, ValueError, "K has shape (2, 1, 3, 1); the cache needs (2, n_new, 3)"),
    "lengths": (one, np.ones((2, 2, 3)), ValueError, "V has 2 tokens but K has 1"),
    "NaN": (one, one * np.nan, ValueError, "V has nan at [0, 0, 0]; it needs finite numbers"),
    "range": (one, one * 1e39, ValueError, "V rounded to float32 has inf at [0, 0, 0]; it needs finite numbers"),
}


@pytest.mark.parametrize("name", BAD_APPENDS)
def test_a_refused_append_names_the_fault_and_leaves_the_cache_unchanged(name):
    K, V, kind, sentence = BAD_APPENDS[name]
    cache = KVCache(4, 2, 3, dtype=np.float32)
    cache.append(np.full((2, 2, 3), 5), np.full((2, 2, 3), 6))
    before = state(cache)
    with pytest.raises(kind) as error:
        cache.append(K, V)
    assert sentence in str(error.value)
    assert state(cache) == before
    cache.append(one, one)
    assert len(cache) == 3
