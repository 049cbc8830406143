"""`check`: run an answer on hidden cases, and say in plain words what is wrong with it.

The cases of an exercise are drawn at random and stay the same until an answer passes; then others are drawn. Where an
answer fails, its slip is looked for in its own source (`repair`), among slips made on purpose in the solution
(`mutants`), and in the numbers (`relations`).
"""

import ast
import contextlib
import copy
import dataclasses
import difflib
import io
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from .._words import _
from .apart import Tell, is_checking, run_apart
from .compare import Trial, same
from .describe import describe, show_case
from .edits import tree_of
from .exercise import Case, Exercise, Function, compile_function
from .mutants import name_slip
from .progress import PROGRESS
from .registry import exercises
from .relations import name_at_once, name_relation
from .repair import Repair, find_repair
from .result import CheckResult
from .runner import NotTried, Outcome, Raised, Returned, TimeUp, run_case, run_cases

MOST_PRINTED = 2_000  # characters
LONGEST_SEARCH = 1.5  # seconds for what is found out about a wrong answer besides its numbers


_trials: dict[str, Trial] = {}  # exercise -> its cases, until an answer passes
_last_repair: dict[str, Repair] = {}  # exercise -> what the last check found out but did not say


def check(name: str, function: Function, *, time_limit: float = 5.0) -> CheckResult:
    """Check an answer to an exercise on hidden cases and say what is wrong with it.

    Parameters
    ----------
    name : str
        Name of the exercise; `exercise_names()` lists them.
    function : callable
        The answer. It is given copies, and a loop that never ends is ended.
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
    exercise = exercises().get(name) if isinstance(name, str) else None
    if exercise is None:
        close = difflib.get_close_matches(str(name), exercises(), n=1)
        sentence = _("There is no exercise called {name!r}.").format(name=name)
        if close:
            sentence += " " + _("Did you mean {close!r}?").format(close=close[0])
        return CheckResult(str(name), "unknown", sentence)
    if is_checking():
        sentence = _("`check` was called inside the function that is being checked. Call it in a cell of its own.")
        return CheckResult(name, "nested", sentence)
    try:
        if callable(function):
            result = judge(exercise, function, time_limit)
        else:
            sentence = _("`check` needs the function itself, without brackets: `{call}`.")
            result = CheckResult(name, "type", sentence.format(call=f"check({name!r}, {name})"))
        PROGRESS.meet("exercise", name, exercise.title, exercise.notebook[:2])
        if result.status != "not tried":
            PROGRESS.record("exercise", name, right=result.passed)
    except Exception as error:  # a fault of ours must not look like one of the learner's
        sentence = _("The check itself failed ({error}). Your code is not to blame. Please report this error.")
        return CheckResult(name, "broken", sentence.format(error=f"{type(error).__name__}: {error}"))
    return result


def judge(exercise: Exercise, function: Function, seconds: float, seed: int | None = None) -> CheckResult:
    """Judge a function and explain what is wrong with it; with a seed, on the cases that it draws."""
    if seed is not None or exercise.name not in _trials:
        _trials[exercise.name] = draw_trial(exercise, seed)
    trial = _try_out(exercise, function, _trials[exercise.name], seconds)
    if trial.failing():
        return _refuse(exercise, function, trial, seconds)
    if len(trial.found) < len(trial.cases):
        raise RuntimeError("some cases have no outcome")
    _trials.pop(exercise.name)
    _last_repair.pop(exercise.name, None)
    return _passed(exercise, trial)


def draw_trial(exercise: Exercise, seed: int | None) -> Trial:
    """Draw the cases of an exercise, and play them with its solution."""
    cases = exercise.draw(np.random.default_rng(seed))
    return Trial(cases, run_cases(exercise, exercise.reference(), [case.arguments for case in cases]))


def _try_out(exercise: Exercise, function: Function, trial: Trial, seconds: float) -> Trial:
    """Run an answer on all cases; what it prints in the first appears once."""

    def run_all(tell: Tell) -> None:
        with _silence() as printed:
            for i, case in enumerate(trial.cases):
                outcome = run_case(exercise, function, case.arguments)
                if i == 0:
                    tell(printed.getvalue()[:MOST_PRINTED])
                tell(outcome)

    findings, ending = run_apart(run_all, function, seconds)
    print(*findings[:1], end="")
    last = [] if ending is None else [ending]  # the outcome of the case it was at
    return dataclasses.replace(trial, found=[*findings[1:], *last])


def _search(exercise: Exercise, function: Function, trial: Trial, first: int) -> tuple[str, Repair | None]:
    """Say where NaN first comes up in case `first`, which fails, and look for a repair; not for long."""

    def search(tell: Tell) -> None:
        with _silence():
            tell(_line_of_nan(exercise, function, trial.cases[first]))
            tell(find_repair(exercise, function, trial, first))

    findings, _ending = run_apart(search, function, LONGEST_SEARCH)
    return findings[0] if findings else "", findings[1] if len(findings) > 1 else None


@contextlib.contextmanager
def _silence() -> Iterator[io.StringIO]:
    """Collect what is printed, and let NumPy and Python warn of nothing."""
    with contextlib.redirect_stdout(io.StringIO()) as printed, np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield printed


def _line_of_nan(exercise: Exercise, function: Function, case: Case) -> str:
    """Say in which line NaN first comes up; "" where none does."""
    with np.errstate(invalid="raise"):
        stopped = run_case(exercise, function, case.arguments)
    if not isinstance(stopped, Raised) or stopped.kind != "FloatingPointError" or stopped.line is None:
        return ""
    return _("NaN first comes up in line {line}, `{code}`.").format(line=stopped.line, code=stopped.code)


def _passed(exercise: Exercise, trial: Trial) -> CheckResult:
    changed = sorted({name for one in trial.found if isinstance(one, Returned) for name in one.changed})
    if changed:
        sentence = _(
            "The answer is right, but your function changed its input ({names}). Any code that uses that array later "
            "will find different numbers in it. Instead of `x /= 2`, write `x = x / 2`, which makes a new array."
        )
        return CheckResult(exercise.name, "changed", sentence.format(names=", ".join(changed)))
    sentence = _("Passed: right in all {n} cases.")
    return CheckResult(exercise.name, "passed", sentence.format(n=len(trial.cases)))


def _refuse(exercise: Exercise, function: Function, trial: Trial, seconds: float) -> CheckResult:
    """Say what is wrong, with the smallest case that shows it."""
    first = trial.failing()[0]
    case, outcome, needed = trial.cases[first], trial.found[first], trial.needed[first]
    if isinstance(outcome, NotTried) and not any(isinstance(one, Returned) for one in trial.found):
        sentence = _("Not tried yet. Write the function in the cell above, run it, then run this cell again.")
        if outcome.returned == "None":
            sentence = _("Your function returned None. Is the `return` line missing?")
        return CheckResult(exercise.name, "not tried", sentence)
    is_whole = len(trial.found) == len(trial.cases) and not any(isinstance(one, TimeUp) for one in trial.found)
    nan_line, repair = _search(exercise, function, trial, first) if is_whole else ("", None)
    if exercise.has_bug and _is_as_given(exercise, trial):
        sentence = _("The bug is still there: in every case, the function returns what it returned at the start.")
        trees = [tree_of(one) for one in (function, compile_function(exercise.stub, exercise.name))]
        is_rewritten = all(trees) and ast.dump(trees[0]) != ast.dump(trees[1])  # type: ignore[arg-type]
        place = _place_of(exercise, repair) if is_rewritten else ""
        return CheckResult(exercise.name, "not tried", f"{sentence} {place}".rstrip())
    status, described = describe(exercise, outcome, needed, seconds)
    if exercise.is_test and not _value(needed):
        repair = None  # it accepts a wrong function because it lacks a test: no line that is there is wrong
    finding = ""
    if is_whole and status != "type":
        finding = name_at_once(exercise, trial) or name_slip(exercise, trial) or name_relation(exercise, trial)
        finding = finding or (_name_unused(function) if status != "raised" else "")
    place = _place_of(exercise, repair)
    where = place or (nan_line if "NaN" in finding else "")
    message = " ".join(part for part in (_("Not yet."), finding or described, where) if part)
    example = "" if exercise.is_test else show_case(exercise, case, outcome, needed)
    if finding and not exercise.is_test:
        example = f"{described}\n{example}"
    yours, right = (_value(one) for one in (outcome, needed))
    status = "mistake" if finding or place else status
    inputs = copy.deepcopy(case.arguments)  # whoever changes them changes no later check
    return CheckResult(exercise.name, status, message, example, inputs, yours, right)


def _name_unused(function: Function) -> str:
    """Say that the answer never uses one of its arguments; "" where it uses all, or its source is not to be had."""
    tree = tree_of(function)
    if tree is None:
        return ""
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    unused = [argument.arg for argument in tree.args.args if argument.arg not in used]
    return _("`{name}` is never used. What is it for?").format(name=unused[0]) if unused else ""


def _is_as_given(exercise: Exercise, trial: Trial) -> bool:
    """Whether an answer does in every case what the function with the bug does."""
    stub = run_cases(exercise, compile_function(exercise.stub, exercise.name), [case.arguments for case in trial.cases])
    return len(trial.found) == len(stub) and all(map(same, trial.found, stub))


def _place_of(exercise: Exercise, repair: Repair | None) -> str:
    """Say where the slip is; when the same place fails again, also what would put it right."""
    before = _last_repair.pop(exercise.name, None)
    if repair is None:
        return ""
    _last_repair[exercise.name] = repair
    lines = _(" and ").join(map(str, repair.lines))
    place = _("One change in line {lines} is enough, at `{code}`.")
    if len(repair.lines) > 1:
        place = _("One change in lines {lines} is enough, at `{code}`.")
    place = place.format(lines=lines, code=repair.piece)
    if before is None or before.piece != repair.piece or not repair.replacement:
        return place
    return f"{place} " + _("With `{code}` in its place, every case is right.").format(code=repair.replacement)


def _value(outcome: Outcome) -> Any:
    if not isinstance(outcome, Returned):
        return None
    parts = copy.deepcopy(outcome.parts)
    return parts[0] if len(parts) == 1 else parts
