"""What the tests of the checks share: every test starts as in a new kernel, whose learner has no disk."""

import pytest

from attention_lib.checks import judging, mutants, repair
from attention_lib.checks.memory import Memory
from attention_lib.checks.progress import PROGRESS


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    kept = {PROGRESS: {"asked": {}, "_watcher": None, "_memory": Memory(None), "_records": None}}
    kept |= {judging: {"_trials": {}, "_last_repair": {}}}
    for place, values in kept.items():
        for name, value in values.items():
            monkeypatch.setattr(place, name, value)


@pytest.fixture
def patient(monkeypatch):
    """Let a busy machine find what a quick one finds."""
    monkeypatch.setattr(mutants, "SECONDS", 30)
    monkeypatch.setattr(repair, "SECONDS", 30)


@pytest.fixture
def no_repair(monkeypatch):
    """Do not look for the place of a slip, which takes most of the time of a check."""
    monkeypatch.setattr(judging, "find_repair", lambda *_: None)


@pytest.fixture
def plain(monkeypatch, no_repair):
    """Say only what the numbers show: to change all solutions takes long."""
    monkeypatch.setattr(judging, "name_slip", lambda *_: "")
