"""Cheap invariants: what must hold for any right attention, whatever the numbers, and which mistake breaks which.

Each invariant runs a recipe again on changed inputs and measures how much moves
that must not. A number near 0 is a pass. None means that it says nothing here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..examples.made_up_words import seeded
from .recipes import RECIPES, RIGHT, Recipe, attention_map

Array = NDArray[Any]
BROKEN = 1e-6  # a change beyond rounding
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
    Q, K, V = (setup.X @ W for W in (setup.W_Q, setup.W_K, setup.W_V))
    return Projected(Q[len(Q) - setup.n_queries :], K, V, setup.allowed(recipe))


@np.errstate(all="ignore")  # overflow and nan are what some mistakes are about
def follow(recipe: Recipe, setup: Setup, given: Projected | None = None) -> Result:
    """Follow a recipe; ValueError where its shapes do not fit."""
    Q, K, V, allowed = project(recipe, setup) if given is None else given
    heads = (recipe.split(array, setup.n_heads) for array in (Q, K, V))  # (h, n, d)
    Q, K, V = heads
    weights = attention_map(recipe, Q, K, allowed, d_model=setup.X.shape[1]).weights
    return Result(weights, recipe.project_out(recipe.merge(weights @ V), setup.W_O))


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
    Q, K, V, allowed = project(recipe, setup)
    moved = Projected(Q, K[::-1], V[::-1], None if allowed is None else allowed[:, ::-1])
    return largest(follow(recipe, setup, moved).output - follow(recipe, setup).output)


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
    """One vector added to all keys adds one number to each row of scores, and the weights stay."""
    given = project(recipe, setup)
    moved = given._replace(K=given.K + np.linspace(1, 2, given.K.shape[1]))
    return largest(follow(recipe, setup, moved).weights - follow(recipe, setup).weights)


def large_scores(recipe: Recipe, setup: Setup) -> float | None:
    """Queries 10,000 times as large still give finite weights; counts those that are not."""
    given = project(recipe, setup)
    weights = follow(recipe, setup, given._replace(Q=given.Q * 1e4)).weights
    return float((~np.isfinite(weights)).sum())


def low_scores(recipe: Recipe, setup: Setup) -> float | None:
    """A forbidden key has weight 0, however low all scores are."""
    allowed = setup.allowed(RIGHT)
    if allowed is None or allowed.all():
        return None
    given = project(recipe, setup)
    low = given._replace(Q=np.full_like(given.Q, 1e6), K=np.full_like(given.K, -1e6))
    return largest(follow(recipe, setup, low).weights[:, ~allowed])


INVARIANTS: dict[str, Callable[[Recipe, Setup], float | None]] = {
    "shape": shape,
    "row sums": row_sums,
    "key order": key_order,
    "future": future,
    "padding": padding,
    "shift": shift,
    "large scores": large_scores,
    "low scores": low_scores,
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


def verdicts(recipe: Recipe, setup: Setup) -> list[Verdict]:
    """Return what each invariant measures, and whether it catches the recipe."""
    measured = measure(recipe, setup)
    return [Verdict(name, moved, moved is not None and moved > BROKEN) for name, moved in measured.items()]


def caught_by(recipe: Recipe, setup: Setup) -> list[str]:
    """Return the invariants that a recipe breaks."""
    return [name for name, moved in measure(recipe, setup).items() if moved is not None and moved > BROKEN]


def own_kind(mistake: str) -> str:
    """Return the kind of mask under which a mistake can show."""
    return {"causal_top_left": "cache", "pad_rows_masked": "padding", "softmax_missing": "no mask"}.get(
        mistake, "causal"
    )


def overview(setup: Setup) -> dict[str, list[str]]:
    """Return, for each mistake, the invariants that catch it under its own kind of mask."""
    return {name: caught_by(recipe, replace(setup, kind=own_kind(name))) for name, recipe in RECIPES.items()}


def largest(change: Array) -> float:
    """Return the largest size of a change; inf where it holds nan."""
    if not change.size:
        return 0.0
    return float(np.abs(change).max()) if np.isfinite(change).all() else float("inf")


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
