"""Diagnosis by rule: what holds in every failing case names the mistake, whatever way it was written.

Each rule looks at all cases and returns a finding or None. The first that finds something is heard.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compare import close
from .describe import number
from .exercise import Finding, Rule, Seen
from .places import place_of, right_where
from .rules_of_errors import lined_up_with_columns, one_part_of_several, runs_only_where
from .rules_of_factors import LEAST, agrees, by_a_difference, by_a_factor, by_a_power, on_a_grid, wrong_pairs
from .rules_of_masks import MASK_RULES, mask_to_add, other_counts, too_much_or_too_little
from .rules_of_order import (
    is_accumulated,
    is_left_at_zero,
    is_mean_everywhere,
    is_read_in_another_order,
    is_reversed,
    is_rolled,
    is_shuffled,
    is_sorted,
    slices_elsewhere,
    sums_right,
)
from .rules_of_raising import error_shown, errors
from .rules_of_shape import SHAPE_RULES

Array = NDArray[Any]


def in_every_case(mistake: str, test: Callable[[Array, Array], bool]) -> Rule:
    """Return the rule that names a mistake where `test(found, needed)` holds for every wrong part."""

    def rule(seen: Sequence[Seen]) -> Finding | None:
        pairs = wrong_pairs(seen)
        return Finding(mistake) if pairs and all(test(*pair) for pair in pairs) else None

    return rule


# Right but for one thing


def is_whole_part(found: Array, needed: Array) -> bool:
    """Whether what is behind the point is missing."""
    return any(agrees(found, cut(needed)) for cut in (np.trunc, np.rint, np.floor)) and needed.dtype.kind == "f"


def is_rounded(found: Array, needed: Array) -> bool:
    """Whether the numbers are rounded to one to six digits."""
    return needed.dtype.kind == "f" and any(
        np.allclose(found, np.round(needed, digits), rtol=1e-9, atol=1e-9) for digits in range(1, 7)
    )


def all_zeros(seen: Sequence[Seen]) -> Finding | None:
    """See nothing but 0, in every case that needs another number."""
    pairs = wrong_pairs(seen)
    if any(one.right and any(needed.any() for needed in one.needed) for one in seen):
        return None  # a branch returns the zeros
    zero = pairs and all(found.dtype.kind == "f" and not found.any() for found, _ in pairs)
    return Finding("all_zeros") if zero else None


def is_transposed(found: Array, needed: Array) -> bool:
    """Whether the last two axes, of one size, are exchanged."""
    return needed.ndim >= 2 and agrees(found, needed.swapaxes(-1, -2)) and not agrees(found, needed)


def is_inverted(found: Array, needed: Array) -> bool:
    """Whether True and False are exchanged."""
    return found.dtype == bool and bool((found != needed).all())


def is_finite_fill(found: Array, needed: Array) -> bool:
    """Whether all is right but for finite numbers, below all others, where -inf is needed."""
    forbidden = np.isneginf(needed) if needed.dtype.kind == "f" else np.zeros(needed.shape, dtype=bool)
    wrong = ~close(found, needed)
    if not wrong.any() or (wrong & ~forbidden).any() or not np.isfinite(found[wrong]).all():
        return False
    return bool((found[wrong] < -20).all())


# A factor for each row


def by_row(seen: Sequence[Seen]) -> Finding | None:
    """See a factor for each row, or for each column."""
    pairs = wrong_pairs(seen)
    if not pairs or any(found.ndim < 2 or found.dtype == bool for found, _ in pairs):
        return None
    for mistake, axis in (("row_factor", -1), ("column_factor", -2)):
        if all(needed.shape[axis] > 1 for _, needed in pairs) and all(_factor_along(*pair, axis) for pair in pairs):
            return Finding(mistake)
    return None


def _factor_along(found: Array, needed: Array, axis: int) -> bool:
    with np.errstate(all="ignore"):
        factor = (found * needed).sum(axis=axis, keepdims=True) / (needed * needed).sum(axis=axis, keepdims=True)
    return bool(np.isfinite(factor).all()) and agrees(found, needed * factor) and not np.allclose(factor, 0)


# What came is something else


def is_an_argument(seen: Sequence[Seen]) -> Finding | None:
    """See an argument given back as it was."""
    failing = [one for one in seen if not one.right]
    for name in failing[0].arguments if failing else ():
        if all(
            one.found and isinstance(one.arguments[name], np.ndarray) and agrees(one.found[0], one.arguments[name])
            for one in failing
        ):
            return Finding("argument_returned", {"name": name})
    return None


def has_nan(seen: Sequence[Seen]) -> Finding | None:
    """See nan or inf where a number is needed."""
    failing = [one for one in seen if not one.right and one.found]
    if not failing or len(failing) < sum(not one.right for one in seen):
        return None

    def holds(test: Callable[[Array], Array], one: Seen) -> bool:
        return any(
            found.dtype.kind == "f" and bool((test(found) & ~test(needed.astype(float))).any())
            for found, needed in zip(one.found, one.needed)
            if found.shape == needed.shape
        )

    if all(holds(np.isnan, one) for one in failing):
        return Finding("nan_found")
    return Finding("inf_found") if all(holds(np.isinf, one) for one in failing) else None


# A step more


def _shares(x: Array) -> Array:
    exps = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(exps / exps.sum(axis=-1, keepdims=True))


STEPS_MORE: tuple[tuple[str, Callable[[Array], Array]], ...] = (
    ("softmax", _shares),
    ("np.exp", np.exp),
    ("np.log", np.log),
    ("np.sqrt", np.sqrt),
    ("np.abs", np.abs),
    ("np.square", np.square),
)


def one_step_more(seen: Sequence[Seen]) -> Finding | None:
    """See the right answer, put through one function more."""
    pairs = wrong_pairs(seen)
    if not pairs or any(needed.dtype.kind != "f" for _, needed in pairs):
        return None
    if any(not needed.ndim for _, needed in pairs) and len({float(needed.sum()) for _, needed in pairs}) < LEAST:
        return None  # a single number may be anything of another
    for step, function in STEPS_MORE:
        if step == "softmax" and any(not needed.ndim for _, needed in pairs):
            continue
        if all(agrees(found, function(needed)) for found, needed in pairs):
            return Finding("one_step_more", {"step": step})
    return None


def shares_that_do_not_sum(seen: Sequence[Seen]) -> Finding | None:
    """See numbers that do not sum to 1 along the axis along which they must."""
    pairs = wrong_pairs(seen)
    if not pairs or any(not needed.ndim or needed.dtype.kind != "f" or (needed < 0).any() for _, needed in pairs):
        return None
    sums = []
    for found, needed in pairs:
        axes = [axis for axis in range(needed.ndim) if np.allclose(needed.sum(axis=axis), 1)]
        if not axes or (found < 0).any() or any(np.allclose(found.sum(axis=axis), 1) for axis in axes):
            return None
        along = found.sum(axis=axes[0])
        if not np.isfinite(along).all():
            return None
        sums.append(along[~np.isclose(along, 1)].flat[0])
    if all(found.ndim > 1 and np.isclose(found.sum(), 1) for found, _ in pairs):
        return Finding("softmax_over_everything")
    return Finding("shares_do_not_sum", {"sum": number(sums[0])})


def axis_of_shares(needed: Array) -> int | None:
    """Return the axis along which numbers are shares of 1; None where they are none."""
    if needed.dtype.kind != "f" or not needed.ndim or (needed < 0).any():
        return None
    axes = [axis for axis in reversed(range(needed.ndim)) if np.allclose(needed.sum(axis=axis), 1)]
    return axes[0] if axes else None


def shares_beside(seen: Sequence[Seen]) -> list[tuple[Array, Array]]:
    """Return found shares and the logarithms of those needed, slice by slice as rows; [] where they are no shares."""
    rows = []
    for found, needed in wrong_pairs(seen):
        axis = axis_of_shares(needed)
        if axis is None or not np.allclose(found.sum(axis=axis), 1):
            return []
        size = needed.shape[axis]
        a, b = (np.moveaxis(x, axis, -1).reshape(-1, size) for x in (found, needed))
        rows += [(x, np.log(y)) for x, y in zip(a, b) if size > 1 and (y > A_TRACE).all() and np.ptp(y) > A_TRACE]
    return rows


def too_sharp_or_flat(seen: Sequence[Seen]) -> Finding | None:
    """See the shares of scores that are all a number of times as far apart as they should be."""
    rows = shares_beside(seen)
    if len(rows) < LEAST or any((found <= 0).any() for found, _ in rows):
        return None
    ratios = [np.ptp(np.log(found)) / np.ptp(logs) for found, logs in rows]
    times = ratios[0]
    if not np.allclose(ratios, times, rtol=1e-3) or np.isclose(times, 1, atol=1e-3):
        return None
    centred = [(np.log(found) - np.log(found).mean(), logs - logs.mean()) for found, logs in rows]
    for sign in (1, -1):
        if all(np.allclose(a, sign * times * b, atol=1e-3) for a, b in centred):
            base = next((base for base in (2, 10) if np.isclose(times, np.log(base), rtol=1e-3)), None)
            if base and sign == 1:
                return Finding("exp_of_another_base", {"base": base})
            return Finding("differences_times", {"times": number(np.float64(sign * times))})
    return None


def linear_shares(seen: Sequence[Seen]) -> Finding | None:
    """See shares in which a score counts as it is, and not by its exp: in a line with the scores."""
    rows = [(found, logs) for found, logs in shares_beside(seen) if len(logs) >= LEAST]
    if len(rows) < LEAST or any(np.ptp(found) < A_TRACE for found, _ in rows):
        return None
    off = [np.abs(found - np.polyval(np.polyfit(logs, found, 1), logs)).max() / np.ptp(found) for found, logs in rows]
    return Finding("exp_missing") if max(off) < A_TRACE else None


A_TRACE = 1e-5


def is_winner_takes_all(found: Array, needed: Array) -> bool:
    """Whether there is 1 at the largest of each row of shares, and 0 elsewhere."""
    if needed.dtype.kind != "f" or needed.ndim < 1 or not np.allclose(needed.sum(axis=-1), 1):
        return False
    return agrees(found.astype(float), (needed == needed.max(axis=-1, keepdims=True)).astype(float))


def nearly(seen: Sequence[Seen]) -> Finding | None:
    """See numbers that are all a little off."""
    pairs = wrong_pairs(seen)
    if not pairs or any(found.dtype == bool or not np.isfinite(found).all() for found, _ in pairs):
        return None
    off = [float(np.abs(found - needed).max()) for found, needed in pairs]
    if all(error <= A_LITTLE * np.abs(needed).max() for error, (_, needed) in zip(off, pairs)):
        return Finding("nearly", {"off": number(off[0])})
    return None


A_LITTLE = 0.01


def only_some_places(seen: Sequence[Seen]) -> Finding | None:
    """See that all is right but for one place, the same in all cases, or right there alone."""
    pairs = wrong_pairs(seen)
    place = place_of(pairs) if pairs else ""
    if place:
        return Finding("wrong_in_place", {"place": place})
    place = place_of(pairs, right=True) if pairs else ""
    return Finding("right_in_place", {"place": place}) if place else None


def only_some_cases(seen: Sequence[Seen]) -> Finding | None:
    """See what the cases that are right have in common, and no other has."""
    words = right_where(seen)
    return Finding("right_where", {"where": words}) if words else None


# Before the rules of an exercise: the form, and what spoils every step alike.
FIRST: tuple[Rule, ...] = (
    one_part_of_several,
    *SHAPE_RULES,
    lined_up_with_columns,
    errors,
    all_zeros,
    mask_to_add,
    in_every_case("whole_part", is_whole_part),
    in_every_case("rounded", is_rounded),
    is_an_argument,
)
# After them.
LAST: tuple[Rule, ...] = (
    in_every_case("finite_fill", is_finite_fill),
    in_every_case("inverted", is_inverted),
    *MASK_RULES,
    in_every_case("transposed", is_transposed),
    by_a_factor,
    by_a_difference,
    is_reversed,
    is_rolled,
    in_every_case("left_at_zero", is_left_at_zero),
    slices_elsewhere,
    in_every_case("read_in_another_order", is_read_in_another_order),
    in_every_case("sorted", is_sorted),
    in_every_case("running_sums", is_accumulated),
    in_every_case("mean_everywhere", is_mean_everywhere),
    shares_that_do_not_sum,
    sums_right,
    by_row,
    in_every_case("shuffled", is_shuffled),
    one_step_more,
    in_every_case("winner_takes_all", is_winner_takes_all),
    too_sharp_or_flat,
    linear_shares,
    on_a_grid,
    by_a_power,
    nearly,
    has_nan,
    other_counts,
    too_much_or_too_little,
    error_shown,
    runs_only_where,
    only_some_places,
    only_some_cases,
)
