"""The moving point: a sentence around 배, and where attention moves it between pear, belly and ship.

`MovingModel` is plain: a sentence, its trace, the way back. `MovingPoint` shows
it and passes on what the reader does.
"""

import html
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import ipywidgets
import numpy as np
from numpy.typing import NDArray

from ..attention import scaled_dot_product_attention
from ..examples.three_meanings import N_MEANINGS, load_meanings
from ..view.controls import WRAP, Sentence, make_buttons, sentence_box
from ..view.history import Reversible
from ..view.lab import Lab
from ..view.pictures import svg_text

WORDS = load_meanings()
MOST_TOKENS = 12
SPOKES = np.array([[-(3**0.5) / 2, -0.5], [0, 1], [3**0.5 / 2, -0.5]])  # where food, body and sea lead, as in plots
REACH = 3.6  # how far the spokes are drawn
HALF_A_DIGIT = 0.005  # of what is said

MESSAGES = {
    "hint": "Click words to add them to the sentence, or choose a sentence. Then look where {word} goes.",
    "no word": "There is no {word} in this sentence, so there is nothing to move. Add it.",
    "too many": "That is {n} words; there is room for {most}.",
    "moved": "{word} moves from the middle to {place}.",
    "stays": "{word} stays in the middle: {place}.",
    "takes": "It takes {shares}.",
    "place": "{meaning} {value:.2f}",
    "share": "{weight:.2f} of {word}",
    "several": "All {n} stand at the same point, and their rows of weights are the same.",
    "comma": ", ",
    "bars": "weights of {word}: what it takes from each word",
    "bar": "{gloss} {word}",
    "still": "{word} among its neighbours: {text}",
    "still several": "All {n} {word} end at one point: {text}",
    "text": "The moving point. {text}: {said}",
}
LABELS = {
    "sentence": "sentence",
    "placeholder": "words from the list, with spaces",
    "clear": "new sentence",
    "plain": "X alone",
    "projected": "with W_Q, W_K, W_V",
    "plain tip": "Q = K = V = X: the numbers as they are",
    "projected tip": "Q, K and V through three matrices, as in notebook 01, section 4",
}
PRESETS = {name: WORDS.sentences[name] for name in ("belly", "pear", "ship", "three")}


@dataclass(frozen=True)
class MovingState:
    """A sentence, and whether the projections are used."""

    text: str = WORDS.sentences["belly"]
    projected: bool = False


class MovingModel(Reversible[MovingState]):
    """A sentence of the words that have numbers, and its trace."""

    presets = {name: MovingState(text) for name, text in PRESETS.items()}  # noqa: RUF012

    def say(self, text: str) -> None:
        """Take another sentence.

        Raises
        ------
        ValueError
            If it is empty, too long, or has a word without numbers.
        """
        tokens = WORDS.tokens(text)
        if len(tokens) > MOST_TOKENS:
            raise ValueError(MESSAGES["too many"].format(n=len(tokens), most=MOST_TOKENS))
        self._go(replace(self.state, text=" ".join(tokens)))

    def add(self, word: str) -> None:
        """Put a word behind the sentence."""
        self.say(f"{self.state.text} {word}")

    def use_projections(self, projected: bool) -> None:
        """Take Q, K and V from X through the three matrices, or X itself."""
        self._go(replace(self.state, projected=projected))

    def _show(self, state: MovingState) -> None:
        X = WORDS.meaning_of(state.text)  # (n, 3)
        trace = WORDS.trace(state.text) if state.projected else scaled_dot_product_attention(X, X, X)
        self.state, self.trace = state, trace
        self.tokens = WORDS.tokens(state.text)
        self.starts = X

    @property
    def asking(self) -> list[int]:
        """Where 배 stands in the sentence."""
        return [i for i, token in enumerate(self.tokens) if token == WORDS.word]

    @property
    def weights(self) -> NDArray[Any]:
        """What 배 takes from each word, (n,): the same for every 배 of a sentence."""
        return self.trace.weights[self.asking[0]]

    @property
    def end(self) -> NDArray[Any]:
        """Food, body and sea of 배 after attention, (3,)."""
        return self.trace.output[self.asking[0], :N_MEANINGS]

    def said(self) -> str:
        """Where 배 goes, in words."""
        if not self.asking:
            return MESSAGES["no word"].format(word=WORDS.word)
        place = [MESSAGES["place"].format(meaning=m, value=v) for m, v in zip(WORDS.meanings, self.end)]
        stays = np.ptp(self.end) < HALF_A_DIGIT  # one number for all three directions
        moved = MESSAGES["stays" if stays else "moved"].format(word=WORDS.word, place=MESSAGES["comma"].join(place))
        several = MESSAGES["several"].format(n=len(self.asking)) if len(self.asking) > 1 else ""
        return f"{moved} {several}".strip()

    def taken(self) -> str:
        """What 배 takes from each word, in words."""
        shares = [MESSAGES["share"].format(word=w, weight=a) for w, a in zip(self.tokens, self.weights)]
        return MESSAGES["takes"].format(shares=MESSAGES["comma"].join(shares))

    def described(self) -> str:
        """The picture in words: the move, and the weights."""
        return f"{self.said()} {self.taken()}" if self.asking else self.said()

    def moves(self) -> dict[str, tuple[Any, Any]]:
        """Every word that has a meaning here, with its numbers before and after; only 배 is moved."""
        shown = {t: (x, None) for t, x in zip(self.tokens, self.starts) if x.any() and t != WORDS.word}
        return {WORDS.word: (self.starts[self.asking[0]], self.end), **shown} if self.asking else shown


