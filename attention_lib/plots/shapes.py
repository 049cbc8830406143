"""Arrays as boxes whose sides are their sizes, from step to step."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from .lettering import LETTER, LINE, letters, lines_of, widest, wrapped
from .picture import COLOURS, GREY, Picture, as_sentence, hangul_fonts, new_picture

MESSAGES = {
    "shape": "({sizes})",
    "comma": ", ",
    "side": "{name} = {size}",
    "tensor": "{name} {names} = {numbers}",
    "step": "{step}: {tensor}",
    "between": "; ",
    "chain": "{tensors}.",
    "title": "Split into heads ({n_heads}), attend, merge: the shape comes back",
}
STEPS = {
    "X": "X",
    "queries": "Q",
    "Q": "Q of the heads",
    "scores": "scores",
    "heads": "outputs of the heads",
    "concat": "side by side",
    "output": "output",
    "project": "@ W_Q\n(K, V alike)",
    "split": "split",
    "attend": "Q @ K.T",
    "read": "softmax,\n@ V",
    "merge": "merge",
    "mix": "@ W_O",
}
SIZES = {"batch": "batch", "keys": "n keys"}  # the others are symbols
LONGEST, WIDEST = 1.3, 11.5  # inches: the longest side of a box, a line of boxes
OFFSET, GAP = 0.13, 0.14  # inches: from a head to the next behind it, from a sentence to the next below
MOST_SHOWN = 4  # boxes of one axis; a longer axis is cut, its size is written
MOST_LINES = 16  # entries of a side: more are not ruled

Sizes = Mapping[str, int]


class Box(NamedTuple):
    """One array on the paper, in inches: the front box, and how much the others take."""

    name: str
    sizes: Sizes
    width: float
    height: float
    behind: int  # boxes of the last leading axis, one behind the other
    below: int  # boxes of the axis before it, one below the other
    parts: int  # heads to which its columns belong

    @property
    def full_width(self) -> float:
        return self.width + OFFSET * (self.behind - 1)

    @property
    def full_height(self) -> float:
        return self.below * (self.height + OFFSET * (self.behind - 1)) + GAP * (self.below - 1)

    @property
    def slot(self) -> float:
        """The width taken together with the words below and the size beside it."""
        return max(self.full_width + 0.7, LETTER * widest(_shape_lines(self.name, self.sizes)) + 0.1)


def tensor_shapes(
    tensors: Sequence[tuple[str, Sizes]],
    steps: Sequence[str],
    *,
    title: str,
    parts: Mapping[str, int] | None = None,
    description: str | None = None,
) -> Picture:
    """Draw arrays as boxes, all to one scale, with an arrow and a word from each to the next.

    The last two axes are the sides of a box. Of the axes before them the last
    is drawn as boxes behind each other (heads), the one before as boxes below
    each other (a batch).

    Parameters
    ----------
    tensors : sequence of (name, sizes)
        `sizes` maps the name of each axis, in order, to its size; one to four axes.
    steps : sequence of str
        What leads from each array to the next: one fewer than arrays.
    title : str
        What to see.
    parts : mapping of str to int, optional
        Arrays whose columns belong to heads, by name, and to how many: their
        columns have the heads' colours.
    description : str, optional
        The picture in words. Default: title, and every array with its shape.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        If there is not one step between two arrays, or an array has more than four axes.

    Examples
    --------
    >>> Q, K = {"n": 5, "d_k": 4}, {"d_k": 4, "n": 5}
    >>> picture = tensor_shapes([("Q", Q), ("scores", {"n": 5, "n keys": 5})], ["@ K.T"], title="Scores: n by n")
    >>> picture.description
    'Scores: n by n. Q (n, d_k) = (5, 4); @ K.T: scores (n, n keys) = (5, 5).'
    """
    if len(steps) != len(tensors) - 1:
        raise ValueError(f"there are {len(tensors)} arrays but {len(steps)} steps; it needs {len(tensors) - 1}")
    boxes = _boxes(tensors, parts or {})
    arrows = ["", *steps]  # the arrow that leads to each box
    lines = _in_lines(boxes, arrows)
    width = max(sum(box.slot + _length(arrow) for box, arrow in line) for line in lines) + 0.2
    heading = wrapped(title, width, 12)
    top = LINE * lines_of([heading]) + 0.25
    heights = [max(max(box.full_height for box, _ in line), 0.6) + 4 * LINE + 0.3 for line in lines]
    with hangul_fonts():
        picture = new_picture((width, top + sum(heights)))
        picture.set_layout_engine("none")  # places are in inches
        picture.suptitle(heading, fontsize=12, y=1 - 0.1 / (top + sum(heights)), va="top")
        axes = picture.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, width), ylim=(0, top + sum(heights)))
        axes.set_axis_off()
        for i, line in enumerate(lines):
            _draw_line(axes, line, foot=sum(heights[i + 1 :]) + 4 * LINE + 0.1)
    picture.description = description or f"{as_sentence(title)} {_said(boxes, arrows)}"
    return picture


def multi_head_shapes(batch: int, n: int, d_model: int, n_heads: int, *, title: str | None = None) -> Picture:
    """Draw the shapes through which X goes in multi-head attention, from (batch, n, d_model) back to it.

    Parameters
    ----------
    batch, n, d_model, n_heads : int
        Sentences, tokens, size of an embedding, heads; d_k = d_v = d_model / n_heads.
    title : str, optional
        What to see.

    Returns
    -------
    Picture

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
    sentences = {SIZES["batch"]: batch}
    tensors = {
        "X": {**sentences, "n": n, "d_model": d_model},
        "queries": {**sentences, "n": n, "h·d_k": d_model},
        "Q": {**sentences, "h": n_heads, "n": n, "d_k": d},
        "scores": {**sentences, "h": n_heads, "n": n, SIZES["keys"]: n},
        "heads": {**sentences, "h": n_heads, "n": n, "d_v": d},
        "concat": {**sentences, "n": n, "h·d_v": d_model},
        "output": {**sentences, "n": n, "d_model": d_model},
    }
    steps = [STEPS[name] for name in ("project", "split", "attend", "read", "merge", "mix")]
    parts = {STEPS["queries"]: n_heads, STEPS["concat"]: n_heads}
    title = MESSAGES["title"].format(n_heads=n_heads) if title is None else title
    return tensor_shapes([(STEPS[name], sizes) for name, sizes in tensors.items()], steps, title=title, parts=parts)


