"""What never ends, or ends Python itself, is met in a copy of the kernel and not in the kernel."""

import contextlib
import faulthandler
import gc
import itertools
import logging
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import attention_lib.exercises.diagnose as engine
from attention_lib.exercises import EXERCISES, apart, check, runner
from attention_lib.exercises.exercise import compile_function
from attention_lib.exercises.progress import PROGRESS
from attention_lib.exercises.runner import in_time

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a process is copied on Linux only")
LIMIT = 0.5
resource = pytest.importorskip("resource")
SOON = 20  # seconds, on a busy machine: a copy that is not heard, or not ended, takes three times as long


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    monkeypatch.setattr(PROGRESS, "entries", {})
    monkeypatch.setattr(engine, "_failed_fresh", {})
    monkeypatch.setattr(runner, "GRACE", 0.3)  # what no exception reaches works for so long, and is tried often here


@pytest.fixture
def copies(monkeypatch):
    """The copies that were made; all are ended at the end."""
    fork, made = os.fork, []

    def note():
        made.append(fork())
        return made[-1]

    monkeypatch.setattr(os, "fork", note)
    yield made
    for pid in made:
        with pytest.raises(ProcessLookupError):  # ended, and waited for
            os.kill(pid, 0)


@contextlib.contextmanager
def soon(seconds=SOON, error=AssertionError):
    """Interrupt what lasts longer."""

    def interrupt(*_):
        raise error

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def answer(body, name="scale_scores", arguments="scores, d_k"):
    return compile_function(f"import ctypes, itertools, os, time\n\ndef {name}({arguments}):\n    {body}", name)


@pytest.mark.parametrize(
    "body",
    [
        "return sum(itertools.count())",  # holds Python's lock
        "return max(itertools.repeat(0))",
        "time.sleep(600)",  # lets others run
        "while True: pass",
        "while True:\n        try: sum(itertools.repeat(0))\n        except: pass",
    ],
)
def test_what_never_ends_is_ended_and_leaves_nothing(copies, body):
    before = threading.active_count()
    start = time.monotonic()
    result = check("scale_scores", answer(body), time_limit=LIMIT)
    assert time.monotonic() - start < 12 * LIMIT  # its limit and a grace, on a busy machine too
    assert result.status == "time up"
    assert "No answer after 0.5 seconds, at line" in result.message
    assert len(copies) == 1
    assert threading.active_count() <= before


@pytest.mark.parametrize("loop", ["sum(itertools.count())", "heapq.nsmallest(1, itertools.repeat(0))"])
def test_the_line_of_a_loop_inside_c_is_named(loop):
    """The learner's, also where a module that it calls is where the loop is."""
    result = check("scale_scores", answer(f"import heapq\n    return {loop}"), time_limit=LIMIT)
    assert f"at line 5: return {loop}" in result.message


def test_time_is_up_where_an_answer_has_no_lines():
    class Endless:
        def __call__(self, scores, d_k):
            return sum(itertools.count())

    assert check("scale_scores", Endless(), time_limit=LIMIT).status == "time up"


def test_a_loop_that_is_met_late_is_ended_too():
    """The first cases are answered; only what the check asks after them does not end."""
    body = "return scores / np.sqrt(d_k) if len(scores) < 2 else sum(itertools.count())"
    assert check("scale_scores", answer(body), time_limit=LIMIT).status == "time up"


def test_what_was_found_stands_where_the_search_for_a_name_never_ends(monkeypatch):
    """The search runs the answer on other inputs, and changed: that this does not end is not the answer's fault."""

    def search(*_):
        with in_time(lambda: sum(itertools.repeat(0)), LIMIT):
            raise AssertionError("came to its end")

    monkeypatch.setattr(engine, "whole_finding", search)
    result = check("scale_scores", answer("return scores / d_k"))
    assert result.status == "differs"
    assert result.inputs and result.needed is not None


def test_what_was_found_stands_where_the_inputs_hold_functions_that_cannot_leave_the_copy(monkeypatch):
    here = os.getpid()

    def search(*_):
        assert os.getpid() != here, "a name is looked for in the kernel"
        with in_time(lambda: sum(itertools.repeat(0)), LIMIT):
            raise AssertionError("came to its end")

    monkeypatch.setattr(engine, "whole_finding", search)
    result = check("goes_back_right", answer("return True", "goes_back_right", "*arguments"))
    assert (result.status, result.inputs) == ("differs", ())


def test_time_is_up_where_the_inputs_hold_functions():
    exercise = EXERCISES["measured_gradient"]
    body = "while True: pass"
    result = check(exercise.name, answer(body, exercise.name, "*arguments"), time_limit=LIMIT)
    assert result.status == "time up"


