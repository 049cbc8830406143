"""What never ends, or ends Python itself, is met in a copy of the kernel and does no harm to the kernel."""

import contextlib
import gc
import logging
import os
import signal
import sys
import threading
import time
import warnings
from types import SimpleNamespace

import pytest
from answers import function_of

from attention_lib.checks import apart, check, judging

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a process is copied on Linux only")
LIMIT = 0.4
SOON = 15  # seconds, on a busy machine
RIGHT = "return scores / d_k**0.5"


@pytest.fixture(autouse=True)
def short_grace(monkeypatch):
    monkeypatch.setattr(apart, "GRACE", 0.3)


@pytest.fixture
def copies(monkeypatch):
    """The copies that were made; at the end of the test all of them have ended."""
    fork, pids = os.fork, []
    monkeypatch.setattr(os, "fork", lambda: pids.append(fork()) or pids[-1])
    yield pids
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@contextlib.contextmanager
def interrupted_after(seconds, error):
    def interrupt(*_):
        raise error

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def checked(body, limit=LIMIT):
    """Check an answer, the lines of which are counted from 3; whoever waits longer than SOON is interrupted."""
    body = f"import ctypes, itertools, os, signal, sys, threading, time, gc; {body}"
    with interrupted_after(SOON, AssertionError("it takes too long")):
        return check("scale_scores", function_of("scale_scores", body), time_limit=limit)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("return sum(itertools.count())", 3),  # holds Python's lock
        ("time.sleep(600)", 3),  # lets others run
        ("while True: pass", 3),
        ("n = 0\n    while True:\n        try: n += 1\n        except: pass", ""),
        ("signal.setitimer(signal.ITIMER_REAL, 0); return sum(itertools.count())", ""),
        ("return scores / np.sqrt(d_k) if len(scores) < 2 else sum(itertools.count())", 3),  # met late
    ],
)
def test_what_never_ends_is_ended_with_its_line_and_leaves_nothing(copies, body, line):
    before = threading.active_count()
    result = checked(body)
    assert result.status == "time up"
    assert f"There was still no answer after {LIMIT} seconds{line and f', at line {line}, `'}" in result.message
    assert len(copies) == 1 and threading.active_count() <= before


def test_what_never_ends_is_ended_where_there_is_no_copy(here):
    before = threading.active_count()
    swallows = "n = 0\n    while True:\n        while True:\n            try: n += 1\n            except: pass"
    for body in ("while True: pass", swallows):
        assert checked(body, limit=0.2).status == "time up"
    assert threading.active_count() <= before
    assert "Your code raised RecursionError" in checked("return scale_scores(scores, d_k)", limit=SOON).message


@pytest.mark.parametrize(
    ("body", "how"),
    [
        ("os._exit(3)", "Your code ended Python itself (3)"),
        ("ctypes.string_at(0)", "Your code ended Python itself (SIGSEGV)"),
        ("exit()", "Your code raised SystemExit"),
        (f"return bytearray(2 * {apart.MOST_MEMORY})", "Your code raised MemoryError"),
        ("return scores * float(input())", "Your code raised EOFError, at line 3, `return scores * float(input())`."),
        ("class E(Exception):\n        __str__ = None\n    raise E", "Your code raised E, at line 5, `raise E`."),
    ],
)
def test_what_ends_python_ends_only_the_copy(copies, body, how):
    result = checked(body, limit=SOON)
    assert not result.passed and how in str(result) and copies


@pytest.mark.parametrize("copied", [True, False])
def test_a_check_inside_the_checked_function_is_told_so(monkeypatch, copied):
    monkeypatch.setattr(apart, "can_be_copied", lambda: copied)

    is_inside = []

    def scale_scores(scores, d_k):
        assert not is_inside, "else copies make copies without end"
        is_inside.append(True)
        results = [check("scale_scores", scale_scores)]
        thread = threading.Thread(target=lambda: results.append(check("scale_scores", scale_scores)))
        thread.start()
        thread.join()
        assert [result.status for result in results] == ["nested", "nested"]
        is_inside.pop()
        return scores / d_k**0.5

    assert check("scale_scores", scale_scores).passed


