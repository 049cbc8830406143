"""Try one small change of the learner's own source: a change that makes every case right shows where the slip is."""

import ast
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .compare import is_right
from .edits import Edit, build, count_rounds, find_edits, tree_of
from .exercise import Case, Exercise, Function
from .mutants import quote
from .runner import Outcome, run_cases

SECONDS = 0.35  # of the processor
SYSTEM = ("os", "sys", "signal", "shutil", "subprocess", "open", "ctypes")


@dataclass(frozen=True)
class Repair:
    """Where the slip is, and what would put it right."""

    lines: tuple[int, ...]
    piece: str
    replacement: str  # "" where the line has to be removed, or moved
    adds: bool = False  # whether the piece is right as it is, and something has to be added to it


def find_repair(
    exercise: Exercise, function: Function, cases: Sequence[Case], needed: Sequence[Outcome], first: int
) -> Repair | None:
    """Return the one change with which every case is right. Case `first` fails today.

    A step that is added in one place often makes up for a slip in another. Therefore additions are only tried where
    nothing else helps, and none is returned where several lines would do.
    """
    tree = tree_of(function)
    if tree is None or _reaches_out(tree):
        return None
    end = time.thread_time() + SECONDS
    order = [first, *(i for i in range(len(cases)) if i != first)]
    changes: list[Edit] = []
    additions: list[Edit] = []
    for edit in find_edits(tree):
        if edit.kind != "result_changed":  # which would only undo the slip
            (additions if edit.adds else changes).append(edit)
    moves = list(_moved_lines(tree))
    count_rounds(tree)

    def is_mended() -> bool:
        changed = build(tree, function.__globals__)
        return changed is not None and all(
            time.thread_time() < end
            and is_right(exercise, cases[i], run_cases(exercise, changed, [cases[i].arguments])[0], needed[i])
            for i in order
        )

    def repairs_by(edits: Sequence[Edit], adds: bool = False) -> Iterator[Repair]:
        for edit in edits:
            with edit.applied():
                replacement = quote(tree, edit.new) if time.thread_time() < end and is_mended() else ""
            if replacement:
                yield Repair(edit.lines, quote(tree, edit.old), replacement, adds)

    def repairs_by_moves() -> Iterator[Repair]:
        for block, after, line in moves:
            before = list(block)
            block[:] = after
            found = is_mended()
            block[:] = before
            if found:
                yield Repair((line.lineno,), ast.unparse(line).splitlines()[0], "")

    repair = next(repairs_by(changes), None) or next(repairs_by_moves(), None)
    if repair is not None:
        return repair
    added = list(repairs_by(additions, adds=True))
    return added[0] if len({repair.lines for repair in added}) == 1 else None


def _reaches_out(tree: ast.FunctionDef) -> bool:
    """Whether an answer calls the system, which must not be called with other arguments than its author wrote."""
    return any(isinstance(node, ast.Name) and node.id in SYSTEM for node in ast.walk(tree))


def _moved_lines(tree: ast.FunctionDef) -> Iterator[tuple[list[ast.stmt], list[ast.stmt], ast.stmt]]:
    """Yield a block of lines, the same with a line left out, moved down or taken out of a loop, and that line."""
    for node in ast.walk(tree):
        block = getattr(node, "body", None)
        if not isinstance(block, list):
            continue
        for i, line in enumerate(block):
            rest = block[:i] + block[i + 1 :]
            if isinstance(line, ast.For) and isinstance(line.body[-1], ast.Return) and len(line.body) > 1:
                loop = ast.copy_location(ast.For(line.target, line.iter, line.body[:-1], []), line)
                yield block, [*block[:i], loop, line.body[-1], *rest[i:]], line.body[-1]
            if rest and not isinstance(line, ast.Return):
                yield block, rest, line
                yield block, [*rest[: i + 1], line, *rest[i + 1 :]], line
