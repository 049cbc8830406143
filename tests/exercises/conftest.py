"""Exercises that no notebook asks, known while these tests run."""

import pytest
from samples import SAMPLES

from attention_lib.exercises import EXERCISES


@pytest.fixture(autouse=True)
def samples(monkeypatch):
    for name, exercise in SAMPLES.items():
        monkeypatch.setitem(EXERCISES, name, exercise)
