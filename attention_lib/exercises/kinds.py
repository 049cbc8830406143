"""Exercises of other kinds than "write this function".

Find the bug: `Exercise` with `has_bug=True`, whose stub is a short function that runs and is wrong.
Write the test that tells two functions apart: `writing_a_test`, judged by right functions and known mistakes.
Predict the shape, choose the mask: `blanks`, a dictionary to fill in.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..mistakes.sentences import MISTAKES
from .exercise import Arguments, Blank, Exercise, Finding, Function, Seen
from .result import CheckResult
from .runner import NotTried, Raised, Refused, Unusable
from .sources import text_of

MESSAGES = {
    "right function": "a function that is right",
    "wrong function": "a function with a mistake: {title}",
    "passed": "Passed: all {n} are right.",
    "not tried": "Not tried yet. Write something in the place of each `...` above, run it, then run this cell again.",
    "no dictionary": "It needs the dictionary above, with its {n} names.",
    "names": "These names are missing: {missing}. Leave the names as they are, and write behind them.",
    "open": "Not yet. Still open: {names}.",
    "still open": "Still open: {names}.",
    "none in quotes": '{name}: None is nothing, and counts as open. The answer "none" is a word, in quotes.',
    "follows": "It follows from {first} above, which is not right yet: mend that first.",
    "not yet": "Not yet: {right} of {total} are right.",
    "line": "{name}: {given} is not it. {sentence}",
    "text": "It is text. A shape is a tuple of numbers, without quotes: (5, 12), say.",
    "one number": "It is one number. A shape lists the length of each axis, as a tuple: (5, 12), say.",
    "axes": "It has {had} axes, and {needed} are needed. {hint}",
    "word": "It is none of the words to choose from: {words}.",
}


# Tests that tell functions apart


class Subject:
    """A function that a learner's test is given; its name says whether it is right."""

    def __init__(self, function: Function, mistake: str | None) -> None:
        self.function, self.mistake = function, mistake

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self.function(*arguments, **options)

    def __repr__(self) -> str:
        if self.mistake is None:
            return MESSAGES["right function"]
        return MESSAGES["wrong function"].format(title=MISTAKES[self.mistake].title)


def subjects(right: Sequence[Function], wrong: Mapping[str, Any]) -> Callable[[Any], list[Arguments]]:
    """Return the cases of a test exercise: functions that must be let through, then known mistakes."""
    cases = [Subject(function, None) for function in right]
    for mistake, forms in wrong.items():
        cases += [Subject(form, mistake) for form in (forms if isinstance(forms, tuple) else (forms,))]
    return lambda rng: [(case,) for case in cases]


def play_test(call: Function, function: Any) -> Any:
    """Give a function to the learner's test; True where the test lets it through.

    A test may return True or False, or hold `assert` lines. An error that a wrong function runs into tells it apart.
    """
    try:
        verdict = call(function)
    except Refused as refused:
        raised = refused.outcome
        if isinstance(raised, Raised) and (raised.kind == "AssertionError" or function.mistake is not None):
            return np.bool_(False)
        raise
    if verdict is None:  # all its assert lines held, where it has some
        return np.bool_(function.mistake is not None or _may_hold_assert(call))
    if verdict is Ellipsis or verdict is NotImplemented:
        raise Refused(NotTried(repr(verdict)))
    if not isinstance(verdict, bool | np.bool_):
        raise Refused(Unusable(_kind_of(verdict), 1))
    return np.bool_(verdict)


def _may_hold_assert(call: Function) -> bool:
    """Whether a learner's test has an `assert`; True where its source is not to be had."""
    text = text_of(call)
    return not text or "assert" in text


def _kind_of(verdict: Any) -> str:
    """Return what a value is that is no verdict: an array of bool or of numbers, a number, or its type."""
    if isinstance(verdict, np.ndarray) and verdict.dtype.kind in "buif":
        return "bool array" if verdict.dtype == bool else "number array"
    return "number" if isinstance(verdict, int | float | np.number) else type(verdict).__name__


def tells_apart(seen: Sequence[Seen]) -> Finding | None:
    """Say what a test lets through, or refuses, that it must not."""
    if not all(one.found for one in seen):
        return None
    let = [bool(one.found[0]) for one in seen]
    if all(let):
        return Finding("accepts_everything")
    if not any(let):
        return Finding("refuses_everything")
    subjects = [next(iter(one.arguments.values())) for one in seen]
    missed = [subject for subject, one in zip(subjects, seen) if not one.right]
    refused = [subject for subject in missed if subject.mistake is None]
    if refused:
        every = len(refused) == sum(subject.mistake is None for subject in subjects)
        return Finding("refuses_every_right" if every else "refuses_right")
    return Finding("lets_through", {"title": MISTAKES[missed[0].mistake].title, "n": len(missed)}) if missed else None


