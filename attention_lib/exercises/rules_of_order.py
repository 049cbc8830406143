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


def is_reversed(seen: Sequence[Seen]) -> Finding | None:
    """See axes that run backwards, the same in all cases."""
    pairs = wrong_pairs(seen)
    for axes in some_axes(min((needed.ndim for _, needed in pairs), default=0)):
        if all(agrees(found, np.flip(needed, axes)) for found, needed in pairs):
            return Finding("reversed", {"axes": ", ".join(map(str, axes))})
    return None


def is_rolled(seen: Sequence[Seen]) -> Finding | None:
    """See that all has moved on by some places, round the end: along one axis, or along the last and another."""
    pairs = [pair for pair in wrong_pairs(seen) if pair[1].ndim]
    if not pairs or any(needed.size < 3 for _, needed in pairs):
        return None
    for axis in range(min(needed.ndim for _, needed in pairs)):
        moved = [_moved(found, needed, axis) for found, needed in pairs]
        if all(moved):
            return Finding("rolled", {"axis": axis, "n": moved[0]})
    return Finding("rolled_twice") if all(map(is_rolled_twice, *zip(*pairs))) else None


def _moved(found: Array, needed: Array, axis: int) -> int:
    """Return by how many places an axis has moved on; 0 where it has not."""
    return next((n for n in range(1, needed.shape[axis]) if agrees(found, np.roll(needed, n, axis))), 0)


def is_rolled_twice(found: Array, needed: Array) -> bool:
    """Whether all has moved on along the last axis and another."""
    return any(
        agrees(found, np.roll(np.roll(needed, a, first), b, -1))
        for first in range(max(needed.ndim - 1, 1))
        for a in range(needed.shape[first])
        for b in range(needed.shape[-1] if needed.ndim > 1 else 1)
        if a or b
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
        if once:
            return Finding("reordered", values)
        more = _in_an_argument(next(one for one in seen if not one.right), pairs[0], axis, words)
        return Finding("slices_twice", values, more)
    return None


def _in_an_argument(one: Seen, pair: tuple[Array, Array], axis: int, words: str) -> tuple[Finding, ...]:
    """Say where the slices of an answer stand in the argument of which they are made."""
    for name, value in one.arguments.items():
        if not isinstance(value, np.ndarray) or value.ndim != pair[0].ndim or len(value) >= pair[1].shape[axis]:
            continue
        found, needed = (_first_places(x, value, axis) for x in pair)
        if found is not None and needed is not None:
            return (Finding("slices_of_argument", {"name": name, "found": found, "needed": needed, "slices": words}),)
    return ()


def _first_places(x: Array, value: Array, axis: int) -> list[int] | None:
    """Return for each slice the first place of an argument at which it stands; None where one is not there."""
    a, b = (np.moveaxis(y, axis, 0).reshape(y.shape[axis], -1) for y in (x, value))
    if a.shape[1:] != b.shape[1:]:
        return None
    alike: Array = np.all(np.isclose(a[:, None], b[None]), axis=-1)  # (slices, slices of the argument)
    return [int(i) for i in alike.argmax(axis=1)] if alike.any(axis=1).all() else None


def sums_right(seen: Sequence[Seen]) -> Finding | None:
    """See shares of something: added up along the first axis they are right, one by one they are not."""
    pairs = wrong_pairs(seen)
    if len(pairs) < 2 or any(needed.dtype.kind != "f" or needed.ndim < 2 for _, needed in pairs):
        return None
    if any(np.ptp(needed.sum(axis=0)) < 1e-6 or needed.shape[0] < 2 for _, needed in pairs):
        return None  # sums that are all alike tell nothing
    return (
        Finding("sums_right") if all(agrees(found.sum(axis=0), needed.sum(axis=0)) for found, needed in pairs) else None
    )


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
