"""Numbers as people type them: "4,096", "84 %", "e", "1/8", "0,5", "2^10", "√8", "about 3 times"."""

import ast
import math
import re
import unicodedata

LONGEST = 40  # characters
_NAMES = {"e": math.e, "pi": math.pi, "π": math.pi, "sqrt": math.sqrt, "exp": math.exp, "ln": math.log, "log": math.log}
_PARTS = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Name, ast.Load, ast.Call, ast.operator, ast.unaryop)
_SIGNS = str.maketrans({"−": "-", "–": "-", "×": "*", "·": "*", "÷": "/", "^": "**", "²": "**2", "³": "**3"})
_SPACES = str.maketrans("\u00a0\u202f", "  ")
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
    text = _AROUND.sub("", text.strip().translate(_SIGNS).translate(_SPACES)).strip()
    if not text or len(text) > LONGEST:
        return ()
    if text.endswith("%"):
        return tuple(value for found in readings(text[:-1]) for value in (found / 100, found))
    found = (_value(plain) for plain in _plain_forms(text))
    return tuple(dict.fromkeys(value for value in found if value is not None and math.isfinite(value)))


def _plain_forms(text: str) -> list[str]:
    """Return a text as Python may read it; two where its comma may mean two things."""
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
    """Work out a text of numbers, e, pi, roots and operations; None where it is anything else."""
    text = re.sub("[¼-¾⅐-⅞]", lambda sign: f"({unicodedata.numeric(sign[0])})", text)
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
