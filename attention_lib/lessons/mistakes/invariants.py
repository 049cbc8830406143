"""What any right attention keeps, whatever the numbers are, and which mistake breaks what.

A property runs an attention function, or a whole layer, again on changed inputs. It returns how far something is from
what it must be, or how often: nearly 0 if the property holds, and inf if nan appears. No right answer is needed.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...examples.made_up_words import seeded
from ...masks import causal_mask
from .recipes import RIGHT, Recipe, attend, attention_weights

Array = NDArray[Any]
Attend = Callable[[Array, Array, Array, Array | None], Array]  # Q, K, V, mask -> output
Layer = Callable[[Array, Array, Array, Array, Array, int], Array]  # X, W_Q, W_K, W_V, W_O, n_heads -> output

BROKEN = 1e-6  # a change beyond rounding
SPREAD_MAY_MISS = 0.2  # chance changes a spread by less
SPREAD_SIZES = ((50, 64), (200, 16))  # n and d_k, two pairs: a divisor of 8, or of √50, fits the first by chance
KINDS = ("no mask", "causal", "padding", "cache")  # of masks; with a cache: causal, and only the last tokens ask
D_MODEL, N_HEADS = 6, 2  # of a setup, so that d_k is 3; at 4, d_k / 2 would equal √d_k


@dataclass(frozen=True, eq=False)
class Setup:
    """One sentence, its projections (heads side by side, as in `MultiHeadAttention`) and the kind of mask."""

    X: Array  # (n, d_model)
    W_Q: Array
    W_K: Array
    W_V: Array
    W_O: Array
    n_heads: int
    kind: str = "causal"  # one of KINDS
    n_real: int = 0  # for "padding": the tokens after these are pads
    n_last: int = 2  # for "cache": how many ask

    @property
    def n_queries(self) -> int:
        return min(self.n_last, len(self.X)) if self.kind == "cache" else len(self.X)


class Projected(NamedTuple):
    """Queries, keys and values, heads side by side, and the mask."""

    Q: Array
    K: Array
    V: Array
    allowed: Array | None


class Result(NamedTuple):
    """The weights of every head, (h, n_queries, n_keys), and the output, (n_queries, d_out)."""

    weights: Array
    output: Array


def make_setup(words: Sequence[str], kind: str) -> Setup:
    """Give words embeddings that depend on each word alone, and fixed projections."""
    X = np.array([seeded(word).standard_normal(D_MODEL).round(1) for word in words])  # (n, d_model)
    W_Q, W_K, W_V, W_O = seeded("W").standard_normal((4, D_MODEL, D_MODEL)).round(1) / 2
    return Setup(X, W_Q, W_K, W_V, W_O, N_HEADS, kind, n_real=max(len(words) - 2, 1))


def project(recipe: Recipe, setup: Setup) -> Projected:
    """Project the sentence and make the mask, both as the recipe does it."""
    Q, K, V = (setup.X @ W for W in (setup.W_Q, setup.W_K, setup.W_V))
    n_queries, n_keys = setup.n_queries, len(setup.X)
    allowed = None
    if setup.kind == "padding":
        allowed = recipe.padding(setup.n_real, n_queries, n_keys)
    elif setup.kind != "no mask":
        allowed = recipe.causal(n_queries, n_keys)
    return Projected(Q[n_keys - n_queries :], K, V, allowed)


@np.errstate(all="ignore")  # some mistakes overflow or give nan
def follow(recipe: Recipe, setup: Setup, given: Projected | None = None) -> Result:
    """Follow a recipe, from `given` in place of the projected rows; ValueError where its shapes do not fit."""
    arrays = project(recipe, setup) if given is None else given
    Q, K, V = (recipe.split(array, setup.n_heads) for array in arrays[:3])  # (h, n, d)
    weights = attention_weights(recipe, Q, K, arrays.allowed, d_model=setup.X.shape[1])
    return Result(weights, recipe.project_out(recipe.merge(weights @ V), setup.W_O))


def try_follow(recipe: Recipe, setup: Setup) -> Result | None:
    """Follow a recipe; None where its shapes do not fit, or are not those of the right recipe."""
    return None if wrong_shapes(recipe, setup) else follow(recipe, setup)


# Properties of attend(Q, K, V, mask)


def largest(change: Any) -> float:
    """Return the largest size of a change, or inf if it contains nan."""
    change = np.asarray(change, dtype=float)
    return float(np.abs(change).max(initial=0)) if np.isfinite(change).all() else float("inf")


def row_sums(attend: Attend, Q: Array, K: Array, V: Array, mask: Array | None) -> float:
    """If every value is 1, the output is the sum of each row of weights, which must be 1."""
    return largest(attend(Q, K, np.ones_like(V), mask) - 1)


def later_tokens(function: Callable[..., Array], arrays: Sequence[Array], n_changed: int) -> float:
    """If only the last tokens differ, under a mask that hides them, the outputs of the others stay."""
    changed = [np.vstack([array[:-n_changed], 2 - array[-n_changed:]]) for array in arrays]
    return largest((function(*changed) - function(*arrays))[:-n_changed])


def reach(attend: Attend, Q: Array, K: Array, V: Array, mask: Array | None) -> float:
    """Another value of a word moves each output that may read it; returns how many outputs stay.

    The queries are 0, so that all allowed keys get the same weight, and none gets too little to be noticed.
    """
    may_read = np.ones((len(Q), len(K)), dtype=bool) if mask is None else mask
    before = attend(0 * Q, K, V, mask)
    n_still = 0
    for j in range(len(K)):
        changed = V.copy()
        changed[j] += 1
        moved = np.abs(attend(0 * Q, K, changed, mask) - before).max(axis=1)  # (n_queries,)
        n_still += int((may_read[:, j] & (moved < BROKEN)).sum())
    return float(n_still)


def shift(attend: Attend, Q: Array, K: Array, V: Array, mask: Array | None) -> float:
    """One vector added to all keys adds one number to each row of scores, so the output stays."""
    return largest(attend(Q, K + np.linspace(1, 2, K.shape[1]), V, mask) - attend(Q, K, V, mask))


def one_query(attend: Attend, Q: Array, K: Array, V: Array, mask: Array | None) -> float:
    """Each query alone gives the same row as among the others."""
    rows = [attend(Q[[i]], K, V, None if mask is None else mask[[i]]) for i in range(len(Q))]
    return largest(np.concatenate(rows) - attend(Q, K, V, mask))


def added(function: Callable[[Array], Array], V: Array) -> float:
    """The outputs of two arrays of values, or two W_V, add up, because values have no influence on the weights."""
    others = np.random.default_rng(0).standard_normal((20, *V.shape))
    return max(largest(function(V + U) - function(V) - function(U)) for U in others)


def large_scores(attend: Attend, Q: Array, K: Array, V: Array, mask: Array | None) -> float:
    """Queries 10,000 times as large still give finite numbers; returns how many are not finite."""
    return float((~np.isfinite(attend(1e4 * Q, K, V, mask))).sum())


def dead_row(attend: Attend, Q: Array, K: Array, V: Array, mask: Array | None) -> float:
    """A query without any allowed key reads nothing, so it gets 0 or nan; which of the two is a convention."""
    dead = np.ones((len(Q), len(K)), dtype=bool) if mask is None else mask.copy()
    dead[0] = False
    output = attend(Q, K, V, dead)[0]
    return largest(output[~np.isnan(output)])


def spread(attend: Attend) -> float:
    """Queries and keys of spread 1 give scaled scores of spread 1; returns how far off it is at two sizes."""
    return max(abs(spread_at(attend, n, d_k) - 1) for n, d_k in SPREAD_SIZES)


@np.errstate(divide="ignore", invalid="ignore")  # a weight that is not positive has no logarithm
def spread_at(attend: Callable[..., Array], n: int, d_k: int, seed: int = 0) -> float:
    """Return the spread of the scaled scores of n random tokens, read from the weights; inf where there is none.

    With the identity as V, the output is the weights. In a row, their logarithms differ as the scaled scores do.
    """
    Q, K = np.random.default_rng(seed).standard_normal((2, n, d_k))
    logs = np.log(attend(Q, K, np.eye(n), None))  # (n, n)
    result = float(np.std(logs - logs.mean(axis=-1, keepdims=True)))
    return result if np.isfinite(result) else float("inf")


# Properties of layer(X, W_Q, W_K, W_V, W_O, n_heads)


def through_W_O(layer: Layer, X: Array, W_Q: Array, W_K: Array, W_V: Array, W_O: Array, n_heads: int) -> float:
    """If W_O is 0, the output is 0."""
    return largest(layer(X, W_Q, W_K, W_V, np.zeros_like(W_O), n_heads))


def heads_apart(layer: Layer, X: Array, W_Q: Array, W_K: Array, W_V: Array, W_O: Array, n_heads: int) -> float:
    """With the identity as W_O, a shift of head 1's W_V leaves the columns of head 0 as they are."""
    width = W_V.shape[1]
    d_v = width // n_heads
    shifted = W_V.copy()
    shifted[:, d_v : 2 * d_v] += 1
    change = layer(X, W_Q, W_K, shifted, np.eye(width), n_heads) - layer(X, W_Q, W_K, W_V, np.eye(width), n_heads)
    return largest(change[:, :d_v])


