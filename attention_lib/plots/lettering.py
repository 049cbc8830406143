"""How wide words are, where lines break, and where labels find room."""

import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox
from numpy.typing import ArrayLike

WIDE_LETTER = 1.8  # a Hangul syllable is about as wide as so many Latin letters
LETTERS_PER_INCH = 10  # at 11 points, with room to spare
LETTER, LINE = 0.085, 0.2  # inches: a letter of a label at 9 to 10 points, a line of a title
DIRECTIONS = [(np.cos(a), np.sin(a)) for a in np.linspace(0, 2 * np.pi, 16, endpoint=False)]


def letters(text: str) -> float:
    """Return how many Latin letters a line of text is as wide as.

    Examples
    --------
    >>> letters("pear"), letters("배")
    (4.0, 1.8)
    """
    return sum(WIDE_LETTER if unicodedata.east_asian_width(letter) in "WF" else 1.0 for letter in text)


def widest(labels: Sequence[str]) -> float:
    """Return the letters of the widest line of all labels."""
    return max((letters(line) for label in labels for line in label.split("\n")), default=0.0)


def lines_of(labels: Sequence[str]) -> int:
    """Return the lines of the label that has most."""
    return max((label.count("\n") + 1 for label in labels), default=0)


def wrapped(text: str, inches: float, points: float = 11) -> str:
    """Break a text into lines that fit a width, between words; a word that is wider alone is broken too.

    Examples
    --------
    >>> print(wrapped("one query reads three keys", 1.4))
    one query
    reads three
    keys
    """
    return broken(text, max(14.0, LETTERS_PER_INCH * inches * 11 / points))


def broken(text: str, width: float) -> str:
    """Break a text into lines at most `width` letters wide; lines that it has stay apart."""
    return "\n".join(line for part in text.split("\n") for line in _lines(part, width))


def _lines(text: str, width: float) -> list[str]:
    lines = [""]
    for word in filter(None, text.split(" ")):  # not at a no-break space
        for piece in _pieces(word, width):
            longer = f"{lines[-1]} {piece}".lstrip()
            if letters(longer) <= width:
                lines[-1] = longer
            else:
                lines.append(piece)
    return lines if lines[0] or len(lines) == 1 else lines[1:]


def _pieces(word: str, width: float) -> list[str]:
    pieces = [""]
    for letter in word:
        if letters(pieces[-1] + letter) > width:
            pieces.append("")
        pieces[-1] += letter
    return pieces


Label = tuple[tuple[float, float], str, dict[str, Any]]  # place, text, look


def place_labels(picture: Figure, plans: Sequence[tuple[Axes, Sequence[Label], ArrayLike]]) -> None:
    """Write each label beside its point, where it covers neither another label nor what is drawn.

    Parameters
    ----------
    picture : Figure
        Laid out here, to know where things stand.
    plans : sequence of (axes, labels, busy)
        For each axes, which have their final limits: the labels in the order
        in which they find a place, and points that they keep clear of, (n, 2).
    """
    picture.draw_without_rendering()
    for axes, labels, busy in plans:
        kept_clear = axes.transData.transform(np.reshape(np.asarray(busy, float), (-1, 2)))
        taken: list[Bbox] = []
        for point, text, look in labels:
            written = axes.annotate(text, point, (0, 0), textcoords="offset points", ha="center", va="center", **look)
            written.set_in_layout(False)
            taken.append(_roomiest(written, axes.bbox, 72 / picture.dpi, kept_clear, taken))


def _roomiest(label: Annotation, frame: Bbox, pixel: float, busy: Any, taken: Sequence[Bbox]) -> Bbox:
    """Move a label to where it covers least, around its point, and return its box; a pixel is so many points."""
    start = label.get_window_extent()
    best, least = (0.0, 0.0), np.inf
    for gap in (9, 16, 26, 40):  # pixels; half a marker is 5
        for x, y in DIRECTIONS:
            step = np.array([x * (start.width / 2 + gap), y * (start.height / 2 + gap)])
            box = start.translated(*step)
            covered = sum(_overlap(box, other) for other in taken) + 60 * _inside(box.padded(2), busy)
            cost = covered + 1e3 * _outside(box, frame) + gap
            if cost < least:
                best, least = (step[0] * pixel, step[1] * pixel), cost
    label.set_position(best)
    return start.translated(best[0] / pixel, best[1] / pixel)


def _overlap(one: Bbox, other: Bbox) -> float:
    shared = Bbox.intersection(one, other.padded(2))
    return shared.width * shared.height if shared is not None else 0.0


def _inside(box: Bbox, points: Any) -> int:
    x, y = points.T
    return int(((x > box.x0) & (x < box.x1) & (y > box.y0) & (y < box.y1)).sum())


def _outside(box: Bbox, frame: Bbox) -> float:
    return max(0.0, frame.x0 - box.x0, frame.y0 - box.y0, box.x1 - frame.x1, box.y1 - frame.y1)
