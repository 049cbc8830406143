"""Pictures of how things hang together: an encoder and its decoder, a block, a cache, shared heads."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Rectangle

from .._words import _
from .lettering import wrapped
from .picture import COLOURS, Picture, in_sentences, new_picture


def encoder_decoder(source: str, target: str, next_word: str) -> Picture:
    """Draw one layer of an encoder and of a decoder, and the one place where they meet.

    Parameters
    ----------
    source, target, next_word : str
        The sentence read, the words written so far, and the word to be found.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, figure 1; only attention is drawn.
    """
    left, right, cross = 0.17, 0.78, 0.7  # where the encoder, the decoder and its cross-attention stand
    encoder = {0.08: source, 0.3: _("self-attention\nQ, K, V from the source")}
    decoder = {0.08: target, 0.3: _("self-attention\nQ, K, V from the target"), 0.485: "W_Q"}
    decoder |= {cross: "\n" + _("cross-attention") + "\n", 0.95: _("next word: {word}").format(word=next_word)}
    with new_picture(8.4, 4.8) as picture:
        axes = picture.add_subplot()
        for x, blocks in ((left, encoder), (right, decoder)):
            boxes = {y: _box(axes, (x, y), wrapped(words, 3), fontsize=11) for y, words in blocks.items()}
            for below, above in pairwise(blocks):
                _arrow(axes, (x, below), (x, above), patchA=boxes[below], patchB=boxes[above])
        boxes[cross].set_linewidth(2.5)
        for y, name in ((cross + 0.045, "K"), (cross - 0.045, "V")):
            matrix = _box(axes, (0.46, y), f"W_{name}", fontsize=11)
            _arrow(axes, (left, y), (0.46, y), shrinkA=0, patchB=matrix)
            _arrow(axes, (0.46, y), (right, y), patchA=matrix, patchB=boxes[cross])
            axes.text(0.58, y + 0.01, name, ha="center", va="bottom", fontsize=11)
        axes.plot([left, left], [max(encoder), cross + 0.045], color=COLOURS[0], linewidth=1.5)
        axes.text(right + 0.015, 0.57, "Q", va="center", fontsize=11)
        axes.text(left + 0.015, 0.48, _("vectors of\nthe source"), va="center", fontsize=11)
        axes.text(left, 1.08, _("encoder: reads the source once"), ha="center", fontsize=11)
        axes.text(right, 1.08, _("decoder: writes the target word by word"), ha="center", fontsize=11)
        _finish(axes, _("The decoder's cross-attention is where the two sentences meet"), (0, 1), (0, 1.14))
    picture.description = _(
        "Where queries, keys and values come from in an encoder-decoder. Left, from bottom to top, the encoder: "
        "source words, self-attention with Q, K and V from the source. Right, the decoder: target words so far, "
        "self-attention, cross-attention, the next word. The encoder's result, the vectors of the source, goes through "
        "W_K and W_V into the decoder's cross-attention, as K and V. What comes up from the decoder goes through W_Q, "
        "as Q."
    )
    return picture


def block() -> Picture:
    """Draw a pre-norm transformer block: two side paths, whose results are added to the rows.

    References
    ----------
    .. [1] Xiong et al., "On Layer Normalization in the Transformer Architecture", 2020, figure 1.
    """
    title = _("A block adds to the rows twice")
    ways = {1.5: _("attention:\nreads other words"), 4.75: _("feed-forward network:\neach word by itself")}
    with new_picture(8.8, 3) as picture:
        axes = picture.add_subplot()
        before, since = _box(axes, (-0.4, 0), _("rows"), fontsize=13), -0.4
        for x, words in ways.items():
            norm = _box(axes, (x - 1.15, 1), _("norm"), colour=COLOURS[1], fontsize=13)
            sublayer = _box(axes, (x + 0.6, 1), wrapped(words, 2.6, 13), fontsize=13)
            plus = _box(axes, (x + 1.1, 0), "+", fontsize=14)
            _arrow(axes, (since, 0), (x + 1.1, 0), patchA=before, patchB=plus, linewidth=4)
            _arrow(axes, (x - 1.15, 0), (x - 1.15, 1), patchB=norm)
            _arrow(axes, (x - 1.15, 1), (x + 0.6, 1), patchA=norm, patchB=sublayer)
            _arrow(axes, (x + 1.1, 1), (x + 1.1, 0), patchA=sublayer, patchB=plus)
            before, since = plus, x + 1.1
        end = _box(axes, (7.65, 0), _("new rows"), fontsize=13)
        _arrow(axes, (since, 0), (7.65, 0), patchA=before, patchB=end, linewidth=4)
        _finish(axes, title, (-1, 8.3), (-0.35, 1.45))
    ways_in_words = _(
        "The rows go straight through from left to right. On a first side path they go through attention, which "
        "reads other words, and the result is added. On a second side path they go through the feed-forward network, "
        "each word by itself, and the result is added."
    )
    picture.description = in_sentences(title, [ways_in_words, _("Each of them begins with a norm.")])
    return picture


def cached_steps(prompt: Sequence[str], written: Sequence[str], title: str) -> Picture:
    """Draw which words go through the layers for each written word, and which are kept from earlier steps."""
    words, sentences = [*prompt, *written], []
    parts = [  # what stands above these words, and the colours of their boxes, edges and letters
        (_("kept from earlier steps"), "white", COLOURS[1], "black"),
        (_("through the layers"), COLOURS[0], COLOURS[0], "white"),
    ]
    with new_picture(8.8, 0.85 * len(written) + 0.4) as picture:
        axes = picture.add_subplot()
        for step, word in enumerate(written):
            n_read = len(prompt) + step
            n_kept = n_read - 1 if step else 0
            for (above, fill, edge, ink), places in zip(parts, [range(n_kept), range(n_kept, n_read)]):
                for place in places:
                    axes.add_patch(Rectangle((place + 0.04, -step), 0.92, 0.52, facecolor=fill, edgecolor=edge))
                    axes.text(place + 0.5, 0.26 - step, words[place], ha="center", va="center", fontsize=12, color=ink)
                centre, label = (places.start + places.stop) / 2, above if places else ""
                axes.text(centre, 0.56 - step, label, ha="center", fontsize=11, color=edge)
            _arrow(axes, (n_read, 0.26 - step), (n_read + 0.45, 0.26 - step))
            axes.text(n_read + 0.5, 0.26 - step, word, va="center", fontsize=12)
            sentence = _("Through the layers for {word}: {words}.")
            sentences.append(sentence.format(word=word, words=", ".join(words[n_kept:n_read])))
        _finish(axes, title, (0, len(words) + 0.4), (0.95 - len(written), 0.85))
    picture.description = in_sentences(title, sentences)
    return picture


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
                box = _box(axes, (centre, 0), str(shared), colour=COLOURS[1])
                for query in range(shared * readers, (shared + 1) * readers):
                    above = _box(axes, (query, 1), str(query))
                    _arrow(axes, (query, 1), (centre, 0), patchA=above, patchB=box, linewidth=1)
            sentence = _("{name}: each of {shared} key/value heads is read by {readers} of {heads} query heads.")
            sentences.append(sentence.format(name=name, shared=n_shared, readers=readers, heads=n_heads))
            if place == 0:
                axes.text(-1, 1, _("queries"), ha="right", va="center", fontsize=11)
                axes.text(-1, 0, _("keys,\nvalues"), ha="right", va="center", fontsize=11)
            _finish(axes, name, (-0.7, n_heads - 0.3), (-0.35, 1.3))
    picture.description = " ".join(sentences)
    return picture


def _box(
    axes: Axes, place: tuple[float, float], text: str, *, colour: str = COLOURS[0], fontsize: int = 11
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