# Properties of a recipe on a sentence


def wrong_shapes(recipe: Recipe, setup: Setup) -> float:
    """Count the arrays of a wrong shape: weights and output, or both where the code stops."""
    expected = [(setup.n_heads, setup.n_queries, len(setup.X)), (setup.n_queries, setup.W_O.shape[1])]
    try:
        return float(sum(array.shape != shape for array, shape in zip(follow(recipe, setup), expected)))
    except ValueError:
        return 2.0


def cache(recipe: Recipe, setup: Setup) -> float | None:
    """Word by word, with cached keys and values, the outputs are those of the whole sentence."""
    if setup.kind not in ("causal", "cache"):
        return None
    whole = follow(recipe, replace(setup, kind="causal")).output
    starts = [replace(setup, X=setup.X[:n], kind="cache", n_last=1) for n in range(1, len(setup.X) + 1)]
    return largest([follow(recipe, start).output[-1] for start in starts] - whole)


INVARIANTS = {
    "shape": "every array has the shape that it should have",
    "row sums": "each row of weights sums to 1",
    "future": "under a causal mask, another last word changes no earlier output",
    "padding": "other pads change no output of a real word",
    "shift": "one vector added to all keys changes no output",
    "large scores": "queries that are 10,000 times as large give finite numbers",
    "dead row": "a query without any allowed key reads nothing: it gets 0 or NaN",
    "cache": "word by word with a cache gives what all words at once give",
    "spread": "queries and keys of spread 1 give scaled scores of spread 1, at two sizes",
    "W_O": "if W_O is 0, the output is 0",
    "heads apart": "with the identity as W_O, head 1's W_V does not move the columns of head 0",
    "reach": "another value of a word moves every output that may read it",
}
OF_ATTENTION: dict[str, Callable[..., float]] = {  # of attend(Q, K, V, mask)
    "row sums": row_sums,
    "future": lambda attend, Q, K, V, mask: later_tokens(lambda *rows: attend(*rows, mask), [Q, K, V], 1),
    "shift": shift,
    "one query": one_query,
    "values": lambda attend, Q, K, V, mask: added(lambda V: attend(Q, K, V, mask), V),
    "large scores": large_scores,
    "dead row": dead_row,
    "spread": lambda attend, *_: spread(attend),
    "reach": reach,
}
OF_LAYER: dict[str, Callable[..., float]] = {  # of layer(X, W_Q, W_K, W_V, W_O, n_heads)
    "W_O": through_W_O,
    "heads apart": heads_apart,
    "values": lambda layer, X, W_Q, W_K, W_V, *rest: added(lambda W_V: layer(X, W_Q, W_K, W_V, *rest), W_V),
}