@pytest.mark.parametrize(
    ("body", "how"), [("os._exit(3)", "3"), ("os._exit(0)", "0"), ("ctypes.string_at(0)", "SIGSEGV")]
)
def test_an_answer_that_ends_python_ends_only_the_copy(copies, body, how):
    with soon():
        result = check("scale_scores", answer(body))
    assert result.status == "raised"
    assert f"It ended Python itself ({how})" in result.message


def test_memory_that_the_machine_may_not_have_is_refused(copies):
    result = check("scale_scores", answer(f"return bytearray(2 * {apart.MOST_MEMORY})"))
    assert result.status == "raised"
    assert "MemoryError" in result.message


def test_an_answer_is_given_the_same_cases_apart_and_here(copies, tmp_path):
    told = tmp_path / "told"
    told.touch()

    def scale_scores(scores, d_k):
        with told.open("a") as file:
            file.write(f"{os.getpid()} {scores.tobytes().hex()} {d_k}\n")
        return scores / np.sqrt(d_k)

    assert check("scale_scores", scale_scores).passed
    lines = [line.split(" ", 1) for line in told.read_text().splitlines()]
    here = [given for pid, given in lines if pid == str(os.getpid())]
    assert here and here == [given for pid, given in lines if pid == str(copies[0])]


def test_prints_are_seen_once(capsys):
    def scale_scores(scores, d_k):
        print("called")
        return scores / np.sqrt(d_k)

    result = check("scale_scores", scale_scores)
    called = capsys.readouterr().out.count("called")
    assert result.passed and f"all {called} cases" in result.message


def test_prints_of_a_loop_that_never_ends_are_seen_and_not_all_of_them(capsys):
    check("scale_scores", answer("while True: print('round')"), time_limit=LIMIT)
    said = capsys.readouterr().out
    assert said.startswith("round\nround\n") and len(said) <= apart.MOST_SAID


def test_nothing_is_written_from_the_copy_and_no_log(capfd, tmp_path):
    body = "import logging\n    logging.warning('from the copy')\n    os.write(1, b'one')\n    os.write(2, b'two')\n"
    log = logging.FileHandler(tmp_path / "log")
    logging.getLogger().addHandler(log)
    try:
        check("scale_scores", answer(body + "    os._exit(1)"))
    finally:
        logging.getLogger().removeHandler(log)
        log.close()
    assert capfd.readouterr() == ("", "") and (tmp_path / "log").read_text() == ""


def test_an_interrupt_ends_the_copy(copies, monkeypatch):
    heard = apart._heard

    def interrupted(*given):
        """While the copy works; an interrupt that meets Python's own hooks while it is made is dropped by Python."""
        with soon(0.3, KeyboardInterrupt):
            return heard(*given)

    monkeypatch.setattr(apart, "_heard", interrupted)
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        check("scale_scores", answer("return sum(itertools.count())"), time_limit=60)
    assert len(copies) == 1
    assert time.monotonic() - start < 30


@pytest.mark.parametrize("lacking", ["fork", "file", "platform", "trace", "monitoring"])
def test_where_no_copy_can_be_made_an_answer_is_checked_all_the_same(monkeypatch, lacking):
    def refuse(*_, **__):
        raise OSError("no more of these")

    if lacking == "fork":
        monkeypatch.setattr(os, "fork", refuse)
    elif lacking == "file":
        monkeypatch.setattr(apart.tempfile, "TemporaryFile", refuse)
    elif lacking == "platform":
        monkeypatch.setattr(apart.sys, "platform", "darwin")
        monkeypatch.setattr(os, "fork", lambda: pytest.fail("copied"))
    else:
        debugger = SimpleNamespace(DEBUGGER_ID=0, get_tool=lambda _: "debugger")  # as from Python 3.12 on
        seen = {"trace": ("gettrace", lambda: print), "monitoring": ("monitoring", debugger)}
        monkeypatch.setattr(apart.sys, *seen[lacking], raising=False)
        monkeypatch.setattr(os, "fork", lambda: pytest.fail("copied"))
    assert check("scale_scores", answer("return scores / d_k**0.5")).passed
    assert check("scale_scores", answer("while True: pass"), time_limit=0.2).status == "time up"


def test_a_fault_of_ours_in_the_copy_is_reported_from_the_kernel(monkeypatch):
    monkeypatch.setattr(engine, "diagnose", lambda *_: 1 / 0)
    assert check("scale_scores", answer("return scores")).status == "broken"