def _boxes(tensors: Sequence[tuple[str, Sizes]], parts: Mapping[str, int]) -> list[Box]:
    longest = max(size for _, sizes in tensors for size in [*sizes.values()][-2:])
    unit = LONGEST / longest  # inches for each entry of a side
    boxes = []
    for name, sizes in tensors:
        below, behind, rows, columns = _four(name, list(sizes.values()))
        shown = min(behind, MOST_SHOWN), min(below, MOST_SHOWN)
        boxes.append(Box(name, sizes, unit * columns, unit * rows, *shown, parts.get(name, 1)))
    return boxes


def _four(name: str, sizes: list[int]) -> tuple[int, int, int, int]:
    """Return the sizes as boxes below, boxes behind, rows, columns; an array of three axes has its first one below."""
    if not 1 <= len(sizes) <= 4:
        raise ValueError(f"{name} has {len(sizes)} axes; it needs 1 to 4")
    *leading, rows, columns = [1] * (2 - len(sizes)) + sizes
    below, behind = [*leading, 1, 1][:2]
    return below, behind, rows, columns


def _in_lines(boxes: Sequence[Box], arrows: Sequence[str]) -> list[list[tuple[Box, str]]]:
    """Fill lines of the paper from left to right; an arrow stands before its box."""
    lines: list[list[tuple[Box, str]]] = [[]]
    taken = 0.0
    for box, arrow in zip(boxes, arrows):
        needed = box.slot + _length(arrow)
        if lines[-1] and taken + needed > WIDEST:
            lines.append([])
            taken = 0.0
        lines[-1].append((box, arrow))
        taken += needed
    return lines


def _length(arrow: str) -> float:
    return max(0.6, LETTER * widest([arrow]) + 0.25) if arrow else 0.0  # inches