def measure(name: str, recipe: Recipe, setup: Setup) -> float | None:
    """Return how far a recipe is from an invariant on a sentence; None where the invariant says nothing."""

    def output_of(X: Array) -> Array:
        return follow(recipe, replace(setup, X=X)).output

    if name == "shape":
        return wrong_shapes(recipe, setup)
    if name == "cache":
        return cache(recipe, setup)
    if name == "spread":
        return spread(lambda Q, K, V, mask: attend(recipe, Q, K, V, mask, d_model=setup.n_heads * Q.shape[-1]))
    if name == "future":
        return later_tokens(output_of, [setup.X], 1) if setup.kind in ("causal", "cache") else None
    if name == "padding":
        n_pads = len(setup.X) - setup.n_real
        return later_tokens(output_of, [setup.X], n_pads) if setup.kind == "padding" else None
    if name in OF_LAYER:

        def layer(X: Array, W_Q: Array, W_K: Array, W_V: Array, W_O: Array, n_heads: int) -> Array:
            return follow(recipe, replace(setup, X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, W_O=W_O)).output

        return OF_LAYER[name](layer, setup.X, setup.W_Q, setup.W_K, setup.W_V, setup.W_O, setup.n_heads)
    if name == "row sums":
        setup = replace(setup, W_O=np.eye(len(setup.W_O)))
    given = project(recipe, setup)
    if name == "reach":  # what may be read is what the right mask allows
        right_mask = project(RIGHT, setup).allowed
        return reach(
            lambda *rows: follow(recipe, setup, given._replace(Q=rows[0], V=rows[2])).output, *given[:3], right_mask
        )
    return OF_ATTENTION[name](lambda *rows: follow(recipe, setup, Projected(*rows)).output, *given)


