"""What notebook 09 asks: which check catches it, three bugs to find by a check, and its predictions."""

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...attention import scaled_dot_product_attention
from ...masks import causal_mask
from ...mistakes.recipes import (
    RIGHT,
    Recipe,
    attend,
    cut_without_transpose,
    merged_without_transpose,
    multi_head,
    plain_softmax,
    with_mistakes,
)
from ...multi_head import MultiHeadAttention
from ..exercise import Arguments, Blank, Exercise, Function, normal
from ..predictions import Question
from ..rules_by_running import KEPT, Keeps, as_one_head, plain, with_mask
from ..rules_of_range import Scores, range_rule
from ..rules_of_weights import Given, weights_rules

NOTEBOOK = "09_mistakes"

# 1. Which check

CHECKS = "The names are: row sums, dead row, cache, spread, W_O, heads apart."

CHOSEN = Exercise(
    name="check_for",
    notebook=NOTEBOOK,
    title="Choose the check",
    difficulty=1,
    minutes=5,
    spec="""Each line stands in an attention that has no other mistake. Which check catches it? Write its name:
`"row sums"`, `"dead row"`, `"cache"`, `"spread"`, `"W_O"` or `"heads apart"`. Each is the answer once.""",
    stub="""
check_for = {
    "masked_scores = np.where(mask, scaled_scores, -1e9)": ...,
    "scaled_scores = scores / np.sqrt(d_model)  # with several heads": ...,
    "mask = np.tri(n, n, k=-1, dtype=bool)  # dead rows get 0": ...,
    "mask = np.tri(n_queries, n_keys, dtype=bool)": ...,
    "output = np.tile(heads.mean(axis=0), n_heads) @ W_O": ...,
    "output = concat  # (n, h*d_v), and h*d_v is d_model": ...,
}
""",
    solution="""
check_for = {
    "masked_scores = np.where(mask, scaled_scores, -1e9)": "dead row",
    "scaled_scores = scores / np.sqrt(d_model)  # with several heads": "spread",
    "mask = np.tri(n, n, k=-1, dtype=bool)  # dead rows get 0": "row sums",
    "mask = np.tri(n_queries, n_keys, dtype=bool)": "cache",
    "output = np.tile(heads.mean(axis=0), n_heads) @ W_O": "heads apart",
    "output = concat  # (n, h*d_v), and h*d_v is d_model": "W_O",
}
""",
    hints=(
        "For each line: on which inputs does it give other numbers than the right one? The check must go there.",
        "k=-1 leaves out the diagonal: what is left of the first row? And np.tri begins at the top left: "
        "with two queries and seven keys, what does the last query see?",
    ),
    why="A check is worth the inputs it goes to: each of these six is caught by one of the twelve checks, and by no "
    "other.",
    blanks={
        "masked_scores = np.where(mask, scaled_scores, -1e9)": Blank(
            "dead row",
            {
                "row sums": "Every row sums to 1 here, also one that may attend to nothing. That is what is wrong.",
                "cache": "A cache gives the same numbers. Which row has nothing but fills?",
            },
            f"It gives the same numbers as -inf wherever a row has an allowed key. {CHECKS}",
        ),
        "scaled_scores = scores / np.sqrt(d_model)  # with several heads": Blank(
            "spread",
            {"row sums": "Softmax makes shares of 1 from any scores, also from those that are too small."},
            f"What does the divisor have to bring to 1? {CHECKS}",
        ),
        "mask = np.tri(n, n, k=-1, dtype=bool)  # dead rows get 0": Blank(
            "row sums",
            {
                "dead row": "A dead row gets 0, as it should. But should the first word's row be dead?",
                "cache": "Word by word the same keys are left out, so both agree.",
            },
            f"The first word may attend to nothing, not to itself. {CHECKS}",
        ),
        "mask = np.tri(n_queries, n_keys, dtype=bool)": Blank(
            "cache",
            {"row sums": "Its rows sum to 1. They lie on the wrong keys."},
            f"With as many queries as keys it is right. When are there fewer? {CHECKS}",
        ),
        "output = np.tile(heads.mean(axis=0), n_heads) @ W_O": Blank(
            "heads apart",
            {"W_O": "W_O is there: with W_O = 0 the output is 0."},
            f"Every head's place holds the same numbers. {CHECKS}",
        ),
        "output = concat  # (n, h*d_v), and h*d_v is d_model": Blank(
            "W_O",
            {"heads apart": "The heads stand side by side, as they should. What is missing behind them?"},
            f"Which matrix has no say? {CHECKS}",
        ),
    },
)

