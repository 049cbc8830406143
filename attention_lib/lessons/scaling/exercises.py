"""The exercises of notebook 02: a bug in the scale, stable softmax, attention in one pass."""

import numpy as np

from ...checks.exercise import Arguments, Exercise, normal, quarters, whole

scale_scores = Exercise(
    title="Find the bug: the scale",
    difficulty=1,
    minutes=3,
    task="""This function is meant to divide scores by √d_k. It runs, and the shape of its result is right.
Before you fix `scale_scores(scores, d_k)`, work out by hand what it returns for a score of 6 with `d_k = 9`. The right
answer is 2.""",
    solution="""
def scale_scores(scores, d_k):  # (n_queries, n_keys), a number
    return scores / np.sqrt(d_k)  # (n_queries, n_keys)
""",
    bug={"np.sqrt(d_k)": "d_k ** 1 / 2"},
    hints=(
        "In what order does Python work out `6 / 9 ** 1 / 2`?",
        "`**` comes first, and then `/` from left to right. Write the square root as `np.sqrt(d_k)` or `d_k ** 0.5`.",
    ),
    why="""`scores / d_k ** 1 / 2` is `scores / (2 * d_k)`, so a score of 6 with d_k = 9 becomes 6 / 18, a third. It
is wrong for every d_k. With brackets around the divisor only, as in `scores / (d_k ** 1 / 2)`, you divide by d_k / 2.
That is right for d_k = 4 and for no other d_k, so a test with vectors of four numbers does not catch it.""",
    cases=lambda rng: [  # d_k is never 4, where d_k / 2 is the root, nor the number of keys
        (np.array([[6.0, -3.0]]), 9),
        (whole(rng, 2, 3), 16),
        (normal(rng, 3, 3), 2),
        (normal(rng, 1, 5), 1),
        (normal(rng, 5, 2), 3),
        (normal(rng, 4, 6), 64),
        (normal(rng, 3, 2), 7),  # its root is 2 when cut to a whole number, and not 1
    ],
)

stable_softmax = Exercise(
    title="A softmax along any axis, without overflow",
    difficulty=2,
    minutes=8,
    task="""Write `stable_softmax(x, axis)`. It turns each slice of `x` along `axis` into numbers from 0 to 1 that
sum to 1. It must also work for numbers such as 1000, for which `np.exp` returns inf. `x` may have any number of axes.

`[1000, 1001]` becomes about `[0.269, 0.731]`, which is also the result for `[0, 1]`.""",
    solution="""
def stable_softmax(x, axis):  # (...), the axis whose slices sum to 1
    largest = x.max(axis=axis, keepdims=True)
    exps = np.exp(x - largest)
    return exps / exps.sum(axis=axis, keepdims=True)  # (...)
""",
    hints=(
        "Adding the same number to every score in a slice does not change the softmax of that slice. Which number "
        "keeps exp from overflowing?",
        "Subtract `x.max(axis=axis, keepdims=True)`. The largest exp is then 1, so none of them overflows.",
    ),
    why="If the numbers are finite, every exp lies between 0 and 1 after the subtraction, and the sum is at least 1. "
    "So nothing overflows and nothing is divided by 0. Each slice needs its own largest number.",
    cases=lambda rng: [
        (np.array([0.0, 1.0]), 0),
        (normal(rng, 2, 2), 1),
        (normal(rng, 2, 2), 0),
        (normal(rng, 3, 4), -2),
        (normal(rng, 1, 3), -1),
        (normal(rng, 2, 3, 4), 1),
        (np.array([2, 0, 1]), 0),  # whole numbers, as a learner types them
        (normal(rng, 2, 3, 4), 0),
        (normal(rng, 2, 3, 4), -1),
    ],
    hard=lambda rng: [  # exp overflows or vanishes
        (np.array([1000.0, 1001.0]), -1),
        (np.array([-1000.0, -1001.0]), -1),
        (np.array([[0.0, 2000.0]]), -1),
        (np.array([[0.0, 1.0], [-2000.0, -2001.0]]), -1),
        # No two of these are equal: x - log(sum) is a right way, but there log(2) would be lost in rounding.
        (rng.permutation(12).reshape(3, 4) * 1e150 - 4e150, -1),
        (quarters(rng, 3, 4) + np.array([[-1e4], [0], [1e4]]), 1),
    ],
)


