"""Wrong answers as learners write them, independent of the recipes that the checks compare with.

Exercise -> (name of the mistake, source text).
"""

ATTEND = """
def {name}(Q, K, V{more}):
    s = {scores}
    w = np.exp(s - s.max(axis=-1, keepdims=True))
    w = w / w.sum(axis=-1, keepdims=True)
    return w @ V
"""


def attend(name: str, scores: str, more: str = "") -> str:
    """Write attention with other scores."""
    return ATTEND.format(name=name, scores=scores, more=more)


ANSWERS: dict[str, list[tuple[str, str]]] = {
    "attention_from_embeddings": [
        (
            "scaled_by_root_d_model",
            """
def attention_from_embeddings(X, W_Q, W_K, W_V):
    d = X.shape[-1]
    e = np.exp((X @ W_Q) @ (X @ W_K).T / np.sqrt(d))
    return (e / e.sum(axis=1)[:, None]) @ (X @ W_V)
""",
        ),
        (
            "one_projection",
            """
def attention_from_embeddings(X, W_Q, W_K, W_V):
    Q = K = X @ W_Q
    e = np.exp(Q @ K.T / np.sqrt(Q.shape[1]))
    return (e / e.sum(axis=1)[:, None]) @ (X @ W_V)
""",
        ),
    ],
    "mended_attention": [
        ("scaled_by_d_k", attend("mended_attention", "Q @ K.T / K.shape[1]")),
        ("not_scaled", attend("mended_attention", "Q @ K.T")),
    ],
    "makes_an_attention_map": [
        ("accepts_everything", "def makes_an_attention_map(f):\n    return f(np.eye(3)).shape == (3, 3)"),
        (
            "fed_alike",
            "def makes_an_attention_map(f):\n    return np.allclose(f(np.ones((2, 3))).sum(axis=1), 1)",
        ),
    ],
    "scale_scores": [
        ("half_power", "def scale_scores(s, d_k):\n    return s / (d_k ** 1 / 2)"),
        ("scaled_by_d_k", "def scale_scores(s, d_k):\n    return (1 / d_k) * s"),
        ("not_scaled", "def scale_scores(s, d_k):\n    return s"),
    ],
    "stable_softmax": [
        (
            "softmax_not_stable",
            "def stable_softmax(x, axis):\n    return np.exp(x) / np.sum(np.exp(x), axis=axis, keepdims=True)",
        ),
        (
            "largest_of_everything",
            "def stable_softmax(x, axis):\n    e = np.exp(x - np.max(x))\n    return e / e.sum(axis, keepdims=True)",
        ),
        (
            "axis_ignored",
            "def stable_softmax(x, axis):\n    e = np.exp((x.T - x.max(-1).T).T)\n    return (e.T / e.sum(-1).T).T",
        ),
    ],
    "divisor_of": [
        (
            "logarithm_missing",
            "def divisor_of(s, w):\n    a, b = np.argmax(s), np.argmin(s)\n    return (s[a] - s[b]) * w[b] / w[a]",
        ),
        ("divisor_inverted", "def divisor_of(s, w):\n    return np.log(w.max() / w.min()) / (s.max() - s.min())"),
        ("one_weight_alone", "def divisor_of(s, w):\n    return max(s) / np.log(max(w))"),
    ],
    "online_softmax": [
        (
            "old_total_not_rescaled",
            """
def online_softmax(blocks):
    m, t = -np.inf, 0
    for b in blocks:
        m = np.maximum(m, np.max(b))
        t += np.sum(np.exp(b - m))
    return m, t
""",
        ),
        (
            "keeps_all_blocks",
            """
def online_softmax(blocks):
    every = np.hstack([b for b in blocks])
    m = max(every)
    return m, sum(np.exp(every - m))
""",
        ),
    ],
    "may_see_past": [
        ("causal_top_left", "def may_see_past(n, m):\n    return np.tril(np.ones((n, m))).astype(bool)"),
        (
            "causal_excludes_itself",
            "def may_see_past(n, m):\n    return np.tril(np.ones((n, m)), m - n - 1).astype(bool)",
        ),
        ("causal_reversed", "def may_see_past(n, m):\n    return np.triu(np.ones((n, m)), m - n) > 0"),
        ("mask_inverted", "def may_see_past(n, m):\n    return np.triu(np.ones((n, m)), m - n + 1) == 1"),
    ],
    "real_keys": [
        ("pad_off_by_one", "def real_keys(l, n):\n    return np.array([[[k <= i for k in range(n)]] for i in l])"),
        ("pad_rows_masked", "def real_keys(l, n):\n    return np.array([[[k < i] for k in range(n)] for i in l])"),
    ],
    "weights_with_dead_rows": [
        (
            "dead_row_nan",
            """
def weights_with_dead_rows(s, mask):
    s = np.where(mask, s, -np.inf)
    e = np.exp(s - s.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)
""",
        ),
        (
            "dead_row_uniform",
            """
def weights_with_dead_rows(s, mask):
    s = np.where(mask, s, -1e30)
    e = np.exp(s - s.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)
""",
        ),
    ],
    "attention_between": [
        (
            "scaled_by_root_d_model",
            """
def attention_between(X, c, W_Q, W_K, W_V):
    e = np.exp(X @ W_Q @ (c @ W_K).T / np.sqrt(c.shape[1]))
    return e / e.sum(1, keepdims=True) @ (c @ W_V)
""",
        ),
        (
            "values_from_X",
            """
def attention_between(X, c, W_Q, W_K, W_V):
    e = np.exp(X @ W_Q @ (c @ W_K).T / np.sqrt(W_K.shape[1]))
    return e / e.sum(1, keepdims=True) @ (X @ W_V)
""",
        ),
    ],
    "in_new_order": [
        ("keys_not_moved", "def in_new_order(w, o, q, k):\n    return np.take(w, q, axis=0), np.take(o, q, axis=0)"),
        ("pairs_picked", "def in_new_order(w, o, q, k):\n    return w[list(q), list(k)], o[list(q)]"),
    ],
    "padded_batch": [
        (
            "all_axes_transposed",
            """
def padded_batch(Q, K, V, lengths):
    s = np.matmul(Q, K.T) / np.sqrt(Q.shape[2])
    for b in range(len(s)):
        s[b][:, lengths[b]:] = -np.inf
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V
""",
        ),
    ],
    "splits_heads": [
        ("fed_alike", "def splits_heads(split):\n    return split(np.ones((3, 4)), 2).shape == (2, 3, 2)"),
        (
            "fed_hides",
            "def splits_heads(split):\n    X = np.zeros((3, 4))\n    X[0] = 1\n    return not split(X, 2)[:, 1:].any()",
        ),
    ],
    "head_contributions": [
        (
            "W_O_first_rows",
            "def head_contributions(H, W_O):\n    return np.array([o @ W_O[:H.shape[2]] for o in H])",
        ),
    ],
    "share_keys": [
        ("tiled_instead_of_repeated", "def share_keys(K, r):\n    return np.concatenate([K] * r)"),
    ],
    "packed_heads": [
        (
            "scaled_by_root_d_model",
            """
def packed_heads(X, W_Q, W_K, W_V, W_O, h):
    n, d = X.shape
    Q, K, V = [(X @ W).reshape(n, h, -1).transpose(1, 0, 2) for W in (W_Q, W_K, W_V)]
    e = np.exp(Q @ K.transpose(0, 2, 1) / d ** 0.5)
    return (e / e.sum(-1, keepdims=True) @ V).transpose(1, 0, 2).reshape(n, -1) @ W_O
""",
        ),
        (
            "reshape_without_transpose",
            """
def packed_heads(X, W_Q, W_K, W_V, W_O, h):
    n, d = X.shape
    Q, K, V = [(X @ W).reshape(h, n, -1) for W in (W_Q, W_K, W_V)]
    e = np.exp(Q @ K.transpose(0, 2, 1) / Q.shape[-1] ** 0.5)
    return (e / e.sum(-1, keepdims=True) @ V).transpose(1, 0, 2).reshape(n, -1) @ W_O
""",
        ),
        (
            "reshape_without_transpose",
            """
def packed_heads(X, W_Q, W_K, W_V, W_O, h):
    n, d = X.shape
    Q, K, V = [(X @ W).reshape(h, n, -1) for W in (W_Q, W_K, W_V)]
    e = np.exp(Q @ K.transpose(0, 2, 1) / Q.shape[-1] ** 0.5)
    return (e / e.sum(-1, keepdims=True) @ V).reshape(n, -1) @ W_O
""",
        ),
    ],
    "mended_step": [
        (
            "new_tokens_see_all",
            """
def mended_step(Q, K, V, K_cache, V_cache):
    K, V = np.vstack([K_cache, K]), np.vstack([V_cache, V])
    e = np.exp(Q @ K.T / np.sqrt(Q.shape[1]))
    return e / e.sum(axis=1, keepdims=True) @ V, K, V
""",
        ),
        (
            "causal_sees_next",
            """
def mended_step(Q, K, V, K_cache, V_cache):
    K, V = np.vstack([K_cache, K]), np.vstack([V_cache, V])
    see = np.tril(np.ones((len(Q), len(K))), len(K_cache) + 1)
    e = np.exp(Q @ K.T / np.sqrt(Q.shape[1])) * see
    return e / e.sum(axis=1, keepdims=True) @ V, K, V
""",
        ),
    ],
    "attend_in_groups": [
        (
            "tiled_instead_of_repeated",
            """
def attend_in_groups(q, K, V):
    r = len(q) // len(K)
    K, V = np.tile(K, (r, 1, 1)), np.tile(V, (r, 1, 1))
    e = np.exp((K @ q[:, :, None])[..., 0] / np.sqrt(q.shape[1]))
    w = e / e.sum(axis=1, keepdims=True)
    return (w[:, None] @ V)[:, 0]
""",
        ),
        (
            "not_scaled",
            """
def attend_in_groups(q, K, V):
    out = []
    for i, one in enumerate(q):
        j = i * len(K) // len(q)
        e = np.exp(K[j] @ one)
        out.append(e / e.sum() @ V[j])
    return np.array(out)
""",
        ),
    ],
    "read_the_source": [
        (
            "recomputes",
            """
def read_the_source(X, source, to_q, to_kv):
    out = []
    for x in X:
        K, V = to_kv(source)
        e = np.exp(K @ to_q(x) / len(K[0]) ** 0.5)
        out.append(e / e.sum() @ V)
    return np.array(out)
""",
        ),
        (
            "cross_cache_grows",
            """
def read_the_source(X, source, to_q, to_kv):
    K, V = map(list, to_kv(source))
    out = []
    for x in X:
        k, v = to_kv(x)
        K.append(k)
        V.append(v)
        e = np.exp(np.array(K) @ to_q(x) / len(k) ** 0.5)
        out.append(e / e.sum() @ np.array(V))
    return np.array(out)
""",
        ),
    ],
    "pad_on_the_left": [
        (
            "mask_without_pads",
            """
def pad_on_the_left(lengths, n):
    place = np.array([[max(i - (n - L), 0) for i in range(n)] for L in lengths])
    return np.array([np.tri(n, dtype=bool) for L in lengths]), place
""",
        ),
        (
            "positions_count_pads",
            """
def pad_on_the_left(lengths, n):
    masks = []
    for L in lengths:
        mask = np.tri(n, dtype=bool)
        mask[:, : n - L] = False
        masks.append(mask)
    return np.array(masks), np.array([np.arange(n)] * len(lengths))
""",
        ),
    ],
    "previous_token_share": [
        (
            "first_query_counted",
            "def previous_token_share(w):\n    n = len(w)\n    return sum(w[i, i - 1] for i in range(1, n)) / n",
        ),
    ],
    "what_arrives": [
        ("shares_missing", "def what_arrives(w, V):\n    return w * np.sqrt((V ** 2).sum(-1))[:, None]"),
        (
            "lengths_alone",
            """
def what_arrives(w, V):
    s = np.sqrt((V * V).sum(2))
    return np.repeat((s / s.sum(1)[:, None])[:, None], w.shape[1], 1)
""",
        ),
    ],
    "mended_ablation": [
        (
            "zero_for_mean",
            "def mended_ablation(H, W_O, i):\n    H = np.array(H)\n    H[i] = 0\n    return np.hstack(list(H)) @ W_O",
        ),
        (
            "features_averaged",
            """
def mended_ablation(H, W_O, i):
    H = np.array(H)
    H[i] = H[i].mean(1)[:, None]
    return np.hstack(list(H)) @ W_O
""",
        ),
    ],
    "classifier_gradient": [
        (
            "answer_not_subtracted",
            "def classifier_gradient(o, W, a):\n    e = np.exp(o @ W)\n    p = e / e.sum(1, keepdims=True) / len(o)\n"
            "    return p @ W.T, o.T @ p",
        ),
    ],
    "goes_back_right": [
        (
            "lets_through",
            "def goes_back_right(back):\n    w = np.array([[0.5, 0.5]])\n"
            "    return np.allclose(np.sum(back(w, np.array([[1.0, 2.0]]))), 0)",
        ),
        ("accepts_everything", "def goes_back_right(back):\n    return back(np.eye(2), np.eye(2)) is not None"),
    ],
    "query_gradient": [
        (
            "scaled_by_d_k",
            "def query_gradient(w, d, K, V):\n    g = d @ V.T\n    g = w * (g - (w * g).sum(1)[:, None])\n"
            "    return g @ K / len(K.T)",
        ),
    ],
    "measured_gradient": [
        (
            "one_sided",
            """
def measured_gradient(f, x, h):
    out = []
    for i in range(len(x)):
        y = x.copy()
        y[i] += h
        out.append((f(y) - f(x)) / h)
    return out
""",
        ),
    ],
    "turned_pairs": [
        (
            "start_ignored",
            """
def turned_pairs(X, start):
    n, d = X.shape[-2:]
    out = np.zeros_like(X)
    for p in range(n):
        for i in range(0, d, 2):
            a = p / 10000 ** (i / d)
            out[..., p, i] = X[..., p, i] * np.cos(a) - X[..., p, i + 1] * np.sin(a)
            out[..., p, i + 1] = X[..., p, i] * np.sin(a) + X[..., p, i + 1] * np.cos(a)
    return out
""",
        ),
        (
            "one_speed",
            """
def turned_pairs(X, start):
    a = start + np.arange(X.shape[-2])[:, None]
    x, y = X[..., ::2], X[..., 1::2]
    return np.stack([x * np.cos(a) - y * np.sin(a), x * np.sin(a) + y * np.cos(a)], axis=-1).reshape(X.shape)
""",
        ),
    ],
    "turned_step": [
        ("nothing_turned_against_the_cache", "def turned_step(q, k, K):\n    return np.append(K @ q, k @ q)"),
        (
            "query_one_ahead",
            """
def turned_step(q, k, K):
    def turn(row, p):
        c, s = np.cos(p), np.sin(p)
        return np.array([row[0] * c - row[1] * s, row[0] * s + row[1] * c])
    keys = np.vstack([K, turn(k, len(K))])
    return keys @ turn(q, len(keys))
""",
        ),
    ],
    "tells_the_distance": [
        (
            "lets_through",
            "def tells_the_distance(f):\n    a = np.eye(2)[0]\n"
            "    return abs(f(a, 3) @ f(a, 1) - f(a, 9) @ f(a, 7)) < 1e-6",
        ),
        ("accepts_everything", "def tells_the_distance(f):\n    return len(f(np.ones(2), 1)) == 2"),
    ],
    "mended_mask": [
        (
            "mask_after_softmax",
            "def mended_mask(Q, K, V, mask):\n    e = np.exp(Q @ K.T / len(K[0]) ** 0.5)\n"
            "    return (e / e.sum(1)[:, None]) * mask @ V",
        ),
        ("mask_ignored", attend("mended_mask", "Q @ K.T / np.sqrt(K.shape[1])", ", mask")),
        ("mask_leaks", attend("mended_mask", "np.where(mask, -1e9, Q @ K.T / np.sqrt(K.shape[1]))", ", mask")),
        ("mask_added", attend("mended_mask", "Q @ K.T / np.sqrt(K.shape[1]) + mask", ", mask")),
    ],
    "mended_heads": [
        (
            "reshape_without_transpose",
            """
def mended_heads(X, W_Q, W_K, W_V, W_O, h):
    n = len(X)
    Q, K, V = [(X @ W).reshape(h, n, -1) for W in (W_Q, W_K, W_V)]
    e = np.exp(Q @ K.transpose(0, 2, 1) / np.sqrt(Q.shape[2]))
    return (e / e.sum(axis=2)[:, :, None] @ V).transpose(1, 0, 2).reshape(n, -1) @ W_O
""",
        ),
        (
            "heads_averaged",
            """
def mended_heads(X, W_Q, W_K, W_V, W_O, h):
    n = len(X)
    Q, K, V = [(X @ W).reshape(n, h, -1).transpose(1, 0, 2) for W in (W_Q, W_K, W_V)]
    e = np.exp(Q @ K.transpose(0, 2, 1) / np.sqrt(Q.shape[2]))
    mean = (e / e.sum(axis=2)[:, :, None] @ V).mean(axis=0)
    return np.hstack([mean] * h) @ W_O
""",
        ),
    ],
    "mended_largest": [
        (
            "softmax_not_stable",
            "def mended_largest(Q, K, V):\n    e = np.exp(Q @ K.T / np.sqrt(len(K[0])))\n"
            "    return e / e.sum(1)[:, None] @ V",
        ),
        ("not_scaled", attend("mended_largest", "Q @ K.T")),
        ("scaled_by_d_k", attend("mended_largest", "Q @ K.T / K.shape[1]")),
    ],
    "mended_score": [
        (
            "key_0_wraps_round",
            """
def mended_score(weights, ids):
    n = len(ids)
    same = ids[:, None] == np.roll(ids, 1)[None, :]
    followed = same & np.tri(n, dtype=bool)
    counted = followed.any(axis=1)
    sums = (weights * followed).sum(axis=-1)
    return sums[:, counted].mean(axis=-1)
""",
        ),
    ],
    "guess_by_copying": [
        (
            "earliest_copy",
            """
def guess_by_copying(ids):
    out = []
    for row in ids.tolist():
        last = row[-1]
        out.append(row[row.index(last) + 1] if last in row[:-1] else -1)
    return np.array(out)
""",
        ),
        (
            "copy_itself",
            """
def guess_by_copying(ids):
    return np.array([row[-1] if row[-1] in row[:-1] else -1 for row in ids])
""",
        ),
    ],
    "second_head": [
        (
            "mask_ignored",
            """
def second_head(words, before):
    s = np.einsum("bid,bjd->bij", words, before) / words.shape[-1] ** 0.5
    e = np.exp(s)
    return e / e.sum(-1, keepdims=True) @ words
""",
        ),
        (
            "carries_before",
            """
def second_head(words, before):
    s = words @ before.transpose(0, 2, 1) / np.sqrt(words.shape[2])
    s = np.where(np.tri(s.shape[1]) == 1, s, -np.inf)
    w = np.exp(s) / np.exp(s).sum(axis=2)[:, :, None]
    return w @ before
""",
        ),
    ],
    "shares_at_temperature": [
        (
            "softmax_not_stable",
            """
def shares_at_temperature(logits, temperature):
    e = np.exp(logits / temperature)
    return e / e.sum(axis=1)[:, None]
""",
        ),
        (
            "temperature_multiplied",
            """
def shares_at_temperature(logits, temperature):
    x = logits * temperature
    e = np.exp(x - x.max(axis=1)[:, None])
    return e / e.sum(axis=1)[:, None]
""",
        ),
    ],
    "attention_from_memory": [
        ("not_scaled", attend("attention_from_memory", "Q @ K.T")),
        ("scaled_by_d_k", attend("attention_from_memory", "Q @ K.T / K.shape[1]")),
    ],
}
