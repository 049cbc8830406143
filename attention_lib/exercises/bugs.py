"""What a learner edited in a function with a bug, where it still does what it did."""

import ast
import copy
import functools
from typing import NamedTuple

import numpy as np

from .compare import same
from .exercise import Arguments, Exercise, Function, compile_function
from .runner import Returned, run_trusted
from .sources import Source, function_of, source_of

MESSAGES = {
    "no edit": "No line of it is changed yet.",
    "line": "Line {line} is changed, and does nothing new: {what}",
    "same value": "`{name}` is in every case what it was before, here {value}.",
    "same values": "`{name}` is in every case what it was before.",
    "undone": "`{name}` is another, and what comes after makes the same of it.",
    "same answer": "what is returned is the same.",
    "another line": "Line {line} was right as it was given. The bug is in another line.",
}


def what_was_edited(exercise: Exercise, function: Function, cases: list[Arguments]) -> list[str]:
    """Return a sentence on the line that was changed, where it is one; [] where that cannot be seen.

    `cases` are what the function is given, as in the hidden cases.
    """
    now, before = source_of(function), _bug_of(exercise).given
    changed = lines_changed(now, before)
    if changed is None or now is None or before is None:
        return []
    if not changed:
        return [MESSAGES["no edit"]]
    if len(changed) > 1:
        return []
    line = now.tree.body[changed[0]]
    what = _what_it_gives(exercise, function, (now, before), changed[0], cases)
    return [MESSAGES["line"].format(line=now.line(line), what=what)]


def lines_changed(now: Source | None, before: Source | None) -> list[int] | None:
    """Return which statements are not what they were; None where there are more or fewer of them."""
    if now is None or before is None or len(now.tree.body) != len(before.tree.body):
        return None
    pairs = zip(now.tree.body, before.tree.body)
    return [i for i, (a, b) in enumerate(pairs) if ast.dump(a) != ast.dump(b)]


def where_it_is_not(exercise: Exercise, function: Function) -> list[str]:
    """Return a sentence where the one line that was changed is not the one with the bug; else []."""
    if not exercise.has_bug:
        return []
    before, bug = _bug_of(exercise)
    now = source_of(function)
    changed = lines_changed(now, before)
    if now is None or before is None or not changed or not bug or len(changed) > 1 or len(bug) > 1 or changed == bug:
        return []
    old, new = (source.tree.body[changed[0]] for source in (before, now))
    if not _names(old) - {"np"} <= _names(new):  # what came from the line with the bug may be read no more
        return []
    return [MESSAGES["another line"].format(line=now.line(new))]


class _Bug(NamedTuple):
    """The source of the function with the bug, and which of its statements are mended in the solution."""

    given: Source | None
    lines: list[int] | None


@functools.cache  # the same for every answer; a few records, which live as long as the kernel
def _bug_of(exercise: Exercise) -> _Bug:
    given = source_of(compile_function(exercise.stub, exercise.name))
    return _Bug(given, lines_changed(source_of(exercise.reference()), given))


def _names(line: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(line) if isinstance(node, ast.Name)}


def _what_it_gives(
    exercise: Exercise, function: Function, sources: tuple[Source, Source], i: int, cases: list[Arguments]
) -> str:
    """Compare what a line gives with what it gave, by returning that in place of the answer."""
    line = sources[0].tree.body[i]
    target = line.targets[0] if isinstance(line, ast.Assign) and len(line.targets) == 1 else None
    if not isinstance(target, ast.Name):
        return MESSAGES["same answer"]
    came = []
    for source in sources:
        tree = copy.deepcopy(source.tree)
        last = ast.copy_location(ast.Return(ast.Name(target.id, ast.Load())), tree.body[i])
        tree.body = [*tree.body[: i + 1], ast.fix_missing_locations(last)]
        came.append(run_trusted(exercise, function_of(tree, function, np=np), cases))
    if not all(isinstance(one, Returned) for outcomes in came for one in outcomes):
        return MESSAGES["same answer"]
    if not all(map(same, *came)):
        return MESSAGES["undone"].format(name=target.id)
    values = [one.parts[0] for one in came[0] if isinstance(one, Returned)]
    if values[0].ndim:
        return MESSAGES["same values"].format(name=target.id)
    return MESSAGES["same value"].format(name=target.id, value=values[0])
