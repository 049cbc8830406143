"""Small changes of an answer's source: one piece that may be another. One that makes it right shows where the slip is.

The commonest slips come first: a number that is cut, brackets, an axis, keepdims, a transpose, a name.
"""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.MatMult, ast.Add),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Mod, ast.Div),
    ast.Mod: (ast.FloorDiv,),
    ast.MatMult: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
FAMILIES = (
    ("max", "min"),
    ("sum", "mean"),
    ("argmax", "argmin"),
    ("any", "all"),
    ("repeat", "tile"),
    ("tril", "triu"),
    ("vstack", "hstack"),
    ("stack", "concatenate"),
    ("exp", "exp2", "log"),
    ("sqrt", "square", "abs", "cbrt"),
    ("sin", "cos"),
    ("log", "log2", "log10"),
    ("maximum", "minimum"),
    ("zeros", "ones"),
)
REDUCE = ("sum", "mean", "max", "min", "std", "any", "all", "argmax", "argmin")
CUTS = ("int", "round", "floor", "rint", "trunc", "ceil", "astype")
PLACE = tuple[ast.AST, str, int | None]  # parent, field, place in a list


class Change(NamedTuple):
    """A node, where it stands, and what may stand there."""

    kind: str
    node: ast.AST
    place: PLACE
    new: ast.AST

    def put(self, node: ast.AST) -> None:
        """Put a node into the place."""
        parent, field, i = self.place
        if i is None:
            setattr(parent, field, node)
        else:
            getattr(parent, field)[i] = node


def changes(tree: ast.FunctionDef, kinds: Sequence[str] | None = None) -> list[Change]:
    """Return every small change, the likeliest first; of these kinds alone, where they are given."""
    names = _names(tree)
    written = _written(tree)
    found = [
        Change(kind, node, place, _at(node, new))
        for place, node in _places(tree)
        for kind, new in _of(node, place, names)
        if (kinds is None or kind in kinds) and not (isinstance(new, ast.Name) and new.id in written)
    ]
    order = {kind: i for i, kind in enumerate(KINDS)}
    return sorted(found, key=lambda change: order[change.kind])


KINDS = ("cut", "brackets", "constant", "keyword", "operator", "transpose", "family", "argument", "omission", "name")


def _places(tree: ast.AST) -> Iterator[tuple[PLACE, ast.expr]]:
    """Yield every expression with its place; the first line of the function is left alone."""
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if parent is tree and field != "body":
                continue
            for i, node in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(node, ast.expr):
                    yield (parent, field, i if isinstance(value, list) else None), node


def _written(tree: ast.AST) -> set[str]:
    """Return the names of what is written into: put elsewhere, a list may come to hold itself, which no array bears."""
    return {
        node.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.value, ast.Name) and _writes(node)
    }


def _writes(node: ast.Attribute | ast.Subscript) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in ("append", "extend", "insert")
    return isinstance(node.ctx, ast.Store)


def _names(tree: ast.FunctionDef) -> list[str]:
    """Return the arguments of a function and the names that it gives."""
    names = [argument.arg for argument in tree.args.args]
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id not in names:
            names.append(node.id)
    return names


def _at(node: ast.AST, new: ast.AST) -> ast.AST:
    """Put what is new where the old one stood; a part of the old one keeps its own place."""
    if not hasattr(new, "lineno"):
        ast.copy_location(new, node)
        for part in ast.iter_child_nodes(new):
            _at(node, part)
    return new


def _of(node: ast.expr, place: PLACE, names: list[str]) -> Iterator[tuple[str, ast.AST]]:
    """Yield what may stand in the place of an expression, and of which kind the change is."""
    if isinstance(getattr(node, "ctx", None), ast.Store):
        return
    if isinstance(node, ast.BinOp):
        yield from _of_two(node)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from (("operator", ast.Compare(node.left, [op()], node.comparators)) for op in COMPARISONS)
    elif isinstance(node, ast.BoolOp):
        yield "operator", ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp):
        constant = node.operand.value if isinstance(node.operand, ast.Constant) else None
        if isinstance(node.op, ast.USub) and isinstance(constant, int | float):
            yield from (("constant", new) for new in _numbers(-constant))
            yield from _axes(place, names)
        yield "omission", node.operand
    elif isinstance(node, ast.Constant):
        yield from (("constant", new) for new in _numbers(node.value))
        yield from _axes(place, names)
    elif isinstance(node, ast.Attribute):
        if node.attr == "T":
            yield "transpose", node.value
            yield "transpose", _swapped(node.value)
        for family in FAMILIES:
            if node.attr in family:
                yield from (
                    ("family", ast.Attribute(node.value, other, node.ctx)) for other in family if other != node.attr
                )
    elif isinstance(node, ast.Subscript):
        yield "omission", node.value
    elif isinstance(node, ast.Call):
        yield from _of_call(node)
    elif isinstance(node, ast.List | ast.Tuple) and len(node.elts) > 1:
        for i in range(len(node.elts) - 1):
            elements = list(node.elts)
            elements[i], elements[i + 1] = elements[i + 1], elements[i]
            yield "argument", type(node)(elements, node.ctx)
    elif isinstance(node, ast.Name):
        yield from (("name", ast.Name(other, node.ctx)) for other in names if other != node.id and node.id in names)
        if node.id in names and isinstance(place[0], ast.Call) and _called(place[0]) == "reshape":
            yield "argument", ast.Constant(-1)


