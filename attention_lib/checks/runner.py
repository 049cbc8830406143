"""Play the cases of an exercise with a function, and write down what came of each: numbers, an error, nothing usable.

A learner's function is given copies, and nothing that it does is raised here.
"""

import ast
import contextlib
import copy
import linecache
import types
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._words import _
from .exercise import Arguments, Exercise, Function

Arrays = tuple[np.ndarray, ...]
NUMBERS = "buif"  # NumPy's kinds of bool, unsigned, int and float


@dataclass(frozen=True, eq=False)
class Returned:
    """Numbers came: one array for each part, and the names of the arguments that were changed in place."""

    parts: Arrays
    changed: tuple[str, ...] = ()


@dataclass(frozen=True)
class NotTried:
    """`...`, None or NotImplemented came."""

    returned: str


@dataclass(frozen=True)
class Unusable:
    """Something came that is not what was asked for: its type, or the shape with which a case cannot go on."""

    returned: str


@dataclass(frozen=True)
class Raised:
    """An error came: where in the learner's own code, and the shapes of the arrays that this line names."""

    kind: str
    text: str
    line: int | None = None
    code: str = ""
    shapes: str = ""


@dataclass(frozen=True)
class TimeUp:
    """Nothing came in time: the line it was at."""

    line: int | None = None
    code: str = ""


Outcome = Returned | NotTried | Unusable | Raised | TimeUp


class TimeIsUp(BaseException):
    """Raised inside a thread that runs a learner's function, to end it."""


class Ended(Exception):
    """Carries an outcome out of the middle of a case."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


def run_cases(exercise: Exercise, function: Function, cases: Sequence[Arguments]) -> list[Outcome]:
    """Play every case, here and now."""
    with np.errstate(all="ignore"), warnings.catch_warnings():  # overflow and NaN are looked for in the result
        warnings.simplefilter("ignore")
        return [run_case(exercise, function, arguments) for arguments in cases]


def run_case(exercise: Exercise, function: Function, arguments: Arguments) -> Outcome:
    """Play one case. A learner's test gives True where it accepts the function of the case.

    A test returns True or False, or holds `assert` lines. An error that a wrong function runs into tells it apart.
    """
    given: Arguments = copy.deepcopy(arguments)
    try:
        result = function(*given)
    except NotImplementedError:
        return NotTried("NotImplementedError")
    except TimeIsUp:
        raise
    except BaseException as error:  # SystemExit too: a learner's exit() must not end the notebook
        raised = _raised(error, function)
        is_refused = exercise.is_test and (raised.kind == "AssertionError" or arguments[0].fault)
        return Returned((np.array(False),)) if is_refused else raised
    if exercise.is_test and result is None:
        result = True  # no `assert` failed
    if result is None or result is Ellipsis or result is NotImplemented:
        return NotTried(repr(result))
    try:
        parts = _as_parts(result, len(exercise.parts))
    except Ended as ended:
        return ended.outcome
    if exercise.is_test and (parts[0].ndim or parts[0].dtype != bool):
        return Unusable(_describe_type(result))
    names = exercise.argument_names()
    changed = [name for name, now, before in zip(names, given, arguments) if not _is_equal(now, before)]
    return Returned(parts, tuple(changed))


def _as_parts(value: Any, n_parts: int) -> Arrays:
    if n_parts == 1:
        return (_as_numbers(value),)
    if isinstance(value, np.ndarray) and value.shape == (n_parts,):
        value = tuple(value)  # two numbers in one array are two numbers
    if not isinstance(value, tuple | list) or len(value) != n_parts:
        raise Ended(Unusable(_describe_type(value)))
    return tuple(_as_numbers(part) for part in value)


def _as_numbers(part: Any) -> np.ndarray:
    if part is None or part is Ellipsis:
        raise Ended(NotTried(repr(part)))
    try:
        array = np.array(part)
    except Exception:  # rows of different lengths, or an object of the learner's own that raises
        raise Ended(Unusable(_describe_type(part))) from None
    if array.dtype.kind not in NUMBERS:
        raise Ended(Unusable(_describe_type(part)))
    return array


def _describe_type(value: Any) -> str:
    name = type(value).__name__
    if isinstance(value, np.ndarray):
        sentence = _("{name} of shape {shape} and dtype {dtype}")
        return sentence.format(name=name, shape=value.shape, dtype=value.dtype)
    if isinstance(value, tuple | list):
        return _("{name} of length {n}").format(name=name, n=len(value))
    return name


def _is_equal(now: Any, before: Any) -> bool:
    if callable(now):
        return True
    if type(now) is not type(before):
        return False
    if isinstance(now, list | tuple):
        return len(now) == len(before) and all(map(_is_equal, now, before))
    if isinstance(now, np.ndarray):
        return now.shape == before.shape and np.array_equal(now, before, equal_nan=now.dtype.kind == "f")
    return bool(now == before)


def _raised(error: BaseException, function: Function) -> Raised:
    """Find the last line of the learner's own file in a traceback."""
    frame, number = None, None
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == file_of(function):
            frame, number = step.tb_frame, step.tb_lineno
        step = step.tb_next
    text = ""
    with contextlib.suppress(Exception):  # an error of the learner's own that cannot say what it is
        text = str(error)
    if frame is None or number is None:
        return Raised(type(error).__name__, text)
    line, code = line_of(frame.f_code.co_filename, number)
    return Raised(type(error).__name__, text, line, code, _shapes_in(code, frame))


def file_of(function: Function) -> str | None:
    """Return the name of the file, or of the cell, that defines a function."""
    code = getattr(function, "__code__", None)
    return code.co_filename if code else None


def line_of(filename: str, number: int) -> tuple[int, str]:
    return number, linecache.getline(filename, number).strip()


def _shapes_in(code: str, frame: types.FrameType) -> str:
    """Return the shapes of the arrays that a line names: "weights (2, 3), V (4, 2)"."""
    shapes: dict[str, tuple[int, ...]] = {}
    with contextlib.suppress(SyntaxError):
        names = [node.id for node in ast.walk(ast.parse(code.removesuffix(":"))) if isinstance(node, ast.Name)]
        values = [(name, frame.f_locals.get(name)) for name in names]
        shapes = {name: value.shape for name, value in values if isinstance(value, np.ndarray) and value.ndim}
    return ", ".join(f"{name} {shape}" for name, shape in shapes.items())