def test_the_end_of_the_copy_is_the_kernels_alone(copies):
    """An alarm that somebody else waits for is not asked: a loop inside C would let nobody answer it."""
    with soon():
        result = check("scale_scores", answer("return sum(itertools.count())"), time_limit=2)
    assert "at line 4: return sum(itertools.count())" in result.message


def test_an_answer_that_disarms_the_alarm_is_ended_all_the_same(copies):
    body = "import signal\n    signal.setitimer(signal.ITIMER_REAL, 0)\n    return sum(itertools.count())"
    with soon():
        assert check("scale_scores", answer(body), time_limit=0.2).status == "time up"


@pytest.mark.parametrize(
    ("ends", "status"), [("os._exit(3)", "raised"), ("all(True for _ in itertools.count())", "time up")]
)
def test_a_kernel_that_ignores_what_becomes_of_its_children_is_not_given_what_ended_the_copy(ends, status):
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        body = f"return {ends} if os.getpid() != {os.getpid()} else scores / d_k"
        assert check("scale_scores", answer(body), time_limit=LIMIT).status == status
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_the_copy_is_heard_no_longer_than_to_its_last_word():
    receive, send = multiprocessing.Pipe(duplex=False)
    with receive, send, soon():  # open at the other end, as by a process that the answer began
        send.send_bytes(pickle.dumps(apart.Word(None, "last", ended=True)))
        assert apart._heard(receive, time.monotonic() + 60).said == "last"


def test_what_was_printed_before_is_written_once(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdout", (tmp_path / "said").open("w"))  # the copy puts another in its place
    print("before")
    check("scale_scores", answer("return scores / d_k"))
    sys.stdout.close()
    assert (tmp_path / "said").read_text() == "before\n"


def test_no_warning_of_threads_reaches_the_learner(monkeypatch):
    """Python 3.12 and newer warn at a fork where there are threads."""
    fork = os.fork
    monkeypatch.setattr(os, "fork", lambda: (warnings.warn("threads", DeprecationWarning, stacklevel=2), fork())[1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert check("scale_scores", answer("return scores / d_k**0.5")).passed


def test_nothing_of_the_kernel_is_ended_from_the_copy(tmp_path):
    class Kept:
        def __del__(self):
            with (tmp_path / "ended").open("a") as file:
                file.write(f"{os.getpid()}\n")

    before = gc.get_threshold()
    gc.set_threshold(10**9)  # so that it is there when the kernel is copied
    try:
        kept = Kept()
        kept.itself = kept
        del kept
        body = "import gc\n    gc.set_threshold(10, 1, 1)\n    many = [[] for _ in range(10**4)]\n    "
        assert check("scale_scores", answer(body + "return scores / d_k**0.5")).passed
    finally:
        gc.set_threshold(*before)
        gc.collect()
    assert (tmp_path / "ended").read_text() == f"{os.getpid()}\n"


def test_a_crash_of_the_copy_is_told_in_words_alone(tmp_path):
    with (tmp_path / "crash").open("w") as file:
        faulthandler.enable(file)
        try:
            assert "SIGSEGV" in check("scale_scores", answer("ctypes.string_at(0)")).message
        finally:
            faulthandler.enable(sys.__stderr__)
    assert (tmp_path / "crash").read_text() == ""


@pytest.mark.parametrize("error", [OSError, ValueError])
def test_where_memory_cannot_be_limited_an_answer_is_tried_all_the_same(monkeypatch, copies, error):
    def refuse():
        raise error

    monkeypatch.setattr(apart, "_limit_memory", refuse)
    assert check("scale_scores", answer("return scores / d_k**0.5")).passed and len(copies) == 1


@pytest.mark.parametrize("hard", [resource.RLIM_INFINITY, 1, 2**62])
def test_memory_is_limited_below_what_the_machine_allows(monkeypatch, hard):
    asked = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (hard, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda *limit: asked.append(limit))
    apart._limit_memory()
    ((kind, (soft, same)),) = asked
    assert (kind, same) == (resource.RLIMIT_AS, hard)
    assert soft == hard if hard == 1 else apart.MOST_MEMORY < soft < 2**50


def test_nobody_is_asked_from_the_copy(monkeypatch, copies, tmp_path):
    def ask(*_):
        with (tmp_path / "asked").open("a") as file:
            file.write(f"{os.getpid()}\n")
        return "2"

    monkeypatch.setattr("builtins.input", ask)
    check("scale_scores", answer("return scores / float(input())"))
    assert len(copies) == 1 and set((tmp_path / "asked").read_text().split()) == {str(os.getpid())}