# 2. A mask


def masked_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw Q, K, V and a mask without dead rows: causal ones, and one of pads."""
    shapes = [(2, 2, 2), (3, 2, 3), (4, 3, 4), (5, 7, 5)]  # n, d_k, d_v
    drawn = [(normal(rng, n, d_k), normal(rng, n, d_k), normal(rng, n, d_v), causal_mask(n)) for n, d_k, d_v in shapes]
    pads = np.broadcast_to(np.arange(4) < 3, (4, 4)).copy()
    drawn[2][0][1] = 0  # a query of zeros: all scores of a row are 0, and its keys are allowed all the same
    return [*drawn, (normal(rng, 4, 3), normal(rng, 4, 3), normal(rng, 4, 5), pads)]


def masked_far_apart(rng: np.random.Generator) -> list[Arguments]:
    """Draw masked cases with large scores and rows far apart; forbidden keys far above the allowed ones, or below."""
    cases = []
    for Q, K, V, mask in masked_cases(rng)[1:3]:
        large = Q.copy()
        large[-1] *= 1e4  # a row far from the others
        cases.append((large, K, V, mask))
    one, apart = np.ones((3, 1)), np.array([2000.0, 2001.0, 5000.0])  # the first queries cannot read the last key
    signs = ([-1, -1, 1], [1, 1, -1], [1, 1, 1], [-1, -1, -1])
    keys = [(apart * sign)[:, None] for sign in signs] + [np.full((3, 1), -2e8)]  # the last: below most fills
    return [*cases, *((one, K, normal(rng, 3, 3), causal_mask(3)) for K in keys)]


def masked_row_by_row(Q: Any, K: Any, V: Any, mask: Any) -> Any:
    """Let each query see its allowed keys alone."""
    return np.array([plain_softmax(K[row] @ q / math.sqrt(len(q))) @ V[row] for q, row in zip(Q, mask)])


def masked_by_adding(Q: Any, K: Any, V: Any, added: Any) -> Any:
    """Add an array to the scaled scores."""
    return plain_softmax(Q @ K.T / math.sqrt(Q.shape[1]) + added) @ V


MASKED = Exercise(
    name="mended_mask",
    notebook=NOTEBOOK,
    title="Find the bug: a map that looks right",
    difficulty=2,
    minutes=8,
    spec="""`mended_mask(Q, K, V, mask)` runs, and its rows of weights sum to 1. One line is wrong. **Choose a check
first**: run the cell below, then, say, `try_check("key order", mended_mask)`. There are `row sums`, `key order`,
`future`, `shift`, `one query` (each query alone gives its row), `values`, `large scores`, `dead row` and `spread`.
Which are broken, and what do they have in common? Then mend the line. Every query has at least one allowed key.""",
    stub="""
def mended_mask(Q, K, V, mask):  # (n, d_k), (n, d_k), (n, d_v), (n, n) of bool
    d_k = Q.shape[-1]
    scaled_scores = Q @ K.T / np.sqrt(d_k)  # (n, n)
    masked_scores = scaled_scores * mask
    largest = masked_scores.max(axis=-1, keepdims=True)
    exps = np.exp(masked_scores - largest)
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ V  # (n, d_v)
""",
    solution="""
