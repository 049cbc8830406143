"""`check`: run an answer on the hidden cases, and say in plain words what is wrong with it.

A mistake is named only where the answer agrees with that mistake on every case:
nothing is guessed.
"""

import difflib
import functools
import html
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..mistakes.recipes import AND
from ..mistakes.sentences import MISTAKES
from .exercise import Arguments, Exercise, Function, count_loops
from .progress import PROGRESS
from .registry import EXERCISES
from .runner import NotTried, Outcome, Raised, Returned, TimeUp, Unusable, run_cases

RELATIVE, ABSOLUTE = 1e-5, 1e-6  # float32 answers pass; the known mistakes are far outside
SEED = 2017

MESSAGES = {
    "passed": "Passed: right in all {n} cases.",
    "few loops": " It has fewer than {asked} loops. The loops are the point here: they show, one number at a time, "
    "what the matrix form does at once. If you have a minute, write them too.",
    "loops": " It has a loop in it. The point here is to do without: a matrix product goes over all rows by itself. "
    "If you have a minute, write it that way too.",
    "not yet": "Not yet.",
    "two": "Not yet. Two mistakes at once.",
    "not tried": "Not tried yet. Write the function in the cell above, run it, then run this cell again.",
    "nothing": "It returned None. Is the `return` line missing?",
    "unknown": "There is no exercise called {name!r}.",
    "did you mean": " Did you mean {name!r}?",
    "not callable": "check needs the function itself, without brackets after it: check({name!r}, {name}).",
    "raised": "Your code raised {kind}{text}{where}.",
    "where": ", at line {line}",
    "where code": ", at line {line}: {code}",
    "time up": "No answer after {seconds:g} seconds{where}. Is there a loop that does not end?",
    "type one": "It returned a value of type {returned}; it needs an array of numbers.",
    "type trace": "It returned a whole {returned}; return only the array that is asked for.",
    "type parts": "It returned {returned}; it needs {n_parts} things in this order: {parts}.",
    "type bool": "{Part} holds {dtype}; it needs bool, True or False in every place.",
    "shape": "{Part} has shape {had}; it needs {needed}.",
    "nan": "{Part} is {value} at {index}; it needs {needed}.",
    "differs": "{Part} is {value} at {index}; it needs {needed}.",
    "differs number": "{Part} is {value}; it needs {needed}.",
    "changed": "The answer is right, but it changed its input {names}. {sentence}",
    "case": "Case {i} of {n}, the smallest that fails:",
}


@dataclass(frozen=True)
class CheckResult:
    """What a check found. `status` and `mistake` are for programs, the rest is for reading.

    Attributes
    ----------
    exercise : str
    status : str
        "passed", "not tried", "mistake", "raised", "time up", "type", "shape",
        "nan", "differs", "changed" or "unknown".
    message : str
        One or two plain sentences.
    mistake : str or None
        Key into `mistakes.MISTAKES`, where the mistake is a known one; two keys with " + " for two at once.
    example : str
        The smallest case that fails, or "".
    """

    exercise: str
    status: str
    message: str
    mistake: str | None = None
    example: str = ""

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return self.status == "passed"

    def __repr__(self) -> str:
        head = f"{self.exercise}: {self.message}"
        return f"{head}\n{self.example}" if self.example else head

    def _repr_html_(self) -> str:
        colour = {"passed": "#0072B2", "not tried": "#767676"}.get(self.status, "#D55E00")
        example = f"<pre style='margin:4px 0 0'>{html.escape(self.example)}</pre>" if self.example else ""
        return (
            f"<div style='border-left:4px solid {colour};padding:4px 10px'>"
            f"<b>{html.escape(self.exercise)}</b>: {html.escape(self.message)}{example}</div>"
        )


def check(name: str, function: Function, *, time_limit: float = 5.0) -> CheckResult:
    """Check an answer to an exercise on hidden cases and say what is wrong with it.

    Parameters
    ----------
    name : str
        Name of the exercise; `exercise_names()` lists them.
    function : callable
        The answer. It is given copies; nothing it does reaches other cases.
    time_limit : float, optional
        Seconds for all cases together.

    Returns
    -------
    CheckResult

    Examples
    --------
    >>> check("scale_scores", lambda scores, d_k: ...)
    scale_scores: Not tried yet. Write the function in the cell above, run it, then run this cell again.
    """
    exercise = EXERCISES.get(name) if isinstance(name, str) else None
    if exercise is None:
        return _unknown(name)
    if not callable(function):
        result = CheckResult(name, "type", MESSAGES["not callable"].format(name=name))
    else:
        result = diagnose(exercise, function, time_limit)
    PROGRESS.record("exercise", name, exercise.title, right=result.passed, tried=result.status != "not tried")
    return result


