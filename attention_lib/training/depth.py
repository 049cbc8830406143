"""What a stack of attention layers does to its rows, with and without skip connections."""

from typing import NamedTuple

import numpy as np

from .._arguments import Array
from ..multi_head import MultiHeadAttention, MultiHeadTrace
from .gradients import multi_head_backward

N_TOKENS, D_MODEL, N_HEADS = 8, 32, 4


class Stack(NamedTuple):
    """Measurements of one stack of random layers.

    `differ` says how far the rows lie from their mean, as a share of their length, before the first layer
    and after each. `own_share` is the share of the squared gradient of the first output row that reaches the
    first row of X, through one layer, two layers, and so on.
    """

    differ: Array  # (n_layers + 1,)
    own_share: Array  # (n_layers,)


def random_stack(n_layers: int, *, skip: bool, seed: int) -> Stack:
    """Send 8 random tokens through attention layers with random projections, and a gradient back.

    Each of the `n_layers` layers has 4 heads and d_model = 32. With `skip`, each layer adds its output
    to its input, E' = E + ΔE; otherwise it replaces it.

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
    X, direction = rng.standard_normal((N_TOKENS, D_MODEL)), rng.standard_normal(D_MODEL)
    layers = [random_layer(rng) for _ in range(n_layers)]
    differ, shares = [_difference(X)], []
    steps: list[tuple[MultiHeadAttention, Array, MultiHeadTrace]] = []
    for layer in layers:
        trace = layer(X)
        steps.append((layer, X, trace))
        X = trace.output + X if skip else trace.output
        differ.append(_difference(X))
        shares.append(_own_share(steps, direction, skip))
    return Stack(np.array(differ), np.array(shares))


def random_layer(rng: np.random.Generator) -> MultiHeadAttention:
    """Draw a layer whose projections keep the length of a row about as it is."""
    W_Q, W_K, W_V, W_O = rng.standard_normal((4, D_MODEL, D_MODEL)) / np.sqrt(D_MODEL)
    return MultiHeadAttention(W_Q, W_K, W_V, W_O, N_HEADS)


def _difference(X: Array) -> float:
    return float(np.linalg.norm(X - X.mean(axis=0)) / np.linalg.norm(X))


def _own_share(steps: list[tuple[MultiHeadAttention, Array, MultiHeadTrace]], direction: Array, skip: bool) -> float:
    d_X = np.zeros((N_TOKENS, D_MODEL))
    d_X[0] = direction  # the gradient of the first row after the last layer
    for layer, X, trace in reversed(steps):
        through = multi_head_backward(layer, X, trace, d_X)[0]
        d_X = through + d_X if skip else through
    return float((d_X[0] ** 2).sum() / (d_X**2).sum())
