"""Write the editions in other languages from the English one: `make translations`.

`python tools/translate.py ko` reads every sentence of the library, and every cell of the notebooks that have a
catalogue in `notebooks/ko`, and brings the catalogues up to date: a new sentence waits for its translation, and one
that was changed is marked as fuzzy. Then it writes what is made from them: `attention.mo`, and the notebooks and
README of the edition, which are run and stored again. Until a sentence is translated, the reader sees the English one.
"""

import ast
import io
import json
import os
import re
import runpy
import sys
import tokenize
import tomllib
from pathlib import Path

import nbformat
from babel.messages import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from notebook_tools import execute, paths, read

from attention_lib._words import DOMAIN, LOCALE
from attention_lib.checks.registry import exercises
from attention_lib.checks.slips import ADVICE, ONE_CHANGE, SENTENCES, UNQUOTED

ROOT = Path(__file__).parent.parent
LIBRARY, NOTEBOOKS, README = ROOT / "attention_lib", ROOT / "notebooks", ROOT / "README.md"
PAGES = NOTEBOOKS / "presenting" / "make_pages.py"
SAID = ("topic", "right", "wrong", "choices")  # of a prediction
NAMED = ("gloss", "meanings", "columns", "title")  # in a file of data
SHOWN_BY = ("print", "plots")  # calls whose texts a reader sees
CHOICE = 'import attention_lib\n\nattention_lib.language("{language}")\n\n'
LINK = re.compile(r'(\]\(|src="|srcset=")(?!https?:|#)([^)"]+)')  # to a file of the repository


# -- the English sentences ---------------------------------------------------------------------------------------


def library_messages():
    """Yield (file, sentence) for what the library says: marked sentences, predictions, exercises, names in data."""
    for path in sorted(LIBRARY.rglob("*.py")):
        with path.open("rb") as file:
            for _, message, _, _ in extract("python", file, keywords={"_": None}):
                yield path.relative_to(ROOT), message
    slips = (ONE_CHANGE, UNQUOTED, *ADVICE.values(), *SENTENCES.values())
    yield from (("attention_lib/checks/slips.py", text) for text in slips)
    for table in runpy.run_path(str(PAGES))["TABLES"]:
        yield from ((PAGES.relative_to(ROOT), text) for text in table.values())
    for path in sorted(LIBRARY.rglob("predictions.toml")):
        for question in tomllib.loads(path.read_text("utf-8")).values():
            for key in SAID:
                yield from ((path.relative_to(ROOT), text) for text in texts(question.get(key, "")))
    for exercise in exercises().values():
        place = f"attention_lib/lessons/{exercise.notebook[3:]}/exercises.py"
        yield from ((place, text) for text in said_by_checks(exercise))
    for path in sorted((ROOT / "data").glob("*.json")):
        yield from ((path.relative_to(ROOT), text) for text in names_in(json.loads(path.read_text("utf-8"))))


def said_by_checks(exercise):
    """Yield what is said with the words of an exercise; its task, hints and solution are cells of the notebook."""
    yield exercise.title
    yield from (*exercise.mistakes, *exercise.refuses)


def texts(value):
    """Return all texts in a value of a table, without its keys."""
    if isinstance(value, str):
        return [value] if value else []
    values = value.values() if isinstance(value, dict) else value
    return [text for item in values for text in texts(item)]


def names_in(record):
    """Yield what a file of data calls things, in the words that a reader sees."""
    if isinstance(record, list):
        for item in record:
            yield from names_in(item)
    if isinstance(record, dict):
        for key, value in record.items():
            if key in NAMED:
                yield from texts(value)
            else:
                yield from names_in(value)


def notebook_messages(path):
    """Yield (cell, message) for a notebook. What the library says too is translated once, in its catalogue."""
    in_library = {message for _, message in library_messages()}
    for cell in read(path).cells:
        yield from ((cell.id, message) for message in cell_messages(cell) if message not in in_library)


def cell_messages(cell):
    """Yield what a reader sees of a cell: the whole text, or the texts and comments of its code."""
    if cell.cell_type == "markdown":
        yield cell.source
    else:
        yield from (text for start, end, text, write in pieces(cell.source))


def pieces(code):
    """Yield (start, end, text, write) for each text and comment of code; `write(text)` gives what replaces it."""
    tree = ast.parse(code)
    starts = [0, *(match.end() for match in re.finditer("\n", code))]

    def place(line, column):  # ast counts bytes
        start = starts[line - 1]
        return start + len(code[start:].encode()[:column].decode())

    shown = [
        range(place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[0] in SHOWN_BY
    ]
    f_strings = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    inside = {id(part) for node in f_strings for part in ast.walk(node) if part is not node}
    keys = {id(node.slice) for node in ast.walk(tree) if isinstance(node, ast.Subscript)}
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if id(node) in inside | keys or not (is_text or isinstance(node, ast.JoinedStr)):
            continue
        start, end = place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset)
        text = node.value if is_text else code[start + 2 : end - 1]
        is_seen = any(start in span for span in shown) or " " in text
        if is_seen and re.search("[A-Za-z]{2}", text):
            yield start, end, text, quoted if is_text else 'f"{}"'.format
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT and re.search(r"\b[a-z]{3,}\b(?:[ ,:]|$)", token.string):
            start = starts[token.start[0] - 1] + token.start[1]
            yield start, start + len(token.string), token.string.removeprefix("# "), "# {}".format


