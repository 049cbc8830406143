"""Every lab stands in a notebook, and its cell runs first, in a fresh kernel."""

import ast

import pytest
from notebook_tools import paths, read

from attention_lib.lessons import LABS, find_notebooks


def shown_by(cell):
    """The lab that the last line of a cell calls."""
    *_, last = [None, *ast.parse(cell.source if cell.cell_type == "code" else "").body]
    call = last.value if isinstance(last, ast.Expr) else None
    return ast.unparse(call.func).split(".")[-1] if isinstance(call, ast.Call) else ""


CELLS = {
    f"{path.stem[:2]} {cell.source.splitlines()[-1]}": cell.source
    for path in paths()
    for cell in read(path).cells
    if shown_by(cell) in LABS
}


def test_the_labs_of_all_notebooks_are_found():
    with_labs = {module.partition(".")[0] for module in LABS.values()}
    assert {name[:2] for name in CELLS} == {"00"} | {name[:2] for name in find_notebooks() if name[3:] in with_labs}
    assert all(any(f" {lab}(" in name for name in CELLS) for lab in LABS)


@pytest.mark.parametrize("name", CELLS)
def test_the_cell_of_a_lab_runs_alone(name):
    exec(CELLS[name], {})
