"""The exercises of notebook 09: a check to write, and two bugs to find with a check."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...attention import scaled_dot_product_attention
from ...checks.exercise import Arguments, Exercise, normal
from ...masks import causal_mask

Array = NDArray[Any]


def right(Q: Array, K: Array, V: Array) -> Array:
    """Return the output of attention without a mask."""
    return scaled_dot_product_attention(Q, K, V).output


values_change_no_weight = Exercise(
    title="Write a thirteenth check",
    difficulty=2,
    minutes=8,
    task="""None of the twelve checks asks whether the values take part in the scores. Write a check that does,
`values_change_no_weight(attend)`. Its argument is a function `attend(Q, K, V)` that returns the output, weights @ V, of
shape (n_queries, d_v). Call it with numbers of your own, more than once. Return True if the weights do not depend on V,
and False if they do. You see only outputs, and you need no right output.

Your check will be tried on correct functions, which may scale their scores in their own way, and on wrong ones.""",
    solution="""
def values_change_no_weight(attend):  # a function: (n_queries, d_k), (n_keys, d_k), (n_keys, d_v) -> (n_queries, d_v)
    for seed in range(20):
        Q, K, V, U = np.random.default_rng(seed).standard_normal((4, 5, 4))  # (n, d), all four
        together = attend(Q, K, V + U)  # (5, 4)
        if not np.allclose(together, attend(Q, K, V) + attend(Q, K, U)):
            return False
    return True
""",
    hints=(
        "The output is weights @ V. If you change V and the weights stay as they are, how must the output change?",
        "Leave Q and K as they are, and draw two sets of values, V and U. Compare the output of V + U with the sum of "
        "the outputs of V and of U, for more than one draw.",
    ),
    why="If the weights stay the same, weights @ (V + U) is weights @ V + weights @ U, so the outputs add up. If the "
    "values take part in the scores, the outputs do not add up. If you tried 2 * V in place of V + U, a function whose "
    "weights depend only on the signs of the values would pass.",
    accepts=(right, lambda Q, K, V: scaled_dot_product_attention(Q, K, V, scale=0.3).output),
    refuses={
        "it exchanges keys and values": lambda Q, K, V: right(Q, V, K),
        "it compares the queries with the values": lambda Q, K, V: right(Q, V, V),
        "it compares the keys with the values": lambda Q, K, V: right(V, K, V),
        "it adds the values to the keys": lambda Q, K, V: right(Q, K + V, V),
        "it adds the signs of the values to the keys": lambda Q, K, V: right(Q, K + np.sign(V), V),
        "it multiplies the keys by the signs of the mean values": lambda Q, K, V: right(Q, K * np.sign(V.mean(0)), V),
    },
)


def masked_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw Q, K, V and a mask without dead rows: causal ones, and one of padding."""
    cases: list[Arguments] = []
    for n, d_k, d_v in ((2, 2, 2), (3, 2, 3), (4, 3, 4), (5, 7, 5)):
        Q = normal(rng, n, d_k)
        if n == 4:
            Q[1] = 0  # all scores of this row are 0, although some of its keys are allowed
        cases.append((Q, normal(rng, n, d_k), normal(rng, n, d_v), causal_mask(n)))
    no_last_key = np.tile(np.arange(4) < 3, (4, 1))
    return [*cases, (normal(rng, 4, 3), normal(rng, 4, 3), normal(rng, 4, 5), no_last_key)]


def masked_far_apart(rng: np.random.Generator) -> list[Arguments]:
    """Draw masked cases with one large row; then forbidden scores far above the allowed ones, or far below."""
    cases: list[Arguments] = []
    for Q, K, V, mask in masked_cases(rng)[1:3]:
        Q[-1] *= 1e4
        cases.append((Q, K, V, mask))
    for scores in (
        [-2000.0, -2001.0, 5000.0],  # the first two queries cannot read the last key
        [2000.0, 2001.0, -5000.0],
        [2000.0, 2001.0, 5000.0],
        [-2000.0, -2001.0, -5000.0],
        [-2e8, -2e8, -2e8],  # below most fills
    ):
        cases.append((np.ones((3, 1)), np.array(scores)[:, None], normal(rng, 3, 3), causal_mask(3)))
    return cases


