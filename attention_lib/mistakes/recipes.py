"""Attention as a list of steps, and each classic mistake as one step replaced.

This is the one definition of these mistakes: the checks compare answers with
them, and the mistake lab draws them. With no step replaced, a recipe gives what
`attention_lib` gives (a test holds it to that).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..analysis.scaling import naive_softmax
from ..attention import softmax
from ..masks import causal_mask, padding_mask

Array = NDArray[Any]
AND = " + "  # between the names of two mistakes made at once


class Sizes(NamedTuple):
    """The numbers a divisor may be made of."""

    d_k: int
    d_model: int
    n_keys: int


def fill_scores(scaled_scores: Array, allowed: Array, fill: float = -np.inf) -> Array:
    """Write `fill` where attending is not allowed."""
    return np.where(allowed, scaled_scores, fill)


def plain_softmax(x: Array, axis: int | tuple[int, ...] = -1) -> Array:
    """Softmax as a textbook has it, with nan in a row of nothing but -inf."""
    exps = np.exp(x - x.max(axis=axis, keepdims=True))
    return exps / exps.sum(axis=axis, keepdims=True)


def mixed_softmax(x: Array, axis: int | tuple[int, ...]) -> Array:
    """Subtract each row's largest number, then divide by sums over another axis."""
    exps = np.exp(x - x.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=axis, keepdims=True)


def cut_columns(X: Array, n_heads: int) -> Array:
    """Give each head its columns, (n, h*d) -> (h, n, d)."""
    return X.reshape(len(X), n_heads, -1).swapaxes(0, 1)


def cut_without_transpose(X: Array, n_heads: int) -> Array:
    """Reach the right shape, (h, n, d), with heads and tokens mixed."""
    return X.reshape(n_heads, len(X), -1)


def side_by_side(heads: Array) -> Array:
    """Write the heads next to each other, (h, n, d) -> (n, h*d)."""
    return heads.swapaxes(0, 1).reshape(heads.shape[1], -1)


def merged_without_transpose(heads: Array) -> Array:
    """Reach the right shape, (n, h*d), with pieces of different tokens in one row."""
    return heads.reshape(heads.shape[1], -1)


def averaged(heads: Array) -> Array:
    """Put the mean of the heads in the place of every head."""
    return np.tile(heads.mean(axis=0), len(heads))


@dataclass(frozen=True)
class Recipe:
    """The steps of attention. A mistake replaces one of them."""

    roles: Callable[[Array, Array, Array], tuple[Array, Array, Array]] = lambda Q, K, V: (Q, K, V)
    score: Callable[[Array, Array], Array] = lambda Q, K: Q @ K.swapaxes(-1, -2)
    divisor: Callable[[Sizes], float] = lambda sizes: math.sqrt(sizes.d_k)
    mask: Callable[[Array, Array], Array] = fill_scores
    normalise: Callable[[Array], Array] = softmax
    after: Callable[[Array, Array], Array] = lambda weights, allowed: weights
    causal: Callable[[int, int], Array] = causal_mask
    padding: Callable[[int, int, int], Array] = lambda length, n_queries, n_keys: np.broadcast_to(
        padding_mask(length, n_keys), (n_queries, n_keys)
    )
    split: Callable[[Array, int], Array] = cut_columns
    merge: Callable[[Array], Array] = side_by_side
    mix: Callable[[Array, Array], Array] = lambda weights, V: weights @ V
    project_out: Callable[[Array, Array], Array] = lambda concat, W_O: concat @ W_O


class Map(NamedTuple):
    """The steps of a recipe up to the weights, shapes as in `AttentionTrace`."""

    scores: Array
    scaled_scores: Array
    masked_scores: Array
    weights: Array


def _softmax_over(axis: int | tuple[int, ...]) -> Callable[[Array], Array]:
    return lambda x: plain_softmax(x, axis)


