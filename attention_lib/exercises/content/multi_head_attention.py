"""What notebook 05 asks: a test of the split, W_O as a sum, shared keys, all heads at once."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...attention import self_attention
from ...mistakes.recipes import (
    DIVISORS,
    OTHER_FORMS,
    RIGHT,
    SOFTMAXES,
    Recipe,
    cut_without_transpose,
    merged_without_transpose,
    multi_head,
    plain_softmax,
    recipe_of,
    self_attend,
    side_by_side,
    with_mistakes,
)
from ...multi_head import MultiHeadAttention, merge_heads, repeat_kv, split_heads
from ..exercise import Arguments, Exercise, Finding, Seen, normal
from ..kinds import writing_a_test
from ..predictions import Question
from ..rules_by_running import Keeps, as_one_head
from ..rules_of_weights import Given, weights_rules

NOTEBOOK = "05_multi_head_attention"


# 1. A test of the split


def split_by_slices(X: Any, n_heads: int) -> Any:
    """Cut each row into slices."""
    return np.stack(np.split(X, n_heads, axis=1))


def reversed_heads(X: Any, n_heads: int) -> Any:
    """Put the heads in the opposite order."""
    return split_heads(X, n_heads)[::-1]


def split_interleaved(X: Any, n_heads: int) -> Any:
    """Give head i every h-th column."""
    return X.reshape(len(X), -1, n_heads).transpose(2, 0, 1)


def right_in_head_0(X: Any, n_heads: int) -> Any:
    """Give every head the columns of the first."""
    return np.stack([split_heads(X, n_heads)[0]] * n_heads)


def right_in_row_0(X: Any, n_heads: int) -> Any:
    """Give every token the columns of the first."""
    return np.repeat(split_heads(X, n_heads)[:, :1], len(X), axis=1)


def right_at_the_edges(X: Any, n_heads: int) -> Any:
    """Cut head 0 and the first token rightly, and give the others what head 0 has."""
    heads = np.array(split_heads(X, n_heads))
    heads[1:, 1:] = heads[:1, 1:]
    return heads


def right_in_the_outer_heads(X: Any, n_heads: int) -> Any:
    """Give the heads between the first and the last the columns of the first; of two heads, the second."""
    heads = np.array(split_heads(X, n_heads))
    heads[1 : max(n_heads - 1, 2)] = heads[:1]
    return heads


def with_tokens_reversed(X: Any, n_heads: int) -> Any:
    """Put the tokens of each head in the opposite order."""
    return split_heads(X, n_heads)[:, ::-1]


SPLIT_TEST = writing_a_test(
    name="splits_heads",
    notebook=NOTEBOOK,
    title="Write the test",
    difficulty=2,
    minutes=8,
    spec="""`split(X, n_heads)` should turn (n, h*d) into (h, n, d): head 0 gets the first d columns of every row,
head 1 the next d. Write `splits_heads(split)`, a test that lets every right function through and refuses every wrong
one: True or False, or `assert` lines. All of them return the right shape.""",
    stub="""
def splits_heads(split):  # a function of X, (n, h*d), and n_heads
    return ...  # True or False
""",
    solution="""
def splits_heads(split):
    X = np.arange(24).reshape(3, 8)  # every number different: 3 tokens, 2 heads of 4 columns
    heads = split(X, 2)
    return np.array_equal(heads[0], X[:, :4]) and np.array_equal(heads[1], X[:, 4:])
