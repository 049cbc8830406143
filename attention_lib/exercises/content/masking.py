"""What notebook 03 asks: causal, padding and window masks, filling scores, attention with a mask, dead rows."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ...attention import scaled_dot_product_attention, softmax
from ...masks import causal_mask, padding_mask, sliding_window_mask
from ...mistakes.recipes import (
    RIGHT,
    Recipe,
    attend,
    attention_map,
    fill_scores,
    plain_softmax,
    recipe_of,
    with_mistakes,
)
from ..exercise import Arguments, Exercise, Finding, Function, Seen, normal
from ..predictions import Question
from ..rules_of_weights import Given, weights_rules

NOTEBOOK = "03_masking"


# 1. Causal mask


def causal_cases(rng: np.random.Generator) -> list[Arguments]:
    """Give a few lengths."""
    return [(2,), (1,), (3,), (6,), (int(rng.integers(4, 9)),)]


def causal_in_loops(n: int) -> Any:
    """Fill the mask entry by entry."""
    return [[key <= query for key in range(n)] for query in range(n)]


def causal_as(name: str) -> Function:
    """Return the square causal mask of a recipe."""
    return lambda n: recipe_of(name).causal(n, n)


CAUSAL = Exercise(
    name="may_see_past",
    notebook=NOTEBOOK,
    title="A causal mask",
    difficulty=1,
    minutes=3,
    spec="""Write `may_see_past(n)`. It returns the causal mask of n tokens, (n, n) of bool: True where the
query (row) may attend to the key (column), that is to its own position and earlier ones.

For n = 2 it is `[[True, False], [True, True]]`.""",
    stub="""
def may_see_past(n):  # number of tokens
    return ...  # (n, n) of bool
""",
    solution="""
def may_see_past(n):
    position = np.arange(n)
    return position[None, :] <= position[:, None]  # key <= query
""",
    hints=(
        "Compare each key's position with each query's position.",
        "`position[:, None]` holds the queries as a column, `position[None, :]` the keys as a row. Or see `np.tri`.",
    ),
    why="Row i is True in columns 0 to i. `np.tri(n, dtype=bool)` gives the same lower triangle.",
    cases=causal_cases,
    others=(
        causal_in_loops,
        lambda n: np.tri(n, dtype=bool),
        lambda n: ~np.triu(np.ones((n, n), bool), k=1),
        causal_mask,
    ),
    wrong={name: causal_as(name) for name in ("causal_excludes_itself", "causal_sees_next", "causal_reversed")}
    | {
        "mask_inverted": lambda n: ~causal_mask(n),
        "only_itself": lambda n: np.eye(n, dtype=bool),
        "allows_everything": lambda n: np.ones((n, n), dtype=bool),
        "only_the_one_before": lambda n: np.eye(n, k=-1, dtype=bool),
        "scores_for_mask": lambda n: np.where(causal_mask(n), 0, -np.inf),
    },
)


# 2. Padding mask


def lengths_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw lengths of padded sentences; one batch as long as it has keys, so that axes can be confused."""
    return [
        (np.array([1]), 2),
        (np.array([2, 3]), 3),
        (np.array([1, 2, 3]), 3),
        (np.array([4, 1, 3, 2]), 5),
        (rng.integers(1, 8, size=6), 7),
    ]


def pad_in_loops(lengths: Any, n_keys: int) -> Any:
    """Fill the mask entry by entry."""
    return [[[key < length for key in range(n_keys)]] for length in lengths]


