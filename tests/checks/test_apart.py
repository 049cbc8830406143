"""What never ends is ended with its line, and leaves nothing behind."""

import contextlib
import signal
import sys
import threading
import time

import pytest
from answers import function_of

from attention_lib.checks import check, judging

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the tests interrupt themselves by an alarm")
LIMIT = 0.4
SOON = 15  # seconds, on a busy machine
RIGHT = "return scores / d_k**0.5"


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
    with interrupted_after(SOON, AssertionError("it takes too long")):
        return check("scale_scores", function_of("scale_scores", f"import threading, time; {body}"), time_limit=limit)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("time.sleep(2)", 3),
        ("while True: pass", 3),
        ("n = 0\n    while True:\n        while True:\n            try: n += 1\n            except: pass", ""),
        ("return scores / np.sqrt(d_k) if len(scores) < 2 else sum(i for i in iter(int, 1))", 3),  # met late
    ],
)
def test_what_never_ends_is_ended_with_its_line_and_leaves_nothing(body, line):
    before, output = threading.active_count(), sys.stdout
    result = checked(body)
    assert result.status == "time up" and sys.stdout is output
    assert f"There was still no answer after {LIMIT} seconds{line and f', at line {line}, `'}" in result.message
    end = time.monotonic() + SOON
    while threading.active_count() > before and time.monotonic() < end:  # one that sleeps ends when it wakes
        time.sleep(0.05)
    assert threading.active_count() <= before


@pytest.mark.parametrize(
    ("body", "how"),
    [
        ("exit()", "Your code raised SystemExit"),
        ("return scale_scores(scores, d_k)", "Your code raised RecursionError"),
        ("class E(Exception):\n        __str__ = None\n    raise E", "Your code raised E, at line 5, `raise E`."),
    ],
)
def test_what_would_end_a_cell_is_an_answer_like_others(body, how):
    assert how in str(checked(body, limit=SOON))


def test_a_check_inside_the_checked_function_is_told_so():
    inside = []

    def scale_scores(scores, d_k):
        assert inside == [], "it runs inside itself"
        inside.append(True)
        results = [check("scale_scores", scale_scores)]
        thread = threading.Thread(target=lambda: results.append(check("scale_scores", scale_scores)))
        thread.start()
        thread.join()
        assert [result.status for result in results] == ["nested", "nested"]
        inside.clear()
        return scores / d_k**0.5

    assert check("scale_scores", scale_scores).passed


def test_a_search_that_never_ends_does_not_keep_the_check(monkeypatch):
    monkeypatch.setattr(judging, "find_repair", lambda *_: sum(i for i in iter(int, 1)))
    start = time.monotonic()
    result = checked("return scores / d_k", limit=60)
    assert time.monotonic() - start < SOON, "what is known by then is told after a moment"
    assert result.status == "mistake" and "square root" in result.message


def test_an_interrupt_ends_the_thread():
    start, before = time.monotonic(), threading.active_count()
    with pytest.raises(KeyboardInterrupt), interrupted_after(0.3, KeyboardInterrupt):
        check("scale_scores", function_of("scale_scores", "while True: pass"), time_limit=60)
    assert threading.active_count() <= before and time.monotonic() - start < SOON
    assert checked(RIGHT, limit=SOON).passed
