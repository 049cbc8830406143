"""What is said about an answer, given as the body of its function."""

import numpy as np

from attention_lib.exercises import EXERCISES
from attention_lib.exercises.diagnose import diagnose
from attention_lib.exercises.exercise import compile_function
from attention_lib.exercises.result import CheckResult


def said(name: str, body: str) -> CheckResult:
    """Put a body under the first line of an exercise's stub, and check it with the same fresh cases each time."""
    head = EXERCISES[name].stub.strip().splitlines()[0].split("#")[0].rstrip()
    with np.errstate(all="ignore"):
        return diagnose(EXERCISES[name], compile_function(f"{head}\n    {body}\n", name), 5, seed=1)
