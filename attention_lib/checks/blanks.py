"""Check a dictionary that was filled in: shapes, numbers and words."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._words import _
from .exercise import Blank, Exercise
from .result import CheckResult


def check_blanks(exercise: Exercise, answers: Any) -> CheckResult:
    """Compare what was filled in with what is right, blank by blank."""
    name, blanks = exercise.name, exercise.blanks
    if not isinstance(answers, Mapping):
        sentence = _("The check needs the dictionary above, with its {n} names.")
        return CheckResult(name, "type", sentence.format(n=len(blanks)))
    blanks = {key if key in answers else _(key): blank for key, blank in blanks.items()}  # as in either edition
    missing = [key for key in blanks if key not in answers]
    if missing:
        sentence = _("These names are missing: {names}. Keep the names, and fill in the values after them.")
        return CheckResult(name, "type", sentence.format(names=", ".join(missing)))
    still_open = [key for key in blanks if answers[key] is None or answers[key] is Ellipsis]
    if len(still_open) == len(blanks):
        sentence = _("Not tried yet. Replace each `...` above, run the cell, then run this cell again.")
        return CheckResult(name, "not tried", sentence)
    wrong = [key for key in blanks if key not in still_open and not fits(answers[key], blanks[key].right)]
    if not wrong and not still_open:
        return CheckResult(name, "passed", _("Passed: all {n} are right.").format(n=len(blanks)))
    not_right = _("{name}: {answer!r} is not right. {reason}")
    lines = [
        not_right.format(name=key, answer=answers[key], reason=_reason(answers[key], blanks[key])).rstrip()
        for key in wrong
    ]
    if still_open:
        lines.append(_("Still open: {names}.").format(names=", ".join(still_open)))
    n_right = len(blanks) - len(wrong) - len(still_open)
    message = _("Not yet: {n} of {total} are right.").format(n=n_right, total=len(blanks))
    return CheckResult(name, "differs", message, "\n".join(lines), yours={key: answers[key] for key in wrong})


def fits(given: Any, right: Any) -> bool:
    """Whether an answer is the right one: a shape as a tuple or a list, a number as int or float, words in any case.

    Examples
    --------
    >>> fits([2, 3], (2, 3)), fits(7.0, 7), fits("padding and Causal", "causal and padding"), fits((3, 2), (2, 3))
    (True, True, True, False)
    """
    if isinstance(right, str):
        return isinstance(given, str) and _words(given) == _words(right)
    if isinstance(right, tuple):
        return (
            isinstance(given, tuple | list | np.ndarray) and len(given) == len(right) and all(map(fits, given, right))
        )
    is_number = isinstance(given, int | float | np.number) and not isinstance(given, bool)
    return is_number and float(given) == right


def _words(text: str) -> list[str]:
    """Return the parts of "causal and padding", in whatever order they stand."""
    return sorted(part.strip() for part in text.casefold().replace("+", " and ").split(" and "))


def _reason(given: Any, blank: Blank) -> str:
    for answer, sentence in blank.wrong.items():
        if fits(given, answer):
            return _(sentence)
    if isinstance(blank.right, tuple) and not isinstance(given, tuple | list):
        return _("A shape is a tuple of numbers, one for each axis, such as (5, 12).")
    if isinstance(blank.right, tuple) and len(given) != len(blank.right):
        sentence = _("The number of axes in your shape is {found}, but it should be {needed}.")
        return sentence.format(found=len(given), needed=len(blank.right)) + " " + _(blank.hint)
    return _(blank.hint)
