"""Beams from queries to the keys they read: between two sentences, or over one."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from numpy.typing import ArrayLike, NDArray

from .._numbers import number_text
from .._words import _
from .lettering import LINE, lines_of, text_width, wrapped
from .picture import COLOURS, GREY, Picture, in_sentences, new_picture

NARROWEST, GAP = 0.45, 0.3  # inches: a word with its weight, between words
FAN, LOOP, FOOT = 0.11, 0.17, 0.12  # inches: between beams at one word, half a loop, from a word to the end of a beam
SIDE = 1.1  # inches, for the names of the two lines
RISE = 2.6  # inches, between two sentences: beams that meet in one point of a low picture stand apart in a high one
THICKEST, THINNEST = 8.0, 0.9  # points, for weights of 1 and 0
PALEST = 0.6  # of the query's colour, in the weakest beam
BEAM_COLOURS = [*COLOURS, "#138a8a", "#b3123f", "#8a6a00"]  # of the first eight queries; further ones are dashed

Array = NDArray[np.float64]


class Beam(NamedTuple):
    """A query, a key and the weight between them, by position."""

    query: int
    key: int
    weight: float


def beams(
    weights: ArrayLike,
    queries: Sequence[str],
    keys: Sequence[str] | None = None,
    *,
    title: str,
    chosen: Sequence[int] | None = None,
    least: float = 0.05,
    query_line: str | None = None,
    key_line: str | None = None,
    caption: str = "",
) -> Picture:
    r"""Draw a beam from each query to each key that it reads, as thick as the weight is large.

    With `keys`, two sentences face each other: the one that asks below, the one
    that is read above. Without, beams rise from the words of one sentence and
    come down, with a tip, on others. Each query has its colour, and the weaker
    a beam, the paler. What is too weak to be drawn is counted under the picture.

    Parameters
    ----------
    weights : (n_queries, n_keys) array_like
        An attention map.
    queries, keys : sequence of str
        The words; ValueError if they do not fit the weights. No keys: queries and keys are one sentence.
    title : str
        What to see.
    chosen : sequence of int, optional
        Positions of the queries whose beams are drawn. Default: all. With one
        query every key that it reads carries its weight, with several each
        query its largest.
    least : float, optional
        The smallest weight that is drawn.
    query_line, key_line : str, optional
        What the two lines of words are. Default: queries and keys.
    caption : str, optional
        What the numbers are, where they are not weights. Default: what is not drawn.

    Examples
    --------
    >>> picture = beams([[0.9, 0.1], [0.04, 0.96]], ["먹었다", "치킨을"], ["ate", "chicken"], title="Who reads whom")
    >>> print(*picture.description.split(". "), sep="\n")
    Who reads whom
    먹었다 reads ate 0.90, chicken 0.10
    치킨을 reads chicken 0.96
    Not drawn: weights below 0.05 (1 of 4; the largest is 0.04).

    One query over its own sentence:

    >>> picture = beams(np.eye(3)[[1, 2, 0]], ["it", "was", "late"], title="it reads was", chosen=[0])
    """
    array, over_itself = np.asarray(weights, float), keys is None
    queries, keys = list(queries), list(queries if keys is None else keys)
    if array.shape != (len(queries), len(keys)):
        raise ValueError(f"weights has shape {array.shape} but there are {len(queries)} queries, {len(keys)} keys")
    asking = list(range(len(queries)) if chosen is None else chosen)
    drawn = [Beam(i, j, float(array[i, j])) for i in asking for j in np.flatnonzero(array[i] >= least).tolist()]
    caption = caption or _caption(array[asking], least)

    width = max(4.6, sum(_widths(queries)), sum(_widths(keys))) + 0.4
    places = _places(queries, width), _places(keys, width)
    lower, upper = _with_weights(queries, keys, array, asking, over_itself)
    lowest = _room(lower)
    if over_itself:
        side = 0.0
        longest = max((abs(float(places[0][beam.query] - places[1][beam.key])) for beam in drawn), default=0.0)
        top = rise = 0.25 + _height(longest)
        height = top + lowest
    else:
        side, top, rise = SIDE, RISE, RISE
        height = top + lowest + _room(upper)
    colours = {i: BEAM_COLOURS[turn % len(BEAM_COLOURS)] for turn, i in enumerate(asking)}
    dashed = asking[len(BEAM_COLOURS) :]
    with new_picture(width + side, height + 0.35, title, caption) as picture:
        axes = picture.add_subplot()
        axes.set(xlim=(0, width), ylim=(0, top))
        axes.set_axis_off()
        strongest = max((beam.weight for beam in drawn), default=1.0)
        for beam in drawn:
            path = _path(beam, drawn, places, rise, over_itself)  # (n_points, 2), inches
            colour = _paler(colours[beam.query], beam.weight / strongest)
            style = {"color": colour, "linestyle": "--" if beam.query in dashed else "-"}
            _draw_beam(axes, beam, path, style, "v" if over_itself else "^")
        _write(axes, lower, places[0], 0, "" if over_itself else query_line or _("queries"), colours)
        if not over_itself:
            _write(axes, upper, places[1], rise, key_line or _("keys"))
    picture.description = in_sentences(title, [*_beams_in_words(drawn, asking, queries, keys, least), caption])
    return picture


def _widths(words: Sequence[str]) -> list[float]:
    """Return the inches that each word takes in its line."""
    return [max(text_width(word, 11), NARROWEST) + GAP for word in words]


def _places(words: Sequence[str], width: float) -> Array:
    """Return where each word of a line stands, in inches: its middle, the line spread over the whole width."""
    sizes = np.array(_widths(words))
    sizes *= width / sizes.sum()
    return np.cumsum(sizes) - sizes / 2  # (n_words,)


def _room(words: Sequence[str]) -> float:
    return LINE * lines_of(words) + 0.15  # inches


def _with_weights(
    queries: list[str], keys: list[str], array: Array, asking: list[int], over_itself: bool
) -> tuple[list[str], list[str]]:
    """Return both lines of words, with the weight of every key under one query's, or the largest of each of several."""
    if len(asking) == 1:
        keys = [f"{key}\n{number_text(float(weight))}" for key, weight in zip(keys, array[asking[0]])]
        return (keys if over_itself else queries), keys
    largest = {i: number_text(float(array[i].max())) for i in asking}
    return [f"{word}\n{largest[i]}" if i in largest else word for i, word in enumerate(queries)], keys


