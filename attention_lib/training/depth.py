"""What a stack of attention layers does to its rows, with and without skip connections."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..multi_head import MultiHeadAttention, MultiHeadTrace
from .language_gradients import multi_head_backward

N_TOKENS, D_MODEL, N_HEADS = 8, 32, 4


class Stack(NamedTuple):
    """What was measured in one stack of random layers.

    Attributes
    ----------
    differ : (n_layers + 1,) ndarray
        How far the rows lie from their mean, as a share of their length, before the first layer and after each.
    own_share : (n_layers,) ndarray
        Of the gradient of what becomes of one token, squared: the share that reaches the token's own row of X,
        through one layer, two layers, and so on.
    """

    differ: NDArray[Any]
    own_share: NDArray[Any]


def random_stack(n_layers: int, *, skip: bool, seed: int) -> Stack:
    """Send 8 random tokens through attention layers with random projections, and a gradient back.

    Parameters
    ----------
    n_layers : int
        At least 1. Each layer has 4 heads and d_model = 32.
    skip : bool
        Whether each layer adds its output to its input, E' = E + ΔE, or replaces it.
    seed : int
        Of the tokens, the projections and the gradient.

    Returns
    -------
    Stack

    References
    ----------
    .. [1] Dong, Cordonnier and Loukas, "Attention is not all you need", 2021: without skip connections
       the rows become alike.

    Examples
    --------
    >>> random_stack(4, skip=False, seed=0).differ.round(2)[[0, -1]] + 0.0
    array([0.95, 0.  ])
    """
    rng = np.random.default_rng(seed)
    X, towards = rng.standard_normal((N_TOKENS, D_MODEL)), rng.standard_normal(D_MODEL)
    layers = [_random_layer(rng) for _ in range(n_layers)]
    differ, shares = [_difference(X)], []
    passed: list[tuple[MultiHeadAttention, NDArray[Any], MultiHeadTrace]] = []
    for layer in layers:
        passed.append((layer, X, layer(X)))
        X = passed[-1][2].output + (X if skip else 0)
        differ.append(_difference(X))
        shares.append(_own_share(passed, towards, skip))
    return Stack(np.array(differ), np.array(shares))


def _random_layer(rng: np.random.Generator) -> MultiHeadAttention:
    W_Q, W_K, W_V, W_O = rng.standard_normal((4, D_MODEL, D_MODEL)) / np.sqrt(D_MODEL)
    return MultiHeadAttention(W_Q, W_K, W_V, W_O, N_HEADS)


def _difference(X: NDArray[Any]) -> float:
    return float(np.linalg.norm(X - X.mean(axis=0)) / np.linalg.norm(X))


def _own_share(passed: list[Any], towards: NDArray[Any], skip: bool) -> float:
    d_X = np.zeros((N_TOKENS, D_MODEL))
    d_X[0] = towards  # what is asked of the last layer's first row
    for layer, X, trace in reversed(passed):
        d_X = multi_head_backward(layer, X, trace, d_X)[0] + (d_X if skip else 0)
    return float((d_X[0] ** 2).sum() / (d_X**2).sum())
