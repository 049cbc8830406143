"""Hold a rewritten notebook to the rules of teaching; tests/notebooks/test_teaching.py asks each.

The rules: no answer in sight before its prediction; no matrix drawn twice, and maps that compare under one colour
scale; every Korean word explained where it is used; "In PyTorch" folds that run and agree with the NumPy beside them;
and each cell prints what is stored.
"""

import contextlib
import importlib.util
import inspect
import os
import re
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display
from IPython.utils.capture import capture_output
from notebook_tools import read
from traitlets.config import Config

import attention_lib.checks.predict as predict_module
from attention_lib import plots
from attention_lib.checks.predictions import Prediction
from attention_lib.checks.progress import PROGRESS, Progress
from attention_lib.plots import picture

MOST_FOLD_LINES = 8
FEWEST_WORDS, FEWEST_DIGITS = 3, 3  # of an answer that is looked for wherever it may stand
CELLS_UNDER = 3  # that can share a screen with a prediction: the reveal, the text after it, one more
FOLD = re.compile(r"<details>\s*<summary>In PyTorch</summary>\s*```python\n(.*?)```\s*</details>", re.DOTALL)
DETAILS = re.compile(r"<summary>|</summary>|<details>.*?</details>", re.DOTALL)
HANGUL = re.compile(r"[가-힣]+")
GLOSSES = (  # 고파서 *(hungry)*, 고파서 (hungry), 고파서, *hungry*, 고파서: *hungry*
    re.compile(r"([가-힣]+)[*_`\"”]*[,:]? ?\*?\((?=[^)]*[a-z])"),
    re.compile(r"([가-힣]+)[*_`\"”]*[,:]? \*(?=[^*]*[a-z])"),
)


@dataclass
class Run:
    """What running a notebook showed."""

    predictions: dict[str, Prediction] = field(default_factory=dict)
    first: dict[str, Any] = field(default_factory=dict)  # what each of them answers right after its reveal
    last: dict[str, Any] = field(default_factory=dict)  # and after the last cell
    maps: list[tuple[str, str, Any, tuple[float, float]]] = field(default_factory=list)  # cell, title, array, scale
    loose: list[str] = field(default_factory=list)  # pictures of several matrices without a word on their scales
    folds: list[str] = field(default_factory=list)  # what is wrong with the "In PyTorch" folds
    other: list[str] = field(default_factory=list)  # what cells print otherwise than is stored


# Predictions


def prediction_faults(notebook, run):
    """Predictions whose answer stands above them or directly under them, and reveals that are open."""
    cells = notebook.cells
    for place, cell in enumerate(cells):
        names = [name for name in run.predictions if is_asked_in(cell, name)]
        if names and "predict" not in cell.metadata.get("tags", []):
            yield f"cell {cell.id} asks {names[0]} and is not tagged 'predict'"
        if names and re.search(r"(answer|confusions)=", cell.source.splitlines()[0]):
            yield f"cell {cell.id}: the first line of its code, seen while folded, shows how {names[0]} is answered"
        for name in names:
            in_sight = cells[: place + 1 + CELLS_UNDER]
            for words, pattern in giveaways(run.predictions[name]).items():
                found = [other.id for other in in_sight if pattern.search(seen(other))]
                yield from (f"{name}: cell {other} shows {words!r} before the reader has answered" for other in found)
    for cell in cells:
        if "reveal" in cell.metadata.get("tags", []) and re.search(r"\d", first_line(cell)):
            yield f"reveal {cell.id}: the first line of its output, seen while closed, says {first_line(cell)!r}"


def is_asked_in(cell, name):
    return cell.cell_type == "code" and re.search(rf'\bpredict\(\s*"{re.escape(name)}"', cell.source)


def giveaways(prediction):
    """Words that would show an answer, with their patterns: its label or digits.

    A label of one or two words, or a number of one or two digits, stands in many an innocent place.
    """
    patterns = {}
    if prediction.is_number:
        value = float(prediction.answer())
        written = {f"{value:.{digits}f}".rstrip("0") for digits in range(1, prediction.question.digits + 1)}
        for text in sorted(written):
            if sum(map(str.isdigit, text)) >= FEWEST_DIGITS:
                patterns[text] = rf"(?<![\d.]){re.escape(text)}(?!\d)"
    elif len(prediction.shown().split()) >= FEWEST_WORDS:
        patterns[prediction.shown()] = re.escape(prediction.shown())
    return {words: re.compile(pattern, re.IGNORECASE) for words, pattern in patterns.items()}


