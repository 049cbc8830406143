"""A name means one thing from the first cell to the last, so that an earlier cell can be run again at any time."""

import ast

import pytest
from notebook_tools import paths, read

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
