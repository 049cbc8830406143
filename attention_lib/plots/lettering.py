"""Fonts that have Hangul, how wide words are in them, where lines break, and where labels find room."""

import functools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from typing import Any

import matplotlib
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Bbox
from numpy.typing import ArrayLike

FONT_FILE = resources.files("attention_lib").joinpath("fonts", "AttentionHangul-Regular.ttf")
FONTS = ["DejaVu Sans", "Attention Hangul"]  # Latin and symbols first, Hangul by fallback
LINE = 0.2  # inches: the height of a line of a title
NARROWEST = 0.75  # inches: no title or label is broken to less
HINTED = 1.03  # on the screen letters stand at whole pixels, which can make a line so much wider


@contextmanager
def hangul_fonts() -> Iterator[None]:
    _add_hangul()
    with matplotlib.rc_context({"font.family": FONTS, "axes.unicode_minus": True}):
        yield


@functools.cache
def _add_hangul() -> None:
    font_manager.fontManager.addfont(str(FONT_FILE))


@functools.lru_cache(maxsize=4096)
def text_width(text: str, points: float = 9) -> float:
    """Return the width of the widest line of a text, in inches."""
    _add_hangul()
    font = FontProperties(family=FONTS, size=points)
    widths = [text_to_path.get_text_width_height_descent(line, font, False)[0] for line in text.split("\n")]
    return HINTED * max(widths) / 72


def widest(labels: Iterable[str], points: float = 9) -> float:
    """Return the width of the widest label, in inches."""
    return max((text_width(label, points) for label in labels), default=0.0)


def lines_of(labels: Iterable[str]) -> int:
    """Return the number of lines of the label that has most."""
    return max((label.count("\n") + 1 for label in labels), default=0)


def wrapped(text: str, inches: float, points: float = 11) -> str:
    """Break a text into lines that fit a width: between words, and inside a word that is too wide alone.

    Examples
    --------
    >>> print(wrapped("one query reads three keys", 1.2))
    one query
    reads three
    keys
    """
    inches = max(inches, NARROWEST)
    lines = []
    for paragraph in text.split("\n"):
        lines.append("")
        for word in paragraph.split(" "):  # not at a no-break space
            longer = f"{lines[-1]} {word}".lstrip(" ")
            if text_width(longer, points) <= inches:
                lines[-1] = longer
                continue
            if lines[-1]:
                lines.append("")
            for letter in word:
                if lines[-1] and text_width(lines[-1] + letter, points) > inches:
                    lines.append("")
                lines[-1] += letter
    return "\n".join(lines)


Label = tuple[tuple[float, float], str, dict[str, Any]]  # place, text, look


def place_labels(picture: Figure, plans: Sequence[tuple[Axes, Sequence[Label], ArrayLike]]) -> None:
    """Write each label beside its point, where it covers neither another label nor what is drawn.

    The plans say for each axes, which have their final limits, the labels in the order in which they find a place, and
    points that they keep clear of, (n, 2).
    """
    picture.draw_without_rendering()  # to know where things stand
    pixels_per_point = picture.dpi / 72
    for axes, labels, busy in plans:
        points = axes.transData.transform(np.asarray(busy, float))
        taken: list[Bbox] = []
        for place, text, look in labels:
            label = axes.annotate(text, place, (0, 0), textcoords="offset points", ha="center", va="center", **look)
            label.set_in_layout(False)
            start = label.get_window_extent()
            steps = _steps_around(start)  # pixels
            boxes = [start.translated(*step) for step in steps]
            best = int(np.argmin([_cost(box, axes.bbox, points, taken) for box in boxes]))
            label.set_position(steps[best] / pixels_per_point)
            taken.append(boxes[best])


def _steps_around(box: Bbox) -> list[Any]:
    """Return where a label could move from the middle of its point, in pixels: the nearest first."""
    angles = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)  # (16, 2)
    gaps = (9, 16, 26, 40)  # half a marker is 5
    return [direction * (np.array(box.size) / 2 + gap) for gap in gaps for direction in directions]


def _cost(box: Bbox, frame: Bbox, points: Any, taken: Sequence[Bbox]) -> float:
    """Return how bad a place for a label is, from what it would cover and how far it leaves the frame, in pixels."""
    padded = box.padded(2)
    shared = [Bbox.intersection(padded, other) for other in taken]
    covered = sum(overlap.width * overlap.height for overlap in shared if overlap is not None)
    hidden = int(((points > padded.min) & (points < padded.max)).all(axis=1).sum())
    outside = max(0.0, frame.x0 - box.x0, frame.y0 - box.y0, box.x1 - frame.x1, box.y1 - frame.y1)
    return covered + 60 * hidden + 1000 * outside
