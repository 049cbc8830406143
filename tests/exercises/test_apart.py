"""What never ends, or ends Python itself, is met in a copy of the kernel and not in the kernel."""

import itertools
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

import attention_lib.exercises.diagnose as engine
from attention_lib.exercises import EXERCISES, apart, check
from attention_lib.exercises.exercise import compile_function
from attention_lib.exercises.progress import PROGRESS
from attention_lib.exercises.runner import in_time

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a process is copied on Linux only")
LIMIT = 0.5


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    monkeypatch.setattr(PROGRESS, "entries", {})
    monkeypatch.setattr(engine, "_failed_fresh", {})


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


def test_the_line_of_a_loop_inside_c_is_named():
    result = check("scale_scores", answer("s = 1\n    return sum(itertools.count())"), time_limit=LIMIT)
    assert "at line 5: return sum(itertools.count())" in result.message


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


def test_time_is_up_where_the_inputs_hold_functions():
    exercise = EXERCISES["measured_gradient"]
    body = "while True: pass"
    result = check(exercise.name, answer(body, exercise.name, "*arguments"), time_limit=LIMIT)
    assert result.status == "time up"


@pytest.mark.parametrize(
    ("body", "how"), [("os._exit(3)", "3"), ("os._exit(0)", "0"), ("ctypes.string_at(0)", "SIGSEGV")]
)
def test_an_answer_that_ends_python_ends_only_the_copy(copies, body, how):
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


def test_nothing_is_asked_and_no_log_is_written_from_the_copy(capfd):
    body = "import logging\n    logging.warning('from %s', os.getpid())\n    os.write(2, b'written')\n    os._exit(1)"
    check("scale_scores", answer(body))
    assert capfd.readouterr() == ("", "")


def test_an_interrupt_ends_the_copy(copies):
    def interrupt(*_):
        raise KeyboardInterrupt

    before, start = signal.signal(signal.SIGALRM, interrupt), time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            check("scale_scores", answer("return sum(itertools.count())"), time_limit=60)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(copies) == 1
    assert time.monotonic() - start < 30


@pytest.mark.parametrize("lacking", ["fork", "file", "platform", "trace"])
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
        monkeypatch.setattr(apart.sys, "gettrace", lambda: print)
        monkeypatch.setattr(os, "fork", lambda: pytest.fail("copied"))
    assert check("scale_scores", answer("return scores / d_k**0.5")).passed
    assert check("scale_scores", answer("while True: pass"), time_limit=0.2).status == "time up"


def test_a_fault_of_ours_in_the_copy_is_reported_from_the_kernel(monkeypatch):
    monkeypatch.setattr(engine, "diagnose", lambda *_: 1 / 0)
    assert check("scale_scores", answer("return scores")).status == "broken"