class MovingPoint(Lab):
    """The moving point: choose the words around 배 and see where it goes.

    Parameters
    ----------
    start : str, optional
        A key of `PRESETS` to start from, or a sentence.
    projected : bool, optional
        Start with the three projections, and offer to leave them out; else Q = K = V = X, and nothing is offered.
    """

    model: MovingModel

    def __init__(self, start: str = "belly", projected: bool = False) -> None:
        self.model = MovingModel(MovingState(PRESETS.get(start, start), projected))
        self._make_common(PRESETS)
        self._plane, self._bars = ipywidgets.HTML(layout={"width": "370px"}), ipywidgets.HTML()
        self._hint = Sentence("lab-goal", MESSAGES["hint"].format(word=WORDS.word))
        self._words = Sentence("moving-said", says=True)
        self._make_controls()
        self._numbers.layout.display = "" if projected else "none"
        columns = ipywidgets.HBox([self._plane, self._bars], layout={**WRAP, "align_items": "flex-start"})
        self._begin(
            "attention-moving", [self._hint, self._top, self._cards, self._line, self._message, self._words, columns]
        )

    # -- what the reader does ---------------------------------------------------------------

    def _say(self, text: str) -> None:
        self._try(lambda: self.model.say(text))

    def _project(self, projected: bool) -> None:
        self.model.use_projections(projected)
        self._refresh()

    # -- what is shown ----------------------------------------------------------------------

    def _draw(self, changed: bool) -> None:
        self._plane.value, self._bars.value = plane(self.model), bars(self.model)

    def _follow(self) -> None:
        self._sentence.value = self.model.state.text
        self._numbers.value = self.model.state.projected
        self._words.say(self.model.said())

    def _make_controls(self) -> None:
        sentences = [self._button(text, partial(self.model.say, text)) for text in PRESETS.values()]
        self._top = self._tools(*sentences)
        cards = [
            self._button(f"{word} {gloss}", partial(self.model.add, word)) for word, gloss in WORDS.glosses.items()
        ]
        self._cards = self._tools(*cards)
        self._sentence = sentence_box(LABELS["sentence"], LABELS["placeholder"])
        self._sentence.layout.flex = "1 1 26em"
        self._sentence.add_class("moving-sentence")
        self._sentence.observe(self._heard(self._say), "value")
        options = [(LABELS["plain"], False), (LABELS["projected"], True)]
        self._numbers = ipywidgets.ToggleButtons(
            options=options,
            tooltips=[LABELS["plain tip"], LABELS["projected tip"]],
            style={"button_width": "auto"},
        )
        self._numbers.observe(self._heard(self._project), "value")
        self.buttons |= make_buttons(LABELS, "clear")
        self.buttons["clear"].on_click(lambda _: self._say(WORDS.word))
        self._line = ipywidgets.HBox([self._sentence, self._tools(*self.buttons.values()), self._numbers], layout=WRAP)

    def _button(self, text: str, change: Any) -> Any:
        button = ipywidgets.Button(description=text, layout={"width": "auto"})
        button.on_click(lambda _: self._try(change))
        return button

    # -- the still picture ------------------------------------------------------------------

    def still_figure(self) -> Any:
        """The move as it is now, for readers without a kernel."""
        from .. import plots  # here, so that a live view never waits for matplotlib

        text = self.model.state.text
        n = len(self.model.asking)
        title = MESSAGES["still several" if n > 1 else "still"].format(word=WORDS.word, text=text, n=n)
        return plots.moved_points({"": self.model.moves()}, WORDS.meanings, title=title, reach=REACH)

    def still_text(self) -> str:
        """Say in words what the picture shows."""
        return MESSAGES["text"].format(text=self.model.state.text, said=self.model.described())


