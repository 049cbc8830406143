"""What any right attention keeps, whatever the numbers: asked of a plain function by running it on changed inputs.

Each property takes a function and its arguments, and returns how much moves that must not: near 0 where it holds,
inf where nan comes. No right answer is needed. `attend(Q, K, V, mask)` and `layer(X, W_Q, W_K, W_V, W_O, n_heads)`
return the output alone.
"""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..masks import causal_mask

Array = NDArray[Any]
Attend = Callable[..., Any]  # Q, K, V, mask -> output, (n_queries, d_v)
Layer = Callable[..., Any]  # X, W_Q, W_K, W_V, W_O, n_heads -> output, (n, d_out)

SEED = 2017
BROKEN = 1e-6  # a change beyond rounding
SPREAD_MAY_MISS = 0.2  # of 1: what chance does to a spread stays far below
SPREAD_WIDTH, SPREAD_LENGTHS = 64, (50, 200)  # d_k; tokens, twice, since √50 is nearly √64

MESSAGES = {
    "holds": "{name}: holds",
    "broken": "{name}: broken, something moves by {moved:.2g} that must not",
    "count": "{name}: broken, {moved:.0f} numbers are not finite",
    "nan": "{name}: broken, there is nan where a number must be",
    "unknown": "there is no check called {name!r} for this function; there are {names}",
    "no mask": "{name} needs a mask, and the function takes none",
    "between": ", ",
}


def largest(change: Any) -> float:
    """Return the largest size of a change; inf where it holds nan."""
    change = np.asarray(change, dtype=float)
    if not change.size:
        return 0.0
    return float(np.abs(change).max()) if np.isfinite(change).all() else float("inf")


# attend(Q, K, V, mask)


def row_sums(attend: Attend, Q: Array, K: Array, V: Array, mask: Array | None = None) -> float:
    """Weights that sum to 1 make of values that are all 1 an output of 1."""
    return largest(attend(Q, K, np.ones_like(V), mask) - 1)


def key_order(attend: Attend, Q: Array, K: Array, V: Array, mask: Array | None = None) -> float:
    """Keys in another order, with their values and mask columns, give the same output."""
    turned = None if mask is None else mask[..., ::-1]
    return largest(attend(Q, K[..., ::-1, :], V[..., ::-1, :], turned) - attend(Q, K, V, mask))


def future(attend: Attend, Q: Array, K: Array, V: Array, mask: Array | None = None) -> float:
    """Under a causal mask another last token changes no earlier output."""
    changed = [array.copy() for array in (Q, K, V)]
    for array in changed:
        array[..., -1, :] = 2 - array[..., -1, :]
    return largest((attend(*changed, mask) - attend(Q, K, V, mask))[..., :-1, :])


def shift(attend: Attend, Q: Array, K: Array, V: Array, mask: Array | None = None) -> float:
    """One vector added to all keys adds one number to each row of scores, and the output stays."""
    return largest(attend(Q, K + np.linspace(1, 2, K.shape[-1]), V, mask) - attend(Q, K, V, mask))


def one_query(attend: Attend, Q: Array, K: Array, V: Array, mask: Array | None = None) -> float:
    """Each query alone gives the row that it gives among the others."""
    together = attend(Q, K, V, mask)
    alone = [
        attend(Q[..., i : i + 1, :], K, V, None if mask is None else mask[..., i : i + 1, :])
        for i in range(Q.shape[-2])
    ]
    return largest(np.concatenate(alone, axis=-2) - together)


def values(attend: Attend, Q: Array, K: Array, V: Array, mask: Array | None = None) -> float:
    """Twice the values give twice the output: the values have no say in the weights."""
    return largest(attend(Q, K, 2 * V, mask) - 2 * attend(Q, K, V, mask))


def large_scores(attend: Attend, Q: Array, K: Array, V: Array, mask: Array | None = None) -> float:
    """Queries 10,000 times as large still give a finite output; counts the numbers that are not."""
    return float((~np.isfinite(attend(Q * 1e4, K, V, mask))).sum())


def dead_row(attend: Attend, Q: Array, K: Array, V: Array, mask: Array | None = None) -> float:
    """A query that may attend to nothing gets 0, the convention here and of PyTorch since 2.5."""
    dead = np.ones((Q.shape[-2], K.shape[-2]), dtype=bool) if mask is None else mask.copy()
    dead[..., 0, :] = False
    return largest(np.asarray(attend(Q, K, V, dead))[..., 0, :])


def spread(attend: Attend) -> float:
    """Queries and keys of spread 1 give scaled scores of spread 1, at two lengths; says how far off.

    With values that are the identity the output is the weights, and their logarithm the scaled scores but for one
    number a row.
    """
    return max(abs(spread_at(attend, n) - 1) for n in SPREAD_LENGTHS)


@np.errstate(divide="ignore", invalid="ignore")  # negative weights have no logarithm: nan says so
def spread_at(attend: Attend, n: int, d_k: int = SPREAD_WIDTH) -> float:
    """Return the spread of the scaled scores of n random tokens, read off the weights; inf where it cannot be."""
    Q, K = np.random.default_rng(0).standard_normal((2, n, d_k))
    logs = np.log(attend(Q, K, np.eye(n), None))  # (n, n)
    found = float(np.std(logs - logs.mean(axis=-1, keepdims=True)))
    return found if np.isfinite(found) else float("inf")


