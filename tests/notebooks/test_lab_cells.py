"""A lab's cell can be run first, in a fresh kernel: it imports and loads what it needs itself."""

import ast

import pytest
from notebook_tools import paths, read

from attention_lib.lessons import LABS, find_notebooks


def opens_a_lab(source):
    """Say whether the last line of a cell calls a lab."""
    *_, last = [None, *ast.parse(source).body]
    call = last.value if isinstance(last, ast.Expr) else None
    return isinstance(call, ast.Call) and ast.unparse(call.func).split(".")[-1] in LABS


CELLS = {
    f"{path.stem[:2]} {cell.source.splitlines()[-1]}": cell.source
    for path in paths()
    for cell in read(path).cells
    if cell.cell_type == "code" and opens_a_lab(cell.source)
}


def test_the_labs_of_all_notebooks_are_found():
    with_labs = {module.partition(".")[0] for module in LABS.values()}
    assert {name[:2] for name in CELLS} == {"00"} | {name[:2] for name in find_notebooks() if name[3:] in with_labs}
    assert all(any(f" {lab}(" in name for name in CELLS) for lab in LABS)


@pytest.mark.parametrize("name", CELLS)
def test_the_cell_of_a_lab_runs_alone(name):
    exec(CELLS[name], {})
