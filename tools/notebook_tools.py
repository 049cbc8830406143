"""Keep stored notebooks as they should be.

`python tools/notebook_tools.py [01 ...]` runs notebooks on a fresh kernel
and stores clean outputs; with `--check` it runs nothing, says what is wrong with
the stored ones (`faults`), and fails if anything is; with `--exercises` it first
puts the cells of the exercises into the notebook, from the registry.

What JupyterLab keeps closed follows from tags and from the heading "Further", and
is written by `clean`: nobody sets it by hand, and a cell opened while working is
stored closed again.
"""

import html
import itertools
import os
import re
import statistics
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from saved_notebooks import WIDGET_VIEW, drop_views

from attention_lib.checks import exercise_cells, exercise_names

os.environ["ATTENTION_PROGRESS"] = "off"  # what is run here is no learner's answer
NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
CLOSED = {  # tag: what JupyterLab keeps closed in a cell
    "predict": {"source_hidden": True},  # the control of a prediction, without its code
    "reveal": {"outputs_hidden": True},  # closed until the cell is run; then the page hides it until it is answered
    "fold": {"source_hidden": True},  # code that is no part of the lesson
}
FURTHER = "## Further"  # what stands under this heading is closed when a notebook opens
FURTHER_CLOSED = {"heading_collapsed": True, "jp-MarkdownHeadingCollapsed": True}
KNOWN_TAGS = {"raises-exception", *CLOSED}
LONGEST_CELL, LONGEST_MEDIAN = 20, 6  # lines of code
SHORTEST_DESCRIPTION = 20  # characters
ASKS, WAITS = re.compile(r'\bpredict\(\s*"([^"]+)"'), re.compile(r'reveal\((?:"([^"]+)")?\)\n')


def paths():
    """All notebooks, in reading order."""
    return sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))


def read(path):
    return nbformat.read(path, as_version=4)


def execute(path):
    """Run a notebook on a fresh kernel, clean it and write it back."""
    notebook = read(path)
    # On a busy machine a printed line can come in pieces: they are one output.
    looks = {"record_timing": False, "coalesce_streams": True}
    folder = {"metadata": {"path": path.parent}}
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=folder, **looks).execute()
    nbformat.write(clean(notebook), path)


