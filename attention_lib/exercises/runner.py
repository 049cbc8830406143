"""Run a learner's function on the hidden cases, safely: copies in, outcomes out, and a time limit.

The function runs in a daemon thread. When time is up, an exception is raised
inside that thread, which ends a Python loop on Linux, macOS and Windows alike.
What waits or loops in C hears no exception; `apart` tries it in a process that
can be ended, where a watchdog ends what outlasts its time.
"""

import contextlib
import contextvars
import copy
import ctypes
import linecache
import signal
import sys
import threading
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .exercise import Arguments, Exercise, Function, Operands
from .sources import operands_at

MESSAGES = {
    "several": "{kind} of {n}",
    "array": "ndarray of dtype {dtype}",
}

Arrays = tuple[NDArray[Any], ...]
CHECKING: contextvars.ContextVar[bool] = contextvars.ContextVar("checking", default=False)


@dataclass(frozen=True, eq=False)
class Returned:
    """The function returned numbers: one array for each part, and the arguments it changed.

    `pieces` are the things of a tuple that came where one array was asked for.
    """

    parts: Arrays
    changed: tuple[str, ...] = ()
    pieces: Arrays = ()


@dataclass(frozen=True)
class NotTried:
    """The function returned `...`, None or NotImplemented."""

    returned: str


@dataclass(frozen=True)
class Unusable:
    """The function returned something that is not what was asked for."""

    returned: str
    n_parts: int
    pieces: Arrays = field(default=(), compare=False)
    shape: tuple[int, ...] | None = None  # of an array of numbers with which the case cannot be played on


@dataclass(frozen=True)
class Raised:
    """The function raised; where in the learner's own code, if that is known."""

    kind: str
    text: str
    line: int | None
    code: str
    operands: Operands | None = field(default=None, compare=False)  # of a product that did not fit


@dataclass(frozen=True)
class TimeUp:
    """The function did not return in time; the line it was at."""

    line: int | None
    code: str


@dataclass(frozen=True)
class Died:
    """The function ended the process that it ran in; the signal's name or the exit code."""

    how: str


Outcome = Returned | NotTried | Unusable | Raised | TimeUp


class _Stop(BaseException):
    """Raised inside the learner's thread when time is up."""


_running: set[threading.Thread] = set()

GRACE = 1.0  # seconds after the time limit in which a loop of Python is ended
may_be_ended = False  # whether this process is a copy of the kernel, in which an alarm ends it


def is_checking() -> bool:
    """Whether this is called inside a function that is being checked, or by a thread that such a one started."""
    return CHECKING.get() or bool(_running)


def run_cases(exercise: Exercise, function: Function, cases: list[Arguments], time_limit: float) -> list[Outcome]:
    """Play every case and return what came of each; after `TimeUp` no case follows."""
    outcomes: list[Outcome] = []

    def run_all() -> None:
        for arguments in cases:
            outcomes.append(run_case(exercise, function, arguments))

    with in_time(run_all, time_limit) as thread:
        return [*outcomes, TimeUp(*_line_of_thread(thread, function))] if thread.is_alive() else outcomes


@contextlib.contextmanager
def in_time(work: Callable[[], None], time_limit: float) -> Iterator[threading.Thread]:
    """Do work that runs a learner's code in a thread; give the thread, which is alive where time is up, then end it."""

    def checking() -> None:
        CHECKING.set(True)  # in the thread's own context: a check inside the checked function is told so
        with np.errstate(all="ignore"):  # overflow and nan are looked for in the result
            work()

    context = contextvars.copy_context()  # so that a print in the function lands in the learner's cell
    thread = threading.Thread(target=_quietly, args=(context.run, checking), daemon=True)
    _running.add(thread)
    with _ended_after(time_limit + GRACE), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # "mean of empty slice" and the like
        thread.start()
        try:
            thread.join(time_limit)
            yield thread
        finally:
            _stop(thread)
            _running.discard(thread)  # also one that sleeps: it ends when it wakes


@contextlib.contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    """Have this process ended by an alarm where the work lasts longer; only in a copy that was made to be ended."""
    if not may_be_ended:
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@np.errstate(all="ignore")
def run_trusted(exercise: Exercise, function: Function, cases: list[Arguments]) -> list[Outcome]:
    """Play every case of a function of our own: here and now, without a limit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return [run_case(exercise, function, arguments) for arguments in cases]


def run_case(exercise: Exercise, function: Function, arguments: Arguments) -> Outcome:
    """Play one case here and now; warnings, floating-point errors and time are the caller's to mind."""
    given = tuple(map(_copied, arguments))
    last: list[Any] = []

    def call(*args: Any) -> Any:
        try:
            value = function(*args)
        except (NotImplementedError, _Stop):
            raise
        except BaseException as error:  # SystemExit too: a learner's exit() must not end the notebook
            where = _line_of_error(error, function)
            operands = operands_at(error, filename_of(function), where[1])
            raise Refused(Raised(type(error).__name__, _text_of(error), *where, operands)) from None
        if not exercise.may_return_none and (value is None or value is Ellipsis or value is NotImplemented):
            raise Refused(NotTried(repr(value)))
        last[:] = [value]
        return value

    vars(call)["__wrapped__"] = function  # so that its source can be looked at
    try:
        value = exercise.play(call, *given)
        parts, pieces = _as_parts(value, len(exercise.parts))
    except Refused as refused:
        return refused.outcome
    except NotImplementedError:
        return NotTried("NotImplementedError")
    except _Stop:
        raise
    except BaseException:  # what was returned cannot be played on with: no error of the learner's code
        returned = last[0] if last else None
        if isinstance(returned, np.ndarray) and returned.dtype.kind in "buif":
            return Unusable(_type_name(returned), 1, shape=returned.shape)
        return Unusable(_type_name(returned), 1)
    names = exercise.argument_names()
    changed = tuple(name for name, now, before in zip(names, given, arguments) if not _equal(now, before))
    return Returned(parts, changed, pieces)


