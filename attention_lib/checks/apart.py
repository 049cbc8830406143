"""Run a learner's code in a thread, where it can be ended.

An exception that is raised inside the thread ends a loop of Python. It does not end a loop inside C, as in
`sum(itertools.count())`, which hears no exception and lets no other thread run: there the kernel has to be restarted.
"""

import contextlib
import ctypes
import sys
import threading
from collections.abc import Callable
from typing import Any

from .exercise import Function
from .runner import TimeIsUp, TimeUp, file_of, line_of

Tell = Callable[[Any], None]  # called with each finding

_checked: list[Function] = []  # what is being checked now


def is_checking() -> bool:
    """Whether this is called inside a function that is being checked, or by a thread that such a one started."""
    return bool(_checked)


def run_apart(work: Callable[[Tell], None], function: Function, seconds: float) -> tuple[list[Any], TimeUp | None]:
    """Do work that runs a learner's function; return its findings, in order, and where it was when time was up."""
    findings: list[Any] = []
    output = sys.stdout  # what never ends may keep it redirected
    over = threading.Event()  # the work has ended: from then on nothing is thrown into the thread

    def run() -> None:
        with contextlib.suppress(TimeIsUp):
            try:
                work(findings.append)
            finally:
                over.set()

    thread = threading.Thread(target=run, daemon=True)
    _checked.append(function)
    try:
        thread.start()
        return findings, None if over.wait(seconds) else _where_it_is(thread, function)
    finally:
        _end(thread, over)  # one that sleeps ends when it wakes
        sys.stdout = output
        _checked.clear()


def _where_it_is(thread: threading.Thread, function: Function) -> TimeUp:
    """Find the line of the learner's own file at which a running thread is."""
    frame = sys._current_frames().get(thread.ident or 0)
    while frame is not None:
        if frame.f_code.co_filename == file_of(function):
            return TimeUp(*line_of(frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return TimeUp()


def _end(thread: threading.Thread, over: threading.Event) -> None:
    """End a thread that still runs; many tries, since a bare `except:` may swallow one."""
    for i in range(200):
        if over.is_set():
            thread.join(1.0)
            return
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(TimeIsUp))
        over.wait(0.02 if i < 10 else 0.001)
