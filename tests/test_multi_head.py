import numpy as np
import oracle
import pytest
from _profiles import close, repeatable, sizes
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_lib import KVCache, MultiHeadAttention, sliding_window_mask

pytestmark = pytest.mark.filterwarnings("error")

HEADS = [(1, 1), (4, 4), (4, 2), (4, 1), (6, 2)]  # multi-head, grouped-query and multi-query attention
heads = st.sampled_from(HEADS)


def make(rng, n_heads, n_kv_heads, d_model=3, d_context=3, d_k=2, d_v=3, d_out=4, dtype=float):
    shapes = (
        (d_model, n_heads * d_k),
        (d_context, n_kv_heads * d_k),
        (d_context, n_kv_heads * d_v),
        (n_heads * d_v, d_out),
    )
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


@repeatable
@given(st.integers(0, 10**6), heads, sizes, sizes, st.data())
def test_multi_head_attention_equals_the_oracle(seed, heads, n_queries, n_keys, data):
    rng = np.random.default_rng(seed)
    W = make(rng, *heads, d_context=4)
    X, context = rng.standard_normal((n_queries, 3)), rng.standard_normal((n_keys, 4))
    mask = data.draw(arrays(bool, (n_queries, n_keys)))
    is_causal = data.draw(st.booleans())
    allowed = mask & oracle.window(n_queries, n_keys, None, 0) if is_causal else mask
    trace = MultiHeadAttention(*W, *heads)(X, context, mask, is_causal)
    expected = oracle.multi_head(X.tolist(), context.tolist(), *(w.tolist() for w in W), *heads, allowed.tolist())
    close(trace.concat, expected["concat"])
    close(trace.output, expected["output"])
    close(trace.contributions, expected["contributions"])
    assert trace.contributions is trace.contributions  # computed once


@pytest.mark.parametrize("heads", HEADS)
def test_a_batch_equals_its_sequences_one_by_one(heads):
    rng = np.random.default_rng(0)
    mha = MultiHeadAttention(*make(rng, *heads), *heads)
    X, context = rng.standard_normal((2, 4, 3)), rng.standard_normal((2, 5, 3))
    mask = rng.random((2, 1, 4, 5)) < 0.6
    for shared in (context, context[0]):
        trace = mha(X, shared, mask)
        for i in range(2):
            one = mha(X[i], context[i] if shared.ndim == 3 else shared, mask[i])
            close(trace.output[i], one.output)
            close(trace.contributions[i], one.contributions)


@repeatable
@given(
    st.integers(0, 10**6),
    heads,
    st.lists(st.integers(1, 3), min_size=1, max_size=5),
    st.none() | st.integers(0, 4),
)
def test_cached_attention_equals_the_full_causal_pass(seed, heads, pieces, left):
    rng = np.random.default_rng(seed)
    W = make(rng, *heads)
    mha = MultiHeadAttention(*W, *heads)
    n = sum(pieces)
    X = rng.standard_normal((n, 3))
    full = mha(X, mask=None if left is None else sliding_window_mask(n, left=left), is_causal=True)
    for steps in (pieces, [1] * n):  # a prefill in pieces, and token by token
        cache = KVCache(n, heads[1], mha.d_k, mha.d_v)
        start = 0
        for n_new in steps:
            stop = start + n_new
            mask = None if left is None else sliding_window_mask(n_new, stop, left=left)
            trace = mha(X[start:stop], mask=mask, is_causal=True, cache=cache)
            assert len(cache) == stop
            close(trace.output, full.output[start:stop])
            close(trace.heads.weights, full.heads.weights[:, start:stop, :stop])
            start = stop


def test_a_decoding_step_reads_the_cache_without_copying_it():
    mha = MultiHeadAttention(*make(np.random.default_rng(0), 2, 2), 2)
    cache = KVCache(4, 2, 2, 3)
    trace = mha(np.ones((1, 3)), cache=cache)
    assert np.shares_memory(trace.heads.K, cache.K) and np.shares_memory(trace.heads.V, cache.V)
    weights, K = trace.heads.weights.copy(), trace.heads.K.copy()
    mha(np.zeros((1, 3)), cache=cache)
    assert np.array_equal(trace.heads.weights, weights) and np.array_equal(trace.heads.K, K)


BAD_STEPS = {
    "mask shape": (
        dict(X=np.ones((1, 3)), mask=np.ones((1, 9), bool)),
        "mask has shape (1, 9); it needs to broadcast to scores (2, 1, 2)",
    ),
    "output": (dict(X=np.full((1, 3), 1e-150), W_O=1e308), "output left the range of float64"),
    "batch": (
        dict(X=np.ones((1, 1, 3))),
        "X has shape (1, 1, 3); with a cache it needs (n_new, d_model), one sequence",
    ),
    "context": (
        dict(X=np.ones((1, 3)), context=np.ones((2, 3))),
        "context and cache are both given; a cache continues X itself, so give one of them",
    ),
}


@pytest.mark.parametrize("name", BAD_STEPS)
def test_a_refused_step_names_the_fault_and_leaves_the_cache_unchanged(name):
    call, sentence = BAD_STEPS[name]
    call = dict(call)
    W_O = np.full((6, 4), call.pop("W_O", 1.0))
    mha = MultiHeadAttention(*make(np.random.default_rng(0), 2, 2)[:3], W_O, 2)
    cache = KVCache(4, 2, 2, 3)
    cache.append(np.ones((2, 1, 2)), np.ones((2, 1, 3)))
    with pytest.raises((ValueError, TypeError)) as error:
        mha(**call, cache=cache)
    assert sentence in str(error.value)
    assert len(cache) == 1
    assert cache.K.tolist() == np.ones((2, 1, 2)).tolist() and cache.V.tolist() == np.ones((2, 1, 3)).tolist()


def test_an_interrupted_step_leaves_the_cache_unchanged(monkeypatch):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    mha = MultiHeadAttention(*make(np.random.default_rng(0), 2, 2), 2)
    cache = KVCache(4, 2, 2, 3)
    monkeypatch.setattr("attention_lib.multi_head.attend", interrupted)
    with pytest.raises(KeyboardInterrupt):
        mha(np.ones((1, 3)), cache=cache)
    assert len(cache) == 0
