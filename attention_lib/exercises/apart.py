"""Try work that runs a learner's code in a process that can be ended, before it runs in the kernel.

A loop inside C, as in `sum(itertools.count())`, hears no exception and lets no other thread run: only the end of
its process ends it. So the kernel is copied (`os.fork`, a few milliseconds), the work is done there first, and it is
done here only where it came to its end there. An alarm ends the copy, and `faulthandler`, which needs no Python to
run, writes down at which line that was.

Where there is no fork (Windows, a browser), and where it is not safe beside the system's own libraries (macOS), the
time limit of `runner.in_time` is all there is.
"""

import builtins
import contextlib
import faulthandler
import gc
import importlib
import io
import logging
import multiprocessing
import os
import pickle
import re
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any, NoReturn

from . import runner
from .exercise import Function
from .result import CheckResult
from .runner import Died, TimeUp, filename_of, line_of

MOST_MEMORY = 2 * 2**30  # bytes beyond what the kernel has
MOST_SAID = 2_000  # characters that the work printed before time was up
LIMITS = 12  # time limits after which a copy is ended that has not ended itself
Work = Callable[[Callable[[CheckResult], None]], CheckResult]  # it is given what hears what was found so far
FRAME = re.compile(r'File "(.*)", line (\d+) in ')


@dataclass(frozen=True)
class Word:
    """What the copy tells: what was found, or None, what was printed, and whether the work came to its end."""

    result: CheckResult | None
    said: str = ""
    ended: bool = False


def can_be_copied() -> bool:
    """Whether a copy of this process can be made: on Linux, and not under a debugger."""
    return sys.platform == "linux" and not _is_debugged()


def _is_debugged() -> bool:
    monitoring: Any = getattr(sys, "monitoring", None)  # Python 3.12 and newer
    return sys.gettrace() is not None or bool(monitoring and monitoring.get_tool(monitoring.DEBUGGER_ID))


def tried_apart(work: Work, function: Function, time_limit: float) -> CheckResult | TimeUp | Died | None:
    """Do work in a copy of this process; return None where it came to its end, so that it can be done here.

    Otherwise return what it found, if that is "time up" or a lack of memory, or what it had found so far, or how the
    copy ended. What the work printed until its time was up is printed here. None too where no copy can be made.
    """
    if not can_be_copied():
        return None
    with contextlib.suppress(OSError):  # the system has no process or no file to give
        return _tried(work, function, time_limit)
    return None


def _tried(work: Work, function: Function, time_limit: float) -> CheckResult | TimeUp | Died | None:
    receive, send = multiprocessing.Pipe(duplex=False)
    with receive, send, tempfile.TemporaryFile("w+") as trace:
        pid = _fork()
        if pid == 0:
            _work_and_end(work, send, trace)
        end = time.monotonic() + LIMITS * time_limit + runner.GRACE
        try:
            send.close()  # so that the end of the copy is heard
            heard = _heard(receive, end)
            is_late = time.monotonic() >= end
        finally:  # also where the learner interrupts
            how = _ended(pid)
        print(heard.said, end="")
        if heard.ended or heard.result is not None:
            return heard.result
        trace.seek(0)
        line = _line_in(trace.read(), function)
        return Died(how) if line is None and not is_late else TimeUp(*(line or (None, "")))


def _ended(pid: int) -> str:
    """End the copy, if it has not ended; return the signal or the exit code, "?" where the system keeps none."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    try:
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:  # whoever started the kernel had it ignore what becomes of its children
        return "?"
    return signal.Signals(-code).name if code < 0 else str(code)


def _heard(receive: Connection, end: float) -> Word:
    """Hear the copy out until it has ended, or until it must be ended; return its last word."""
    word = Word(None)
    with contextlib.suppress(EOFError):
        while not word.ended and receive.poll(max(0.0, end - time.monotonic())):
            word = pickle.loads(receive.recv_bytes())
    return word


def _fork() -> int:
    sys.stdout.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the kernel has threads; the copy uses none of theirs
        return os.fork()


def _work_and_end(work: Work, send: Connection, trace: IO[str]) -> NoReturn:
    """Be the copy: do the work, tell what came of it, and end without a word to the notebook."""
    try:
        gc.disable()  # nothing that belongs to the kernel is ended from here
        runner.may_be_ended = True
        faulthandler.disable()  # a crash is told in words
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # an alarm ends the process
        faulthandler.register(signal.SIGALRM, trace, chain=True)  # after it wrote down where each thread is
        with contextlib.suppress(OSError, ValueError):
            _limit_memory()
        said = _keep_silent()
        found = _found(work, lambda so_far: send.send_bytes(_packed(Word(so_far))))
        send.send_bytes(_packed(Word(found, said.getvalue()[:MOST_SAID] if found else "", ended=True)))
    finally:
        os._exit(0)


def _keep_silent() -> io.StringIO:
    """Let nothing out of the copy, and ask nobody; return what Python's prints go to."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    logging.disable()  # the kernel's log says that its copy may not draw in the notebook
    vars(builtins)["input"] = _nobody_answers
    sys.stdout = sys.stderr = said = io.StringIO()
    return said


def _limit_memory() -> None:
    """Refuse memory before the machine has none left: what is asked for then raises MemoryError."""
    resource = importlib.import_module("resource")  # not on every system
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = pages * resource.getpagesize() + MOST_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _found(work: Work, so_far: Callable[[CheckResult], None]) -> CheckResult | None:
    """Do the work; return what it found where that must not be met again in the kernel."""
    with contextlib.suppress(Exception):  # an error of ours is reported from there
        result = work(so_far)
        if result.status == "time up" or "MemoryError" in result.message:
            return result
    return None


def _packed(word: Word) -> bytes:
    """Pack a word; without the case where it cannot leave the process: it holds functions of the exercise."""
    with contextlib.suppress(Exception):
        return pickle.dumps(word)
    assert word.result is not None
    return pickle.dumps(replace(word, result=replace(word.result, example="", inputs=(), yours=None, needed=None)))


def _nobody_answers(*prompt: Any) -> str:
    raise EOFError


def _line_in(trace: str, function: Function) -> tuple[int | None, str] | None:
    """Find the learner's line in what the alarm wrote, the innermost call first; None where no alarm wrote."""
    own = filename_of(function)
    for filename, number in FRAME.findall(trace):
        if filename == own:
            return line_of(filename, int(number))
    return (None, "") if trace else None
