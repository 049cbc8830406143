"""Operations on a layer of heads: switch some off, average the maps of others, exchange W_O."""

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


def operate(trace: MultiHeadTrace, modes: tuple[str, ...], W_O: NDArray[Any]) -> Surgery:
    """Switch heads off, average maps, and send what is left through W_O.

    Parameters
    ----------
    trace : MultiHeadTrace
    modes : tuple of str
        "on", "off" or "averaged" for each head; the averaged ones share the mean of their maps.
    W_O : (h * d_v, d_model) ndarray

    The trace is read, never calculated again: modes and W_O act after its maps.
    """
    weights = trace.heads.weights.copy()  # (h, n, n)
    averaged = [i for i, mode in enumerate(modes) if mode == "averaged"]
    if averaged:
        weights[averaged] = weights[averaged].mean(axis=0)
    head_output = weights @ trace.heads.V  # (h, n, d_h)
    head_output[[mode == "off" for mode in modes]] = 0
    own_rows = W_O.reshape(len(modes), -1, W_O.shape[1])  # (h, d_h, d_model)
    return Surgery(weights, head_output, head_output @ own_rows, merge_heads(head_output) @ W_O)
