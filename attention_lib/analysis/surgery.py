"""Operations on a layer of heads: switch some off, average the maps of others, exchange W_O."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from ..multi_head import MultiHeadTrace, merge_heads


@dataclass(frozen=True, eq=False)
class Surgery:
    """What is left of a layer after the operation."""

    weights: NDArray[Any]  # (h, n, n)
    head_output: NDArray[Any]  # (h, n, d_h); 0 for a head that is off
    contributions: NDArray[Any]  # (h, n, d_model), through W_O; 0 for a head that is off
    delta: NDArray[Any]  # (n, d_model), ΔE: the sum of the contributions


def operate(
    trace: MultiHeadTrace, W_O: NDArray[Any], off: Collection[int] = (), averaged: Collection[int] = ()
) -> Surgery:
    """Average maps, switch heads off, and send what is left through W_O.

    Parameters
    ----------
    trace : MultiHeadTrace
    W_O : (h * d_v, d_model) ndarray
    off : collection of int
        The heads whose output is set to 0.
    averaged : collection of int
        The heads that share the mean of their maps.

    The trace is read, never calculated again, because all of this comes after its maps.
    """
    weights = trace.heads.weights.copy()  # (h, n, n)
    if averaged:
        weights[list(averaged)] = weights[list(averaged)].mean(axis=0)
    head_output = weights @ trace.heads.V  # (h, n, d_h)
    head_output[list(off)] = 0
    own_rows = W_O.reshape(len(weights), -1, W_O.shape[1])  # (h, d_h, d_model)
    return Surgery(weights, head_output, head_output @ own_rows, merge_heads(head_output) @ W_O)