def test_a_thread_or_a_search_that_never_ends_does_not_keep_the_check(copies, monkeypatch):
    assert checked(f"threading.Thread(target=time.sleep, args=(600,)).start(); {RIGHT}").passed
    monkeypatch.setattr(judging, "find_repair", lambda *_: sum(iter(int, 1)))
    start = time.monotonic()
    result = checked("return scores / d_k", limit=60)
    assert time.monotonic() - start < 30, "what is known by then is told after a moment"
    assert result.status == "mistake" and "square root" in result.message


def test_an_interrupt_ends_the_copy(copies, monkeypatch):
    start, fork = time.monotonic(), os.fork

    def fork_and_interrupt():
        pid = fork()
        if pid:
            signal.setitimer(signal.ITIMER_REAL, 0.3)  # not sooner: Python drops what is raised while it copies
        return pid

    monkeypatch.setattr(os, "fork", fork_and_interrupt)
    with pytest.raises(KeyboardInterrupt), interrupted_after(60, KeyboardInterrupt):
        check("scale_scores", lambda *_: sum(iter(int, 1)), time_limit=60)
    assert len(copies) == 1 and time.monotonic() - start < SOON


@pytest.mark.parametrize("lacking", ["fork", "file", "platform", "trace", "monitoring", "memory limit"])
def test_where_something_is_lacking_an_answer_is_checked_all_the_same(monkeypatch, lacking):
    def refuse(*_, **__):
        raise OSError("no more of these")

    debugger = SimpleNamespace(DEBUGGER_ID=0, get_tool=lambda _: "debugger")  # as from Python 3.12 on
    place, name, value = {
        "fork": (os, "fork", refuse),
        "file": (apart.tempfile, "TemporaryFile", refuse),
        "platform": (apart.sys, "platform", "darwin"),
        "trace": (apart.sys, "gettrace", lambda: print),
        "monitoring": (apart.sys, "monitoring", debugger),
        "memory limit": (apart, "_limit_memory", refuse),
    }[lacking]
    if lacking in ("platform", "trace", "monitoring"):
        monkeypatch.setattr(os, "fork", lambda: pytest.fail("copied"))
    monkeypatch.setattr(place, name, value, raising=False)
    assert checked(RIGHT, limit=20).passed and checked("while True: pass", limit=0.2).status == "time up"


def test_the_copy_leaves_the_kernel_as_it_is(monkeypatch, tmp_path, capfd):
    """Nothing is written from it, no warning is heard, and no object of the kernel is ended there."""

    class Kept:
        def __del__(self):
            with (tmp_path / "ended").open("a") as file:
                file.write(f"{os.getpid()}\n")

    log = logging.FileHandler(tmp_path / "log")
    logging.getLogger().addHandler(log)
    fork, ignored, threshold = os.fork, signal.signal(signal.SIGCHLD, signal.SIG_IGN), gc.get_threshold()
    monkeypatch.setattr(os, "fork", lambda: (warnings.warn("threads", DeprecationWarning, stacklevel=2), fork())[1])
    monkeypatch.setattr(sys, "stdout", (tmp_path / "printed").open("w"))
    gc.set_threshold(10**9)  # so that it is there when the kernel is copied
    try:
        kept = Kept()
        kept.itself = kept
        del kept
        print("before")
        with warnings.catch_warnings(action="error"):
            assert checked(f"gc.set_threshold(10, 1, 1); many = [[] for _ in range(10**4)]; {RIGHT}").passed
            noise = "import logging; logging.warning('a'); os.write(1, b'b'); os.write(2, b'c'); sys.stderr.write('d')"
            assert checked(f"{noise}; os._exit(1)").status == "raised"
            assert checked("return sum(itertools.count())").status == "time up"
    finally:
        signal.signal(signal.SIGCHLD, ignored)
        gc.set_threshold(*threshold)
        gc.collect()
        sys.stdout.close()
        logging.getLogger().removeHandler(log)
        log.close()
    assert (tmp_path / "ended").read_text() == f"{os.getpid()}\n" and capfd.readouterr() == ("", "")
    assert (tmp_path / "log").read_text() == ""
    assert (tmp_path / "printed").read_text() == "before\n", "once, and not by the copy too"
