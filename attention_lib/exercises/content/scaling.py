"""What notebook 02 asks: a bug in the scale, stable softmax, which divisor it was, online softmax."""

import math
import tracemalloc
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ...attention import softmax
from ...mistakes.recipes import Sizes, plain_softmax, recipe_of
from ..exercise import Arguments, Exercise, Finding, Function, Relation, Seen, normal, quarters, whole
from ..predictions import Question
from ..rules_of_range import Scores, range_rule

NOTEBOOK = "02_scaling"


# 1. The scale


def scale_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw scores and a d_k that is not 4, where d_k / 2 is the root, and not the number of keys."""
    return [
        (np.array([[6.0, -3.0]]), 9),
        (whole(rng, 2, 3), 16),
        (normal(rng, 3, 3), 2),
        (normal(rng, 1, 5), 1),
        (normal(rng, 2, 3, 4), 3),
        (normal(rng, 4, 6), 64),
        (normal(rng, 3, 2), 7),  # a root that is cut to a whole number is not 1
    ]


def divided_as(name: str) -> Function:
    """Return the scale with the divisor of a recipe."""
    divisor = recipe_of(name).divisor
    return lambda scores, d_k: scores / divisor(Sizes(d_k, 0, scores.shape[-1]))


def divided_by_logarithm(logarithm: Function, scores: Any, d_k: int) -> Any:
    """Divide by a logarithm of d_k."""
    return scores / logarithm(d_k)


SCALE = Exercise(
    name="scale_scores",
    notebook=NOTEBOOK,
    title="Find the bug: the scale",
    difficulty=1,
    minutes=3,
    spec="""This function is meant to divide scores by √d_k. It runs, and the shape is right.
Before you mend `scale_scores(scores, d_k)`, work out by hand what it makes of a score of 6 with `d_k = 9`. It should be
2.""",
    stub="""
def scale_scores(scores, d_k):  # (n_queries, n_keys), a number
    return scores / d_k ** 1 / 2  # (n_queries, n_keys)
""",
    solution="""
def scale_scores(scores, d_k):
    return scores / np.sqrt(d_k)
""",
    hints=(
        "In which order does Python work out `6 / 9 ** 1 / 2`?",
        "`**` comes first, then `/` from left to right. Write the root as `np.sqrt(d_k)` or `d_k ** 0.5`.",
    ),
    why="""`scores / d_k ** 1 / 2` is `scores / (2 * d_k)`, since `**` binds first and `/` goes from left to right.
That is wrong at every length. With brackets around the root alone, `scores / (d_k ** 1 / 2)`, the divisor is d_k / 2,
which is right at d_k = 4 and nowhere else: a test on vectors of four numbers lets that one through.""",
    has_bug=True,
    cases=scale_cases,
    others=(
        lambda scores, d_k: scores * d_k**-0.5,
        lambda scores, d_k: scores / d_k ** (1 / 2),
        lambda scores, d_k: [[score / math.sqrt(d_k) for score in row] for row in scores],
    ),
    wrong={
        name: divided_as(name)
        for name in (
            "not_scaled",
            "scaled_by_d_k",
            "half_power",
            "scaled_by_root_n",
            "multiplied",
        )
    }
    | {
        "multiplied_by_d_k": lambda scores, d_k: scores * d_k,
        "standardised": lambda scores, d_k: scores / scores.std(),
        "root_of_the_scores": (
            lambda scores, d_k: np.sqrt(scores / d_k),
            lambda scores, d_k: np.sqrt(np.abs(scores) / d_k),
            lambda scores, d_k: np.sqrt(np.abs(scores)) / d_k,
            lambda scores, d_k: np.sign(scores) * np.sqrt(np.abs(scores / d_k)),
        ),
        "caret_for_a_power": (lambda scores, d_k: scores / (d_k ^ 2), lambda scores, d_k: scores / (d_k ^ 1)),
        "logarithm_for_a_root": tuple(
            partial(divided_by_logarithm, logarithm) for logarithm in (np.log, np.log2, np.log10, np.log1p)
        ),
        "third_root": lambda scores, d_k: scores / np.cbrt(d_k),
        "divided_by_the_square": lambda scores, d_k: scores / d_k**2,
        "softmax_too_soon": lambda scores, d_k: plain_softmax(scores / np.sqrt(d_k)),
    },
)


# 2. Stable softmax along an axis


def axis_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw arrays of one to three axes, ordinary and very large or far apart."""
    return [
        (np.array([0.0, 1.0]), 0),
        (normal(rng, 2, 2), 1),
        (normal(rng, 2, 2), 0),
        (normal(rng, 3, 4), -2),
        (normal(rng, 1, 3), -1),
        (normal(rng, 2, 3, 4), 1),
        (np.array([2, 0, 1]), 0),  # whole numbers, as a learner types them
        (normal(rng, 2, 3, 4), 0),
        (normal(rng, 2, 3, 4), -1),
    ]


