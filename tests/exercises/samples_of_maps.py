"""Exercises that notebook 07 asks no more: the entropy of a row, the strongest pair, a head switched off."""

import math
from functools import partial
from typing import Any

import numpy as np

from attention_lib.exercises.content.trained_attention import map_cases, own_part
from attention_lib.exercises.exercise import Arguments, Exercise, normal, shares
from attention_lib.mistakes.recipes import merged_without_transpose, side_by_side

NOTEBOOK = "samples"


def wide_maps(rng: np.random.Generator) -> list[Arguments]:
    """Draw maps with more keys than queries, and fewer."""
    return [*map_cases(rng), (shares(rng, 2, 5),), (shares(rng, 4, 3),), (shares(rng, 1, 3),)]


# Entropy


def entropy_in_loops(weights: Any) -> Any:
    """Leave zeros out, row by row."""
    return [-sum(w * math.log(w) for w in row if w > 0) for row in weights]


def entropy_terms(weights: Any) -> Any:
    """Return -w log w with 0 for a weight of 0."""
    return -weights * np.log(np.where(weights > 0, weights, 1))


def with_epsilon(size: float, weights: Any) -> Any:
    """Add a small number so that the log stays finite."""
    return -(weights * np.log(weights + size)).sum(axis=-1)


ENTROPY = Exercise(
    name="row_entropy",
    notebook=NOTEBOOK,
    title="How spread out is a row?",
    difficulty=2,
    minutes=6,
    spec="""Write `row_entropy(weights)`: for each query the sum of `-w * log(w)` over its keys, natural log,
(n_queries,). A weight of 0 adds 0.

Two equal weights give log 2, about 0.693; one weight of 1 gives 0.""",
    stub="""
def row_entropy(weights):  # (n_queries, n_keys)
    return ...  # (n_queries,)
""",
    solution="""
def row_entropy(weights):
    safe = np.where(weights > 0, weights, 1)  # log(1) = 0, so zeros add nothing
    return -(weights * np.log(safe)).sum(axis=-1)
""",
    hints=(
        "0 * log(0) is nan in numpy. What can stand in the log where the weight is 0, so that the product is 0?",
        "`np.where(weights > 0, weights, 1)` inside the log, and a sum over the keys.",
    ),
    why="n equal weights give log n, the largest value. A row that leans on one key comes near 0.",
    cases=wide_maps,
    others=(
        entropy_in_loops,
        lambda weights: entropy_terms(weights) @ np.ones(weights.shape[1]),
        lambda weights: entropy_terms(weights / weights.sum(axis=-1, keepdims=True)).sum(axis=1),
    ),
    wrong={
        "zero_log_zero": lambda weights: -(weights * np.log(weights)).sum(axis=-1),
        "log_2": lambda weights: entropy_terms(weights).sum(axis=-1) / math.log(2),
        "entropy_over_queries": lambda weights: entropy_terms(weights).sum(axis=0),
        "sign": lambda weights: -entropy_terms(weights).sum(axis=-1),
        "entropy_averaged": lambda weights: entropy_terms(weights).mean(axis=-1),
        "entropy_of_everything": lambda weights: entropy_terms(weights).sum(),
        "entropy_not_added": lambda weights: entropy_terms(weights),
        "w_forgotten": lambda weights: -np.log(np.where(weights > 0, weights, 1)).sum(axis=-1),
        "log_10": lambda weights: entropy_terms(weights).sum(axis=-1) / math.log(10),
        "entropy_in_shares": lambda weights: entropy_terms(weights).sum(axis=-1) / math.log(weights.shape[-1]),
        "epsilon": tuple(partial(with_epsilon, size) for size in (1e-2, 1e-3, 1e-4, 1e-5)),
        "perplexity": lambda weights: np.exp(entropy_terms(weights).sum(axis=-1)),
    },
)


# The strongest pair


def pair_in_loops(weights: Any) -> Any:
    """Look at every pair."""
    return max(((i, j) for i in range(len(weights)) for j in range(len(weights[0]))), key=lambda ij: weights[ij])


def pair(weights: Any) -> tuple[int, int]:
    """Return the position of the largest weight."""
    query, key = np.unravel_index(weights.argmax(), weights.shape)
    return int(query), int(key)


