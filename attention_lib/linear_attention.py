"""Attention without softmax: a memory of fixed size that is written and read one token at a time."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _arguments
from ._arguments import QUIET, Array, as_tokens, refuse_overflow


class MemoryTrace(NamedTuple):
    """The state after each token, (..., n, d_k, d_v), and what each token reads from it, (..., n, d_v)."""

    states: Array
    output: Array


@QUIET
def linear_attention(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    *,
    gate: ArrayLike = 1.0,
    strength: ArrayLike = 1.0,
    overwrite: bool = False,
) -> MemoryTrace:
    """Write each token's key and value into a state S, and let its query read the state: q @ S.

    For each token, S becomes gate * S + strength * outer(k, v). This is causal attention with the scores in
    place of the weights: nothing is scaled, and no row sums to 1. With `overwrite` (the delta rule), v - k @ S is
    written in place of v, where S has gone through the gate. A key of length 1 then reads exactly v.

    Parameters
    ----------
    Q, K : (..., n, d_k) array_like
    V : (..., n, d_v) array_like
    gate : number or (..., n) array_like, optional
        Multiplies the state before each token is written. Below 1, old tokens fade.
    strength : number or (..., n) array_like, optional
        How much of each token is written.
    overwrite : bool, optional
        Whether what the key already reads is taken away first.

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit, or a number is NaN or inf, or the state leaves the range of the dtype.

    References
    ----------
    .. [1] Katharopoulos et al., "Transformers are RNNs", 2020, sections 3.2 to 3.4: the state.
    .. [2] Schlag, Irie and Schmidhuber, "Linear Transformers Are Secretly Fast Weight Programmers", 2021,
       section 4: the delta rule.
    .. [3] Yang, Kautz and Hatamizadeh, "Gated Delta Networks", 2024: the delta rule with a gate.

    Examples
    --------
    >>> keys, values = [[1, 0], [1, 0]], [[5], [7]]
    >>> linear_attention(keys, keys, values).output.tolist()
    [[5.0], [12.0]]
    >>> linear_attention(keys, keys, values, overwrite=True).output.tolist()
    [[5.0], [7.0]]
    """
    Q, K, V = as_tokens("Q", Q, "(..., n, d_k)"), as_tokens("K", K, "(..., n, d_k)"), as_tokens("V", V, "(..., n, d_v)")
    if Q.shape[-2:] != K.shape[-2:] or V.shape[-2] != K.shape[-2]:
        raise ValueError(f"Q {Q.shape}, K {K.shape} and V {V.shape} do not fit; each token needs all three")
    _arguments.refuse_unlike_leading_axes(Q=Q, K=K, V=V)
    lead, dtype = np.broadcast_shapes(Q.shape[:-2], K.shape[:-2], V.shape[:-2]), np.result_type(Q, K, V)
    n = K.shape[-2]
    gates = np.broadcast_to(np.asarray(gate, dtype), (*lead, n))[..., None, None]  # (..., n, 1, 1)
    strengths = np.broadcast_to(np.asarray(strength, dtype), (*lead, n))[..., None, None]
    state = np.zeros((*lead, K.shape[-1], V.shape[-1]), dtype)  # (..., d_k, d_v)
    states = np.empty((*lead, n, *state.shape[-2:]), dtype)
    for t in range(n):
        key, value = K[..., t, :, None], V[..., t, None, :]  # (..., d_k, 1), (..., 1, d_v)
        state = gates[..., t, :, :] * state
        new = value - (key * state).sum(axis=-2, keepdims=True) if overwrite else value  # (..., 1, d_v)
        state = state + strengths[..., t, :, :] * key * new
        states[..., t, :, :] = state
    refuse_overflow("state", states)
    output = (Q[..., None, :] @ states)[..., 0, :]  # (..., n, d_v)
    return MemoryTrace(states, output)