def far_apart(rng: np.random.Generator) -> list[Arguments]:
    """Give numbers where exp overflows or vanishes: large, small, far apart in a slice, slices far apart.

    No two of the largest are equal: x - log(sum) is a right way, but at 1e150 a tie's log(2) is lost in rounding.
    """
    return [
        (np.array([1000.0, 1001.0]), -1),
        (np.array([-1000.0, -1001.0]), -1),
        (np.array([[0.0, 2000.0]]), -1),
        (np.array([[0.0, 1.0], [-2000.0, -2001.0]]), -1),
        (rng.permutation(12).reshape(3, 4) * 1e150 - 4e150, -1),
        (quarters(rng, 3, 4) + np.array([[-1e4], [0], [1e4]]), 1),
    ]


def softmax_slice_by_slice(x: Any, axis: int) -> Any:
    """Treat one slice after the other."""
    return np.apply_along_axis(lambda row: np.exp(row - row.max()) / np.exp(row - row.max()).sum(), axis, x)


def softmax_on_last_axis(x: Any, axis: int) -> Any:
    """Bring the axis to the end and back."""
    x = np.moveaxis(x, axis, -1)
    exps = np.exp(x - x.max(-1)[..., None])
    return np.moveaxis(exps / exps.sum(-1)[..., None], -1, axis)


def overflowing(x: Any, axis: int) -> Any:
    """Do not subtract anything."""
    return np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True)


def shifted_by(x: Any, shift: Any, axis: int) -> Any:
    """Subtract a given number."""
    exps = np.exp(x - shift)
    return exps / exps.sum(axis=axis, keepdims=True)


def shifted_back(shift: float, x: Any, axis: int) -> Any:
    """Subtract a number that is always the same."""
    return shifted_by(x, shift, axis)


def without_keepdims(x: Any, axis: int) -> Any:
    """Sum without keeping the axis."""
    exps = np.exp(x - x.max(axis=axis, keepdims=True))
    return exps / exps.sum(axis=axis)


def largest_after_exp(x: Any, axis: int) -> Any:
    """Subtract the largest of the exps."""
    exps = np.exp(x)
    exps = exps - exps.max(axis=axis, keepdims=True)
    return exps / exps.sum(axis=axis, keepdims=True)


def along_two_axes(of_largest: int | None, of_sum: int | None, x: Any, axis: int) -> Any:
    """Take the largest along one axis and the sum along another; None is the one that is asked for."""
    exps = np.exp(x - x.max(axis=axis if of_largest is None else of_largest, keepdims=True))
    return exps / exps.sum(axis=axis if of_sum is None else of_sum, keepdims=True)


def clipped(limit: float, x: Any, axis: int) -> Any:
    """Cut the numbers off before exp."""
    exps = np.exp(np.clip(x, -limit, limit))
    return exps / exps.sum(axis=axis, keepdims=True)


