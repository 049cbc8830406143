"""The exercises of notebook 06: a bug, heads that share keys, a step of decoding."""

import numpy as np

from ...checks.exercise import Arguments, Exercise, normal


def piece_far_below_0(rng: np.random.Generator) -> list[Arguments]:
    """Draw a piece whose scores all lie far below 0: there a forbidden score of 0 would take all the weight."""
    Q, K, K_cache = np.full((2, 1), 6.0), np.array([[-10.0], [-9.75]]), np.array([[-10.0], [-10.25]])
    return [(Q, K, normal(rng, 2, 2), K_cache, normal(rng, 2, 2))]


mended_step = Exercise(
    title="Find the bug",
    difficulty=2,
    minutes=8,
    task="""`mended_step(Q, K, V, K_cache, V_cache)` is given the rows of a few new tokens, (n_new, d), and the caches,
(n_cached, d). It returns the outputs of the new tokens, and both caches with the new rows appended. It runs without an
error, every row of its weights sums to 1, and its result is right as long as the cache is empty. One line is wrong.
Find it and fix it.""",
    solution="""
def mended_step(Q, K, V, K_cache, V_cache):
    K, V = np.concatenate([K_cache, K]), np.concatenate([V_cache, V])
    allowed = np.tri(len(Q), len(K), k=len(K_cache), dtype=bool)  # every new token also sees the whole cache
    scaled_scores = Q @ K.T / np.sqrt(Q.shape[1])
    exps = np.where(allowed, np.exp(scaled_scores), 0)
    weights = exps / exps.sum(axis=1, keepdims=True)
    return weights @ V, K, V
""",
    bug={"k=len(K_cache), dtype=bool)  # every new token also sees the whole cache": "dtype=bool)  # (n_new, n_keys)"},
    hints=(
        "Give the function one new token and a cache of three. Which keys should the new token see, and which does it "
        "actually see?",
        "Print `allowed` for 2 new tokens and 3 cached ones, and compare it with `causal_mask(2, 5)`.",
    ),
    why="With an empty cache, the two masks are the same, so a test that only reads a prompt will not find this bug. "
    "PyTorch's `is_causal=True` makes the wrong mask, too: it lines up the first query with the first key.",
    cases=lambda rng: [  # one new token, several of them, an empty cache
        (
            *(normal(rng, n_new, width) for width in (d_k, d_k, d_v)),
            *(normal(rng, n_cached, width) for width in (d_k, d_v)),
        )
        for n_new, n_cached, d_k, d_v in [(2, 1, 2, 2), (2, 3, 2, 1), (3, 0, 3, 2), (1, 4, 4, 3), (4, 5, 3, 6)]
    ],
    hard=piece_far_below_0,
    parts=("output", "K", "V"),
    mistakes={
        "One key too few: a new token does not see itself. The first new token sees the whole cache and itself.": {
            "k=len(K_cache), dtype": "k=len(K_cache) - 1, dtype"
        },
        "A new token sees new tokens that come after it. Only the cache is open to all of them.": {
            "k=len(K_cache), dtype": "k=len(K), dtype"
        },
    },
)