PAIR = Exercise(
    name="strongest_pair",
    notebook=NOTEBOOK,
    title="The strongest pair",
    difficulty=1,
    minutes=4,
    spec="""Write `strongest_pair(weights)`. It returns `(query, key)`, the position of the largest weight of
the whole map.

For `[[0.5, 0.5], [0.75, 0.25]]` it is `(1, 0)`.""",
    stub="""
def strongest_pair(weights):  # (n_queries, n_keys)
    return ...  # (query, key), two whole numbers
""",
    solution="""
def strongest_pair(weights):
    return np.unravel_index(weights.argmax(), weights.shape)
""",
    hints=(
        (
            "`weights.argmax()` counts through the whole array, row "
            "after row. How does one get back to a row and a column?"
        ),
        "`np.unravel_index(position, weights.shape)`, or `divmod(position, n_keys)`.",
    ),
    why="The position divided by the number of keys is the row; what is left over is the column.",
    cases=wide_maps,
    others=(pair_in_loops, lambda weights: divmod(int(weights.argmax()), weights.shape[1])),
    wrong={
        "pair_exchanged": lambda weights: pair(weights)[::-1],
        "counts_from_one": lambda weights: tuple(i + 1 for i in pair(weights)),
        "smallest_instead": lambda weights: np.unravel_index(weights.argmin(), weights.shape),
        "rows_for_columns": lambda weights: divmod(int(weights.argmax()), len(weights)),
        "largest_of_the_first_row": lambda weights: (0, int(weights[0].argmax())),
        "largest_row_and_column": lambda weights: (
            int(weights.sum(axis=1).argmax()),
            int(weights.sum(axis=0).argmax()),
        ),
    },
    parts=("query", "key"),
    whole_numbers=True,
)


# A head switched off


def head_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw heads' outputs, W_O and the head to switch off."""
    shapes = [(2, 1, 1, 2, 0), (2, 2, 2, 4, 1), (3, 2, 2, 6, 2), (4, 3, 2, 5, 1)]  # h, n, d_v, d_out, head
    return [(normal(rng, h, n, d_v), normal(rng, h * d_v, d_out), off) for h, n, d_v, d_out, off in shapes]


def columns_set_to_zero(heads: Any, W_O: Any, head: int) -> Any:
    """Set columns of the output to 0, as if W_O mixed nothing."""
    d_v = heads.shape[-1]
    output = side_by_side(heads) @ W_O
    output[:, head * d_v : (head + 1) * d_v] = 0
    return output


def others_added(heads: Any, W_O: Any, head: int) -> Any:
    """Add up what all other heads contribute."""
    return sum(own_part(heads, W_O, i) for i in range(len(heads)) if i != head)


def zeroed(heads: Any, head: int) -> Any:
    """Return a copy in which one head is 0."""
    kept = heads.copy()
    kept[head] = 0
    return kept


def column_off(heads: Any, W_O: Any, head: int) -> Any:
    """Set one column of concat to 0 in place of the columns of a head."""
    concat = side_by_side(heads)
    concat[:, head] = 0
    return concat @ W_O


SWITCH_OFF = Exercise(
    name="without_head",
    notebook=NOTEBOOK,
    title="A head switched off",
    difficulty=2,
    minutes=6,
    spec="""Write `without_head(head_outputs, W_O, head)`: the output of multi-head attention, (n, d_out), as
it would be if the output of that one head were 0. The array head_outputs stays as it was.""",
    stub="""
def without_head(head_outputs, W_O, head):  # (h, n, d_v), (h*d_v, d_out), which head
    return ...  # (n, d_out)
""",
    solution="""
def without_head(head_outputs, W_O, head):
    kept = head_outputs.copy()
    kept[head] = 0
    concat = np.concatenate(list(kept), axis=-1)  # (n, h*d_v)
    return concat @ W_O
""",
    hints=(
        "Set one head to 0, but in a copy. Then merge the heads and multiply by W_O as always.",
        "`kept = head_outputs.copy()`, `kept[head] = 0`, `np.concatenate(list(kept), axis=-1) @ W_O`.",
    ),
    why="The output is a sum of contributions, so this leaves out one term and nothing else.",
    cases=head_cases,
    others=(others_added, lambda heads, W_O, head: side_by_side(heads) @ W_O - own_part(heads, W_O, head)),
    wrong={
        "only_that_head": own_part,
        "output_columns_zeroed": columns_set_to_zero,
        "nothing_switched_off": lambda heads, W_O, head: side_by_side(heads) @ W_O,
        "counts_from_one": (
            lambda heads, W_O, head: others_added(heads, W_O, head - 1),
            lambda heads, W_O, head: others_added(heads, W_O, (head - 1) % len(heads)),
        ),
        "no_W_O": lambda heads, W_O, head: side_by_side(zeroed(heads, head)),
        "reshape_without_transpose": lambda heads, W_O, head: merged_without_transpose(zeroed(heads, head)) @ W_O,
        "token_switched_off": lambda heads, W_O, head: (
            side_by_side(np.where(np.arange(heads.shape[1])[:, None] == head, 0, heads)) @ W_O
        ),
        "column_switched_off": column_off,
        "head_dropped": lambda heads, W_O, head: (
            side_by_side(np.delete(heads, head, axis=0)) @ W_O[: (len(heads) - 1) * heads.shape[2]]
        ),
        "head_averaged": lambda heads, W_O, head: (
            side_by_side(np.where(np.arange(len(heads))[:, None, None] == head, heads[head].mean(axis=0), heads)) @ W_O
        ),
        "heads_summed": lambda heads, W_O, head: zeroed(heads, head).sum(axis=0),
    },
)


MAPS = (ENTROPY, PAIR, SWITCH_OFF)
