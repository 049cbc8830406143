"""The source of an answer as a tree, and functions made of trees that were changed."""

import ast
import contextlib
import functools
import inspect
import linecache
import textwrap
import tokenize
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

from .exercise import Function, Operands


class Source(NamedTuple):
    """The text of an answer, its tree, and how far its lines stand from those of its cell."""

    text: str
    tree: ast.FunctionDef
    offset: int

    def piece(self, node: ast.AST) -> str:
        """Return the text of a node in one line, as it was written."""
        return " ".join((ast.get_source_segment(self.text, node) or ast.unparse(node)).split())

    def again(self) -> "Source":
        """Return the same with a tree of its own, to be changed."""
        (tree, *_) = ast.parse(self.text).body
        assert isinstance(tree, ast.FunctionDef)
        return self._replace(tree=tree)

    def line(self, node: ast.AST) -> int:
        """Return the line of a node in its cell."""
        return int(getattr(node, "lineno", 1)) + self.offset


def source_of(function: Function) -> Source | None:
    """Return the source of a plain function; None where there is none, or where it needs more than its module."""
    with contextlib.suppress(OSError, TypeError, SyntaxError, ValueError):
        if inspect.isfunction(function) and not function.__closure__:
            text = text_of(function)
            tree = ast.parse(text).body[0] if text else None
            if isinstance(tree, ast.FunctionDef) and not tree.decorator_list:
                return Source(text, tree, function.__code__.co_firstlineno - 1)
    return None


def text_of(function: Function) -> str:
    """Return the source text of a function, from its first line on; "" where there is none."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return _text_at(code) if isinstance(code, CodeType) else ""


@functools.lru_cache(maxsize=16)  # of one answer it is asked time and again
def _text_at(code: CodeType) -> str:
    """Read it where tracebacks do: `inspect.getsource` asks every module that was ever imported whether it is there."""
    with contextlib.suppress(tokenize.TokenError, SyntaxError):
        block = inspect.getblock(linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :])
        return textwrap.dedent("".join(block))
    return ""


def function_of(tree: ast.FunctionDef, function: Function, **names: Any) -> Function:
    """Return the function that a changed tree makes, beside what the old one knows; it prints nothing."""
    module = ast.Module(body=[tree], type_ignores=[])
    namespace: dict[str, Any] = {**function.__globals__, "print": _quiet, **names}
    exec(compile(module, "<an answer, changed>", "exec"), namespace)
    made: Callable[..., Any] = namespace[tree.name]
    return made


def _quiet(*words: Any, **options: Any) -> None:
    """Print nothing."""


COUNTER = "_count_a_round"
ROUNDS = 100_000  # of all loops, in all cases: half more than any right answer takes


class Rounds:
    """Count the rounds of loops, and end what goes on and on: a change may make a loop endless."""

    def __init__(self) -> None:
        self.left = ROUNDS

    def __call__(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise RuntimeError


def count_rounds(tree: ast.AST) -> None:
    """Let every loop of a tree count its rounds."""
    for loop in [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.While)]:
        count = ast.Expr(ast.Call(ast.Name(COUNTER, ast.Load()), [], []))
        loop.body.insert(0, ast.fix_missing_locations(ast.copy_location(count, loop)))


def operands_at(error: BaseException, filename: str | None, code: str) -> Operands | None:
    """Return the two sides of the product that does not fit, where an error was raised in a line of an answer."""
    if not isinstance(error, ValueError) or "@" not in code:
        return None
    step, frame = error.__traceback__, None
    while step is not None:
        frame = step.tb_frame if step.tb_frame.f_code.co_filename == filename else frame
        step = step.tb_next
    with contextlib.suppress(Exception):  # the line is no statement by itself, or a name has no value
        tree = ast.parse(code)
        names = _names_at(frame, tree) if frame else {}
        for node in ast.walk(tree):
            if names and isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
                sides = [(ast.unparse(side), _shape_of(side, names)) for side in (node.left, node.right)]
                (_, had), (_, other) = sides
                if had and other and had[-1] != other[max(len(other) - 2, 0)]:
                    return sides[0], sides[1]
    return None


PLAIN = (ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.List)
#: Calls that change nothing, so that one side of a product may be made once more.
PURE = frozenset(
    (
        *("sum", "mean", "max", "min", "exp", "sqrt", "where", "array", "asarray", "matmul", "dot", "einsum"),
        *("reshape", "transpose", "swapaxes", "moveaxis", "ravel", "flatten", "squeeze"),
        *("concatenate", "stack", "hstack", "vstack"),
    )
)


def _names_at(frame: FrameType, tree: ast.AST) -> dict[str, Any]:
    """Return the names that a line knows, with their values.

    From Python 3.12 on, a comprehension that ends by an error leaves none of its own names: the first of what it
    goes through stands for each.
    """
    names = {**frame.f_globals, **frame.f_locals}
    for loop in [node for node in ast.walk(tree) if isinstance(node, ast.comprehension)]:
        zipped = isinstance(loop.iter, ast.Call) and ast.unparse(loop.iter.func) == "zip"
        sources = loop.iter.args if isinstance(loop.iter, ast.Call) and zipped else [loop.iter]
        targets = loop.target.elts if isinstance(loop.target, ast.Tuple) and zipped else [loop.target]
        for target, source in zip(targets, sources):
            if isinstance(target, ast.Name) and target.id not in frame.f_locals and _is_plain(source, names):
                names[target.id] = next(iter(_value_of(source, names)))
    return names


def _is_plain(side: ast.expr, names: dict[str, Any]) -> bool:
    """Whether an expression can be looked at without calling a function of the learner's own."""
    nodes = (node for node in ast.walk(side) if isinstance(node, ast.expr))
    return all(isinstance(node, PLAIN) or _is_pure(node, names) for node in nodes)


def _value_of(side: ast.expr, names: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(side), "<a side>", "eval"), names)


def _shape_of(side: ast.expr, names: dict[str, Any]) -> tuple[int, ...]:
    """Return the shape of one side of a product; () where a function of the learner's own would have to be called."""
    return tuple(np.shape(_value_of(side, names))) if _is_plain(side, names) else ()


def _is_pure(node: ast.expr, names: dict[str, Any]) -> bool:
    """Whether a call is one of Python's or numpy's own that changes nothing."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id == "sum" and "sum" not in names
    return isinstance(node.func, ast.Attribute) and node.func.attr in PURE


def returns_in_loops_alone(function: Function) -> bool:
    """Whether every `return` of a function stands in a loop."""
    source = source_of(function)
    if source is None:
        return False
    loops = [node for node in ast.walk(source.tree) if isinstance(node, ast.For | ast.While)]
    inside = {id(node) for loop in loops for node in ast.walk(loop) if isinstance(node, ast.Return)}
    every = [node for node in ast.walk(source.tree) if isinstance(node, ast.Return)]
    return bool(every) and all(id(node) in inside for node in every)


def reduces_without_keepdims(function: Function) -> bool:
    """Whether a sum or a largest number is taken along an axis, and the axis is not kept."""
    source = source_of(function)
    calls = [node for node in ast.walk(source.tree) if isinstance(node, ast.Call)] if source else []
    given = [
        {word.arg for word in call.keywords}
        for call in calls
        if getattr(call.func, "attr", "") in ("sum", "max", "mean", "amax")
    ]
    return any("axis" in words and "keepdims" not in words for words in given)
