"""What the tests of several labs share."""

import asyncio
from types import SimpleNamespace

import pytest


@pytest.fixture
def waiting(monkeypatch):
    """The next step of a player that plays, called by hand."""
    steps = []

    def later(seconds, call):
        steps.append(call)
        return SimpleNamespace(cancel=steps.clear)

    monkeypatch.setattr(asyncio, "get_running_loop", lambda: SimpleNamespace(call_later=later))
    return steps