def quoted(text):
    """Write a text as Python does, with double quotes."""
    return json.dumps(text, ensure_ascii=False)


def blocks(text):
    """Split a Markdown file into its paragraphs, as a notebook is split into cells; code stays whole."""
    found = [""]
    for part in text.split("\n\n"):
        if found[-1].count("```") % 2:
            found[-1] += "\n\n" + part
        else:
            found.append(part)
    return found[1:]


# -- catalogues --------------------------------------------------------------------------------------------------


def sources(language):
    """Return each catalogue of a language, and the English messages that it should hold: (file, message) pairs."""
    found = {LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.po": library_messages}
    for path in paths():
        catalogue = NOTEBOOKS / language / f"{path.stem}.po"
        if catalogue.exists():
            found[catalogue] = lambda path=path: notebook_messages(path)
    catalogue = NOTEBOOKS / language / "README.po"
    if catalogue.exists():
        found[catalogue] = lambda: (("README.md", block) for block in blocks(README.read_text("utf-8")))
    return found


def load(path, language):
    """Read a catalogue; an empty one where there is none."""
    if not path.exists():
        return Catalog(locale=language, fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def merged(path, language, messages):
    """Return a catalogue with exactly these messages; the translation of a changed sentence is kept as fuzzy."""
    template = Catalog(fuzzy=False)
    for place, message in messages:
        template.add(message, locations=[(str(place), 0)])
    catalogue = load(path, language)
    catalogue.update(template, update_header_comment=False, update_creation_date=False)
    catalogue.obsolete.clear()
    return catalogue


def translations(catalogue):
    """Return the sentences that are translated and up to date: English -> the other language."""
    return {message.id: message.string for message in catalogue if message.id and message.string and not message.fuzzy}


def store(catalogue, path):
    with path.open("wb") as file:
        write_po(file, catalogue, width=0, include_lineno=False, omit_header=False)


# -- what is made from them ----------------------------------------------------------------------------------------


def translated_notebook(path, language, known):
    """Return a notebook in another language: the same code cells under the same ids, and the first chooses it."""
    notebook = read(path)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = moved_links(known.get(cell.source, cell.source), language)
        else:
            cell.source = translated_code(cell.source, known)
            cell.outputs, cell.execution_count = [], None
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    first.source = CHOICE.format(language=language) + first.source
    return notebook


def translated_code(code, known):
    """Return code with its texts and comments in another language."""
    for start, end, text, write in sorted(pieces(code), key=lambda piece: -piece[0]):
        if text in known:
            code = code[:start] + write(known[text]) + code[end:]
    return code


def moved_links(text, language, folder=NOTEBOOKS):
    """Let the links of a text in `folder` lead to the same places from the edition's folder, or to its own files."""
    edition = NOTEBOOKS / language

    def move(match):
        target, hash_sign, section = match[2].partition("#")
        path = Path(os.path.normpath(folder / target))
        is_source = path == README or path.parent == NOTEBOOKS
        if is_source and (edition / path.name).with_suffix(".po").exists():
            return match[1] + path.name  # without its section: headings are translated
        return match[1] + os.path.relpath(path, edition) + hash_sign + section

    return LINK.sub(move, text)


def close_as(english, path):
    """Close the cells that are closed in the English notebook: a heading is known there by its English words."""
    notebook = read(path)
    for cell, original in zip(notebook.cells, read(english).cells, strict=True):
        cell.metadata = original.metadata
    nbformat.write(notebook, path)


def translated_readme(language, known):
    """Return README in another language; it stands beside the notebooks of its edition."""
    text = "\n\n".join(known.get(block, block) for block in blocks(README.read_text("utf-8")))
    itself, english = "[한국어](README.md)", os.path.relpath(README, NOTEBOOKS / language)
    return moved_links(text, language, ROOT).replace(itself, f"[English]({english})")


def write_edition(language):
    """Bring the catalogues of a language up to date, and write its notebooks and README."""
    for path, messages in sources(language).items():
        catalogue = merged(path, language, messages())
        store(catalogue, path)
        known = translations(catalogue)
        print(f"{path.relative_to(ROOT)}: {len(known)} of {len(catalogue)} messages are translated", flush=True)
        if path.stem == DOMAIN:
            of_library = known
            with path.with_suffix(".mo").open("wb") as file:
                write_mo(file, catalogue)
        elif path.stem == README.stem:
            path.with_suffix(".md").write_text(translated_readme(language, known), "utf-8")
        else:
            notebook = path.with_suffix(".ipynb")
            english = NOTEBOOKS / notebook.name
            nbformat.write(translated_notebook(english, language, of_library | known), notebook)
            execute(notebook)
            close_as(english, notebook)


if __name__ == "__main__":
    for language in sys.argv[1:] or sorted(path.name for path in LOCALE.iterdir()):
        write_edition(language)