def mended_mask(Q, K, V, mask):
    d_k = Q.shape[-1]
    scaled_scores = Q @ K.T / np.sqrt(d_k)
    masked_scores = np.where(mask, scaled_scores, -np.inf)
    largest = masked_scores.max(axis=-1, keepdims=True)
    exps = np.exp(masked_scores - largest)
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ V
""",
    hints=(
        'Try "future", "shift" and "dead row". What would a forbidden key have to weigh, and what does it weigh?',
        "A forbidden score times 0 is 0, and to softmax 0 is a score like any other.",
    ),
    why="The future is read, since a forbidden key gets exp(0 - largest), not 0. The sums of the rows cannot show it.",
    cases=masked_cases,
    others=(
        masked_row_by_row,
        lambda Q, K, V, mask: scaled_dot_product_attention(Q, K, V, mask).output,
        lambda Q, K, V, mask: attend(RIGHT, Q, K, V, mask),
    ),
    wrong=with_mistakes(
        attend,
        *("mask_ignored", "mask_inverted", "mask_after_softmax", "mask_added", "not_scaled", "scaled_by_d_k"),
        *("scaled_by_root_n", "half_power", "softmax_over_queries", "softmax_over_everything"),
    )
    | {
        "zero_times_inf": (
            lambda Q, K, V, mask: masked_by_adding(Q, K, V, (1 - mask) * -np.inf),
            lambda Q, K, V, mask: masked_by_adding(Q, K, V, -np.inf * ~mask),
        ),
    },
    hard=masked_far_apart,
    integers=True,
    keeps=Keeps((*KEPT, "future"), with_mask, causal=True),
    rules=(
        range_rule(lambda Q, K, V, mask: Scores(Q @ K.T / math.sqrt(Q.shape[1]), mask, Q @ K.T)),
        *weights_rules(lambda Q, K, V, mask: Given(Q @ K.T, Q.shape[1], V, mask)),
    ),
    has_bug=True,
)

# 3. Heads


def layer_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw X, the projections and a number of heads; first one head, where the bug does not show."""
    shapes = [(2, 2, 2, 2, 2, 1), (2, 3, 1, 1, 2, 2), (3, 4, 2, 3, 4, 2), (5, 6, 3, 2, 4, 3), (6, 6, 2, 2, 6, 3)]
    return [
        (
            *(normal(rng, n, d), normal(rng, d, h * d_k) / 2, normal(rng, d, h * d_k) / 2, normal(rng, d, h * d_v) / 2),
            normal(rng, h * d_v, d_out),
            h,
        )
        for n, d, d_k, d_v, d_out, h in shapes
    ]


def layer_with(recipe: Recipe, *arguments: Any) -> Any:
    """Follow a recipe with several heads."""
    return multi_head(recipe, *arguments)[1]


def head_by_head(X: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any, n_heads: int) -> Any:
    """Treat one head after the other and add up what each sends through its rows of W_O."""
    parts = zip(*(np.split(W, n_heads, axis=1) for W in (W_Q, W_K, W_V)), np.split(W_O, n_heads))
    return sum(attend(RIGHT, X @ q, X @ k, X @ v) @ o for q, k, v, o in parts)


def cut_interleaved(X: Any, n_heads: int) -> Any:
    """Give head i every h-th column."""
    return X.reshape(len(X), -1, n_heads).transpose(2, 0, 1)


def merged_interleaved(heads: Any) -> Any:
    """Undo `cut_interleaved`."""
    return heads.transpose(1, 2, 0).reshape(heads.shape[1], -1)


def merged_of_one(place: int, heads: Any) -> Any:
    """Write the heads side by side, with 0 in the place of all but one."""
    kept = np.zeros_like(heads)
    kept[place] = heads[place]
    return kept.swapaxes(0, 1).reshape(heads.shape[1], -1)


def layer_of(**steps: Any) -> Function:
    """Return a layer with these steps replaced."""
    return lambda *arguments: layer_with(replace(RIGHT, **steps), *arguments)