# -- the live picture ---------------------------------------------------------------------------------

PLANE, MIDDLE, UNIT = (366, 290), np.array([183.0, 185.0]), 44.0  # of the drawing, in pixels
LEFT, TOP, WIDEST, LINE = 205, 26, 140, 19  # of the bars


def plane(model: MovingModel) -> str:
    """Pear, belly and ship as directions, and the point that moves, as SVG."""
    return _svg(_plane(model), PLANE, model.said())


def bars(model: MovingModel) -> str:
    """The weights of 배 as bars, as SVG; nothing where there is none."""
    if not model.asking:
        return ""
    return _svg(_bars(model), (LEFT + WIDEST + 60, TOP + LINE * len(model.tokens)), model.taken())


def _svg(parts: list[str], size: tuple[int, int], label: str) -> str:
    box = f'viewBox="0 0 {size[0]} {size[1]}" style="width: {size[0]}px; max-width: 100%; height: auto"'
    words = html.escape(label, quote=True)
    return f'<svg class="moving-drawing" role="img" aria-label="{words}" {box}>{"".join(parts)}</svg>'


def _at(values: NDArray[Any]) -> NDArray[Any]:
    x, y = values @ SPOKES
    return (MIDDLE + UNIT * np.array([x, -y])).round(1)


def _plane(model: MovingModel) -> list[str]:
    parts = []
    for meaning, direction in zip(WORDS.meanings, np.eye(N_MEANINGS)):
        (x, y), (u, v) = _at(REACH * direction), _at((REACH + 0.35) * direction)
        parts.append(f'<line class="spoke" x1="{MIDDLE[0]}" y1="{MIDDLE[1]}" x2="{x}" y2="{y}"/>')
        parts.append(svg_text(u, v + 5, meaning, "quiet", "middle"))
    placed: dict[tuple[float, float], list[str]] = {}
    for word, (start, end) in model.moves().items():
        if end is None:
            x, y = _at(start)
            placed.setdefault((float(x), float(y)), []).append(word)
        else:
            parts += _mover(word, _at(start), _at(end), len(model.asking))
    for (x, y), words in placed.items():
        parts.append(f'<rect class="cue" x="{x - 5}" y="{y - 5}" width="10" height="10"/>')
        parts.append(svg_text(x + 10, y - 8, MESSAGES["comma"].join(words), "quiet"))
    return parts


def _mover(word: str, start: NDArray[Any], end: NDArray[Any], times: int) -> list[str]:
    dx, dy = start - end
    name = word if times == 1 else f"{word} × {times}"
    side, anchor = (12, "start") if end[0] > MIDDLE[0] + 1 else (-12, "end")  # above the dot, off every spoke
    ends = f'x1="{start[0]}" y1="{start[1]}" x2="{end[0]}" y2="{end[1]}"'
    return [
        f'<circle class="before" cx="{start[0]}" cy="{start[1]}" r="7"/>',
        f'<line class="trace" {ends}/>',
        f'<g class="goes" style="--dx: {dx:.1f}px; --dy: {dy:.1f}px">',
        f'<circle class="after" cx="{end[0]}" cy="{end[1]}" r="7"/>',
        svg_text(end[0] + side, end[1] - 6, name, "", anchor) + "</g>",
    ]


def _bars(model: MovingModel) -> list[str]:
    parts = [svg_text(0, 14, MESSAGES["bars"].format(word=WORDS.word), "quiet")]
    for i, (word, weight) in enumerate(zip(model.tokens, model.weights)):
        y, wide = TOP + LINE * (i + 0.5), max(1.0, WIDEST * weight)
        parts.append(svg_text(LEFT - 8, y + 5, MESSAGES["bar"].format(word=word, gloss=WORDS.glosses[word]), "", "end"))
        parts.append(f'<rect class="bar" x="{LEFT}" y="{y - 6}" width="{wide:.1f}" height="12"/>')
        parts.append(svg_text(LEFT + wide + 6, y + 5, f"{weight:.2f}"))
    return parts