""",
    hints=(
        "Numbers that are all different show where each one went. Which n and h would hide a mistake?",
        "`X = np.arange(24).reshape(3, 8)` with two heads: compare the first head with `X[:, :4]`. And the second?",
    ),
    why="A shape and a round trip let wrong splits through. Numbers that are all different show the place of each.",
    right=[split_heads, split_by_slices],
    wrong={
        "reshape_without_transpose": cut_without_transpose,
        "heads_interleaved": split_interleaved,
        "heads_reversed": reversed_heads,
        "same_in_all_heads": right_in_head_0,
        "later_tokens_repeat_head_0": right_at_the_edges,
        "middle_heads_repeat": right_in_the_outer_heads,
        "same_for_all_tokens": right_in_row_0,
        "tokens_reversed": with_tokens_reversed,
    },
    others=(
        lambda split: np.array_equal(
            split(np.arange(30).reshape(5, 6), 3), np.stack(np.split(np.arange(30).reshape(5, 6), 3, axis=1))
        ),
        lambda split: np.asarray(split(np.arange(8).reshape(2, 4), 2)).tolist() == [[[0, 1], [4, 5]], [[2, 3], [6, 7]]],
    ),
)


def before_W_O(answer: Any, n_heads: int, W_O: Any) -> Any:
    """Take W_O away again and split the heads."""
    return split_heads(answer @ np.linalg.pinv(W_O), n_heads)


def add_contributions(X: Any, heads: Any, W_O: Any) -> Any:
    """Add each head's output through its own rows of W_O."""
    output, start = 0, 0
    for W_Q, W_K, W_V in heads:
        stop = start + W_V.shape[1]
        output = output + self_attention(X, W_Q, W_K, W_V).output @ W_O[start:stop]
        start = stop
    return output


# 2. W_O as a sum


def contribution_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw heads' outputs and W_O; one with equal sizes, where columns can pass for rows."""
    shapes = [(2, 1, 1, 2), (2, 2, 2, 4), (3, 2, 2, 6), (4, 3, 2, 5), (2, 5, 3, 7)]  # h, n, d_v, d_out
    return [(normal(rng, h, n, d_v), normal(rng, h * d_v, d_out)) for h, n, d_v, d_out in shapes]


def contributions_in_loops(heads: Any, W_O: Any) -> Any:
    """Cut W_O head by head."""
    d_v = heads.shape[-1]
    return [head @ W_O[i * d_v : (i + 1) * d_v] for i, head in enumerate(heads)]


def interleaved_rows(heads: Any, W_O: Any) -> Any:
    """Give head i every h-th row."""
    return np.stack([head @ W_O[i :: len(heads)] for i, head in enumerate(heads)])


def columns_for_rows(heads: Any, W_O: Any) -> Any:
    """Cut the columns of W_O."""
    d_v = heads.shape[-1]
    return np.stack([head @ W_O[:, i * d_v : (i + 1) * d_v].T for i, head in enumerate(heads)])


def columns_cut_in_parts(heads: Any, W_O: Any) -> Any:
    """Cut the columns of W_O, and put all heads through each part."""
    return np.stack([side_by_side(heads) @ part for part in np.array_split(W_O, len(heads), axis=1)])


def columns_each_its_own(heads: Any, W_O: Any) -> Any:
    """Cut the columns of W_O into as many parts as there are heads, and put each head through its part."""
    return np.stack([head @ part.T for head, part in zip(heads, np.split(W_O, len(heads), axis=1))])


def heads_cut_or_filled(heads: Any, W_O: Any) -> Any:
    """Write the heads into the shape that is asked for."""
    out = np.zeros((*heads.shape[:2], W_O.shape[1]))
    width = min(heads.shape[2], W_O.shape[1])
    out[:, :, :width] = heads[:, :, :width]
    return out


def what_met_W_O(seen: Sequence[Seen]) -> Finding | None:
    """See which rows of W_O each head meets, where they are whole rows; else what is wrong with the two sides."""
    cases = [one for one in seen if not one.right and one.found and one.found[0].shape == one.needed[0].shape]
    cases = [one for one in cases if one.arguments["head_outputs"].shape[1] >= one.arguments["head_outputs"].shape[2]]
    if len(cases) < 2:
        return None
    met = [rows_met(*tuple(one.arguments.values()), one.found[0]) for one in cases]
    if all(met):
        h, _, d_v = cases[0].arguments["head_outputs"].shape
        return Finding("W_O_rows_met", {"met": met[0], "own": np.arange(h * d_v).reshape(h, d_v).tolist()})
    for mistake, test in (
        ("W_O_block_mixed", has_mixed_blocks),
        ("heads_averaged", has_averaged_heads),
        ("heads_and_tokens_mixed", has_mixed_heads),
    ):
        if all(test(*(*one.arguments.values(), one.found[0])) for one in cases):
            return Finding(mistake)
    return None