attend_in_groups = Exercise(
    title="Heads that share keys",
    difficulty=2,
    minutes=10,
    task="""Write one decoding step of grouped-query attention. `attend_in_groups(q, K, V)` is given the newest query of
each of h heads, (h, d_k), and a cache with fewer heads: K is (h_kv, n, d_k) and V is (h_kv, n, d_v). Neighbouring query
heads share a key/value head: with h = 4 and h_kv = 2, heads 0 and 1 read key/value head 0, and heads 2 and 3 read
head 1. The function returns the output of each head, (h, d_v).""",
    solution="""
def attend_in_groups(q, K, V):  # (h, d_k), (h_kv, n, d_k), (h_kv, n, d_v)
    rows = []
    for i in range(len(q)):
        shared = i * len(K) // len(q)  # the key/value head that query head i reads
        scaled_scores = K[shared] @ q[i] / np.sqrt(q.shape[1])  # (n,)
        exps = np.exp(scaled_scores - scaled_scores.max())
        weights = exps / exps.sum()
        rows.append(weights @ V[shared])
    return np.array(rows)  # (h, d_v)
""",
    hints=(
        "Which key/value head does query head i read? Write the numbers down for h = 6 and h_kv = 2.",
        "Query head i reads key/value head `i * h_kv // h`. The rest is ordinary attention of one query over a cache, "
        "carried out in each head.",
    ),
    why="The cache holds only h_kv heads. A program may repeat their rows for the query heads, but only while it reads "
    "the cache.",
    cases=lambda rng: [
        (normal(rng, h, d), normal(rng, h_kv, n, d), normal(rng, h_kv, n, d_v))
        for h, h_kv, n, d, d_v in [(4, 2, 2, 2, 2), (2, 1, 3, 2, 2), (6, 2, 4, 3, 2), (3, 3, 2, 2, 4), (6, 3, 5, 9, 4)]
    ],
    mistakes={
        "The query heads take the key/value heads in turn: 0, 1, 0, 1. Neighbouring query heads share a key/value "
        "head, so the order has to be 0, 0, 1, 1.": {"i * len(K) // len(q)": "i % len(K)"},
    },
)


next_row = Exercise(
    title="One step of decoding",
    difficulty=3,
    minutes=14,
    task="""Write one step of decoding in a model of several layers, each with a single head and a cache of its own.
`next_row(x, W_Q, W_K, W_V, K_caches, V_caches)` is given the newest row x, (d_model,). Layer i has the matrices W_Q[i]
and W_K[i], (d_model, d_k), and W_V[i], (d_model, d_model). Its cache has the keys K_caches[i], (n_cached, d_k), and the
values V_caches[i], (n_cached, d_model), of the earlier tokens.

Each layer **adds** its output to the row, and the next layer is given the sum. Return the row after the last layer and
the caches of all layers, K and V, each with one new row: (n_layers, n_cached + 1, d_k) and
(n_layers, n_cached + 1, d_model).""",
    solution="""
def next_row(x, W_Q, W_K, W_V, K_caches, V_caches):  # (d_model,), then one matrix or cache for each layer
    keys, values = [], []
    for i in range(len(W_Q)):
        K = np.vstack([K_caches[i], x @ W_K[i]])  # (n_cached + 1, d_k)
        V = np.vstack([V_caches[i], x @ W_V[i]])  # (n_cached + 1, d_model)
        scaled_scores = K @ (x @ W_Q[i]) / np.sqrt(K.shape[1])
        exps = np.exp(scaled_scores - scaled_scores.max())
        weights = exps / exps.sum()
        keys.append(K)
        values.append(V)
        x = x + weights @ V
    return x, np.array(keys), np.array(values)  # (d_model,), K and V of each layer
""",
    hints=(
        "Which row does layer 1 compute its query, its key and its value from?",
        "In each layer, append the key and the value of x to the cache, let the query of x read all of it, and add the "
        "output to x. Then go on to the next layer with this new x.",
    ),
    why="Each layer needs a cache of its own, because each computes its keys and values from another row.",
    cases=lambda rng: [
        (
            normal(rng, d),
            *(normal(rng, n_layers, d, width) / 2 for width in (d_k, d_k, d)),
            *(normal(rng, n_layers, n_cached, width) for width in (d_k, d)),
        )
        for n_layers, n_cached, d, d_k in [(1, 1, 2, 2), (2, 1, 2, 2), (2, 3, 2, 3), (3, 2, 4, 2), (2, 5, 3, 4)]
    ],
    parts=("row", "K", "V"),
    mistakes={
        "Your layers all compute their keys and values from the first row. Layer 1 is given the row that layer 0 has "
        "changed.": {
            "    keys, values = [], []": "    first, keys, values = x, [], []",
            "x @ W_K[i]": "first @ W_K[i]",
            "x @ W_V[i]": "first @ W_V[i]",
        },
        "The newest token does not read its own key and value. Append them before the query reads the cache.": {
            "K @ (x @ W_Q[i])": "K_caches[i] @ (x @ W_Q[i])",
            "x + weights @ V": "x + weights @ V_caches[i]",
        },
    },
)
