"""Small changes of a function's source, each of one idea: another axis, no `keepdims`, a forgotten root.

They serve twice. Applied to the solution, they give the slips that an answer may agree with (`mutants`). Applied to an
answer, one of them may put it right, and shows where the slip is (`repair`).
"""

import ast
import contextlib
import functools
import itertools
import linecache
from collections.abc import Iterator
from typing import Any, NamedTuple

from .exercise import Function

MOST_ROUNDS = 100_000  # half more than any right answer takes

#: What is written, and what may be written instead. A single letter stands for any expression, root(a) for any square
#: root, and fill for what a mask writes where attending is forbidden: -np.inf before the softmax, 0 after it.
RULES = (
    ("not_scaled", "a / root(b)", "a"),
    ("half_power", "a / root(b)", "a / b / 2"),
    ("scaled_by_d_k", "root(a)", "a"),
    ("other_root", "root(a)", "np.cbrt(a); np.log2(a); 0.5 * a"),
    ("other_root", "a / b", "a / np.sqrt(b)"),
    ("exp_missing", "np.exp(a)", "a"),
    ("mask_inverted", "np.where(m, a, fill)", "np.where(m, fill, a)"),
    ("mask_ignored", "np.where(m, a, fill)", "a"),
    ("mask_product", "np.where(m, a, fill)", "a * m"),
    ("mask_sum", "np.where(m, a, fill)", "a + m"),
    ("mask_transposed", "np.where(m, a, fill)", "np.where(m.T, a, fill)"),
    ("finite_fill", "np.where(m, a, -np.inf)", "np.where(m, a, -1e9)"),
    ("axes_exchanged", "a.reshape(b, c, d).swapaxes(0, 1)", "a.reshape(c, b, d)"),
    ("axes_exchanged", "a.swapaxes(b, c)", "a; a.transpose(1, 2, 0)"),
    ("order_of_product", "a @ b", "b @ a"),
    ("transpose", "a @ b", "a @ b.T"),
    ("transpose", "a.T", "a; a.swapaxes(-1, -2)"),
    ("keepdims", "a / b", "a / b[:, None]"),
    ("arguments_exchanged", "a - b", "b - a"),
    ("operator", "a + b", "a - b"),
    ("operator", "a - b", "a + b; a / b"),
    ("operator", "a * b", "a / b; a + b"),
    ("operator", "a / b", "a * b; a // b"),
    ("operator", "a // b", "a / b"),
    ("operator", "a & b", "a | b"),
    ("operator", "a | b", "a & b"),
    ("operator", "a or b", "a and b"),
    ("piece_missing", "a[b]", "a"),
    ("piece_missing", "-a", "a"),
    ("piece_missing", "~a", "a"),
    ("piece_missing", "not a", "a"),
)
#: What may be added to a whole line: a step more, or something that is done to the result.
LINE_RULES = (
    ("softmax_twice", "a", "np.exp(a) / np.exp(a).sum(axis=-1, keepdims=True)"),
    ("transpose", "a", "a.T; a.swapaxes(-1, -2)"),
    ("result_changed", "a", "np.flip(a, -1); np.round(a); np.round(a, 2)"),
    ("result_changed", "a", "a ** 2; np.cumsum(a, axis=0); a.mean(axis=0); a.sum(axis=0)"),
)
#: Functions that are taken for each other.
FAMILIES = (
    *(("max", "min"), ("sum", "mean"), ("sum", "max"), ("argmax", "argmin"), ("any", "all"), ("repeat", "tile")),
    *(("tril", "triu"), ("vstack", "hstack"), ("stack", "concatenate"), ("exp", "exp2", "log"), ("zeros", "ones")),
    *(("sqrt", "square", "abs", "cbrt"), ("sin", "cos"), ("log", "log2", "log10"), ("maximum", "minimum")),
    ("std", "var"),
)
REDUCTIONS = ("sum", "mean", "max", "min", "std", "any", "all", "argmax", "argmin")
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
#: The kinds of change, the commonest slip first: where several explain an answer, the first is said.
KINDS = (
    *("not_scaled", "scaled_by_d_k", "half_power", "other_size", "other_root", "axis", "keepdims"),
    *("order_of_product", "mask_inverted", "mask_ignored", "mask_product", "mask_sum", "finite_fill"),
    *("mask_transposed", "exp_missing", "sum_missing", "step_returned", "axes_exchanged"),
    *("comparison", "off_by_one", "number", "family", "name", "transpose", "order_of_parts", "operator"),
    *("piece_missing", "arguments_exchanged", "softmax_twice", "result_changed"),
)
#: Kinds of which the same slip is often made in several places at once.
EVERYWHERE = ("axis", "keepdims", "name", "transpose", "other_size", "comparison", "number", "family")


