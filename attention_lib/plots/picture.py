"""What every picture is: a figure with its words, in fonts that have Hangul, and how it is shown."""

import functools
import html
import io
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from typing import Any

import matplotlib
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from numpy.typing import NDArray
from PIL import Image

from .lettering import wrapped

FONT_FILE = resources.files("attention_lib").joinpath("fonts", "AttentionHangul-Regular.ttf")
FONTS = ["DejaVu Sans", "Attention Hangul"]  # Latin and symbols first, Hangul by fallback
COLOURS = ["#0b3c6f", "#c2570c", "#3d7a3d", "#7a3d7a", "#555555"]
GREY = "#555555"  # 7.5 : 1 on white
LINE_STYLES = ["-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1))]
MARKERS = ["o", "s", "^", "D", "x"]
HATCHES = ["", "///", "...", "xxx", "---"]
MESSAGES = {"words": "In words", "sentence": "{title}."}


class Picture(Figure):
    """A figure with a description in words, shown as one image with the words folded under it.

    The words are alt text too. But JupyterLab drops an output's alt text, and
    so does nbconvert's page in Lab's style: only a second output reaches everyone.

    Attributes
    ----------
    description : str
        What the picture shows; stored as its text/plain, as alt text and folded under it.
    """

    description: str = ""

    def _ipython_display_(self) -> None:
        data, metadata = self._repr_mimebundle_()
        show(data, metadata, in_words(self.description, MESSAGES["words"]))

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle = {"image/png": png(self), "text/plain": self.description}
        return bundle, {"image/png": {"alt": self.description}}


def in_words(description: str, heading: str) -> str:
    """Return a description as HTML, folded under a heading that a mouse, a key or a screen reader opens."""
    marked = "display: list-item"  # nbviewer's style sheet would hide the triangle
    return f'<details><summary style="{marked}">{heading}</summary>{html.escape(description)}</details>'


def show(data: dict[str, Any], metadata: dict[str, Any], words: str) -> None:
    """Display a picture, and under it its words."""
    from IPython.display import display  # here, so that drawing needs no notebook

    display(data, metadata=metadata, raw=True)
    display({"text/html": words}, raw=True)


def png(figure: Figure, above: str = "") -> bytes:
    """Return the figure as PNG bytes, the same on every run; a text `above` it stands on a strip of its own."""
    pixels = _pixels(figure)  # (height, width, 4); savefig would draw it all twice
    if above:
        pixels = np.vstack([_pixels(_strip(above, figure)), pixels])[..., :3]  # no alpha: as many bytes as without it
    with io.BytesIO() as file:
        Image.fromarray(pixels).save(file, "png", dpi=(figure.dpi, figure.dpi))
        _forget_pixels(figure)
        return file.getvalue()


def _strip(text: str, below: Figure) -> Figure:
    """Draw a text on a grey strip as wide as the figure below it, in letters as large as that figure's title."""
    width = below.get_size_inches()[0].item()
    lines = wrapped(text, width)
    if "\n" in lines:
        lines = wrapped(text.replace(". ", ".\n"), width)  # each sentence begins a line
    strip = Figure(figsize=(width, 0.2 + 0.2 * len(lines.splitlines())), dpi=below.dpi, facecolor="#e8e8e8")
    with hangul_fonts():
        strip.text(0.5, 0.5, lines, ha="center", va="center", fontsize=12)
    return strip


def _pixels(figure: Figure) -> NDArray[np.uint8]:
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


def _forget_pixels(figure: Figure) -> None:
    """Let go of what the figure was drawn on: a notebook's Out keeps every picture, and one holds megabytes of it."""
    FigureCanvasAgg(figure)  # one that has drawn nothing
    for text in figure.findobj(Text):
        text._renderer = None  # type: ignore[attr-defined]  # else made anew where it is asked for


def new_picture(size: tuple[float, float]) -> Picture:
    picture = Picture(figsize=size, dpi=100, layout="constrained")
    FigureCanvasAgg(picture)  # no pyplot: nothing stays open
    return picture


@contextmanager
def hangul_fonts() -> Iterator[None]:
    add_hangul()
    with matplotlib.rc_context({"font.family": FONTS, "axes.unicode_minus": True}):
        yield


@functools.cache
def add_hangul() -> None:
    font_manager.fontManager.addfont(str(FONT_FILE))


def name_axes(axes: Axes, title: str, x_label: str, y_label: str) -> None:
    """Give axes their words, broken to the size of the picture."""
    width, height = axes.get_figure(root=True).get_size_inches().tolist()  # type: ignore[union-attr]
    axes.set_title(wrapped(title, width - 0.6), fontsize=11)
    axes.set_xlabel(wrapped(x_label, width - 0.8, 10))
    axes.set_ylabel(wrapped(y_label, height - 0.6, 10))
    axes.spines[["top", "right"]].set_visible(False)


def as_sentence(title: str) -> str:
    return title if not title or title[-1] in ".?" else MESSAGES["sentence"].format(title=title)
