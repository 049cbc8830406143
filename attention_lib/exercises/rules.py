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
from .rules_of_shape import SHAPE_RULES

Array = NDArray[Any]
Pairs = list[tuple[Array, Array]]  # found, needed; of one shape


def wrong_pairs(seen: Sequence[Seen]) -> Pairs:
    """Return what was found and needed, of every part that is wrong; [] where a shape or a kind differs."""
    pairs: Pairs = []
    for one in seen:
        if one.right:
            continue
        if not one.found:
            return []
        for found, needed in zip(one.found, one.needed):
            if found.shape != needed.shape or (found.dtype == bool) != (needed.dtype == bool):
                return []
            if not close(found, needed).all():
                pairs.append((found, needed))
    return pairs


def in_every_case(mistake: str, test: Callable[[Array, Array], bool]) -> Rule:
    """Return the rule that names a mistake where `test(found, needed)` holds for every wrong part."""

    def rule(seen: Sequence[Seen]) -> Finding | None:
        pairs = wrong_pairs(seen)
        return Finding(mistake) if pairs and all(test(*pair) for pair in pairs) else None

    return rule


def agrees(a: Array, b: Array) -> bool:
    """Whether two arrays have one shape and the same numbers."""
    return a.shape == b.shape and bool(close(a, b).all())


# Right but for one thing


def is_whole_part(found: Array, needed: Array) -> bool:
    """Whether what is behind the point is missing."""
    return any(agrees(found, cut(needed)) for cut in (np.trunc, np.rint, np.floor)) and needed.dtype.kind == "f"


def is_rounded(found: Array, needed: Array) -> bool:
    """Whether the numbers are rounded to one to six digits."""
    return needed.dtype.kind == "f" and any(
        np.allclose(found, np.round(needed, digits), rtol=1e-9, atol=1e-9) for digits in range(1, 7)
    )


def is_zero(found: Array, needed: Array) -> bool:
    """Whether every number is 0."""
    return found.dtype.kind == "f" and not found.any()


def is_transposed(found: Array, needed: Array) -> bool:
    """Whether the last two axes, of one size, are exchanged."""
    return needed.ndim >= 2 and agrees(found, needed.swapaxes(-1, -2)) and not agrees(found, needed)


def is_reversed(found: Array, needed: Array) -> bool:
    """Whether one axis runs backwards."""
    return any(agrees(found, np.flip(needed, axis)) for axis in range(needed.ndim))


def is_reordered(found: Array, needed: Array) -> bool:
    """Whether rows, columns or heads stand in another order."""
    return any(_sorted_slices(found, axis) == _sorted_slices(needed, axis) for axis in range(needed.ndim))


def _sorted_slices(x: Array, axis: int) -> list[tuple[float, ...]]:
    slices = np.moveaxis(x, axis, 0).reshape(x.shape[axis], -1)
    return sorted(tuple(np.round(row.astype(float), 6) + 0.0) for row in slices)


def is_shuffled(found: Array, needed: Array) -> bool:
    """Whether the same numbers stand in other places."""
    return needed.size > 2 and agrees(np.sort(found, axis=None), np.sort(needed, axis=None))


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


# A factor, a difference


def by_a_factor(seen: Sequence[Seen]) -> Finding | None:
    """See one factor in every number of a case; name it by the sizes of the arguments where one fits in all."""
    factors, labels = [], []
    for one in seen:
        if one.right:
            continue
        pairs = wrong_pairs([one])
        factor = constant([found / np.where(needed == 0, np.nan, needed) for found, needed in pairs])
        if not pairs or factor is None or not all(agrees(found, needed * factor) for found, needed in pairs):
            return None
        factors.append(factor)
        labels.append({label for label, value in sizes_of(one).items() if np.isclose(value, factor, rtol=1e-4)})
    if not factors:
        return None
    if np.allclose(factors, -1):
        return Finding("sign")
    named = sorted(set.intersection(*labels), key=len) if len(factors) > 1 else []
    if named:
        return Finding("factor_of", {"factor": number(factors[0]), "label": named[0]})
    if len(factors) > 1 and np.allclose(factors, factors[0], rtol=1e-4):
        return Finding("factor", {"factor": number(factors[0])})
    several = all(sum(found.size for found, _ in wrong_pairs([one])) > 1 for one in seen if not one.right)
    return (
        Finding("factor_each", {"factor": number(factors[0])}) if several else None
    )  # one number has no common factor


def constant(ratios: Sequence[Array]) -> float | None:
    """Return the one number that all ratios are; None where they differ, or where it is 0 or 1."""
    flat = np.concatenate([ratio.ravel() for ratio in ratios]) if ratios else np.zeros(0)
    flat = flat[~np.isnan(flat)]
    if not len(flat) or not np.isfinite(flat).all() or np.isclose(flat[0], [0, 1], atol=1e-6).any():
        return None
    return float(flat[0]) if np.allclose(flat, flat[0], rtol=1e-4, atol=0) else None


def sizes_of(one: Seen) -> dict[str, float]:
    """Return the numbers that a factor may be made of, by the words that make them."""
    sizes: dict[str, float] = {}
    for name, value in one.arguments.items():
        if isinstance(value, np.ndarray):
            for axis, size in enumerate(value.shape):
                sizes[f"{name}.shape[{axis}]"] = float(size)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            sizes[name] = float(value)
        elif isinstance(value, list):
            sizes[f"len({name})"] = float(len(value))
    made: dict[str, float] = {}
    for label, size in sizes.items():
        if size > 0:
            made |= {label: size, f"1 / {label}": 1 / size}
            made |= {f"√{label}": size**0.5, f"1 / √{label}": size**-0.5}
    return made


def by_a_difference(seen: Sequence[Seen]) -> Finding | None:
    """See one number added to every number, the same in all cases."""
    pairs = wrong_pairs(seen)
    if not pairs or any(found.dtype == bool or found.size < 1 for found, _ in pairs):
        return None
    with np.errstate(all="ignore"):
        differences = np.concatenate([(found - needed.astype(float)).ravel() for found, needed in pairs])
    if len(differences) < 2 or not np.isfinite(differences).all() or not np.allclose(differences, differences[0]):
        return None
    return Finding("difference", {"difference": number(differences[0])})


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


def errors(seen: Sequence[Seen]) -> Finding | None:
    """See an error of numpy about shapes."""
    raised = [one.error for one in seen if not one.right]
    for mistake, words in (
        ("broadcast_error", ("could not be broadcast", "broadcastable")),
        ("product_error", ("matmul", "not aligned", "mismatch in its core dimension")),
    ):
        if raised and all(any(word in text for word in words) for text in raised):
            return Finding(mistake)
    return None


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
    *SHAPE_RULES,
    errors,
    in_every_case("all_zeros", is_zero),
    in_every_case("whole_part", is_whole_part),
    in_every_case("rounded", is_rounded),
    is_an_argument,
)
# After them.
LAST: tuple[Rule, ...] = (
    in_every_case("finite_fill", is_finite_fill),
    in_every_case("inverted", is_inverted),
    in_every_case("transposed", is_transposed),
    by_a_factor,
    by_a_difference,
    in_every_case("reversed", is_reversed),
    in_every_case("reordered", is_reordered),
    by_row,
    in_every_case("shuffled", is_shuffled),
    has_nan,
    too_much_or_too_little,
    only_some_places,
    only_some_cases,
)
