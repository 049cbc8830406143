"""Cheap invariants: what must hold for any right attention, whatever the numbers, and which mistake breaks which.

Each invariant runs a recipe again on changed inputs and measures how much moves
that must not. A number near 0 is a pass. None means that it says nothing here.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..examples.made_up_words import seeded
from . import properties
from .properties import BROKEN, SPREAD_MAY_MISS, largest
from .recipes import RECIPES, RIGHT, Recipe, attend, attention_map

Array = NDArray[Any]
N_QUERIES_WITH_CACHE = 2
D_MODEL, N_HEADS = 6, 2  # of a made-up setup; d_k = 3: neither 4 = 2 * 2, where d_k / 2 is the root, nor d_model


@dataclass(frozen=True, eq=False)
class Setup:
    """One sentence, its projections, and which keys may be attended to.

    Attributes
    ----------
    X : (n, d_model) ndarray
    W_Q, W_K, W_V, W_O : ndarray
        Heads side by side, as in `MultiHeadAttention`.
    n_heads : int
    kind : str
        "no mask", "causal", "padding" (only the first `n_real` tokens are
        real), or "cache" (causal; the queries are the last two tokens).
    n_real : int
    """

    X: Array
    W_Q: Array
    W_K: Array
    W_V: Array
    W_O: Array
    n_heads: int
    kind: str = "causal"
    n_real: int = 0

    @property
    def n_queries(self) -> int:
        """Tokens that ask: all, or with a cache the last two."""
        return min(N_QUERIES_WITH_CACHE, len(self.X)) if self.kind == "cache" else len(self.X)

    def allowed(self, recipe: Recipe) -> Array | None:
        """Return the mask as the recipe makes it, (n_queries, n_keys)."""
        n_queries, n_keys = self.n_queries, len(self.X)
        if self.kind == "no mask":
            return None
        if self.kind == "padding":
            return recipe.padding(self.n_real, n_queries, n_keys)
        return recipe.causal(n_queries, n_keys)


def make_setup(words: Sequence[str], kind: str) -> Setup:
    """Give words embeddings that depend on the word alone, and fixed projections.

    Examples
    --------
    >>> make_setup(["배", "가", "배"], "causal").X.shape
    (3, 6)
    """
    X = np.array([seeded(word).standard_normal(D_MODEL).round(1) for word in words])  # (n, d_model)
    W_Q, W_K, W_V, W_O = seeded("W").standard_normal((4, D_MODEL, D_MODEL)).round(1) / 2
    return Setup(X, W_Q, W_K, W_V, W_O, N_HEADS, kind, n_real=max(len(words) - 2, 1))


class Result(NamedTuple):
    """What a recipe makes of a setup: every head's weights, and the output."""

    weights: Array  # (h, n_queries, n_keys)
    output: Array  # (n_queries, d_out)


class Projected(NamedTuple):
    """Queries, keys and values, heads side by side, and the mask."""

    Q: Array
    K: Array
    V: Array
    allowed: Array | None


def project(recipe: Recipe, setup: Setup) -> Projected:
    """Project the sentence and make the mask."""
    Q, K, V = recipe.roles(*(setup.X @ W for W in (setup.W_Q, setup.W_K, setup.W_V)))
    return Projected(Q[len(Q) - setup.n_queries :], K, V, setup.allowed(recipe))


@np.errstate(all="ignore")  # overflow and nan are what some mistakes are about
def follow(recipe: Recipe, setup: Setup, given: Projected | None = None) -> Result:
    """Follow a recipe; ValueError where its shapes do not fit."""
    Q, K, V, allowed = project(recipe, setup) if given is None else given
    heads = (recipe.split(array, setup.n_heads) for array in (Q, K, V))  # (h, n, d)
    Q, K, V = heads
    weights = attention_map(recipe, Q, K, allowed, d_model=setup.X.shape[1]).weights
    return Result(weights, recipe.project_out(recipe.merge(recipe.mix(weights, V)), setup.W_O))