def blocks_met(heads: Any, W_O: Any, found: Any) -> Any:
    """Return the matrix, (d_v, d_out), that turns each head into what was found."""
    return np.linalg.pinv(heads) @ found


def rows_met(*given: Any) -> list[list[int]] | None:
    """Return the rows of W_O that each head meets; None where they are not rows of it."""
    heads, W_O, found = given
    blocks = blocks_met(heads, W_O, found)
    alike = np.isclose(blocks[:, :, None], W_O, atol=1e-6).all(axis=-1)  # (h, d_v, h*d_v)
    if not np.allclose(heads @ blocks, found) or not alike.any(axis=-1).all():
        return None
    rows: list[list[int]] = alike.argmax(axis=-1).tolist()
    return rows


def has_mixed_blocks(heads: Any, W_O: Any, found: Any) -> bool:
    """Whether each head meets the numbers of its rows of W_O, in other places."""
    blocks = blocks_met(heads, W_O, found)
    own = W_O.reshape(len(heads), -1)
    return np.allclose(heads @ blocks, found) and np.allclose(np.sort(blocks.reshape(own.shape)), np.sort(own))


def heads_met(heads: Any, W_O: Any, found: Any) -> Any:
    """Return what meets the rows of W_O that each head owns; nan where nothing does."""
    blocks = W_O.reshape(len(heads), heads.shape[-1], -1)
    met = found @ np.linalg.pinv(blocks)
    return met if np.allclose(met @ blocks, found) else np.full_like(met, np.nan)


def has_averaged_heads(heads: Any, W_O: Any, found: Any) -> bool:
    """Whether the mean of the heads meets every head's rows."""
    return np.allclose(heads_met(heads, W_O, found), heads.mean(axis=0))


def has_mixed_heads(heads: Any, W_O: Any, found: Any) -> bool:
    """Whether the numbers of the heads meet W_O in other places."""
    return np.allclose(np.sort(heads_met(heads, W_O, found), axis=None), np.sort(heads, axis=None))


CONTRIBUTIONS = Exercise(
    name="head_contributions",
    notebook=NOTEBOOK,
    title="W_O as a sum",
    difficulty=2,
    minutes=8,
    spec="""`concat @ W_O` is a sum of one matrix for each head. Write `head_contributions(head_outputs,
W_O)`, which returns these matrices, (h, n, d_out): what each head adds through its own rows of W_O. Added up
over the heads they give `concat @ W_O`.""",
    stub="""
def head_contributions(head_outputs, W_O):  # (h, n, d_v), (h*d_v, d_out)
    return ...  # (h, n, d_out)
""",
    solution="""
def head_contributions(head_outputs, W_O):
    h, n, d_v = head_outputs.shape
    own_rows = W_O.reshape(h, d_v, -1)  # (h, d_v, d_out)
    return head_outputs @ own_rows  # (h, n, d_out)
""",
    hints=(
        "Head i stands in columns i*d_v to (i+1)*d_v of concat. Which rows of W_O do these columns meet?",
        "`W_O.reshape(h, d_v, -1)` gives each head its rows; `@` then works head by head.",
    ),
    why="A product of a row and a column is a sum, and a sum may be cut into pieces: one piece for each head.",
    cases=contribution_cases,
    others=(
        contributions_in_loops,
        lambda heads, W_O: np.einsum("hnv,hvo->hno", heads, W_O.reshape(len(heads), heads.shape[2], -1)),
    ),
    wrong={
        "W_O_columns": (columns_for_rows, columns_cut_in_parts, columns_each_its_own),
        "W_O_first_rows": lambda heads, W_O: heads @ W_O[: heads.shape[-1]],
        "W_O_interleaved": interleaved_rows,
        "no_W_O": (lambda heads, W_O: heads, heads_cut_or_filled),
        "contributions_summed": lambda heads, W_O: side_by_side(heads) @ W_O,
        "heads_reversed": lambda heads, W_O: heads @ W_O.reshape(len(heads), heads.shape[-1], -1)[::-1],
        "W_O_last_rows": lambda heads, W_O: heads @ W_O[-heads.shape[-1] :],
        "W_O_transposed": lambda heads, W_O: heads @ W_O.T.reshape(len(heads), heads.shape[-1], -1),
        "each_head_whole": lambda heads, W_O: np.stack([side_by_side(heads) @ W_O] * len(heads)),
    },
    rules=(what_met_W_O,),
)


