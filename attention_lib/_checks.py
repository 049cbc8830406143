"""Turn what a caller passed into arrays the math can use, or say plainly why not.

Every message names the argument, what it had and what it needed.
"""

import math
import operator
import sys
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FLOATS = frozenset(np.dtype(size) for size in (np.float16, np.float32, np.float64))
ONE_THREAD = 8192  # numbers; OpenBLAS adds up to 10,000 products in one thread


def as_array(name: str, value: ArrayLike) -> NDArray[Any]:
    """Return `value` as an array (never a copy of one), refusing rows of different lengths and masked arrays."""
    if isinstance(value, np.ndarray) and hasattr(value, "mask"):  # np.asarray would bring its hidden numbers back
        raise TypeError(f"{name} is a masked array; it needs a plain one, and what is forbidden goes into a mask")
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} has rows of different lengths; it needs rows of one length") from None


def as_float_array(name: str, value: ArrayLike) -> NDArray[Any]:
    """Return `value` as an array of float16, float32 or float64 (never a copy of one).

    Integers, bools and lists become float64.
    """
    array = as_array(name, value)
    if array.dtype in FLOATS:
        return array
    if array.dtype.kind not in "buif":
        raise TypeError(f"{name} has dtype {array.dtype}; it needs real numbers")
    with np.errstate(over="ignore"):  # a longdouble may be out of range: then it is inf, which is refused by name
        return array.astype(np.float64)


def as_tokens(name: str, value: ArrayLike, shape: str = "(..., n, d)", least_axes: int = 2) -> NDArray[Any]:
    """Return `value` as a finite float array of at least two axes: (..., tokens, features)."""
    array = as_float_array(name, value)
    if array.ndim < least_axes:
        raise ValueError(f"{name} has shape {array.shape}; it needs {shape}")
    if array.shape[-1] == 0:
        raise ValueError(f"{name} has shape {array.shape}; its rows need at least one number")
    refuse_non_finite(name, array)
    return array


def all_finite(array: NDArray[Any]) -> bool:
    """Whether no number is NaN or inf."""
    # The sum of squares is one fast pass, and one NaN or inf spoils it. But BLAS gives a long one to several threads,
    # and where other programs keep the cores busy, these wait for each other: milliseconds in place of microseconds.
    if array.size <= ONE_THREAD and math.isfinite(np.vdot(array, array)):
        return True
    return bool(np.isfinite(array).all())  # squares of large numbers overflow too, so look at each


def refuse_non_finite(name: str, array: NDArray[Any]) -> None:
    """Raise ValueError where `array` holds NaN or inf, saying where the first one is."""
    if not all_finite(array):
        first = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} has {array[first]} at {list(first)}; it needs finite numbers")


def refuse_unlike_leading_axes(**arrays: NDArray[Any]) -> None:
    """Raise ValueError where the axes before the last two do not broadcast together."""
    shapes = {array.shape[:-2] for array in arrays.values()}
    if len(shapes) == 1:
        return
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        listed = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"the leading axes of {listed} do not broadcast together") from None


def as_whole_number(name: str, value: Any) -> int:
    """Return `value` as an int; floats and bools are refused."""
    if not isinstance(value, (bool, np.bool_)):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise TypeError(f"{name} is {value!r}; it needs a whole number")


def as_count(name: str, value: Any, least: int = 0) -> int:
    """Return `value` as an int of at least `least`."""
    count = as_whole_number(name, value)
    if count < least:
        raise ValueError(f"{name} is {count}; it needs to be at least {least}")
    return count


def as_switch(name: str, value: Any) -> bool:
    """Return `value` as a bool; anything but True and False is refused."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}; it needs True or False")
    return bool(value)


def as_finite_number(name: str, value: Any) -> float:
    """Return `value` as a finite float; bools are refused."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} is {value!r}; it needs a number")
    if not -sys.float_info.max <= value <= sys.float_info.max:  # NaN too, and whole numbers that no float can hold
        raise ValueError(f"{name} is {value!r}; it needs a finite number")
    return float(value)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of `array` that cannot be written through."""
    view = array.view()
    view.setflags(write=False)
    return view
