"""What the tests of several labs share."""

import asyncio
from types import SimpleNamespace

import pytest

from attention_lib.live.player import Player


@pytest.fixture
def waiting(monkeypatch):
    """The next step of a player that plays, called by hand."""
    steps = []

    def later(seconds, call, *args):
        if not isinstance(getattr(call, "__self__", None), Player):  # a state that is saved, or a sentence
            return SimpleNamespace(cancel=lambda: None)
        steps.append(call)
        return SimpleNamespace(cancel=steps.clear)

    monkeypatch.setattr(asyncio, "get_running_loop", lambda: SimpleNamespace(call_later=later))
    return steps
