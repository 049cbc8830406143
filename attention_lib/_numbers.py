"""How a number is written, the same in pictures, live views and labs, and on every processor; and how it is read."""

import ast
import math
import re

GUARD = 6  # decimals beyond the visible ones that take part in rounding
LONGEST = 40  # characters of a number that is typed
_NAMES = {"e": math.e, "pi": math.pi, "π": math.pi, "sqrt": math.sqrt, "exp": math.exp, "ln": math.log, "log": math.log}
_PARTS = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Name, ast.Load, ast.Call, ast.operator, ast.unaryop)
_SIGNS = str.maketrans({"−": "-", "–": "-", "×": "*", "·": "*", "÷": "/", "^": "**", "²": "**2", "³": "**3"})


def number_text(value: float, digits: int = 2) -> str:
    """Write a number rounded, with a true minus sign; −∞ for a forbidden pair.

    The last bits of a sum depend on the order in which a processor adds, so they must not decide a digit: 0.125 and a
    number 1e-16 away from it are written the same, also in a live view (`numberText` in live/js).

    Examples
    --------
    >>> number_text(-0.125), number_text(-0.001)
    ('−0.12', '0.00')
    """
    if value == -math.inf:
        return "−∞"
    text = f"{round(float(value), digits + GUARD):.{digits}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("-", "−")


def readings(text: str) -> tuple[float, ...]:
    """Return the finite numbers that a reader may mean by "4,096", "84 %", "1/8", "0,5" or "√8", the likelier first.

    A comma before exactly three digits may group them or be a decimal point, and a percentage may be asked for as
    such or as a share. What is no number gives ().

    Examples
    --------
    >>> readings("4,096"), readings("84 %"), readings("1/8"), readings("eight")
    ((4096.0, 4.096), (0.84, 84.0), (0.125,), ())
    """
    text = text.strip().translate(_SIGNS)
    if not text or len(text) > LONGEST:
        return ()
    if text.endswith("%"):
        return tuple(value for found in readings(text[:-1]) for value in (found / 100, found))
    found = (_value(plain) for plain in _plain_forms(text))
    return tuple(dict.fromkeys(value for value in found if value is not None and math.isfinite(value)))


def _plain_forms(text: str) -> list[str]:
    """Return a text as Python may read it; two where its comma may mean two things."""
    text = re.sub(r"√\s*\(?\s*([\d.,]+)\s*\)?", r"sqrt(\1)", text)
    commas = text.count(",")
    if "," in text and "." in text:
        decimal = max(text.rfind(","), text.rfind("."))  # the last one is the decimal point
        whole, rest = text[:decimal], text[decimal + 1 :]
        return [re.sub("[.,]", "", whole) + "." + rest]
    grouped = re.fullmatch(r"-?[1-9]\d{0,2}(,\d{3})+", text)
    forms = [text.replace(",", "")] if grouped else []
    return forms + ([text.replace(",", ".")] if commas <= 1 else [])


def _value(text: str) -> float | None:
    """Work out a text of numbers, e, pi, roots and operations; None where it is anything else."""
    try:
        tree = ast.parse(text, mode="eval")
        for node in ast.walk(tree):
            is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
            is_called = isinstance(node, ast.Call) and not isinstance(node.func, ast.Name)  # a number, as in 3(4)
            if is_called or not (is_number or isinstance(node, _PARTS)):
                return None
            if isinstance(node, ast.Name):
                node.id = node.id.lower()
            elif isinstance(node, ast.Constant):
                node.value = float(node.value)  # type: ignore[arg-type]  # a large power of ints would take for ever
        return float(eval(compile(tree, "<a number>", "eval"), {"__builtins__": {}, **_NAMES}))
    except (SyntaxError, ArithmeticError, ValueError, NameError, TypeError, MemoryError, RecursionError):
        return None