def only_far_apart(seen: Sequence[Seen]) -> Finding | None:
    """See nan, or slices of 0 that hide it, where numbers are large, and all else right."""
    failing = [one for one in seen if not one.right]
    if not all(np.abs(one.arguments["x"]).max() > 500 and one.found for one in failing):
        return None

    def spoiled(one: Seen) -> bool:
        found, axis = one.found[0], one.arguments["axis"]
        return bool(
            not np.isfinite(found).all() or (found.shape == one.needed[0].shape and not found.any(axis=axis).all())
        )

    return Finding("softmax_not_stable") if all(map(spoiled, failing)) else None


STABLE = Exercise(
    name="stable_softmax",
    notebook=NOTEBOOK,
    title="A softmax that does not overflow, along any axis",
    difficulty=2,
    minutes=8,
    spec="""Write `stable_softmax(x, axis)`. Each slice of `x` along `axis` becomes positive numbers that sum
to 1, also for numbers like 1000, where `np.exp` gives inf. `x` may have any number of axes.

`[1000, 1001]` becomes about `[0.269, 0.731]`, the same as `[0, 1]`.""",
    stub="""
def stable_softmax(x, axis):  # (...), which axis sums to 1
    return ...  # (...)
""",
    solution="""
def stable_softmax(x, axis):
    exps = np.exp(x - x.max(axis=axis, keepdims=True))
    return exps / exps.sum(axis=axis, keepdims=True)
""",
    hints=(
        "Adding one number to all scores of a slice does not change its softmax. Which number makes exp safe?",
        "Subtract `x.max(axis=axis, keepdims=True)`: then the largest exp is 1 and none overflows.",
    ),
    why=(
        "After the subtraction every exp lies between 0 and 1, and the "
        "sum is at least 1. Each slice needs its own largest number."
    ),
    cases=axis_cases,
    hard=far_apart,
    others=(softmax_slice_by_slice, softmax_on_last_axis, lambda x, axis: plain_softmax(x, axis)),
    wrong={
        "softmax_not_stable": overflowing,
        "axis_ignored": lambda x, axis: plain_softmax(x, -1),
        "softmax_over_everything": lambda x, axis: np.exp(x - x.max()) / np.exp(x - x.max()).sum(),
        "largest_of_everything": lambda x, axis: shifted_by(x, x.max(), axis),
        "smallest_subtracted": lambda x, axis: shifted_by(x, x.min(axis=axis, keepdims=True), axis),
        "mean_subtracted": lambda x, axis: shifted_by(x, x.mean(axis=axis, keepdims=True), axis),
        "fixed_number_subtracted": tuple(partial(shifted_back, shift) for shift in (500.0, 1000.0, 1001.0, 1e4, 1e9)),
        "divided_by_largest": (
            lambda x, axis: plain_softmax(x / np.abs(x).max(axis=axis, keepdims=True), axis),
            lambda x, axis: plain_softmax(x / x.max(axis=axis, keepdims=True), axis),
            lambda x, axis: plain_softmax(x / np.abs(x).max(), axis),
            lambda x, axis: plain_softmax(x / x.max(), axis),
        ),
        "keepdims_missing": (
            without_keepdims,
            lambda x, axis: np.exp(x) / np.exp(x).sum(axis=axis),
            lambda x, axis: shifted_by(x, x.max(axis=axis), axis),
            lambda x, axis: np.exp(x - x.max(axis=axis)) / np.exp(x - x.max(axis=axis)).sum(axis=axis),
        ),
        "exp_missing": (
            lambda x, axis: x / x.sum(axis=axis, keepdims=True),
            lambda x, axis: np.abs(x) / np.abs(x).sum(axis=axis, keepdims=True),
            lambda x, axis: (
                (x - x.max(axis=axis, keepdims=True))
                / (x - x.max(axis=axis, keepdims=True)).sum(axis=axis, keepdims=True)
            ),
        ),
        "sum_missing": (lambda x, axis: np.exp(x - x.max(axis=axis, keepdims=True)), lambda x, axis: np.exp(x)),
        "largest_after_exp": largest_after_exp,
        "axis_in_one_place": tuple(
            partial(along_two_axes, *axes) for axes in ((-1, None), (0, None), (None, -1), (None, 0))
        ),
        "first_axis_always": lambda x, axis: plain_softmax(x, 0),
        "clipped": tuple(partial(clipped, limit) for limit in (20, 50, 80, 88, 100, 500, 700, 709)),
    },
    rules=(
        range_rule(lambda x, axis: Scores(np.moveaxis(x, axis, -1)), lambda x, _, axis: np.moveaxis(x, axis, -1)),
        only_far_apart,
    ),
)


