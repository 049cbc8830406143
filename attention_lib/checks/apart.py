"""Run a learner's code where it can be ended: in a copy of this process, or else in a thread.

A loop inside C, as in `sum(itertools.count())`, hears no exception and lets no other thread run, so only the end of its
process ends it. Therefore the kernel is copied (`os.fork`, a few milliseconds), the work is done in the copy, and its
results come back through a pipe. An alarm ends a copy that hangs, and `faulthandler`, which needs no Python to run,
writes down at which line that was.

Where there is no fork (Windows, a browser), and where it is not safe beside the system's own libraries (macOS), the
work is done in a thread. There, an exception that is raised inside the thread ends a loop of Python, but not one of C.
"""

import builtins
import contextlib
import ctypes
import faulthandler
import gc
import importlib
import io
import logging
import multiprocessing
import os
import re
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any

from .exercise import Function
from .runner import Died, TimeIsUp, TimeUp, file_of, line_of

MOST_MEMORY = 2 * 2**30  # bytes beyond what the kernel has
GRACE = 1.0  # seconds after the time limit: an alarm that was switched off by the learner's code is no longer awaited
FRAME = re.compile(r'File "(.*)", line (\d+) in ')
Tell = Callable[[Any], None]  # called with each finding
Ending = TimeUp | Died | None

_checked: list[Function] = []  # what is being checked now; a copy of this process knows it too


def is_checking() -> bool:
    """Whether this is called inside a function that is being checked, or by a thread that such a one started."""
    return bool(_checked)


def run_apart(work: Callable[[Tell], None], function: Function, seconds: float) -> tuple[list[Any], Ending]:
    """Do work that runs a learner's function; return its findings, in order, and what cut it short, or None."""
    _checked.append(function)
    try:
        if can_be_copied():
            with contextlib.suppress(OSError):  # the system has no process or no file to give
                return _run_in_a_copy(work, function, seconds)
        return _run_in_a_thread(work, function, seconds)
    finally:
        _checked.clear()


def can_be_copied() -> bool:
    """Whether a copy of this process can be made: on Linux, and not under a debugger."""
    monitoring: Any = getattr(sys, "monitoring", None)  # Python 3.12 and newer
    is_debugged = sys.gettrace() is not None or bool(monitoring and monitoring.get_tool(monitoring.DEBUGGER_ID))
    return sys.platform == "linux" and not is_debugged


# In a thread


def _run_in_a_thread(work: Callable[[Tell], None], function: Function, seconds: float) -> tuple[list[Any], Ending]:
    findings: list[Any] = []
    output = sys.stdout  # what never ends may keep it redirected
    over: list[bool] = []  # filled once the work has ended: from then on nothing is thrown into the thread

    def run() -> None:
        with contextlib.suppress(TimeIsUp):
            try:
                work(findings.append)
            finally:
                over.append(True)

    thread = threading.Thread(target=run, daemon=True)
    try:
        thread.start()
        thread.join(seconds)
        return findings, _where_it_is(thread, function) if thread.is_alive() else None
    finally:
        _end(thread, over)  # one that sleeps ends when it wakes
        sys.stdout = output


def _where_it_is(thread: threading.Thread, function: Function) -> TimeUp:
    """Find the line of the learner's own file at which a running thread is."""
    frame = sys._current_frames().get(thread.ident or 0)
    while frame is not None:
        if frame.f_code.co_filename == file_of(function):
            return TimeUp(*line_of(frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return TimeUp()


def _end(thread: threading.Thread, over: list[bool]) -> None:
    """End a thread that still runs; many tries, since a bare `except:` may swallow one."""
    for i in range(200):
        if over or not thread.is_alive():
            break
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(TimeIsUp))
        thread.join(0.02 if i < 10 else 0.001)
    if over:
        thread.join(1.0)


# In a copy of this process


def _run_in_a_copy(work: Callable[[Tell], None], function: Function, seconds: float) -> tuple[list[Any], Ending]:
    receive, send = multiprocessing.Pipe(duplex=False)
    with receive, send, tempfile.TemporaryFile("w+") as trace:
        process = multiprocessing.get_context("fork").Process(target=_be_the_copy, args=(work, seconds, send, trace))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the kernel has threads; the copy uses none of them
            process.start()
        findings: list[Any] = []
        deadline = time.monotonic() + seconds + GRACE
        try:
            send.close()  # so that the end of the copy is heard
            with contextlib.suppress(EOFError):
                while receive.poll(max(0.0, deadline - time.monotonic())):
                    finding = receive.recv()
                    if finding is None:  # the work came to its end
                        return findings, None
                    findings.append(finding)
        finally:  # also where the learner interrupts
            process.kill()
            process.join()
        trace.seek(0)
        line = _line_in(trace.read(), function)
        if line is None and time.monotonic() < deadline:
            return findings, Died(_how_it_ended(process.exitcode))
        return findings, line or TimeUp()


def _how_it_ended(code: int | None) -> str:
    """Name a signal or an exit code; None where whoever started the kernel ignores what becomes of its children."""
    if code is None:
        return "?"
    return signal.Signals(-code).name if code < 0 else str(code)


def _line_in(trace: str, function: Function) -> TimeUp | None:
    """Find the learner's line in what the alarm wrote, the innermost call first; None where no alarm wrote."""
    for filename, number in FRAME.findall(trace):
        if filename == file_of(function):
            return TimeUp(*line_of(filename, int(number)))
    return TimeUp() if trace else None


def _be_the_copy(work: Callable[[Tell], None], seconds: float, send: Connection, trace: IO[str]) -> None:
    """Do the work, and tell what came of it, without a word to the notebook."""
    gc.disable()  # nothing that belongs to the kernel is ended from here
    faulthandler.disable()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # an alarm ends the process
    faulthandler.register(signal.SIGALRM, trace, chain=True)  # after it wrote down where each thread is
    signal.setitimer(signal.ITIMER_REAL, seconds)
    with contextlib.suppress(OSError, ValueError):
        _limit_memory()
    _keep_silent()
    with contextlib.suppress(Exception):  # a fault of ours: `check` sees that something is missing
        work(send.send)
    send.send(None)


def _keep_silent() -> None:
    """Let nothing out of the copy, and ask nobody."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    logging.disable()  # the kernel's log says that its copy may not draw in the notebook
    vars(builtins)["input"] = _refuse_input
    sys.stdout = sys.stderr = io.StringIO()


def _refuse_input(*prompt: Any) -> str:
    raise EOFError


def _limit_memory() -> None:
    """Refuse memory before the machine has none left: what is asked for then raises MemoryError."""
    resource = importlib.import_module("resource")  # not on every system
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = pages * resource.getpagesize() + MOST_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
