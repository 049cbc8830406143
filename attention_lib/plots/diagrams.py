"""Pictures of how things hang together: the chain of attention, an encoder and its decoder, a calculation and back."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch
from numpy.typing import ArrayLike

from .._words import _
from .lettering import LINE, lines_of, wrapped
from .picture import COLOURS, Picture, in_sentences, new_picture

BOX = 0.03  # about half the width of a box of the chain


def chain(n: int, d_k: int, d_v: int, *, whole: bool = True) -> Picture:
    """Draw the calculation, with the size of each box.

    Parameters
    ----------
    n, d_k, d_v : int
        Tokens, numbers of a key, numbers of a value.
    whole : bool, optional
        Draw X and the mask too. Without them the picture begins with Q, K and V.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, figure 2, drawn from left to right.
    """
    top, level, middle, bottom = 0.84, 0.67, 0.5, 0.16
    fork, join = 0.11, 0.285  # where the ways of X part, and where queries meet keys
    boxes = {  # place, words, number of columns
        "X": ((0.045, middle), "X", "d_model"),
        "Q": ((0.22, top), "Q", d_k),
        "K": ((0.22, middle), "K", d_k),
        "V": ((0.22, bottom), "V", d_v),
        "scores": ((0.41, level), _("scores"), n),
        "scaled": ((0.56, level), _("scaled\nscores"), n),
        "masked": ((0.71, level), _("masked\nscores"), n),
        "weights": ((0.86, level), _("weights"), n),
        "output": ((0.96, bottom), _("output"), d_v),
    }
    places = {name: place for name, (place, _words, _columns) in boxes.items()}
    sizes = {name: f"{n} × {columns}" for name, (_place, _words, columns) in boxes.items()}
    corner = (places["output"][0], level)
    # (start, end, label over the line): a box or a bare corner; an arrow where the end is a box
    ways: list[tuple[Any, Any, str]] = [
        ("Q", (join, top), ""),
        ("K", (join, middle), ""),
        ((join, middle), (join, top), ""),
        ((join, level), "scores", "Q @ K.T"),
        ("scores", "scaled", "÷ √d_k"),
        ("weights", corner, ""),
        (corner, "output", ""),
        ("V", "output", ""),
    ]
    if whole:
        ways += [
            ("X", (fork, middle), ""),
            ((fork, bottom), (fork, top), ""),
            ((fork, top), "Q", "W_Q"),
            ((fork, middle), "K", "W_K"),
            ((fork, bottom), "V", "W_V"),
            ("scaled", "masked", _("mask")),
            ("masked", "weights", _("softmax")),
        ]
    else:
        del boxes["X"], boxes["masked"]
        ways.append(("scaled", "weights", _("softmax")))
    left_edge = 0 if whole else 0.18
    with new_picture(10.5 * (1 - left_edge), 3.0) as picture:
        axes = picture.add_subplot()
        drawn = {name: _box(axes, place, f"{words}\n{sizes[name]}") for name, (place, words, _columns) in boxes.items()}
        for start, end, label in ways:
            (x0, y0), (x1, y1) = places.get(start, start), places.get(end, end)
            if end in boxes:  # to the edge of the box, however large its words make it
                from_box = {"patchA": drawn[start]} if start in boxes else {"shrinkA": 0}
                _arrow(axes, (x0, y0), (x1, y1), patchB=drawn[end], **from_box)
            else:
                axes.plot([x0, x1], [y0, y1], color=COLOURS[0], linewidth=1.5, solid_capstyle="round")
            left = x0 + (BOX if start in boxes else 0)
            axes.text((left + x1 - BOX) / 2, y0 + 0.03, label, ha="center", va="bottom", fontsize=9)
        middle_of_way = (level + bottom) / 2
        axes.text(corner[0] - 0.01, middle_of_way, _("weights @ V"), ha="right", va="center", fontsize=9)
        title = _("From embeddings to output") if whole else _("From queries, keys and values to output")
        _finish(axes, title, (left_edge, 1), (0.04, 0.96))
    description = _(
        "The chain of attention, left to right. Q times K transposed gives the scores. Dividing them by the square "
        "root of d_k gives the scaled scores. Softmax of each row gives the weights. Weights times V gives the output. "
        "Rows and columns: Q {Q}; K {K}; V {V}; scores and weights {scores}; output {output}."
    )
    if whole:
        description = _(
            "The chain of attention, left to right. X times W_Q, W_K and W_V gives Q, K and V. "
            "Q times K transposed gives the scores. Dividing them by the square root of d_k gives the scaled scores. "
            "Writing −∞ wherever the mask forbids a key gives the masked scores. Softmax of each row gives the "
            "weights. Weights times V gives the output. "
            "Rows and columns: X {X}; Q {Q}; K {K}; V {V}; scores and weights {scores}; output {output}."
        )
    picture.description = description.format(**sizes)
    return picture


def encoder_decoder(source: str, target: str, next_word: str) -> Picture:
    """Draw one layer of an encoder and of a decoder, and the one place where they meet.

    Parameters
    ----------
    source, target, next_word : str
        The sentence read, the words written so far, and the word to be found.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, figure 1; skip connections and norms are left out.
    """
    left, right, turn = 0.25, 0.75, 0.47  # where the encoder, the decoder and the way between them stand
    encoder_end, cross = 0.64, 0.51
    encoder = {
        0.06: source,
        0.28: _("self-attention\nQ, K, V from the source"),
        encoder_end: _("feed-forward"),
    }
    decoder = {
        0.06: target,
        0.28: _("self-attention\nQ, K, V from the target"),
        cross: _("cross-attention\nQ made from the target\nK, V made here from the source"),
        0.74: _("feed-forward"),
        0.94: _("next word: {word}").format(word=next_word),
    }
    with new_picture(8.4, 4.8) as picture:
        axes = picture.add_subplot()
        for x, blocks in ((left, encoder), (right, decoder)):
            boxes = {y: _box(axes, (x, y), wrapped(words, 3.2, 9), fontsize=9) for y, words in blocks.items()}
            for below, above in pairwise(blocks):
                _arrow(axes, (x, below), (x, above), patchA=boxes[below], patchB=boxes[above])
        boxes[cross].set_linewidth(2.5)
        axes.plot([left, left, turn], [encoder_end, 0.86, 0.86], color=COLOURS[0], linewidth=1.5)
        axes.plot([turn, turn], [0.86, cross], color=COLOURS[0], linewidth=1.5)
        _arrow(axes, (turn, cross), (right, cross), patchB=boxes[cross])
        axes.text(turn - 0.01, 0.69, _("vectors of\nthe source"), ha="right", va="center", fontsize=9)
        axes.text(left, 1.05, _("encoder: reads the source once"), ha="center", fontsize=10)
        axes.text(right, 1.05, _("decoder: writes the target word by word"), ha="center", fontsize=10)
        _finish(axes, _("The decoder's cross-attention is where the two sentences meet"), (0, 1), (0, 1.1))
    picture.description = _(
        "Where queries, keys and values come from in an encoder-decoder. Left, from bottom to top, the encoder: "
        "source words, self-attention with Q, K and V from the source, feed-forward. Right, the decoder: target words "
        "so far, self-attention, cross-attention, feed-forward, the next word. One arrow joins the two sides: the "
        "encoder's result, the vectors of the source, goes into the decoder's cross-attention, which makes K and V of "
        "it, and Q of what comes up from the decoder itself."
    )
    return picture


def block(*, with_post_norm: bool = False) -> Picture:
    """Draw a transformer block: two side paths, whose results are added to the rows.

    Parameters
    ----------
    with_post_norm : bool, optional
        Draw a post-norm block below it, part under part, so that only the norms have moved.

    References
    ----------
    .. [1] Xiong et al., "On Layer Normalization in the Transformer Architecture", 2020, figure 1.
    """
    with new_picture(8.4, 5.2 if with_post_norm else 2.7) as picture:
        if with_post_norm:
            title = _("In a post-norm block, the norms sit on the thick line")
            where = [
                _("In the pre-norm block, each of them begins with a norm."),
                _("In the post-norm block, each sum goes through a norm."),
            ]
            picture.suptitle(title, fontsize=12)
            planes = picture.subplots(2, 1)
            _draw_block(planes[0], _("pre-norm"), norm_first=True)
            _draw_block(planes[1], _("post-norm"), norm_first=False)
        else:
            title, where = _("A block adds to the rows twice"), [_("Each of them begins with a norm.")]
            _draw_block(picture.add_subplot(), title, norm_first=True)
    ways_in_words = _(
        "The rows go straight through from left to right. On a first side path they go through attention, which "
        "reads other words, and the result is added. On a second side path they go through the feed-forward network, "
        "each word by itself, and the result is added."
    )
    picture.description = in_sentences(title, [ways_in_words, *where])
    return picture


def _draw_block(axes: Axes, title: str, *, norm_first: bool) -> None:
    ways = {1.5: _("attention:\nreads other words"), 4.75: _("feed-forward network:\neach word by itself")}
    before, since = _box(axes, (-0.4, 0), _("rows"), fontsize=11), -0.4
    for x, words in ways.items():
        norm_place = (x - 0.95, 1) if norm_first else (x + 1.85, 0)
        norm = _box(axes, norm_place, _("norm"), colour=COLOURS[1], fontsize=11)
        sublayer = _box(axes, (x + 0.6, 1), wrapped(words, 2.6, 11), fontsize=11)
        plus = _box(axes, (x + 1.1, 0), "+", fontsize=14)
        _arrow(axes, (since, 0), (x + 1.1, 0), patchA=before, patchB=plus, linewidth=4)
        before, since = plus, x + 1.1
        if norm_first:
            _arrow(axes, (x - 0.95, 0), (x - 0.95, 1), patchB=norm)
            _arrow(axes, (x - 0.95, 1), (x + 0.6, 1), patchA=norm, patchB=sublayer)
        else:
            _arrow(axes, (x + 0.1, 0), (x + 0.1, 1), patchB=sublayer)
            _arrow(axes, (since, 0), (x + 1.85, 0), patchA=plus, patchB=norm, linewidth=4)
            before, since = norm, x + 1.85
        _arrow(axes, (x + 1.1, 1), (x + 1.1, 0), patchA=sublayer, patchB=plus)
    end = _box(axes, (7.65, 0), _("new rows"), fontsize=11)
    _arrow(axes, (since, 0), (7.65, 0), patchA=before, patchB=end, linewidth=4)
    _finish(axes, title, (-1, 8.3), (-0.35, 1.45))


def shared_heads(kinds: Mapping[str, int], n_heads: int) -> Picture:
    """Draw which query heads read which key/value head.

    Parameters
    ----------
    kinds : mapping of str to int
        What each way is called, and its number of key/value heads; each divides `n_heads`.
    n_heads : int
        The number of query heads.

    References
    ----------
    .. [1] Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints",
       2023, figure 2.

    Examples
    --------
    >>> shared_heads({"MHA": 4, "MQA": 1}, 4).description
    'MHA: each of 4 key/value heads is read by 1 of 4 query heads. MQA: each of 1 key/value heads is read by 4 of 4 \
query heads.'
    """
    sentences = []
    with new_picture(2.9 * len(kinds), 2.2) as picture:
        for place, (name, n_shared) in enumerate(kinds.items()):
            axes = picture.add_subplot(1, len(kinds), place + 1)
            readers = n_heads // n_shared
            for shared in range(n_shared):
                centre = shared * readers + (readers - 1) / 2
                box = _box(axes, (centre, 0), " ", colour=COLOURS[1], fontsize=8)
                for query in range(shared * readers, (shared + 1) * readers):
                    above = _box(axes, (query, 1), " ", fontsize=8)
                    _arrow(axes, (query, 1), (centre, 0), patchA=above, patchB=box, linewidth=1)
            sentence = _("{name}: each of {shared} key/value heads is read by {readers} of {heads} query heads.")
            sentences.append(sentence.format(name=name, shared=n_shared, readers=readers, heads=n_heads))
            if place == 0:
                axes.text(-1, 1, _("queries"), ha="right", va="center", fontsize=9)
                axes.text(-1, 0, _("keys,\nvalues"), ha="right", va="center", fontsize=9)
            _finish(axes, name, (-0.7, n_heads - 0.3), (-0.35, 1.3))
    picture.description = " ".join(sentences)
    return picture


def there_and_back(steps: Mapping[str, tuple[ArrayLike, ArrayLike | None, str]], *, title: str) -> Picture:
    """Draw a calculation from left to right, and under each step how the loss changes with it.

    Parameters
    ----------
    steps : mapping of str to (values, gradient, rule)
        What each step is called, its numbers, the gradient of the loss with respect to them, of the same
        number of entries, and how it is calculated; None and "" for the loss itself, the last.
    title : str
        What to see.

    Examples
    --------
    >>> picture = there_and_back({"x": ([3], [6], "2 · x"), "loss": ([9], None, "")}, title="x squared")
    >>> picture.description
    'x squared. x: 3; back: 6 = 2 · x. loss: 9.'
    """
    column = 1.7  # inches
    width = column * len(steps) + 0.2
    heading = wrapped(title, width - 0.2)
    names = [wrapped(name, column - 0.5, 10) for name in steps]
    under = [wrapped("d_" + name.replace(" ", "_"), column - 0.5, 10) for name in steps]
    rules = [wrapped(rule, column - 0.1, 10) for *_numbers, rule in steps.values()]
    height = 1.9 + LINE * sum(map(lines_of, ([heading], names, under, rules)))
    sentences = []
    with new_picture(width, height) as picture:
        axes = picture.add_subplot()
        for i, (name, (values, gradient, rule)) in enumerate(steps.items()):
            forward = _listed(values)
            _box(axes, (i, 1), f"{names[i]}\n{forward}")
            if i:
                _arrow(axes, (i - 0.64, 1), (i - 0.36, 1))
            if gradient is None:
                _arrow(axes, (i, 0.72), (i - 0.64, 0.05), color=COLOURS[1], linestyle="--")
                sentences.append(_("{name}: {forward}.").format(name=name, forward=forward))
                continue
            backward = _listed(gradient)
            _box(axes, (i, 0), f"{under[i]}\n{backward}", colour=COLOURS[1])
            if i:
                _arrow(axes, (i - 0.36, 0), (i - 0.64, 0), color=COLOURS[1], linestyle="--")
            axes.text(i, -0.42, f"= {rules[i]}", ha="center", va="top", fontsize=10, color=COLOURS[1])
            sentence = _("{name}: {forward}; back: {backward} = {rule}.")
            sentences.append(sentence.format(name=name, forward=forward, backward=backward, rule=rule))
        axes.text(-0.4, 1.42, _("calculated →"), fontsize=10, color=COLOURS[0])
        axes.text(len(steps) - 1.35, 0, _("← how the loss changes"), va="center", fontsize=10, color=COLOURS[1])
        _finish(axes, heading, (-0.5, len(steps) - 0.5), (-1, 1.6))
    picture.description = in_sentences(title, sentences)
    return picture


def _listed(values: ArrayLike) -> str:
    """Return numbers with at most three digits behind the point."""
    rounded = (f"{value:.3f}".rstrip("0").rstrip(".") for value in np.ravel(values).tolist())
    return ",  ".join(rounded).replace("-", "−")


def _box(
    axes: Axes, place: tuple[float, float], text: str, *, colour: str = COLOURS[0], fontsize: int = 10
) -> FancyBboxPatch:
    """Write words in a box, and return the box."""
    style = {"boxstyle": "round,pad=0.45", "edgecolor": colour, "linewidth": 1.3, "facecolor": "white"}
    box = axes.text(*place, text, ha="center", va="center", fontsize=fontsize, bbox=style, zorder=3).get_bbox_patch()
    assert box is not None  # matplotlib makes one for every text with a bbox
    return box


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], **between: Any) -> None:
    style = {"arrowstyle": "-|>", "color": COLOURS[0], "linewidth": 1.5, **between}
    axes.annotate("", end, start, arrowprops=style)


def _finish(axes: Axes, title: str, xlim: tuple[float, float], ylim: tuple[float, float]) -> None:
    axes.set(xlim=xlim, ylim=ylim)
    axes.set_title(title, fontsize=11)
    axes.set_axis_off()