# 3. Which divisor


def divisor_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw rows of undivided scores, and the weights that a divisor makes of them."""
    drawn = [(np.array([4.0, 0.0, 2.0]), 2.0), (np.array([1.0, -1.0]), 0.5), (whole(rng, 4), 4.0)]
    drawn += [(normal(rng, n) * root, root) for n, root in ((3, 6.0), (6, 8.0), (5, math.sqrt(5)))]
    drawn += [(normal(rng, 7), 64.0), (normal(rng, 4) - 30, 3.0)]
    tied = ([3.0, 3, 0], [1.0, 2, 1], [-1.0, 4, 4], [2.0, 5, 2, 1])
    drawn += [(np.array(scores), divisor) for scores, divisor in zip(tied, (3.0, 0.5, 5.0, 1.5))]
    return [(scores, softmax(scores / divisor)) for scores, divisor in drawn if np.ptp(scores) > 0]


def divisor_by_a_line(scores: Any, weights: Any) -> Any:
    """Fit a line to the logarithms of all weights."""
    return 1 / np.polyfit(scores, np.log(weights), 1)[0]


def divisor_by_neighbours(scores: Any, weights: Any) -> Any:
    """Compare spreads: logarithms of weights are the scaled scores, but for a constant."""
    return np.std(scores) / np.std(np.log(weights))


def only_ties(seen: Sequence[Seen]) -> Finding | None:
    """See nan where two scores are equal, and all else right."""
    failing = [one for one in seen if not one.right]
    tied = all(len(np.unique(one.arguments["scores"])) < one.arguments["scores"].size for one in failing)
    return Finding("equal_scores") if tied and all(one.found and np.isnan(one.found[0]) for one in failing) else None


def of_two_keys(rule: Function) -> Function:
    """Apply a rule to the difference of the largest and the smallest score, and to the ratio of their weights."""

    def run(scores: Any, weights: Any) -> Any:
        high, low = scores.argmax(), scores.argmin()
        return rule(scores[high] - scores[low], weights[high] / weights[low])

    return run


def weights_squared(scores: Any, weights: Any) -> Arguments:
    """Return the weights that half the divisor gives."""
    return scores, weights**2 / (weights**2).sum()


DIVISOR = Exercise(
    name="divisor_of",
    notebook=NOTEBOOK,
    title="Which divisor was it?",
    difficulty=2,
    minutes=10,
    spec="""Somebody hands you a row of undivided scores and the weights that came of them. Write
`divisor_of(scores, weights)`: it returns the number that the scores were divided by before softmax. The scores are
not all equal, and every weight is above 0.

Scores `[2, 0]` with weights of about `[0.731, 0.269]` were divided by 2: those are the weights of `[1, 0]`.""",
    stub="""
def divisor_of(scores, weights):  # (n_keys,), (n_keys,)
    return ...  # a number
""",
    solution="""
def divisor_of(scores, weights):
    high, low = scores.argmax(), scores.argmin()
    return (scores[high] - scores[low]) / np.log(weights[high] / weights[low])
""",
    hints=(
        "Softmax divides every exp by the same sum. In which combination of two weights does that sum cancel?",
        "The ratio of two weights is exp((s1 - s2) / divisor). Take the logarithm, and solve for the divisor.",
    ),
    why="""Weights forget how high their scores were, and keep how far apart. So two weights are enough to tell a
