"""Numbers and matrices in words, for those who do not see the picture."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

TIE = 1e-9  # weights this close are called equal: their last bits differ from machine to machine


def number_text(value: float, digits: int = 2) -> str:
    """A cell's text: rounded, with a true minus sign; −∞ for a forbidden pair."""
    if np.isneginf(value):
        return "−∞"
    rounded = f"{value:.{digits}f}"
    return (rounded[1:] if float(rounded) == 0 and rounded[0] == "-" else rounded).replace("-", "−")


def describe(values: ArrayLike, rows: Sequence[str], columns: Sequence[str], *, name: str = "", digits: int = 2) -> str:
    """Say in a sentence or two what a matrix shows.

    A mask: how many pairs are allowed. Rows that sum to 1 (an attention map):
    `describe_map`. Any other matrix: its largest and smallest value.
    """
    array = np.asarray(values)
    start = f"{name}: " if name else ""
    if array.dtype == bool:
        return f"{start}{int(array.sum())} of {array.size} pairs may attend."
    finite, forbidden = np.isfinite(array), np.isneginf(array)
    if forbidden.all():
        return f"{start}every pair is forbidden."
    lost = ~finite & ~forbidden  # nan: what naive code makes of a dead row, say
    counts = [
        f"{int(cells.sum())} of {array.size} are {what}."
        for what, cells in {"forbidden": forbidden, "nan or inf": lost}.items()
        if cells.any()
    ]
    if not finite.any():
        return start + " ".join(counts)
    if is_attention_map(array):
        return start + describe_map(array, rows, columns, digits=digits)
    n_columns = array.shape[1]
    settled = np.round(array.astype(float), 9)  # of equal values the first, whatever the last bits say
    high = divmod(int(np.argmax(np.where(finite, settled, -np.inf))), n_columns)
    low = divmod(int(np.argmin(np.where(finite, settled, np.inf))), n_columns)
    ends = (
        f"largest {array[high]:.{digits}f} at {rows[high[0]]}, {columns[high[1]]}; "
        f"smallest {array[low]:.{digits}f} at {rows[low[0]]}, {columns[low[1]]}."
    )
    return start + " ".join([ends, *counts])


def describe_map(weights: ArrayLike, queries: Sequence[str], keys: Sequence[str], *, digits: int = 2) -> str:
    """Say for each query which key it attends to most."""
    parts = []
    for query, row in zip(queries, np.asarray(weights, dtype=float), strict=True):
        largest = row.max(initial=0)
        top = [key for key, weight in zip(keys, row) if weight > largest - TIE]
        if largest == 0:
            parts.append(f"{query} attends to nothing")
        elif len(top) > 3:
            parts.append(f"{query} attends most to {len(top)} keys alike, {largest:.{digits}f}")
        else:
            parts.append(f"{query} attends most to {' and '.join(top)}, {largest:.{digits}f}")
    return "; ".join(parts) + "."


def is_attention_map(values: NDArray[Any]) -> bool:
    """True where no value is negative and every row sums to 1, or to 0 (a dead row)."""
    if values.size == 0 or not np.isfinite(values).all() or (values < 0).any():
        return False
    sums = values.sum(axis=-1)
    return bool(np.all(np.isclose(sums, 1, atol=1e-3) | (sums == 0)) and (sums > 0).any())
