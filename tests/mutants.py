"""Every small change of a piece of source text: one operator, constant, comparison, call, element or statement."""

import ast
from collections.abc import Iterator

OPERATORS: dict[type[ast.operator], list[type[ast.operator]]] = {
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div, ast.Add],
    ast.Div: [ast.Mult],
    ast.FloorDiv: [ast.Mod],
    ast.MatMult: [ast.Mult],
    ast.Pow: [ast.Mult],
    ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd],
}
COMPARISONS = [ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq]
NAMES = {"max": "min", "sum": "mean", "argmax": "argmin", "any": "all", "repeat": "tile", "exp": "exp2", "sqrt": "abs"}


def mutants(source: str) -> Iterator[str]:
    """Yield the source text of each mutant once."""
    tree = ast.parse(source)
    seen = {ast.unparse(tree)}
    for number, node in enumerate(ast.walk(tree)):
        for replacement in _replacements(node):
            mutant = _Replace(number, replacement).visit_tree(ast.parse(source))  # sooner than a copy
            text = ast.unparse(mutant)
            if text not in seen:
                seen.add(text)
                yield text


class _Replace(ast.NodeTransformer):
    """Put a node in the place of the one that `ast.walk` meets as number `number`."""

    def __init__(self, number: int, replacement: ast.AST) -> None:
        self.number, self.replacement = number, replacement

    def visit_tree(self, tree: ast.AST) -> ast.AST:
        self.target = list(ast.walk(tree))[self.number]
        return self.visit(tree)

    def visit(self, node: ast.AST) -> ast.AST:
        return self.replacement if node is self.target else self.generic_visit(node)


def _replacements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in the place of a node."""
    if isinstance(node, ast.BinOp):
        for operator in OPERATORS[type(node.op)]:
            yield ast.BinOp(node.left, operator(), node.right)
        if not isinstance(node.op, ast.Add | ast.Mult):
            yield ast.BinOp(node.right, node.op, node.left)
        yield node.left
    elif isinstance(node, ast.Compare):
        for comparison in COMPARISONS:
            yield ast.Compare(node.left, [comparison()], node.comparators)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield ast.Constant(not node.value)
        elif isinstance(node.value, int | float):
            for value in (node.value + 1, node.value - 1):
                yield ast.Constant(value)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.Attribute):
        if node.attr in NAMES:
            yield ast.Attribute(node.value, NAMES[node.attr], node.ctx)
        elif node.attr == "T":
            yield node.value
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield node.value
    elif isinstance(node, ast.Call):
        yield from _calls(node)
    elif isinstance(node, ast.List | ast.Tuple) and isinstance(node.ctx, ast.Load) and len(node.elts) > 1:
        yield type(node)([*node.elts[1::-1], *node.elts[2:]], node.ctx)
        yield type(node)(node.elts[1:], node.ctx)
    elif isinstance(node, ast.Assign | ast.Expr | ast.AugAssign):
        yield ast.Pass()


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    """Leave a call out, drop one of its arguments, or exchange two."""
    if isinstance(node.func, ast.Attribute) and not (
        isinstance(node.func.value, ast.Name) and node.func.value.id == "np"
    ):
        yield node.func.value  # x.max() -> x
    elif node.args:
        yield node.args[0]  # np.exp(x) -> x
    for i in range(len(node.args)):
        for j in range(i):
            args = list(node.args)
            args[i], args[j] = args[j], args[i]
            yield ast.Call(node.func, args, node.keywords)
    for i in range(len(node.keywords)):
        yield ast.Call(node.func, node.args, node.keywords[:i] + node.keywords[i + 1 :])
