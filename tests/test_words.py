"""Sentences that a reader sees can be translated: each is marked with `_`, or stands in a table."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

LIBRARY = Path(__file__).parent.parent / "attention_lib"
TWO_WORDS = re.compile(r"(?:^|\s)[(“]?[A-Za-z]{2,}[”).,:;!?]* [(“]?[A-Za-z]{2,}[”).,:;!?]*(?=\s|$)")
OF_LIBRARIES = ("textcoords", "boxstyle", "loc", "flex_flow", "align_items")  # what matplotlib and ipywidgets are told
NOT_FOR_READERS = {
    *("time up", "{} -m pip install {}"),  # a status, a command
    *("output row", "masked scores", "three scores", "three scaled", "three masked", "three weights"),  # panels
    *("gift of {}", "left of {}", "left of 0"),
    *("(rows, columns)", "{}, which ends at {}", "{} rounded to {}", "a turned number"),  # in errors
}
PRINTED = ("multi_head.py", "invariants.py")  # by a cell, as what an object says of itself


def text_of(node: ast.AST) -> str | None:
    """The text of a string, with {} for what is filled in; without markup."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = node.value
    elif isinstance(node, ast.JoinedStr):
        text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    else:
        return None
    return re.sub(r"<[^>]*>?", " ", re.sub(r"<style>.*", "", text, flags=re.DOTALL)).strip()


def sentences(node: ast.AST, inside: bool = False) -> Iterator[str]:
    """The sentences in functions, but for docstrings, what is marked, and errors that are no refusals of a lab."""
    for child in ast.iter_child_nodes(node):
        text = text_of(child)
        is_marked = isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id == "_"
        is_error = isinstance(child, ast.Raise) and "Refusal" not in ast.unparse(child)
        is_setting = isinstance(child, ast.keyword) and child.arg in OF_LIBRARIES
        is_docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        if text is not None:
            if inside and TWO_WORDS.search(text):
                yield text
        elif not (is_marked or is_error or is_setting or is_docstring):
            yield from sentences(child, inside or isinstance(child, ast.FunctionDef | ast.Lambda))


def keys_of(tree: ast.AST) -> set[str]:
    """The keys of every table: a name is chosen by logic, what it says there is not."""
    tables = [node for node in ast.walk(tree) if isinstance(node, ast.Dict)]
    return {key.value for table in tables for key in table.keys if isinstance(key, ast.Constant)}


def test_no_sentence_is_built_in_logic() -> None:
    trees = {path: ast.parse(path.read_text("utf-8")) for path in LIBRARY.rglob("*.py")}
    found = {text for path, tree in trees.items() if path.name not in PRINTED for text in sentences(tree)}
    assert found - set().union(*map(keys_of, trees.values())) == NOT_FOR_READERS
