"""Answers as source text: the functions they make, and what a check says about them."""

import re
from collections.abc import Callable
from pathlib import Path

from attention_lib import self_attention, softmax
from attention_lib.checks import CheckResult, exercises
from attention_lib.checks.exercise import compile_function
from attention_lib.checks.judging import judge

EXERCISES = exercises()


def rows_of(file: str) -> list[list[str]]:
    """Return the rows of a table beside this file.

    `answers.tsv` holds "dev" or "held", exercise, "right" or "wrong", body of the function: the engine was tuned on
    those marked "dev", and nobody read those marked "held". `slips.tsv` holds kind of slip, exercise, body.
    """
    return [line.split("\t") for line in Path(__file__).with_name(file).read_text("utf-8").splitlines()]


def function_of(name: str, body: str) -> Callable:
    """Put a body under the first line of an exercise's stub; a body without `return` is what is returned.

    "; " stands for a new line, and "\\n" for one that brings its own indent.
    """
    head = re.search(r"def \w+\([^)]*\):", EXERCISES[name].stub)[0]
    body = body.strip().replace("\\n", "\n").replace("; ", "\n    ")
    is_whole = re.search(r"\b(return|raise|assert|pass|import)\b", body)
    function = compile_function(f"{head}\n    {body if is_whole else f'return {body}'}\n", name)
    function.__globals__.update(softmax=softmax, self_attention=self_attention)
    return function


def judged(name: str, body: str, seed: int = 1) -> CheckResult:
    """Return what is said about a body, on the same fresh cases each time."""
    return judge(EXERCISES[name], function_of(name, body), 5, seed=seed)
