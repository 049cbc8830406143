"""The exercises of notebook 01: the whole calculation, a bug, a test."""

import numpy as np

from ...attention import softmax
from ...checks.exercise import Exercise, normal

attention_from_embeddings = Exercise(
    title="From embeddings to output",
    difficulty=2,
    minutes=10,
    task="""Write `attention_from_embeddings(X, W_Q, W_K, W_V)`. It computes Q, K and V from X, then computes attention
and returns the output, (n, d_v). Use only NumPy.""",
    solution="""
def attention_from_embeddings(X, W_Q, W_K, W_V):  # (n, d_model), (d_model, d_k) twice, (d_model, d_v)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V  # (n, d_k), (n, d_k), (n, d_v)
    scaled_scores = Q @ K.T / np.sqrt(Q.shape[-1])  # (n, n)
    exps = np.exp(scaled_scores)
    weights = exps / exps.sum(axis=-1, keepdims=True)  # (n, n)
    return weights @ V  # (n, d_v)
""",
    hints=(
        "Each of Q, K and V is X times its own matrix.",
        "How many products are added up in one score? That number goes under the square root.",
    ),
    why="A score is a sum of d_k products, so we take the square root of d_k. The width of X does not matter "
    "here. (For very large scores, `np.exp` overflows. Notebook 2 shows how to avoid this.)",
    cases=lambda rng: [  # square ones too, where a transposed projection runs
        (normal(rng, n, d), *(normal(rng, d, width) / 2 for width in (d_k, d_k, d_v)))
        for n, d, d_k, d_v in [(2, 2, 2, 2), (3, 3, 3, 3), (3, 4, 2, 3), (4, 6, 3, 5), (5, 8, 16, 8)]
    ],
)

mended_attention = Exercise(
    title="Find the bug",
    difficulty=1,
    minutes=4,
    task="""`mended_attention(Q, K, V)` runs, every row of its weights sums to 1, and its output is right whenever there
are as many keys as features in a key. One line is wrong. Find it and fix it, and leave the rest as it is.""",
    solution="""
def mended_attention(Q, K, V):  # (n_queries, d_k), (n_keys, d_k), (n_keys, d_v)
    scores = Q @ K.T
    size = K.shape[-1]  # d_k
    scaled_scores = scores / np.sqrt(size)
    exps = np.exp(scaled_scores)
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ V
""",
    bug={"K.shape[-1]  # d_k": "len(K)"},
    hints=(
        "Which size should each line use: n_queries, n_keys, d_k or d_v?",
        "Try the function with many keys. If you add a key, does the ratio of two other weights change? Should it?",
    ),
    why="`len(K)` counts the keys. We need the square root of d_k, the number of products in a score, and d_k "
    "is `K.shape[-1]`.",
    cases=lambda rng: [  # in the first there are four keys of four numbers, so the bug does not show
        (normal(rng, n_queries, d_k), normal(rng, n_keys, d_k), normal(rng, n_keys, d_v))
        for n_queries, n_keys, d_k, d_v in [(2, 4, 4, 3), (3, 3, 2, 3), (1, 5, 3, 5), (5, 2, 9, 2), (4, 6, 8, 6)]
    ],
)

makes_an_attention_map = Exercise(
    title="Write the test",
    difficulty=2,
    minutes=10,
    task="""Write `makes_an_attention_map(weights_of)`. Its argument is a function that takes scaled scores of shape
(n_queries, n_keys). Your test should return True if that function applies softmax to each row, and False
otherwise. You may use `assert` statements instead. Call the function with scores of your own.

Your test will be run on correct functions and on wrong ones whose results also have the right shape.""",
    solution="""
def makes_an_attention_map(weights_of):  # a function: (n_queries, n_keys) -> (n_queries, n_keys)
    scores = np.array([[0.0, -1.0, 2.0], [3.0, 0.0, -0.5]])  # (n_queries, n_keys), some of them negative
    weights = weights_of(scores)
    rows_sum_to_1 = np.allclose(weights.sum(axis=-1), 1)
    ratios_are_right = np.allclose(weights, weights[:, :1] * np.exp(scores - scores[:, :1]))
    return rows_sum_to_1 and ratios_are_right  # True or False
""",
    hints=(
        "Which sums must be 1? Use a matrix of scores that is not square, so that rows and columns cannot be confused.",
        "Row sums are not enough: a function that divides each score by the sum of its row passes that check too. If "
        "one score is larger than another by 1, what is the ratio of their weights?",
    ),
    why="Your test does not need a softmax of its own. Check that each row sums to 1, and that the ratio of any two "
    "weights in a row is e raised to the difference between their scores. Only the results of "
    "softmax have both properties.",
    accepts=(softmax, lambda scores: np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))),
    refuses={
        "its softmax runs down the columns": lambda scores: softmax(scores, axis=-2),
        "its softmax runs over the whole matrix": lambda scores: softmax(scores.ravel()).reshape(scores.shape),
        "it returns the scores unchanged": lambda scores: scores,
        "it divides scores by their row sum, without exp": lambda scores: scores / scores.sum(axis=-1, keepdims=True),
        "it never divides by the sum": np.exp,
        "it divides by a square root a second time": lambda scores: softmax(scores / np.sqrt(scores.shape[-1])),
        "it gives everything to the largest score": lambda scores: np.eye(scores.shape[-1])[scores.argmax(axis=-1)],
        "it takes the softmax twice": lambda scores: softmax(softmax(scores)),
        "every row is a copy of the first": lambda scores: softmax(scores)[[0] * len(scores)],
        "all weights are equal": lambda scores: np.full_like(scores, 1 / scores.shape[-1], dtype=float),
    },
)