def try_follow(recipe: Recipe, setup: Setup) -> Result | None:
    """Follow a recipe; None where its shapes do not fit, or are not those of the right one."""
    try:
        result = follow(recipe, setup)
    except ValueError:
        return None
    shapes = [array.shape for array in follow(RIGHT, setup)]
    return result if [array.shape for array in result] == shapes else None


# The invariants: (recipe, setup) -> how much moves that must not


def shape(recipe: Recipe, setup: Setup) -> float | None:
    """Count the arrays of a wrong shape."""
    needed = [(setup.n_heads, setup.n_queries, len(setup.X)), (setup.n_queries, setup.W_O.shape[1])]
    try:
        result = follow(recipe, setup)
    except ValueError:
        return 2.0
    return float(sum(array.shape != shape for array, shape in zip(result, needed)))


def row_sums(recipe: Recipe, setup: Setup) -> float | None:
    """Every row of weights sums to 1."""
    return largest(follow(recipe, setup).weights.sum(axis=-1) - 1)


def key_order(recipe: Recipe, setup: Setup) -> float | None:
    """Keys in another order, with their values and mask columns, give the same output."""
    return properties.key_order(*_as_function(recipe, setup))


def future(recipe: Recipe, setup: Setup) -> float | None:
    """Under a causal mask another last token changes no earlier output."""
    if setup.kind not in ("causal", "cache") or setup.n_queries < 2:
        return None
    return largest((_with_other_tokens(recipe, setup, len(setup.X) - 1) - follow(recipe, setup).output)[:-1])


def padding(recipe: Recipe, setup: Setup) -> float | None:
    """Other pad tokens change no output of a real token."""
    if setup.kind != "padding" or setup.n_real == len(setup.X):
        return None
    return largest((_with_other_tokens(recipe, setup, setup.n_real) - follow(recipe, setup).output)[: setup.n_real])


def shift(recipe: Recipe, setup: Setup) -> float | None:
    """One vector added to all keys adds one number to each row of scores, and the output stays."""
    return properties.shift(*_as_function(recipe, setup))


def large_scores(recipe: Recipe, setup: Setup) -> float | None:
    """Queries 10,000 times as large still give a finite output; counts the numbers that are not."""
    return properties.large_scores(*_as_function(recipe, setup))


def dead_row(recipe: Recipe, setup: Setup) -> float | None:
    """A query that may attend to nothing gets 0."""
    return properties.dead_row(*_as_function(recipe, setup))


def cache(recipe: Recipe, setup: Setup) -> float | None:
    """Word by word, against kept keys and values, the outputs are those of the whole sentence at once."""
    if setup.kind not in ("causal", "cache"):
        return None
    whole = follow(recipe, replace(setup, kind="causal")).output
    ends = [follow(recipe, replace(setup, X=setup.X[:n], kind="cache")).output[-1] for n in range(1, len(setup.X) + 1)]
    return largest(np.array(ends) - whole)


def spread(recipe: Recipe, setup: Setup) -> float | None:
    """Queries and keys of spread 1 give scaled scores of spread 1, at two lengths; says how far off."""
    return _spread_of(recipe, setup.n_heads * properties.SPREAD_WIDTH)


@functools.cache  # it does not depend on the sentence
def _spread_of(recipe: Recipe, d_model: int) -> float:
    return properties.spread(lambda Q, K, V, mask: attend(recipe, Q, K, V, mask, d_model))


def through_W_O(recipe: Recipe, setup: Setup) -> float | None:
    """With W_O = 0 the output is 0."""
    return properties.through_W_O(*_as_layer(recipe, setup))


def heads_apart(recipe: Recipe, setup: Setup) -> float | None:
    """With W_O the identity, a shift of head 1's W_V leaves head 0's columns alone."""
    return properties.heads_apart(*_as_layer(recipe, setup))