class Place(NamedTuple):
    """Where an expression stands: in a list of its parent's, or in one of its fields."""

    parent: ast.AST
    container: Any
    key: Any

    @property
    def node(self) -> ast.expr:
        expression: ast.expr = self.container[self.key]
        return expression


class Edit(NamedTuple):
    """One change: its kind, what stands in which places, and what may stand there instead."""

    kind: str
    old: ast.AST
    new: ast.AST
    places: tuple[Place, ...]

    @property
    def lines(self) -> tuple[int, ...]:
        return tuple(sorted({place.node.lineno for place in self.places}))

    @contextlib.contextmanager
    def applied(self) -> Iterator[None]:
        """Make the change in the tree, and take it back afterwards."""
        before = [place.node for place in self.places]
        for place in self.places:
            place.container[place.key] = self.new
        try:
            yield
        finally:
            for place, node in zip(self.places, before):
                place.container[place.key] = node


def tree_of(function: Function) -> ast.FunctionDef | None:
    """Return the source of a plain function as a tree; None where it is not to be had."""
    code = getattr(function, "__code__", None)
    if code is None or getattr(function, "__closure__", None):
        return None
    with contextlib.suppress(Exception):  # no source, or another one by now
        for node in ast.walk(ast.parse("".join(linecache.getlines(code.co_filename)))):
            if isinstance(node, ast.FunctionDef) and (node.name, node.lineno) == (code.co_name, code.co_firstlineno):
                return node
    return None


def count_rounds(tree: ast.FunctionDef) -> None:
    """Let the loops of a tree count their rounds and stop after too many: a change may make a loop endless."""
    for loop in [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.While)]:
        loop.body.insert(0, _new(ast.Expr, _parse("next(_rounds)")))


def build(tree: ast.FunctionDef, namespace: dict[str, Any]) -> Function | None:
    """Compile a tree to a function that prints nothing; None where that is not possible."""
    names = {**namespace, "print": lambda *words, **options: None, "_rounds": iter(range(MOST_ROUNDS))}
    try:
        exec(compile(ast.Module([tree], []), "<a changed answer>", "exec"), names)
    except (SyntaxError, ValueError, TypeError):
        return None
    function: Function = names[tree.name]
    return function


def find_edits(tree: ast.FunctionDef, *, additions: bool = True) -> list[Edit]:
    """Return every small change of a function, the commonest slip first; some also everywhere at once.

    Without `additions`, there is none that leaves all as it is and adds something.
    """
    arguments = [argument.arg for argument in tree.args.args]
    names = _names(tree, arguments)
    sizes = [size.format(name) for name in arguments for size in ("len({})", "{}.shape[-1]", "{}.shape[-2]")]
    edits: list[Edit] = []
    together: dict[tuple[str, str, str], list[Edit]] = {}
    places = list(_places(tree))
    texts = [ast.dump(place.node) for place in places]
    for place, text in zip(places, texts):
        node = place.node
        new_nodes = [*_by_rules(RULES, node), *_special(node, place.parent, names, sizes)]
        if isinstance(place.parent, ast.Return | ast.Assign) and not isinstance(node, ast.Tuple | ast.Constant):
            other_line = "step_returned" if isinstance(place.parent, ast.Return) else "name"
            new_nodes += [(other_line, _fill(name)) for name in names]
            new_nodes += _by_rules(LINE_RULES, node) if additions else []
        for kind, new in new_nodes:
            edit = Edit(kind, node, new, (place,))
            edits.append(edit)
            if kind in EVERYWHERE and texts.count(text) > 1:
                together.setdefault((kind, text, ast.dump(new)), []).append(edit)
    for group in together.values():
        if len(group) > 1:
            edits.append(group[0]._replace(places=tuple(edit.places[0] for edit in group)))
    return sorted(edits, key=lambda edit: KINDS.index(edit.kind))


