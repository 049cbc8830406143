"""Attention as a list of steps, and mistakes that each replace one of the steps.

A recipe in which no step is replaced gives what `attention_lib` gives. A test makes sure of that.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...attention import softmax
from ...masks import causal_mask, padding_mask
from ..scaling.scaling import naive_softmax

Array = NDArray[Any]


def fill_scores(scaled_scores: Array, allowed: Array, fill: float = -np.inf) -> Array:
    return np.where(allowed, scaled_scores, fill)


def textbook_softmax(x: Array, axis: int | tuple[int, ...]) -> Array:
    """Softmax over any axes; where all numbers are -inf, it gives nan."""
    exps = np.exp(x - x.max(axis=axis, keepdims=True))
    return exps / exps.sum(axis=axis, keepdims=True)


def pad_columns(n_real: int, n_queries: int, n_keys: int) -> Array:
    """Return a mask that forbids the keys after the first `n_real`."""
    return np.broadcast_to(padding_mask(n_real, n_keys), (n_queries, n_keys))


@dataclass(frozen=True)
class Recipe:
    """The steps of attention. A mistake replaces one of them."""

    split: Callable[[Array, int], Array] = lambda X, n_heads: X.reshape(len(X), n_heads, -1).swapaxes(0, 1)
    score: Callable[[Array, Array], Array] = lambda Q, K: Q @ K.swapaxes(-1, -2)
    divisor: Callable[[int, int, int], float] = lambda d_k, d_model, n_keys: math.sqrt(d_k)
    causal: Callable[[int, int], Array] = causal_mask  # n_queries, n_keys
    padding: Callable[[int, int, int], Array] = pad_columns  # n_real, n_queries, n_keys
    mask: Callable[[Array, Array], Array] = fill_scores
    normalise: Callable[[Array], Array] = softmax
    after_softmax: Callable[[Array, Array], Array] = lambda weights, allowed: weights
    merge: Callable[[Array], Array] = lambda heads: heads.swapaxes(0, 1).reshape(heads.shape[1], -1)
    project_out: Callable[[Array, Array], Array] = lambda concat, W_O: concat @ W_O


RIGHT = Recipe()


def attention_weights(recipe: Recipe, Q: Array, K: Array, allowed: Array | None = None, d_model: int = 0) -> Array:
    """Follow a recipe as far as the weights, (..., n_queries, n_keys)."""
    scores = recipe.score(Q, K)
    scaled_scores = scores / recipe.divisor(Q.shape[-1], d_model, K.shape[-2])
    if allowed is None:
        return recipe.normalise(scaled_scores)
    masked_scores = recipe.mask(scaled_scores, allowed)
    return recipe.after_softmax(recipe.normalise(masked_scores), allowed)


def attend(recipe: Recipe, Q: Array, K: Array, V: Array, allowed: Array | None = None, d_model: int = 0) -> Array:
    """Follow a recipe to the output, (..., n_queries, d_v). Only one mistake makes use of `d_model`."""
    return attention_weights(recipe, Q, K, allowed, d_model) @ V


def as_function(recipe: Recipe) -> Callable[..., Array]:
    """Return a recipe as attend(Q, K, V, mask=None) -> output."""
    return lambda Q, K, V, mask=None: attend(recipe, Q, K, V, mask)


class Mistake(NamedTuple):
    """A classic mistake: its title, a sentence or two about it, its recipe, and the kind of mask that shows it."""

    title: str
    sentence: str
    recipe: Recipe
    kind: str = "causal"


# Where they are called n and m, these are the numbers of queries and of keys.
MISTAKES: dict[str, Mistake] = {
    "transpose_missing": Mistake("The transpose is missing",
        "A score is a query row times a key row, so the scores are Q @ K.T. Where n happens to equal d_k, Q @ K runs "
        "as well, but its numbers mean nothing.",
        replace(RIGHT, score=lambda Q, K: Q @ K)),
    "scores_transposed": Mistake("Rows and columns are exchanged",
        "Rows belong to queries and columns to keys, but here entry [i, j] is the score of query j with key i.",
        replace(RIGHT, score=lambda Q, K: K @ Q.swapaxes(-1, -2))),
    "not_scaled": Mistake("The scores are not scaled",
        "A score adds up d_k products, so its spread grows like the square root of d_k. Divide by that root.",
        replace(RIGHT, divisor=lambda d_k, d_model, n_keys: 1.0)),
    "scaled_by_d_k": Mistake("Divided by d_k",
        "The spread of a score only grows like the square root of d_k. Dividing by d_k makes the weights too even.",
        replace(RIGHT, divisor=lambda d_k, d_model, n_keys: d_k)),
    "half_power": Mistake("Divided by d_k / 2",
        "Python reads d_k ** 1 / 2 as (d_k ** 1) / 2, because ** comes before /. Write d_k ** 0.5 or np.sqrt(d_k).",
        replace(RIGHT, divisor=lambda d_k, d_model, n_keys: d_k**1 / 2)),
    "scaled_by_root_d_model": Mistake("Divided by the root of d_model",
        "A score adds up d_k products, one for each number in a query row. The width of X plays no part in it.",
        replace(RIGHT, divisor=lambda d_k, d_model, n_keys: math.sqrt(d_model))),
    "scaled_by_root_n": Mistake("Divided by the root of the number of tokens",
        "The spread of a score depends on d_k, the width of a query row, and not on how many tokens there are.",
        replace(RIGHT, divisor=lambda d_k, d_model, n_keys: math.sqrt(n_keys))),
    "softmax_over_queries": Mistake("Softmax over the wrong axis",
        "Here each column sums to 1. Each row should, because each query shares out one unit of attention among the "
        "keys. Take the softmax along the keys, the last axis of Q @ K.T.",
        replace(RIGHT, normalise=lambda x: textbook_softmax(x, axis=-2))),
    "softmax_over_everything": Mistake("Softmax over the whole matrix",
        "Here all entries together sum to 1. Each row should sum to 1 on its own, so sum over the last axis only.",
        replace(RIGHT, normalise=lambda x: textbook_softmax(x, axis=(-2, -1)))),
    "softmax_not_stable": Mistake("Softmax that overflows",
        "The exp of a large number is inf, and inf / inf is nan. If you subtract the largest number of each row "
        "first, the result is the same and nothing overflows.",
        replace(RIGHT, normalise=naive_softmax)),
    "softmax_missing": Mistake("The softmax is missing",
        "The scores themselves are used as weights. Weights must be positive, and each row must sum to 1.",
        replace(RIGHT, normalise=lambda x: x), kind="no mask"),
    "mask_ignored": Mistake("The mask is not used",
        "Keys that are forbidden still receive weight.",
        replace(RIGHT, mask=lambda scaled_scores, allowed: scaled_scores)),
    "mask_inverted": Mistake("The mask is inverted",
        "True means that a query may attend to a key, but here the code forbids what is allowed and allows what is "
        "forbidden. (In nn.MultiheadAttention, True means the opposite.)",
        replace(RIGHT, mask=lambda scaled_scores, allowed: fill_scores(scaled_scores, ~allowed))),
    "mask_after_softmax": Mistake("Masked after the softmax",
        "By then the forbidden keys have already taken their share, so the rows no longer sum to 1. Mask the scores "
        "first, then take the softmax.",
        replace(RIGHT, mask=lambda scaled_scores, allowed: scaled_scores, after_softmax=np.multiply)),
    "mask_times_zero": Mistake("Masked by multiplying by zero",
        "A score of 0 is an ordinary score: exp(0) is 1, so the key still receives weight. Only -inf gets weight 0.",
        replace(RIGHT, mask=lambda scaled_scores, allowed: scaled_scores * allowed)),
    "finite_fill": Mistake("A finite number instead of -inf",
        "A number such as -1e9 is far below scores of ordinary size. But in a row in which every key is forbidden, "
        "all scores are then equal, and each forbidden key gets an equal share.",
        replace(RIGHT, mask=lambda scaled_scores, allowed: fill_scores(scaled_scores, allowed, -1e9))),
    "causal_excludes_itself": Mistake("Off by one: a token cannot see itself",
        "A query may attend to its own position. Without the diagonal, the first row has no key at all.",
        replace(RIGHT, causal=lambda n, m: np.tri(n, m, m - n - 1, dtype=bool))),
    "causal_sees_next": Mistake("Off by one: a token sees the next one",
        "The key to the right of a query's own position is the very token that the model has to predict.",
        replace(RIGHT, causal=lambda n, m: np.tri(n, m, m - n + 1, dtype=bool))),
    "causal_reversed": Mistake("The future instead of the past",
        "Row i may attend to keys 0 to i, the lower left triangle. Here the upper right triangle is allowed instead.",
        replace(RIGHT, causal=lambda n, m: ~np.tri(n, m, m - n - 1, dtype=bool))),
    "causal_top_left": Mistake("A causal mask lined up at the top left",
        "With cached keys the queries are the last tokens, so the last query must line up with the last key. Here "
        "the first query lines up with the first key.",
        replace(RIGHT, causal=lambda n, m: np.tri(n, m, dtype=bool)), kind="cache"),
    "pad_rows_masked": Mistake("Pad rows masked instead of pad columns",
        "No query may read a pad, so the column of a pad is forbidden. Its row makes an output that nobody uses.",
        replace(RIGHT, padding=lambda n_real, n, m: pad_columns(n_real, m, n).T), kind="padding"),
    "reshape_without_transpose": Mistake("Reshaped without the transpose",
        "The shape is right, but heads and tokens are mixed. Reshape to (n, h, d), then swap the first two axes.",
        replace(RIGHT, split=lambda X, n_heads: X.reshape(n_heads, len(X), -1))),
    "heads_averaged": Mistake("The heads are averaged",
        "An average no longer shows which head contributed what. The outputs of the heads belong side by side, and "
        "W_O mixes them.",
        replace(RIGHT, merge=lambda heads: np.tile(heads.mean(axis=0), len(heads)))),
    "no_W_O": Mistake("W_O is left out",
        "The outputs of the heads stand side by side, but nothing mixes them. The output is concat @ W_O.",
        replace(RIGHT, project_out=lambda concat, W_O: concat)),
    "causal_only_itself": Mistake("A token sees only itself",
        "A query may attend to its own position and to all earlier ones. Here it reads nothing but itself.",
        replace(RIGHT, causal=lambda n, m: np.eye(n, m, m - n, dtype=bool))),
}  # fmt: skip

#: The 24 mistakes of the mistake lab. The 25th is kept for notebook 09, which makes the last check for it.
RECIPES = {name: mistake.recipe for name, mistake in MISTAKES.items() if name != "causal_only_itself"}


def suspects() -> list[Recipe]:
    """Return the suspects A to E of notebook 09, so that no cell of the notebook gives their names away."""
    names = ["softmax_over_queries", "scores_transposed", "reshape_without_transpose", "finite_fill"]
    return [MISTAKES[name].recipe for name in [*names, "causal_only_itself"]]
