"""Diagnosis of answers whose shape is not the one that is needed: the right numbers in another form, or too many."""

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compare import close
from .exercise import Finding, Rule, Seen
from .rules_of_order import another_count

Array = NDArray[Any]


def misshapen(seen: Sequence[Seen]) -> list[tuple[Array, Array]]:
    """Return (found, needed) of the parts of another shape, in the cases that are wrong; [] where one has none."""
    pairs = []
    for one in seen:
        if one.right:
            continue
        wrong = [(found, needed) for found, needed in zip(one.found, one.needed) if found.shape != needed.shape]
        if not wrong:
            return []
        pairs += wrong
    return pairs


def agrees(a: Array, b: Array) -> bool:
    """Whether two arrays have one shape and the same numbers."""
    return a.shape == b.shape and bool(close(a, b).all())


def has_exchanged_axes(found: Array, needed: Array) -> bool:
    """Whether the axes stand in another order."""
    return found.ndim == needed.ndim >= 2 and any(
        agrees(found, needed.transpose(order)) for order in permutations(range(needed.ndim))
    )


def has_an_axis_too_many(found: Array, needed: Array) -> bool:
    """Whether there is an axis of length 1 that is not asked for."""
    return found.ndim > needed.ndim and agrees(found.squeeze(), needed.squeeze())


def lacks_an_axis(found: Array, needed: Array) -> bool:
    """Whether an axis of length 1 is missing."""
    return found.ndim < needed.ndim and agrees(found.squeeze(), needed.squeeze())


def is_reshaped(found: Array, needed: Array) -> bool:
    """Whether the same numbers come in the same order in another shape."""
    return found.size == needed.size > 1 and agrees(found.ravel(), needed.ravel())


def is_summed(found: Array, needed: Array) -> bool:
    """Whether the right answer was summed or averaged over an axis."""
    axes = [*range(needed.ndim), None]
    return needed.dtype != bool and any(
        agrees(found, np.asarray(reduce(needed, axis=axis))) for axis in axes for reduce in (np.sum, np.mean)
    )


def is_one_of_it(found: Array, needed: Array) -> bool:
    """Whether it is the first or the last row, column or matrix of the right answer."""
    return any(
        agrees(found.squeeze(), np.take(needed, i, axis=axis).squeeze())
        for axis in range(needed.ndim)
        for i in (0, -1)
        if needed.shape[axis] > 1
    )


def fills_an_axis_of_one(found: Array, needed: Array) -> bool:
    """Whether an axis that must have length 1 is longer."""
    return found.ndim == needed.ndim and _axes_apart(found, needed, lambda had, asked: asked == 1 < had)


def has_an_axis_of_one(found: Array, needed: Array) -> bool:
    """Whether the last axis, which must be longer, has length 1."""
    last = found.ndim == needed.ndim > 1 and found.shape[:-1] == needed.shape[:-1]
    return last and found.shape[-1] == 1 < needed.shape[-1]


def _axes_apart(found: Array, needed: Array, test: Callable[[int, int], bool]) -> bool:
    apart = [(had, asked) for had, asked in zip(found.shape, needed.shape) if had != asked]
    return len(apart) == 1 and test(*apart[0])


def has_more(found: Array, needed: Array) -> bool:
    """Whether the right answer is in it, with rows or columns more."""
    if found.ndim != needed.ndim or not all(a >= b for a, b in zip(found.shape, needed.shape)):
        return False
    first = tuple(slice(0, size) for size in needed.shape)
    last = tuple(slice(a - b, a) for a, b in zip(found.shape, needed.shape))
    return needed.size > 0 and (agrees(found[first], needed) or agrees(found[last], needed))


def has_less(found: Array, needed: Array) -> bool:
    """Whether rows or columns of the right answer are missing."""
    return found.size > 0 and has_more(needed, found)


