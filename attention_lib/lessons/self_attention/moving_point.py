"""The moving point: a sentence around 배, and where attention moves it between pear, belly and ship."""

import html
import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import ipywidgets
import numpy as np
from numpy.typing import NDArray

from ..._words import Refusal, _
from ...attention import AttentionTrace, scaled_dot_product_attention
from ...examples.three_meanings import N_MEANINGS, load_meanings
from ...live.controls import Sentence, toolbar
from ...live.drawing import Drawing
from ...live.lab import Lab
from ...live.pictures import bars, svg_text
from ...live.typed import MOST_WORDS, read_words

WORDS = load_meanings()
SPOKES = np.array([[-(3**0.5) / 2, -0.5], [0, 1], [3**0.5 / 2, -0.5]])  # where food, body and sea lead, as in plots
REACH = 3.6  # how far the spokes are drawn
HALF_A_DIGIT = 0.005  # of what is said
PLANE, MIDDLE, UNIT = (400, 335), np.array([200.0, 217.0]), 50.0  # of the drawing, in letters of 14 px
HEAD = 16  # how long the arrow's head is, and how wide
ROPE = 26  # how thick a word's pull is drawn where its weight is 1


@dataclass(frozen=True)
class MovingState:
    """A sentence, in which Q = K = V = X."""

    text: str = WORDS.sentences["belly"]

    @property
    def tokens(self) -> tuple[str, ...]:
        return WORDS.tokens(self.text)

    @property
    def places(self) -> list[int]:
        return [i for i, token in enumerate(self.tokens) if token == WORDS.word]

    def trace(self) -> AttentionTrace:
        X = WORDS.meaning_of(self.text)  # (n, 3)
        return scaled_dot_product_attention(X, X, X)


def with_text(state: MovingState, text: str) -> MovingState:
    """Return the state of another sentence; Refusal where a word of it has no numbers, or there are too many."""
    read_words(text)
    return replace(state, text=" ".join(WORDS.tokens(text)))


def with_word(state: MovingState, word: str) -> MovingState:
    return with_text(state, f"{state.text} {word}")


def without_word(state: MovingState, place: int) -> MovingState:
    if len(state.tokens) == 1:
        raise Refusal(_("This is the only word. Add another one first."))
    return with_text(state, " ".join(state.tokens[:place] + state.tokens[place + 1 :]))


def end_of(state: MovingState) -> NDArray[Any]:
    """Return food, body and sea of 배 after attention, (3,); every 배 of a sentence gets the same."""
    return state.trace().output[state.places[0], :N_MEANINGS]


def weights_of(state: MovingState) -> NDArray[Any]:
    """Return what 배 takes from each word, (n,); every 배 of a sentence takes the same."""
    return state.trace().weights[state.places[0]]


def place_text(values: NDArray[Any]) -> str:
    return ", ".join(f"{meaning} {value:.2f}" for meaning, value in zip(WORDS.meanings, values))


def explained(word: str, sign: str = " ") -> str:
    """Write a word and what it means; in Korean, the meaning of a word is the word itself."""
    gloss = WORDS.glosses[word]
    return word if gloss == word else f"{word}{sign}{gloss}"


def move_sentence(state: MovingState) -> str:
    if not state.places:
        return _("There is no {word} in this sentence, so there is nothing to move. Add it.").format(word=WORDS.word)
    end = end_of(state)
    stays = np.ptp(end) < HALF_A_DIGIT  # one number for all three directions
    sentence = _("{word} stays in the middle: {place}.") if stays else _("{word} moves from the middle to {place}.")
    moved = sentence.format(word=WORDS.word, place=place_text(end))
    n = len(state.places)
    return moved if n == 1 else moved + " " + _("All {n} are at the same point, with the same weights.").format(n=n)


class MovingPoint(Lab):
    """The lab; it starts from the name of a sentence ("belly", "pear", "ship", "three"), or from a sentence."""

    def __init__(self, start: str = "belly") -> None:
        super().__init__(with_text(MovingState(), WORDS.sentences.get(start, start)))

    def controls(self) -> list[Any]:
        short = [text for text in WORDS.sentences.values() if len(text.split()) == N_MEANINGS + 1]
        buttons = [self.button(text, partial(with_text, text=text)) for text in short]
        return [*buttons, self.button(_("New sentence"), partial(with_text, text=WORDS.word))]

    def picture(self) -> list[Any]:
        self.plane, self.bars = ipywidgets.HTML(), Drawing(self._take_out)
        self.adders = [self.button(explained(word), partial(with_word, word=word)) for word in WORDS.glosses]
        take_out = Sentence("lab-line", _("Press a word to take it out:"))
        beside = ipywidgets.VBox([Sentence("lab-line", _("Add a word:")), toolbar(*self.adders), take_out, self.bars])
        return [ipywidgets.HBox([self.plane, beside.add_class("moving-words")]).add_class("lab-columns")]

    def _take_out(self, _what: str, place: int, _gesture: str) -> None:
        self.act(partial(without_word, place=place))

    def tell(self, state: MovingState) -> None:
        is_full = len(state.tokens) == MOST_WORDS
        more = _("The sentence is full.") if is_full else _("Add a word.") if state.places else ""
        goal = f"{move_sentence(state)} {more}"
        if state == self.start and state.places:
            goal = _("Which words move {word}, and where? Add one.").format(word=WORDS.word)
            goal += " " + _("Now: {place}.").format(place=place_text(end_of(state)))
        self.say_goal(False, goal)
        for button in self.adders:
            button.disabled = is_full
        self.plane.value = plane(state)
        self.bars.show(weights_html(state))