def diagnose(exercise: Exercise, function: Function, time_limit: float) -> CheckResult:
    """Compare an answer with the solution, then with each known mistake."""
    cases, expected, wrong = known_outcomes(exercise.name)
    found = run_cases(exercise, function, cases, time_limit)
    failing = [i for i, outcome in enumerate(found) if not same(outcome, expected[i])]
    if not failing:
        return _right(exercise, function, found)
    first = failing[0]
    outcome, example = found[first], describe_case(exercise, cases, first)
    if isinstance(outcome, NotTried):
        return CheckResult(
            exercise.name, "not tried", MESSAGES["nothing" if outcome.returned == "None" else "not tried"]
        )
    status, sentence = _describe(exercise, outcome, expected[first], time_limit)
    mistake = name_mistake(found, wrong)
    if mistake is None:
        return CheckResult(exercise.name, status, f"{MESSAGES['not yet']} {sentence}", None, example)
    named = [MISTAKES[name] for name in mistake.split(AND)]
    said = " ".join(f"{one.title}. {one.sentence}" for one in named)
    message = MESSAGES["not yet" if len(named) == 1 else "two"] + " " + said
    return CheckResult(exercise.name, "mistake", message, mistake, f"{example}\n{sentence}")


def name_mistake(found: list[Outcome], wrong: list[tuple[str, list[Outcome]]]) -> str | None:
    """Return the known mistake that gives exactly the same outcomes, or None."""
    for mistake, outcomes in wrong:
        if len(found) == len(outcomes) and all(map(same, found, outcomes)):
            return mistake
    return None


@functools.cache
def known_outcomes(name: str) -> tuple[list[Arguments], list[Outcome], list[tuple[str, list[Outcome]]]]:
    """Return the hidden cases of an exercise, and what the solution and each mistake make of them."""
    exercise = EXERCISES[name]
    cases = exercise.cases(np.random.default_rng(SEED))
    expected = run_cases(exercise, exercise.reference(), cases, time_limit=60)
    wrong: list[tuple[str, list[Outcome]]] = []
    for mistake, form in exercise.wrong_forms():
        outcomes = run_cases(exercise, form, cases, time_limit=60)
        if AND not in mistake or name_mistake(outcomes, wrong) is None:  # two at once may come out as one alone
            wrong.append((mistake, outcomes))
    return cases, expected, wrong


def same(a: Outcome, b: Outcome) -> bool:
    """Whether two outcomes agree: the same numbers within rounding, or an error in both."""
    if isinstance(a, Returned) and isinstance(b, Returned):
        return len(a.parts) == len(b.parts) and all(map(_same_array, a.parts, b.parts))
    if isinstance(a, Raised) and isinstance(b, Raised):
        return True  # which error it is depends on how the same mistake is written
    return isinstance(a, Unusable) and isinstance(b, Unusable) and a == b


def _same_array(a: NDArray[Any], b: NDArray[Any]) -> bool:
    if a.shape != b.shape or (a.dtype == bool) != (b.dtype == bool):
        return False
    return bool(np.allclose(a, b, rtol=RELATIVE, atol=ABSOLUTE, equal_nan=True))


def _right(exercise: Exercise, function: Function, found: list[Outcome]) -> CheckResult:
    changed = sorted({name for o in found if isinstance(o, Returned) for name in o.changed})
    if changed:
        sentence = MISTAKES["changes_input"].sentence
        message = MESSAGES["changed"].format(names=" and ".join(changed), sentence=sentence)
        return CheckResult(exercise.name, "changed", message, "changes_input")
    return CheckResult(exercise.name, "passed", MESSAGES["passed"].format(n=len(found)) + _remark(exercise, function))