def writing_a_test(*, right: Sequence[Function], wrong: Mapping[str, Any], **record: Any) -> Exercise:
    """Return the exercise of writing a test.

    Parameters
    ----------
    right : sequence of callables
        Functions that the test must let through.
    wrong : dict of str to callable, or to a tuple of them
        Name of a mistake, as in `mistakes.MISTAKES` -> the functions with it, which the test must refuse.
    record
        The other fields of `Exercise`. `solution` is a test that tells all of them apart; `others` are two more.
    """
    return Exercise(
        cases=subjects(right, wrong),
        play=play_test,
        may_return_none=True,
        rules=(tells_apart,),
        wrong={"accepts_everything": lambda function: True, "refuses_everything": lambda function: False},
        **record,
    )


# Blanks to fill in


def check_blanks(exercise: Exercise, answers: Any) -> CheckResult:
    """Compare what was filled in with what is right, blank by blank."""
    assert exercise.blanks is not None
    name, blanks = exercise.name, exercise.blanks
    if not isinstance(answers, Mapping):
        return CheckResult(name, "type", MESSAGES["no dictionary"].format(n=len(blanks)))
    missing = [key for key in blanks if key not in answers]
    if missing:
        return CheckResult(name, "type", MESSAGES["names"].format(missing=", ".join(missing)))
    left = [key for key in blanks if answers[key] is None or answers[key] is Ellipsis]
    if len(left) == len(blanks):
        return CheckResult(name, "not tried", MESSAGES["not tried"])
    wrong = [key for key in blanks if key not in left and not fits(answers[key], blanks[key].right)]
    if not wrong and not left:
        return CheckResult(name, "passed", MESSAGES["passed"].format(n=len(blanks)))
    lines = [_said(key, answers, blanks) for key in wrong]
    lines += [MESSAGES["none in quotes"].format(name=key) for key in left if _means_none(answers[key], blanks)]
    right = len(blanks) - len(wrong) - len(left)
    message = MESSAGES["not yet"].format(right=right, total=len(blanks))
    if not wrong:
        message = MESSAGES["open"].format(names=", ".join(left))
    elif left:
        lines.append(MESSAGES["still open"].format(names=", ".join(left)))
    yours = {key: answers[key] for key in (*wrong, *left)}
    return CheckResult(name, "differs", message, None, "\n".join(lines), (), yours)


def fits(given: Any, right: Any) -> bool:
    """Whether an answer is the right one: a shape as a tuple or a list, words in any case.

    Examples
    --------
    >>> fits([2, 3], (2, 3)), fits(" Causal", "causal"), fits((3, 2), (2, 3))
    (True, True, False)
    """
    if isinstance(right, str):
        return isinstance(given, str) and _parts_of(given) == _parts_of(right)
    if isinstance(right, tuple):
        is_shape = isinstance(given, tuple | list | np.ndarray) and all(_is_whole(size) for size in given)
        return is_shape and tuple(int(size) for size in given) == right
    return _is_whole(given) and not isinstance(given, bool) and int(given) == right


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _parts_of(words: str) -> list[str]:
    """Return the parts of "causal and padding", in whatever order they stand."""
    return sorted(part.strip() for part in words.casefold().replace("+", " and ").split(" and "))


def _means_none(given: Any, blanks: Mapping[str, Blank]) -> bool:
    """Whether None was written where "none" is one of the words to choose from."""
    return given is None and any("none" in (blank.right, *blank.wrong) for blank in blanks.values())


def _said(name: str, answers: Mapping[str, Any], blanks: Mapping[str, Blank]) -> str:
    given, blank = answers[name], blanks[name]
    reason = next((said for answer, said in blank.wrong.items() if fits(given, answer)), None)
    if reason is None and blank.follows and _follows(given, answers[blank.follows], blank, blanks[blank.follows]):
        reason = MESSAGES["follows"].format(first=blank.follows)
    sentence = (_of_another_form(given, blank, blanks) or blank.hint) if reason is None else reason
    shown = repr(given) if isinstance(given, str) and not isinstance(blank.right, str) else given
    return MESSAGES["line"].format(name=name, given=shown, sentence=sentence).rstrip()


def _follows(given: Any, first: Any, blank: Blank, before: Blank) -> bool:
    """Whether a shape is an earlier wrong one with the axes in front that the right one has too."""
    if not all(isinstance(one, tuple | list) for one in (given, first)) or fits(first, before.right):
        return False
    front = len(blank.right) - len(before.right)
    return tuple(given) == (*blank.right[:front], *first)


def _of_another_form(given: Any, blank: Blank, blanks: Mapping[str, Blank]) -> str:
    """Say that an answer is no shape, has another number of axes, or is none of the words; "" otherwise."""
    if isinstance(blank.right, tuple):
        if isinstance(given, str):
            return MESSAGES["text"]
        if _is_whole(given):
            return MESSAGES["one number"]
        if isinstance(given, tuple | list) and len(given) != len(blank.right):
            return MESSAGES["axes"].format(had=len(given), needed=len(blank.right), hint=blank.hint)
    if isinstance(blank.right, str) and isinstance(given, str):
        words = {str(word): None for one in blanks.values() for word in (one.right, *one.wrong)}
        if not any(fits(given, word) for word in words):
            return MESSAGES["word"].format(words=", ".join(f'"{word}"' for word in words))
    return ""
