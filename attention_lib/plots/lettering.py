"""Fonts that have Hangul, how wide words are in them, and where lines break."""

import functools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import resources

import matplotlib
from matplotlib import font_manager
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

FONT_FILE = resources.files("attention_lib").joinpath("fonts", "AttentionHangul-Regular.ttf")
FONTS = ["DejaVu Sans", "Attention Hangul"]  # Latin and symbols first, Hangul by fallback
LINE = 0.2  # inches: the height of a line of a title
NARROWEST = 0.75  # inches: no title or label is broken to less
TITLE = 13  # points
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