# -- the live picture ---------------------------------------------------------------------------------


def plane(state: MovingState) -> str:
    """Draw pear, belly and ship as directions, the words that pull, and where the word goes."""
    parts = []
    for meaning, direction in zip(WORDS.meanings, np.eye(N_MEANINGS)):
        parts.append(_line("spoke", MIDDLE, _at(REACH * direction)))
        u, v = _at((REACH + 0.35) * direction)
        parts.append(svg_text(u, v + 5, meaning, "meaning", "middle"))
    end, weights = MIDDLE, np.zeros(len(state.tokens))  # (n,)
    if state.places:
        end, weights = _at(end_of(state)), weights_of(state)
    cues: dict[tuple[float, ...], list[str]] = {}
    for word, start, weight in zip(state.tokens, WORDS.meaning_of(state.text), weights):
        if start.any() and word != WORDS.word:
            parts.append(_line("rope", end, _at(start), f'stroke-width="{ROPE * weight:.1f}"'))
            cues.setdefault(tuple(_at(start)), []).append(word)
    for (x, y), words in cues.items():
        parts.append(f'<rect class="cue" x="{x - 5}" y="{y - 5}" width="10" height="10"/>')
        out, anchor = (-14, "end") if x < MIDDLE[0] else (14, "start")  # away from the middle, where the word is
        parts.append(svg_text(x + out, y + 5, ", ".join(dict.fromkeys(words)), "", anchor))
    if state.places:
        parts += _mover(end, len(state.places))
    label = html.escape(move_sentence(state), quote=True)
    box = f'viewBox="0 0 {PLANE[0]} {PLANE[1]}" style="width:{PLANE[0] / 14:.2f}em"'
    return f'<svg role="img" aria-label="{label}" {box}>{"".join(parts)}</svg>'


def weights_html(state: MovingState) -> str:
    """Draw the weights of 배 as bars; the words alone where there is none."""
    title = _("what {word} takes from each word").format(word=WORDS.word) if state.places else ""
    pairs = zip(state.tokens, weights_of(state) if state.places else np.zeros(len(state.tokens)))
    rows = [(explained(word, " = "), f"{weight:.3f}", f"{weight:.2f}" if title else "") for word, weight in pairs]
    return f"<b>{html.escape(title)}</b>{bars(rows, press=_('take it out'))}"


def _mover(end: NDArray[Any], times: int) -> list[str]:
    dx, dy = end - MIDDLE
    head = ""
    if math.hypot(dx, dy) > HEAD:  # an arrow, and no dot: a dot looks as if it could be dragged
        turn = f"translate({end[0]:.1f} {end[1]:.1f}) rotate({math.degrees(math.atan2(dy, dx)):.1f})"
        head = f'<path class="after" d="M 0 0 l {-HEAD} {HEAD / 2} v {-HEAD} z" transform="{turn}"/>'
    name = WORDS.word if times == 1 else f"{WORDS.word} × {times}"
    side, anchor = (14, "start") if end[0] < MIDDLE[0] - 1 else (-14, "end")  # where no cue has its name
    x, y = end[0] + side, end[1] + (22 if end[1] > MIDDLE[1] + 1 else -8)
    if times > 1 and math.hypot(dx, dy) < 45 and dy > -20:  # a long name, near the middle: below it there is no cue
        x, y, anchor = MIDDLE[0], max(MIDDLE[1] + 48, end[1] + 24), "middle"
    head += svg_text(x, y, name, "name", anchor)
    return [
        f'<circle class="before" cx="{MIDDLE[0]}" cy="{MIDDLE[1]}" r="6"/>',
        _line("trace", MIDDLE, end),
        f'<g class="goes" style="--dx: {-dx:.1f}px; --dy: {-dy:.1f}px">{head}</g>',
    ]


def _at(values: NDArray[Any]) -> NDArray[Any]:
    return (MIDDLE + UNIT * (values @ SPOKES) * [1, -1]).round(1)


def _line(name: str, one: NDArray[Any], other: NDArray[Any], more: str = "") -> str:
    return f'<line class="{name}" x1="{one[0]}" y1="{one[1]}" x2="{other[0]}" y2="{other[1]}" {more}/>'
