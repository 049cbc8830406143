"""Turn what a caller passed into arrays the math can use, or say plainly why not.

Every message names the argument, what it had and what it needed.
"""

import math
import operator
import sys
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]
FLOATS = frozenset(np.dtype(size) for size in (np.float16, np.float32, np.float64))
SHORT = 8192  # numbers that BLAS adds up without a second thread
QUIET = np.errstate(over="ignore", invalid="ignore")  # overflow raises ValueError with a name, so no warning is needed


def as_array(name: str, value: ArrayLike) -> Array:
    """Return `value` as an array (an array is not copied), refusing rows of different lengths and masked arrays."""
    if isinstance(value, np.ndarray) and hasattr(value, "mask"):  # np.asarray would bring its hidden numbers back
        raise TypeError(f"{name} is a masked array; it needs a plain one, and what is forbidden goes into a mask")
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} has rows of different lengths; it needs rows of one length") from None


def as_float_array(name: str, value: ArrayLike) -> Array:
    """Return `value` as an array of float16, float32 or float64; integers, bools and lists become float64."""
    array = as_array(name, value)
    if array.dtype in FLOATS:
        return array
    if array.dtype.kind not in "buif":
        raise TypeError(f"{name} has dtype {array.dtype}; it needs real numbers")
    with np.errstate(over="ignore"):  # a longdouble out of range becomes inf, which is refused by name
        return array.astype(np.float64)


def as_rows(name: str, value: ArrayLike, shape: str = "(..., n, d)", least_axes: int = 2) -> Array:
    """Return `value` as a float array of at least two axes: (..., tokens, features)."""
    array = as_float_array(name, value)
    if array.ndim < least_axes:
        raise ValueError(f"{name} has shape {array.shape}; it needs {shape}")
    if array.shape[-1] == 0:
        raise ValueError(f"{name} has shape {array.shape}; its rows need at least one number")
    return array


def as_tokens(name: str, value: ArrayLike, shape: str = "(..., n, d)", least_axes: int = 2) -> Array:
    """Return `value` as a float array of at least two axes, every number finite."""
    return refuse_non_finite(name, as_rows(name, value, shape, least_axes))


def as_matrix(name: str, value: ArrayLike) -> Array:
    """Return a read-only copy of `value` with two axes, so that later edits of the input change nothing."""
    W = np.array(as_tokens(name, value, "(rows, columns)"))
    if W.ndim != 2:
        raise ValueError(f"{name} has shape {W.shape}; it needs two axes, (rows, columns)")
    return read_only(W)


def all_finite(array: Array) -> bool:
    """Whether no number is NaN or inf."""
    if array.size <= SHORT and math.isfinite(np.vdot(array, array)):  # one NaN or inf spoils the sum of squares
        return True
    return bool(np.isfinite(array).all())  # squares of large numbers overflow too


def refuse_non_finite(name: str, array: Array) -> Array:
    """Return `array`, or raise ValueError saying where its first NaN or inf is."""
    if not all_finite(array):
        first = np.argwhere(~np.isfinite(array))[0]
        raise ValueError(f"{name} has {array[tuple(first)]} at {first.tolist()}; it needs finite numbers")
    return array


def refuse_overflow(name: str, array: Array) -> None:
    """Raise ValueError if an array that was calculated from finite numbers is not finite."""
    if not all_finite(array):
        ends = f"{array.dtype}, which ends at {np.finfo(array.dtype).max:.5g}"
        raise ValueError(f"{name} left the range of {ends}; use smaller numbers or a wider dtype")


def refuse_other_width(source: str, X: Array, name: str, W: Array) -> None:
    """Raise ValueError if W does not have a row for each column of X."""
    rows, columns = W.shape[-2], X.shape[-1]
    if rows != columns:
        raise ValueError(f"{name} has {rows} rows but {source} has {columns} columns; each column needs a row")


def common_shape(*shapes: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the shape that these broadcast to, or None if they do not."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


def refuse_unlike_leading_axes(**arrays: Array) -> None:
    """Raise ValueError if the axes before the last two do not broadcast together."""
    shapes = {array.shape[:-2] for array in arrays.values()} - {()}
    if len(shapes) > 1 and common_shape(*shapes) is None:
        listed = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"the leading axes of {listed} do not broadcast together")


def as_whole_number(name: str, value: Any) -> int:
    """Return `value` as an int; floats and bools are refused."""
    if not isinstance(value, (bool, np.bool_)):
        with suppress(TypeError):
            return operator.index(value)
    raise TypeError(f"{name} is {value!r}; it needs a whole number")


def as_count(name: str, value: Any, least: int = 0) -> int:
    """Return `value` as an int of at least `least`."""
    count = as_whole_number(name, value)
    if count < least:
        raise ValueError(f"{name} is {count}; it needs to be at least {least}")
    return count


def as_finite_number(name: str, value: Any) -> float:
    """Return `value` as a finite float; bools are refused."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} is {value!r}; it needs a number")
    if not -sys.float_info.max <= value <= sys.float_info.max:
        raise ValueError(f"{name} is {value!r}; it needs a finite number")
    return float(value)


def read_only(array: Array) -> Array:
    """Return a view of `array` that cannot be written through."""
    view = array.view()
    view.setflags(write=False)
    return view
