"""Numbers and matrices in words, for those who do not see the picture."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._words import _

TIE = 1e-9  # weights this close are called equal: their last bits differ from machine to machine


def describe(values: ArrayLike, rows: Sequence[str], columns: Sequence[str], *, name: str = "", digits: int = 2) -> str:
    """Say in a sentence or two what a matrix shows.

    A mask: how many pairs are allowed. The identity: that it is one. Other rows that sum to 1 (an attention map): the
    key to which each query attends most. Any other matrix: its largest and smallest value.
    """
    sentence = _matrix_in_words(np.asarray(values), rows, columns, digits)
    return _("{name}: {sentence}").format(name=name, sentence=sentence) if name else sentence


def _matrix_in_words(array: NDArray[Any], rows: Sequence[str], columns: Sequence[str], digits: int) -> str:
    if array.dtype == bool:
        return _("{n} of {total} pairs may attend.").format(n=int(array.sum()), total=array.size)
    finite, forbidden = np.isfinite(array), np.isneginf(array)
    if forbidden.all():
        return _("every pair is forbidden.")
    if array.shape[0] == array.shape[1] and np.array_equal(array, np.eye(len(array))):
        return _("1 on the diagonal, 0 elsewhere.")
    if is_attention_map(array):
        sentences = [_row_in_words(query, row, columns, digits) for query, row in zip(rows, array.astype(float))]
        return "; ".join(sentences) + "."
    sentences = []
    if finite.any():
        settled = np.round(array.astype(float), 9)  # of equal values the first, whatever the last bits say
        row, column = divmod(int(np.argmax(np.where(finite, settled, -np.inf))), len(columns))
        low_row, low_column = divmod(int(np.argmin(np.where(finite, settled, np.inf))), len(columns))
        sentence = _("largest {high} at {high_row}, {high_column}; smallest {low} at {low_row}, {low_column}.")
        if not any(columns):  # a single column without a name
            sentence = _("largest {high} at {high_row}; smallest {low} at {low_row}.")
        high, low = (f"{array[place]:.{digits}f}" for place in ((row, column), (low_row, low_column)))
        at_high = {"high": high, "high_row": rows[row], "high_column": columns[column]}
        at_low = {"low": low, "low_row": rows[low_row], "low_column": columns[low_column]}
        sentences.append(sentence.format(**at_high, **at_low))
    if forbidden.any():
        sentences.append(_("{n} of {total} are forbidden.").format(n=int(forbidden.sum()), total=array.size))
    lost = ~finite & ~forbidden  # nan: what naive code makes of a dead row, say
    if lost.any():
        sentences.append(_("{n} of {total} are nan or inf.").format(n=int(lost.sum()), total=array.size))
    return " ".join(sentences)


def _row_in_words(query: str, row: NDArray[Any], keys: Sequence[str], digits: int) -> str:
    largest = row.max(initial=0)
    if largest == 0:
        return _("{query} attends to nothing").format(query=query)
    top = [key for key, weight in zip(keys, row) if weight > largest - TIE]
    if len(top) > 3:
        sentence = _("{query} attends most to {n} keys alike, {weight}")
    else:
        sentence = [
            _("{query} attends most to {keys[0]}, {weight}"),
            _("{query} attends most to {keys[0]} and {keys[1]}, {weight}"),
            _("{query} attends most to {keys[0]} and {keys[1]} and {keys[2]}, {weight}"),
        ][len(top) - 1]
    return sentence.format(query=query, keys=top, n=len(top), weight=f"{largest:.{digits}f}")


def is_attention_map(values: NDArray[Any]) -> bool:
    """True where no value is negative and every row sums to 1, or to 0 (a dead row)."""
    if values.size == 0 or not np.isfinite(values).all() or (values < 0).any():
        return False
    sums = values.sum(axis=-1)
    return bool(np.all(np.isclose(sums, 1, atol=1e-3) | (sums == 0)) and (sums > 0).any())