class Verdict(NamedTuple):
    """How far something is from what it must be; None if the check says nothing here."""

    name: str
    moved: float | None

    @property
    def catches(self) -> bool:
        """Whether it moved further than rounding, or chance in a spread, can explain."""
        return self.moved is not None and self.moved > (SPREAD_MAY_MISS if self.name == "spread" else BROKEN)

    def __repr__(self) -> str:
        if self.moved is None:
            return f"{self.name}: says nothing here"
        if not self.catches:
            return f"{self.name}: holds"
        if np.isinf(self.moved):
            return f"{self.name}: broken, there is nan where a number should be"
        if self.name == "large scores":
            return f"{self.name}: broken, {self.moved:.0f} numbers are not finite"
        if self.name == "reach":
            return f"reach: broken, {self.moved:.0f} outputs stay that must move"
        return f"{self.name}: broken, off by {self.moved:.2g}"


@np.errstate(all="ignore")
def verdicts(recipe: Recipe, setup: Setup) -> list[Verdict]:
    """Return what each invariant says. Where the shapes do not fit, only "shape" says anything."""
    results = []
    for name in INVARIANTS:
        try:
            results.append(Verdict(name, measure(name, recipe, setup)))
        except ValueError:
            results.append(Verdict(name, None))
    return results


def caught_by(recipe: Recipe, setup: Setup) -> list[str]:
    """Return the names of the invariants that a recipe breaks."""
    return [verdict.name for verdict in verdicts(recipe, setup) if verdict.catches]


def caught_by_any(recipe: Recipe, setup: Setup) -> list[str]:
    """Return the names of the invariants that a recipe breaks under at least one kind of mask."""
    found = {name for kind in KINDS for name in caught_by(recipe, replace(setup, kind=kind))}
    return [name for name in INVARIANTS if name in found]


@np.errstate(all="ignore")  # some checks look for overflow and nan
def try_check(name: str, function: Callable[..., Any]) -> Verdict:
    """Try one check on a function, with five made-up tokens and sizes that all differ.

    The function is attend(Q, K, V), attend(Q, K, V, mask) or layer(X, W_Q, W_K, W_V, W_O, n_heads), and returns the
    output alone. ValueError if there is no such check for it, or if the check needs a mask and it takes none.

    Examples
    --------
    >>> def flat(Q, K, V):
    ...     return np.ones((len(Q), len(K))) @ V  # not divided by the number of keys
    >>> try_check("shift", flat), try_check("row sums", flat)
    (shift: holds, row sums: broken, off by 4)
    """
    parameters = list(inspect.signature(function).parameters)
    is_layer, takes_mask = parameters[:1] == ["X"], len(parameters) > 3
    checks = OF_LAYER if is_layer else OF_ATTENTION
    if name not in checks:
        raise ValueError(f"there is no check called {name!r} for this function; there are {', '.join(checks)}")
    if name in ("future", "dead row") and not takes_mask:
        raise ValueError(f"the check {name!r} needs a mask, and this function takes none")
    rng = np.random.default_rng(2017)
    if is_layer:  # two heads, d_k = 3, d_v = 4
        shapes = ((5, 7), (7, 6), (7, 6), (7, 8), (8, 7))
        return Verdict(name, checks[name](function, *map(rng.standard_normal, shapes), 2))

    def attend(Q: Array, K: Array, V: Array, mask: Array | None) -> Array:
        if not takes_mask:
            return np.asarray(function(Q, K, V))
        return np.asarray(function(Q, K, V, np.ones((len(Q), len(K)), dtype=bool) if mask is None else mask))

    Q, K, V = (rng.standard_normal((5, width)) for width in (3, 3, 4))
    return Verdict(name, checks[name](attend, Q, K, V, causal_mask(5)))