def _axes(place: PLACE, names: list[str]) -> Iterator[tuple[str, ast.AST]]:
    """Yield the argument `axis` in the place of an axis that is a number."""
    if "axis" in names and isinstance(place[0], ast.keyword) and place[0].arg == "axis":
        yield "keyword", ast.Name("axis", ast.Load())


def _of_two(node: ast.BinOp) -> Iterator[tuple[str, ast.AST]]:
    """Yield what may stand in the place of `a + b` and the like."""
    left, op, right = node.left, node.op, node.right
    if isinstance(op, ast.FloorDiv):
        yield "cut", ast.BinOp(left, ast.Div(), right)
    if isinstance(left, ast.BinOp):
        yield "brackets", ast.BinOp(left.left, left.op, ast.BinOp(left.right, op, right))
    if isinstance(right, ast.BinOp):
        yield "brackets", ast.BinOp(ast.BinOp(left, op, right.left), right.op, right.right)
    for other in OPERATORS.get(type(op), ()):
        yield "operator", ast.BinOp(left, other(), right)
    if isinstance(op, ast.MatMult):
        yield "transpose", ast.BinOp(left, op, ast.Attribute(right, "T", ast.Load()))
        yield "transpose", ast.BinOp(ast.Attribute(left, "T", ast.Load()), op, right)
        yield "transpose", ast.BinOp(left, op, _swapped(right))
    if isinstance(op, ast.Div):
        yield "family", ast.BinOp(left, op, _numpy("sqrt", right))
    if not isinstance(op, ast.Add | ast.Mult):
        yield "argument", ast.BinOp(right, op, left)
    yield "omission", left
    yield "omission", right


def _of_call(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    """Yield what may stand in the place of a call."""
    called = _called(node)
    method = isinstance(node.func, ast.Attribute) and not (
        isinstance(node.func.value, ast.Name) and node.func.value.id == "np"
    )
    inner = node.func.value if method and isinstance(node.func, ast.Attribute) else node.args[0] if node.args else None
    if inner is not None:
        yield "cut" if called in CUTS else "omission", inner
    if called in REDUCE:
        given = {word.arg: word for word in node.keywords}
        along = ast.UnaryOp(ast.USub(), ast.Constant(1))
        axis = given.get("axis", ast.keyword("axis", along))
        kept = ast.keyword("keepdims", ast.Constant(True))
        last = ast.keyword("axis", along)
        for words in ([axis, kept], [last, kept], [last]):
            yield "keyword", ast.Call(node.func, node.args[: not method], words)
    if called == "len" and inner is not None:
        yield "family", ast.Subscript(ast.Attribute(inner, "shape", ast.Load()), ast.Constant(-1), ast.Load())
    for i in range(len(node.args)):
        for j in range(i):
            args = list(node.args)
            args[i], args[j] = args[j], args[i]
            yield "argument", ast.Call(node.func, args, node.keywords)
    for i in range(len(node.keywords)):
        yield "keyword", ast.Call(node.func, node.args, node.keywords[:i] + node.keywords[i + 1 :])


def _called(node: ast.AST) -> str:
    """Return the last name of what is called, "sum" of `x.sum()`."""
    function = getattr(node, "func", None)
    return str(getattr(function, "attr", getattr(function, "id", "")))


def _numbers(value: object) -> Iterator[ast.expr]:
    """Yield numbers that are written in the place of another."""
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int | float):
        for other in dict.fromkeys((-1, 0, 1, 2, -2, value + 1, value - 1)):
            if other != value:
                yield ast.Constant(other)
        if value <= 0:
            yield ast.UnaryOp(ast.USub(), _numpy_name("inf"))


def _numpy_name(name: str) -> ast.expr:
    return ast.Attribute(ast.Name("np", ast.Load()), name, ast.Load())


def _numpy(name: str, argument: ast.expr) -> ast.expr:
    return ast.Call(_numpy_name(name), [argument], [])


def _swapped(value: ast.expr) -> ast.expr:
    last, second_last = (ast.UnaryOp(ast.USub(), ast.Constant(n)) for n in (1, 2))
    return ast.Call(ast.Attribute(value, "swapaxes", ast.Load()), [last, second_last], [])