HEADS = Exercise(
    name="mended_heads",
    notebook=NOTEBOOK,
    title="Find the bug: heads",
    difficulty=2,
    minutes=10,
    spec="""`mended_heads(X, W_Q, W_K, W_V, W_O, n_heads)` runs, its weights are right, and with one head so is its
output. One line is wrong. **Choose a check first**: for a layer there are `W_O`, `heads apart` and `values`, as
`try_check("W_O", mended_heads)`. Then mend the line.""",
    stub="""
def mended_heads(X, W_Q, W_K, W_V, W_O, n_heads):
    n = len(X)
    Q, K, V = [(X @ W).reshape(n, n_heads, -1).swapaxes(0, 1) for W in (W_Q, W_K, W_V)]  # (h, n, d)
    scaled_scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])  # (h, n, n)
    exps = np.exp(scaled_scores - scaled_scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    concat = (weights @ V).reshape(n, -1)  # (n, h*d_v)
    return concat @ W_O  # (n, d_out)
""",
    solution="""
def mended_heads(X, W_Q, W_K, W_V, W_O, n_heads):
    n = len(X)
    Q, K, V = [(X @ W).reshape(n, n_heads, -1).swapaxes(0, 1) for W in (W_Q, W_K, W_V)]
    scaled_scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    exps = np.exp(scaled_scores - scaled_scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    concat = (weights @ V).swapaxes(0, 1).reshape(n, -1)  # back to (n, h, d_v) first
    return concat @ W_O
""",
    hints=(
        'Try "heads apart". Columns that belong to head 0 move when head 1 changes: where do the two meet?',
        "weights @ V is (h, n, d_v). What does reshape put into the first row of concat, and what belongs there?",
    ),
    why="The way in was reshape, then swapaxes; the way out is swapaxes, then reshape. The shape is right without it.",
    cases=layer_cases,
    integers=True,
    others=(
        head_by_head,
        lambda X, W_Q, W_K, W_V, W_O, h: MultiHeadAttention(W_Q, W_K, W_V, W_O, h)(X).output,
        lambda *arguments: layer_with(RIGHT, *arguments),
    ),
    wrong=with_mistakes(
        layer_with,
        *("heads_averaged", "no_W_O", "not_scaled", "scaled_by_d_k", "scaled_by_root_d_model", "softmax_over_queries"),
        *("scores_transposed", "weights_transposed", "softmax_over_everything", "scaled_by_root_n"),
    )
    | {
        "reshape_without_transpose": (
            layer_of(split=cut_without_transpose),
            layer_of(split=cut_without_transpose, merge=merged_without_transpose),
        ),
        "heads_reversed": layer_of(merge=lambda heads: heads[::-1].swapaxes(0, 1).reshape(heads.shape[1], -1)),
        "heads_interleaved_once": (
            layer_of(merge=merged_interleaved),
            layer_of(split=cut_interleaved),
            layer_of(split=cut_interleaved, merge=merged_without_transpose),
        ),
        "heads_interleaved": layer_of(split=cut_interleaved, merge=merged_interleaved),
        "last_axes_swapped": (
            layer_of(merge=lambda heads: heads.swapaxes(1, 2).reshape(heads.shape[1], -1)),
            layer_of(merge=lambda heads: heads.transpose(2, 0, 1).reshape(heads.shape[1], -1)),
            layer_of(merge=lambda heads: heads.reshape(-1, heads.shape[1]).T),
        ),
        "all_axes_transposed": layer_of(merge=lambda heads: heads.T.reshape(heads.shape[1], -1)),
        "W_O_transposed": lambda X, W_Q, W_K, W_V, W_O, h: layer_with(RIGHT, X, W_Q, W_K, W_V, W_O.T, h),
        "heads_summed": (
            lambda X, W_Q, W_K, W_V, W_O, h: layer_of(merge=lambda heads: heads.sum(axis=0))(
                X, W_Q, W_K, W_V, W_O[: len(W_O) // h], h
            ),
            layer_of(merge=lambda heads: np.tile(heads.sum(axis=0), len(heads))),
        ),
        "one_head_alone": tuple(layer_of(merge=partial(merged_of_one, place)) for place in (0, -1)),
        "softmax_over_heads": layer_of(normalise=lambda x: plain_softmax(x, 0)),
    },
    keeps=Keeps(("row sums", "shift", "values"), as_one_head, square=True),
    has_bug=True,
)

# 4. Large scores


def ordinary_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw Q, K and V of ordinary size."""
    shapes = [(2, 2, 2, 2), (3, 3, 2, 3), (1, 5, 3, 5), (4, 6, 8, 6)]  # n_queries, n_keys, d_k, d_v
    return [(normal(rng, n, d_k), normal(rng, m, d_k), normal(rng, m, d_v)) for n, m, d_k, d_v in shapes]


def far_apart_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw queries of which one is 10,000 times as large as the others."""
    cases = []
    for Q, K, V in ordinary_cases(rng)[1:]:
        Q = np.vstack([Q, Q[-1:]])
        Q[0] *= 1e4
        cases.append((Q, K, V))
    # what else may be subtracted bears some of these rows and not others: the mean, a place, the undivided scores
    rows = ([[1.0], [-1.0]], [[0.0], [1200.0], [1200.0]]), ([[1.0], [1.5]], [[0.0], [0.0], [710.5]])
    cases += [(np.array(Q), np.array(K), normal(rng, 3, 3)) for Q, K in rows]
    wide = np.zeros((2, 9)), np.zeros((2, 9))
    wide[0][:, 0], wide[1][:, 0] = (3, -3), (600, 601)
    return [*cases, (*wide, normal(rng, 2, 3))]


LARGE = Exercise(
    name="mended_largest",
    notebook=NOTEBOOK,
    title="Find the bug: right on every sentence so far",
    difficulty=2,
    minutes=8,
    spec="""`mended_largest(Q, K, V)` agrees with the library on every sentence of this notebook, but for rounding.
One line is wrong all the same. **Choose a check first**, one that goes where no sentence here goes, and try it:
`try_check("row sums", mended_largest)` and so on. Then mend the line.""",
    stub="""
def mended_largest(Q, K, V):  # (n_queries, d_k), (n_keys, d_k), (n_keys, d_v)
    d_k = Q.shape[-1]
    scaled_scores = Q @ K.T / np.sqrt(d_k)  # (n_queries, n_keys)
    largest = scaled_scores.max()
    exps = np.exp(scaled_scores - largest)
    sums = exps.sum(axis=-1, keepdims=True)
    weights = exps / sums
    return weights @ V
""",
    solution="""
def mended_largest(Q, K, V):
    d_k = Q.shape[-1]
    scaled_scores = Q @ K.T / np.sqrt(d_k)
    largest = scaled_scores.max(axis=-1, keepdims=True)  # each row's own
    exps = np.exp(scaled_scores - largest)
    sums = exps.sum(axis=-1, keepdims=True)
    weights = exps / sums
    return weights @ V
""",
    hints=(
        'Try "large scores". Then ask for each line what it does when one row lies far above another.',
        "One largest for all rows: in a row far below it every exp is 0, and 0 / 0 is nan.",
    ),
    why="Any number may be subtracted from a row, but the row's own largest alone makes sure that an exp of 1 is left.",
    cases=ordinary_cases,
    hard=far_apart_cases,
    integers=True,
    others=(
        lambda Q, K, V: scaled_dot_product_attention(Q, K, V).output,
        lambda Q, K, V: attend(RIGHT, Q, K, V),
        lambda Q, K, V: np.array([plain_softmax(K @ q / math.sqrt(len(q))) @ V for q in Q]),
    ),
    wrong=with_mistakes(
        attend, "softmax_not_stable", "not_scaled", "scaled_by_d_k", "softmax_over_queries", "softmax_over_everything"
    ),
    keeps=Keeps(KEPT, plain),
    rules=(
        range_rule(lambda Q, K, V: Scores(Q @ K.T / math.sqrt(Q.shape[1]), undivided=Q @ K.T)),
        *weights_rules(lambda Q, K, V: Given(Q @ K.T, Q.shape[1], V)),
    ),
    has_bug=True,
)

EXERCISES = (CHOSEN, MASKED, HEADS, LARGE)


QUESTIONS = {
    "09.which_is_wrong": Question(
        topic="a wrong output can look right",
        choices={
            "first": "the first",
            "second": "the second",
            "neither": "neither: both are right",
            "cannot tell": "the pictures cannot tell",
        },
        right="One of them divides by d_k in place of √d_k. Both point each 배 to its meaning, and nothing in the "
        "pictures says how far is right. What does say it comes in section 5.",
        wrong={
            "first": "One of them divides by d_k, but what in the picture says which? With the two exchanged you "
            "would have had the same reason for the other.",
            "second": "One of them divides by d_k, but what in the picture says which? With the two exchanged you "
            "would have had the same reason for the other.",
            "neither": "Both look right. One of them divides by d_k in place of √d_k.",
        },
        partly=("neither",),
        gives_away=("by d_k", "/ d_k"),
    ),
    "09.wrong_axis": Question(
        topic="what catches a wrong axis",
        choices={
            "shape": "the shape of the weights",
            "row sums": "the sums of the rows",
            "nothing": "none of these two",
        },
        right="Its softmax ran over the queries: each column sums to 1, and the rows sum to anything.",
        wrong={
            "shape": "The shape is the same whichever axis the softmax runs over. That is why this mistake lives long.",
            "nothing": "Each row should hand out exactly one unit of attention. Add up the rows and it shows at once.",
        },
        gives_away=("over the queries", "wrong axis", "shapes are"),
    ),
    "09.clean_triangle": Question(
        topic="a clean map and a leak",
        choices={
            "no": "no: later words have weight 0 in their maps",
            "yes": "yes, outputs of earlier words move",
        },
        right="The heads were cut by a reshape without the transpose. Row 3 of a head is then no longer token 3, so a "
        "clean triangle hides the wrong tokens.",
        wrong={
            "no": "The map is clean, but whose rows are these? The heads were cut by a reshape without the transpose, "
            "and a row of a head holds pieces of other tokens.",
        },
        gives_away=("reshape", "leak"),
    ),
    "09.finite_fill": Question(
        topic="a mistake that waits",
        choices={
            "nothing": "nothing: the same numbers",
            "little": "a little, everywhere",
            "much": "the masked half of the map",
        },
        right="exp of -1e9 is 0 in any number format. It waits for a row that has nothing but fills.",
        wrong={
            "little": "exp(-1e9 - largest) is exactly 0 here, as with -inf. No digit changes.",
            "much": "The masked half is 0 in both, since exp(-1e9 - largest) is exactly 0.",
        },
        gives_away=("same numbers", "agrees", "numbers are right"),
    ),
    "09.dead_fill": Question(
        topic="a row of nothing but fills",
        choices={
            "zero": "0 each: nothing is allowed",
            "even": "an equal share each",
            "nan": "nan: 0 / 0",
        },
        right="All scores of the row are -1e9, so all are equal to softmax. The row reads every forbidden word, and no "
        "error says so.",
        wrong={
            "zero": "That is what it should be. But softmax sees equal scores, and equal scores get equal shares.",
            "nan": "That is what -inf would give in naive code. With -1e9 the largest is -1e9 too, and exp(0) = 1 for "
            "every key.",
        },
        gives_away=("equal share", "0.14", "0.25"),
    ),
    "09.second_n": Question(
        topic="a scale that fits by chance",
        choices={
            "near": "nearer to 1: more tokens, less chance",
            "half": "about half of what it was",
            "twice": "about twice what it was",
        },
        right="It divides by √n: 8/√50 = 1.13 passes for 1, and 8/√200 = 0.57 does not. The spread of a score depends "
        "on d_k, and that did not change.",
        wrong={
            "near": "So it would be if it were chance. But E divides by √n, which at 50 is close to √64 and at 200 is "
            "not.",
            "twice": "It does not stay. But E divides by √n, and a larger divisor makes the spread smaller.",
        },
        partly=("twice",),
        gives_away=("by √n", "root of n", "0.56"),
    ),
    "09.row_sums": Question(
        topic="what the best-known check catches",
        tolerance=1,
        digits=0,
        right="Softmax makes rows of 1 from whatever it is given. Most mistakes stand before it, or after the maps.",
        wrong={
            "none": "A softmax over another axis, or none, breaks the sums, and so does a mask after it.",
            "all": "Softmax makes rows of 1 from whatever it is given: a wrong scale, a wrong mask, wrong keys.",
            "other": "Softmax makes rows of 1 from whatever it is given. Most mistakes stand before it, or after the "
            "maps.",
        },
        confusions={"none": 0},
    ),
    "09.exchanged": Question(
        topic="a mistake that twelve checks let through",
        choices={
            "0": "none",
            "some": "one to three",
            "many": "four or more",
        },
        right="W_K and W_V are random numbers here, and none of the twelve asks what either is for: with the two "
        "exchanged all is attention of another kind.",
        wrong={
            "some": "Rows sum to 1, nothing leaks, the scale is right, the heads stay apart: it is a right attention "
            "of other keys and values.",
            "many": "Rows sum to 1, nothing leaks, the scale is right, the heads stay apart: it is a right attention "
            "of other keys and values.",
        },
        gives_away=("lets it through", "none of the twelve", "gets through", "passes all twelve"),
    ),
}
