"""Diagnosis by changing an answer's source a little and running it: what mends it, or does nothing, shows where.

What is said here is true whatever the answer is: it was tried in every case.
"""

import ast
import functools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, cast

import numpy as np

from .compare import same
from .describe import is_right
from .exercise import Arguments, Exercise, Finding, Function
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
    order = [first, *(i for i in range(len(known.cases)) if i != first)]
    arguments = arguments_of([known.cases[i] for i in order])
    needed = [known.expected[i] for i in order]
    mended: list[Finding] = []

    end = time.monotonic() + min(time_limit, AT_MOST)

    def look() -> None:
        for make, said in islice(_all_changes(source, function, kinds, digits), TRIES):
            if time.monotonic() > end:
                return
            made = make()
            if made is not None and passes(made):
                mended.append(said())
                return

    def passes(made: Function) -> bool:
        return all(gives(made, *case) for case in zip(arguments, needed)) and all(
            gives(made, *case) for case in _fresh(exercise)
        )

    def gives(made: Function, given: Arguments, right: Outcome) -> bool:
        return time.monotonic() <= end and is_right(exercise, run_case(exercise, made, given), right)

    with in_time(look, min(time_limit, AT_MOST)):
        return mended[0] if mended else None


@functools.lru_cache(maxsize=64)
def _fresh(exercise: Exercise) -> list[tuple[Arguments, Outcome]]:
    """Return other cases, and what is right in each: the same for every answer, so they are kept."""
    cases = exercise.draw(np.random.default_rng(FRESH))
    return list(zip(arguments_of(cases), right_outcomes(exercise, cases)))


Made = Callable[[], Function | None]
Said = Callable[[], Finding]


def _all_changes(
    source: Source, function: Function, kinds: Sequence[str] | None, digits: bool
) -> Iterator[tuple[Made, Said]]:
    """Yield how to make each changed function, and what is said where it is right."""
    chosen = changes(source.tree, kinds) if kinds is None or digits else []
    around = {child: parent for parent in ast.walk(source.tree) for child in ast.iter_child_nodes(parent)}
    count_rounds(source.tree)
    for change in chosen:
        yield partial(_changed, source, change, function), partial(_said, source, change, around, digits)
    for tree, said in _changed_lines(source.again()) if kinds is None else ():
        count_rounds(tree)
        yield partial(_compiled, tree, function), partial(Finding, *said)


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
    for number, block in enumerate(_blocks(source.tree)):
        for i, line in enumerate(block):
            values = {"line": source.line(line)}
            if isinstance(line, ast.Return):
                continue
            if len(block) > 1:
                others = [j for j in range(len(block)) if j != i]
                yield _with(source, number, others), Finding("line_too_many", values)
            if i + 1 < len(block) and not isinstance(block[i + 1], ast.Return):
                other = {**values, "other": source.line(block[i + 1])}
                exchanged = [*range(i), i + 1, i, *range(i + 2, len(block))]
                yield _with(source, number, exchanged), Finding("lines_exchanged", other)
            if isinstance(line, ast.For) and len(line.body) > 1 and isinstance(line.body[-1], ast.Return):
                tree = source.again().tree
                lines = _blocks(tree)[number]
                lines.insert(i + 1, cast(ast.For, lines[i]).body.pop())
                yield tree, Finding("return_in_the_loop", {"line": source.line(line.body[-1])})


def _blocks(tree: ast.AST) -> list[list[ast.stmt]]:
    """Return every block of lines."""
    return [block for node in ast.walk(tree) for field, block in ast.iter_fields(node) if _is_block(block)]


def _is_block(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, ast.stmt) for one in value)


def _with(source: Source, number: int, order: Sequence[int]) -> ast.FunctionDef:
    """Return a tree of its own in which a block holds these of its lines, in this order."""
    tree = source.again().tree
    lines = _blocks(tree)[number]
    lines[:] = [lines[i] for i in order]
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