def _places(tree: ast.FunctionDef) -> Iterator[Place]:
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if parent is tree and field != "body":
                continue
            places = [Place(parent, vars(parent), field)]
            if isinstance(value, list):
                places = [Place(parent, value, i) for i in range(len(value))]
            for place in places:
                if isinstance(place.node, ast.expr) and not isinstance(getattr(place.node, "ctx", None), ast.Store):
                    yield place


def _names(tree: ast.FunctionDef, arguments: list[str]) -> list[str]:
    """Return the arguments of a function and the names that it gives, but for lists and arrays that it fills."""
    stored = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    filled = {
        node.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.value, ast.Name)
        if getattr(node, "attr", "") == "append" or isinstance(node.ctx, ast.Store)
    }
    return [name for name in dict.fromkeys([*arguments, *stored]) if name not in filled]


Found = Iterator[tuple[str, ast.expr]]  # the kind of a change, and what may stand there


def _by_rules(rules: tuple[tuple[str, str, str], ...], node: ast.expr) -> Found:
    """Yield what the rules write in the place of an expression."""
    for kind, pattern, replacements in rules:
        parts: dict[str, ast.expr] = {}
        if _matches(_parse(pattern), node, parts):
            for replacement in replacements.split("; "):
                yield kind, _fill(replacement, **parts)


def _special(node: ast.expr, parent: ast.AST, names: list[str], sizes: list[str]) -> Found:
    """Yield the changes that no rule describes: numbers, names, orders, and what depends on the function."""
    if _under_root(node) is not None:
        yield from (("other_size", _fill(pattern.format(size))) for size in sizes for pattern in ("np.sqrt({})", "{}"))
    elif isinstance(node, ast.Call | ast.Subscript) and ast.unparse(node) in sizes:  # `len(a)` or `a.shape[0]`
        yield from (("other_size", _fill(size)) for size in sizes)
    if isinstance(node, ast.Call):
        yield from _of_call(node)
    elif isinstance(node, ast.BinOp):
        is_sum = isinstance(node.op, ast.Div) and "sum" in ast.unparse(node.right)
        yield ("sum_missing" if is_sum else "piece_missing"), node.left
        yield "piece_missing", node.right
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        comparisons = [op for op in COMPARISONS if not isinstance(node.ops[0], op)]
        yield from (("comparison", _new(ast.Compare, node.left, [op()], node.comparators)) for op in comparisons)
    elif isinstance(node, ast.Attribute):
        others = [other for family in FAMILIES if node.attr in family for other in family if other != node.attr]
        yield from (("family", _new(ast.Attribute, node.value, other, node.ctx)) for other in others)
    elif isinstance(node, ast.List | ast.Tuple) and 1 < len(node.elts) < 5:
        orders = [list(order) for order in itertools.permutations(node.elts) if list(order) != node.elts]
        yield from (("order_of_parts", _new(type(node), order, node.ctx)) for order in orders)
    elif isinstance(node, ast.Name) and node.id in names:
        sides = [ast.unparse(side) for side in (parent.left, parent.right)] if isinstance(parent, ast.BinOp) else []
        yield from (("name", _fill(other)) for other in names if other not in (node.id, *sides))  # no `n - n`
    number = _number_in(node)
    if number is not None and not isinstance(parent, ast.UnaryOp):
        yield from _other_numbers(number, parent, names)


def _of_call(node: ast.Call) -> Found:
    """Yield what may stand in the place of a call: another axis, another order, a piece less."""
    called = str(getattr(node.func, "attr", getattr(node.func, "id", "")))
    is_method = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) != "np"
    inner = node.func.value if is_method and isinstance(node.func, ast.Attribute) else next(iter(node.args), None)
    if called in REDUCTIONS:
        array = [] if is_method else node.args[:1]
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        axis = given.get("axis", node.args[len(array)] if len(node.args) > len(array) else None)
        kept = [_new(ast.keyword, "keepdims", _parse("True"))] if called[:3] != "arg" else []
        same_kept = kept if "keepdims" in given else []
        other_kept = [] if "keepdims" in given else kept
        yield from (
            ("axis", _new(ast.Call, node.func, array, [*_axis(_fill(n)), *same_kept])) for n in ("-1", "0", "1", "-2")
        )
        yield "axis", _new(ast.Call, node.func, array, same_kept)
        yield "keepdims", _new(ast.Call, node.func, array, [*(_axis(axis) if axis else []), *other_kept])
        if "keepdims" not in given:
            yield "keepdims", _new(ast.Call, node.func, array, [*_axis(_fill("-1")), *kept])
    if called in ("reshape", "transpose") and 1 < len(node.args) < 5:
        orders = [list(order) for order in itertools.permutations(node.args) if list(order) != node.args]
        yield from (("axes_exchanged", _new(ast.Call, node.func, order, [])) for order in orders)
    if inner is not None:
        yield "piece_missing", inner
    for i, j in itertools.combinations(range(len(node.args)), 2):
        args = list(node.args)
        args[i], args[j] = args[j], args[i]
        yield "arguments_exchanged", _new(ast.Call, node.func, args, node.keywords)
    for i in range(len(node.keywords)):
        yield "piece_missing", _new(ast.Call, node.func, node.args, node.keywords[:i] + node.keywords[i + 1 :])


