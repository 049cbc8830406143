"""Where an answer is wrong, in words: a place in the array, or a property of the cases."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compare import close
from .exercise import Seen

Array = NDArray[Any]

PLACES = {
    "rows of zeros": "in the rows where every number must be 0",
    "diagonal": "on the main diagonal",
    "above": "above the main diagonal",
    "below": "below the main diagonal",
    "off": "off the main diagonal",
    "first row": "in the first row",
    "last row": "in the last row",
    "first column": "in the first column",
    "last column": "in the last column",
    "first": "in the first entry",
    "last": "in the last entry",
    "first of all": "in the first of the matrices",
    "last of all": "in the last of the matrices",
    "zero": "where 0 is needed",
    "positive": "where a positive number is needed",
    "negative": "where a negative number is needed",
    "one row": "in the rows that allow one key alone",
}
WHERE = {
    "square": "there are as many rows as columns",
    "one row": "`{name}` has one row",
    "one column": "`{name}` has one column",
    "empty": "`{name}` is empty",
    "not empty": "`{name}` is not empty",
    "zero": "`{name}` is 0",
    "one": "`{name}` is 1",
    "last": "`{name}` is the last axis",
    "not below 0": "`{name}` is 0 or more",
    "below 0": "`{name}` is below 0",
    "first": "`{name}` is 0",
    "small": "`{name}` is at most the number of rows",
    "two axes": "`{name}` has two axes",
    "one axis": "`{name}` has one axis",
    "no negative": "`{name}` holds no negative number",
    "all one": "all numbers in `{name}` are equal",
}


def _band(shape: tuple[int, ...]) -> Array:
    """Return column - row of each entry, for the last two axes."""
    rows, columns = np.indices(shape[-2:])
    return np.broadcast_to(columns - rows, shape)


def _along(shape: tuple[int, ...], axis: int, place: int) -> Array:
    where = np.zeros(shape, dtype=bool)
    index: list[Any] = [slice(None)] * len(shape)
    index[axis] = place
    where[tuple(index)] = True
    return where


def places_in(needed: Array) -> dict[str, Array]:
    """Return each place of an array, as bool."""
    shape = needed.shape
    places: dict[str, Array] = {}
    if needed.ndim >= 2:
        if shape[-2] > 1 and shape[-1] > 1:  # a row for a whole sentence has no diagonal
            band = _band(shape)
            places |= {"diagonal": band == 0, "above": band > 0, "below": band < 0, "off": band != 0}
        for i, end in ((0, "first"), (-1, "last")):
            places[f"{end} row"], places[f"{end} column"] = _along(shape, -2, i), _along(shape, -1, i)
    if needed.ndim == 1:
        places |= {"first": _along(shape, 0, 0), "last": _along(shape, 0, -1)}
    if needed.ndim >= 3:
        places |= {"first of all": _along(shape, 0, 0), "last of all": _along(shape, 0, -1)}
    if needed.dtype.kind in "fi":
        if needed.ndim >= 2:
            places["rows of zeros"] = np.broadcast_to(~needed.any(axis=-1, keepdims=True), shape)
        places |= {"zero": needed == 0, "positive": needed > 0, "negative": needed < 0}
    return places


def place_of(pairs: Sequence[tuple[Array, Array]], right: bool = False) -> str:
    """Return in words the one place where all pairs are wrong, and right elsewhere; "" where there is none.

    With `right`, the place where they are right, and wrong elsewhere.
    """
    known = [places_in(needed) for _, needed in pairs]
    for key, words in PLACES.items():
        agreed = 0
        for (found, needed), places in zip(pairs, known):
            wrong = ~close(found, needed)
            place = places.get(key)
            if place is None or not place.any() or place.all():
                break
            if not right and place.mean() > HALF:
                break  # more than half is no place
            if (right and (wrong & place).any()) or (not right and (wrong & ~place).any()):
                break
            if right and not (wrong[~place].mean() > HALF and _elsewhere(key, wrong, place)):
                break
            if not right and not wrong[place].any():
                break
            agreed += 1
        a_row = all(needed.ndim == 1 for _, needed in pairs)  # an entry of a batch may be wrong by chance
        if agreed == len(pairs) > int(a_row) and any(needed.size > 2 for _, needed in pairs):
            return words
    return ""


def _elsewhere(key: str, wrong: Array, place: Array) -> bool:
    """Whether every other row, column or matrix, of the kind that a place is, holds something wrong."""
    axis = {"row": -2, "column": -1, "of all": 0}.get(next((kind for kind in KINDS if kind in key), ""))
    if axis is None:
        return True
    rest = (wrong & ~place).any(axis=tuple(i for i in range(wrong.ndim) if i != axis % wrong.ndim))
    mine = place.all(axis=tuple(i for i in range(wrong.ndim) if i != axis % wrong.ndim))
    return bool((rest | mine).all())


KINDS = ("row", "column", "of all")
HALF = 0.5

Property = Callable[[Any], bool]
OF_ARRAYS: Mapping[str, Property] = {
    "empty": lambda x: len(x) == 0,
    "not empty": lambda x: len(x) > 0,
    "one row": lambda x: x.ndim == 2 and len(x) == 1,
    "one column": lambda x: x.ndim == 2 and x.shape[-1] == 1,
    "one axis": lambda x: x.ndim == 1,
    "two axes": lambda x: x.ndim == 2,
    "no negative": lambda x: x.dtype.kind == "f" and bool((x >= 0).all()),
    "all one": lambda x: x.dtype.kind == "i" and bool((x == x[0]).all()),
}


def right_where(seen: Sequence[Seen]) -> str:
    """Return in words what every case that is right has, and none that is wrong; "" without it.

    Two cases of each are needed, at least: one may be chance.
    """
    right = [one.right for one in seen]
    if sum(right) < 2 or len(seen) - sum(right) < 2:
        return ""
    for name in seen[0].arguments:
        values = [one.arguments[name] for one in seen]
        for key, holds in _properties(values).items():
            if holds == right:
                return WHERE[key].format(name=name)
    square = [one.needed[0].ndim >= 2 and one.needed[0].shape[-1] == one.needed[0].shape[-2] for one in seen]
    return WHERE["square"] if square == right else ""


def _properties(values: Sequence[Any]) -> dict[str, list[bool]]:
    """Return which values have which property."""
    if all(isinstance(value, np.ndarray) for value in values):
        return {key: [bool(value.ndim and test(value)) for value in values] for key, test in OF_ARRAYS.items()}
    if all(isinstance(value, int) for value in values):
        return {
            "zero": [value == 0 for value in values],
            "one": [value == 1 for value in values],
            "last": [value == -1 for value in values],
            "not below 0": [value >= 0 for value in values],
            "below 0": [value < 0 for value in values],
        }
    return {}
