"""Exercises that no notebook asks, known while these tests run."""

import pytest
from samples import SAMPLES

from attention_lib.exercises import EXERCISES


@pytest.fixture(scope="session", autouse=True)
def samples():
    EXERCISES.update(SAMPLES)
    yield
    for name in SAMPLES:
        del EXERCISES[name]