mended_mask = Exercise(
    title="Find the bug: rows that sum to 1",
    difficulty=2,
    minutes=8,
    task="""`mended_mask(Q, K, V, mask)` runs, and its rows of weights sum to 1, but one line is wrong. **Choose a check
before you read the code**: run the cell below, and then, for example, `try_check("row sums", mended_mask)`. You can
choose from `row sums`, `future`, `shift`, `one query` (each query on its own gives the same row), `values` (the check
of exercise 1), `large scores`, `dead row`, `spread` and `reach`. Which of them does the function fail? Then fix the
line.""",
    solution="""
def mended_mask(Q, K, V, mask):  # (n, d_k), (n, d_k), (n, d_v), (n, n) of bool
    d_k = Q.shape[-1]
    scaled_scores = Q @ K.T / np.sqrt(d_k)  # (n, n)
    masked_scores = np.where(mask, scaled_scores, -np.inf)
    largest = masked_scores.max(axis=-1, keepdims=True)
    exps = np.exp(masked_scores - largest)
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ V  # (n, d_v)
""",
    bug={"scaled_scores, -np.inf)": "scaled_scores, scaled_scores.min(axis=-1, keepdims=True))"},
    hints=(
        "Which weight should a forbidden key get? Choose a check that changes a key that some queries must not read.",
        'Try "future" and "dead row". The smallest score of a row is still a score, so its key gets some weight.',
    ),
    why="It fails `future` and `dead row`, both for the same reason: a forbidden key gets the smallest score of its "
    "row, which still gives it weight. So its value reaches the output. The row sums cannot show that, because softmax "
    "divides by whatever the sum is.",
    cases=masked_cases,
    hard=masked_far_apart,
)

mended_heads = Exercise(
    title="Find the bug: heads",
    difficulty=2,
    minutes=10,
    task="""`mended_heads(X, W_Q, W_K, W_V, W_O, n_heads)` runs, and its weights are right. With one head, its output is
right as well. Nevertheless, one line is wrong. **Choose a check before you read the code**. For a layer, you can choose
from `W_O`, `heads apart` and `values`; run `try_check("W_O", mended_heads)`, for example. Then fix the line.""",
    solution="""
def mended_heads(X, W_Q, W_K, W_V, W_O, n_heads):
    n = len(X)
    Q, K, V = [(X @ W).reshape(n, n_heads, -1).swapaxes(0, 1) for W in (W_Q, W_K, W_V)]  # (h, n, d)
    scaled_scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])  # (h, n, n)
    exps = np.exp(scaled_scores - scaled_scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    concat = (weights @ V).swapaxes(0, 1).reshape(n, -1)  # back to (n, h, d_v) first
    return concat @ W_O  # (n, d_out)
""",
    bug={".swapaxes(0, 1).reshape(n, -1)  # back to (n, h, d_v) first": ".reshape(n, -1)  # (n, h*d_v)"},
    hints=(
        "The weights are right, so look at what happens after them. Choose a check that changes one head and looks at "
        "the other.",
        'Try "heads apart". weights @ V is (h, n, d_v). What does reshape put into the first row of concat, and what '
        "belongs there?",
    ),
    why="Splitting the columns into heads takes a reshape and then swapaxes, so joining them again takes swapaxes and "
    "then a reshape. Without swapaxes, the shape is still right, but the tokens are mixed up.",
    cases=lambda rng: [  # first one head, where the bug does not show
        (
            normal(rng, n, d),
            *(normal(rng, d, h * width) / 2 for width in (d_k, d_k, d_v)),
            normal(rng, h * d_v, d),
            h,
        )
        for n, d, d_k, d_v, h in [(2, 2, 2, 2, 1), (2, 3, 1, 1, 2), (3, 4, 2, 3, 2), (5, 6, 3, 2, 3), (6, 6, 2, 2, 3)]
    ],
)