# 3. Shared keys


def shared_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw keys of a few heads."""
    shapes = [(2, 1, 1, 2), (2, 2, 2, 2), (1, 3, 2, 4), (3, 2, 4, 2)]  # h_kv, n, d, n_repeats
    return [(normal(rng, h, n, d), r) for h, n, d, r in [*shapes, (2, 3, 2, 1)]]


SHARED = Exercise(
    name="share_keys",
    notebook=NOTEBOOK,
    title="Fewer key heads",
    difficulty=1,
    minutes=3,
    spec="""In grouped-query attention each key head serves `n_repeats` query heads that follow each other.
Write `share_keys(K, n_repeats)`: (h_kv, n, d) becomes (h_kv * n_repeats, n, d), in the order 0, 0, 1, 1, ...""",
    stub="""
def share_keys(K, n_repeats):  # (h_kv, n, d), a number
    return ...  # (h_kv * n_repeats, n, d)
""",
    solution="""
def share_keys(K, n_repeats):
    return np.repeat(K, n_repeats, axis=0)
""",
    hints=(
        "numpy has two functions that repeat: one gives 0, 0, 1, 1, the other 0, 1, 0, 1.",
        "`np.repeat(K, n_repeats, axis=0)`; without the axis it flattens K first.",
    ),
    why="Query head i reads key head i // n_repeats. np.tile would pair the heads another way, with the same shape.",
    cases=shared_cases,
    others=(
        lambda K, n_repeats: K[np.arange(len(K) * n_repeats) // n_repeats],
        lambda K, n_repeats: [head for head in K for _ in range(n_repeats)],
        repeat_kv,
    ),
    wrong={
        "tiled_instead_of_repeated": lambda K, n_repeats: np.tile(K, (n_repeats, 1, 1)),
        "repeated_along_tokens": (
            lambda K, n_repeats: np.repeat(K, n_repeats, axis=1),
            lambda K, n_repeats: np.tile(K, (1, n_repeats, 1)),
        ),
        "repeated_along_features": (
            lambda K, n_repeats: np.repeat(K, n_repeats, axis=-1),
            lambda K, n_repeats: np.tile(K, n_repeats),
        ),
        "repeated_then_cut": (
            lambda K, n_repeats: np.repeat(K, n_repeats).reshape(-1, *K.shape[1:]),
            lambda K, n_repeats: np.repeat(K, n_repeats, axis=1).reshape(-1, *K.shape[1:]),
            lambda K, n_repeats: np.repeat(K, n_repeats, axis=2).reshape(-1, *K.shape[1:]),
            lambda K, n_repeats: np.tile(K, n_repeats).reshape(-1, *K.shape[1:]),
        ),
        "flattened": lambda K, n_repeats: np.repeat(K, n_repeats),
        "repeats_in_an_axis_of_their_own": lambda K, n_repeats: np.repeat(K[:, None], n_repeats, axis=1),
        "not_repeated": lambda K, n_repeats: K.copy(),
        "multiplied_by_the_number": lambda K, n_repeats: K * n_repeats,
    },
)


# 4. All heads at once


def packed_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw X and the wide projections; W_O square."""
    shapes = [
        (2, 2, 2, 1, 2),
        (4, 4, 2, 2, 4),
        (3, 6, 3, 5, 3),
        (4, 7, 2, 9, 5),
        (1, 4, 2, 2, 2),
    ]  # n, d_model, h, d_k, d_v
    return [
        (
            normal(rng, n, d),
            *(normal(rng, d, h * width) / 2 for width in (d_k, d_k, d_v)),
            normal(rng, h * d_v, h * d_v),
            h,
        )
        for n, d, h, d_k, d_v in shapes
    ]