def clean(notebook):
    """Drop from a notebook what differs from one machine or run to the next."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
        "language_info": {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"},
    }
    for cell in notebook.cells:
        for key in ("execution", "collapsed", "scrolled", "trusted", "jupyter", *FURTHER_CLOSED):
            cell.metadata.pop(key, None)
        cell.metadata.update(closed(cell))
    drop_views(notebook)
    return notebook


def closed(cell):
    """Metadata that keeps closed what the tags of a cell, or the heading "Further", say."""
    if cell.cell_type == "markdown":
        return FURTHER_CLOSED if cell.source.splitlines()[:1] == [FURTHER] else {}
    tags = cell.metadata.get("tags", [])
    if "reveal" in tags and ' title="' in cell.source.replace("\n", " "):
        tags = [*tags, "fold"]  # a title says what comes out
    kept = [CLOSED[tag] for tag in tags if tag in CLOSED]
    return {"jupyter": dict(itertools.chain.from_iterable(each.items() for each in kept))} if kept else {}


def put_exercises(notebook, stem):
    """Give each exercise of a notebook the cells that its record says: new ones after the exercise before."""
    place = next((i for i, cell in enumerate(notebook.cells) if "progress()" in cell.source), len(notebook.cells))
    if place and notebook.cells[place - 1].source.startswith("###"):  # the heading of progress
        place -= 1
    for name in exercise_names(stem):
        wanted = exercise_cells(name)  # text, stub, check, hints and solution
        checks = [i for i, cell in enumerate(notebook.cells) if cell.source == wanted[2][1]]
        if not checks:
            new = {"markdown": nbformat.v4.new_markdown_cell, "code": nbformat.v4.new_code_cell}
            skip = {"slideshow": {"slide_type": "skip"}}  # a deck has no exercises
            ids = [f"{name.replace('_', '-')}-{i}" for i in range(len(wanted))]
            made = [new[kind](id=id, metadata=dict(skip)) for id, (kind, _) in zip(ids, wanted, strict=True)]
            notebook.cells[place:place] = made
        start = checks[0] - 2 if checks else place
        for cell, (_, source) in zip(notebook.cells[start:], wanted, strict=False):
            cell.source = source
        place = start + len(wanted)
    return notebook


def faults(notebook):
    """Say in plain sentences what a stored notebook should not be."""
    found = []
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    counts = [cell.execution_count for cell in code]
    if counts != list(range(1, len(code) + 1)):
        found.append(f"execution counts are {counts}, not 1 to {len(code)}: run it from top to bottom")
    ids = [cell.get("id") for cell in notebook.cells]
    if len(set(ids)) != len(ids) or None in ids:
        found.append("cell ids are missing or not unique")
    if "widgets" in notebook.metadata:
        found.append("it stores widget state")
    if "version" in notebook.metadata.get("language_info", {}):
        found.append("it stores a Python version")
    if notebook.metadata.get("kernelspec", {}).get("name") != "python3":
        found.append("its kernel is not python3")
    if not notebook.cells or not notebook.cells[0].source.startswith("# "):
        found.append("it does not open with a title")
    lengths = [len(cell.source.splitlines()) for cell in code]
    if lengths and statistics.median(lengths) > LONGEST_MEDIAN:
        found.append(f"the median code cell has {statistics.median(lengths)} lines, more than {LONGEST_MEDIAN}")
    for i, cell in enumerate(notebook.cells, 1):
        found += [f"cell {i} {fault}" for fault in _cell_faults(cell)]
    return found + list(_reveal_faults(notebook))


def _reveal_faults(notebook):
    """Results that would be seen before they are answered, or that wait for what nobody asks."""
    asked = set()
    for i, cell in enumerate(notebook.cells, 1):
        if cell.cell_type != "code":
            continue
        waits, is_tagged = WAITS.match(cell.source), "reveal" in cell.metadata.get("tags", [])
        if is_tagged and not waits:
            yield f"cell {i} is tagged as a reveal and does not begin with reveal()"
        if waits and not is_tagged:
            yield f"cell {i} begins with reveal() and is not tagged as a reveal"
        if waits and len(cell.outputs) < 2:  # the first is what hides the others
            yield f"cell {i} is a reveal and shows nothing"
        if waits and waits[1] and waits[1] not in asked:
            yield f"cell {i} waits for the prediction {waits[1]}, which no cell above it asks"
        asked.update(ASKS.findall(cell.source))


def _cell_faults(cell):
    tags = set(cell.metadata.get("tags", []))
    if tags - KNOWN_TAGS:
        yield f"has unknown tags {sorted(tags - KNOWN_TAGS)}"
    if tags & CLOSED.keys() and cell.cell_type != "code":
        yield f"is text, and is tagged {sorted(tags & CLOSED.keys())}"
    if cell.cell_type == "markdown" and re.search(r"^#+ Further\b", cell.source, re.MULTILINE) and not closed(cell):
        yield f"has a heading 'Further' that is not its first line, {FURTHER!r}: only then is it closed at the start"
    if "execution" in cell.metadata:
        yield "stores timestamps"
    if cell.cell_type == "markdown" and "](data:" in cell.source:
        yield "holds a picture inside its text"
    if cell.cell_type == "markdown" and any(len(alt) < SHORTEST_DESCRIPTION for alt in _alts(cell.source)):
        yield "has a picture in its text without a description in words"
    if cell.cell_type != "code":
        return
    if not cell.source.strip():
        yield "is empty"
    if len(cell.source.splitlines()) > LONGEST_CELL:
        yield f"has more than {LONGEST_CELL} lines"
    for output, after in itertools.zip_longest(cell.outputs, cell.outputs[1:], fillvalue={}):
        yield from _output_faults(output, cell.metadata.get("tags", []))
        if "image/png" in output.get("data", {}):
            yield from _picture_faults(output, after)


def _alts(text):
    """The alternative texts of pictures in Markdown; "" where a picture has none."""
    tags = [re.search(r'alt="([^"]*)"', tag) for tag in re.findall(r"<img[^>]*>", text)]
    return re.findall(r"!\[([^\]]*)\]\(", text) + [tag[1] if tag else "" for tag in tags]


def _output_faults(output, tags):
    if output.output_type == "error" and "raises-exception" not in tags:
        yield f"stores an error: {output.ename}"
    if output.output_type == "stream" and output.name == "stderr":
        yield "stores a warning or other stderr"
    data = output.get("data", {})
    text = data.get("text/plain", "")
    if WIDGET_VIEW in data:
        yield "stores a widget view, which needs a kernel"
    if " at 0x" in text:
        yield "stores a memory address"
    if os.sep + "home" + os.sep in str(data) or "site-packages" in str(output.get("text", "")):
        yield "stores a path of one machine"


def _picture_faults(picture, after):
    """The words belong into alt text, for nbviewer, and under the picture, for viewers that drop alt text."""
    alt = picture.metadata.get("image/png", {}).get("alt", "")
    for words in (picture.data["text/plain"], alt):
        if words.startswith("<") or len(words) < SHORTEST_DESCRIPTION:
            yield f"has a picture without a description in words: {words!r}"
    if html.escape(alt) not in after.get("data", {}).get("text/html", ""):
        yield "does not say under its picture what its alt text says"


if __name__ == "__main__":
    names = tuple(Path(name).name for name in sys.argv[1:] if not name.startswith("--"))  # "01", or a path
    chosen = [path for path in paths() if path.name.startswith(names)] if names else paths()
    if "--check" in sys.argv:
        found = [f"{path}: {fault}" for path in chosen for fault in faults(read(path))]
        sys.exit("\n".join(found) or None)
    for path in chosen:
        print(path.name, flush=True)
        if "--exercises" in sys.argv:
            nbformat.write(put_exercises(read(path), path.stem), path)
        execute(path)