forgotten √d_k from a d_k or a √d_model in a published table (notebook 12 does).""",
    cases=divisor_cases,
    others=(divisor_by_a_line, divisor_by_neighbours),
    wrong={
        "logarithm_missing": of_two_keys(lambda difference, ratio: difference / ratio),
        "divisor_inverted": of_two_keys(lambda difference, ratio: np.log(ratio) / difference),
        "d_k_for_divisor": of_two_keys(lambda difference, ratio: (difference / np.log(ratio)) ** 2),
        "one_weight_alone": (
            lambda scores, weights: scores.max() / np.log(weights.max()),
            lambda scores, weights: scores[0] / np.log(weights[0]),
        ),
        "sign": of_two_keys(lambda difference, ratio: -difference / np.log(ratio)),
        "scaled_difference_returned": of_two_keys(lambda difference, ratio: np.log(ratio)),
    },
    rules=(only_ties,),
    relations=(
        Relation("height_has_a_say", lambda scores, weights: (scores + 1, weights), lambda divisor: (divisor,)),
        Relation("not_by_logarithms", weights_squared, lambda divisor: (divisor / 2,)),
    ),
)


# 4. Online softmax


def block_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw scores in blocks: rising, falling, one block, far apart, far below 0."""
    return [
        ([np.array([0.0]), np.array([1.0])],),
        ([np.array([1.0]), np.array([0.0])],),
        ([normal(rng, 3)],),
        ([normal(rng, 2), normal(rng, 3), normal(rng, 1)],),
        ([normal(rng, 5) + shift for shift in (0, 3, -2, 6, 1)],),
        ([normal(rng, 4) - 50, normal(rng, 2) - 60],),
    ]


class Lasting(list[Any]):
    """Blocks that are handed over in memory of their own."""


LONG = 64, 512  # blocks, numbers in each: 256 kB if they are kept


def later_raised(blocks: Any) -> Arguments | None:
    """Return blocks whose later ones lie higher; None where there is one alone."""
    return ([blocks[0], *(block + 5 for block in blocks[1:])],) if len(blocks) > 1 else None


def all_but(kept: Function) -> Function:
    """Return what lowers all numbers of each block but one; None where no block has more."""

    def lowered(blocks: Any) -> Arguments | None:
        places = [np.arange(len(block)) != kept(block) for block in blocks]
        return ([block - 0.5 * place for block, place in zip(blocks, places)],) if any(map(np.any, places)) else None

    return lowered


LOWERED = (all_but(lambda block: 0), all_but(lambda block: len(block) - 1), all_but(np.argmax))

ABOUT_BLOCKS = (
    Relation("memory_read_again", lambda blocks: (Lasting(blocks),), lambda *numbers: numbers[:2]),
    Relation("later_blocks_unread", later_raised, lambda *numbers: numbers[:2], must_differ=True),
    *(
        Relation("one_number_of_a_block", lowered, lambda *numbers: numbers[:2], must_differ=True)
        for lowered in LOWERED
    ),
    Relation("order_within_a_block", lambda blocks: ([b[::-1] for b in blocks],), lambda *numbers: numbers[:2]),
    Relation(
        "total_not_relative", lambda blocks: ([b + 1 for b in blocks],), lambda largest, total, *_: (largest + 1, total)
    ),
    Relation("order_of_the_blocks", lambda blocks: (blocks[::-1],), lambda *numbers: numbers[:2]),
)


def play_blocks(call: Function, blocks: Any) -> Any:
    """Hand over the blocks one at a time, in memory that is used again for each."""
    if len(blocks) < LONG[0]:
        return _and_kept(call(stream(blocks)), 0)
    tracemalloc.start()
    try:
        answer = call(stream(blocks))
        return _and_kept(answer, int(tracemalloc.get_traced_memory()[1] > 24 * blocks[0].nbytes))
    finally:
        tracemalloc.stop()


def stream(blocks: Any) -> Any:
    """Give the blocks one after the other, in the same memory."""
    if isinstance(blocks, Lasting):
        yield from blocks
        return
    room = np.zeros(max(map(len, blocks)))
    for block in blocks:
        room[: len(block)] = block
        yield room[: len(block)]


def _and_kept(value: Any, kept: int) -> Any:
    """Add whether blocks were kept to the two numbers; what is not two things stays as it is."""
    return (*value, kept) if isinstance(value, tuple | list | np.ndarray) and np.ndim(value) == 1 else value


