"""What every picture is: a figure with its words, how it is shown, and what all kinds of pictures share."""

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from .._notebooks import in_words, show
from .._words import _
from .lettering import LINE, TITLE, hangul_fonts, lines_of, wrapped

COLOURS = ["#0b3c6f", "#c2570c", "#3d7a3d", "#7a3d7a", "#555555"]
GREY = "#555555"  # 7.5 : 1 on white
LINE_STYLES = ["-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1))]
MARKERS = ["o", "s", "^", "D", "x"]
HATCHES = ["", "///", "...", "xxx", "---"]


class Look(NamedTuple):
    """What tells one curve, bar, word or head from the next, without colour too."""

    colour: str
    line: Any
    marker: str
    hatch: str


def look(i: int) -> Look:
    i %= len(COLOURS)
    return Look(COLOURS[i], LINE_STYLES[i], MARKERS[i], HATCHES[i])


class Picture(Figure):
    """A figure with a description in words, shown as one image with the words folded under it.

    The words are alt text too. But JupyterLab drops an output's alt text, and
    so does nbconvert's page in Lab's style: only a second output reaches everyone.
    """

    description: str = ""  # what the picture shows: stored as its text/plain, as alt text and folded under it

    def _ipython_display_(self) -> None:
        data, metadata = self._repr_mimebundle_()
        show(data, metadata, in_words(self.description, _("In words")))

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle = {"image/png": png(self), "text/plain": self.description}
        return bundle, {"image/png": {"alt": self.description}}


def png(figure: Figure) -> bytes:
    """Return the figure as PNG bytes, the same on every run."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    with io.BytesIO() as file:  # savefig would draw it all twice
        Image.fromarray(np.asarray(canvas.buffer_rgba())).save(file, "png", dpi=(figure.dpi, figure.dpi))
        _forget_pixels(figure)
        return file.getvalue()


def _forget_pixels(figure: Figure) -> None:
    """Let go of what the figure was drawn on: a notebook's Out keeps every picture, and one holds megabytes of it."""
    FigureCanvasAgg(figure)  # one that has drawn nothing
    for text in figure.findobj(Text):
        text._renderer = None  # type: ignore[attr-defined]  # else made anew where it is asked for


@contextmanager
def new_picture(width: float, height: float, title: str = "", below: str = "") -> Iterator[Picture]:
    """Give a picture to draw on, in fonts that have Hangul, with a title over it and a text below.

    Width and height are in inches, without the lines that these two take.
    """
    title, below = wrapped(title, width - 0.2, TITLE), wrapped(below, width - 0.2, 10)
    height += LINE * sum(lines_of([text]) for text in (title, below) if text)
    with hangul_fonts():
        picture = Picture(figsize=(width, height), dpi=100, layout="constrained")
        FigureCanvasAgg(picture)  # no pyplot: nothing stays open
        if title:
            picture.suptitle(title, fontsize=TITLE, x=0.1 / width, ha="left")
        if below:
            picture.supxlabel(below, fontsize=10)
        yield picture


def in_sentences(title: str, sentences: Iterable[str]) -> str:
    """Return a description: the title as a sentence, and the others; a label of two lines becomes one."""
    if title and title[-1] not in ".?":
        title = _("{title}.").format(title=title)
    return " ".join(filter(None, [title, *sentences])).replace("\n", " ")


def name_axes(axes: Axes, title: str, x_label: str, y_label: str) -> None:
    """Give axes their words, broken to the size of the picture."""
    width, height = axes.get_figure(root=True).get_size_inches().tolist()  # type: ignore[union-attr]
    axes.set_title(wrapped(title, width - 1, TITLE), fontsize=TITLE, loc="left", pad=10)
    axes.set_xlabel(wrapped(x_label, width - 1, 10))
    axes.set_ylabel(wrapped(y_label, height - 1.3, 10))
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#999999")


def label_cells(axes: Axes, rows: Sequence[str], columns: Sequence[str], upright: bool = False) -> None:
    """Name the rows and columns of a grid of cells, to the left and above, where no axis and no frame is drawn."""
    axes.set_xticks(range(len(columns)), columns, fontsize=9, rotation=90 if upright else 0)
    axes.set_yticks(range(len(rows)), rows, fontsize=9)
    axes.tick_params(which="both", length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
    axes.spines[:].set_visible(False)
