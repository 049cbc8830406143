"""Arrays as boxes whose sides are their sizes, from step to step through multi-head attention."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from .._words import _
from .lettering import LINE, lines_of, text_width, wrapped
from .picture import COLOURS, GREY, Picture, in_sentences, look, new_picture

LONGEST, WIDEST = 1.3, 11.0  # inches: the longest side of a box, a line of boxes
OFFSET, GAP = 0.13, 0.14  # inches: from a head to the next behind it, from a sentence to the next below
MOST_SHOWN = 4  # boxes of one axis; a longer axis is cut, its size is written
MOST_LINES = 16  # entries of a side: more are not ruled
BELOW = 4 * LINE + 0.1  # inches, for the words below the boxes of a line


class Box(NamedTuple):
    """One array on the paper, in inches: the front box, and how much the others take."""

    step: str  # what leads to it
    name: str
    sizes: Mapping[str, int]  # of each axis: sentences, heads if there are any, rows, columns
    width: float
    height: float
    behind: int  # heads, one behind the other
    below: int  # sentences, one below the other
    parts: int  # heads to which its columns belong

    @property
    def full_width(self) -> float:
        return self.width + OFFSET * (self.behind - 1)

    @property
    def full_height(self) -> float:
        return self.below * (self.height + OFFSET * (self.behind - 1)) + GAP * (self.below - 1)

    @property
    def shape(self) -> tuple[str, str]:
        """The names of the axes, and their sizes."""
        return f"({', '.join(self.sizes)})", f"({', '.join(map(str, self.sizes.values()))})"

    @property
    def words(self) -> str:
        """What is written below it."""
        return "\n".join([self.name, *self.shape])

    @property
    def arrow(self) -> float:
        """The length of the arrow that leads to it."""
        return max(0.6, text_width(self.step) + 0.25) if self.step else 0.0

    @property
    def slot(self) -> float:
        """The width taken together with the words below and the size beside it."""
        return max(self.full_width + 0.7, text_width(self.words) + 0.1)


def multi_head_shapes(batch: int, n: int, d_model: int, n_heads: int, *, title: str | None = None) -> Picture:
    """Draw the shapes through which X goes in multi-head attention, from (batch, n, d_model) back to it.

    All boxes are on one scale. Heads stand behind each other, sentences below
    each other; columns that belong to a head have its colour.

    Parameters
    ----------
    batch, n, d_model, n_heads : int
        Sentences, tokens, size of an embedding, heads; d_k = d_v = d_model / n_heads.
    title : str, optional
        What to see.

    Raises
    ------
    ValueError
        If `n_heads` does not divide `d_model`.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2.

    Examples
    --------
    >>> picture = multi_head_shapes(batch=2, n=5, d_model=12, n_heads=3)
    >>> picture.description.split("; ")[3]
    'Q @ K.T: scores (batch, h, n, n keys) = (2, 3, 5, 5)'
    """
    if d_model % n_heads:
        raise ValueError(f"n_heads={n_heads} does not divide d_model={d_model}")
    if title is None:
        title = _("Split into heads ({n_heads}), attend, merge: the shape comes back").format(n_heads=n_heads)
    d = d_model // n_heads
    sentences = {_("batch"): batch}
    whole = {**sentences, "n": n}
    heads = {**sentences, "h": n_heads, "n": n}
    arrays: list[tuple[str, str, Mapping[str, int], int]] = [  # step to it, name, sizes, heads in its columns
        ("", "X", {**whole, "d_model": d_model}, 1),
        (_("@ W_Q\n(K, V alike)"), "Q", {**whole, "h·d_k": d_model}, n_heads),
        (_("split"), _("Q of the heads"), {**heads, "d_k": d}, 1),
        ("Q @ K.T", _("scores"), {**heads, _("n keys"): n}, 1),
        (_("softmax,\n@ V"), _("outputs of the heads"), {**heads, "d_v": d}, 1),
        (_("merge"), _("side by side"), {**whole, "h·d_v": d_model}, n_heads),
        ("@ W_O", _("output"), {**whole, "d_model": d_model}, 1),
    ]
    unit = LONGEST / max(n, d_model)  # inches for each entry of a side
    below = min(batch, MOST_SHOWN)
    boxes = []
    for step, name, sizes, parts in arrays:
        *_leading, rows, columns = sizes.values()
        behind = min(sizes.get("h", 1), MOST_SHOWN)
        boxes.append(Box(step, name, sizes, unit * columns, unit * rows, behind, below, parts))

    lines = _in_lines(boxes)
    width = max(sum(box.slot + box.arrow for box in line) for line in lines) + 0.2
    heading = wrapped(title, width - 0.2, 12)
    heights = [max(0.6, *(box.full_height for box in line)) + BELOW + 0.2 for line in lines]
    height = sum(heights) + LINE * lines_of([heading]) + 0.25
    with new_picture(width, height) as picture:
        picture.set_layout_engine("none")  # places are in inches
        picture.suptitle(heading, fontsize=12, y=1 - 0.1 / height, va="top")
        axes = picture.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, width), ylim=(0, height))
        axes.set_axis_off()
        for i, line in enumerate(lines):
            _draw_line(axes, line, foot=sum(heights[i + 1 :]) + BELOW)
    tensors = []
    for box in boxes:
        names, numbers = box.shape
        tensor = f"{box.name} {names} = {numbers}"
        tensors.append(f"{' '.join(box.step.split())}: {tensor}" if box.step else tensor)
    picture.description = in_sentences(title, ["; ".join(tensors) + "."])
    return picture


def _in_lines(boxes: Sequence[Box]) -> list[list[Box]]:
    """Fill lines of the paper from left to right; an arrow stands before its box."""
    lines: list[list[Box]] = [[]]
    for box in boxes:
        if sum(other.slot + other.arrow for other in [*lines[-1], box]) > WIDEST:
            lines.append([])
        lines[-1].append(box)
    return lines


def _draw_line(axes: Axes, line: Sequence[Box], foot: float) -> None:
    x = 0.1
    middle = foot + max(box.full_height for box in line) / 2
    for box in line:
        if box.step:
            style = {"arrowstyle": "-|>", "color": COLOURS[0], "linewidth": 1.5}
            axes.annotate("", (x + box.arrow - 0.08, middle), (x + 0.08, middle), arrowprops=style)
            axes.text(x + box.arrow / 2, middle + 0.08, box.step, ha="center", va="bottom", fontsize=9)
            x += box.arrow
        _draw_box(axes, box, x + (box.slot - box.full_width) / 2 + 0.1, middle - box.full_height / 2)
        axes.text(x + box.slot / 2, foot - LINE - 0.1, box.words, ha="center", va="top", fontsize=9, linespacing=1.35)
        x += box.slot


def _draw_box(axes: Axes, box: Box, x: float, y: float) -> None:
    """Draw the boxes of an array, the nearest last, and write the sizes on the sides of the nearest."""
    high = box.height + OFFSET * (box.behind - 1) + GAP
    for below, behind in product(range(box.below), reversed(range(box.behind))):
        left, bottom = x + OFFSET * behind, y + high * below + OFFSET * behind
        _add_rectangle(axes, left, bottom, box.width, box.height, "white", look(behind).colour)
        if box.behind > 1:
            _tint(axes, left, bottom, box.width, box.height, behind)
        if box.parts > 1:
            for part in range(box.parts):
                width = box.width / box.parts
                _tint(axes, left + width * part, bottom, width, box.height, part)
        if behind == 0:
            _rule(axes, left, bottom, box)
    *_leading, (row_name, rows), (column_name, columns) = box.sizes.items()
    side: dict[str, Any] = {"fontsize": 9, "color": GREY}
    text = f"{row_name} = {rows}"
    if text_width(text) < box.full_height + 0.2:
        axes.text(x - 0.05, y + box.height / 2, text, ha="right", va="center", rotation=90, **side)
    else:
        axes.text(x - 0.05, y + box.height / 2, str(rows), ha="right", va="center", **side)
    axes.text(x + box.width / 2, y - 0.04, f"{column_name} = {columns}", ha="center", va="top", **side)


def _add_rectangle(axes: Axes, x: float, y: float, width: float, height: float, face: Any, edge: str) -> None:
    axes.add_patch(Rectangle((x, y), width, height, facecolor=face, edgecolor=edge, linewidth=1.4))


def _tint(axes: Axes, x: float, y: float, width: float, height: float, head: int) -> None:
    """Colour what belongs to one head, with its edge, so that it can be told apart without colour too."""
    colour = look(head).colour
    _add_rectangle(axes, x, y, width, height, to_rgba(colour, 0.18), colour)


def _rule(axes: Axes, x: float, y: float, box: Box) -> None:
    """Rule a box into its entries, if they are few enough to be counted."""
    *_leading, rows, columns = box.sizes.values()
    style: dict[str, Any] = {"colors": COLOURS[0], "linewidth": 0.4, "alpha": 0.5}
    if columns <= MOST_LINES:
        axes.vlines([x + box.width * i / columns for i in range(1, columns)], y, y + box.height, **style)
    if rows <= MOST_LINES:
        axes.hlines([y + box.height * i / rows for i in range(1, rows)], x, x + box.width, **style)
