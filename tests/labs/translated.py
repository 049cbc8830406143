"""Every lab as in a Korean edition: the words of all tables are exchanged as the library is read, each lab is led
through its menus, and what is left in English is written out as JSON.

Started as a process of its own: the library is read once, and here otherwise.
"""

import ast
import html
import importlib
import json
import re
import string
import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder, SourceFileLoader
from typing import Any

import numpy as np

ROOMS = ("labs", "view", "mistakes", "plots")  # every table of texts there is for a reader,
ELSEWHERE = ("MESSAGES", "KINDS", "TARGETS", "GOALS")  # and so are these of the other rooms
NO_TEXTS = ("LABS", "COLOURS", "WIDE", "WRAP", "HALVES", "SENTENCES", "MAPS")  # of names, styles and words of data
RECORDS = {"Mistake": 2, "Category": 1, "Target": 4, "Goal": 2}  # how many texts come first in a record of a table
WORD = re.compile(r"{[^}]*}|[A-Za-z]{2,}")
OF_LATIN = {letter: 0xAC00 + letter for letter in map(ord, string.ascii_letters)}
SYMBOL = re.compile(r"{[^}]*}|\b(W_[QKVO]|d_(k|v|model)|float(16|32|64)|M[HQ]A|GQA|KV|ln|exp|max|NumPy|softmax|nan)\b")


def in_hangul(text: str) -> str:
    """Put a word of its own in the place of each, and leave {placeholders} as they are."""
    return WORD.sub(lambda part: part[0] if part[0].startswith("{") else part[0].translate(OF_LATIN), text)


def exchange(value: ast.expr) -> None:
    """Exchange the texts of a table: what stands in a dictionary, its pairs and its records; never a key."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        value.value = in_hangul(value.value)
    elif isinstance(value, ast.Dict):
        for part in value.values:
            exchange(part)
    elif isinstance(value, ast.Tuple) and all(isinstance(part, ast.Constant) for part in value.elts):
        for part in value.elts:
            exchange(part)
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        for part in value.args[: RECORDS.get(value.func.id, 0)]:
            exchange(part)
    elif isinstance(value, ast.List):
        for part in value.elts:
            if isinstance(part, ast.Call):
                exchange(part)


class Translating(SourceFileLoader):
    """Reads a module of the library with its tables exchanged."""

    def get_code(self, fullname: str) -> Any:
        path = self.get_filename(fullname)
        tree = ast.parse(self.get_data(path))
        room = (*fullname.split("."), "")[1]
        for node in tree.body:
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            if not isinstance(target, ast.Name) or not target.id.isupper() or target.id in NO_TEXTS:
                continue
            if (room in ROOMS or target.id in ELSEWHERE) and isinstance(node.value, (ast.Dict, ast.List)):  # type: ignore[attr-defined]
                exchange(node.value)  # type: ignore[attr-defined]
        return compile(tree, path, "exec")


class Finder:
    """Finds the modules of the library for `Translating`."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        spec = PathFinder.find_spec(name, path) if name.split(".")[0] == "attention_lib" else None
        if spec is not None and spec.origin is not None and spec.origin.endswith(".py"):
            spec.loader = Translating(name, spec.origin)
        return spec


def parts_of(widget: Any) -> Iterator[Any]:
    """A widget and all that is in it."""
    yield widget
    for part in getattr(widget, "children", ()):
        yield from parts_of(part)


def texts_of(widget: Any) -> Iterator[str]:
    """What one widget says: not what a reader has typed, nor the code to copy."""
    for trait in ("description", "placeholder", "tooltip", "_caption", "_note", "note", "still_title"):
        text = getattr(widget, trait, None)
        yield text if isinstance(text, str) else ""
    yield from map(str, getattr(widget, "_options_labels", ()))
    yield from map(str, getattr(widget, "tooltips", ()))
    if type(widget).__name__ in ("HTML", "Sentence"):
        yield without_markup(widget.value)
    for spec in getattr(widget, "_spec", ()):
        yield from [spec["title"], spec["called"], spec["row_axis"], spec["column_axis"]]
        yield from [*spec["rows"], *spec["columns"], *(name for name, _ in spec["categories"])]
    for told in (getattr(widget, trait, None) for trait in ("_captions", "_descriptions", "_words", "_grid")):
        yield from map(str, told.values() if isinstance(told, dict) else ())