PAD = Exercise(
    name="real_keys",
    notebook=NOTEBOOK,
    title="A padding mask for a batch",
    difficulty=2,
    minutes=6,
    spec="""A batch holds sentences of different lengths, padded at the end to n_keys tokens. Write
`real_keys(lengths, n_keys)`: a mask of bool, (batch, 1, n_keys), True where the key is a real token. The axis
of length 1 stands for the queries: numpy repeats it for every row.

For lengths `[1]` and n_keys = 2 it is `[[[True, False]]]`.""",
    stub="""
def real_keys(lengths, n_keys):  # (batch,) of int, a number
    return ...  # (batch, 1, n_keys) of bool
""",
    solution="""
def real_keys(lengths, n_keys):
    return np.arange(n_keys) < lengths[:, None, None]  # (batch, 1, n_keys)
""",
    hints=(
        "Every key's position is compared with the length of its own sentence.",
        "`lengths[:, None, None]` has shape (batch, 1, 1) and lines up with `np.arange(n_keys)`.",
    ),
    why="Pad columns are masked. Pad rows are not: their outputs are computed and nobody reads them.",
    cases=lengths_cases,
    others=(pad_in_loops, lambda lengths, n_keys: padding_mask(lengths, n_keys)),
    wrong={
        "pad_rows_masked": lambda lengths, n_keys: (np.arange(n_keys) < lengths[:, None])[:, :, None],
        "pad_off_by_one": lambda lengths, n_keys: np.arange(n_keys) <= lengths[:, None, None],
        "mask_inverted": lambda lengths, n_keys: np.arange(n_keys) >= lengths[:, None, None],
        "pad_at_the_front": lambda lengths, n_keys: np.arange(n_keys)[::-1] < lengths[:, None, None],
        "one_too_few": lambda lengths, n_keys: np.arange(n_keys) < lengths[:, None, None] - 1,
        "only_the_last_key": lambda lengths, n_keys: np.arange(n_keys) == lengths[:, None, None] - 1,
        "same_for_all_sentences": (
            lambda lengths, n_keys: np.broadcast_to(np.arange(n_keys) < lengths[0], (len(lengths), 1, n_keys)),
            lambda lengths, n_keys: np.broadcast_to(np.arange(n_keys) < lengths.max(), (len(lengths), 1, n_keys)),
        ),
    },
)


# 3. Filling scores


def fill_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw scaled scores and masks with at least one allowed key a row."""
    first = (np.array([[1.5, -0.5]]), np.array([[True, False]]))
    return [first, *((normal(rng, n, m), some_mask(rng, n, m)) for n, m in [(2, 2), (3, 3), (4, 6)])]


def huge_fills(rng: np.random.Generator) -> list[Arguments]:
    """Draw scores up to 1e37: -inf is lower than any of them, and no other number is."""
    return [(normal(rng, 3, 4) * size, some_mask(rng, 3, 4)) for size in (1e12, 1e37)]


def some_mask(rng: np.random.Generator, n: int, m: int) -> Any:
    """Draw a mask in which each row allows one key and forbids another."""
    mask = rng.random((n, m)) < 0.5
    mask[np.arange(n), np.arange(n) % m] = True
    mask[np.arange(n), (np.arange(n) + 1) % m] = False
    return mask


def fill_a_copy(scaled_scores: Any, mask: Any) -> Any:
    """Copy, then write into the copy."""
    filled = scaled_scores.copy()
    filled[~mask] = -np.inf
    return filled


FILL = Exercise(
    name="forbid",
    notebook=NOTEBOOK,
    title="Masked scores",
    difficulty=1,
    minutes=3,
    spec="""Write `forbid(scaled_scores, mask)`. It returns the masked scores: the scaled score where the mask
is True, -inf where it is False. The input array stays as it was.""",
    stub="""
def forbid(scaled_scores, mask):  # (n_queries, n_keys), the same of bool
    return ...  # (n_queries, n_keys)
""",
    solution="""
def forbid(scaled_scores, mask):
    return np.where(mask, scaled_scores, -np.inf)
