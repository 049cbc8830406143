"""The guard: nbval compares outputs, and passes a notebook that was never run. This does not."""

import copy

import nbformat
import pytest
from notebook_tools import clean, faults, paths, put_exercises, read
from saved_notebooks import WIDGET_VIEW

from attention_lib._notebooks import in_words

LARGEST_MEAN = 570_000  # bytes a notebook, on average


@pytest.mark.parametrize("path", paths(), ids=lambda path: path.stem)
def test_a_stored_notebook_is_as_it_should_be_and_cleaning_changes_nothing(path):
    notebook = read(path)
    assert faults(notebook) == []
    assert clean(copy.deepcopy(notebook)) == notebook


def test_notebooks_stay_small():
    assert sum(path.stat().st_size for path in paths()) < LARGEST_MEAN * len(paths())


def sound_notebook():
    v4 = nbformat.v4
    words = "배 attends most to itself, 0.13 < 1."
    picture = v4.new_output("display_data", {"image/png": "AAAA", "text/plain": words})
    picture.metadata = {"image/png": {"alt": words}}
    under = v4.new_output("display_data", {"text/html": in_words(words, "In words")})
    cells = [
        v4.new_markdown_cell("# Title"),
        v4.new_code_cell("1 + 1", execution_count=1, outputs=[]),
        v4.new_code_cell("picture", execution_count=2, outputs=[picture, under]),
    ]
    return clean(v4.new_notebook(cells=cells))


SPOILERS = {  # each is a line of Python that puts one fault into the notebook `nb`
    "count": "nb.cells[1].execution_count = None",
    "order": "nb.cells[1].execution_count, nb.cells[2].execution_count = 2, 1",
    "id": "nb.cells[1].id = nb.cells[2].id",
    "widgets": "nb.metadata['widgets'] = {}",
    "version": "nb.metadata['language_info']['version'] = '3.11.7'",
    "kernel": "nb.metadata['kernelspec']['name'] = 'conda-env'",
    "title": "del nb.cells[0]",
    "length": "nb.cells[1].source = 'x = 1\\n' * 21",
    "median": "nb.cells[1].source = nb.cells[2].source = 'x = 1\\n' * 7",
    "tag": "nb.cells[1].metadata['tags'] = ['nbval-skip']",
    "timestamps": "nb.cells[1].metadata['execution'] = {'iopub.status.busy': '2026-01-01'}",
    "empty": "nb.cells[1].source = ' '",
    "error": "nb.cells[1].outputs = [new_output('error', ename='ValueError', evalue='', traceback=[])]",
    "stderr": "nb.cells[1].outputs = [new_output('stream', name='stderr', text='Warning')]",
    "view": "picture.data[WIDGET_VIEW] = {'model_id': '1'}",
    "description": "picture.data['text/plain'] = '<Figure size 640x480 with 1 Axes>'",
    "alt": "del picture.metadata['image/png']",
    "words": "del nb.cells[2].outputs[1]",
    "other words": "nb.cells[2].outputs[1].data['text/html'] = '<details>Another picture.</details>'",
    "address": "picture.data['text/plain'] = 'a long enough description at 0x7f00'",
    "markdown picture": "nb.cells[0].source += '\\n![](data:image/png;base64,AAAA)'",
    "text picture": "nb.cells[0].source += '\\n![](images/a.png)'",
    "html picture": "nb.cells[0].source += '\\n<img src=\"images/a.png\">'",
    "further": "nb.cells[0].source = '# Title\\n\\n### Further'",
    "tagged text": "nb.cells[0].metadata['tags'] = ['reveal']",
    "no reveal": "nb.cells[2].metadata['tags'] = ['reveal']",
    "late reveal": "nb.cells[2].metadata['tags'], nb.cells[2].source = ['reveal'], '# first\\nreveal()\\n2'",
    "reveal without a tag": "nb.cells[2].source = 'reveal()\\npicture'",
    "reveal of nothing": "nb.cells[1].metadata['tags'], nb.cells[1].source = ['reveal'], 'reveal()\\n2'",
    "reveal of no question": "nb.cells[2].metadata['tags'], nb.cells[2].source = ['reveal'], 'reveal(\"01.a\")\\n2'",
}


def spoil(notebook, name):
    names = {"nb": notebook, "picture": notebook.cells[2].outputs[0]}
    exec(SPOILERS[name], names | {"new_output": nbformat.v4.new_output, "WIDGET_VIEW": WIDGET_VIEW})


@pytest.mark.parametrize("name", SPOILERS)
def test_each_fault_is_found(name):
    notebook = sound_notebook()
    spoil(notebook, name)
    assert len(faults(notebook)) >= 1


def test_cleaning_drops_the_view_and_keeps_the_picture():
    notebook = sound_notebook()
    for name in ("view", "widgets", "timestamps"):
        spoil(notebook, name)
    assert clean(notebook) == sound_notebook() | {"cells": notebook.cells}
    assert set(notebook.cells[2].outputs[0].data) == {"image/png", "text/plain"}
    assert faults(notebook) == []


def test_putting_exercises_mends_and_adds_and_leaves_the_rest():
    path = paths()[1]
    notebook, stored = read(path), read(path)
    start = next(i for i, cell in enumerate(stored.cells) if "`mended_attention(Q, K, V)` runs" in cell.source)
    notebook.cells[start].source = "edited by hand"
    assert put_exercises(notebook, path.stem) == stored
    del notebook.cells[start : start + 4]  # as when its record was just written
    added = put_exercises(notebook, path.stem)
    assert [cell.source for cell in added.cells] == [cell.source for cell in stored.cells]
    assert len({cell.id for cell in added.cells}) == len(added.cells)
