"""Diagnosis of a learner's test: what it feeds the functions, what it accepts, and how it compares.

The test is run again: with a right function that writes down what it is given, with one that is off in the 13th
digit, with its own tolerance narrowed. What is said was seen.
"""

import ast
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..mistakes.sentences import MISTAKES
from .exercise import Exercise, Finding, Function
from .rules_of_loosening import mended_by_loosening, refusing_piece
from .runner import Raised, Returned, run_cases
from .sources import function_of, source_of

A_ROUNDING = 1e-12
WIDE = 1e-4  # a tolerance above this may hide a mistake
A_MOVE, MOVES = 0.1, 48  # added to one number of a right answer; how many are moved at most, one at a time
COMPARING = ("close", "equal", "same", "equiv", "less", "greater", "assert", "isin", "testing", "compare", "match")
Calls = list[tuple[Any, ...]]


class Watched:
    """A function that a test is given, which writes down its arguments; `nudge` changes what it returns."""

    def __init__(self, function: Function, nudge: Callable[[Any], Any] = lambda value: value) -> None:
        self.function, self.nudge = function, nudge
        self.mistake = getattr(function, "mistake", None)
        self.calls: Calls = []

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        with np.errstate(all="ignore"):
            self.calls.append(tuple(np.array(one) if np.ndim(one) else one for one in (*arguments, *options.values())))
            return self.nudge(self.function(*arguments, **options))

    def __deepcopy__(self, memo: Any) -> "Watched":
        return self  # what it writes down must be seen


class Strict:
    """A test in which nan must not arise; it looks as the test itself where an error is placed."""

    def __init__(self, test: Function) -> None:
        self.test, self.__code__ = test, getattr(test, "__code__", None)

    def __call__(self, function: Function) -> Any:
        with np.errstate(all="ignore", invalid="raise"):
            return self.test(function)


def about_a_test(exercise: Exercise, test: Function, time_limit: float) -> Finding | None:
    """Say of a test that misses a mistake, or refuses a right function, why it does; None where that is not seen."""
    subjects = [case[0] for case in exercise.cases(np.random.default_rng(0))]
    quiet = _quiet(test)
    let = _verdicts(exercise, quiet, subjects, time_limit)
    if len(let) < len(subjects):
        return None
    right = [subject for subject in subjects if subject.mistake is None]
    passed = [subject for subject, accepted in zip(subjects, let) if accepted]
    missed = [subject for subject in passed if subject.mistake is not None]
    seen = Watched(right[0])
    _verdicts(exercise, quiet, [seen], time_limit)
    if not seen.calls:
        return Finding("never_called")
    mended = mended_by_loosening(exercise, test, subjects)
    if mended is not None:
        return mended
    if len(passed) - len(missed) == len(right):
        return _lets_through(exercise, test, subjects, missed, seen.calls, time_limit) if missed else None
    return _refuses(exercise, test, right, passed, len(subjects), time_limit)


def _quiet(test: Function) -> Function:
    """Return the test without what it prints: it is run many times."""
    source = source_of(test)
    return function_of(source.tree, test) if source else test


def _verdicts(exercise: Exercise, test: Function, subjects: Sequence[Any], time_limit: float) -> list[bool]:
    """Return for each function whether the test lets it through; fewer where it gives no verdict."""
    outcomes = run_cases(exercise, test, [(subject,) for subject in subjects], time_limit)
    return [bool(one.parts[0]) for one in outcomes if isinstance(one, Returned)]


# It lets a mistake through


def _lets_through(
    exercise: Exercise, test: Function, subjects: Sequence[Any], missed: Sequence[Any], calls: Calls, time_limit: float
) -> Finding | None:
    values: dict[str, Any] = {"title": MISTAKES[missed[0].mistake].title, "n": len(missed)}
    narrow = narrowed(test)
    if narrow is not None:
        let = _verdicts(exercise, narrow[0], subjects, time_limit)
        kept = len(let) == len(subjects) and all(one for one, subject in zip(let, subjects) if subject.mistake is None)
        if kept and sum(let) < len(missed) + sum(subject.mistake is None for subject in subjects):
            return Finding("tolerance_too_wide", values | {"tolerance": f"{narrow[1]:g}"})
    hidden = [_is_hidden(subject, subjects[0], calls) for subject in missed]
    if all(hidden):
        key, name = fed(calls, list(inspect.signature(subjects[0].function).parameters))
        return Finding(key, values | {"name": name})
    right = [subject for subject in subjects if subject.mistake is None]
    alike = all(_is_hidden(subject, right[0], calls) for subject in right)  # else a relation is asked for, no number
    if alike and not any(hidden):
        return Finding(_what_it_looks_at(exercise, test, right[0], calls, time_limit), values)
    promises = {exercise.promises.get(subject.mistake) for subject in missed}
    promise = promises.pop() if len(promises) == 1 else None
    of_it = [subject for subject in subjects if promise and exercise.promises.get(subject.mistake) == promise]
    return Finding("promise_not_asked", values | {"promise": promise}) if promise and of_it == missed else None