def packed_given(X: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any, n_heads: int) -> Given:
    """Say it in the words of attention: all heads in front."""
    Q, K, V = (split_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    return Given(Q @ K.swapaxes(-1, -2), Q.shape[-1], V)


def packed_grown(h: int) -> Arguments:
    """Return inputs with h heads of one column."""
    return np.ones((2, 2)), *(np.ones((2, h)) for _ in range(3)), np.eye(h), h


def packed_with(recipe: Recipe, *arguments: Any) -> Any:
    """Follow a recipe with all heads at once."""
    return multi_head(recipe, *arguments)[1]


def packed_head_by_head(X: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any, n_heads: int) -> Any:
    """Cut the projections into one triple a head."""
    heads = list(zip(*(np.split(W, n_heads, axis=1) for W in (W_Q, W_K, W_V))))
    return add_contributions(X, heads, W_O)


def softmax_over_heads(X: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any, n_heads: int) -> Any:
    """Take the softmax along the axis of the heads."""
    Q, K, V = (split_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    return merge_heads(plain_softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]), 0) @ V) @ W_O


def packed_library(X: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any, n_heads: int) -> Any:
    """Use the library's class."""
    return MultiHeadAttention(W_Q, W_K, W_V, W_O, n_heads)(X).output


def one_wide_head(X: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any, n_heads: int) -> Any:
    """Do not split."""
    return self_attend(RIGHT, X, W_Q, W_K, W_V) @ W_O


def one_wide_head_scaled_by_d_k(X: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any, n_heads: int) -> Any:
    """Do not split, but divide by the root of the width that a head would have."""
    recipe = replace(RIGHT, divisor=lambda sizes: (W_Q.shape[1] / n_heads) ** 0.5)
    return self_attend(recipe, X, W_Q, W_K, W_V) @ W_O


def attending_across_heads(X: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any, n_heads: int) -> Any:
    """Leave the tokens in front, so that each token's heads attend to each other."""
    Q, K, V = ((X @ W).reshape(len(X), n_heads, -1) for W in (W_Q, W_K, W_V))
    weights = plain_softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]))  # (n, h, h)
    return (weights @ V).reshape(len(X), -1) @ W_O


def packed_scaled_wide(X: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any, n_heads: int) -> Any:
    """Divide by the root of the wide width, h * d_k."""
    return packed_with(replace(RIGHT, divisor=lambda sizes: W_Q.shape[1] ** 0.5), X, W_Q, W_K, W_V, W_O, n_heads)


def mean_map_for_all(X: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any, n_heads: int) -> Any:
    """Use the mean of all maps in every head."""
    Q, K = (split_heads(X @ W, n_heads) for W in (W_Q, W_K))
    weights = plain_softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])).mean(axis=0)
    return weights @ (X @ W_V) @ W_O