def long_row(rng: np.random.Generator) -> list[Arguments]:
    """Draw a row too long to keep, and rows with scores up to 1e150."""
    return [
        ([np.array([1000.0, 1001.0]), np.array([1003.0, 998.0])],),
        ([np.array([-900.0, -901.0]), np.array([-899.0])],),
        ([normal(rng, 3) * 1e150, normal(rng, 2) * 1e150],),
        (list(normal(rng, *LONG)),),
    ]


def online_by_score(blocks: Any) -> Any:
    """Go on score by score."""
    largest, total = -math.inf, 0.0
    for block in blocks:
        for score in block:
            if score > largest:
                largest, total = score, total * math.exp(largest - score) + 1
            else:
                total += math.exp(score - largest)
    return largest, total


def online_by_logs(blocks: Any) -> Any:
    """Carry the logarithm of the sum."""
    largest, log_sum = -math.inf, -math.inf
    for block in blocks:
        largest = max(largest, block.max())
        log_sum = np.logaddexp(log_sum, np.logaddexp.reduce(block))
    return largest, np.exp(log_sum - largest)


def online_with(factor: Function, reference: Function) -> Function:
    """Make an online softmax with another factor for the old total, or another reference for the new block."""

    def run(blocks: Any) -> Any:
        largest, total = -np.inf, 0.0
        for block in blocks:
            new = max(largest, block.max())
            total = total * factor(largest, new) + np.exp(block - reference(block, new)).sum()
            largest = new
        return largest, total

    return run


def last_block(blocks: Any) -> Any:
    """Keep only the total of the last block."""
    largest, total = -np.inf, 0.0
    for block in blocks:
        largest = max(largest, block.max())
        total = np.exp(block - largest).sum()
    return largest, total


def collected(blocks: Any) -> Any:
    """Collect the blocks, then treat them as one."""
    scores = np.concatenate(list(blocks))
    return scores.max(), np.exp(scores - scores.max()).sum()


def collected_in_copies(blocks: Any) -> Any:
    """Collect copies of the blocks, then treat them as one."""
    return collected([block.copy() for block in blocks])


def read_twice(blocks: Any) -> Any:
    """Go through the blocks for the largest, then once more for the total."""
    largest = max(block.max() for block in blocks)
    return largest, sum(np.exp(block - largest).sum() for block in blocks)


def rescaled_from_minus_inf(blocks: Any) -> Any:
    """Rescale the wrong way round, from -inf too."""
    return online_with(lambda old, new: np.exp(new - old), lambda block, new: new)(blocks)


def rescaled_from_zero(blocks: Any) -> Any:
    """Rescale the wrong way round, and begin with 0 as the largest."""
    largest, total = 0.0, 0.0
    for block in blocks:
        new = max(largest, block.max())
        total = total * np.exp(new - largest) + np.exp(block - new).sum()
        largest = new
    return largest, total


def new_block_scaled_too(blocks: Any) -> Any:
    """Rescale the new block with the old total, though it is measured from the new largest already."""
    largest, total = -np.inf, 0.0
    for block in blocks:
        new = max(largest, block.max())
        total = (total + np.exp(block - new).sum()) * (np.exp(largest - new) if largest > -np.inf else 1)
        largest = new
    return largest, total


def largest_of_first(blocks: Any) -> Any:
    """Take the largest of the first block, and never raise it."""
    largest, total = -np.inf, 0.0
    for block in blocks:
        largest = block.max() if largest == -np.inf else largest
        total += np.exp(block - largest).sum()
    return largest, total


def largest_of_last(blocks: Any) -> Any:
    """Take each block's own largest as the new reference, larger or not."""
    largest, total = -np.inf, 0.0
    for block in blocks:
        total = total * np.exp(largest - block.max()) + np.exp(block - block.max()).sum()
        largest = block.max()
    return largest, total