def with_values(rng: np.random.Generator, *blocks: np.ndarray) -> Arguments:
    """Return each block of scores with as many rows of two values."""
    return (tuple((block, normal(rng, len(block), 2)) for block in blocks),)


online_softmax = Exercise(
    title="Attention in one pass",
    difficulty=3,
    minutes=25,
    task="""One query has so many keys that its row of scores does not fit into memory. So the row arrives in blocks,
each with the values of its keys, and each block can be read only once. Write `online_softmax(blocks)`. It returns
`(largest, total, output)`: the largest score, the sum of `exp(score - largest)` over all blocks, and the output of
attention, which is the sum of weight times value over all keys. Carry only three things from block to block, and do not
keep any block. (The check cannot see whether you do.)

Take a block with the score 0 and the value `[2]`, and then a block with the score 1 and the value `[4]`. The result is
1, about 1.368, which is exp(-1) + exp(0), and about `[3.462]`, which is (exp(-1) · 2 + exp(0) · 4) / 1.368.""",
    stub="""
def online_softmax(blocks):  # pairs, one after the other: scores (b,) and V (b, d_v)
    largest, total, output = -np.inf, 0.0, 0.0
    return ...  # (largest, total, output): two numbers and (d_v,)
""",
    solution="""
def online_softmax(blocks):
    largest, total, output = -np.inf, 0.0, 0.0
    for scores, V in blocks:
        new_largest = max(largest, scores.max())
        factor = np.exp(largest - new_largest)  # 0 at the start
        exps = np.exp(scores - new_largest)
        total = total * factor + exps.sum()
        output = output * factor + exps @ V
        largest = new_largest
    return largest, total, output / total
""",
    hints=(
        "The old total was measured relative to the old largest score. What must you multiply it by when a larger "
        "score turns up? The sum of exps times values needs the same factor. Divide it by the total only at the end.",
        "`total * np.exp(largest - new_largest)` is the old total measured relative to the new largest score. At the "
        "start, `largest` is -inf. If the scores are finite, this factor is then 0.",
    ),
    why="""exp(a - old) times exp(old - new) is exp(a - new), so one factor is enough to restate
everything added so far relative to the new largest score. The factor is at most 1, so nothing overflows.
(Milakov and Gimelshein, 2018, for the first two; Dao et al., "FlashAttention", 2022, section 3.1, with the output.)""",
    cases=lambda rng: [
        (((np.array([0.0]), np.array([[2.0]])), (np.array([1.0]), np.array([[4.0]]))),),
        with_values(rng, np.array([1.0]), np.array([0.0])),
        with_values(rng, normal(rng, 3)),
        with_values(rng, normal(rng, 2), normal(rng, 3), normal(rng, 1)),
        with_values(rng, *(normal(rng, 5) + shift for shift in (0, 3, -2, 6, 1))),
        with_values(rng, normal(rng, 4) - 50, normal(rng, 2) - 60),
    ],
    hard=lambda rng: [
        with_values(rng, np.array([1000.0, 1001.0]), np.array([1003.0, 998.0])),
        with_values(rng, np.array([-900.0, -901.0]), np.array([-899.0])),
        with_values(rng, *np.split((rng.permutation(5) - 2) * 1e15, [3])),  # no two are equal
    ],
    parts=("largest", "total", "output"),
    mistakes={
        "What was added up before is not rescaled. It was measured relative to the old largest score, so the total "
        "and the output have to be multiplied by a factor when a larger score turns up.": {
            "np.exp(largest - new_largest)  # 0 at the start": "1.0"
        },
    },
)
