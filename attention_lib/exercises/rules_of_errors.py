"""Diagnosis where an answer raises in some cases, or returns too few things: what runs tells what it hangs on."""

import re
from collections.abc import Sequence

import numpy as np

from .compare import same_array
from .exercise import Finding, Seen
from .rules_of_factors import sizes_of

SHAPES = re.compile(r"could not be broadcast together with shapes \(([\d,]+)\) \(([\d,]+)\)")
OF_NUMBERS = ("NaN",)  # in the words of an error that has nothing to do with sizes
LEAST = 2  # errors, before a rule looks for what the other cases have in common

WHERE = {
    "equal": "`{a}` equals `{b}`",
    "twice": "`{a}` is twice `{b}`",
    "axes": "`{a}` has {n} axes",
}


def lined_up_with_columns(seen: Sequence[Seen]) -> Finding | None:
    """See in every error a number for each row that numpy lines up with the columns."""
    raised = [one.error for one in seen if not one.right and not one.found]
    shapes = [SHAPES.search(text) for text in raised]
    pairs = []
    for match in shapes:
        if match is None:
            return None
        a, b = (tuple(int(size) for size in group.split(",") if size) for group in match.groups())
        pairs.append((a, b) if len(a) > len(b) else (b, a))
    if not pairs or any(len(a) != len(b) + 1 or a[:-1] != b or a[-1] == b[-1] for a, b in pairs):
        return None
    return Finding("lined_up_with_columns", {"large": pairs[0][0], "small": pairs[0][1]})


def runs_only_where(seen: Sequence[Seen]) -> Finding | None:
    """See what the sizes of all cases that run have in common, and of none that raises."""
    if any(word in one.error for one in seen for word in OF_NUMBERS):
        return None
    runs = [not one.error for one in seen]
    if len(runs) - sum(runs) < LEAST or sum(runs) < 1:
        return None
    for where in _sizes_in_common(seen, runs):
        return Finding("runs_only_where", {"where": where})
    return None


def _sizes_in_common(seen: Sequence[Seen], runs: Sequence[bool]) -> list[str]:
    """Return in words what holds of the sizes of each case that runs, and of no other; the shortest first."""
    sizes = [sizes_of(one) | _from_the_end(one) for one in seen]
    names = [name for name in sizes[0] if all(name in each for each in sizes)]
    found = []
    for a in names:
        for b in names:
            for key, times in (("equal", 1), ("twice", 2)):
                if a != b and [each[a] == times * each[b] for each in sizes] == list(runs):
                    found.append(WHERE[key].format(a=a, b=b))
    for name in seen[0].arguments:
        axes = [getattr(one.arguments[name], "ndim", 0) for one in seen]
        if axes[runs.index(True)] and [n == axes[runs.index(True)] for n in axes] == list(runs):
            found.append(WHERE["axes"].format(a=name, n=axes[runs.index(True)]))
    return sorted(found, key=len)


def _from_the_end(one: Seen) -> dict[str, float]:
    """Return how many rows the last matrix of each array has, however many axes stand in front."""
    arrays = {name: value for name, value in one.arguments.items() if isinstance(value, np.ndarray) and value.ndim > 1}
    return {f"{name}.shape[-2]": float(value.shape[-2]) for name, value in arrays.items()}


def one_part_of_several(seen: Sequence[Seen]) -> Finding | None:
    """See one thing, right, where several are asked for."""
    failing = [one for one in seen if not one.right]
    if not failing or any(one.found or len(one.pieces) != 1 or len(one.needed) < 2 for one in failing):
        return None
    for i in range(len(failing[0].needed)):
        if all(same_array(one.pieces[0], one.needed[i]) for one in failing):
            return Finding("one_part_of_several", {"i": i, "n": len(failing[0].needed)})
    return None
