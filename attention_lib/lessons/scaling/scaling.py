"""Scores of random queries and keys, and what softmax makes of them under three divisors."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...attention import softmax

N_DRAWS, N_QUERIES, N_KEYS = 32, 8, 16
LONGEST = 1024  # components drawn; a smaller d_k takes the first of them
DIVISORS = ("1", "√d_k", "d_k")
HALF_WIDTH = 8  # the histogram has a bin of width 1 around each whole number from -8 to 8
Array = NDArray[np.float64]


def draw_tokens(d_k: int, *, n_draws: int = N_DRAWS, seed: int = 0) -> tuple[Array, Array]:
    """Draw queries (n_draws, 8, d_k) and keys (n_draws, 16, d_k) of mean 0 and variance 1.

    All components are independent. The same seed with a larger d_k appends components and keeps the earlier ones.
    """
    streams = [np.random.default_rng([seed, stream]) for stream in (0, 1)]
    drawn = [rng.standard_normal((d_k, n_draws, n)) for rng, n in zip(streams, (N_QUERIES, N_KEYS))]
    Q, K = (np.ascontiguousarray(np.moveaxis(components, 0, -1)) for components in drawn)  # (n_draws, n, d_k)
    return Q, K


@lru_cache(maxsize=1)
def _longest_tokens() -> tuple[Array, Array]:
    """Draw all components of the queries and keys: 6 MB, shared by a notebook and its lab."""
    return draw_tokens(LONGEST)


def align(Q: Array, K: Array, alignment: float) -> Array:
    """Mix key i into query i until they correlate by `alignment`; each component keeps variance 1."""
    return math.sqrt(1 - alignment**2) * Q + alignment * K[..., : Q.shape[-2], :]


def score_shares(scaled_scores: ArrayLike) -> Array:
    """Return which share of the scores lies around each whole number from -8 to 8; others may lie beyond."""
    nearest = np.rint(scaled_scores)
    return np.array([(nearest == number).mean() for number in range(-HALF_WIDTH, HALF_WIDTH + 1)])


@dataclass(frozen=True)
class ScalingState:
    d_k: int = 64
    temperature: float = 1.0
    alignment: float = 0.0


@dataclass(frozen=True, eq=False)
class Comparison:
    """The same scores under the three divisors; the first axis of length 3 follows `DIVISORS`."""

    divisors: Array  # (3,), temperature included
    scores: Array  # (n_draws, n_queries, n_keys)
    scaled_scores: Array  # (3, n_draws, n_queries, n_keys)
    weights: Array  # (3, n_draws, n_queries, n_keys), each row sums to 1

    def shares(self) -> Array:
        """Return the histogram of each divisor's scaled scores: (3, 17), each row sums to 1 at most."""
        return np.array([score_shares(scaled) for scaled in self.scaled_scores])


def compare(state: ScalingState) -> Comparison:
    """Return the scores of random queries and keys under the three divisors, and what softmax makes of them."""
    scores = _scores(state.d_k, state.alignment)  # (n_draws, n_queries, n_keys)
    divided_by = np.array([1, math.sqrt(state.d_k), state.d_k]) * state.temperature  # (3,)
    scaled_scores = scores / divided_by[:, None, None, None]  # (3, n_draws, n_queries, n_keys)
    return Comparison(divided_by, scores, scaled_scores, softmax(scaled_scores))


@lru_cache(maxsize=16)  # where a slider goes back and forth
def _scores(d_k: int, alignment: float) -> Array:
    Q, K = (tokens[..., :d_k] for tokens in _longest_tokens())
    return align(Q, K, alignment) @ K.swapaxes(-1, -2)


def naive_softmax(x: NDArray[Any]) -> NDArray[Any]:
    """Return exp(x) / sum(exp(x)) in the dtype of x, with no maximum subtracted."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        exps = np.exp(x)
        return exps / exps.sum(axis=-1, keepdims=True)
