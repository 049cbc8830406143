"""Turn what a caller passed into arrays the math can use, or say plainly why not.

Every message names the argument, what it had and what it needed.
"""

import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FLOATS = (np.float16, np.float32, np.float64)


def as_float_array(name: str, value: ArrayLike) -> NDArray[Any]:
    """Return `value` as an array of float16, float32 or float64 (never a copy of one).

    Integers, bools and lists become float64.
    """
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} has rows of different lengths; it needs rows of one length") from None
    if array.dtype in FLOATS:
        return array
    if array.dtype.kind not in "buif":
        raise TypeError(f"{name} has dtype {array.dtype}; it needs real numbers")
    return array.astype(np.float64)


def as_tokens(name: str, value: ArrayLike, shape: str) -> NDArray[Any]:
    """Return `value` as a finite float array of at least two axes: (..., tokens, features)."""
    array = as_float_array(name, value)
    if array.ndim < 2:
        raise ValueError(f"{name} has shape {array.shape}; it needs {shape}, one row a token")
    if array.shape[-1] == 0:
        raise ValueError(f"{name} has shape {array.shape}; its rows need at least one number")
    refuse_non_finite(name, array)
    return array


def refuse_non_finite(name: str, array: NDArray[Any]) -> None:
    """Raise ValueError where `array` holds NaN or inf, saying where the first one is."""
    if not np.isfinite(array).all():
        first = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} has {array[first]} at {list(first)}; it needs finite numbers")


def as_count(name: str, value: Any, least: int = 0) -> int:
    """Return `value` as an int of at least `least`; floats and bools are refused."""
    try:
        count = operator.index(value)
    except TypeError:
        count = None
    if count is None or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}; it needs a whole number")
    if count < least:
        raise ValueError(f"{name} is {count}; it needs to be at least {least}")
    return count


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of `array` that cannot be written through."""
    view = array.view()
    view.flags.writeable = False
    return view
