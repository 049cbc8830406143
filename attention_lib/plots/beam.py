"""Beams from queries to the keys they read: between two sentences, or over one."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from numpy.typing import ArrayLike, NDArray

from .._numbers import number_text
from .lettering import broken, letters, widest, wrapped
from .picture import COLOURS, GREY, Picture, as_sentence, hangul_fonts, new_picture

MESSAGES = {
    "queries": "queries",
    "keys": "keys",
    "before": "before",
    "word": "{word}\n{weight}",
    "all": "Every weight is drawn.",
    "weak": "Not drawn: weights below {least} ({n} of {total}; the largest is {largest}).",
    "reads": "{query} reads {keys}.",
    "nothing": "{query} reads no word with {least} or more.",
    "key": "{key} {weight}",
    "comma": ", ",
}
WIDEST = 11.5  # inches: words of a longer sentence stand upright
LETTER, GAP, UPRIGHT = 0.115, 0.3, 0.42  # inches: a letter, between words, a word that stands upright
FAN, LOOP, FOOT = 0.11, 0.17, 0.12  # inches: between beams at one word, half a loop, from a word to the end of a beam
SIDE = 0.9  # inches, for the names of the two lines
RISE = 2.6  # inches, between two sentences: beams that meet in one point of a low picture stand apart in a high one
MOVE = 0.65  # inches, from a key's word to where it stood before
THICKEST, THINNEST = 8.0, 0.9  # points, for weights of 1 and 0
PALEST = 0.6  # of the query's colour, in the weakest beam
BEAM_COLOURS = [*COLOURS, "#138a8a", "#b3123f", "#8a6a00"]  # of the first eight queries; further ones are dashed


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
    came_from: Sequence[int] | None = None,
    description: str | None = None,
) -> Picture:
    r"""Draw a beam from each query to each key that it reads, as thick as the weight is large.

    With `keys`, two sentences face each other: the one that asks below, the one
    that is read above. Without, beams rise from the words of one sentence and
    come down, with a tip, on others. Each query has its colour, and the weaker
    a beam, the paler.
    What is too weak to be drawn is counted under the picture.

    Parameters
    ----------
    weights : (n_queries, n_keys) array_like
        An attention map.
    queries, keys : sequence of str
        The words. No keys: queries and keys are one sentence.
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
    came_from : sequence of int, optional
        Of two sentences: where each key stood before, which is drawn above, with a thin line from place to place.
    description : str, optional
        The picture in words. Default: for each query the keys it reads.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        If the words do not fit the weights.

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
    words = list(queries), list(queries if keys is None else keys)
    if array.shape != (len(words[0]), len(words[1])):
        raise ValueError(f"weights has shape {array.shape} but there are {len(words[0])} queries, {len(words[1])} keys")
    asking = list(range(len(words[0]))) if chosen is None else list(chosen)
    drawn = [Beam(i, j, float(array[i, j])) for i in asking for j in np.flatnonzero(array[i] >= least).tolist()]
    caption = _caption(array[asking], least)
    upright = max(map(_length, words)) > WIDEST
    width = max(4.6, *((UPRIGHT * len(line) if upright else _length(line)) for line in words)) + 0.4
    places = [_places(line, width, upright) for line in words]
    written = _with_weights(words, array, asking, over_itself)
    with hangul_fonts():
        heading, below = wrapped(title, width, 12), wrapped(caption, width + SIDE * (not over_itself), 10)
        rise = _highest(drawn, *places) if over_itself else RISE
        rooms = [_room(line, upright) for line in (written[:1] if over_itself else written)]
        top = rise if came_from is None else rise + rooms[-1] + MOVE
        height = top + sum(rooms) + 0.75 + 0.2 * (heading + below).count("\n")
        picture = new_picture((width + SIDE * (not over_itself), height))
        picture.suptitle(heading, fontsize=12)
        picture.supxlabel(below, fontsize=10)
        axes = picture.add_subplot()
        axes.set(xlim=(0, width), ylim=(0, top))
        axes.set_axis_off()
        looks: dict[int, Any] = {i: _look(turn) for turn, i in enumerate(asking)}
        _draw_beams(axes, drawn, places, rise, over_itself, looks)
        _write(axes, written[0], places[0], 0, upright, {i: look["color"] for i, look in looks.items()})
        if not over_itself:
            _write(axes, written[1], places[1], rise, upright, {})
            sides = [(0, query_line, "queries"), (rise, key_line, "keys")]
            if came_from is not None:
                _write_before(axes, words[1], places[1], (rise + rooms[-1], top), list(came_from), width, upright)
                sides.append((top, None, "before"))
            for y, name, default in sides:
                said = broken(MESSAGES[default] if name is None else name, SIDE / LETTER)
                axes.annotate(said, (0, y), (-4, 9 if y else -9), textcoords="offset points", **_side(y))
    picture.description = description or " ".join([as_sentence(title), *_said(drawn, asking, words, least), caption])
    return picture


