"""Cells: exercises and predictions are those of the registry, labs run alone, and a name means one thing."""

import ast
import re

import pytest
from notebook_tools import paths, put_exercises, read

from attention_lib.checks.registry import predictions
from attention_lib.lessons import LABS, find_notebooks

PATHS = paths()[1:]  # 00 asks nothing


def code(path):
    return "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "code")


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_exercises_stand_in_their_notebook_as_in_the_registry_and_predictions_as_in_their_table(path):
    assert put_exercises(read(path), path.stem) == read(path)
    asked = re.findall(r'\bpredict\(\s*"([^"]+)"', code(path))
    assert len(asked) == len(set(asked)) >= 3
    assert set(asked) == set(predictions(path.stem[:2])), "the table holds what the notebook asks, and no more"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_progress_is_shown_after_everything_that_is_not_further(path):
    cells = read(path).cells
    further = next((i for i, cell in enumerate(cells) if cell.source.startswith("## Further")), len(cells))
    code_cells = [i for i, cell in enumerate(cells) if cell.cell_type == "code"]
    counted = [i for i in code_cells if i < further and re.search(r"\b(predict|check)\(", cells[i].source)]
    (shown,) = (i for i in code_cells if "progress()" in cells[i].source)
    assert shown > counted[-1]


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


SCOPES = (ast.ClassDef, ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def names_of(source):
    """Return the names that a cell gives, and those that it takes from cells before."""
    given, taken = {}, []  # name -> the line where it is first given; (name, line)

    def look(node, own):
        if isinstance(node, SCOPES):
            inner = {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
            inner |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
            inner |= {one.name for one in ast.walk(node) if isinstance(one, ast.FunctionDef) and one is not node}
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name not in own:
                given.setdefault(node.name, node.lineno)
            own = own | inner
        elif isinstance(node, ast.Name) and node.id not in own:
            if isinstance(node.ctx, ast.Store):
                given.setdefault(node.id, node.lineno)
            else:
                taken.append((node.id, node.lineno))
        for child in ast.iter_child_nodes(node):
            look(child, own)

    look(ast.parse(source), frozenset())
    return set(given), {name for name, line in taken if line <= given.get(name, line)}


@pytest.mark.parametrize("path", paths(), ids=lambda path: path.stem)
def test_no_later_cell_takes_a_name_that_an_earlier_one_needs(path):
    cells = [names_of(cell.source) for cell in read(path).cells if cell.cell_type == "code"]
    for i, (_, taken) in enumerate(cells):
        needed = {name for name in taken if any(name in given for given, _ in cells[:i])}
        for k, (given, _) in enumerate(cells[i + 1 :], i + 1):
            assert needed.isdisjoint(given), f"code cell {k} gives a name that cell {i} needs"


@pytest.mark.parametrize("path", paths(), ids=lambda path: path.stem)
def test_no_cell_needs_what_only_a_reveal_makes(path):
    """Presenting runs all but the reveals."""
    made, needed = {True: set(), False: set()}, set()
    for cell in [cell for cell in read(path).cells if cell.cell_type == "code"]:
        given, taken = names_of(cell.source)
        is_reveal = "reveal" in cell.metadata.get("tags", [])
        imported = [one for one in ast.walk(ast.parse(cell.source)) if isinstance(one, ast.alias)]
        made[is_reveal] |= given | {one.asname or one.name for one in imported}
        needed |= set() if is_reveal else taken
    assert not needed & (made[True] - made[False])