RIGHT = Recipe()
RECIPES: dict[str, Recipe] = {
    "transpose_missing": replace(RIGHT, score=lambda Q, K: Q @ K),
    "scores_transposed": replace(RIGHT, score=lambda Q, K: K @ Q.swapaxes(-1, -2)),
    "not_scaled": replace(RIGHT, divisor=lambda sizes: 1.0),
    "scaled_by_d_k": replace(RIGHT, divisor=lambda sizes: sizes.d_k),
    "half_power": replace(RIGHT, divisor=lambda sizes: sizes.d_k**1 / 2),
    "scaled_by_root_d_model": replace(RIGHT, divisor=lambda sizes: math.sqrt(sizes.d_model)),
    "scaled_by_root_n": replace(RIGHT, divisor=lambda sizes: math.sqrt(sizes.n_keys)),
    "softmax_over_queries": replace(RIGHT, normalise=_softmax_over(-2)),
    "softmax_over_everything": replace(RIGHT, normalise=_softmax_over((-2, -1))),
    "softmax_not_stable": replace(RIGHT, normalise=naive_softmax),
    "softmax_missing": replace(RIGHT, normalise=lambda x: x),
    "mask_ignored": replace(RIGHT, mask=lambda scaled, allowed: scaled),
    "mask_inverted": replace(RIGHT, mask=lambda scaled, allowed: fill_scores(scaled, ~allowed)),
    "mask_after_softmax": replace(
        RIGHT, mask=lambda scaled, allowed: scaled, after=lambda weights, allowed: weights * allowed
    ),
    "mask_times_zero": replace(RIGHT, mask=lambda scaled, allowed: scaled * allowed),
    "finite_fill": replace(RIGHT, mask=lambda scaled, allowed: fill_scores(scaled, allowed, -1e9)),
    "causal_excludes_itself": replace(RIGHT, causal=lambda n, m: np.tri(n, m, m - n - 1, dtype=bool)),
    "causal_sees_next": replace(RIGHT, causal=lambda n, m: np.tri(n, m, m - n + 1, dtype=bool)),
    "causal_reversed": replace(RIGHT, causal=lambda n, m: ~np.tri(n, m, m - n - 1, dtype=bool)),
    "causal_top_left": replace(RIGHT, causal=lambda n, m: np.tri(n, m, dtype=bool)),
    "pad_rows_masked": replace(
        RIGHT, padding=lambda length, n, m: np.broadcast_to(np.arange(n)[:, None] < length, (n, m))
    ),
    "reshape_without_transpose": replace(RIGHT, split=cut_without_transpose),
    "heads_averaged": replace(RIGHT, merge=averaged),
    "no_W_O": replace(RIGHT, project_out=lambda concat, W_O: concat),
}


# Mistakes that the checks know and the mistake lab does not show.
MORE_RECIPES: dict[str, Recipe] = {
    "projections_exchanged": replace(RIGHT, roles=lambda Q, K, V: (Q, V, K)),
    "divided_by_twice_d_k": replace(RIGHT, divisor=lambda sizes: sizes.d_k**1 * 2),
    "multiplied": replace(RIGHT, divisor=lambda sizes: 1 / math.sqrt(sizes.d_k)),
    "scaled_by_d_model": replace(RIGHT, divisor=lambda sizes: sizes.d_model or 1.0),
    "queries_for_keys": replace(RIGHT, score=lambda Q, K: Q @ Q.swapaxes(-1, -2)),
    "keys_for_queries": replace(RIGHT, score=lambda Q, K: K @ K.swapaxes(-1, -2)),
    "keepdims_missing": replace(RIGHT, normalise=lambda x: np.exp(x) / np.exp(x).sum(axis=-1)),
    "sum_missing": replace(RIGHT, normalise=np.exp),
    "exp_missing": replace(RIGHT, normalise=lambda x: x / x.sum(axis=-1, keepdims=True)),
    "softmax_twice": replace(RIGHT, normalise=lambda x: plain_softmax(plain_softmax(x))),
    "sigmoid": replace(RIGHT, normalise=lambda x: 1 / (1 + np.exp(-x))),
    "weights_transposed": replace(RIGHT, mix=lambda weights, V: weights.swapaxes(-1, -2) @ V),
    "mask_added": replace(RIGHT, mask=lambda scaled, allowed: scaled + allowed),
    "filled_with_inf": replace(
        RIGHT, mask=lambda scaled, allowed: fill_scores(scaled, allowed, np.inf), normalise=plain_softmax
    ),
}


def _unkept(x: Array) -> Array:
    """Softmax whose largest numbers lie along the wrong axis."""
    exps = np.exp(x - x.max(axis=-1))
    return exps / exps.sum(axis=-1, keepdims=True)


def _twice_unkept(x: Array) -> Array:
    """Softmax whose largest numbers and sums both lie along the wrong axis."""
    exps = np.exp(x - x.max(axis=-1))
    return exps / exps.sum(axis=-1)


def _exps_below_1(x: Array) -> Array:
    return np.exp(x - x.max(axis=-1, keepdims=True))


OTHER_FORMS: dict[str, tuple[Recipe, ...]] = {  # of the same mistake, as learners write it too
    "softmax_over_queries": (
        replace(RIGHT, normalise=lambda x: mixed_softmax(x, -2)),
        replace(RIGHT, normalise=lambda x: softmax(x, axis=-2)),  # 0 where a whole column is forbidden
    ),
    "softmax_over_everything": (replace(RIGHT, normalise=lambda x: mixed_softmax(x, (-2, -1))),),
    "softmax_missing": (replace(RIGHT, mask=lambda x, allowed: fill_scores(x, allowed, 0.0), normalise=lambda x: x),),
    "mask_inverted": (  # a row that allowed everything is dead then, and its softmax nan
        replace(RIGHT, mask=lambda scaled, allowed: fill_scores(scaled, ~allowed), normalise=plain_softmax),
    ),
    "finite_fill": (replace(RIGHT, mask=lambda scaled, allowed: scaled + np.where(allowed, 0, -1e9)),),
    "keepdims_missing": (
        replace(RIGHT, normalise=lambda x: _exps_below_1(x) / _exps_below_1(x).sum(axis=-1)),
        replace(RIGHT, normalise=_unkept),
        replace(RIGHT, normalise=_twice_unkept),
    ),
    "sum_missing": (replace(RIGHT, normalise=_exps_below_1),),
    "weights_transposed": (  # where a product raises, einsum spreads an axis of 1
        replace(RIGHT, mix=lambda weights, V: np.einsum("...ki,...kv->...iv", weights, V)),
    ),
}