def values(recipe: Recipe, setup: Setup) -> float | None:
    """Twice the W_V give twice the output."""
    return properties.values_of_layer(*_as_layer(recipe, setup))


INVARIANTS: dict[str, Callable[[Recipe, Setup], float | None]] = {
    "shape": shape,
    "row sums": row_sums,
    "key order": key_order,
    "future": future,
    "padding": padding,
    "shift": shift,
    "large scores": large_scores,
    "dead row": dead_row,
    "cache": cache,
    "spread": spread,
    "W_O": through_W_O,
    "heads apart": heads_apart,
}


@np.errstate(all="ignore")
def measure(recipe: Recipe, setup: Setup) -> dict[str, float | None]:
    """Return what each invariant measures; where the shapes do not fit, only the shape says something."""
    measured: dict[str, float | None] = dict.fromkeys(INVARIANTS)
    for name, invariant in INVARIANTS.items():
        try:
            measured[name] = invariant(recipe, setup)
        except ValueError:
            measured[name] = None
    return measured


class Verdict(NamedTuple):
    """What one invariant measured, and whether it catches the mistake; None where it says nothing."""

    name: str
    moved: float | None
    catches: bool


def is_broken(name: str, moved: float | None) -> bool:
    """Whether an invariant is broken: it moved beyond rounding, a spread beyond chance."""
    return moved is not None and moved > (SPREAD_MAY_MISS if name == "spread" else BROKEN)


def verdicts(recipe: Recipe, setup: Setup) -> list[Verdict]:
    """Return what each invariant measures, and whether it catches the recipe."""
    measured = measure(recipe, setup)
    return [Verdict(name, moved, is_broken(name, moved)) for name, moved in measured.items()]


def caught_by(recipe: Recipe, setup: Setup) -> list[str]:
    """Return the invariants that a recipe breaks."""
    return [verdict.name for verdict in verdicts(recipe, setup) if verdict.catches]


def own_kind(mistake: str) -> str:
    """Return the kind of mask under which a mistake can show."""
    return {"causal_top_left": "cache", "pad_rows_masked": "padding", "softmax_missing": "no mask"}.get(
        mistake, "causal"
    )


def overview(setup: Setup) -> dict[str, list[str]]:
    """Return, for each mistake, the invariants that catch it under its own kind of mask."""
    return {name: caught_by(recipe, replace(setup, kind=own_kind(name))) for name, recipe in RECIPES.items()}


def _as_function(recipe: Recipe, setup: Setup) -> tuple[Any, ...]:
    """Return a recipe as attend(Q, K, V, mask), and what it is given in this setup."""
    return (lambda *given: follow(recipe, setup, Projected(*given)).output), *project(recipe, setup)


def _as_layer(recipe: Recipe, setup: Setup) -> tuple[Any, ...]:
    """Return a recipe as layer(X, W_Q, W_K, W_V, W_O, n_heads), and what it is given in this setup."""

    def layer(X: Array, W_Q: Array, W_K: Array, W_V: Array, W_O: Array, n_heads: int) -> Array:
        return follow(recipe, replace(setup, X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, W_O=W_O, n_heads=n_heads)).output

    return layer, setup.X, setup.W_Q, setup.W_K, setup.W_V, setup.W_O, setup.n_heads


def _with_other_tokens(recipe: Recipe, setup: Setup, first: int) -> Array:
    """Return the output when the tokens from `first` on are replaced."""
    X = setup.X.copy()
    X[first:] = 2 - X[first:]
    return follow(recipe, replace(setup, X=X)).output


def moved_text(moved: float | None) -> str:
    """Write how much moved: rounding as 0, nan as nan.

    Examples
    --------
    >>> [moved_text(moved) for moved in (None, 1e-16, 0.25, float("inf"))]
    ['', '0', '0.25', 'nan']
    """
    if moved is None:
        return ""
    if np.isinf(moved):
        return "nan"
    return "0" if moved <= BROKEN else f"{moved:.3g}"
