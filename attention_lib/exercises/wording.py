"""Which sentence is said about a mistake: the usual one, or one in the words of this task, this answer, this case."""

from collections.abc import Callable, Mapping

import numpy as np

from ..mistakes.said_in_other_words import (
    ALL_EXPS_0,
    ALONG_AXIS,
    NO_MASK_GIVEN,
    OF_THE_SCORES,
    OF_THE_SOURCE,
    WITHOUT_A_POWER,
    WITHOUT_TILE,
)
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


def _is_given_no_mask(exercise: Exercise, function: Function, arguments: Arguments) -> bool:
    return not {"mask", "lengths"} & set(exercise.argument_names())


def _has_a_source(exercise: Exercise, function: Function, arguments: Arguments) -> bool:
    return "source" in exercise.argument_names()


def _tiles_nothing(exercise: Exercise, function: Function, arguments: Arguments) -> bool:
    return "tile" not in (text_of(function) or "tile")


def _writes_no_power(exercise: Exercise, function: Function, arguments: Arguments) -> bool:
    return "**" not in (text_of(function) or "**")


def _nothing_overflows(exercise: Exercise, function: Function, arguments: Arguments) -> bool:
    """Whether nan comes of the case that is shown without an overflow: of 0 / 0."""
    if "errstate" in text_of(function):  # what it does with an overflow is its own affair
        return False

    def strict(kind: str) -> Function:
        def run(*given: object) -> object:
            with np.errstate(**{"all": "ignore"} | {kind: "raise"}):  # type: ignore[arg-type]
                return function(*given)

        return run

    came = [run_cases(exercise, strict(kind), [arguments], A_SECOND)[:1] for kind in ("over", "invalid")]
    return [bool(one) and isinstance(one[0], Raised) for one in came] == [False, True]


OTHERS: tuple[tuple[Mapping[str, str], Callable[[Exercise, Function, Arguments], bool]], ...] = (
    (ALONG_AXIS, _has_axis),
    (OF_THE_SCORES, _has_no_queries),
    (WITHOUT_A_POWER, _writes_no_power),
    (NO_MASK_GIVEN, _is_given_no_mask),
    (OF_THE_SOURCE, _has_a_source),
    (WITHOUT_TILE, _tiles_nothing),
    (ALL_EXPS_0, _nothing_overflows),
)