def _length(words: Sequence[str]) -> float:
    return sum(LETTER * max(letters(word), 4) + GAP for word in words)  # inches; four letters: room for a weight


def _places(words: Sequence[str], width: float, upright: bool) -> NDArray[Any]:
    """Return where each word of a line stands, in inches: its middle, the line spread over the whole width."""
    sizes = np.array([UPRIGHT if upright else LETTER * max(letters(word), 4) + GAP for word in words])
    sizes *= width / sizes.sum()
    return np.cumsum(sizes) - sizes / 2  # (n_words,)


def _room(words: Sequence[str], upright: bool) -> float:
    lines = 1 + max(word.count("\n") for word in words)
    return LETTER * widest(words) + 0.2 if upright else 0.2 * lines + 0.15


def _with_weights(words: tuple[list[str], list[str]], array: Any, asking: list[int], over_itself: bool) -> Any:
    """Put numbers under words: for one query the weight of every key, for several each one's largest."""
    queries, keys = (list(line) for line in words)
    if len(asking) == 1:
        weights = array[asking[0]]
        keys = [_numbered(key, weight) for key, weight in zip(keys, weights)]
        return (keys if over_itself else queries), keys
    for i in asking:
        queries[i] = _numbered(queries[i], array[i].max(initial=0))
    return queries, keys


def _numbered(word: str, weight: float) -> str:
    return MESSAGES["word"].format(word=word, weight=number_text(float(weight)))


def _look(turn: int) -> dict[str, Any]:
    again, colour = divmod(turn, len(BEAM_COLOURS))
    return {"color": BEAM_COLOURS[colour], "linestyle": "--" if again else "-"}


def _paler(colour: str, share: float) -> tuple[float, float, float]:
    """Mix a colour with white: all of it where a beam is as strong as the strongest, `PALEST` of it where it is 0."""
    red, green, blue = (1 - (1 - each) * (PALEST + (1 - PALEST) * share) for each in to_rgb(colour))
    return red, green, blue


def _highest(drawn: Sequence[Beam], starts: NDArray[Any], ends: NDArray[Any]) -> float:
    return 0.25 + max((_rise(float(abs(starts[b.query] - ends[b.key]))) for b in drawn), default=0.5)


def _rise(distance: float) -> float:
    return 0.45 + 0.8 * float(np.sqrt(distance)) if distance else 0.4  # inches


def _draw_beams(
    axes: Axes, drawn: Sequence[Beam], places: Sequence[NDArray[Any]], rise: float, over_itself: bool, looks: Any
) -> None:
    strongest = max((beam.weight for beam in drawn), default=1.0)
    for beam in drawn:
        look = {**looks[beam.query], "color": _paler(looks[beam.query]["color"], beam.weight / strongest)}
        path = _path(beam, drawn, places, rise, over_itself)  # (n_points, 2), inches
        width = THINNEST + (THICKEST - THINNEST) * beam.weight
        strong = 2 + beam.weight  # lies over the weak
        to_tip = np.linalg.norm(path - path[-1], axis=1)
        line = path[to_tip > 0.04 + 0.07 * beam.weight]
        axes.plot(*line.T, color="white", linewidth=width + 2, zorder=strong)
        (drawn_line,) = axes.plot(*line.T, linewidth=width, zorder=strong, **look)
        drawn_line.set_gid(f"{beam.query} {beam.key}")
        tip = "v" if over_itself else "^"
        axes.plot(*path[-1], tip, color=look["color"], markersize=6 + 8 * beam.weight, zorder=4)