def started_at(first: float, total_before: float = 0.0) -> Function:
    """Begin with another largest number than -inf, or with another total than 0."""

    def run(blocks: Any) -> Any:
        largest, total = first, total_before
        for block in blocks:
            new = max(largest, block.max())
            total = total * (np.exp(largest - new) if largest > -np.inf else 1) + np.exp(block - new).sum()
            largest = new
        return largest, total

    return run


def overflowing_total(blocks: Any) -> Any:
    """Add up exps without a reference."""
    largest, total = -np.inf, 0.0
    for block in blocks:
        largest = max(largest, block.max())
        total = total + np.exp(block).sum()
    return largest, total / np.exp(largest)


ONLINE = Exercise(
    name="online_softmax",
    notebook=NOTEBOOK,
    title="Softmax in one pass",
    difficulty=3,
    minutes=25,
    spec="""A row of scores is too long to hold, and arrives in blocks that can be read once. Write
`online_softmax(blocks)`: it returns `(largest, total)`, the largest score and the sum of `exp(score - largest)`
over all blocks. Carry two numbers from block to block, and keep no block: its memory is used again for the
next.

For the blocks `[0]` and `[1]` it returns 1 and about 1.368, which is exp(-1) + exp(0). FlashAttention rests on
this step.""",
    stub="""
def online_softmax(blocks):  # gives arrays of one axis, one after the other
    largest, total = -np.inf, 0.0
    return ...  # (largest, total), two numbers
""",
    solution="""
def online_softmax(blocks):
    largest, total = -np.inf, 0.0
    for block in blocks:
        new_largest = max(largest, block.max())
        total = total * np.exp(largest - new_largest) + np.exp(block - new_largest).sum()
        largest = new_largest
    return largest, total
""",
    hints=(
        "The old total was measured from the old largest. What must it be multiplied by when a larger score turns up?",
        (
            "`total * np.exp(largest - new_largest)` brings it to the "
            "new reference. With -inf at the start the factor is 0."
        ),
    ),
    why="""exp(a - old) times exp(old - new) is exp(a - new), so one factor moves the whole old sum to the
new reference. The factor is at most 1, so nothing overflows. (Milakov and Gimelshein, 2018.)""",
    cases=block_cases,
    others=(online_by_score, online_by_logs),
    wrong={
        "old_total_not_rescaled": online_with(lambda old, new: 1.0, lambda block, new: new),
        "rescaled_the_wrong_way": (
            online_with(lambda old, new: 0.0 if old == -np.inf else np.exp(new - old), lambda block, new: new),
            rescaled_from_minus_inf,
            rescaled_from_zero,
        ),
        "new_block_scaled_too": new_block_scaled_too,
        "largest_of_first_block": largest_of_first,
        "new_block_not_rescaled": (
            online_with(lambda old, new: np.exp(old - new), lambda block, new: 0.0),
            online_with(lambda old, new: np.exp(old - new), lambda block, new: block.max()),
        ),
        "largest_of_last_block": largest_of_last,
        "starts_from_zero": started_at(0.0),
        "block_totals_added": online_with(lambda old, new: 1.0, lambda block, new: block.max()),
        "last_block_only": last_block,
        "keeps_all_blocks": (collected, collected_in_copies),
        "pair_exchanged": lambda blocks: online_by_score(blocks)[::-1],
        "softmax_not_stable": overflowing_total,
        "total_from_one": started_at(-np.inf, 1.0),
        "log_returned": lambda blocks: (lambda pair: (pair[0], pair[0] + np.log(pair[1])))(online_by_score(blocks)),
        "reads_twice": read_twice,
    },
    parts=("largest", "total", "number that says whether blocks are kept"),
    counts=1,
    counted_too_often="keeps_all_blocks",
    play=play_blocks,
    hand=lambda blocks: (blocks,),
    relations=ABOUT_BLOCKS,
    hard=long_row,
)

EXERCISES = (SCALE, STABLE, DIVISOR, ONLINE)