def scaled_by_model_over_heads(X: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any, n_heads: int) -> Any:
    """Divide by the root of d_model // n_heads."""
    recipe = replace(RIGHT, divisor=lambda sizes: (X.shape[1] // n_heads) ** 0.5)
    return packed_with(recipe, X, W_Q, W_K, W_V, W_O, n_heads)


def unkept_head_by_head() -> list[Recipe]:
    """Return the softmaxes without keepdims, of one head at a time: numpy lines up queries, not heads."""

    def alone(recipe: Recipe) -> Recipe:
        return replace(recipe, normalise=lambda scores: np.stack(list(map(recipe.normalise, scores))))

    return [alone(recipe) for recipe in (recipe_of("keepdims_missing"), *OTHER_FORMS["keepdims_missing"])]


def cut_interleaved(X: Any, n_heads: int) -> Any:
    """Give head i every h-th column."""
    return X.reshape(len(X), -1, n_heads).transpose(2, 0, 1)


def merged_interleaved(heads: Any) -> Any:
    """Undo `cut_interleaved`."""
    return heads.transpose(1, 2, 0).reshape(heads.shape[1], -1)


PACKED = Exercise(
    name="packed_heads",
    notebook=NOTEBOOK,
    title="All heads at once",
    difficulty=3,
    minutes=15,
    spec="""Write `packed_heads(X, W_Q, W_K, W_V, W_O, n_heads)`: project once with the wide matrices, split,
attend in all heads at once, merge, multiply by W_O. It returns (n, d_out). Mind which width goes under the root. Do it
without a loop over the heads; with one it passes too, with a remark.""",
    stub="""
def packed_heads(X, W_Q, W_K, W_V, W_O, n_heads):  # W_Q, W_K: (d_model, h*d_k), W_V: (d_model, h*d_v)
    return ...  # (n, d_out)
""",
    solution="""
def packed_heads(X, W_Q, W_K, W_V, W_O, n_heads):
    def split(wide):
        return wide.reshape(len(X), n_heads, -1).swapaxes(0, 1)  # (h, n, d)

    Q, K, V = split(X @ W_Q), split(X @ W_K), split(X @ W_V)
    scaled_scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])  # (h, n, n)
    exps = np.exp(scaled_scores - scaled_scores.max(axis=-1, keepdims=True))
    outputs = exps / exps.sum(axis=-1, keepdims=True) @ V  # (h, n, d_v)
    return outputs.swapaxes(0, 1).reshape(len(X), -1) @ W_O  # (n, d_out)
""",
    hints=(
        (
            "The heads are a leading axis, as a batch is. Split: reshape to (n, h, d), then swap the first two axes. "
            "Merge: the same two steps, backwards."
        ),
        (
            "After the split, d_k is `Q.shape[-1]`, the width of one head. "
            "Swap the last two axes of K with `swapaxes(-1, -2)`."
        ),
    ),
    why="One product projects for all heads. The wide matrices are the single heads' projections side by side.",
    cases=packed_cases,
    loops=0,
    looped_over="the heads",
    grown=packed_grown,
    others=(packed_head_by_head, packed_library),
    wrong=with_mistakes(
        packed_with,
        "heads_averaged",
        "no_W_O",
        *DIVISORS,
        "scaled_by_root_d_model",
        "scaled_by_d_model",
        *SOFTMAXES,
        "scores_transposed",
        "weights_transposed",
    )
    | {
        "keepdims_missing": (
            *with_mistakes(packed_with, "keepdims_missing")["keepdims_missing"],
            *(partial(packed_with, recipe) for recipe in unkept_head_by_head()),
        ),
        "W_O_transposed": lambda X, W_Q, W_K, W_V, W_O, h: packed_with(RIGHT, X, W_Q, W_K, W_V, W_O.T, h),
        "scaled_by_wide_root": packed_scaled_wide,
        "heads_interleaved": partial(packed_with, replace(RIGHT, split=cut_interleaved, merge=merged_interleaved)),
        "heads_interleaved_once": (
            partial(packed_with, replace(RIGHT, split=cut_interleaved)),
            partial(packed_with, replace(RIGHT, merge=merged_interleaved)),
        ),
        "heads_reversed": partial(packed_with, replace(RIGHT, merge=lambda heads: side_by_side(heads[::-1]))),
        "heads_summed": (
            lambda X, W_Q, W_K, W_V, W_O, h: multi_head(
                replace(RIGHT, merge=lambda heads: heads.sum(axis=0), project_out=lambda concat, W: concat),
                *(X, W_Q, W_K, W_V, W_O, h),
            )[1],
            lambda X, W_Q, W_K, W_V, W_O, h: multi_head(
                replace(RIGHT, merge=lambda heads: heads.sum(axis=0), project_out=lambda concat, W: concat @ W),
                *(X, W_Q, W_K, W_V, W_O[: len(W_O) // h], h),
            )[1],
        ),
        "heads_not_merged": lambda X, W_Q, W_K, W_V, W_O, h: multi_head(
            replace(RIGHT, merge=lambda heads: heads, project_out=lambda concat, W: concat), X, W_Q, W_K, W_V, W_O, h
        )[1],
        "one_projection": lambda X, W_Q, W_K, W_V, W_O, h: packed_with(RIGHT, X, W_Q, W_Q, W_V, W_O, h),
        "reshape_without_transpose": tuple(
            partial(packed_with, replace(RIGHT, **steps))
            for steps in (
                {"split": cut_without_transpose},
                {"split": cut_without_transpose, "merge": merged_without_transpose},
            )
        ),
        "merged_without_transpose": partial(packed_with, replace(RIGHT, merge=merged_without_transpose)),
        "mean_map_for_all": mean_map_for_all,
        "scaled_by_model_over_heads": scaled_by_model_over_heads,
        "one_head": (one_wide_head, one_wide_head_scaled_by_d_k),
        "attends_across_heads": attending_across_heads,
        "softmax_over_heads": softmax_over_heads,
    },
    keeps=Keeps(("row sums", "shift", "values"), as_one_head, square=True),
    rules=weights_rules(packed_given, undo=lambda answer, X, W_Q, W_K, W_V, W_O, h: before_W_O(answer, h, W_O)),
)

EXERCISES = (SPLIT_TEST, CONTRIBUTIONS, SHARED, PACKED)


QUESTIONS = {
    "05.two_ways": Question(
        topic="one row, two keys",
        tolerance=0.06,
        digits=3,
        right="A row sums to 1. The smaller of two weights is largest where both are equal: at most 1/2.",
        wrong={
            "one": "Then both weights would be near 1 and the row would sum to 2. A row sums to 1.",
            "other": "A row sums to 1. The smaller of two weights is largest where they share it evenly.",
        },
        gives_away=("one half", "half-and-half"),
    ),
    "05.who_barked": Question(
        topic="a blend forgets who is who",
        choices={"same": "the same number for both sentences", "different": "a different number for each"},
        right="An even blend of two values is the same blend when the two words change places.",
        wrong={"different": "dog and man change places, and both have the same weight: the sum stays as it was."},
    ),
    "05.head_width": Question(
        topic="width of a head",
        tolerance=0.01,
        digits=0,
        right="The width is divided among the heads: d_model / h.",
        wrong={
            "d_model": "That is the width of X. The heads share it, so each is narrower.",
            "product": "Heads do not add width: side by side they make up d_model again.",
            "other": "Side by side the heads make up d_model, so each has d_model / h columns.",
        },
        gives_away=("512 //",),
    ),
    "05.parameters": Question(
        topic="cost of heads",
        choices={"same": "the same", "more": "more, by the number of heads", "fewer": "fewer, by the number of heads"},
        right="Each head has fewer columns in the same proportion as there are more heads.",
        wrong={
            "more": "Each head has its own projections, but they are narrower: together they fill the same matrix.",
            "fewer": "A narrower head has fewer parameters, but there are as many more heads.",
        },
    ),
    "05.reshape": Question(
        topic="reshape and transpose",
        choices={
            "same": "what head A holds of tokens 0, 1 and 2",
            "different": "all of token 0, and half of token 1",
        },
        right=(
            "reshape keeps the order in memory, so a head would get "
            "whole rows of other tokens. The swap of axes is needed."
        ),
        wrong={
            "same": (
                "A right shape is no proof. reshape reads the numbers row by row, so (h, n, d) mixes tokens and heads."
            ),
        },
        gives_away=("wrong[0]", "reshape alone"),
    ),
    "05.one_wide": Question(
        topic="one wide head",
        choices={
            "both": "dog with 0.98 and man with 0.98",
            "shared": "dog and man alike, less than half each",
            "first": "dog alone: the first head comes first",
        },
        right="One head has one row: the scores of all columns are added up before softmax, and two words share it.",
        wrong={
            "both": "Two weights of 0.98 are two rows, which sum to 1 each. One head has one row.",
            "first": "A score adds up all columns, so both words score 8, and equal scores get equal weights.",
        },
        gives_away=("0.45",),
    ),
    "05.alike": Question(
        topic="why a skip connection",
        choices={
            "alike": "not at all, to two digits",
            "less": "less than before, and still clearly different",
            "more": "more than before",
        },
        right="Each row becomes a mean, and means of means are more alike: after three layers one row, eight times.",
        wrong={
            "less": "The direction is right. It goes faster: each layer takes means of what are means already.",
            "more": "Each row becomes a mean of values. Means differ less than what they are means of.",
        },
        partly=("less",),
        gives_away=("by layer 3", "delays the mixing"),
    ),
    "05.removed": Question(
        topic="what a map says of its head",
        choices={
            "sharp": "the sharp one, in nearly all sentences",
            "diffuse": "the diffuse one, in nearly all sentences",
            "cannot": "now the one, now the other",
        },
        right="Six to four. A map says where a head reads, not what W_V and W_O make of it.",
        wrong={
            "sharp": "It is so in six of ten sentences, and not in four. The map does not show what is passed on.",
            "diffuse": "In four of ten sentences it is so, in six it is not. The map does not show what is passed on.",
        },
        partly=("sharp", "diffuse"),
        gives_away=("sharp wins", "sharp moves more"),
    ),
    "05.averaged": Question(
        topic="averaged heads",
        choices={"zero": "both become 0", "half": "both are halved", "same": "both stay as they are"},
        right="Both heads now look half at dog and half at man: the even row of section 1, in which + and − cancel.",
        wrong={
            "half": "Each would be, if only its own word were read, at half weight. The other is read as well, with −.",
            "same": "Averaged heads share one map. Each now reads the other's word too.",
        },
    ),
    "05.switch_off": Question(
        topic="a head's contribution",
        choices={
            "contribution": "the output loses that head's own contribution",
            "columns": "only that head's columns of the output become 0",
            "nothing": "nothing: the others make up for it",
        },
        right="concat @ W_O is a sum of one contribution a head, so the others stay exactly as they were.",
        wrong={
            "columns": (
                "That is true of concat. W_O carries head 1 into asks and company; head 0 writes into asks too, and "
                "its part stays."
            ),
            "nothing": "The heads do not know of each other. Nothing else changes, so its contribution is missing.",
        },
        gives_away=("one term a head", "sum = output"),
    ),
    "05.kv_heads": Question(
        topic="key/value heads",
        tolerance=0.01,
        digits=0,
        right=(
            "The cache holds one K and V for each key/value head, so the ratio of the heads is the ratio of the memory."
        ),
        wrong={
            "query_heads": "That is the number of query heads. Queries are not cached.",
            "kv_heads": "That is how many key/value heads are left, not how much is saved.",
            "other": "Divide the number of query heads by the number of key/value heads.",
        },
    ),
}
