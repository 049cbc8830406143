"""The math is short, and it begins with the calculation: learners are sent to read it."""

import ast
import inspect
import io
import re
import tokenize
from pathlib import Path

import attention_lib
from attention_lib import MultiHeadAttention, self_attention

ROOM = Path(attention_lib.__file__).parent
MATH = ("attention", "masks", "multi_head", "kv_cache", "layers", "_checks")
SCREEN = 50  # lines


def source(module):
    return (ROOM / f"{module}.py").read_text(encoding="utf-8")


def code_lines(text):
    """The numbers of the lines that hold code: no docstring, comment or blank line."""
    nothing = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type not in nothing]
    lines = {line for token in tokens for line in range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return lines


def body(function):
    """The lines of a function's code."""
    lines = inspect.getsource(function).splitlines()
    text = inspect.cleandoc("\n" + "\n".join(lines))
    return [text.splitlines()[line - 1].strip() for line in sorted(code_lines(text))]


def in_order(found, expected):
    """Whether each of the expected pieces stands in a line after that of the one before."""
    rest = iter(found)
    return all(any(piece in line for line in rest) for piece in expected)


def test_lines_of_code_are_counted_without_docstrings_comments_and_blank_lines():
    text = '"""Doc\n\nstring."""\n\n# note\nx = """no\ndocstring"""  # 2\n\n\ndef f(\n    a,\n):\n    "doc"\n    pass\n'
    assert sorted(code_lines(text)) == [6, 7, 10, 11, 12, 14]


def test_the_math_can_be_read_in_one_sitting():
    lengths = {module: len(code_lines(source(module))) for module in MATH}
    assert sum(lengths.values()) <= 420, lengths


def test_the_calculation_stands_on_the_first_screen_one_line_a_step_with_its_shape():
    screen = source("attention").splitlines()[:SCREEN]
    steps = [
        line.split(" = ")[0].strip() for line in screen if re.search(r"^    \w+ = .*  # \(\.\.\., \w+, \w+\)", line)
    ]
    assert steps == ["scores", "scaled_scores", "masked_scores", "weights", "output"]


def test_self_attention_shows_where_Q_K_and_V_come_from():
    assert in_order(body(self_attention), ["X @ W_Q, X @ W_K, X @ W_V"])


def test_several_heads_are_split_attended_merged_and_mixed_on_one_screen():
    lines = body(MultiHeadAttention.__call__)
    assert len(lines) <= SCREEN / 2
    assert in_order(lines, ["Q = _split(", "K = _split(", "V = _split(", "with ", "attend(", "_merge(", "@ self.W_O"])
