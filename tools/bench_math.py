"""Time attention against its own matrix products in one run: python tools/bench_math.py

Each line alternates two calls, so that caches, clock and neighbours are the same for both. Times are those of the
quickest tenth, in microseconds, because neighbours can only add to them.
"""

import time

import numpy as np

from attention_lib import KVCache, MultiHeadAttention, scaled_dot_product_attention, self_attention

HEADS, D_HEAD, CACHED = 8, 64, 4096
rng = np.random.default_rng(0)


def random(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def line(name, call, baseline, rounds, *, over=np.inf, ratio=np.inf):
    """Print how long both calls take, and whether the first stays within its target."""
    seconds = np.empty((rounds, 2))
    for i in range(-5, rounds):  # the first five warm up
        for j, function in enumerate((call, baseline)):
            start = time.perf_counter()
            function()
            seconds[i, j] = time.perf_counter() - start
    ours, alone = 1e6 * np.quantile(seconds, 0.1, axis=0)
    target = f"over <= {over}" if over < np.inf else f"ratio <= {ratio}"
    reached = "reached" if ours - alone <= over and ours / alone <= ratio else "MISSED"
    print(f"{name:44}{ours:9.0f}{alone:10.0f}{ours - alone:9.0f}{ours / alone:8.2f}   {target}: {reached}")


def bench_self_attention():
    """64 tokens, beside the products of matrices in it."""
    X, W_Q, W_K, W_V = random(4, 64, 64) / 8

    def products():
        Q, K, V = X @ W_Q, X @ W_K, X @ W_V
        return (Q @ K.T) @ V

    line("self_attention, 64 tokens", lambda: self_attention(X, W_Q, W_K, W_V), products, 2000, over=60)


def bench_decoding():
    """One token against a full cache, beside the least NumPy that computes the same: nothing checked, nothing kept."""
    d_model = HEADS * D_HEAD
    W_Q, W_K, W_V, W_O = random(4, d_model, d_model) / 16
    mha, cache = MultiHeadAttention(W_Q, W_K, W_V, W_O, n_heads=HEADS), KVCache(CACHED, HEADS, D_HEAD, dtype=np.float32)
    past, x = random(HEADS, CACHED - 1, D_HEAD), random(1, d_model)
    cache.append(past, past)
    trace = mha(x, cache=cache, is_causal=True)
    keys, values = np.array(trace.heads.K), np.array(trace.heads.V)

    def step():
        cache.truncate(CACHED - 1)
        return mha(x, cache=cache, is_causal=True)

    def bare():
        q, k, v = ((x @ W).reshape(HEADS, 1, D_HEAD) for W in (W_Q, W_K, W_V))
        keys[:, -1:], values[:, -1:] = k, v
        scores = q @ keys.swapaxes(-1, -2)
        scores /= np.float32(D_HEAD**0.5)
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        return (scores @ values).reshape(1, d_model) @ W_O

    assert np.allclose(bare(), trace.output, atol=1e-5)
    line(f"decode one token at {CACHED} cached, to bare NumPy", step, bare, 400, ratio=1.2)


def bench_long():
    """One query against many keys that the caller owns, of which the trace needs copies."""
    q, K, V = random(HEADS, 1, D_HEAD), random(HEADS, CACHED, D_HEAD), random(HEADS, CACHED, D_HEAD)
    weights = random(HEADS, 1, CACHED)

    def products():
        return q @ K.swapaxes(-1, -2), weights @ V

    line(f"attention to {CACHED} keys", lambda: scaled_dot_product_attention(q, K, V), products, 100, ratio=3)


if __name__ == "__main__":
    print(f"numpy {np.__version__}, float32")
    print(f"{'':44}{'call':>9}{'products':>10}{'over':>9}{'ratio':>8}")
    bench_self_attention()
    bench_decoding()
    bench_long()