def is_repeated(found: Array, needed: Array) -> bool:
    """Whether the right answer is repeated along new axes."""
    if found.ndim <= needed.ndim or not found.size or found.dtype.kind not in "buif":
        return False
    try:
        known = ~np.isnan(found)  # 0 / 0 may stand beside right ones
        return bool(known.any()) and agrees(found[known], np.broadcast_to(needed, found.shape)[known])
    except ValueError:
        return False


def has_exchanged_sizes(found: Array, needed: Array) -> bool:
    """Whether the sizes of the axes are those needed, in another order."""
    return found.ndim == needed.ndim and sorted(found.shape) == sorted(needed.shape)


def has_fewer_axes(found: Array, needed: Array) -> bool:
    """Whether there are fewer axes than needed."""
    return found.ndim < needed.ndim


def has_more_axes(found: Array, needed: Array) -> bool:
    """Whether there are more axes than needed."""
    return found.ndim > needed.ndim


def of_shape(mistake: str, test: Callable[[Array, Array], bool]) -> Rule:
    """Return the rule that names a mistake where `test` holds for all arrays of another shape."""

    def rule(seen: Sequence[Seen]) -> Finding | None:
        pairs = misshapen(seen)
        return Finding(mistake) if pairs and all(test(*pair) for pair in pairs) else None

    return rule


def in_any_shape(mistake: str, test: Callable[[Array, Array], bool]) -> Rule:
    """Return the rule that names a mistake where `test` holds for every wrong part, of the shape needed or not."""

    def rule(seen: Sequence[Seen]) -> Finding | None:
        failing = [one for one in seen if not one.right]
        if not all(one.found for one in failing):
            return None
        pairs = [pair for one in failing for pair in zip(one.found, one.needed) if not agrees(*pair)]
        shapes_differ = any(found.shape != needed.shape for found, needed in pairs)
        return Finding(mistake) if shapes_differ and all(test(*pair) for pair in pairs) else None

    return rule


def parts_in_another_order(seen: Sequence[Seen]) -> Finding | None:
    """See all parts right, in another order."""
    failing = [one for one in seen if not one.right]
    if not failing or not all(len(one.found) == len(one.needed) > 1 for one in failing):
        return None
    _, *orders = permutations(range(len(failing[0].needed)))  # the first is the order asked for
    if any(
        all(agrees(one.found[i], one.needed[j]) for one in failing for i, j in enumerate(order)) for order in orders
    ):
        return Finding("parts_in_another_order")
    return None


def a_tuple(seen: Sequence[Seen]) -> Finding | None:
    """See several things where one is asked for."""
    failing = [one for one in seen if not one.right]
    if not failing or not all(len(one.pieces) > 1 or len(one.needed) == 1 for one in failing):
        return None  # one thing in place of several
    if not all(one.pieces for one in failing):
        return None
    for i in range(min(len(one.pieces) for one in failing)):
        if len(failing[0].needed) == 1 and all(agrees(one.pieces[i], one.needed[0]) for one in failing):
            return Finding("tuple_returned", {"n": len(failing[0].pieces), "i": i})
    return Finding("tuple_wrong", {"n": len(failing[0].pieces)})


SHAPE_RULES: tuple[Rule, ...] = (
    a_tuple,
    parts_in_another_order,
    in_any_shape("axes_exchanged", has_exchanged_axes),
    of_shape("axis_too_many", has_an_axis_too_many),
    of_shape("axis_missing", lacks_an_axis),
    of_shape("axis_of_one_filled", fills_an_axis_of_one),
    of_shape("axis_of_one", has_an_axis_of_one),
    of_shape("only_one", is_one_of_it),
    of_shape("reshaped", is_reshaped),
    of_shape("summed_away", is_summed),
    of_shape("repeated", is_repeated),
    of_shape("has_more", has_more),
    of_shape("has_less", has_less),
    another_count,
    of_shape("sizes_exchanged", has_exchanged_sizes),
    of_shape("fewer_axes", has_fewer_axes),
    of_shape("more_axes", has_more_axes),
)
