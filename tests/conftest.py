"""What all tests share: no answer reaches the disk of whoever runs them, and in CI nothing is skipped."""

import gc
import os

import pytest

os.environ["ATTENTION_PROGRESS"] = "off"  # also for every kernel that a test starts

collect_ignore = ["lean"]


def _fail_if_skipped_in_ci(report):
    if os.environ.get("CI") == "true" and report.skipped and not hasattr(report, "wasxfail"):
        why = report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"skipped in CI, where everything must run: {why}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    return _fail_if_skipped_in_ci((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    return _fail_if_skipped_in_ci((yield))


#: Files that take longest, without a browser and with one.
LONGEST = (
    "test_reach",
    "test_notebook_07",
    "test_teaching",
    "test_live_view",
    "test_every_lab",
    "test_slides",
    "test_for_everyone",
)


def pytest_collection_modifyitems(items):
    """First what takes longest, so that at the end no process waits for another."""
    items.sort(key=lambda item: ("browser" not in item.path.parts, item.path.stem not in LONGEST))


@pytest.fixture(scope="session")
def model():
    """The trained model of notebook 07, where it is installed."""
    from attention_lib.examples.minilm import MiniLM

    try:
        return MiniLM()
    except ImportError as missing:
        pytest.skip(str(missing))


def pytest_collection_finish():
    _leave_alone_what_stays()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    yield
    if nextitem is None or nextitem.path != item.path:
        _leave_alone_what_stays()


def _leave_alone_what_stays():
    """What is in use after a file, stays: else Python looks through all of it again and again for what is not."""
    gc.collect()
    gc.freeze()