# layer(X, W_Q, W_K, W_V, W_O, n_heads)


def through_W_O(layer: Layer, X: Array, W_Q: Array, W_K: Array, W_V: Array, W_O: Array, n_heads: int) -> float:
    """With W_O = 0 the output is 0."""
    return largest(layer(X, W_Q, W_K, W_V, np.zeros_like(W_O), n_heads))


def heads_apart(layer: Layer, X: Array, W_Q: Array, W_K: Array, W_V: Array, W_O: Array, n_heads: int) -> float:
    """With W_O the identity, a shift of head 1's W_V leaves head 0's columns alone."""
    wide, d_v = W_V.shape[1], W_V.shape[1] // n_heads
    shifted = W_V.copy()
    shifted[:, d_v : 2 * d_v] += 1
    before, after = (layer(X, W_Q, W_K, W, np.eye(wide), n_heads) for W in (W_V, shifted))
    return largest(after[:, :d_v] - before[:, :d_v])


def values_of_layer(layer: Layer, X: Array, W_Q: Array, W_K: Array, W_V: Array, W_O: Array, n_heads: int) -> float:
    """Twice the W_V give twice the output: W_V has no say in the weights."""
    return largest(layer(X, W_Q, W_K, 2 * W_V, W_O, n_heads) - 2 * layer(X, W_Q, W_K, W_V, W_O, n_heads))


OF_ATTENTION: dict[str, Callable[..., float]] = {
    "row sums": row_sums,
    "key order": key_order,
    "future": future,
    "shift": shift,
    "one query": one_query,
    "values": values,
    "large scores": large_scores,
    "dead row": dead_row,
}
OF_LAYER: dict[str, Callable[..., float]] = {
    "W_O": through_W_O,
    "heads apart": heads_apart,
    "values": values_of_layer,
}


# One of them, tried on a function


class Tried(NamedTuple):
    """What a check measured on a function; in a notebook it shows as a sentence."""

    name: str
    moved: float

    @property
    def holds(self) -> bool:
        """Whether what must not move stays."""
        return self.moved <= (SPREAD_MAY_MISS if self.name == "spread" else BROKEN)

    def __repr__(self) -> str:
        """Say it in a sentence."""
        key = "nan" if np.isinf(self.moved) else "count" if self.name == "large scores" else "broken"
        return MESSAGES["holds" if self.holds else key].format(name=self.name, moved=self.moved)


@np.errstate(all="ignore")  # overflow and nan are what some checks look for
def try_check(name: str, function: Callable[..., Any]) -> Tried:
    """Try one check on a function of attention, on a made-up sentence whose sizes all differ.

    Parameters
    ----------
    name : str
        For `attend(Q, K, V)` or `attend(Q, K, V, mask)`: "row sums", "key order", "future", "shift", "one query",
        "values", "large scores", "dead row" or "spread". For `layer(X, W_Q, W_K, W_V, W_O, n_heads)`: "W_O",
        "heads apart" or "values".
    function : callable
        Returns the output alone.

    Returns
    -------
    Tried
        `.holds`, and `.moved`: how much moved that must not.

    Raises
    ------
    ValueError
        If there is no such check for this function.

    Examples
    --------
    >>> def flat(Q, K, V):
    ...     return np.ones((len(Q), len(K))) @ V  # not divided by the number of keys
    >>> try_check("key order", flat), try_check("row sums", flat)
    (key order: holds, row sums: broken, something moves by 4 that must not)
    """
    parameters = list(inspect.signature(function).parameters)
    is_layer, takes_mask = parameters[:1] == ["X"], len(parameters) > 3
    known = OF_LAYER if is_layer else OF_ATTENTION | {"spread": spread}
    if name not in known:
        raise ValueError(MESSAGES["unknown"].format(name=name, names=MESSAGES["between"].join(known)))
    if is_layer:
        return Tried(name, known[name](function, *made_up_layer()))
    if name in NEED_A_MASK and not takes_mask:
        raise ValueError(MESSAGES["no mask"].format(name=name))

    def attend(Q: Array, K: Array, V: Array, mask: Array | None) -> Array:
        everything = np.ones((len(Q), len(K)), dtype=bool) if mask is None else mask
        return np.asarray(function(Q, K, V, everything) if takes_mask else function(Q, K, V))

    if name == "spread":
        return Tried(name, spread(attend))
    return Tried(name, known[name](attend, *made_up_rows(), causal_mask(5) if takes_mask else None))


NEED_A_MASK = ("future", "dead row")


def made_up_rows(seed: int = SEED) -> tuple[Array, Array, Array]:
    """Return Q, K and V of five tokens, d_k = 3, d_v = 4: the same at each call."""
    rng = np.random.default_rng(seed)
    return tuple(rng.standard_normal((5, width)) for width in (3, 3, 4))  # type: ignore[return-value]


def made_up_layer() -> tuple[Array, Array, Array, Array, Array, int]:
    """Return X of five tokens, d_model = 7, and W_Q, W_K, W_V, W_O of two heads, d_k = 3, d_v = 4."""
    rng = np.random.default_rng(SEED)
    X, W_Q, W_K, W_V, W_O = (rng.standard_normal(shape) for shape in ((5, 7), (7, 6), (7, 6), (7, 8), (8, 7)))
    return X, W_Q, W_K, W_V, W_O, 2
