"""Try one small change of the learner's own source: a change that makes every case right shows where the slip is."""

import ast
import time
from typing import NamedTuple

from .compare import Trial, same
from .edits import build, count_rounds, find_edits, tree_of
from .exercise import Exercise, Function
from .mutants import as_text, enclosing, gives_away
from .runner import run_cases

SECONDS = 0.35  # of the processor
#: An answer that calls the system must not call it with other arguments than its author wrote.
SYSTEM = ("os", "sys", "signal", "shutil", "subprocess", "open", "ctypes")


class Repair(NamedTuple):
    """Where the slip is, and what would put it right; "" where that would be a whole answer."""

    lines: tuple[int, ...]
    piece: str
    replacement: str


def find_repair(exercise: Exercise, function: Function, trial: Trial, first: int) -> Repair | None:
    """Return the one change with which every case is right. Case `first` fails today.

    Nothing is added to what is there: a step that is added in one place often makes up for a slip in another.
    """
    tree = tree_of(function)
    if tree is None or any(isinstance(node, ast.Name) and node.id in SYSTEM for node in ast.walk(tree)):
        return None
    end = time.thread_time() + SECONDS
    order = [first, *(i for i in range(len(trial.cases)) if i != first)]
    edits = find_edits(tree, additions=False)
    count_rounds(tree)

    def is_right_in(i: int, changed: Function) -> bool:
        outcome = run_cases(exercise, changed, [trial.cases[i].arguments])[0]
        return same(outcome, trial.needed[i])

    for edit in edits:
        with edit.applied():
            if time.thread_time() > end:
                return None
            changed = build(tree, function.__globals__)
            if changed is None or not all(time.thread_time() < end and is_right_in(i, changed) for i in order):
                continue
            new = enclosing(tree, edit.new)
            replacement = "" if gives_away(new, tree, tree_of(exercise.reference())) else as_text(new)
        return Repair(edit.lines, as_text(enclosing(tree, edit.old)), replacement)
    return None
