"""Pictures of how things hang together: the chain of attention, an encoder and its decoder, a calculation and back."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from .lettering import LINE, lines_of, wrapped
from .picture import COLOURS, Picture, as_sentence, hangul_fonts, new_picture

CHAIN = {
    "title": "From embeddings to output, and the notebook for each arrow",
    "X": "X",
    "Q": "Q",
    "K": "K",
    "V": "V",
    "scores": "scores",
    "scaled": "scaled\nscores",
    "masked": "masked\nscores",
    "weights": "weights",
    "output": "output",
    "to Q": "W_Q · 01",
    "to K": "W_K · 01",
    "to V": "W_V · 01",
    "product": "Q @ K.T\n01",
    "scale": "÷ √d_k\n02",
    "mask": "mask\n03",
    "softmax": "softmax\n01, 02",
    "value": "weights @ V\n01",
    "other": "K, V from another sequence: 04   K, V kept from token to token: 06",
    "several": "several such chains (heads), joined by one more matrix, W_O: 05",
}
BOX = 0.03  # about half the width of a box of the chain
BLOCKS = {
    "title": "The decoder's cross-attention is where the two sentences meet",
    "encoder": "encoder: reads the source once",
    "decoder": "decoder: writes the target word by word",
    "self": "self-attention\nQ, K, V from the source",
    "feed": "feed-forward",
    "own": "self-attention\nQ, K, V from the target",
    "cross": "cross-attention\nQ made from the target\nK, V made here from the source",
    "next": "next word: {word}",
    "vectors": "vectors of\nthe source",
}
MESSAGES = {
    "there": "calculated →",
    "back": "← how the loss changes",
    "gradient": "d_{name}",
    "comma": ",  ",
    "step": "{name}: {forward}; back: {backward}.",
    "last": "{name}: {forward}.",
    "blocks": (
        "Where queries, keys and values come from in an encoder-decoder. Left, from bottom to top, the encoder: "
        "source words, self-attention with Q, K and V from the source, feed-forward. Right, the decoder: target words "
        "so far, self-attention, cross-attention, feed-forward, the next word. One arrow joins the two sides: the "
        "encoder's result, the vectors of the source, goes into the decoder's cross-attention, which makes K and V of "
        "it, and Q of what comes up from the decoder itself."
    ),
    "chain": (
        "The chain of attention, left to right. X times W_Q, W_K and W_V gives Q, K and V (notebook 01). "
        "Q times K transposed gives the scores (01); divided by the square root of d_k, the scaled scores (02); "
        "with −∞ where the mask forbids, the masked scores (03); softmax of each row, the weights (01, 02). "
        "Weights times V gives the output (01). Where K and V come from another sequence it is cross-attention (04); "
        "several chains side by side, joined by W_O, are the heads (05); K and V kept from token to token are the "
        "cache (06)."
    ),
    "sizes": " Rows and columns: X {X}; Q {Q}; K {K}; V {V}; scores and weights {scores}; output {output}.",
}


def chain(n: int = 0, d_k: int = 0, d_v: int = 0) -> Picture:
    """Draw the whole calculation, X to output, with the notebook that treats each arrow.

    Parameters
    ----------
    n, d_k, d_v : int, optional
        Tokens, numbers of a key, numbers of a value: with them, each box says how many rows and columns it has.

    Returns
    -------
    Picture

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, figure 2, drawn from left to right.
    """
    top, level, middle, bottom = 0.84, 0.67, 0.5, 0.16
    fork, join = 0.11, 0.285  # where the ways of X part, and where queries meet keys
    boxes = {
        "X": (0.045, middle),
        "Q": (0.22, top),
        "K": (0.22, middle),
        "V": (0.22, bottom),
        "scores": (0.41, level),
        "scaled": (0.56, level),
        "masked": (0.71, level),
        "weights": (0.86, level),
        "output": (0.96, bottom),
    }
    pairs, queries, values = f"{n} × {n}", f"{n} × {d_k}", f"{n} × {d_v}"
    sizes = {"X": f"{n} × d_model", "Q": queries, "K": queries, "V": values, "output": values}
    sizes |= dict.fromkeys(("scores", "scaled", "masked", "weights"), pairs)
    labels = {name: CHAIN[name] + (f"\n{sizes[name]}" if n else "") for name in boxes}
    corner = (boxes["output"][0], level)
    # (start, end, label over the line): a box or a bare corner; an arrow where the end is a box
    ways: list[tuple[Any, Any, str]] = [
        ("X", (fork, middle), ""),
        ((fork, bottom), (fork, top), ""),
        ((fork, top), "Q", "to Q"),
        ((fork, middle), "K", "to K"),
        ((fork, bottom), "V", "to V"),
        ("Q", (join, top), ""),
        ("K", (join, middle), ""),
        ((join, middle), (join, top), ""),
        ((join, level), "scores", "product"),
        ("scores", "scaled", "scale"),
        ("scaled", "masked", "mask"),
        ("masked", "weights", "softmax"),
        ("weights", corner, ""),
        (corner, "output", ""),
        ("V", "output", ""),
    ]
    with hangul_fonts():
        picture = new_picture((10.5, 3.4))
        axes = picture.add_subplot()
        style = {"boxstyle": "round,pad=0.45", "edgecolor": COLOURS[0], "linewidth": 1.3, "facecolor": "white"}
        drawn = {
            name: axes.text(x, y, labels[name], ha="center", va="center", fontsize=10, bbox=style, zorder=3)
            for name, (x, y) in boxes.items()
        }
        for start, end, label in ways:
            (x0, y0), (x1, y1) = boxes.get(start, start), boxes.get(end, end)
            if end in boxes:  # to the edge of the box, however large its words make it
                from_box = {"patchA": drawn[start].get_bbox_patch()} if start in boxes else {"shrinkA": 0}
                _arrow(axes, (x0, y0), (x1, y1), patchB=drawn[end].get_bbox_patch(), **from_box)
            else:
                axes.plot([x0, x1], [y0, y1], color=COLOURS[0], linewidth=1.5, solid_capstyle="round")
            left = x0 + (BOX if start in boxes else 0)
            if label:
                axes.text((left + x1 - BOX) / 2, y0 + 0.03, CHAIN[label], ha="center", va="bottom", fontsize=9)
        axes.text(corner[0] - 0.01, (level + bottom) / 2, CHAIN["value"], ha="right", va="center", fontsize=9)
        axes.text(0.0, bottom - 0.2, CHAIN["other"], fontsize=9)
        axes.text(1.0, bottom - 0.2, CHAIN["several"], fontsize=9, ha="right")
        axes.set(xlim=(0, 1), ylim=(-0.06, 1), title=CHAIN["title"])
        axes.title.set_fontsize(11)
        axes.set_axis_off()
    sized = MESSAGES["sizes"].format(**sizes) if n else ""
    picture.description = MESSAGES["chain"] + sized
    return picture


def encoder_decoder(source: str, target: str, next_word: str) -> Picture:
    """Draw one layer of an encoder and of a decoder, and the one place where they meet.

    Parameters
    ----------
    source, target, next_word : str
        The sentence read, the words written so far, and the word to be found.

    Returns
    -------
    Picture

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, figure 1; skip connections and norms are left out.
    """
    left, right = 0.25, 0.75
    encoder = [(0.06, source), (0.28, BLOCKS["self"]), (0.64, BLOCKS["feed"])]
    decoder = [
        (0.06, target),
        (0.28, BLOCKS["own"]),
        (0.51, BLOCKS["cross"]),
        (0.74, BLOCKS["feed"]),
        (0.94, BLOCKS["next"].format(word=next_word)),
    ]
    with hangul_fonts():
        picture = new_picture((8.4, 4.8))
        axes = picture.add_subplot()
        drawn = {}
        for x, blocks in [(left, encoder), (right, decoder)]:
            for y, words in blocks:
                width = 2.5 if words == BLOCKS["cross"] else 1
                box = {"boxstyle": "round,pad=0.5", "edgecolor": COLOURS[0], "linewidth": width, "facecolor": "white"}
                text = axes.text(x, y, wrapped(words, 3.6, 9), ha="center", va="center", fontsize=9, bbox=box, zorder=3)
                drawn[x, y] = text.get_bbox_patch()
            for (below, _), (above, _) in pairwise(blocks):
                _arrow(axes, (x, below), (x, above), patchA=drawn[x, below], patchB=drawn[x, above])
        axes.plot([left, left, 0.47], [0.64, 0.86, 0.86], color=COLOURS[0], linewidth=1.5)
        axes.plot([0.47, 0.47], [0.86, 0.51], color=COLOURS[0], linewidth=1.5)
        _arrow(axes, (0.47, 0.51), (right, 0.51), patchB=drawn[right, 0.51])
        axes.text(0.46, 0.69, BLOCKS["vectors"], ha="right", va="center", fontsize=9)
        axes.text(left, 1.05, BLOCKS["encoder"], ha="center", fontsize=10)
        axes.text(right, 1.05, BLOCKS["decoder"], ha="center", fontsize=10)
        axes.set(xlim=(0, 1), ylim=(0, 1.1), title=BLOCKS["title"])
        axes.title.set_fontsize(11)
        axes.set_axis_off()
    picture.description = MESSAGES["blocks"]
    return picture


def there_and_back(steps: Mapping[str, tuple[ArrayLike, ArrayLike | None]], *, title: str) -> Picture:
    """Draw a calculation from left to right, and under each step how the loss changes with it.

    Parameters
    ----------
    steps : mapping of str to (values, gradient)
        What each step is called, its numbers, and the gradient of the loss with respect to them, of the same
        number of entries; None for the loss itself, the last.
    title : str
        What to see.

    Returns
    -------
    Picture

    Examples
    --------
    >>> picture = there_and_back({"x": ([3], [6]), "loss": ([9], None)}, title="x squared")
    >>> picture.description
    'x squared. x: 3; back: 6. loss: 9.'
    """
    forward = {name: _listed(values) for name, (values, _) in steps.items()}
    back = {name: _listed(slopes) for name, (_, slopes) in steps.items() if slopes is not None}
    column = 1.9  # inches
    width = column * len(steps) + 0.6
    heading = wrapped(title, width, 11)
    names = {name: wrapped(name, column - 0.5, 10) for name in steps}
    under = {name: wrapped(MESSAGES["gradient"].format(name=name.replace(" ", "_")), column - 0.5, 10) for name in back}
    height = 2.6 + LINE * (lines_of([heading]) + lines_of(list(names.values())) + lines_of(list(under.values())))
    with hangul_fonts():
        picture = new_picture((width, height))
        axes = picture.add_subplot()
        for i, name in enumerate(steps):
            _box(axes, (i, 1), f"{names[name]}\n{forward[name]}", COLOURS[0])
            if name in back:
                _box(axes, (i, 0), f"{under[name]}\n{back[name]}", COLOURS[1])
        for i in range(len(steps) - 1):
            _arrow(axes, (i + 0.36, 1), (i + 0.64, 1))
            if i + 1 < len(back):
                _arrow(axes, (i + 0.64, 0), (i + 0.36, 0), color=COLOURS[1], linestyle="--")
        if len(back) < len(steps):
            _arrow(axes, (len(steps) - 1, 0.72), (len(back) - 0.64, 0.05), color=COLOURS[1], linestyle="--")
        axes.text(-0.4, 1.42, MESSAGES["there"], fontsize=10, color=COLOURS[0])
        axes.text(-0.4, -0.48, MESSAGES["back"], fontsize=10, color=COLOURS[1])
        axes.set(xlim=(-0.5, len(steps) - 0.5), ylim=(-0.6, 1.6))
        axes.set_title(heading, fontsize=11)
        axes.set_axis_off()
    told = [
        MESSAGES["step"].format(name=name, forward=values, backward=back[name])
        if name in back
        else MESSAGES["last"].format(name=name, forward=values)
        for name, values in forward.items()
    ]
    picture.description = " ".join([as_sentence(title), *told])
    return picture


def _listed(values: ArrayLike) -> str:
    return MESSAGES["comma"].join(_short(value) for value in np.ravel(values).tolist())


def _short(value: float) -> str:
    """At most three digits behind the point."""
    return f"{value:.3f}".rstrip("0").rstrip(".").replace("-", "−")


def _box(axes: Axes, place: tuple[float, float], text: str, colour: str) -> None:
    style = {"boxstyle": "round,pad=0.45", "edgecolor": colour, "linewidth": 1.3, "facecolor": "white"}
    axes.text(*place, text, ha="center", va="center", fontsize=10, bbox=style, zorder=3)


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], **between: Any) -> None:
    style = {"arrowstyle": "-|>", "color": COLOURS[0], "linewidth": 1.5, **between}
    axes.annotate("", end, start, arrowprops=style)