def _remark(exercise: Exercise, function: Function) -> str:
    """Say that a right answer took another way than the one that was asked for."""
    written = None if exercise.loops is None else count_loops(function)
    if written is None or exercise.loops is None:
        return ""
    if written < exercise.loops:
        return MESSAGES["few loops"].format(asked="two" if exercise.loops == 2 else exercise.loops)
    return MESSAGES["loops"] if written and not exercise.loops else ""


def _unknown(name: Any) -> CheckResult:
    message = MESSAGES["unknown"].format(name=name)
    close = difflib.get_close_matches(str(name), EXERCISES, n=1)
    if close:
        message += MESSAGES["did you mean"].format(name=close[0])
    return CheckResult(str(name), "unknown", message)


def _describe(exercise: Exercise, outcome: Outcome, expected: Outcome, time_limit: float) -> tuple[str, str]:
    """Return the status and a sentence for one outcome that is not right."""
    if isinstance(outcome, Raised):
        text = f" ({outcome.text})" if outcome.text else ""
        return "raised", MESSAGES["raised"].format(kind=outcome.kind, text=text, where=_where(outcome))
    if isinstance(outcome, TimeUp):
        return "time up", MESSAGES["time up"].format(seconds=time_limit, where=_where(outcome))
    if isinstance(outcome, Unusable):
        key = "type one" if outcome.n_parts == 1 else "type parts"
        key = "type trace" if outcome.returned.endswith("Trace") else key
        parts = ", ".join(exercise.parts)
        return "type", MESSAGES[key].format(returned=outcome.returned, n_parts=outcome.n_parts, parts=parts)
    assert isinstance(outcome, Returned) and isinstance(expected, Returned)
    for name, had, needed in zip(exercise.parts, outcome.parts, expected.parts):
        if not _same_array(had, needed):
            return _describe_array("The " + name, had, needed)
    raise AssertionError("called for an outcome that is right")


def _describe_array(part: str, had: NDArray[Any], needed: NDArray[Any]) -> tuple[str, str]:
    """Say where an array first differs: by its type, its shape, a nan, or an entry."""
    if had.shape != needed.shape:
        return "shape", MESSAGES["shape"].format(Part=part, had=had.shape, needed=needed.shape)
    if needed.dtype == bool and had.dtype != bool:
        return "type", MESSAGES["type bool"].format(Part=part, dtype=had.dtype)
    differs = ~np.isclose(had, needed, rtol=RELATIVE, atol=ABSOLUTE, equal_nan=True)
    index = tuple(int(i) for i in np.argwhere(differs)[0])
    value, right = had[index], needed[index]
    status = "nan" if had.dtype.kind == "f" and np.isnan(value) else "differs"
    key = "differs number" if not index else status
    where = "[" + ", ".join(map(str, index)) + "]"
    said, needs = number(value), number(right)
    if said == needs:  # a rounded answer, say: write enough digits to tell the two apart
        said, needs = f"{value:.8g}", f"{right:.8g}"
    return status, MESSAGES[key].format(Part=part, value=said, index=where, needed=needs)


def _where(outcome: Raised | TimeUp) -> str:
    if outcome.line is None:
        return ""
    key = "where code" if outcome.code else "where"
    return MESSAGES[key].format(line=outcome.line, code=outcome.code)


def number(value: Any) -> str:
    """Write one number in at most four digits after the point, or as many as it needs to be seen."""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    value = value + 0  # -0.0 becomes 0
    return f"{value:.4g}" if abs(value) < 1e-3 or abs(value) >= 1e5 else f"{value:.4f}".rstrip("0").rstrip(".")


def describe_case(exercise: Exercise, cases: list[Arguments], i: int) -> str:
    """Write the input of a case: small arrays in full, large ones by their shape."""
    lines = [MESSAGES["case"].format(i=i + 1, n=len(cases))]
    for name, value in zip(exercise.argument_names(), cases[i]):
        lines.append(f"  {name} = {_written(value)}")
    return "\n".join(lines)


def _written(value: Any) -> str:
    if isinstance(value, np.ndarray):
        if value.size > 16:
            return f"array of shape {value.shape}"
        digits = np.array2string(value, precision=3, separator=", ", suppress_small=True)
        return " ".join(digits.split())
    if isinstance(value, list):
        return "[" + ", ".join(map(_written, value)) + "]"
    return repr(value)
