"""Attention with nothing but lists, loops and math.exp: slow, plain, and independent of the library.

Matrices are lists of rows. `allowed[i][j]` says whether query i may attend to key j.
"""

import math


def matmul(A, B):
    product = [[0.0] * len(B[0]) for _ in A]
    for i in range(len(A)):
        for j in range(len(B[0])):
            for k in range(len(B)):
                product[i][j] += A[i][k] * B[k][j]
    return product


def transpose(A):
    return [[row[j] for row in A] for j in range(len(A[0]))]


def softmax(row):
    allowed = [x for x in row if x != -math.inf]
    if not allowed:
        return [0.0 for _ in row]
    exps = [math.exp(x - max(allowed)) if x != -math.inf else 0.0 for x in row]
    return [e / math.fsum(exps) for e in exps]


def attention(Q, K, V, allowed=None, added=None, scale=None):
    """Return every step after Q, K, V by its name in AttentionTrace."""
    scores, scaled_scores, masked_scores = [], [], []
    for i, q in enumerate(Q):
        scores.append([math.fsum(a * b for a, b in zip(q, k, strict=True)) for k in K])
        scaled_scores.append([s / math.sqrt(len(q)) if scale is None else s * scale for s in scores[i]])
        masked_scores.append(list(scaled_scores[i]))
        for j in range(len(K)):
            if added is not None:
                masked_scores[i][j] += added[i][j]
            if allowed is not None and not allowed[i][j]:
                masked_scores[i][j] = -math.inf
    weights = [softmax(row) for row in masked_scores]
    return {
        "scores": scores,
        "scaled_scores": scaled_scores,
        "masked_scores": masked_scores,
        "weights": weights,
        "output": matmul(weights, V),
    }


def multi_head(X, context, W_Q, W_K, W_V, W_O, n_heads, n_kv_heads, allowed=None):
    """Return concat, output and each head's contribution, one head after the other."""
    d_k, d_v = len(W_Q[0]) // n_heads, len(W_V[0]) // n_kv_heads
    concat = [[] for _ in X]
    contributions = []
    for head in range(n_heads):
        shared = head * n_kv_heads // n_heads  # the key/value head that this query head reads
        Q = matmul(X, [row[head * d_k : (head + 1) * d_k] for row in W_Q])
        K = matmul(context, [row[shared * d_k : (shared + 1) * d_k] for row in W_K])
        V = matmul(context, [row[shared * d_v : (shared + 1) * d_v] for row in W_V])
        output = attention(Q, K, V, allowed)["output"]
        contributions.append(matmul(output, W_O[head * d_v : (head + 1) * d_v]))
        for i, row in enumerate(output):
            concat[i].extend(row)
    return {"concat": concat, "output": matmul(concat, W_O), "contributions": contributions}


def window(n_queries, n_keys, left, right):
    """Query i of the last n_queries sits at key position i + n_keys - n_queries."""
    rows = []
    for i in range(n_queries):
        own = i + n_keys - n_queries
        rows.append([])
        for j in range(n_keys):
            near_enough = (left is None or own - j <= left) and (right is None or j - own <= right)
            rows[i].append(near_enough)
    return rows