def _paler(colour: str, share: float) -> tuple[float, float, float]:
    """Mix a colour with white: all of it where a beam is as strong as the strongest, `PALEST` of it where it is 0."""
    red, green, blue = (1 - (1 - part) * (PALEST + (1 - PALEST) * share) for part in to_rgb(colour))
    return red, green, blue


def _height(distance: float) -> float:
    """Return how high an arc rises over so many inches."""
    return 0.45 + 0.8 * distance**0.5 if distance else 0.4


def _draw_beam(axes: Axes, beam: Beam, path: Array, style: dict[str, Any], tip: str) -> None:
    width = THINNEST + (THICKEST - THINNEST) * beam.weight
    line = path[np.linalg.norm(path - path[-1], axis=1) > 0.04 + 0.07 * beam.weight]  # up to the tip
    strong = 2 + beam.weight  # lies over the weak
    axes.plot(*line.T, color="white", linewidth=width + 2, zorder=strong)
    axes.plot(*line.T, linewidth=width, zorder=strong, gid=f"{beam.query} {beam.key}", **style)
    axes.plot(*path[-1], tip, color=style["color"], markersize=6 + 8 * beam.weight, zorder=4)


def _path(beam: Beam, drawn: Sequence[Beam], places: tuple[Array, Array], rise: float, over_itself: bool) -> Array:
    """Return where a beam runs: straight up, or in an arc over the words between."""
    x0, x1 = float(places[0][beam.query]), float(places[1][beam.key])
    if over_itself and beam.query == beam.key:
        return _arc(x0 - LOOP, x1 + LOOP, _height(0))
    x0 += _aside(beam.key, [other.key for other in drawn if other.query == beam.query])
    x1 += _aside(beam.query, [other.query for other in drawn if other.key == beam.key])
    if over_itself:
        return _arc(x0, x1, _height(abs(x1 - x0)))
    return np.linspace([x0, 0.05], [x1, rise - 0.1], 200)


def _aside(end: int, ends: Sequence[int]) -> float:
    """Return how far from the middle of a word a beam meets it: beams fan out in the order of their other ends."""
    return (sorted(ends).index(end) - (len(ends) - 1) / 2) * min(FAN, 4 * FAN / len(ends))


def _arc(x0: float, x1: float, height: float) -> Array:
    angles = np.linspace(np.pi, 0, 200)
    return np.stack([(x0 + x1) / 2 + (x1 - x0) / 2 * np.cos(angles), FOOT + (height - FOOT) * np.sin(angles)], axis=1)


def _write(
    axes: Axes, words: Sequence[str], places: Array, y: float, name: str, colours: Mapping[int, str] | None = None
) -> None:
    """Write a line of words and its name: the lowest one hangs below its height, the others stand on theirs."""
    up, va = (1, "bottom") if y else (-1, "top")
    style: dict[str, Any] = dict(textcoords="offset points", va=va)
    for i, (word, x) in enumerate(zip(words, places)):
        colour = (colours or {}).get(i, "black")
        axes.annotate(word, (x, y), (0, 5 * up), fontsize=11, ha="center", color=colour, **style)
    if name:
        axes.annotate(wrapped(name, SIDE, 10), (0, y), (-4, 9 * up), fontsize=10, ha="right", color=GREY, **style)


def _caption(weights: Array, least: float) -> str:
    weak = weights[(weights > 0) & (weights < least)]
    if not weak.size:
        return _("Every weight is drawn.")
    sentence = _("Not drawn: weights below {least} ({n} of {total}; the largest is {largest:.3g}).")
    return sentence.format(least=number_text(least), n=weak.size, total=weights.size, largest=weak.max())


def _beams_in_words(
    drawn: Sequence[Beam], asking: Sequence[int], queries: Sequence[str], keys: Sequence[str], least: float
) -> list[str]:
    sentences = []
    for i in asking:
        read = sorted((beam for beam in drawn if beam.query == i), key=lambda beam: -round(beam.weight, 9))
        words = ", ".join(f"{keys[beam.key]} {number_text(beam.weight)}" for beam in read)
        sentence = _("{query} reads {keys}.") if read else _("{query} reads no word with {least} or more.")
        sentences.append(sentence.format(query=queries[i], keys=words, least=number_text(least)))
    return sentences