""",
    hints=(
        "`np.where(condition, a, b)` takes a where the condition is True and b elsewhere.",
        "Take the score where `mask` is True, and `-np.inf` elsewhere.",
    ),
    why="exp(-inf) is exactly 0, so a forbidden key gets no weight, whatever the other scores are.",
    cases=fill_cases,
    others=(
        fill_a_copy,
        lambda s, mask: s + np.where(mask, 0, -np.inf),
        lambda s, mask: np.ma.filled(np.ma.array(s, mask=~mask), -np.inf),
    ),
    hard=huge_fills,
    wrong={
        name: recipe_of(name).mask
        for name in ("mask_inverted", "mask_times_zero", "mask_ignored", "mask_added", "filled_with_inf")
    }
    | {
        "finite_fill": (
            lambda s, mask: fill_scores(s, mask, -1e9),
            lambda s, mask: fill_scores(s, mask, np.finfo(float).min),
            lambda s, mask: np.where(mask, s, s.min() - 1),
            lambda s, mask: np.where(mask, s, -1.0),
            lambda s, mask: np.where(mask, s, -100.0),
        ),
        "zero_times_inf": (
            lambda s, mask: s + (1 - mask) * -np.inf,
            lambda s, mask: s * mask + (1 - mask) * -np.inf,
            lambda s, mask: s - np.inf * ~mask,
        ),
        "inf_times_score": lambda s, mask: np.where(mask, s, s * -np.inf),
        "nan_for_inf": lambda s, mask: np.where(mask, s, np.nan),
        "rows_left_out": lambda s, mask: s[mask],
    },
)


# 4. Attention with a mask


def masked_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw inputs and masks without dead rows; one mask forbids nothing."""
    shapes = [(1, 2, 2, 2), (3, 3, 3, 3), (2, 4, 9, 5), (5, 6, 2, 7)]  # n_queries, n_keys, d_k, d_v
    cases = [
        (normal(rng, n, d_k), normal(rng, m, d_k), normal(rng, m, d_v), some_mask(rng, n, m))
        for n, m, d_k, d_v in shapes
    ]
    return [*cases, (normal(rng, 2, 3), normal(rng, 3, 3), normal(rng, 3, 4), np.ones((2, 3), dtype=bool))]


FLOAT32_LOWEST = -3.4e38


def masked_hard(rng: np.random.Generator) -> list[Arguments]:
    """Draw allowed scores far below any finite fill, rows far apart, and scores where exp overflows."""
    low = np.array([[True, False, False]])
    values = normal(rng, 3, 3)
    cases = [(np.full((1, 1), 1e75), np.array([[-2e75], [1.0], [-1.0]]), values, low)]
    cases += [(np.full((1, 1), size), np.array([[-2 * size], [-size], [-size]]), values, low) for size in (1e6, 1e75)]
    apart = np.array([[1e4], [-1e4]]), np.array([[1.0], [1.1], [0.9]])
    cases.append((*apart, values, np.array([[True, True, False], [False, True, True]])))
    return cases


def masked_row_by_row(Q: Any, K: Any, V: Any, mask: Any) -> Any:
    """Leave the forbidden keys out altogether."""
    rows = []
    for query, allowed in zip(Q, mask):
        rows.append(plain_softmax(K[allowed] @ query / np.sqrt(len(query))) @ V[allowed])
    return rows


def masked_with(recipe: Recipe, Q: Any, K: Any, V: Any, mask: Any) -> Any:
    """Follow a recipe with a mask."""
    return attend(recipe, Q, K, V, mask)


def masked_given(Q: Any, K: Any, V: Any, mask: Any) -> Given:
    """Say it in the words of attention."""
    return Given(Q @ K.T, Q.shape[-1], V, mask)


def masked_scores(Q: Any, K: Any, mask: Any) -> Any:
    """Return the masked scores, (n_queries, n_keys)."""
    return fill_scores(Q @ K.T / np.sqrt(Q.shape[-1]), mask)


def overflowing(scores: Any) -> Any:
    """Softmax without a maximum."""
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


def shifted_by_one(scores: Any, largest: Any = None) -> Any:
    """Softmax less a given number, or the one largest of all."""
    exps = np.exp(scores - (scores.max() if largest is None else largest))
    return exps / exps.sum(axis=-1, keepdims=True)


def masked_exps(scores: Any, mask: Any) -> Any:
    """Multiply exps with the mask before dividing; the largest is that of all keys."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True)) * mask
    return exps / exps.sum(axis=-1, keepdims=True)


def only_low_scores(seen: Sequence[Seen]) -> Finding | None:
    """See a finite fill: nothing is wrong but where all allowed scores are very low."""
    failing = [one for one in seen if not one.right]
    if not all(one.found and np.abs(one.arguments["K"]).max() > 1e4 for one in failing):
        return None
    found = [one.found[0] for one in failing]
    if all(np.isfinite(output).all() for output in found):
        return Finding("finite_fill")
    return Finding("softmax_not_stable") if all(np.isnan(output).any() for output in found) else None


MASKED = Exercise(
    name="masked_attention",
    notebook=NOTEBOOK,
    title="Attention with a mask",
    difficulty=2,
    minutes=10,
    spec="""Write `masked_attention(Q, K, V, mask)`. It returns the output, (n_queries, d_v), with a bool
