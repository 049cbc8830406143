"""Diagnosis by running an answer again with other arguments: one that has no say, a relation that does not hold.

What is said here is true whatever way the answer was written: it was tried.
"""

import ast
import contextlib
import functools
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from .compare import same
from .describe import number
from .exercise import Arguments, Exercise, Finding, Function, direct
from .runner import Outcome, Returned, run_cases, run_trusted
from .sources import text_of

DONORS = (11, 12, 13)  # seeds of the cases from which other arguments are taken
TRIED, LEAST = 4, 2  # cases that are tried; how many must agree


def broken_relation(exercise: Exercise, function: Function, time_limit: float, seed: int = 7) -> Finding | None:
    """Name the first relation between two answers that does not hold; None where all hold."""
    if not exercise.relations:
        return None
    end = time.monotonic() + time_limit
    bases = [case.arguments for case in exercise.draw(np.random.default_rng(seed)) if not case.hard]
    for relation in exercise.relations:
        kept = []  # whether the expected came, case by case
        for base in bases:
            changed = relation.change(*exercise_copy(base))
            outcomes = [] if changed is None else _run(exercise, function, [base, changed], end)
            if changed is None or len(outcomes) < 2 or not all(isinstance(one, Returned) for one in outcomes):
                continue
            if relation.must_differ and same(*run_trusted(exercise, exercise.reference(), [base, changed])):
                continue
            needed = tuple(np.asarray(part) for part in relation.expect(*outcomes[0].parts))
            came = outcomes[1].parts[: len(needed)]
            kept.append(same(Returned(came), Returned(needed)))
            off = [np.abs(np.subtract(x, y, dtype=float)).max() for x, y in zip(came, needed) if x.shape == y.shape]
            if not kept[-1] and not relation.must_differ and off and np.isfinite(off).all():
                return Finding(relation.mistake, {"moved": number(np.float64(max(off)))})
        if relation.must_differ and len(kept) >= LEAST and all(kept):
            return Finding(relation.mistake)
    return None


def exercise_copy(arguments: Arguments) -> Arguments:
    """Return arguments whose arrays may be changed."""
    return tuple(
        argument.copy()
        if isinstance(argument, np.ndarray)
        else [np.array(each) for each in argument]
        if isinstance(argument, list)
        else argument
        for argument in arguments
    )


def _run(exercise: Exercise, function: Function, cases: list[Arguments], end: float) -> list[Any]:
    left = end - time.monotonic()
    return run_cases(exercise, function, cases, left) if left > 0 else []


def without_say(exercise: Exercise, function: Function, time_limit: float, seed: int = 2) -> Finding | None:
    """See an argument that can be another while the answer stays, though the right one does not."""
    if exercise.play is not direct or exercise.may_return_none:
        return None
    end = time.monotonic() + time_limit / 2
    silent: list[str] = []
    unmoved: list[Outcome] = []
    names = exercise.argument_names()
    for name, tries in zip(names, _that_matter(exercise, seed)):
        found = _run(exercise, function, tries, end)
        told = [(a, b) for a, b in zip(found[::2], found[1::2]) if _is_finite(a) and _is_finite(b)]
        if len(told) >= LEAST and all(same(*pair) for pair in told):
            silent.append(name)
            unmoved += [one for pair in told for one in pair]
    if silent and len(silent) == len(names) and all(same(unmoved[0], one) for one in unmoved):
        return Finding("same_answer_always")
    if len(silent) < 2:
        return Finding("no_say", {"name": silent[0]}) if silent else None
    listed = {"names": ", ".join(f"`{name}`" for name in silent)}
    return Finding("only_sizes_have_a_say" if len(silent) == len(names) else "several_have_no_say", listed)


@functools.lru_cache(maxsize=64)
def _that_matter(exercise: Exercise, seed: int) -> list[list[Arguments]]:
    """Return for each argument pairs of cases, one after the other, that differ in it alone, and so does what is right.

    They are the same for every answer, so they are kept.
    """
    bases = [case.arguments for case in exercise.draw(np.random.default_rng(seed)) if not case.hard][-TRIED:]
    donors = [case.arguments for seed in DONORS for case in exercise.draw(np.random.default_rng(seed)) if not case.hard]
    tries: list[list[Arguments]] = []
    for i in range(len(exercise.argument_names())):
        tries.append([])
        for base in bases:
            for changed in _others(base, i, donors):
                right = run_trusted(exercise, exercise.reference(), [base, changed])
                if all(_is_finite(one) for one in right) and not same(*right):
                    tries[i] += [base, changed]
    return tries


def _is_finite(outcome: Outcome) -> bool:
    return isinstance(outcome, Returned) and all(np.isfinite(part).all() for part in outcome.parts)


def _others(base: Arguments, i: int, donors: Sequence[Arguments]) -> list[Arguments]:
    """Return the arguments with another one in place i: of the same form, and not the same."""
    own = base[i]
    for donor in donors:
        other = donor[i]
        if type(other) is not type(own):
            continue
        if isinstance(own, np.ndarray):
            if other.shape != own.shape or other.dtype != own.dtype or np.array_equal(own, other):
                continue
        elif not isinstance(own, int | float) or other == own:
            continue
        return [(*base[:i], other, *base[i + 1 :])]
    return []


def verdict_lost(function: Function) -> Finding | None:
    """See in the source of a learner's test an assert that cannot fail, or one whose error is caught."""
    with contextlib.suppress(SyntaxError):
        tree = ast.parse(text_of(function))
        for node in ast.walk(tree):
            if isinstance(node, ast.Assert) and isinstance(node.test, ast.Tuple) and node.test.elts:
                return Finding("assert_of_a_tuple")
            if isinstance(node, ast.Try) and any(isinstance(one, ast.Assert) for one in ast.walk(node)):
                return Finding("assert_caught")
    return None