def without_markup(text: str) -> str:
    """The words of HTML, and those of its attributes that are read out."""
    text = re.sub(r"<style>.*?</style>", " ", text, flags=re.DOTALL)
    read = re.findall(r"(?:aria-label|alt|title)=(?:'([^']*)'|\"([^\"]*)\")", text)
    return html.unescape(" ".join([re.sub(r"<[^>]*>", " ", text), *map("".join, read)]))


def through_its_menus(lab: Any) -> Iterator[Any]:
    """The lab at first, and after each choice that a menu of it offers."""
    yield lab
    for menu in [part for part in parts_of(lab) if hasattr(part, "_options_labels")]:
        for value in [value for _, value in menu._options_full]:
            if menu.layout.display != "none":  # a choice before may have taken it away
                menu.value = value
                yield lab
    for name in ("undo", "reset"):
        lab.buttons[name].click()
        yield lab


def words_of_data(name: str) -> set[str]:
    """The English words that a lab takes from data: sentences, and what their numbers stand for."""
    examples = "attention_lib.examples."
    texts: list[str] = []
    if name == "AlignmentLab":
        for pair in importlib.import_module(examples + "sentence_pairs").load_pairs().values():
            texts += [*pair.english, *(column for columns in pair.columns.values() for column in columns)]
    if name == "CacheSize":
        texts += [model.name for model in importlib.import_module(examples + "stored_costs").load_model_shapes()]
        texts += ["KiB", "MiB", "GiB"]
    if name == "CopyingLab":
        texts += importlib.import_module("attention_lib.training.copying").WORDS
    if name in ("Explorer", "MovingPoint"):
        words = importlib.import_module(examples + "three_meanings").load_meanings()
        texts += [*words.columns, *words.glosses.values()]
    if name in ("Explorer", "CacheStepper"):
        starts = importlib.import_module(examples + "explorer_starts").starts()
        texts += [token for start in starts.values() for token in start.inputs.tokens]
    if name == "HeadBrowser":
        heads = importlib.import_module(examples + "trained_heads")
        texts += [token for text in heads.sentence_names(*heads.KINDS) for token in heads.load_sentence(text).tokens]
        texts += map(heads.sentence_text, heads.sentence_names(*heads.KINDS))
    if name == "HeadSurgeryLab":
        example = importlib.import_module(examples + "made_up_heads").load_heads_example()
        texts += [*example.features, *example.head_names]
        texts += [token for sentence in example.sentences.values() for token in sentence.tokens]
    return {word.lower() for text in texts for word in re.findall(r"[A-Za-z]{2,}", text)}


def left_over(texts: Iterator[str], known: set[str]) -> list[str]:
    """The texts in which English is left."""
    return sorted(
        {text for text in texts if {*map(str.lower, re.findall(r"[A-Za-z]{2,}", SYMBOL.sub("", text)))} - known}
    )


def main() -> None:
    sys.meta_path.insert(0, Finder())  # type: ignore[arg-type]
    labs = importlib.import_module("attention_lib.labs")
    timing = importlib.import_module("attention_lib.analysis.timing").Timing((4,), {"가": (1.0,)}, "컴퓨터")
    eye, said = np.eye(2), {}
    for name in sys.argv[1:] or labs.LABS:
        if name == "MaskWorkbench":
            lab = labs.MaskWorkbench(["나", "너"], eye, eye, eye, eye)
        elif name == "DecodeTimer":
            lab = labs.DecodeTimer({"가": lambda n: None}, (1, 2), stored=timing)
        else:
            lab = getattr(labs, name)()
        texts = [text for now in through_its_menus(lab) for part in parts_of(now) for text in texts_of(part)]
        texts += [lab.still_text(), lab.still_figure().description]
        said[name] = left_over(texts, words_of_data(name))
    print(json.dumps(said, ensure_ascii=False))


if __name__ == "__main__":
    main()
