"""`check`: run an answer on hidden cases, and say in plain words what is wrong with it.

The cases that are always the same come first, then fresh ones, drawn anew at
each call. A mistake is named where the answer agrees with that mistake on every
case, or where a rule that names it holds in every case: nothing is guessed.
"""

import difflib
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..mistakes.recipes import AND
from ..mistakes.sentences import MISTAKES, Mistake
from .apart import tried_apart
from .bugs import what_was_edited, where_it_is_not
from .compare import same
from .describe import describe, describe_case, heading_of, is_right
from .exercise import Arguments, Case, Exercise, Finding, Function, compile_function
from .kinds import check_blanks
from .known import (
    Known,
    arguments_of,
    known_outcomes,
    right_outcomes,
)
from .loops import loops_taken
from .naming import whole_finding
from .progress import PROGRESS
from .registry import EXERCISES
from .result import CheckResult
from .runner import NotTried, Outcome, Returned, is_checking, run_trusted
from .single import answers
from .wording import words_for

MESSAGES = {
    "passed": "Passed: right in all {n} cases.",
    "few loops": " It takes fewer than {asked} loops. The loops are the point here: they show, one number at a time, "
    "what the matrix form does at once. If you have a minute, write them too.",
    "loops": " It loops over {what}. The point here is to do without: a matrix product goes over all of them by "
    "itself. If you have a minute, write it that way too.",
    "not yet": "Not yet.",
    "two": "Not yet. Two mistakes at once.",
    "named": "{title}. {sentence}",
    "not tried": "Not tried yet. Write the function in the cell above, run it, then run this cell again.",
    "as given": "The bug is still there: the function does in every case what it did as it was given.",
    "nothing": "It returned None. Is the `return` line missing?",
    "unknown": "There is no exercise called {name!r}.",
    "did you mean": " Did you mean {name!r}?",
    "not callable": "check needs the function itself, without brackets after it: check({name!r}, {name}).",
    "nested": "check was called inside the function that is being checked. Call it in a cell of its own.",
    "broken": "The check itself failed ({kind}: {text}), not your code. Please report it, with your function.",
    "changed too": " It also changes its input ({names}): what is read there later is no longer what was given.",
    "changed": "The answer is right, but it changed its input ({names}). {sentence}",
}

_failed_fresh: dict[str, Case] = {}  # exercise -> the fresh case that failed last, kept until it passes


def check(name: str, function: Function, *, time_limit: float = 5.0) -> CheckResult:
    """Check an answer to an exercise on hidden cases and say what is wrong with it.

    Parameters
    ----------
    name : str
        Name of the exercise; `exercise_names()` lists them.
    function : callable
        The answer. It is given copies; nothing it does reaches other cases. (A dictionary where blanks are asked.)
        On Linux it is tried first in a copy of the kernel: what never ends, or ends Python, ends only that.
    time_limit : float, optional
        Seconds for all cases together.

    Returns
    -------
    CheckResult
        With the failing case in `.inputs`, `.yours` and `.needed`. It never raises.

    Examples
    --------
    >>> check("scale_scores", lambda scores, d_k: ...)
    scale_scores: Not tried yet. Write the function in the cell above, run it, then run this cell again.
    """
    exercise = EXERCISES.get(name) if isinstance(name, str) else None
    if exercise is None:
        return _unknown(name)
    if is_checking():
        return CheckResult(name, "nested", MESSAGES["nested"])
    try:
        result = _checked(exercise, function, time_limit)
        tried, notebook = result.status != "not tried", exercise.notebook[:2]
        PROGRESS.record("exercise", name, exercise.title, right=result.passed, tried=tried, notebook=notebook)
    except Exception as error:  # a fault of ours must not look like one of the learner's
        return CheckResult(name, "broken", MESSAGES["broken"].format(kind=type(error).__name__, text=error))
    return result


def _checked(exercise: Exercise, function: Function, time_limit: float) -> CheckResult:
    if exercise.blanks is not None:
        return check_blanks(exercise, function)
    if not callable(function):
        return CheckResult(exercise.name, "type", MESSAGES["not callable"].format(name=exercise.name))
    known_outcomes(name := exercise.name)  # worked out here, so that it is kept
    seed = int(np.random.default_rng().integers(2**32))  # fresh cases, the same apart and here

    def work(so_far: Callable[[CheckResult], None] = no_one) -> CheckResult:
        return diagnose(exercise, function, time_limit, seed, so_far)

    ended = tried_apart(work, function, time_limit)
    if ended is None:
        return work()
    if isinstance(ended, CheckResult):
        return ended
    status, sentence = describe(exercise, ended, None, time_limit)
    return CheckResult(name, status, " ".join([MESSAGES["not yet"], sentence]))


def no_one(so_far: CheckResult) -> None:
    """Hear what was found so far, and leave it."""


def diagnose(
    exercise: Exercise,
    function: Function,
    time_limit: float,
    seed: int | None = None,
    so_far: Callable[[CheckResult], None] = no_one,
) -> CheckResult:
    """Compare an answer with the solution on all cases, then with each known mistake, then by rule.

    `seed` draws the fresh cases; without it they are others at each call. `so_far` is told what is wrong before a
    name is looked for: that runs the answer on other inputs, and changed, and may never come back.
    """
    start = time.monotonic()
    known = known_outcomes(exercise.name)
    found = answers(exercise, function, known.cases, known.expected, time_limit)
    if not _all_right(exercise, found, known.expected):
        return _refused(exercise, function, found, known, time_limit, so_far)
    cases = [*_kept_case(exercise), *exercise.draw(np.random.default_rng(seed))]
    right = right_outcomes(exercise, cases)
    fresh = Known([*known.cases, *cases], [*known.expected, *right])
    left = max(time_limit - (time.monotonic() - start), 0.1)
    found += answers(exercise, function, cases, right, left)
    failing = first_wrong(exercise, found, fresh.expected)
    if failing is None:
        _failed_fresh.pop(exercise.name, None)
        return _right(exercise, function, found)
    if failing < len(fresh.cases):
        _failed_fresh[exercise.name] = fresh.cases[failing]
    return _refused(exercise, function, found, fresh, time_limit, so_far, n_fixed=len(known.cases))


