"""`check`: run an answer on hidden cases, and say in plain words what is wrong with it.

The cases that are always the same come first, then fresh ones, drawn anew at
each call. A mistake is named where the answer agrees with that mistake on every
case, or where a rule that names it holds in every case: nothing is guessed.
"""

import contextlib
import difflib
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..mistakes.recipes import AND
from ..mistakes.sentences import MISTAKES
from .compare import same, same_array
from .describe import describe, describe_case, heading_of, right_kind
from .exercise import Arguments, Case, Exercise, Finding, Function, Rule, Seen, compile_function, direct
from .kinds import check_blanks
from .known import (
    Known,
    arguments_of,
    known_outcomes,
    name_in_wrong_cases,
    name_mistake,
    right_outcomes,
    without_counts,
)
from .loops import loops_taken
from .progress import PROGRESS
from .registry import EXERCISES
from .result import CheckResult
from .rules import FIRST, LAST
from .rules_by_argument import without_say
from .rules_by_question import another_question
from .rules_by_running import SEED as RUN_SEED
from .rules_by_running import VAGUE, broken_property, silent_or_scaled
from .runner import NotTried, Outcome, Raised, Returned, TimeUp, Unusable, is_checking, run_trusted
from .single import answers, has_ints

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
    "changed": "The answer is right, but it changed its input ({names}). {sentence}",
}

#: What a rule may raise on numbers of a kind that it does not know.
CANNOT_LOOK = (ValueError, TypeError, IndexError, np.linalg.LinAlgError)

_failed_fresh: dict[str, Case] = {}  # exercise -> the fresh case that failed last, kept until it passes


def check(name: str, function: Function, *, time_limit: float = 5.0) -> CheckResult:
    """Check an answer to an exercise on hidden cases and say what is wrong with it.

    Parameters
    ----------
    name : str
        Name of the exercise; `exercise_names()` lists them.
    function : callable
        The answer. It is given copies; nothing it does reaches other cases. (A dictionary where blanks are asked.)
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
    return diagnose(exercise, function, time_limit)


def diagnose(exercise: Exercise, function: Function, time_limit: float, seed: int | None = None) -> CheckResult:
    """Compare an answer with the solution on all cases, then with each known mistake, then by rule.

    `seed` draws the fresh cases; without it they are others at each call.
    """
    start = time.monotonic()
    known = known_outcomes(exercise.name)
    found = answers(exercise, function, known.cases, known.expected, time_limit)
    if not _all_right(exercise, found, known.expected):
        return _refused(exercise, function, found, known, time_limit)
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
    return _refused(exercise, function, found, fresh, time_limit, n_fixed=len(known.cases))


def _kept_case(exercise: Exercise) -> list[Case]:
    return [_failed_fresh[exercise.name]] if exercise.name in _failed_fresh else []


def first_wrong(exercise: Exercise, found: Sequence[Outcome], expected: Sequence[Outcome]) -> int | None:
    """Return the first case that is not right; the number of cases where one is missing; None where all are right."""
    for i, (outcome, needed) in enumerate(zip(found, expected)):
        if not _is_right(exercise, outcome, needed):
            return i
    return None if len(found) == len(expected) else len(found)


def _is_right(exercise: Exercise, outcome: Outcome, needed: Outcome) -> bool:
    if not isinstance(outcome, Returned) or not isinstance(needed, Returned):
        return False
    return same(outcome, needed) and all(right_kind(exercise, *pair) for pair in zip(outcome.parts, needed.parts))


def _all_right(exercise: Exercise, found: Sequence[Outcome], expected: Sequence[Outcome]) -> bool:
    return first_wrong(exercise, found, expected) is None


def _refused(
    exercise: Exercise,
    function: Function,
    found: list[Outcome],
    known: Known,
    time_limit: float,
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
        return CheckResult(exercise.name, "not tried", MESSAGES["as given"])
    arguments = known.cases[first].arguments
    example = describe_case(exercise, arguments, heading_of(first, n_fixed or len(known.cases)))
    status, sentence = describe(exercise, outcome, known.expected[first], time_limit)
    finding = whole_finding(exercise, function, found, known, first, time_limit)
    kept = _in_the_hand(exercise, outcome, known.expected[first], arguments)
    if finding is None:
        return CheckResult(exercise.name, status, f"{MESSAGES['not yet']} {sentence}", None, example, *kept)
    named = finding.mistake.split(AND)
    said = " ".join(_said(name, finding) for name in named)
    message = MESSAGES["not yet" if len(named) == 1 else "two"] + " " + said
    return CheckResult(exercise.name, "mistake", message, finding.mistake, f"{sentence}\n{example}", *kept)


def whole_finding(
    exercise: Exercise,
    function: Function,
    found: list[Outcome],
    known: Known,
    first: int,
    time_limit: float,
    seed: int = RUN_SEED,
) -> Finding | None:
    """Name the mistake by what came; where that says little, by the solution's other answers, or by running again."""
    finding = finding_of(exercise, found, known, first)
    cut = only_for_ints(exercise, found, known)
    if cut is not None and (finding is None or (finding.mistake, cut.mistake) != ("whole_part", "cut_off_by_ints")):
        finding = cut
    if finding is not None and finding.mistake == "mask_leaks":  # is the mask looked at?
        finding = without_say(exercise, function, time_limit) or finding
    if (finding is not None and finding.mistake not in VAGUE) or not isinstance(found[first], Returned):
        return finding
    ways: tuple[Callable[[], Finding | None], ...] = (
        lambda: silent_or_scaled(exercise, function, time_limit, seed),
        lambda: asked_otherwise(exercise, known, found),
        lambda: broken_property(exercise, function, time_limit, seed),
    )
    for look in ways:
        with np.errstate(all="ignore"), contextlib.suppress(*CANNOT_LOOK):
            said = look()
            if said is not None:
                return said
    return finding