def attention_map(recipe: Recipe, Q: Array, K: Array, allowed: Array | None = None, d_model: int = 0) -> Map:
    """Follow a recipe as far as the weights."""
    sizes = Sizes(Q.shape[-1], d_model, K.shape[-2])
    scores = recipe.score(Q, K)  # (..., n_queries, n_keys)
    scaled_scores = scores / recipe.divisor(sizes)
    masked_scores = scaled_scores if allowed is None else recipe.mask(scaled_scores, allowed)
    weights = recipe.normalise(masked_scores)  # (..., n_queries, n_keys)
    return Map(scores, scaled_scores, masked_scores, weights if allowed is None else recipe.after(weights, allowed))


def attend(recipe: Recipe, Q: Array, K: Array, V: Array, allowed: Array | None = None, d_model: int = 0) -> Array:
    """Follow a recipe to the output, (..., n_queries, d_v)."""
    return recipe.mix(attention_map(recipe, Q, K, allowed, d_model).weights, V)


def as_function(recipe: Recipe) -> Callable[..., Array]:
    """Return a recipe as attend(Q, K, V, mask) -> output, as any code from elsewhere would come."""
    return lambda Q, K, V, mask=None: attend(recipe, Q, K, V, mask)


def self_attend(recipe: Recipe, X: Array, W_Q: Array, W_K: Array, W_V: Array) -> Array:
    """Follow a recipe with Q, K and V from X."""
    return attend(recipe, X @ W_Q, X @ W_K, X @ W_V, d_model=X.shape[-1])


def multi_head(
    recipe: Recipe, X: Array, W_Q: Array, W_K: Array, W_V: Array, W_O: Array, n_heads: int, allowed: Array | None = None
) -> tuple[Map, Array]:
    """Follow a recipe with several heads; return all their maps, and the output after W_O."""
    Q, K, V = (recipe.split(X @ W, n_heads) for W in (W_Q, W_K, W_V))  # (h, n, d_k) or (h, n, d_v)
    maps = attention_map(recipe, Q, K, allowed, d_model=X.shape[-1])
    return maps, recipe.project_out(recipe.merge(recipe.mix(maps.weights, V)), W_O)


def replaced_steps(recipe: Recipe) -> dict[str, Any]:
    """Return the steps in which a recipe differs from the right one."""
    steps = {field.name: getattr(recipe, field.name) for field in fields(Recipe)}
    return {name: step for name, step in steps.items() if step is not getattr(RIGHT, name)}


def recipe_of(mistake: str) -> Recipe:
    """Return the recipe of a mistake."""
    return RECIPES[mistake] if mistake in RECIPES else MORE_RECIPES[mistake]


def suspects() -> list[Recipe]:
    """Return the suspects A to F of notebook 09, so that no cell of it names what is wrong with them."""
    names = ("softmax_over_queries", "scores_transposed", "reshape_without_transpose", "finite_fill")
    return [recipe_of(name) for name in (*names, "scaled_by_root_n", "projections_exchanged")]


#: Names that most exercises ask of: another divisor than √d_k, and what is done to the softmax.
DIVISORS = ("not_scaled", "scaled_by_d_k", "half_power", "divided_by_twice_d_k", "multiplied", "scaled_by_root_n")
SOFTMAXES = ("softmax_over_queries", "softmax_over_everything", "softmax_missing", "sum_missing", "keepdims_missing")


def two_at_once(first: str, second: str) -> Recipe | None:
    """Return the recipe with two mistakes; None where both replace the same step."""
    steps, others = replaced_steps(recipe_of(first)), replaced_steps(recipe_of(second))
    return replace(RIGHT, **steps, **others) if steps.keys().isdisjoint(others) else None


def with_mistakes(follow: Callable[..., Any], *names: str) -> dict[str, Any]:
    """Return, for each named mistake and for two at once, the functions that `follow` makes with it.

    `follow` takes a recipe and the arguments of the exercise.
    """

    def bind(recipe: Recipe) -> Callable[..., Any]:
        return lambda *arguments: follow(recipe, *arguments)

    pairs = {pair: two_at_once(*pair) for pair in combinations(names, 2)}
    forms = {name: (recipe_of(name), *OTHER_FORMS.get(name, ())) for name in names}
    return {name: tuple(map(bind, recipes)) for name, recipes in forms.items()} | {
        AND.join(pair): bind(recipe) for pair, recipe in pairs.items() if recipe is not None
    }
