"""Which sentence is said about a mistake: the usual one, or one in the words of this task, this answer, this case."""

from collections.abc import Callable, Mapping

import numpy as np

from ..mistakes.said_in_other_words import ALL_EXPS_0, ALONG_AXIS, OF_THE_SCORES, WITHOUT_A_POWER
from ..mistakes.sentences import MISTAKES, Mistake
from .exercise import Arguments, Exercise, Function
from .runner import Raised, run_cases
from .sources import text_of

A_SECOND = 1.0


def words_for(mistake: str, exercise: Exercise, function: Function, arguments: Arguments) -> Mistake:
    """Return title and sentence of a mistake; `arguments` are those of the case that is shown."""
    title, sentence = MISTAKES[mistake]
    for others, fit in OTHERS:
        if mistake in others and fit(exercise, function, arguments):
            return Mistake(title, others[mistake])
    return Mistake(title, sentence)


def _has_axis(exercise: Exercise, function: Function, arguments: Arguments) -> bool:
    return "axis" in exercise.argument_names()


def _has_no_queries(exercise: Exercise, function: Function, arguments: Arguments) -> bool:
    return not {"Q", "W_Q"} & set(exercise.argument_names())


def _writes_no_power(exercise: Exercise, function: Function, arguments: Arguments) -> bool:
    return "**" not in (text_of(function) or "**")


def _nothing_overflows(exercise: Exercise, function: Function, arguments: Arguments) -> bool:
    """Whether the answer runs through the case that is shown without an overflow."""

    def strict(*given: object) -> object:
        with np.errstate(all="ignore", over="raise"):
            return function(*given)

    came = run_cases(exercise, strict, [arguments], A_SECOND)
    return bool(came) and not isinstance(came[0], Raised)


OTHERS: tuple[tuple[Mapping[str, str], Callable[[Exercise, Function, Arguments], bool]], ...] = (
    (ALONG_AXIS, _has_axis),
    (OF_THE_SCORES, _has_no_queries),
    (WITHOUT_A_POWER, _writes_no_power),
    (ALL_EXPS_0, _nothing_overflows),
)