def _copied(argument: Any) -> Any:
    """Return a copy of an argument; of a plain array sooner than `deepcopy` does."""
    return argument.copy(order="K") if type(argument) is np.ndarray else copy.deepcopy(argument)


class Refused(Exception):
    """Carries an outcome out of the middle of a case."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


def _as_parts(value: Any, n_parts: int) -> tuple[Arrays, Arrays]:
    """Turn a returned value into arrays of numbers, copied, or refuse it; and the pieces of a tuple."""
    if n_parts == 1:
        pieces = _pieces(value)
        return (_as_numbers(value, n_parts, pieces),), pieces
    if isinstance(value, np.ndarray) and value.ndim == 1 and len(value) == n_parts:
        value = tuple(value)  # two numbers in one array are two numbers
    if not isinstance(value, tuple | list) or len(value) != n_parts:
        alone = isinstance(value, np.ndarray) and value.dtype.kind in "buif"
        raise Refused(Unusable(_type_name(value), n_parts, (value.copy(),) if alone else _pieces(value)))
    return tuple(_as_numbers(part, n_parts) for part in value), ()


def _pieces(value: Any) -> Arrays:
    """Return the arrays that a tuple holds; () where it is no tuple of arrays."""
    if not isinstance(value, tuple) or not any(np.ndim(piece) for piece in value if isinstance(piece, np.ndarray)):
        return ()
    return tuple(np.array(piece) for piece in value if isinstance(piece, np.ndarray | float | int | np.generic))


def _as_numbers(part: Any, n_parts: int, pieces: Arrays = ()) -> NDArray[Any]:
    if part is None or part is Ellipsis:
        raise Refused(NotTried(repr(part)))
    try:
        array = np.array(part)
    except Exception:  # rows of different lengths, or an object of the learner's own that raises
        raise Refused(Unusable(_type_name(part), n_parts, pieces)) from None
    if array.dtype.kind not in "buif":
        raise Refused(Unusable(_type_name(part), n_parts, pieces))
    return array


def _type_name(value: Any) -> str:
    if isinstance(value, tuple | list) and len(value):
        return MESSAGES["several"].format(kind=type(value).__name__, n=len(value))
    if isinstance(value, np.ndarray):
        return MESSAGES["array"].format(dtype=value.dtype)
    return type(value).__name__


def _equal(now: Any, before: Any) -> bool:
    if callable(now):  # a function that was handed over
        return True
    if type(now) is not type(before):  # in a list, the function may put anything in the place of an entry
        return False
    if isinstance(now, list | tuple):
        return len(now) == len(before) and all(map(_equal, now, before))
    if isinstance(now, np.ndarray):
        if now.shape != before.shape:
            return False
        return now.tobytes() == before.tobytes() or np.array_equal(now, before, equal_nan=now.dtype.kind == "f")
    return bool(now == before)


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # an error of the learner's own that cannot say what it is
        return ""


def filename_of(function: Function) -> str | None:
    code = getattr(function, "__code__", None)
    return code.co_filename if code else None


def _line_of_error(error: BaseException, function: Function) -> tuple[int | None, str]:
    """Find the last line of the learner's own file in a traceback."""
    found: tuple[int | None, str] = (None, "")
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == filename_of(function):
            found = line_of(step.tb_frame.f_code.co_filename, step.tb_lineno)
        step = step.tb_next
    return found


def _line_of_thread(thread: threading.Thread, function: Function) -> tuple[int | None, str]:
    """Find the line of the learner's own file at which a running thread is."""
    frame: types.FrameType | None = sys._current_frames().get(thread.ident or 0)
    while frame is not None:
        if frame.f_code.co_filename == filename_of(function):
            return line_of(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back
    return None, ""


def line_of(filename: str, number: int) -> tuple[int, str]:
    """Return a line's number and its code."""
    return number, linecache.getline(filename, number).strip()


def _quietly(run: Callable[..., Any], target: Callable[[], None]) -> None:
    with contextlib.suppress(_Stop):
        run(target)


def _stop(thread: threading.Thread, tries: int = 200) -> None:
    """End a thread that still runs; many tries, since a bare `except:` may swallow one."""
    for i in range(tries):
        if not thread.is_alive():
            return
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_Stop))
        thread.join(0.02 if i < 10 else 0.001)