mask: True = may attend. Every row allows at least one key. A forbidden key gets a weight of exactly 0, however
low the allowed scores are. You may use `softmax` from the library.""",
    stub="""
def masked_attention(Q, K, V, mask):  # mask: (n_queries, n_keys) of bool
    return ...  # (n_queries, d_v)
""",
    solution="""
def masked_attention(Q, K, V, mask):
    scaled_scores = Q @ K.T / np.sqrt(Q.shape[-1])  # (n_queries, n_keys)
    masked_scores = np.where(mask, scaled_scores, -np.inf)
    exps = np.exp(masked_scores - masked_scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)  # (n_queries, n_keys)
    return weights @ V  # (n_queries, d_v)
""",
    hints=(
        "At which step does the mask go in, so that the rows still sum to 1?",
        "After the scale and before the softmax: `np.where(mask, scaled_scores, -np.inf)`.",
    ),
    why="The softmax shares out 1 among the keys that are left. A mask that comes later throws part of that 1 away.",
    cases=masked_cases,
    hard=masked_hard,
    others=(masked_row_by_row, lambda Q, K, V, mask: scaled_dot_product_attention(Q, K, V, mask).output),
    wrong=with_mistakes(
        masked_with,
        "mask_ignored",
        "mask_inverted",
        "mask_after_softmax",
        "mask_times_zero",
        "mask_added",
        "filled_with_inf",
        "finite_fill",
        "not_scaled",
        "scaled_by_d_k",
        "softmax_over_queries",
        "softmax_over_everything",
        "softmax_missing",
        "sum_missing",
        "keepdims_missing",
        "half_power",
        "divided_by_twice_d_k",
        "multiplied",
        "scaled_by_root_n",
        "queries_for_keys",
        "weights_transposed",
    )
    | {
        "zero_times_inf": lambda Q, K, V, mask: (
            plain_softmax(Q @ K.T / np.sqrt(Q.shape[-1]) + (1 - mask) * -np.inf) @ V
        ),
        "weights_returned": lambda Q, K, V, mask: attention_map(RIGHT, Q, K, mask).weights,
        "softmax_not_stable": lambda Q, K, V, mask: overflowing(masked_scores(Q, K, mask)) @ V,
        "largest_of_everything": (
            lambda Q, K, V, mask: shifted_by_one(masked_scores(Q, K, mask)) @ V,
            lambda Q, K, V, mask: shifted_by_one(masked_scores(Q, K, mask), (Q @ K.T / np.sqrt(Q.shape[1])).max()) @ V,
        ),
        "largest_before_mask": lambda Q, K, V, mask: masked_exps(Q @ K.T / np.sqrt(Q.shape[1]), mask) @ V,
        "mask_on_values": lambda Q, K, V, mask: (
            plain_softmax(Q @ K.T / np.sqrt(Q.shape[1])) @ (V * mask.any(0)[:, None])
        ),
    },
    rules=(only_low_scores, *weights_rules(masked_given)),
)


# 5. Dead rows


def dead_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw scores and masks in which some rows allow nothing."""
    first = (np.array([[1.0, 2.0], [0.0, 0.0]]), np.array([[True, False], [False, False]]))
    second, third = some_mask(rng, 3, 3), some_mask(rng, 5, 4)
    second[1] = third[0] = third[3] = False
    return [
        first,
        (normal(rng, 2, 3), np.ones((2, 3), dtype=bool)),
        (normal(rng, 3, 3), second),
        (normal(rng, 5, 4), third),
    ]


def dead_hard(rng: np.random.Generator) -> list[Arguments]:
    """Give forbidden scores far above the allowed ones, allowed ones far below any fill, and scores that overflow."""
    mask = np.array([[True, False, True], [False, True, True], [False, False, False]])
    return [
        (np.array([[0.0, 1000.0]]), np.array([[True, False]])),
        (normal(rng, 3, 3) * 1e150, mask),
        (normal(rng, 3, 3) - 1e5, mask),
        (normal(rng, 3, 3) - 1e150, mask),
        (normal(rng, 3, 3) + np.array([[800.0], [-800.0], [0.0]]), mask),
    ]