def seen(cell):
    """What a reader sees of a stored cell: of what is closed, its first line."""
    if cell.cell_type != "code":
        return DETAILS.sub(" ", cell.source)
    closed = cell.metadata.get("jupyter", {})
    source = cell.source.splitlines()[0] if closed.get("source_hidden") and cell.source else cell.source
    outputs = first_line(cell) if closed.get("outputs_hidden") else "\n".join(map(text_of, cell.outputs))
    if "predict" in cell.metadata.get("tags", []):  # all choices alike: they show no answer
        outputs = "\n".join(line for line in outputs.splitlines() if not line.startswith("  ○ "))
    return f"{source}\n{outputs}"


def text_of(output):
    return str(output.get("text", "")) + str(output.get("data", {}).get("text/plain", ""))


def first_line(cell):
    """The line that JupyterLab shows of a closed output: of HTML its source, of a picture its description."""
    if not cell.outputs:
        return ""
    shown = cell.outputs[0].get("data", {}).get("text/html") or text_of(cell.outputs[0])
    return next((line for line in shown.split("\n") if line), "")


# Pictures


def map_faults(run):
    """Matrices drawn twice, attention maps under different colours, pictures that do not say."""
    for i, (cell, title, array, _colours) in enumerate(run.maps):
        for before, other, drawn, _colours in run.maps[:i]:
            if array.shape == drawn.shape and array.size > 1 and np.allclose(array, drawn, equal_nan=True):
                yield f"{title!r} in cell {cell} is the matrix {other!r} of cell {before} again"
    scales = {}
    for cell, title, array, scale in run.maps:
        if plots.is_attention_map(array):
            scales.setdefault(scale, f"{title!r} in cell {cell}")
    if len(scales) > 1:
        yield "attention maps under different colour scales: " + "; ".join(
            f"{low:g} to {high:g} for {title}" for (low, high), title in scales.items()
        )
    yield from run.loose


# Korean words


def gloss_faults(notebook):
    """Korean words that the notebook shows and nowhere explains."""
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    shown = prose + "\n".join(
        cell.source + "".join(map(text_of, cell.outputs)) for cell in notebook.cells if cell.cell_type == "code"
    )
    known = glossed(prose)
    lost = {word for word in HANGUL.findall(shown) if not is_made_of(word, known)}
    if lost:
        yield "no gloss for " + ", ".join(sorted(lost))


def glossed(prose):
    """Korean words with a meaning in Latin letters behind them, or in another cell of their row of a table."""
    found = {word for pattern in GLOSSES for word in pattern.findall(prose)}
    for line in prose.splitlines():
        cells = line.split("|")
        korean = [cell for cell in cells if HANGUL.search(cell) and not re.search("[a-z]", re.sub("<.*?>", "", cell))]
        if len(cells) > 2 and any(re.search(r"[a-z]{2}", cell) for cell in cells if cell not in korean):
            found.update(word for cell in korean for word in HANGUL.findall(cell))
    return found


def is_made_of(word, known):
    """Whether a word is one of the known ones, or several of them written together, as in 배가."""
    return word in known or any(word[:end] in known and is_made_of(word[end:], known) for end in range(1, len(word)))


# Running


def run_notebook(path):
    """Run a notebook's cells in this process, in order, and note what its predictions, pictures and cells show."""
    path, run, here = Path(path).resolve(), Run(), Path.cwd()
    vars(PROGRESS).update(vars(Progress()))  # as in a kernel just started
    shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
    shell.showtraceback = lambda **options: None  # what a cell raises comes out here, or is meant
    os.chdir(path.parent)
    try:
        with patch.object(plots, "png", no_pixels), patch.object(picture, "png", no_pixels):
            for cell in read(path).cells:
                if cell.cell_type == "markdown":
                    for code in FOLD.findall(cell.source):
                        run.folds += [f"cell {cell.id}: {fault}" for fault in try_fold(code, shell.user_ns)]
                else:
                    run.other += [f"cell {cell.id}: {kind}" for kind in other_outputs(cell, shell, run)]
                    run.first |= dict(answers(run, [name for name in run.predictions if name not in run.first]))
        run.last = dict(answers(run, run.predictions))
    finally:
        os.chdir(here)
        shell.restore_sys_module_state()
        InteractiveShell.clear_instance()
    return run