def _axis(value: ast.expr) -> list[ast.keyword]:
    return [_new(ast.keyword, "axis", value)]


def _number_in(node: ast.expr) -> Any:
    """Return a number that is written out, negative ones too; None where there is none."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _number_in(node.operand)
        return None if value is None else -value
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, int | float) else None


def _other_numbers(value: float, parent: ast.AST, names: list[str]) -> Found:
    if isinstance(value, bool):
        yield "number", _fill(str(not value))
        return
    is_axis = isinstance(parent, ast.keyword) and parent.arg == "axis"
    if is_axis and "axis" in names:
        yield "axis", _fill("axis")
    for other in dict.fromkeys((value + 1, value - 1, -1, 0, 1, 2, -2)):
        if other != value:
            yield "axis" if is_axis else "off_by_one" if abs(other - value) == 1 else "number", _fill(str(other))
    if value <= 0 and not is_axis:
        yield "number", _fill("-np.inf")


@functools.cache
def _parse(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _matches(pattern: ast.AST, node: ast.AST, parts: dict[str, ast.expr]) -> bool:
    """Whether an expression has the form of a pattern; `parts` then holds what a, b, ... stand for."""
    if isinstance(pattern, ast.Name) and isinstance(node, ast.expr) and (len(pattern.id) == 1 or pattern.id == "fill"):
        parts[pattern.id] = node
        return pattern.id != "fill" or ast.unparse(node) in ("-np.inf", "0")
    if isinstance(pattern, ast.Call) and getattr(pattern.func, "id", "") == "root":
        inner = _under_root(node)
        return inner is not None and _matches(pattern.args[0], inner, parts)
    if type(pattern) is not type(node):
        return False
    for field in pattern._fields:
        one, other = getattr(pattern, field), getattr(node, field)
        ones, others = (value if isinstance(value, list) else [value] for value in (one, other))
        if len(ones) != len(others):
            return False
        for a, b in zip(ones, others):
            if not (_matches(a, b, parts) if isinstance(a, ast.AST) and isinstance(b, ast.AST) else a == b):
                return False
    return True


def _under_root(node: ast.AST) -> ast.expr | None:
    """Return what stands under a square root, `np.sqrt(a)` or `a ** 0.5`; None where there is no root."""
    if isinstance(node, ast.Call) and len(node.args) == 1 and getattr(node.func, "attr", "") == "sqrt":
        return node.args[0]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and ast.unparse(node.right) in ("0.5", "1 / 2"):
        return node.left
    return None


def _fill(text: str, **parts: ast.expr) -> ast.expr:
    """Return an expression, with parts of another one in the place of single letters."""
    return _copy(_parse(text), parts) if parts else _parse(text)


def _copy(value: Any, parts: dict[str, ast.expr]) -> Any:
    """Return a node with its parts filled in; what holds none of them is not copied, which takes time."""
    if isinstance(value, list):
        return [_copy(each, parts) for each in value]
    if not isinstance(value, ast.AST) or _names_in(value).isdisjoint(parts):
        return value
    if isinstance(value, ast.Name):
        return parts[value.id]
    return _new(type(value), *(_copy(getattr(value, field), parts) for field in value._fields))


@functools.cache
def _names_in(node: ast.AST) -> frozenset[str]:
    return frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def _new(kind: Any, *fields: Any) -> Any:
    """Make a node; where it stands does not matter, but Python asks for it."""
    return kind(*fields, lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)
