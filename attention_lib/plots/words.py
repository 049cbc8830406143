"""Numbers and matrices in words, for those who do not see the picture."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

TIE = 1e-9  # weights this close are called equal: their last bits differ from machine to machine

MESSAGES = {
    "named": "{name}: {said}",
    "mask": "{n} of {total} pairs may attend.",
    "all_forbidden": "every pair is forbidden.",
    "forbidden": "{n} of {total} are forbidden.",
    "lost": "{n} of {total} are nan or inf.",
    "ends": "largest {high} at {high_row}, {high_column}; smallest {low} at {low_row}, {low_column}.",
    "map": "{rows}.",
    "between_rows": "; ",
    "nothing": "{query} attends to nothing",
    "one": "{query} attends most to {first}, {weight}",
    "two": "{query} attends most to {first} and {second}, {weight}",
    "three": "{query} attends most to {first} and {second} and {third}, {weight}",
    "many": "{query} attends most to {n} keys alike, {weight}",
}


def describe(
    values: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    name: str = "",
    digits: int = 2,
    attends: bool = True,
) -> str:
    """Say in a sentence or two what a matrix shows.

    A mask: how many pairs are allowed. Rows that sum to 1 (an attention map):
    `describe_map`, unless `attends` is False: rows of a projection can sum to 1
    too. Any other matrix: its largest and smallest value.
    """
    said = _say(np.asarray(values), rows, columns, digits, attends)
    return MESSAGES["named"].format(name=name, said=said) if name else said


def _say(array: NDArray[Any], rows: Sequence[str], columns: Sequence[str], digits: int, attends: bool) -> str:
    if array.dtype == bool:
        return MESSAGES["mask"].format(n=int(array.sum()), total=array.size)
    finite, forbidden = np.isfinite(array), np.isneginf(array)
    if forbidden.all():
        return MESSAGES["all_forbidden"]
    lost = ~finite & ~forbidden  # nan: what naive code makes of a dead row, say
    counts = [
        MESSAGES[what].format(n=int(cells.sum()), total=array.size)
        for what, cells in {"forbidden": forbidden, "lost": lost}.items()
        if cells.any()
    ]
    if not finite.any():
        return " ".join(counts)
    if attends and is_attention_map(array):
        return describe_map(array, rows, columns, digits=digits)
    n_columns = array.shape[1]
    settled = np.round(array.astype(float), 9)  # of equal values the first, whatever the last bits say
    high = divmod(int(np.argmax(np.where(finite, settled, -np.inf))), n_columns)
    low = divmod(int(np.argmin(np.where(finite, settled, np.inf))), n_columns)
    ends = MESSAGES["ends"].format(
        high=f"{array[high]:.{digits}f}",
        high_row=rows[high[0]],
        high_column=columns[high[1]],
        low=f"{array[low]:.{digits}f}",
        low_row=rows[low[0]],
        low_column=columns[low[1]],
    )
    return " ".join([ends, *counts])


def describe_map(weights: ArrayLike, queries: Sequence[str], keys: Sequence[str], *, digits: int = 2) -> str:
    """Say for each query which key it attends to most."""
    rows = zip(queries, np.asarray(weights, dtype=float), strict=True)
    said = [_say_row(query, row, keys, digits) for query, row in rows]
    return MESSAGES["map"].format(rows=MESSAGES["between_rows"].join(said))


def _say_row(query: str, row: NDArray[Any], keys: Sequence[str], digits: int) -> str:
    largest = row.max(initial=0)
    top = [key for key, weight in zip(keys, row) if weight > largest - TIE]
    kind = "nothing" if largest == 0 else {1: "one", 2: "two", 3: "three"}.get(len(top), "many")
    named = dict(zip(("first", "second", "third"), top))
    return MESSAGES[kind].format(query=query, n=len(top), weight=f"{largest:.{digits}f}", **named)


def is_attention_map(values: NDArray[Any]) -> bool:
    """True where no value is negative and every row sums to 1, or to 0 (a dead row)."""
    if values.size == 0 or not np.isfinite(values).all() or (values < 0).any():
        return False
    sums = values.sum(axis=-1)
    return bool(np.all(np.isclose(sums, 1, atol=1e-3) | (sums == 0)) and (sums > 0).any())