def dead_row_by_row(scaled_scores: Any, mask: Any) -> Any:
    """Fill the rows that have a key."""
    weights = np.zeros_like(scaled_scores)
    for row, allowed in enumerate(mask):
        if allowed.any():
            weights[row, allowed] = plain_softmax(scaled_scores[row, allowed])
    return weights


def dead_by_multiplying(scaled_scores: Any, mask: Any) -> Any:
    """Multiply exps with the mask before dividing, less the largest of all keys: wrong where that one is forbidden."""
    exps = np.exp(scaled_scores - scaled_scores.max(axis=-1, keepdims=True)) * mask
    return exps / np.maximum(exps.sum(axis=-1, keepdims=True), 1e-300)


def dead_by_nan(scaled_scores: Any, mask: Any) -> Any:
    """Let nan come, then write 0 there."""
    return np.nan_to_num(plain_softmax(fill_scores(scaled_scores, mask)))


def dead_renormalised(scaled_scores: Any, mask: Any) -> Any:
    """Take the softmax of everything, hide, and divide again."""
    weights = plain_softmax(scaled_scores) * mask
    total = weights.sum(axis=-1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)


def dead_filled(fill: float, scaled_scores: Any, mask: Any) -> Any:
    """Fill with a finite number, then set the dead rows to 0."""
    return plain_softmax(fill_scores(scaled_scores, mask, fill)) * mask.any(axis=-1, keepdims=True)


def dead_overflowing(scaled_scores: Any, mask: Any) -> Any:
    """Subtract no maximum."""
    exps = np.where(mask, np.exp(scaled_scores), 0)
    total = exps.sum(axis=-1, keepdims=True)
    return exps / np.where(mask.any(axis=-1, keepdims=True), total, 1)


def dead_with_one_largest(scaled_scores: Any, mask: Any) -> Any:
    """Subtract the largest of the whole matrix."""
    exps = np.where(mask, np.exp(scaled_scores - scaled_scores.max()), 0)
    total = exps.sum(axis=-1, keepdims=True)
    return exps / np.where(total > 0, total, 1)


def low_fill_shows(seen: Sequence[Seen]) -> Finding | None:
    """See which edge an answer does not bear: its fill, its maximum, or exp."""
    failing = [one for one in seen if not one.right]
    if not failing or not all(one.found and one.found[0].shape == one.needed[0].shape for one in failing):
        return None
    if not any(np.abs(one.arguments["scaled_scores"]).max() > 500 for one in failing):
        return None
    if all(np.abs(np.where(one.arguments["mask"], 0, one.found[0])).max() > 1e-6 for one in failing):
        return Finding("finite_fill")
    if any(np.isnan(one.found[0]).any() for one in failing):
        return Finding("softmax_not_stable")
    return Finding("largest_before_mask")


