"""Arrays as boxes whose sides are their sizes, from step to step through multi-head attention."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from .._words import _
from .lettering import LINE, text_width
from .picture import COLOURS, GREY, Picture, in_sentences, look, new_picture

LONGEST, WIDEST = 1.3, 11.0  # inches: the longest side of a box, a line of boxes
OFFSET, GAP = 0.13, 0.14  # inches: from a head to the next behind it, from a sentence to the next below
MOST_SHOWN = 4  # heads or sentences; of more, the number is written
MOST_LINES = 16  # entries of a side: more are not ruled
BELOW = 4 * LINE + 0.1  # inches, for the words below the boxes of a line


class Box(NamedTuple):
    """One array on the paper, in inches."""

    step: str  # what leads to it
    words: str  # below it: its name, its axes, its sizes
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
    def arrow(self) -> float:
        """The length of the arrow that leads to it."""
        return max(0.6, text_width(self.step) + 0.25) if self.step else 0.0

    @property
    def slot(self) -> float:
        """The width taken together with the words below and the size beside it."""
        return max(self.full_width + 0.7, text_width(self.words) + 0.1)


def multi_head_shapes(batch: int, n: int, d_model: int, n_heads: int) -> Picture:
    """Draw the shapes through which X goes in multi-head attention, from (batch, n, d_model) back to it.

    All boxes are on one scale. Heads stand behind each other, sentences below
    each other; columns that belong to a head have its colour.

    Parameters
    ----------
    batch, n, d_model, n_heads : int
        Sentences, tokens, size of an embedding, heads; d_k = d_v = d_model / n_heads.

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
    d = d_model // n_heads
    whole = {_("batch"): batch, "n": n}
    heads = {_("batch"): batch, "h": n_heads, "n": n}
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
    lines: list[list[Box]] = [[]]
    tensors = []
    for step, name, sizes, parts in arrays:
        *_leading, rows, columns = sizes.values()
        axes_text, sizes_text = f"({', '.join(sizes)})", f"({', '.join(map(str, sizes.values()))})"
        behind, below = min(sizes.get("h", 1), MOST_SHOWN), min(batch, MOST_SHOWN)
        words = f"{name}\n{axes_text}\n{sizes_text}"
        box = Box(step, words, sizes, unit * columns, unit * rows, behind, below, parts)
        if sum(other.slot + other.arrow for other in [*lines[-1], box]) > WIDEST:
            lines.append([])
        lines[-1].append(box)
        tensor = f"{name} {axes_text} = {sizes_text}"
        tensors.append(f"{' '.join(step.split())}: {tensor}" if step else tensor)

    width = max(sum(box.slot + box.arrow for box in line) for line in lines) + 0.2
    heights = [max(0.6, *(box.full_height for box in line)) + BELOW + 0.2 for line in lines]
    title = _("Split into heads ({n_heads}), attend, merge: the shape comes back").format(n_heads=n_heads)
    with new_picture(width, sum(heights), title) as picture:
        picture.set_layout_engine("none")
        axes = picture.add_axes((0, 0, 1, sum(heights) / picture.get_figheight()))  # places in it are in inches
        axes.set(xlim=(0, width), ylim=(0, sum(heights)))
        axes.set_axis_off()
        for i, line in enumerate(lines):
            _draw_line(axes, line, foot=sum(heights[i + 1 :]) + BELOW)
    picture.description = in_sentences(title, ["; ".join(tensors) + "."])
    return picture


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
    *_leading, (row_name, rows), (column_name, columns) = box.sizes.items()
    high = box.height + OFFSET * (box.behind - 1) + GAP
    ruled: dict[str, Any] = {"colors": COLOURS[0], "linewidth": 0.4, "alpha": 0.5}
    for below, behind in product(range(box.below), reversed(range(box.behind))):
        left, bottom = x + OFFSET * behind, y + high * below + OFFSET * behind
        _add_rectangle(axes, left, bottom, box.width, box.height, "white", look(behind).colour)
        heads = [behind] if box.behind > 1 else range(box.parts) if box.parts > 1 else []
        for place, head in enumerate(heads):
            width, colour = box.width / len(heads), look(head).colour
            _add_rectangle(axes, left + width * place, bottom, width, box.height, to_rgba(colour, 0.18), colour)
        if behind == 0 and columns <= MOST_LINES:
            places = [left + box.width * i / columns for i in range(1, columns)]
            axes.vlines(places, bottom, bottom + box.height, **ruled)
        if behind == 0 and rows <= MOST_LINES:
            axes.hlines([bottom + box.height * i / rows for i in range(1, rows)], left, left + box.width, **ruled)
    side: dict[str, Any] = {"fontsize": 9, "color": GREY}
    text = f"{row_name} = {rows}"
    is_long = text_width(text) > box.full_height + 0.2
    text, rotation = (str(rows), 0) if is_long else (text, 90)
    axes.text(x - 0.05, y + box.height / 2, text, ha="right", va="center", rotation=rotation, **side)
    axes.text(x + box.width / 2, y - 0.04, f"{column_name} = {columns}", ha="center", va="top", **side)


def _add_rectangle(axes: Axes, x: float, y: float, width: float, height: float, face: Any, edge: str) -> None:
    axes.add_patch(Rectangle((x, y), width, height, facecolor=face, edgecolor=edge, linewidth=1.4))