def _draw_line(axes: Axes, line: Sequence[tuple[Box, str]], foot: float) -> None:
    x = 0.1
    middle = foot + max(box.full_height for box, _ in line) / 2
    for box, arrow in line:
        if arrow:
            length = _length(arrow)
            style = {"arrowstyle": "-|>", "color": COLOURS[0], "linewidth": 1.5}
            axes.annotate("", (x + length - 0.08, middle), (x + 0.08, middle), arrowprops=style)
            axes.text(x + length / 2, middle + 0.08, arrow, ha="center", va="bottom", fontsize=9)
            x += length
        _draw_box(axes, box, x + (box.slot - box.full_width) / 2 + 0.1, middle - box.full_height / 2)
        under = "\n".join(_shape_lines(box.name, box.sizes))
        axes.text(x + box.slot / 2, foot - LINE - 0.1, under, ha="center", va="top", fontsize=9, linespacing=1.35)
        x += box.slot


def _draw_box(axes: Axes, box: Box, x: float, y: float) -> None:
    """Draw the boxes of an array, the nearest last, and write the sizes on the sides of the nearest."""
    high = box.height + OFFSET * (box.behind - 1) + GAP
    for below, behind in product(range(box.below), reversed(range(box.behind))):
        corner = (x + OFFSET * behind, y + high * below + OFFSET * behind)
        colour = COLOURS[behind % len(COLOURS)] if box.behind > 1 else COLOURS[0]
        axes.add_patch(Rectangle(corner, box.width, box.height, facecolor="white", edgecolor=colour, linewidth=1.4))
        if box.behind > 1:
            _tint(axes, corner, box.width, box.height, behind)
        for part in range(box.parts if box.parts > 1 else 0):
            width = box.width / box.parts
            _tint(axes, (corner[0] + width * part, corner[1]), width, box.height, part)
        if behind == 0:
            _rule(axes, corner, box, colour)
    (*_, (row_name, rows), (column_name, columns)) = [("", 1), *box.sizes.items()]
    side: dict[str, Any] = {"fontsize": 9, "color": GREY}
    if row_name:
        written = MESSAGES["side"].format(name=row_name, size=rows)
        turned = LETTER * letters(written) < box.full_height + 0.2
        axes.text(x - 0.05, y + box.height / 2, written if turned else str(rows), rotation=90 if turned else 0,
                  ha="right", va="center", **side)  # fmt: skip
    written = MESSAGES["side"].format(name=column_name, size=columns)
    axes.text(x + box.width / 2, y - 0.04, written, ha="center", va="top", **side)


def _tint(axes: Axes, corner: tuple[float, float], width: float, height: float, head: int) -> None:
    """Colour what belongs to one head, with its edge, so that it can be told apart without colour too."""
    colour = COLOURS[head % len(COLOURS)]
    axes.add_patch(Rectangle(corner, width, height, facecolor=to_rgba(colour, 0.18), edgecolor=colour, linewidth=1.4))


def _rule(axes: Axes, corner: tuple[float, float], box: Box, colour: str) -> None:
    """Rule a box into its entries, if they are few enough to be counted."""
    rows, columns = [1, *box.sizes.values()][-2:]
    look: dict[str, Any] = {"colors": colour, "linewidth": 0.4, "alpha": 0.5}
    x, y = corner
    if columns <= MOST_LINES:
        axes.vlines([x + box.width * i / columns for i in range(1, columns)], y, y + box.height, **look)
    if rows <= MOST_LINES:
        axes.hlines([y + box.height * i / rows for i in range(1, rows)], x, x + box.width, **look)


def _shape_lines(name: str, sizes: Sizes) -> list[str]:
    return [name, *_shape(sizes)]


def _shape(sizes: Sizes) -> tuple[str, str]:
    names, numbers = MESSAGES["comma"].join(sizes), MESSAGES["comma"].join(map(str, sizes.values()))
    return MESSAGES["shape"].format(sizes=names), MESSAGES["shape"].format(sizes=numbers)


def _said(boxes: Sequence[Box], arrows: Sequence[str]) -> str:
    told = []
    for box, arrow in zip(boxes, arrows):
        names, numbers = _shape(box.sizes)
        tensor = MESSAGES["tensor"].format(name=box.name, names=names, numbers=numbers)
        told.append(MESSAGES["step"].format(step=" ".join(arrow.split()), tensor=tensor) if arrow else tensor)
    return MESSAGES["chain"].format(tensors=MESSAGES["between"].join(told))