def no_pixels(figure, above=""):
    """Stand in for what nobody looks at here, and takes long to draw."""
    return b""


def answers(run, names):
    """Name and answer of each of these predictions that can be answered by now."""
    for name in names:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer = run.predictions[name].answer()  # None: what it is computed from is not there yet
        if answer is not None:
            yield name, round(float(answer), 9) if isinstance(answer, int | float | np.number) else str(answer)


def other_outputs(cell, shell, run):
    """Run a cell, and note what it asks and draws; return the kinds of text that it shows otherwise than is stored."""
    values = []
    shell.display_trap.hook = values.append
    with capture_output() as shown, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.ExitStack() as patched:
            for module, name in NOTED:
                function = noted(getattr(module, name), run, cell.id)
                patched.enter_context(patch.object(module, name, function))
            result = shell.run_cell(cell.source)
        display(*(value for value in values if value is not None))  # the maps that a lab draws are not the cell's
    if not result.success and "raises-exception" not in cell.metadata.get("tags", []):
        result.raise_error()
    now = [{"stdout": shown.stdout}, *(output.data for output in shown.outputs)]
    stored = [{output.name: output.text} if "text" in output else output.get("data", {}) for output in cell.outputs]
    now, stored = texts_of(now), texts_of(stored)
    return [kind for kind in now | stored if now.get(kind) != stored.get(kind)]


def texts_of(outputs):
    """What stands in outputs, by its kind and without pictures."""
    found = {}
    for kind, text in (pair for output in outputs for pair in output.items()):
        if text and kind.startswith(("text", "std")):
            found[kind] = found.get(kind, "") + text
    return found


NOTED = [(predict_module, "predict"), (plots, "heatmap"), (plots, "heatmaps")]


def noted(function, run, cell):
    """`predict`, `heatmap` or `heatmaps`, telling `run` what it was given."""

    def call(*arguments, **named):
        made = function(*arguments, **named)
        if isinstance(made, predict_module.PredictControl):
            run.predictions[made.prediction.name] = made.prediction
            run.first.pop(made.prediction.name, None)
            return made
        given = inspect.signature(function).bind(*arguments, **named)
        given.apply_defaults()
        options = given.arguments.get("options", {})  # `heatmap` passes these on to `heatmaps`
        note_maps({**given.arguments, **options}, run, cell, "share_range" in named)
        return made

    return call


def note_maps(given, run, cell, decided):
    panels = given.get("panels") or {given["title"]: given["values"]}
    arrays = {title: np.asarray(values, float) for title, values in panels.items()}
    finite = {title: array[np.isfinite(array)] for title, array in arrays.items()}
    everything = np.concatenate(list(finite.values()))
    for title, array in arrays.items():
        values = everything if given.get("share_range") else finite[title]
        scale = plots.colour_range(values, given.get("vmax"), given.get("signed"))
        run.maps.append((cell, title, array, scale))
    if len(arrays) > 1 and given.get("vmax") is None and not decided:
        run.loose.append(f"{given['title']!r} in cell {cell}: say share_range=True, or False for things of two kinds")


def try_fold(code, scope):
    """Run an "In PyTorch" fold beside the notebook's own numbers; it ends in an assert that compares them."""
    lines = code.strip().splitlines()
    if len(lines) > MOST_FOLD_LINES:
        yield f"the fold has {len(lines)} lines, more than {MOST_FOLD_LINES}"
    if not re.search(r"^assert .*close\(", code, re.MULTILINE):
        yield "the fold compares nothing: end it with assert np.allclose(theirs, ours)"
    if importlib.util.find_spec("torch") is None:
        return
    own = dict(scope)
    try:
        exec(code, own)
    except Exception as problem:
        yield f"the fold fails: {type(problem).__name__} {problem}"


def faults(notebook, run):
    """Everything that a rewritten notebook breaks, in plain sentences; folds apart, which need torch."""
    return [*prediction_faults(notebook, run), *map_faults(run), *gloss_faults(notebook)]
