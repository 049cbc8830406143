"""Numbers as people type them: "4,096", "84 %", "e", "1/8", "0,5", "2^10", "√8", "about 3 times"."""

import ast
import math
import operator
import re
from collections.abc import Callable
from typing import Any

LONGEST = 40  # characters
LARGEST_POWER = 400.0

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_NAMES = {"e": math.e, "pi": math.pi, "π": math.pi}
_FUNCTIONS = {"sqrt": math.sqrt, "exp": math.exp, "ln": math.log, "log": math.log}
_SIGNS = str.maketrans({"−": "-", "–": "-", "×": "*", "·": "*", "÷": "/", "^": "**", "\u00a0": " ", "\u202f": " "})
_FRACTIONS = {"½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅛": "1/8", "⅕": "1/5", "⅙": "1/6"}
_POWERS = {"²": "**2", "³": "**3"}
_AROUND = re.compile(r"^(?:about|around|roughly|ca\.?|~|≈|=)\s*|\s*(?:times|x)$", re.IGNORECASE)


def readings(text: str) -> tuple[float, ...]:
    """Return the finite numbers that a text may mean, the likelier first; () where it is none.

    A comma before exactly three digits may group them or be a decimal point, and a percentage may be asked for as
    such or as a share.

    Examples
    --------
    >>> readings("4,096"), readings("84 %"), readings("1/8"), readings("eight")
    ((4096.0, 4.096), (0.84, 84.0), (0.125,), ())
    """
    text = _AROUND.sub("", text.strip().translate(_SIGNS)).strip()
    if not text or len(text) > LONGEST:
        return ()
    if text.endswith("%"):
        return tuple(value for found in readings(text[:-1]) for value in (found / 100, found))
    found = (_value(plain) for plain in _plain_forms(text))
    return tuple(dict.fromkeys(value for value in found if value is not None and math.isfinite(value)))


def _plain_forms(text: str) -> list[str]:
    """Return a text as Python may read it; two where its comma may mean two things."""
    for table in (_FRACTIONS, _POWERS):
        for sign, plain in table.items():
            text = text.replace(sign, f"({plain})" if table is _FRACTIONS else plain)
    text = re.sub(r"√\s*\(?\s*([\d.,]+)\s*\)?", r"sqrt(\1)", text)
    text = re.sub(r"(?<=\d)[ '_](?=\d{3}(?!\d))", "", text)  # 4 096
    commas = text.count(",")
    if "," in text and "." in text:
        decimal = max(text.rfind(","), text.rfind("."))  # the last one is the decimal point
        whole, rest = text[:decimal], text[decimal + 1 :]
        return [re.sub("[.,]", "", whole) + "." + rest]
    grouped = re.fullmatch(r"-?[1-9]\d{0,2}(,\d{3})+", text)
    forms = [text.replace(",", "")] if grouped else []
    return forms + ([text.replace(",", ".")] if commas <= 1 else [])


def _value(text: str) -> float | None:
    """Work out a text of numbers, e, pi, roots and the four operations; None where it is anything else."""
    try:
        return _number(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError, TypeError, MemoryError, RecursionError):
        return None


def _number(node: Any) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return float(node.value)
    if isinstance(node, ast.Name) and node.id.lower() in _NAMES:
        return _NAMES[node.id.lower()]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _number(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _number(node.left), _number(node.right)
        if isinstance(node.op, ast.Pow) and abs(right) > LARGEST_POWER:
            raise ValueError
        return float(_BINARY[type(node.op)](left, right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS:
        (argument,) = node.args
        return _FUNCTIONS[node.func.id](_number(argument))
    raise ValueError
