"""Sentences that a reader sees can be translated: each is marked with `_`, or stands in a table."""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from attention_lib.lessons import LABS

LIBRARY = Path(__file__).parent.parent / "attention_lib"
MATH = {
    *{"attention", "masks", "multi_head", "kv_cache", "layers", "linear_attention", "positions"},
    *{"language_model", "_arguments"},
}
LAB_FILES = {LIBRARY / "lessons" / f"{module.replace('.', '/')}.py" for module in LABS.values()}
MODULES = [
    path
    for path in sorted(LIBRARY.rglob("*.py"))
    if path in LAB_FILES
    or (
        path.relative_to(LIBRARY).parts[0] != "lessons"  # where a sentence stands where it is said
        and not (path.parent == LIBRARY and path.stem in MATH)
    )  # whose sentences are those of errors
]
WORD = re.compile(r"(?:^|(?<=\s))[(“]?[A-Za-z]{2,}[”).,:;!?]*(?=\s|$)")
OF_LIBRARIES = ("textcoords", "boxstyle", "loc", "flex_flow", "align_items")  # what matplotlib and ipywidgets are told
WRITES_CODE = re.compile(r"(^|_)code$|^__repr__$")  # functions whose text is Python
NOT_FOR_READERS = {
    "checks/compare.py": {"Cannot cast ufunc"},  # what NumPy says
    "checks/describe.py": {"time up"},  # a status
    "environment.py": {"{} -m pip install {}"},  # a command
    "examples/trained_heads.py": {"sentence, mean", "query, mean"},  # keys of the record in data
    "live/chain.py": {"masked scores"},  # a matrix on the way
    "lessons/masking/mask_workbench.py": {
        "X has shape {}; it needs one row for each of {} tokens"
    },  # said to who makes the lab
    "lessons/self_attention/explorer.py": {"output row"},  # the name of a panel
    "lessons/positions/dials.py": {"{} both"},  # classes of styles
    "lessons/multi_head_attention/head_surgery.py": {
        "switch {}",
        "head {}",
        "gift of {}",
        "left of 0",
        "left of {}",
        "left up to {}",
    },
}


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@functools.cache
def keys() -> set[str]:
    """Every key of every table: a name is chosen by logic, what it says is not."""
    found = set()
    for path in LIBRARY.rglob("*.py"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Dict):
                found |= {key.value for key in node.keys if isinstance(key, ast.Constant)}
    return found


def text_of(node: ast.expr) -> str | None:
    """The text of a string, with {} for what is filled in; without markup."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = node.value
    elif isinstance(node, ast.JoinedStr):
        text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    else:
        return None
    return re.sub(r"<[^>]*>?", " ", re.sub(r"<style>.*", "", text, flags=re.DOTALL)).strip()


def is_sentence(node: ast.expr) -> bool:
    """Whether a string has words of a language in it: two, or one that is filled in."""
    text = text_of(node)
    if text is None or text in keys():
        return False
    return len(WORD.findall(text)) >= (1 if "{}" in text else 2)


def sentences(node: ast.AST, shown: bool, inside: bool = False) -> Iterator[ast.expr]:
    """The sentences in the functions of a module."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue  # a docstring
        if isinstance(child, ast.Raise) and not shown:
            continue
        if isinstance(child, ast.keyword) and child.arg in OF_LIBRARIES:
            continue
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id == "_":
            continue  # marked where it is said
        if isinstance(child, ast.FunctionDef) and WRITES_CODE.search(child.name):
            continue
        if isinstance(child, ast.expr) and text_of(child) is not None:
            if inside and is_sentence(child):
                yield child
            continue
        yield from sentences(child, shown, inside or isinstance(child, ast.FunctionDef | ast.Lambda))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(LIBRARY)))
def test_no_sentence_is_built_in_logic(path: Path) -> None:
    name = path.relative_to(LIBRARY).as_posix()
    is_shown = path in LAB_FILES or name in (
        "live/typed.py",
        "lessons/training_lab.py",
    )  # their errors become sentences beside a control
    found = {str(text_of(node)) for node in sentences(tree_of(path), is_shown)}
    assert found == NOT_FOR_READERS.get(name, set())
