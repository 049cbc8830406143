"""What the tests of the checks share: every test starts as in a new kernel, whose learner has no disk."""

import pytest

from attention_lib.checks import apart, judging, mutants, predictions, repair, shell
from attention_lib.checks.memory import Memory
from attention_lib.checks.progress import PROGRESS


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    kept = {PROGRESS: {"entries": {}, "_watcher": None, "_memory": Memory(None), "_remembered": None}}
    kept |= {predictions: {"_kept": {}}, shell: {"_broken": {}}}
    for place, values in {**kept, judging: {"_fresh_failure": {}, "_last_repair": {}}}.items():
        for name, value in values.items():
            monkeypatch.setattr(place, name, value)


@pytest.fixture
def here(monkeypatch):
    """Run answers in this process, which takes less time than a copy of it."""
    monkeypatch.setattr(apart, "can_be_copied", lambda: False)


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
