"""Arrays as boxes whose sides are their sizes, from step to step through multi-head attention."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from .._words import _
from .picture import COLOURS, GREY, Picture, in_sentences, look, new_picture

LEFT = 0.45  # of a plane, to the left of its box; in lengths of the longest side
BEHIND = 0.1  # from a head to the next behind it, and between sentences; likewise


def multi_head_shapes(batch: int, n: int, d_model: int, n_heads: int) -> Picture:
    """Draw the shapes through which X goes in multi-head attention, from (batch, n, d_model) back to it.

    All boxes are on one scale. Heads stand behind each other, sentences below
    each other; columns that belong to a head have its colour.

    Parameters
    ----------
    batch, n, d_model, n_heads : int
        Sentences, tokens, size of an embedding, heads, a few of each; d_k = d_v = d_model / n_heads, and ValueError
        if that is no whole number.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2.

    Examples
    --------
    >>> picture = multi_head_shapes(batch=2, n=5, d_model=12, n_heads=3)
    >>> picture.description.split("; ")[3]
    'each head: Q @ K.T: scores (batch, h, n, n keys) = (2, 3, 5, 5)'
    """
    if d_model % n_heads:
        raise ValueError(f"n_heads={n_heads} does not divide d_model={d_model}")
    d = d_model // n_heads
    whole = {_("batch"): batch, "n": n}
    heads = {_("batch"): batch, "h": n_heads, "n": n}
    arrays: list[tuple[str, str, Mapping[str, int], int]] = [  # step to it, name, sizes of its axes, heads side by side
        ("", "X", {**whole, "d_model": d_model}, 1),
        (_("@ W_Q\n(K, V alike)"), "Q", {**whole, "h·d_k": d_model}, n_heads),
        (_("split"), _("Q of the heads"), {**heads, "d_k": d}, 1),
        (_("each head:\nQ @ K.T"), _("scores"), {**heads, _("n keys"): n}, 1),
        (_("/ √d_k,\nsoftmax"), _("weights"), {**heads, _("n keys"): n}, 1),
        ("@ V", _("outputs of the heads"), {**heads, "d_v": d}, 1),
        (_("merge"), _("side by side"), {**whole, "h·d_v": d_model}, n_heads),
        ("@ W_O", _("output"), {**whole, "d_model": d_model}, 1),
    ]
    longest = max(n, d_model)
    offset = BEHIND * longest
    high = n + offset * n_heads  # of one sentence, with the gap above it
    title = _("Split into heads ({n_heads}), attend, merge: the shape comes back").format(n_heads=n_heads)
    tensors = []
    with new_picture(10.5, 5.4, title) as picture:
        planes = picture.subplots(2, 4).ravel().tolist()
        for plane in planes:
            plane.set(
                xlim=(-LEFT * longest, 1.02 * longest), ylim=(-0.2, batch * high), aspect="equal", xticks=[], yticks=[]
            )
            plane.spines[:].set_visible(False)
        for plane, (step, name, sizes, side_by_side) in zip(planes, arrays):
            axes_text, sizes_text = f"({', '.join(sizes)})", f"({', '.join(map(str, sizes.values()))})"
            tensor = f"{name} {axes_text} = {sizes_text}"
            tensors.append(f"{' '.join(step.split())}: {tensor}" if step else tensor)
            for sentence in range(batch):
                _draw_boxes(plane, sizes, side_by_side, sentence * high, offset)
            *_leading, (row_name, rows), (column_name, columns) = sizes.items()
            side: dict[str, Any] = {"fontsize": 9, "color": GREY}
            plane.text(-0.05 * longest, rows / 2, f"{row_name} = {rows}", ha="right", va="center", rotation=90, **side)
            plane.text(columns / 2, -0.03 * longest, f"{column_name} = {columns}", ha="center", va="top", **side)
            middle = (LEFT + columns / 2 / longest) / (LEFT + 1.02)  # of the box, as a share of the plane
            plane.set_xlabel(f"{name}\n{axes_text}\n{sizes_text}", x=middle, fontsize=9, labelpad=18)
            if step:
                plane.set_ylabel(f"{step}\n━━▶", fontsize=9, rotation=0, ha="right", va="center", ma="center")
    picture.description = in_sentences(title, ["; ".join(tensors) + "."])
    return picture


def _draw_boxes(plane: Axes, sizes: Mapping[str, int], side_by_side: int, bottom: float, offset: float) -> None:
    """Draw the array of one sentence: its heads behind each other, the nearest last, or side by side."""
    *_leading, rows, columns = sizes.values()
    n_behind = sizes.get("h", 1)
    for behind in reversed(range(n_behind)):
        corner = offset * behind, bottom + offset * behind
        plane.add_patch(
            Rectangle(corner, columns, rows, facecolor="white", edgecolor=look(behind).colour, linewidth=1.4)
        )
        heads = range(side_by_side) if side_by_side > 1 else [behind] if n_behind > 1 else []
        for place, head in enumerate(heads):
            width, colour = columns / len(heads), look(head).colour
            start = corner[0] + width * place, corner[1]
            plane.add_patch(
                Rectangle(start, width, rows, facecolor=to_rgba(colour, 0.18), edgecolor=colour, linewidth=1.4)
            )
    ruled: dict[str, Any] = {"colors": COLOURS[0], "linewidth": 0.4, "alpha": 0.5}
    plane.vlines(range(1, columns), bottom, bottom + rows, **ruled)
    plane.hlines([bottom + i for i in range(1, rows)], 0, columns, **ruled)