def _kept_case(exercise: Exercise) -> list[Case]:
    return [_failed_fresh[exercise.name]] if exercise.name in _failed_fresh else []


def first_wrong(exercise: Exercise, found: Sequence[Outcome], expected: Sequence[Outcome]) -> int | None:
    """Return the first case that is not right; the number of cases where one is missing; None where all are right."""
    for i, (outcome, needed) in enumerate(zip(found, expected)):
        if not is_right(exercise, outcome, needed):
            return i
    return None if len(found) == len(expected) else len(found)


def _all_right(exercise: Exercise, found: Sequence[Outcome], expected: Sequence[Outcome]) -> bool:
    return first_wrong(exercise, found, expected) is None


def _refused(
    exercise: Exercise,
    function: Function,
    found: list[Outcome],
    known: Known,
    time_limit: float,
    so_far: Callable[[CheckResult], None],
    n_fixed: int | None = None,
) -> CheckResult:
    """Say what is wrong, by the name of the mistake where it has one."""
    first = first_wrong(exercise, found, known.expected)
    assert first is not None
    outcome = found[first]
    tried = any(isinstance(one, Returned) for one in found)
    if isinstance(outcome, NotTried) and not (tried and outcome.returned == "None"):
        key = "nothing" if outcome.returned == "None" else "not tried"
        return CheckResult(exercise.name, "not tried", MESSAGES[key])
    if exercise.has_bug and _is_as_given(exercise, found, known):
        edited = what_was_edited(exercise, function, arguments_of(known.cases))
        return CheckResult(exercise.name, "not tried", " ".join([MESSAGES["as given"], *edited]))
    arguments = known.cases[first].arguments
    example = describe_case(exercise, arguments, heading_of(first, n_fixed or len(known.cases)))
    status, sentence = describe(exercise, outcome, known.expected[first], time_limit, function)
    kept = _in_the_hand(exercise, outcome, known.expected[first], arguments)
    elsewhere = where_it_is_not(exercise, function)
    message = " ".join([MESSAGES["not yet"], sentence, *elsewhere])
    unnamed = CheckResult(exercise.name, status, message, None, example, *kept)
    so_far(unnamed)
    finding = whole_finding(exercise, function, found, known, first, time_limit)
    if finding is None:
        return unnamed
    named = finding.mistake.split(AND)
    said = " ".join(_said(words_for(name, exercise, function, arguments), finding) for name in named)
    changed = sorted({name for one in found if isinstance(one, Returned) for name in one.changed})
    if changed:
        said += MESSAGES["changed too"].format(names=", ".join(changed))
    said = " ".join([said, *elsewhere])
    message = MESSAGES["not yet" if len(named) == 1 else "two"] + " " + said
    return CheckResult(exercise.name, "mistake", message, finding.mistake, f"{sentence}\n{example}", *kept)


def _is_as_given(exercise: Exercise, found: list[Outcome], known: Known) -> bool:
    """Whether an answer does in every case what the function with the bug does."""
    stub = run_trusted(exercise, compile_function(exercise.stub, exercise.name), arguments_of(known.cases))
    return len(found) == len(stub) and all(map(same, found, stub))


def _said(words: Mistake, finding: Finding) -> str:
    """Return what is said about a mistake, with what was seen filled in."""
    title, sentence = words
    if finding.values:
        title, sentence = title.format(**finding.values), sentence.format(**finding.values)
    said = MESSAGES["named"].format(title=title, sentence=sentence)
    return " ".join([said, *(MISTAKES[more.mistake].sentence.format(**more.values) for more in finding.also)])


def _in_the_hand(
    exercise: Exercise, outcome: Outcome, needed: Outcome, arguments: Arguments
) -> tuple[Arguments, Any, Any]:
    """Return inputs, yours and needed of a failing case."""

    def unpacked(one: Outcome) -> Any:
        if not isinstance(one, Returned):
            return None
        return one.parts[0] if len(one.parts) == 1 else one.parts

    return exercise.handed(arguments), unpacked(outcome), unpacked(needed)


def _right(exercise: Exercise, function: Function, found: list[Outcome]) -> CheckResult:
    changed = sorted({name for o in found if isinstance(o, Returned) for name in o.changed})
    if changed:
        sentence = MISTAKES["changes_input"].sentence
        message = MESSAGES["changed"].format(names=", ".join(changed), sentence=sentence)
        return CheckResult(exercise.name, "changed", message, "changes_input")
    return CheckResult(exercise.name, "passed", MESSAGES["passed"].format(n=len(found)) + _remark(exercise, function))


def _remark(exercise: Exercise, function: Function) -> str:
    """Say that a right answer took another way than the one that was asked for."""
    taken = None if exercise.loops is None else loops_taken(exercise, function)
    if taken is None or exercise.loops is None:
        return ""
    if taken < exercise.loops:
        return MESSAGES["few loops"].format(asked=exercise.loops)
    return MESSAGES["loops"].format(what=exercise.looped_over) if taken > exercise.loops == 0 else ""


def _unknown(name: Any) -> CheckResult:
    message = MESSAGES["unknown"].format(name=name)
    close = difflib.get_close_matches(str(name), EXERCISES, n=1)
    if close:
        message += MESSAGES["did you mean"].format(name=close[0])
    return CheckResult(str(name), "unknown", message)