QUESTIONS = {
    "02.order": Question(
        topic="what the divisor cannot change",
        choices={
            "no": "no, the same key keeps it in every row",
            "yes": "yes, in some rows another key takes it",
        },
        right="Dividing by a positive number keeps the order of the scores, so it changes how much, never which.",
        wrong={
            "yes": "All scores are divided by the same positive number, so their order "
            "stays, and softmax keeps the order.",
        },
    ),
    "02.coin": Question(
        topic="how scores come about",
        tolerance=0.01,
        digits=0,
        confusions={"third": 5, "few": 4},
        right="The two products are −1 or 1 each. In half of the 16 cases one is 1 and the other −1, and they cancel.",
        wrong={
            "third": (
                "Three scores are possible, but they do not come equally often: 2 and −2 come in one way each (both "
                "products 1, both −1), 0 in two."
            ),
            "few": "That many score 2, and as many −2. The others score 0.",
            "other": "Each product is −1 or 1. The score is 0 where one is 1 and the other −1.",
        },
        gives_away=("0: 8",),
    ),
    "02.spread": Question(
        topic="root of d_k",
        tolerance=0.3,
        digits=1,
        right="The variance grows 4 times, so the spread, its root, grows 2 times.",
        wrong={
            "d_k": "The variance grows 4 times. The spread is the square root of the variance.",
            "none": "Every product adds variance, so longer vectors spread their scores further.",
            "other": "The variance of a score is d_k. The spread is its square root.",
        },
    ),
    "02.divide_by_d_k": Question(
        topic="dividing by d_k",
        choices={
            "flatter": "flatter: the weights move towards 1/16",
            "same": "about the same as √d_k",
            "sharper": "sharper: one weight moves towards 1",
        },
        right="Dividing by d_k takes out the spread twice. The scores end up near 0 and the weights near 1/16.",
        wrong={
            "same": "At d_k = 64 the two divisors differ by a factor of 8, and softmax feels every factor.",
            "sharper": "A larger divisor brings the scores closer together, and close scores make equal weights.",
        },
    ),
    "02.learns": Question(
        topic="learning without a divisor",
        choices={"none": "nearly none", "some": "some, but fewer than half", "most": "more than half"},
        gives_away=(
            "stay behind",
            "33%",
        ),
        right="Half begin with next to no weight on their own key, and a weight near 0 passes on next to nothing.",
        wrong={
            "none": "A quarter begin with a weight on their own key that can grow, and others get there, slowly.",
            "most": "Some do move fast. But half begin with next to no weight on their own key, where it cannot grow.",
        },
    ),
    "02.temperature": Question(
        topic="temperature",
        tolerance=0.05,
        digits=2,
        right="√(8 · d_k) is √8 · √d_k, whatever d_k is.",
        wrong={
            "heads": "d_model is 8 times d_k. The divisors are their roots.",
            "inverse": "Turned round: √d_model is the larger divisor, and a larger divisor is a T above 1.",
            "divisor": "That is the whole divisor, √512. √d_k · T has to be that, and √d_k is 8.",
            "other": "√64 · T has to be √512.",
        },
    ),
    "02.naive": Question(
        topic="overflow of exp",
        choices={
            "nan": "nan, not a number",
            "right": "0.731 and 0.269, as for 1 and 0",
            "one": "1 and 0, because exp(1000) is so large",
        },
        gives_away=("[nan nan]",),
        right="exp(1000) is more than a float64 can hold. It becomes inf, and inf / inf is not a number.",
        wrong={
            "right": "So it is on paper. But exp(1000) is more than a float64 can hold, and becomes inf.",
            "one": "The ratio of the two is e, as for 1 and 0. But exp(1000) and exp(999) both become inf.",
        },
    ),
    "02.correlated": Question(
        topic="correlated queries and keys",
        choices={
            "level": "it stays level",
            "up": "it climbs towards 1",
            "down": "it falls towards 1/16",
        },
        right="The score of the matching key grows like d_k, and √d_k takes out only its root.",
        wrong={
            "level": "That holds for independent components. Correlated products do not "
            "cancel: their sum grows like d_k.",
            "down": "Flat weights need scores that come closer together. The matching key moves away from the others.",
        },
    ),
}