def _what_it_looks_at(exercise: Exercise, test: Function, right: Function, calls: Calls, time_limit: float) -> str:
    """Return "sees_a_property" where every number that is moved changes the verdict, so each is looked at."""
    size = max((np.size(right(*call)) for call in calls), default=0)

    def moved(i: int, value: Any) -> Any:
        numbers = np.array(value, dtype=float)
        if numbers.size:
            numbers.flat[i % numbers.size] += A_MOVE
        return numbers

    places = sorted({int(i) for i in np.linspace(0, size - 1, MOVES)}) if size else []
    moves = [Watched(right, partial(moved, i)) for i in places]
    seen = _verdicts(exercise, _quiet(test), moves, time_limit)
    return "sees_a_property" if moves and len(seen) == len(moves) and not any(seen) else "sees_too_little"


def _is_hidden(wrong: Function, right: Function, calls: Calls) -> bool:
    """Whether a wrong function returns what a right one does, in every call of the test."""
    try:
        with np.errstate(all="ignore"):
            return all(np.allclose(wrong(*call), right(*call), equal_nan=True) for call in calls)
    except Exception:  # on these arguments it fails, so it shows
        return False


def fed(calls: Calls, names: Sequence[str] = ()) -> tuple[str, str]:
    """Return what the arguments of all calls have in common that hides mistakes, and the name of an argument.

    Examples
    --------
    >>> fed([(np.zeros((3, 4)),)])
    ('fed_alike', '')
    """
    arrays = [one for call in calls for one in call if isinstance(one, np.ndarray) and one.ndim]
    for key, holds in FED.items():
        if arrays and all(map(holds, arrays)):
            return key, ""
    for i, name in enumerate(names):
        if all(len(call) > i and np.ndim(call[i]) == 0 and call[i] == 1 for call in calls):
            return "fed_one", name
    return "fed_hides", ""


FED: Mapping[str, Callable[[Any], bool]] = {
    "fed_alike": lambda x: x.size > 1 and bool((x == x.flat[0]).all()),
    "fed_one_row": lambda x: x.ndim > 1 and x.shape[-2] == 1,
    "fed_one_column": lambda x: x.ndim > 1 and x.shape[-1] == 1,
    "fed_same_rows": lambda x: x.ndim > 1 and bool((x == x[..., :1, :]).all()),
    "fed_symmetric": lambda x: x.ndim == 2 and x.shape[0] == x.shape[1] and bool((x == x.T).all()),
}


def narrowed(test: Function) -> tuple[Function, float] | None:
    """Return a test with its wide tolerances narrowed, and the widest; None where it has none."""
    source = source_of(test)
    if source is None:
        return None
    wide: list[float] = []
    for node in ast.walk(source.tree):
        for constant in _tolerances(node):
            wide.append(float(constant.value))  # type: ignore[arg-type]
            constant.value = 1e-8
    return (function_of(source.tree, test), max(wide)) if wide else None


def _tolerances(node: ast.AST) -> list[ast.Constant]:
    """Return the numbers in a node that may be a tolerance: `atol=0.1`, `< 0.1`."""
    given: list[ast.expr] = []
    most = math.inf
    if isinstance(node, ast.Call):
        given = [word.value for word in node.keywords if word.arg in ("atol", "rtol", "abs_tol", "rel_tol")]
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Lt | ast.LtE):
        given, most = node.comparators, 1  # a larger number may be another bound
    return [one for one in given if isinstance(one, ast.Constant) and _is_wide(one.value, most)]


def _is_wide(value: object, most: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and WIDE < value <= most


# It refuses what is right


def _refuses(
    exercise: Exercise,
    test: Function,
    right: Sequence[Any],
    passed: Sequence[Any],
    n: int,
    time_limit: float,
) -> Finding | None:
    wrong = {subject.mistake for subject in passed if subject.mistake is not None}
    accepted = [subject for subject in passed if subject.mistake is None]
    if not accepted and len(passed) == n - len(right):
        return Finding("verdict_turned_round")
    if not accepted and len(wrong) == 1:
        return Finding("asks_for_a_mistake", {"title": MISTAKES[wrong.pop()].title})
    raised = run_cases(exercise, Strict(test), [(Watched(right[0]),)], time_limit)
    if raised and isinstance(raised[0], Raised) and raised[0].kind == "FloatingPointError":
        return Finding("nan_in_the_test", {"line": raised[0].line or "", "code": raised[0].code})
    nudged = [Watched(subject, lambda value: np.asarray(value) * (1 + A_ROUNDING)) for subject in accepted]
    if nudged and not all(_verdicts(exercise, test, nudged, time_limit)):
        return Finding("compared_exactly")
    if accepted:
        return None
    if compares_nothing(test):
        return Finding("compares_nothing")
    place = refusing_piece(exercise, test, right)
    return Finding("refuses_every_right" if passed else "refuses_everything", also=(place,)) if place else None


def compares_nothing(test: Function) -> bool:
    """Whether nothing in the source of a test compares two things."""
    source = source_of(test)
    if source is None:
        return False
    own = {argument.arg for argument in source.tree.args.args}
    known = {"bool", "len", "range", "int", "float", "sum", "min", "max", "abs", "all", "any", "print", "list", "tuple"}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Compare):
            return False
        if isinstance(node, ast.Call):
            called = str(getattr(node.func, "attr", getattr(node.func, "id", "")))
            if any(word in called for word in COMPARING):
                return False
            if isinstance(node.func, ast.Name) and called not in own | known:
                return False  # a function of the learner's own may compare
    return True
