"""Diagnosis of a learner's test by one comparison made looser, or one `or` stricter: what mends it shows where.

What is said was tried: with this one place changed, the test lets every right function through and no wrong one.
"""

import ast
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .exercise import Exercise, Finding, Function
from .runner import Returned, run_cases
from .sources import Source, function_of, source_of

RELATIVE, ABSOLUTE = 1e-4, 1e-5  # also what was measured by small steps agrees
AT_MOST = 2.0  # seconds for all places
NEAR, UNLIKE, ALL_NEAR = "_near", "_unlike", "_all_near"
COMPARING = ("close", "equal", "all", "any")
SHOWN = 60  # letters of a piece, at most


class Loosening(NamedTuple):
    """A place, what stands there instead, and the name of the mistake that this mends."""

    mistake: str
    node: ast.AST
    new: ast.AST


Ways = Callable[[ast.AST], Iterable[Loosening]]  # a tree -> the changes that are tried


def near(a: Any, b: Any) -> Any:
    """Compare as == does, but numbers with a point within rounding."""
    x, y = (np.asarray(one) for one in (a, b))
    if "f" not in (x.dtype.kind, y.dtype.kind) or not {x.dtype.kind, y.dtype.kind} <= set("fiu"):
        return a == b
    if isinstance(a, list | tuple):
        return all_near(a, b)
    return np.isclose(x, y, rtol=RELATIVE, atol=ABSOLUTE)


def unlike(a: Any, b: Any) -> Any:
    """Compare as != does, but within rounding."""
    return np.logical_not(near(a, b))


def all_near(a: Any, b: Any) -> bool:
    """Compare as np.array_equal does, but within rounding."""
    return np.shape(a) == np.shape(b) and bool(np.all(near(np.asarray(a), np.asarray(b))))


def mended_by_loosening(exercise: Exercise, test: Function, subjects: Sequence[Any]) -> Finding | None:
    """Name the place of a test that, changed, lets it tell all functions apart."""
    mended = _first_that_gives([one.mistake is None for one in subjects], loosenings, exercise, test, subjects)
    return Finding(mended[0].mistake, also=(Finding("mended_here", mended[1]),)) if mended else None


def refusing_piece(exercise: Exercise, test: Function, right: Sequence[Any]) -> Finding | None:
    """Name the part of a test that is the same for each right function, and refuses it."""
    found = _first_that_gives([True] * len(right), verdicts, exercise, test, right)
    return Finding("refused_here", found[1] | {"verdict": found[0].mistake}) if found else None


def _first_that_gives(
    wanted: Sequence[bool], ways: Ways, exercise: Exercise, test: Function, subjects: Sequence[Any]
) -> tuple[Loosening, dict[str, Any]] | None:
    """Return the first change with which the verdicts are those that are wanted, and its line and piece."""
    source, end = source_of(test), time.monotonic() + AT_MOST
    if source is None:
        return None
    places = list(ways(source.tree))
    exact = [i for i, one in enumerate(places) if one.mistake == "compared_exactly"]
    for chosen in [*([i] for i in range(len(places))), *([exact] if len(exact) > 1 else [])]:
        left = end - time.monotonic()
        made = _with(source, chosen, ways, test)
        outcomes = run_cases(exercise, made, [(one,) for one in subjects], left) if left > 0 else []
        if [bool(one.parts[0]) for one in outcomes if isinstance(one, Returned)] == wanted:
            place = places[chosen[0]]
            piece = source.piece(place.node)
            piece = piece if len(piece) <= SHOWN else piece[: SHOWN - 4] + " ..."
            return place, {"line": source.line(place.node), "piece": piece}
    return None


def verdicts(tree: ast.AST) -> Iterator[Loosening]:
    """Yield each part of a test that is True or False, with what it may be instead; what it was is its name."""
    returned = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Return)}
    for node in ast.walk(tree):
        called = str(getattr(node.func, "attr", getattr(node.func, "id", ""))) if isinstance(node, ast.Call) else ""
        judges = isinstance(node, ast.Compare | ast.BoolOp) or any(word in called for word in COMPARING)
        if judges and id(node) not in returned:
            yield Loosening("False", node, ast.Constant(True))
            yield Loosening("True", node, ast.Constant(False))


def loosenings(tree: ast.AST) -> Iterator[Loosening]:
    """Yield each place where a comparison may be too exact, or where one of several is enough."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq) and len(node.ops) == 1:
            looser = NEAR if isinstance(node.ops[0], ast.Eq) else UNLIKE
            yield Loosening("compared_exactly", node, _call(looser, [node.left, *node.comparators]))
        elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            yield Loosening("or_for_and", node, ast.BoolOp(ast.And(), node.values))
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name == "array_equal" and len(node.args) == 2:
                yield Loosening("compared_exactly", node, _call(ALL_NEAR, node.args))
            elif name == "any" and isinstance(node.func, ast.Attribute):
                func: ast.expr = ast.Attribute(node.func.value, "all", ast.Load())
                yield Loosening("any_for_all", node, ast.Call(func, node.args, node.keywords))
            elif name == "any":
                yield Loosening("any_for_all", node, ast.Call(ast.Name("all", ast.Load()), node.args, node.keywords))


def _call(name: str, arguments: Sequence[ast.expr]) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _with(source: Source, chosen: Collection[int], ways: Ways, test: Function) -> Function:
    """Return the test with these of its places changed."""
    tree = source.again().tree
    new = {id(one.node): one.new for i, one in enumerate(ways(tree)) if i in chosen}

    class Changed(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> Any:
            return new.get(id(node)) or self.generic_visit(node)

    changed = ast.fix_missing_locations(Changed().visit(tree))
    return function_of(changed, test, **{NEAR: near, UNLIKE: unlike, ALL_NEAR: all_near})
