"""Time attention against its own matrix products, in one run: python tools/benchmarks/bench_math.py

Each line alternates two calls, so that caches, clock and neighbours are the same
for both. Times are those of the quickest tenth, in
microseconds: neighbours can only add to them. Nothing here is collected by pytest.
"""

import time

import numpy as np

from attention_lib import KVCache, MultiHeadAttention, scaled_dot_product_attention, self_attention
from attention_lib.attention import attend  # the calculation without checks and copies of Q, K and V

try:
    import torch
except ImportError:
    torch = None

HEADS, D_HEAD, CACHED = 8, 64, 4096
TARGETS = []  # (name, target, reached)
rng = np.random.default_rng(0)


def alternate(call, baseline, rounds):
    """Return the seconds of `call` and of `baseline` that a tenth of the rounds stays below, and their difference."""
    seconds = np.empty((rounds, 2))
    for i in range(-5, rounds):  # the first five warm up
        for j, function in enumerate((call, baseline)):
            start = time.perf_counter()
            function()
            seconds[i, j] = time.perf_counter() - start
    ours, alone = np.quantile(seconds, 0.1, axis=0)
    return ours, alone, ours - alone


def line(name, target, call, baseline, rounds):
    ours, alone, over = (1e6 * seconds for seconds in alternate(call, baseline, rounds))
    print(f"{name:48}{ours:9.0f}{alone:10.0f}{over:9.0f}{ours / alone:8.2f}   {target}")
    if target:
        TARGETS.append((name, target, over if target.startswith("over") else ours / alone))


def bench_self_attention(dtype):
    X, W_Q, W_K, W_V = (rng.standard_normal((64, 64)).astype(dtype) / 8 for _ in range(4))

    def products():
        Q, K, V = X @ W_Q, X @ W_K, X @ W_V
        return (Q @ K.T) @ V

    name = np.dtype(dtype).name
    target = "over <= 60" if dtype == np.float32 else ""
    line(f"self_attention, 64 tokens, {name}", target, lambda: self_attention(X, W_Q, W_K, W_V), products, 2000)
    scores = rng.standard_normal((64, 64)).astype(dtype)
    line(f"   of which np.exp alone, {name}", "", lambda: np.exp(scores), lambda: None, 2000)
    if torch is not None:
        Q, K, V = (torch.from_numpy((X @ W)[None, None]) for W in (W_Q, W_K, W_V))
        sdpa = torch.nn.functional.scaled_dot_product_attention
        line(f"   torch {torch.__version__} SDPA, Q K V given", "", lambda: sdpa(Q, K, V), products, 2000)
        numpy_QKV = [a[0, 0].numpy() for a in (Q, K, V)]
        line("   ours, Q K V given", "", lambda: scaled_dot_product_attention(*numpy_QKV), products, 2000)


def bench_decoding():
    d_model = HEADS * D_HEAD
    W = [rng.standard_normal((d_model, d_model)).astype(np.float32) / 16 for _ in range(4)]
    mha = MultiHeadAttention(*W, n_heads=HEADS)
    cache = KVCache(CACHED, HEADS, D_HEAD, dtype=np.float32)
    past = rng.standard_normal((HEADS, CACHED - 1, D_HEAD)).astype(np.float32)
    cache.append(past, past)
    x = rng.standard_normal((1, d_model)).astype(np.float32)
    trace = mha(x, cache=cache, is_causal=True)
    Q, K, V, weights = trace.heads.Q, trace.heads.K, trace.heads.V, trace.heads.weights

    def step():
        cache.truncate(CACHED - 1)
        return mha(x, cache=cache, is_causal=True)

    def products():
        return Q @ K.swapaxes(-1, -2), weights @ V

    W_Q, W_K, W_V, W_O = W
    keys, values = np.array(K), np.array(V)

    def bare():  # the least NumPy that computes the same: nothing checked, nothing kept
        q, k, v = ((x @ w).reshape(HEADS, 1, D_HEAD) for w in (W_Q, W_K, W_V))
        keys[:, -1:], values[:, -1:] = k, v
        scores = q @ keys.swapaxes(-1, -2)
        scores /= np.float32(D_HEAD**0.5)
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        return (scores @ values).reshape(1, d_model) @ W_O

    assert np.allclose(bare(), trace.output, atol=1e-5)
    line(f"decode 1 token at {CACHED} cached, to bare NumPy", "ratio <= 1.2", step, bare, 400)
    line("   the same to its two products", "", step, products, 400)
    line("   bare NumPy (no checks, no trace) to them", "", bare, products, 400)
    line("   of which the four projections", "", lambda: [x @ w for w in W], products, 400)
    line("   of which attention after projecting", "", lambda: attend(Q, K, V), products, 400)
    if torch is not None:
        QKV = [torch.from_numpy(np.array(a[None])) for a in (Q, K, V)]
        sdpa = torch.nn.functional.scaled_dot_product_attention
        line(f"   torch {torch.__version__} SDPA, Q K V given", "", lambda: sdpa(*QKV), products, 400)


def bench_long(dtype):
    """One query against many keys that the caller owns: the trace needs copies of them."""
    q, K, V = (rng.standard_normal((HEADS, n, D_HEAD)).astype(dtype) for n in (1, CACHED, CACHED))
    weights = rng.standard_normal((HEADS, 1, CACHED)).astype(dtype)

    def products():
        return q @ K.swapaxes(-1, -2), weights @ V

    def floor():  # independent of what the caller does with K and V later, and nothing else
        own_K, own_V = K.copy(), V.copy()
        return q @ own_K.swapaxes(-1, -2), weights @ own_V, own_K, own_V

    name = np.dtype(dtype).name
    target = "ratio <= 3" if dtype == np.float32 else ""
    line(
        f"attention to {CACHED} keys of {HEADS} heads, {name}",
        target,
        lambda: scaled_dot_product_attention(q, K, V),
        products,
        100,
    )
    line("   the floor: two copies and two products", "", floor, products, 100)
    line("   of which the two copies alone", "", lambda: (K.copy(), V.copy()), products, 100)
    line("   the calculation without copies and checks", "", lambda: attend(q, K, V), products, 100)


if __name__ == "__main__":
    if torch is not None:
        torch.set_num_threads(1)  # its threads and those of NumPy's BLAS would wait for each other
    print(f"numpy {np.__version__}" + ("" if torch is None else f", torch {torch.__version__}"))
    print(f"{'':48}{'call':>9}{'products':>10}{'over':>9}{'ratio':>8}   target")
    bench_self_attention(np.float32)
    bench_self_attention(np.float64)
    bench_decoding()
    bench_long(np.float32)
    bench_long(np.float64)
    print("\nAimed at and reached:")
    for name, target, reached in TARGETS:
        print(f"{name:48}{target:>14}{reached:9.2f}")
