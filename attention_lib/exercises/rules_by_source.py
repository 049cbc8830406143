"""Diagnosis by changing an answer's source a little and running it: what mends it, or does nothing, shows where.

What is said here is true whatever the answer is: it was tried in every case.
"""

import ast
import copy
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from .compare import same
from .describe import is_right
from .exercise import Exercise, Finding, Function
from .known import Known, arguments_of, right_outcomes
from .one_change import Change, changes
from .runner import Outcome, Returned, in_time, run_case
from .sources import COUNTER, Rounds, Source, count_rounds, function_of, source_of

AT_MOST = 2.0  # seconds for all changes
TRIES = 600  # changes that are tried
MORE = 4  # letters that what stands round a piece must have
SHOWN = 60  # letters of a piece, at most
FRESH = 23  # seed of the cases that a mended answer must pass too


def idle_division(
    exercise: Exercise, function: Function, known: Known, found: Sequence[Outcome], time_limit: float
) -> Finding | None:
    """See a division in the source that could be left out: it is by 1, or what comes after undoes it."""
    source = source_of(function)
    divisions = [change for change in changes(source.tree) if _is_division(change)] if source else []
    if source is None or not divisions:
        return None
    wrong = [i for i, (a, b) in enumerate(zip(found, known.expected)) if not same(a, b)]
    arguments = arguments_of([known.cases[i] for i in wrong])
    told: list[Finding] = []

    def look() -> None:
        for change in divisions:
            if _outcomes(exercise, source, change, function, arguments) == len(wrong):
                told.append(_of_division(source, change))
                return

    def _outcomes(exercise: Exercise, source: Source, change: Change, function: Function, arguments: Any) -> int:
        """Return in how many of the wrong cases the answer stays."""
        made = _changed(source, change, function)
        if made is None:
            return 0
        return sum(same(found[i], run_case(exercise, made, given)) for i, given in zip(wrong, arguments))

    with in_time(look, min(time_limit, AT_MOST)):
        return told[0] if told else None


def _is_division(change: Change) -> bool:
    node = change.node
    return (
        change.kind == "omission"
        and isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Div | ast.FloorDiv)
        and change.new is node.left
    )


def _of_division(source: Source, change: Change) -> Finding:
    node = change.node
    assert isinstance(node, ast.BinOp)
    values = {"line": source.line(node), "divisor": _short(source.piece(node.right))}
    return Finding("division_without_effect", values)


def mending_change(
    exercise: Exercise,
    function: Function,
    known: Known,
    first: int,
    time_limit: float,
    kinds: Sequence[str] | None = None,
) -> Finding | None:
    """Name the one piece of the source with which, when it is another, every case comes out right; None without it.

    `first` is the first case that is wrong; `kinds` of changes, where not all are to be tried.
    """
    source = source_of(function)
    if source is None or first >= len(known.cases):
        return None
    right = known.expected[first]
    digits = isinstance(right, Returned) and right.parts[0].dtype.kind == "f"  # that can be lost
    tried = _all_changes(source, function, kinds, digits)
    if not tried:
        return None
    fresh = exercise.draw(np.random.default_rng(FRESH))
    order = [first, *(i for i in range(len(known.cases)) if i != first)]
    arguments = arguments_of([known.cases[i] for i in order])
    needed = [known.expected[i] for i in order]
    mended: list[Finding] = []

    end = time.monotonic() + min(time_limit, AT_MOST)

    def look() -> None:
        for make, said in tried[:TRIES]:
            if time.monotonic() > end:
                return
            made = make()
            if made is not None and passes(made):
                mended.append(said())
                return

    def passes(made: Function) -> bool:
        for given, right in zip(arguments, needed):
            if time.monotonic() > end or not is_right(exercise, run_case(exercise, made, given), right):
                return False
        rest = right_outcomes(exercise, fresh)
        return all(
            is_right(exercise, run_case(exercise, made, one.arguments), right) for one, right in zip(fresh, rest)
        )

    with in_time(look, min(time_limit, AT_MOST)):
        return mended[0] if mended else None


Made = Callable[[], Function | None]
Said = Callable[[], Finding]