def _path(beam: Beam, drawn: Sequence[Beam], places: Any, rise: float, over_itself: bool) -> NDArray[Any]:
    """Return where a beam runs: straight up, or in an arc over the words between."""
    x0, x1 = float(places[0][beam.query]), float(places[1][beam.key])
    if over_itself and beam.query == beam.key:
        return _arc(x0 - LOOP, x1 + LOOP, _rise(0))
    x0 += _aside(beam.key, [(b.key, places[1][b.key]) for b in drawn if b.query == beam.query])
    x1 += _aside(beam.query, [(b.query, places[0][b.query]) for b in drawn if b.key == beam.key])
    if over_itself:
        return _arc(x0, x1, _rise(abs(x1 - x0)))
    return np.linspace([x0, 0.05], [x1, rise - 0.1], 200)


def _aside(end: int, ends: Sequence[tuple[int, float]]) -> float:
    """Return how far from the middle of a word a beam meets it: beams fan out in the order of their other ends."""
    order = [word for word, _ in sorted(ends, key=lambda e: e[1])]
    return (order.index(end) - (len(order) - 1) / 2) * min(FAN, 4 * FAN / len(order))


def _arc(x0: float, x1: float, height: float) -> NDArray[Any]:
    angles = np.linspace(np.pi, 0, 200)
    return np.stack([(x0 + x1) / 2 + (x1 - x0) / 2 * np.cos(angles), FOOT + (height - FOOT) * np.sin(angles)], axis=1)


def _write(axes: Axes, words: Sequence[str], places: Any, y: float, upright: bool, colours: dict[int, str]) -> None:
    for i, (word, x) in enumerate(zip(words, places)):
        look: dict[str, Any] = {"rotation": 90 if upright else 0, "fontsize": 11, "color": colours.get(i, "black")}
        axes.annotate(
            word.replace("\n", "  ") if upright else word,
            (x, y), (0, 5 if y else -5), textcoords="offset points",
            ha="center", va="bottom" if y else "top", **look,
        )  # fmt: skip


def _write_before(
    axes: Axes,
    keys: Sequence[str],
    places: NDArray[Any],
    levels: tuple[float, float],
    came_from: list[int],
    width: float,
    upright: bool,
) -> None:
    """Write the keys in the order that they had, over the one that they have, and join the two places of each."""
    before = [keys[came_from.index(place)] for place in range(len(keys))]
    stood = _places(before, width, upright)  # (n_keys,)
    for now, place in zip(places, came_from):
        axes.plot([now, stood[place]], levels, color=GREY, linewidth=THINNEST, linestyle=":")
    _write(axes, before, stood, levels[1], upright, {})


def _side(y: float) -> dict[str, Any]:
    return {"ha": "right", "va": "bottom" if y else "top", "fontsize": 10, "color": GREY}


def _caption(weights: NDArray[Any], least: float) -> str:
    weak = weights[(weights > 0) & (weights < least)]
    if not weak.size:
        return MESSAGES["all"]
    told = {"least": number_text(least), "n": weak.size, "total": weights.size}
    return MESSAGES["weak"].format(largest=f"{weak.max():.3g}", **told)


def _said(drawn: Sequence[Beam], asking: Sequence[int], words: Any, least: float) -> list[str]:
    queries, keys = words
    sentences = []
    for i in asking:
        read = sorted((b for b in drawn if b.query == i), key=lambda b: -round(b.weight, 9))
        told = [MESSAGES["key"].format(key=keys[b.key], weight=number_text(b.weight)) for b in read]
        kind = "reads" if read else "nothing"
        sentence = MESSAGES[kind].format(query=queries[i], keys=MESSAGES["comma"].join(told), least=number_text(least))
        sentences.append(sentence)
    return sentences