DEAD = Exercise(
    name="weights_with_dead_rows",
    notebook=NOTEBOOK,
    title="Rows with no allowed key",
    difficulty=3,
    minutes=15,
    spec="""Write `weights_with_dead_rows(scaled_scores, mask)`. It returns the weights, (n_queries, n_keys).
A row that allows no key has weights 0, with no nan; every other row sums to 1 over its allowed keys. Do not use
the library.""",
    stub="""
def weights_with_dead_rows(scaled_scores, mask):  # (n_queries, n_keys), the same of bool
    return ...  # (n_queries, n_keys)
""",
    solution="""
def weights_with_dead_rows(scaled_scores, mask):
    masked_scores = np.where(mask, scaled_scores, -np.inf)
    alive = mask.any(axis=-1, keepdims=True)  # (n_queries, 1)
    largest = np.where(alive, masked_scores.max(axis=-1, keepdims=True), 0)
    exps = np.exp(masked_scores - largest)  # a dead row: exp(-inf) = 0
    return exps / np.where(alive, exps.sum(axis=-1, keepdims=True), 1)
""",
    hints=(
        "Two steps go wrong in a dead row: -inf - (-inf), and 0 / 0. Give each another number to work with there.",
        (
            "Where `mask.any(axis=-1, keepdims=True)` is False, subtract 0 in "
            "place of the largest score and divide by 1 in place of the sum."
        ),
    ),
    why=(
        "With 0 to subtract and 1 to divide by, the row is exp(-inf) "
        "/ 1 = 0. Newer PyTorch and ONNX have the same convention."
    ),
    cases=dead_cases,
    hard=dead_hard,
    others=(dead_row_by_row, dead_by_nan, lambda s, mask: softmax(np.where(mask, s, -np.inf))),
    wrong={
        "dead_row_nan": lambda s, mask: plain_softmax(fill_scores(s, mask)),
        "dead_row_uniform": lambda s, mask: plain_softmax(fill_scores(s, mask, -1e9)),
        "largest_before_mask": (dead_by_multiplying, dead_renormalised),
        "largest_of_everything": dead_with_one_largest,
        "softmax_not_stable": dead_overflowing,
        "finite_fill": tuple(partial(dead_filled, fill) for fill in (-1e9, -1e30, FLOAT32_LOWEST, -1e4, -100.0)),
        "mask_after_softmax": lambda s, mask: plain_softmax(s) * mask,
        "mask_times_zero": lambda s, mask: plain_softmax(s * mask),
        "dead_row_of_ones": lambda s, mask: np.where(mask.any(-1, keepdims=True), softmax(fill_scores(s, mask)), 1.0),
        "sum_missing": lambda s, mask: np.where(mask, np.exp(s), 0),
        "softmax_over_queries": lambda s, mask: softmax(fill_scores(s, mask), axis=-2),
        "softmax_over_everything": lambda s, mask: np.where(mask, np.exp(s), 0) / np.where(mask, np.exp(s), 0).sum(),
        "mask_inverted": lambda s, mask: softmax(fill_scores(s, ~mask)),
        "mask_ignored": lambda s, mask: plain_softmax(s),
    },
    rules=(low_fill_shows,),
)


# 6. A window


def window_cases(rng: np.random.Generator) -> list[Arguments]:
    """Give lengths and windows, one wider than the sentence."""
    return [(2, 0), (3, 1), (5, 2), (4, 9), (1, 1), (7, 3), (int(rng.integers(4, 9)), int(rng.integers(1, 4)))]


def window_in_loops(n: int, left: int) -> Any:
    """Fill the mask entry by entry."""
    return [[0 <= query - key <= left for key in range(n)] for query in range(n)]


WINDOW = Exercise(
    name="look_back",
    notebook=NOTEBOOK,
    title="A sliding window",
    difficulty=2,
    minutes=6,
    spec="""Write `look_back(n, left)`: a causal mask, (n, n) of bool, in which each query sees its own
position and at most `left` keys before it.

For n = 3 and left = 1 the last row is `[False, True, True]`.""",
    stub="""
def look_back(n, left):  # number of tokens, keys seen before the query's own
    return ...  # (n, n) of bool
""",
    solution="""
def look_back(n, left):
    distance = np.arange(n)[:, None] - np.arange(n)[None, :]  # (n, n), query - key
    return (distance >= 0) & (distance <= left)
""",
    hints=(
        "How far back does key j lie from query i? Two conditions must hold for that distance.",
        (
            "With `distance = query - key`: not in the future is `distance "
            ">= 0`, not too far is `distance <= left`. Join them with `&`."
        ),
    ),
    why="A window is a causal mask with a second edge. Its width is left + 1, since the token itself counts.",
    cases=window_cases,
    others=(
        window_in_loops,
        lambda n, left: np.tri(n, dtype=bool) & ~np.tri(n, k=-left - 1, dtype=bool),
        lambda n, left: sliding_window_mask(n, left=left),
    ),
    wrong={
        "window_counts_itself": lambda n, left: np.tri(n, dtype=bool) & ~np.tri(n, k=-left, dtype=bool),
        "window_two_sided": lambda n, left: sliding_window_mask(n, left=left, right=left),
        "window_without_left": lambda n, left: causal_mask(n),
        "mask_inverted": lambda n, left: ~sliding_window_mask(n, left=left),
        "causal_excludes_itself": lambda n, left: sliding_window_mask(n, left=left) & ~np.eye(n, dtype=bool),
        "causal_reversed": lambda n, left: sliding_window_mask(n, left=left).T,
        "window_one_too_wide": lambda n, left: sliding_window_mask(n, left=left + 1),
        "outside_the_window": lambda n, left: causal_mask(n) & ~sliding_window_mask(n, left=left),
        "exactly_left_back": lambda n, left: np.eye(n, k=-left, dtype=bool),
        "window_sees_next": lambda n, left: sliding_window_mask(n, left=left, right=1),
        "window_from_the_start": lambda n, left: np.tri(n, dtype=bool) & (np.arange(n) <= left),
    },
)

