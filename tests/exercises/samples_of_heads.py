"""Exercises on heads that no notebook asks any more, and that the checks are tried on; see `samples.py`."""

from typing import Any

import numpy as np

from attention_lib.attention import self_attention
from attention_lib.exercises.exercise import Arguments, Exercise, normal
from attention_lib.exercises.rules_of_weights import Given, weights_rules
from attention_lib.mistakes.recipes import (
    DIVISORS,
    RIGHT,
    SOFTMAXES,
    Recipe,
    averaged,
    cut_without_transpose,
    merged_without_transpose,
    self_attend,
    side_by_side,
    with_mistakes,
)
from attention_lib.multi_head import merge_heads, split_heads

NOTEBOOK = "samples"


# 1. Split


def split_cases(rng: np.random.Generator) -> list[Arguments]:
    """Number the entries, so that a wrong place shows; then draw."""
    first = np.arange(1.0, 9.0).reshape(2, 4)
    shapes = [(4, 4, 2), (3, 6, 3), (5, 8, 4), (2, 6, 2), (1, 4, 2), (3, 4, 1)]  # n, h*d, h
    return [(first, 2), *((normal(rng, n, width), h) for n, width, h in shapes)]


SPLIT = Exercise(
    name="cut_into_heads",
    notebook=NOTEBOOK,
    title="Split the heads",
    difficulty=2,
    minutes=5,
    spec="""Write `cut_into_heads(X, n_heads)`: (n, h*d) becomes (h, n, d). Head 0 owns the first d columns of
every row, head 1 the next d.

For two heads, `[[1, 2, 3, 4], [5, 6, 7, 8]]` becomes `[[[1, 2], [5, 6]], [[3, 4], [7, 8]]]`.""",
    stub="""
def cut_into_heads(X, n_heads):  # (n, h*d), h
    return ...  # (h, n, d)
""",
    solution="""
def cut_into_heads(X, n_heads):
    pieces = X.reshape(len(X), n_heads, -1)  # (n, h, d)
    return pieces.swapaxes(0, 1)  # (h, n, d)
""",
    hints=(
        "Cut each row into h pieces first: which shape has the tokens in front and the pieces second?",
        "`X.reshape(n, n_heads, -1)` is (n, h, d). Then `swapaxes(0, 1)`.",
    ),
    why="reshape alone keeps the order in memory. The swap moves the heads in front, and each head keeps all tokens.",
    cases=split_cases,
    others=(
        lambda X, n_heads: np.stack(np.split(X, n_heads, axis=1)),
        lambda X, n_heads: [
            [list(row[i * len(row) // n_heads : (i + 1) * len(row) // n_heads]) for row in X] for i in range(n_heads)
        ],
        lambda X, n_heads: split_heads(X, n_heads),
    ),
    wrong={
        "reshape_without_transpose": cut_without_transpose,
        "heads_not_in_front": lambda X, n_heads: X.reshape(len(X), n_heads, -1),
        "heads_interleaved": lambda X, n_heads: X.reshape(len(X), -1, n_heads).transpose(2, 0, 1),
        "heads_reversed": lambda X, n_heads: split_heads(X, n_heads)[::-1],
        "last_axes_swapped": (
            lambda X, n_heads: split_heads(X, n_heads).swapaxes(-1, -2),
            lambda X, n_heads: X.T.reshape(n_heads, -1, len(X)),
        ),
        "tokens_cut": lambda X, n_heads: np.stack(np.array_split(X, n_heads, axis=0)),
        "size_for_number": lambda X, n_heads: X.reshape(len(X), -1, n_heads).swapaxes(0, 1),
    },
)


# 2. Merge


def merge_cases(rng: np.random.Generator) -> list[Arguments]:
    """Number the entries, so that a wrong place shows; then draw."""
    return [(split_heads(X, n_heads),) for X, n_heads in split_cases(rng)]


MERGE = Exercise(
    name="put_side_by_side",
    notebook=NOTEBOOK,
    title="Merge the heads",
    difficulty=2,
    minutes=5,
    spec="""Write `put_side_by_side(heads)`: (h, n, d) becomes (n, h*d). It undoes `cut_into_heads`: each
token's row holds what head 0 says, then what head 1 says, and so on.""",
    stub="""
def put_side_by_side(heads):  # (h, n, d)
    return ...  # (n, h*d)
""",
    solution="""
def put_side_by_side(heads):
    pieces = heads.swapaxes(0, 1)  # (n, h, d)
    return pieces.reshape(len(pieces), -1)  # (n, h*d)
""",
    hints=(
        "Undo the two steps of the split in the opposite order.",
        "First `swapaxes(0, 1)`, so that each token's pieces lie together, then `reshape(n, -1)`.",
    ),
    why="A reshape before the swap has the right shape too, and puts pieces of different tokens in one row.",
    cases=merge_cases,
    others=(lambda heads: np.concatenate(list(heads), axis=-1), lambda heads: np.hstack(heads), merge_heads),
    wrong={
        "reshape_without_transpose": merged_without_transpose,
        "heads_averaged": averaged,
        "heads_interleaved": lambda heads: heads.transpose(1, 2, 0).reshape(heads.shape[1], -1),
        "heads_reversed": lambda heads: side_by_side(heads[::-1]),
        "heads_summed": lambda heads: heads.sum(axis=0),
        "heads_one_below_the_other": lambda heads: np.concatenate(list(heads), axis=0),
        "first_head_only": lambda heads: heads[0],
        "swap_without_reshape": lambda heads: heads.swapaxes(0, 1),
        "flattened": lambda heads: heads.ravel(),
    },
)


# 3. Each head alone


def list_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw X, a list of (W_Q, W_K, W_V) and W_O; square W_O, so that leaving it out keeps the shape."""
    shapes = [
        (2, 2, 2, 2, 2),
        (3, 4, 2, 3, 3),
        (4, 6, 3, 5, 4),
        (3, 5, 2, 9, 4),
        (2, 3, 1, 3, 2),
    ]  # n, d_model, h, d_k, d_v
    cases = []
    for n, d, h, d_k, d_v in shapes:
        heads = [tuple(normal(rng, d, width) / 2 for width in (d_k, d_k, d_v)) for _ in range(h)]
        cases.append((normal(rng, n, d), heads, normal(rng, h * d_v, h * d_v)))
    return cases


def single_given(X: Any, heads: Any, W_O: Any) -> Given:
    """Say it in the words of attention: all heads in front."""
    scores = np.stack([X @ W_Q @ (X @ W_K).T for W_Q, W_K, _ in heads])
    return Given(scores, heads[0][0].shape[1], np.stack([X @ W_V for *_, W_V in heads]))


def before_W_O(answer: Any, n_heads: int, W_O: Any) -> Any:
    """Take W_O away again and split the heads."""
    return split_heads(answer @ np.linalg.pinv(W_O), n_heads)


def each_head(X: Any, heads: Any, recipe: Recipe = RIGHT) -> Any:
    """Return the heads' outputs, (h, n, d_v)."""
    return np.stack([self_attend(recipe, X, *head) for head in heads])


def heads_with(recipe: Recipe, X: Any, heads: Any, W_O: Any) -> Any:
    """Follow a recipe head by head."""
    return recipe.project_out(recipe.merge(each_head(X, heads, recipe)), W_O)


def add_contributions(X: Any, heads: Any, W_O: Any) -> Any:
    """Add each head's output through its own rows of W_O."""
    output, start = 0, 0
    for W_Q, W_K, W_V in heads:
        stop = start + W_V.shape[1]
        output = output + self_attention(X, W_Q, W_K, W_V).output @ W_O[start:stop]
        start = stop
    return output


def rows_of_first_head(X: Any, heads: Any, W_O: Any) -> Any:
    """Add up through the rows of W_O that belong to the first head."""
    d_v = heads[0][2].shape[1]
    return sum(output @ W_O[:d_v] for output in each_head(X, heads))


FROM_SINGLE = Exercise(
    name="heads_one_by_one",
    notebook=NOTEBOOK,
    title="Multi-head from single heads",
    difficulty=2,
    minutes=10,
    spec="""Write `heads_one_by_one(X, heads, W_O)`. `heads` is a list of (W_Q, W_K, W_V), one for each head.
Run each head alone, write the outputs side by side, and multiply by W_O. It returns (n, d_out). You may use
`self_attention(X, W_Q, W_K, W_V).output` from the library.""",
    stub="""
def heads_one_by_one(X, heads, W_O):  # (n, d_model), list of (W_Q, W_K, W_V), (h*d_v, d_out)
    return ...  # (n, d_out)
""",
    solution="""
def heads_one_by_one(X, heads, W_O):
    outputs = []
    for W_Q, W_K, W_V in heads:
        Q, K, V = X @ W_Q, X @ W_K, X @ W_V
        exps = np.exp(Q @ K.T / np.sqrt(Q.shape[-1]))
        outputs.append(exps / exps.sum(axis=-1, keepdims=True) @ V)  # (n, d_v)
    return np.concatenate(outputs, axis=-1) @ W_O  # (n, d_out)
""",
    hints=(
        "Collect the heads' outputs in a list. How do they become one wide matrix?",
        "`np.concatenate(outputs, axis=-1) @ W_O`.",
    ),
    why="Heads do not know of each other: attention runs once for each. Only W_O brings them together.",
    cases=list_cases,
    others=(add_contributions, lambda X, heads, W_O: heads_with(RIGHT, X, heads, W_O)),
    wrong=with_mistakes(
        heads_with,
        "no_W_O",
        *DIVISORS,
        "scaled_by_root_d_model",
        "scaled_by_d_model",
        *SOFTMAXES,
        "weights_transposed",
    )
    | {
        "W_O_transposed": lambda X, heads, W_O: side_by_side(each_head(X, heads)) @ W_O.T,
        "W_O_first": lambda X, heads, W_O: W_O @ side_by_side(each_head(X, heads)),
        "first_head_only": (
            lambda X, heads, W_O: each_head(X, heads)[0] @ W_O[: heads[0][2].shape[1]],
            lambda X, heads, W_O: np.tile(each_head(X, heads)[0], len(heads)) @ W_O,
        ),
        "heads_not_merged": lambda X, heads, W_O: each_head(X, heads),
        "heads_one_below_the_other": lambda X, heads, W_O: np.concatenate(list(each_head(X, heads)), axis=0),
        "heads_interleaved": lambda X, heads, W_O: each_head(X, heads).transpose(1, 2, 0).reshape(len(X), -1) @ W_O,
        "W_O_first_rows": rows_of_first_head,
        "heads_averaged": (
            lambda X, heads, W_O: averaged(each_head(X, heads)) @ W_O,
            lambda X, heads, W_O: each_head(X, heads).mean(axis=0),
        ),
        "heads_summed": lambda X, heads, W_O: each_head(X, heads).sum(axis=0),
        "heads_reversed": lambda X, heads, W_O: side_by_side(each_head(X, heads)[::-1]) @ W_O,
        "reshape_without_transpose": lambda X, heads, W_O: merged_without_transpose(each_head(X, heads)) @ W_O,
    },
    rules=weights_rules(single_given, undo=lambda answer, X, heads, W_O: before_W_O(answer, len(heads), W_O)),
)


HEADS = (SPLIT, MERGE, FROM_SINGLE)
