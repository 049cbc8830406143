"""The exercises of notebook 02: a bug in the scale, stable softmax, which divisor it was, online softmax."""

import math
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...attention import softmax
from ...checks.exercise import Exercise, Function, Mistake, normal, quarters, whole

SCALE = Exercise(
    name="scale_scores",
    title="Find the bug: the scale",
    difficulty=1,
    minutes=3,
    task="""This function is meant to divide scores by √d_k. It runs, and the shape of its result is right.
Before you fix `scale_scores(scores, d_k)`, work out by hand what it returns for a score of 6 with `d_k = 9`. It should
return 2.""",
    stub="""
def scale_scores(scores, d_k):  # (n_queries, n_keys), a number
    return scores / d_k ** 1 / 2  # (n_queries, n_keys)
""",
    solution="""
def scale_scores(scores, d_k):
    return scores / np.sqrt(d_k)
""",
    hints=(
        "In what order does Python work out `6 / 9 ** 1 / 2`?",
        "`**` comes first, and then `/` from left to right. Write the square root as `np.sqrt(d_k)` or `d_k ** 0.5`.",
    ),
    why="""`scores / d_k ** 1 / 2` is `scores / (2 * d_k)`, which is wrong for every length. With brackets around the
divisor only, as in `scores / (d_k ** 1 / 2)`, you divide by d_k / 2. That is right for d_k = 4 and for no other length,
so a test with vectors of four numbers does not catch it.""",
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

STABLE = Exercise(
    name="stable_softmax",
    title="A softmax along any axis, without overflow",
    difficulty=2,
    minutes=8,
    task="""Write `stable_softmax(x, axis)`. It turns each slice of `x` along `axis` into positive numbers that sum
to 1. It must also work for numbers such as 1000, for which `np.exp` returns inf. `x` may have any number of axes.

`[1000, 1001]` becomes about `[0.269, 0.731]`, which is also the result for `[0, 1]`.""",
    stub="""
def stable_softmax(x, axis):  # (...), the axis whose slices sum to 1
    return ...  # (...)
""",
    solution="""
def stable_softmax(x, axis):
    largest = x.max(axis=axis, keepdims=True)
    exps = np.exp(x - largest)
    return exps / exps.sum(axis=axis, keepdims=True)
""",
    hints=(
        "Adding the same number to every score in a slice does not change the softmax of that slice. Which number "
        "keeps exp from overflowing?",
        "Subtract `x.max(axis=axis, keepdims=True)`. The largest exp is then 1, so none of them overflows.",
    ),
    why="After the subtraction, every exp lies between 0 and 1, and the sum is at least 1, so nothing overflows and "
    "nothing is divided by 0. Each slice needs its own largest number.",
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
    mistakes=(
        Mistake(
            "Your function always works along the last axis. The argument `axis` says which slices must sum to 1, so "
            "it has to be passed to both max and sum.",
            """
def stable_softmax(x, axis):
    exps = np.exp(x - x.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)
""",
        ),
    ),
)

DIVISOR = Exercise(
    name="divisor_of",
    title="Which divisor was it?",
    difficulty=2,
    minutes=10,
    task="""Somebody gives you a row of scores from before the division, and the weights that were computed from them.
Write `divisor_of(scores, weights)`. It returns the number that the scores were divided by before softmax. The scores
are not all equal, and every weight is above 0.

For example, if the scores are `[2, 0]` and the weights are about `[0.731, 0.269]`, the divisor was 2, because `[1, 0]`
gives these weights.""",
    stub="""
def divisor_of(scores, weights):  # (n_keys,), (n_keys,)
    return ...  # a number
""",
    solution="""
def divisor_of(scores, weights):
    high, low = scores.argmax(), scores.argmin()
    difference = scores[high] - scores[low]
    ratio = weights[high] / weights[low]
    return difference / np.log(ratio)
""",
    hints=(
        "Softmax divides every exp by the same sum. How can you combine two weights so that this sum cancels?",
        "The ratio of two weights is exp((s1 - s2) / divisor). Take the logarithm, and solve for the divisor.",
    ),
    why="""Weights do not show how high the scores were, but they do show how far apart the scaled scores were. So two
weights are enough to find out whether somebody who published a table forgot to divide by √d_k, or divided by d_k or
√d_model instead. Notebook 12 finds a forgotten √d_k in this way.""",
    cases=lambda rng: [
        (scores, softmax(scores / divisor))
        for scores, divisor in [
            (np.array([4.0, 0.0, 2.0]), 2.0),
            (np.array([1.0, -1.0]), 0.5),
            (np.array([*whole(rng, 3), 4.0]), 4.0),
            (normal(rng, 3) * 6, 6.0),
            (normal(rng, 6) * 8, 8.0),
            (normal(rng, 5) * math.sqrt(5), math.sqrt(5)),
            (normal(rng, 7), 64.0),
            (normal(rng, 4) - 30, 3.0),
            (np.array([3.0, 3.0, 0.0]), 3.0),  # from here on, two scores are equal
            (np.array([1.0, 2.0, 1.0]), 0.5),
            (np.array([-1.0, 4.0, 4.0]), 5.0),
            (np.array([2.0, 5.0, 2.0, 1.0]), 1.5),
        ]
    ],
)

LONG_ROW = 64, 512  # blocks, and scores in each: 256 kB if an answer keeps them


def play_blocks(function: Function, blocks: list[np.ndarray]) -> Any:
    """Stream the blocks to the function; after a long row, add 1 if it kept many of them and 0 if it did not."""
    memory = np.zeros(max(len(block) for block in blocks))

    def stream() -> Iterator[np.ndarray]:
        for block in blocks:  # all in the same memory
            memory[: len(block)] = block
            yield memory[: len(block)]

    tracemalloc.start()
    try:
        answer = function(stream())
        most_memory = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    is_long = len(blocks) == LONG_ROW[0]
    keeps_blocks = int(is_long and most_memory > 24 * blocks[0].nbytes)
    if isinstance(answer, tuple | list) or np.shape(answer) == (2,):
        return (*answer, keeps_blocks)
    return answer


ONLINE = Exercise(
    name="online_softmax",
    title="Softmax in one pass",
    difficulty=3,
    minutes=25,
    task="""A row of scores is too long to hold in memory, so it arrives in blocks, and each block can be read only
once. Write `online_softmax(blocks)`. It returns `(largest, total)`: the largest score, and the sum of
`exp(score - largest)` over all blocks. Carry two numbers from block to block, and do not keep any block, because its
memory is reused for the next one.

For the blocks `[0]` and `[1]`, it returns 1 and about 1.368, which is exp(-1) + exp(0). FlashAttention is built on this
step.""",
    stub="""
def online_softmax(blocks):  # yields arrays of one axis, one after the other
    largest, total = -np.inf, 0.0
    return ...  # (largest, total), two numbers
""",
    solution="""
def online_softmax(blocks):
    largest, total = -np.inf, 0.0
    for block in blocks:
        new_largest = max(largest, block.max())
        factor = np.exp(largest - new_largest)  # 0 at the start
        total = total * factor + np.exp(block - new_largest).sum()
        largest = new_largest
    return largest, total
""",
    hints=(
        "The old total was measured relative to the old largest score. What must you multiply it by when a larger "
        "score turns up?",
        "`total * np.exp(largest - new_largest)` is the old total measured relative to the new largest score. At the "
        "start, where `largest` is -inf, this factor is 0.",
    ),
    why="""exp(a - old) times exp(old - new) is exp(a - new), so a single factor makes the whole old sum relative to the
new largest score. The factor is at most 1, so nothing overflows. (Milakov and Gimelshein, 2018.)""",
    cases=lambda rng: [
        ([np.array([0.0]), np.array([1.0])],),
        ([np.array([1.0]), np.array([0.0])],),
        ([normal(rng, 3)],),
        ([normal(rng, 2), normal(rng, 3), normal(rng, 1)],),
        ([normal(rng, 5) + shift for shift in (0, 3, -2, 6, 1)],),
        ([normal(rng, 4) - 50, normal(rng, 2) - 60],),
        (list(normal(rng, *LONG_ROW)),),  # too long to keep
    ],
    hard=lambda rng: [
        ([np.array([1000.0, 1001.0]), np.array([1003.0, 998.0])],),
        ([np.array([-900.0, -901.0]), np.array([-899.0])],),
        (np.split((rng.permutation(5) - 2) * 1e150, [3]),),  # no two are equal
    ],
    parts=("largest", "total", "number that says whether blocks are kept"),
    play=play_blocks,
    mistakes=(
        Mistake(
            "The old total is not rescaled. It was measured relative to the old largest score, so it has to be "
            "multiplied by a factor when a larger score turns up.",
            """
def online_softmax(blocks):
    largest, total = -np.inf, 0.0
    for block in blocks:
        largest = max(largest, block.max())
        total = total + np.exp(block - largest).sum()
    return largest, total
""",
        ),
        Mistake(
            "The blocks are collected. Their memory is reused, so every block that you collected ends up holding the "
            "numbers of the last one.",
            """
def online_softmax(blocks):
    scores = np.concatenate(list(blocks))
    return scores.max(), np.exp(scores - scores.max()).sum()
""",
        ),
    ),
)

EXERCISES = (SCALE, STABLE, DIVISOR, ONLINE)
