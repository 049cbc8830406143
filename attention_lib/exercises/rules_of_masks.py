"""Diagnosis of masks: which keys a row allows, beside those that it must."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compare import same_array
from .exercise import Finding, Rule, Seen
from .places import place_of
from .rules_of_factors import agrees, wrong_pairs

Array = NDArray[Any]
Pairs = list[tuple[Array, Array]]  # found, needed
LEAST = 2  # cases that tell


def of_masks(seen: Sequence[Seen]) -> Pairs:
    """Return found and needed masks of the cases that are wrong; [] where one is no mask."""
    pairs = wrong_pairs(seen)
    return pairs if all(found.dtype == bool and found.ndim > 1 for found, _ in pairs) else []


def mask_to_add(seen: Sequence[Seen]) -> Finding | None:
    """See 0 and numbers far below it, to be added to scores, where a mask of bool is needed; other parts are right."""
    pairs = [pair for one in seen if not one.right for pair in zip(one.found, one.needed) if not same_array(*pair)]
    if not pairs or any(needed.dtype != bool or found.dtype.kind != "f" for found, needed in pairs):
        return None
    if any(found.shape != needed.shape for found, needed in pairs):
        return None
    added = all(agrees(found >= 0, needed) and (np.abs(found[needed]) == 0).all() for found, needed in pairs)
    low = all((found[~needed] < -20).all() for found, needed in pairs)
    return Finding("scores_for_mask") if added and low and any((~needed).any() for _, needed in pairs) else None


def all_or_nothing(seen: Sequence[Seen]) -> Finding | None:
    """See a mask that is True everywhere, or False everywhere."""
    pairs = of_masks(seen)
    if pairs and all(found.all() for found, _ in pairs):
        return Finding("true_everywhere", {"n": int((~pairs[0][1]).sum()), "size": pairs[0][1].size})
    return Finding("false_everywhere") if pairs and not any(found.any() for found, _ in pairs) else None


def future_for_past(seen: Sequence[Seen]) -> Finding | None:
    """See the upper right triangle where the lower left one is needed, wherever its corner lies."""
    pairs = of_masks(seen)
    if len(pairs) < LEAST or any(found.ndim != 2 for found, _ in pairs):
        return None
    for at_the_end in (False, True):
        for own in (0, 1):
            triangles = [
                np.triu(np.ones(x.shape, dtype=bool), own + at_the_end * (x.shape[1] - x.shape[0])) for x, _ in pairs
            ]
            lower = all(is_prefix(needed) for _, needed in pairs)
            if lower and all(agrees(found, triangle) for (found, _), triangle in zip(pairs, triangles)):
                return Finding("causal_reversed")
    return None


def a_window(seen: Sequence[Seen]) -> Finding | None:
    """See rows that allow only the last few of the keys that they must allow."""
    pairs = of_masks(seen)
    if not pairs or any((found & ~needed).any() for found, needed in pairs):
        return None
    rows = [row for found, needed in pairs for row in zip(_rows(found), _rows(needed))]
    width = max(int(found.sum()) for found, _ in rows)
    for found, needed in rows:
        last = np.flatnonzero(needed)[-width:]
        if not np.array_equal(np.flatnonzero(found), last):
            return None
    several = any(needed.sum() > width for _, needed in rows)
    return Finding("window", {"width": width}) if width and several else None


def other_counts(seen: Sequence[Seen]) -> Finding | None:
    """See rows of a mask that allow the first keys and no others, as they must, but another number of them."""
    pairs = of_masks(seen)
    if not pairs or not all(is_prefix(found) and is_prefix(needed) for found, needed in pairs):
        return None
    counts = [[int(n) for n in x.sum(axis=-1).ravel()] for x in pairs[0]]
    values = {"found": counts[0], "needed": counts[1]}
    counted = [(found.sum(axis=-1), needed.sum(axis=-1), needed.shape) for found, needed in pairs]
    if all(np.array_equal(found, shape[-1] - needed) for found, needed, shape in counted):
        return Finding("rest_counted", values)
    if all((found[found != needed] == 0).all() and (needed[found != needed] == shape[-1]).all()
           for found, needed, shape in counted):  # fmt: skip
        return Finding("empty_where_full", values)
    shifts = [shape[-1] - shape[-2] for *_, shape in counted]
    turned = [np.clip(needed - 2 * shift, 0, None) for (_, needed, _), shift in zip(counted, shifts)]
    told = sum(shift > 0 and shape[-2] > 1 for shift, (*_, shape) in zip(shifts, counted))
    if told and len(counted) >= LEAST and all(np.array_equal(one[0], way) for one, way in zip(counted, turned)):
        return Finding("shift_turned_round", values)
    return Finding("other_counts", values)


def is_prefix(mask: Array) -> bool:
    """Whether no True stands behind a False in its row."""
    return bool((mask[..., :-1] >= mask[..., 1:]).all())


def columns_moved(seen: Sequence[Seen]) -> Finding | None:
    """See masks whose columns have all moved on, round the end."""
    pairs = of_masks(seen)
    moved = []
    for found, needed in pairs:
        ways = [k for k in range(1, needed.shape[-1]) if agrees(np.roll(found, k, axis=-1), needed)]
        if not ways:
            return None
        moved.append(ways[0])
    return Finding("columns_moved", {"n": moved[0]}) if len(pairs) >= LEAST else None


def too_much_or_too_little(seen: Sequence[Seen]) -> Finding | None:
    """See a mask that allows all it should and more, or nothing it should not and less."""
    pairs = wrong_pairs(seen)
    if not pairs or any(found.dtype != bool for found, _ in pairs):
        return None
    place = place_of(pairs)
    for mistake, all_of in (("allows_too_much", np.greater_equal), ("allows_too_little", np.less_equal)):
        if all(all_of(*pair).all() for pair in pairs):
            return Finding(f"{mistake}_there", {"place": place}) if place else Finding(mistake)
    return None


def _rows(mask: Array) -> Array:
    return mask.reshape(-1, mask.shape[-1])


#: Before the rules for arrays of all kinds.
MASK_RULES: tuple[Rule, ...] = (all_or_nothing, future_for_past, a_window, columns_moved)