EXERCISES = (CAUSAL, PAD, FILL, MASKED, DEAD, WINDOW)


QUESTIONS = {
    "03.allowed": Question(
        topic="causal mask",
        tolerance=0.01,
        digits=0,
        right="Row i allows i + 1 keys: its own and all before it.",
        wrong={
            "without_diagonal": "That leaves out the diagonal. A token may attend to itself, so row 0 has one key.",
            "all": "That counts every pair. A query may not look at keys after its own position.",
            "other": "Count row by row: 1 key, 2 keys, 3 keys, and so on.",
        },
    ),
    "03.zeroed": Question(
        topic="zero is not -inf",
        choices={
            "zero": "no weight at all",
            "some": "some weight",
        },
        right=(
            "exp(0) is 1, so a score of 0 still takes its share. The "
            "probability leaks to keys that were meant to be hidden."
        ),
        wrong={
            "zero": (
                "0 is an ordinary score, even a high one among negative scores. Only -inf turns into a weight of 0."
            ),
        },
    ),
    "03.after_softmax": Question(
        topic="mask after softmax",
        choices={"one": "exactly 1", "less": "less than 1", "more": "more than 1"},
        right="The hidden keys took their share first, and it is then thrown away.",
        wrong={
            "one": (
                "Softmax made the row sum to 1 with the hidden keys counted "
                "in. Setting them to 0 afterwards takes their part away."
            ),
            "more": "Nothing is added: weights are set to 0, so the sum can only shrink.",
        },
    ),
    "03.pad": Question(
        topic="pad columns",
        choices={
            "columns": "the columns of the pad tokens",
            "rows": "the rows of the pad tokens",
            "both": "both are needed",
        },
        right="A pad token must not be read, so its column is masked. Its own row makes an output that nobody uses.",
        wrong={
            "rows": (
                "A row belongs to a query. Masking a pad token's row changes "
                "only its own output, and real tokens still read the padding."
            ),
            "both": "Masking the rows too changes nothing for the real tokens, and leaves rows with no key at all.",
        },
    ),
    "03.dead_row": Question(
        topic="rows with no allowed key",
        choices={"nan": "nan", "zero": "0", "equal": "the same share for every key"},
        right="The largest score is -inf, and -inf - (-inf) is nan. This library gives 0 there, by convention.",
        wrong={
            "zero": (
                "That is what this library and newer PyTorch return, by a rule of "
                "their own. The plain formula comes to -inf - (-inf), which is nan."
            ),
            "equal": (
                "That is what a finite fill such as -1e9 gives: all keys "
                "tie. With -inf the formula has no number to give."
            ),
        },
    ),
    "03.reach": Question(
        topic="stacked windows",
        tolerance=0.01,
        digits=0,
        right="Each layer hands on what the layer below had gathered, so the reach adds up.",
        wrong={
            "one_layer": (
                "That is the reach of one layer. What a neighbour gathered in the layer below comes along with it."
            ),
            "doubled": "The reach adds one window a layer; it does not double.",
            "other": "Count the steps: each layer goes back by one more window.",
        },
    ),
    "03.polarity": Question(
        topic="mask polarity",
        choices={
            "torch_sdpa": "PyTorch scaled_dot_product_attention",
            "torch_multihead_attention": "PyTorch nn.MultiheadAttention",
            "hugging_face": "Hugging Face",
            "onnx_attention": "ONNX Attention",
        },
        right="In nn.MultiheadAttention, True means blocked: the opposite of what it means in the same library's SDPA.",
        wrong={
            "torch_sdpa": "There True means may attend, as here. Its older neighbour in the same library differs.",
            "hugging_face": "There the mask is added: 0 for may attend, the lowest finite number for blocked.",
            "onnx_attention": "There True means may attend, as here.",
        },
    ),
}
