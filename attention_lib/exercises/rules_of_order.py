"""Diagnosis where the right numbers stand in other places: slices in another order, twice, or not at all."""

from collections.abc import Sequence
from itertools import chain, combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .exercise import Finding, Seen
from .rules_of_factors import agrees, wrong_pairs

Array = NDArray[Any]
AXES = {(2, 0): "rows", (2, 1): "columns", (3, 0): "matrices", (3, 1): "rows", (3, 2): "columns"}
ENTRIES = "entries"


def some_axes(ndim: int) -> list[tuple[int, ...]]:
    """Return every choice of axes, the smaller first."""
    return list(chain.from_iterable(combinations(range(ndim), k) for k in range(1, ndim + 1)))


def is_reversed(found: Array, needed: Array) -> bool:
    """Whether one axis runs backwards, or several."""
    return any(agrees(found, np.flip(needed, axes)) for axes in some_axes(needed.ndim))


def is_rolled(found: Array, needed: Array) -> bool:
    """Whether all has moved on by some places, round the end."""
    return any(
        agrees(found, np.roll(np.roll(needed, a, first), b, -1))
        for first in range(max(needed.ndim - 1, 1))
        for a in range(needed.shape[first] if needed.ndim else 0)
        for b in range(needed.shape[-1] if needed.ndim > 1 else 1)
        if (a or b) and needed.size > 2
    )


def is_sorted(found: Array, needed: Array) -> bool:
    """Whether the numbers along an axis are sorted."""
    return any(
        needed.shape[axis] > 1 and (agrees(found, up) or agrees(found, np.flip(up, axis)))
        for axis in range(needed.ndim)
        for up in (np.sort(needed, axis=axis),)
    )


def is_read_in_another_order(found: Array, needed: Array) -> bool:
    """Whether the numbers were read off along other axes and written into the shape."""
    return needed.ndim >= 2 and any(
        agrees(found.ravel(), needed.transpose(order).ravel()) for order in permutations(range(needed.ndim))
    )


def is_shuffled(found: Array, needed: Array) -> bool:
    """Whether the same numbers stand in other places."""
    return needed.size > 2 and agrees(np.sort(found, axis=None), np.sort(needed, axis=None))


def is_accumulated(found: Array, needed: Array) -> bool:
    """Whether there are running sums along an axis."""
    return needed.dtype.kind == "f" and any(
        agrees(found, np.cumsum(needed, axis=axis)) for axis in range(needed.ndim) if needed.shape[axis] > 1
    )


def is_left_at_zero(found: Array, needed: Array) -> bool:
    """Whether all is right but for places that hold 0."""
    if needed.dtype.kind != "f" or not np.isfinite(found).all():
        return False
    wrong = ~np.isclose(found, needed)
    return bool(not found[wrong].any() and needed.ndim)


def is_mean_everywhere(found: Array, needed: Array) -> bool:
    """Whether each slice along an axis holds the mean of all."""
    return needed.dtype.kind == "f" and any(
        agrees(found, np.broadcast_to(needed.mean(axis=axis, keepdims=True), needed.shape))
        for axis in range(needed.ndim)
        if needed.shape[axis] > 1
    )


def places_taken(found: Array, needed: Array, axis: int) -> list[int] | None:
    """Return, slice by slice, at which place of the right answer it belongs; None where one is not there."""
    a, b = (np.moveaxis(x, axis, 0).reshape(x.shape[axis], -1) for x in (found, needed))
    if not len(a) or a.shape[1:] != b.shape[1:]:
        return None
    near = np.abs(a[:, None] - b[None]) <= 1e-6 + 1e-5 * np.abs(b[None])  # (found, needed, numbers of a slice)
    alike: Array = np.all(near, axis=-1)  # (found, needed)
    if not alike.any(axis=1).all():
        return None
    own = np.arange(len(a))
    return [int(i) if i < len(b) and alike[i, i] else int(np.argmax(alike[i])) for i in own]


def slices_elsewhere(seen: Sequence[Seen]) -> Finding | None:
    """See slices of the right answer, whole, in another order or more than once; say which stand where."""
    pairs = wrong_pairs(seen)
    if not pairs or any(found.dtype.kind not in "fi" or found.ndim > 3 for found, _ in pairs):
        return None
    for axis in range(max(found.ndim for found, _ in pairs)):
        taken = [places_taken(*pair, axis) if axis < pair[0].ndim else None for pair in pairs]
        if any(places is None or len(places) < 2 for places in taken):
            continue
        words = AXES.get((pairs[0][0].ndim, axis), ENTRIES)
        values = {"slices": words, "places": taken[0], "needed": list(range(len(taken[0] or [])))}
        once = all(len(set(places or [])) == len(places or []) for places in taken)
        return Finding("reordered" if once else "slices_twice", values)
    return None


def another_count(seen: Sequence[Seen]) -> Finding | None:
    """See slices of the right answer, whole, but another number of them."""
    failing = [one for one in seen if not one.right]
    if not failing or not all(one.found and one.found[0].ndim == one.needed[0].ndim > 1 for one in failing):
        return None
    pairs = [(one.found[0], one.needed[0]) for one in failing]
    for axis in range(pairs[0][0].ndim):
        told = [(a, b) for a, b in pairs if a.size and a.shape[axis] != b.shape[axis]]
        if len(told) < min(2, len(pairs)) or not all(
            np.delete(a.shape, axis).tolist() == np.delete(b.shape, axis).tolist() for a, b in pairs
        ):
            continue
        taken = [places_taken(*pair, axis) for pair in told]
        if any(places is None for places in taken):
            continue
        a, b = told[0]
        words = AXES.get((a.ndim, axis), ENTRIES)
        missing = sorted(set(range(b.shape[axis])) - set(taken[0] or []))
        values = {"slices": words, "had": a.shape[axis], "needed": b.shape[axis], "missing": missing}
        return Finding(
            "slices_missing" if missing and len(missing) + a.shape[axis] == b.shape[axis] else "another_count", values
        )
    return None