def _all_changes(
    source: Source, function: Function, kinds: Sequence[str] | None, digits: bool
) -> list[tuple[Made, Said]]:
    """Return how to make each changed function, and what is said where it is right."""
    made: list[tuple[Made, Said]] = []
    around = {child: parent for parent in ast.walk(source.tree) for child in ast.iter_child_nodes(parent)}
    for change in changes(source.tree):
        if kinds is None or (digits and change.kind in kinds):
            made.append((partial(_changed, source, change, function), partial(_said, source, change, around, digits)))
    lines = list(_changed_lines(source)) if kinds is None else []
    made += [(partial(_compiled, tree, function), partial(Finding, *said)) for tree, said in lines]
    for tree in (source.tree, *(tree for tree, _ in lines)):
        count_rounds(tree)
    return made


def _said(source: Source, change: Change, around: Mapping[ast.AST, ast.AST], digits: bool) -> Finding:
    """Say where a change is made: the piece, and in what it stands."""
    node, key = change.node, "cut_in_line" if change.kind == "cut" and digits else "piece_wrong"
    if change.kind == "omission" and isinstance(node, ast.BinOp):
        key, node = "piece_too_many", node.right if change.new is node.left else node.left
    piece, whole = source.piece(node), around[node]
    while not isinstance(whole, ast.stmt) and (
        isinstance(whole, ast.keyword) or len(source.piece(whole)) < len(piece) + 4
    ):
        whole = around[whole]
    simple = not isinstance(whole, ast.stmt) or isinstance(whole, ast.Assign | ast.AugAssign | ast.Return | ast.Expr)
    within = source.piece(whole) if simple else source.piece(whole).split(":")[0]
    return Finding(key, {"line": source.line(node), "piece": _short(piece), "whole": _short(within)})


def _changed_lines(source: Source) -> Iterator[tuple[ast.FunctionDef, Finding]]:
    """Yield trees with two lines exchanged, one left out, or a `return` taken out of its loop."""
    for block in _blocks(source.tree):
        lines = list(block)
        for i, line in enumerate(lines):
            values = {"line": source.line(line)}
            if isinstance(line, ast.Return):
                continue
            if len(lines) > 1:
                yield _with(source, block, lines[:i] + lines[i + 1 :]), Finding("line_too_many", values)
            if i + 1 < len(lines) and not isinstance(lines[i + 1], ast.Return):
                other = {**values, "other": source.line(lines[i + 1])}
                exchanged = [*lines[:i], lines[i + 1], line, *lines[i + 2 :]]
                yield _with(source, block, exchanged), Finding("lines_exchanged", other)
            if isinstance(line, ast.For) and len(line.body) > 1 and isinstance(line.body[-1], ast.Return):
                inner, last = line.body, line.body[-1]
                line.body = inner[:-1]
                tree = _with(source, block, [*lines[: i + 1], last, *lines[i + 1 :]])
                line.body = inner
                yield tree, Finding("return_in_the_loop", {"line": source.line(last)})


def _blocks(tree: ast.AST) -> list[list[ast.stmt]]:
    """Return every block of lines."""
    return [block for node in ast.walk(tree) for field, block in ast.iter_fields(node) if _is_block(block)]


def _is_block(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, ast.stmt) for one in value)


def _with(source: Source, block: list[ast.stmt], lines: list[ast.stmt]) -> ast.FunctionDef:
    """Return a copy of the tree in which a block has other lines."""
    before = list(block)
    block[:] = lines
    tree = copy.deepcopy(source.tree)
    block[:] = before
    return tree


def _changed(source: Source, change: Change, function: Function) -> Function | None:
    """Return the function with one piece changed; None where that does not compile."""
    change.put(change.new)
    try:
        return _compiled(source.tree, function)
    finally:
        change.put(change.node)


def _compiled(tree: ast.FunctionDef, function: Function) -> Function | None:
    try:
        return function_of(tree, function, **{COUNTER: Rounds()})
    except (SyntaxError, ValueError, TypeError):
        return None


def _short(piece: str) -> str:
    return piece if len(piece) <= SHOWN else piece[: SHOWN - 4] + " ..."