def only_for_ints(exercise: Exercise, found: Sequence[Outcome], known: Known) -> Finding | None:
    """See that all is right but where arrays of int come: they cannot hold what is written into them."""
    wrong = [i for i, (a, b) in enumerate(zip(found, known.expected)) if not _is_right(exercise, a, b)]
    if not wrong or len(found) < len(known.cases) or not all(isinstance(found[i], Returned) for i in wrong):
        return None
    if not all(has_ints(known.cases[i].arguments, known.cases[0].arguments) for i in wrong):
        return None
    changed = all(isinstance(one, Returned) and one.changed for one in (found[i] for i in wrong))
    return Finding("changes_input" if changed else "cut_off_by_ints")


def asked_otherwise(exercise: Exercise, known: Known, found: Sequence[Outcome]) -> Finding | None:
    """Name the change of an argument that explains all that is wrong, edges left aside."""
    if exercise.play is not direct or exercise.may_return_none:
        return None
    usual = [i for i, case in enumerate(known.cases) if not case.hard and i < len(found)]
    arguments = arguments_of([known.cases[i] for i in usual])
    return another_question(exercise, arguments, [found[i] for i in usual], [known.expected[i] for i in usual])


def _is_as_given(exercise: Exercise, found: list[Outcome], known: Known) -> bool:
    """Whether an answer does in every case what the function with the bug does."""
    stub = run_trusted(exercise, compile_function(exercise.stub, exercise.name), arguments_of(known.cases))
    return len(found) == len(stub) and all(map(same, found, stub))


def _said(mistake: str, finding: Finding) -> str:
    """Return what is said about a mistake, with what was seen filled in."""
    title, sentence = MISTAKES[mistake]
    if finding.values:
        title, sentence = title.format(**finding.values), sentence.format(**finding.values)
    return MESSAGES["named"].format(title=title, sentence=sentence)


def finding_of(exercise: Exercise, found: list[Outcome], known: Known, first: int) -> Finding | None:
    """Name the mistake: one that agrees exactly, else one that a rule sees."""
    if any(isinstance(outcome, TimeUp | NotTried) for outcome in found):
        return None
    hard = known.cases[first].hard
    group = [i for i, case in enumerate(known.cases) if not case.hard]
    if hard:  # right in all others, so what agrees must be so too
        group = list(range(len(known.cases)))
    if not all(_kinds_agree(exercise, found[i], known.expected[i]) for i in group):
        return None  # whole numbers were asked for: the sentence says so
    name = name_mistake(
        exercise, [known.cases[i] for i in group], [found[i] for i in group], [known.expected[i] for i in group]
    )
    if name is not None:
        return Finding(name)
    n_parts = len(exercise.parts) - exercise.counts
    uncounted = [(without_counts(a, n_parts), without_counts(b, n_parts)) for a, b in zip(found, known.expected)]
    if exercise.counted_too_often and all(same(*pair) for pair in uncounted):
        return Finding(exercise.counted_too_often)
    seen = [_as_seen(exercise, case, *pair) for case, pair in zip(known.cases, uncounted) if case.hard == hard]
    finding = _first_heard((*FIRST, *exercise.rules), seen)
    if finding is None:
        name = name_in_wrong_cases(
            exercise, [known.cases[i] for i in group], [found[i] for i in group], [known.expected[i] for i in group]
        )
        finding = Finding(name) if name is not None else _first_heard(LAST, seen)
    return finding


def _first_heard(rules: Sequence[Rule], seen: Sequence[Seen]) -> Finding | None:
    return next((finding for rule in rules if (finding := _heard(rule, seen))), None)


@np.errstate(all="ignore")
def _heard(rule: Rule, seen: Sequence[Seen]) -> Finding | None:
    """Return what a rule finds; None where the numbers are such that it cannot look."""
    try:
        return rule(seen)
    except CANNOT_LOOK:
        return None


def _kinds_agree(exercise: Exercise, outcome: Outcome, needed: Outcome) -> bool:
    return (
        not isinstance(outcome, Returned)
        or not isinstance(needed, Returned)
        or all(
            right_kind(exercise, had, right) or not same_array(had, right)
            for had, right in zip(outcome.parts, needed.parts)
        )
    )


def _as_seen(exercise: Exercise, case: Case, outcome: Outcome, needed: Outcome) -> Seen:
    """Return a case as rules see it; an outcome without numbers has no parts."""
    assert isinstance(needed, Returned)
    names = dict(zip(exercise.argument_names(), case.arguments))
    pieces = outcome.pieces if isinstance(outcome, Returned | Unusable) else ()
    parts = outcome.parts if isinstance(outcome, Returned) else ()
    error = outcome.text if isinstance(outcome, Raised) else ""
    return Seen(names, parts, needed.parts, _is_right(exercise, outcome, needed), pieces, error)


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
