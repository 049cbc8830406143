"""Diagnosis where every number is off in one way: by a factor, a power, a difference, or on a grid."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compare import close
from .describe import number
from .exercise import Finding, Seen
from .kept import for_the_last

Array = NDArray[Any]
Pairs = list[tuple[Array, Array]]  # found, needed; of one shape
LEAST = 3  # cases, before a rule looks for what they have in common
BASES = {"ln 2": math.log(2), "1 / ln 2": 1 / math.log(2), "ln 10": math.log(10), "1 / ln 10": 1 / math.log(10)}
TIMES = {
    "": 1.0,
    "2 · ": 2.0,
    "3 · ": 3.0,
    "4 · ": 4.0,
    "1/2 · ": 0.5,
    "1/3 · ": 1 / 3,
    "1/4 · ": 0.25,
    "1/8 · ": 0.125,
}
POWERS = {"{}": 1.0, "√{}": 0.5, "{}²": 2.0, "{}^(1/3)": 1 / 3, "{}^(1/6)": 1 / 6, "{}^(1/4)": 0.25, "{}^(3/2)": 1.5}
GRIDS = (1.0, 0.5, 0.1, 0.05, 0.01)


@for_the_last
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


def agrees(a: Array, b: Array) -> bool:
    """Whether two arrays have one shape and the same numbers."""
    return a.shape == b.shape and bool(close(a, b).all())


def by_a_factor(seen: Sequence[Seen]) -> Finding | None:
    """See one factor in every number of a case; name it by the sizes of the arguments where one fits in all."""
    factors: list[float] = []
    wrong = [one for one in seen if not one.right]
    for one in wrong:
        pairs = wrong_pairs([one])
        factor = constant([found / np.where(needed == 0, np.nan, needed) for found, needed in pairs])
        if not pairs or factor is None or not all(agrees(found, needed * factor) for found, needed in pairs):
            return None
        factors.append(factor)
    if not factors:
        return None
    if np.allclose(factors, -1):
        return Finding("sign")
    if len(factors) > 1 and np.allclose(factors, factors[0], rtol=1e-4):
        base = next((label for label, value in BASES.items() if np.isclose(factors[0], value, rtol=1e-4)), None)
        values = {"factor": number(factors[0])}
        return Finding("another_base_of_logarithm", values | {"label": base}) if base else Finding("factor", values)
    label = made_of(factors, [sizes_of(one) for one in wrong])
    if label:
        return Finding("factor_of", {"factor": number(factors[0]), "label": label})
    several = all(sum(found.size for found, _ in wrong_pairs([one])) > 1 for one in wrong)
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
    return sizes


def made_of(values: Sequence[float], sizes: Sequence[dict[str, float]]) -> str:
    """Return how a number is made of the sizes of each case, "√d_k / 3" say; "" where no way fits all.

    One size is tried before two. Two cases, with two values, are needed; for two sizes, four.
    """
    names = [name for name in sizes[0] if all(each.get(name, 0) > 0 for each in sizes)] if sizes else []
    if len(values) < 2 or min(values) <= 0 or not names or np.allclose(values, values[0], rtol=1e-4):
        return ""
    logs = {name: np.log([each[name] for each in sizes]) for name in names}
    wanted = np.log(values)
    terms = {form.format(name): power * logs[name] for name in names for form, power in POWERS.items()}
    over = {f"1 / {label}": -term for label, term in terms.items()}
    for times, factor in TIMES.items():
        label = _shortest(terms | over, wanted - math.log(factor))
        if label:
            return label.replace("1 /", f"{factor:g} /", 1) if label[0] == "1" and factor > 1 else times + label
    return _shortest(_of_two(terms, logs), wanted) if len(values) > LEAST else ""


def _of_two(terms: dict[str, Array], logs: dict[str, Array]) -> dict[str, Array]:
    """Return the logarithms of what two sizes make."""
    pairs = {f"{a} / {b}": terms[a] - terms[b] for a in terms for b in terms if a != b}
    pairs |= {f"1 / ({a} · {b})": -terms[a] - terms[b] for a in terms for b in terms if a < b}
    return pairs | {f"√({a} · {b})": (logs[a] + logs[b]) / 2 for a in logs for b in logs if a < b}


def _shortest(terms: dict[str, Array], wanted: Array) -> str:
    """Return the shortest label whose numbers are those wanted; "" where there is none."""
    made = np.array(list(terms.values())).reshape(-1, len(wanted))
    near = (np.abs(made - wanted) <= 1e-3 + 1e-5 * np.abs(wanted)).all(axis=-1)
    return min((label for label, fits in zip(terms, near) if fits), key=len, default="")


def by_a_power(seen: Sequence[Seen]) -> Finding | None:
    """See sizes that go with a power of what is needed: a root that covers too much, a square."""
    pairs = [(found, needed) for found, needed in wrong_pairs(seen) if found.size > LEAST]
    if len(pairs) < 2 or any(found.dtype.kind != "f" for found, _ in pairs):
        return None
    powers = []
    for found, needed in pairs:
        use = (found != 0) & (needed != 0)
        x, y = np.log(np.abs(needed[use])), np.log(np.abs(found[use]))
        if use.sum() <= LEAST or not np.isfinite(y).all() or np.ptp(x) < 0.1:
            return None
        power, height = np.polyfit(x, y, 1)
        if not np.allclose(y, power * x + height, atol=1e-4) or abs(power) < 0.01:
            return None
        powers.append(power)
    if not np.allclose(powers, powers[0], atol=1e-3) or np.isclose(powers[0], 1, atol=1e-3):
        return None
    return Finding("power", {"power": number(powers[0]), "times": number(2 ** powers[0])})


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


def on_a_grid(seen: Sequence[Seen]) -> Finding | None:
    """See single numbers that are all multiples of one step, or roots of whole numbers, where others are needed."""
    if not all(one.found and not one.found[0].ndim and not one.needed[0].ndim for one in seen):
        return None
    found, needed = (np.array([float(x) for x in parts]) for parts in zip(*((o.found[0], o.needed[0]) for o in seen)))
    wrong = np.array([not one.right for one in seen])
    if not np.isfinite(found).all() or len(np.unique(found)) < LEAST or made_of(found[wrong], _wrong_sizes(seen)):
        return None
    for step in GRIDS:
        if on_step(found, step).all() and not on_step(needed[wrong], step).all():
            return Finding("on_a_grid", {"step": number(step)})
    if on_step(found**2, 1).all() and not on_step(needed[wrong] ** 2, 1).all():
        return Finding("roots_of_whole_numbers")
    return None


def _wrong_sizes(seen: Sequence[Seen]) -> list[dict[str, float]]:
    return [sizes_of(one) for one in seen if not one.right]


def on_step(values: Array, step: float) -> Array:
    """Return which numbers are multiples of a step."""
    return np.asarray(np.isclose(values / step, np.rint(values / step), atol=1e-6))
