"""The cache stepper: add a word, and see which queries, keys and values are new and which are kept."""

import html
from dataclasses import dataclass, replace
from typing import Any

import ipywidgets
import numpy as np
from numpy.typing import NDArray

from .._words import _
from ..examples.worked import load_example
from ..lessons.kv_cache.decoding import AGAIN, NEW, DecodingSetting, gaps_of, row_states, score_states
from ..view import palette
from ..view.controls import Sentence
from ..view.lab import Lab
from ..view.panel import labels_of
from ..view.typed import read_words

MOST_WORDS = 10
ROWS = (_("query"), _("key"), _("value"))
NOTHING = "\u00a0"  # on a tile that is not there yet: ipywidgets leaves the old word where the new one is empty
#: REUSED, NEW, NEVER, AGAIN and NOT_YET: the word on a tile, and its class.
TILES = [(_("kept"), "kept"), (_("new"), "new"), (_("gone"), "gone"), (_("again"), "again"), (NOTHING, "none")]
LETTERS = "RNxA·"  # of the same, where there is no room for words
Tile = tuple[int, int]  # which of `ROWS`, and which word


@dataclass(frozen=True)
class StepperState:
    """A sentence, how many of its words are there, how it is decoded, and what the reader guesses."""

    sentence: str
    now: int = 3
    recompute: bool = False
    prompt: int = 1  # words of the first step, all at once
    window: int = MOST_WORDS  # words that are kept, the newest included; `MOST_WORDS`: all
    guess: tuple[Tile, ...] = ()  # for the word that comes next
    judged: tuple[Tile, ...] = ()  # the guess for the word that came last


def setting_of(state: StepperState) -> DecodingSetting:
    """Return what is calculated."""
    window = None if state.window == MOST_WORDS else state.window
    return DecodingSetting(tuple(state.sentence.split()), state.prompt, window)


def places_of(state: StepperState, recompute: bool | None = None) -> tuple[int, int, int, int | None, bool]:
    """Return what `row_states` and `score_states` take: n, words before this step, words now, window, recompute."""
    setting = setting_of(state)
    before = 0 if state.now <= state.prompt else state.now - 1
    again = state.recompute if recompute is None else recompute
    return len(setting.tokens), before, state.now, setting.window, again


def tiles_of(state: StepperState) -> NDArray[np.intp]:
    """Return what became of each query, key and value in the last step, (3, n)."""
    return row_states(*places_of(state))[:, :3].T


def calculated(state: StepperState) -> set[Tile]:
    """Return the tiles that the last step calculated."""
    tiles = np.argwhere(np.isin(tiles_of(state), (NEW, AGAIN)))
    return {(int(row), int(column)) for row, column in tiles}


def tiles_so_far(state: StepperState, recompute: bool) -> int:
    """Count the tiles that all steps so far have calculated."""
    return len(ROWS) * (sum(range(state.prompt, state.now + 1)) if recompute else state.now)


def scores_made(state: StepperState, recompute: bool) -> int:
    """Count the scores that the last step calculates in each head."""
    return int(np.isin(score_states(*places_of(state, recompute)), (NEW, AGAIN)).sum())


def largest_gap(state: StepperState) -> float:
    """Return max |cached - full| over the outputs so far."""
    return max(gap for now, gap in gaps_of(setting_of(state)) if now <= state.now)


def with_sentence(state: StepperState, text: str) -> StepperState:
    """Return the state at the first word of another sentence; ValueError where it is empty or too long."""
    return StepperState(" ".join(read_words(text, MOST_WORDS)), now=1, recompute=state.recompute, window=state.window)


def with_prompt(state: StepperState, prompt: int) -> StepperState:
    """Return the state with a prompt of so many words, all of which are there."""
    prompt = min(prompt, len(state.sentence.split()))
    return replace(state, prompt=prompt, now=max(state.now, prompt), guess=(), judged=())


def with_next(state: StepperState) -> StepperState:
    """Return the state one word later; after the last word it stays."""
    if state.now == len(state.sentence.split()):
        return state
    return replace(state, now=state.now + 1, guess=(), judged=state.guess)


def with_guess(state: StepperState, tile: Tile) -> StepperState:
    """Return the state with a tile guessed, or no longer guessed."""
    return replace(state, guess=tuple(sorted({*state.guess} ^ {tile})))


BAE, ARTICLE = (" ".join(load_example(name).tokens) for name in ("bae_hungry", "kv_cache_three_tokens"))
PRESETS = {
    "bae": (_("with a cache"), StepperState(BAE)),
    "recompute": (_("without a cache"), StepperState(BAE, recompute=True)),
    "prefill": (_("a prompt of five words first"), StepperState(BAE, now=5, prompt=5)),
    "window": (_("a window of three words"), StepperState(BAE, window=3)),
    "article": (_("the three words of article 003"), StepperState(ARTICLE, now=1)),
}


class CacheStepper(Lab):
    """A sentence that grows by a word at each step: what is calculated for it, and what the cache has kept.

    Parameters
    ----------
    name : str, optional
        A key of `PRESETS` to start from.

    Examples
    --------
    >>> lab = CacheStepper()
    >>> lab.next.click()
    >>> [tile.description.strip() for tile in lab.tiles[1][:5]]
    ['kept', 'kept', 'kept', 'new', '']
    """

    presets = PRESETS

    def __init__(self, name: str = "bae") -> None:
        if name not in PRESETS:
            raise ValueError(f"there is no preset {name!r}; the presets are {', '.join(PRESETS)}")
        self.labels: list[str] = []
        self.tiles: list[list[Any]] = []  # a button for each query, key and value
        super().__init__(PRESETS[name][1])

    def controls(self) -> list[Any]:
        self.next = self.button(_("Next ▶"), with_next)
        self.next.button_style = "primary"
        return [self.next, self.switch(_("without a cache"), "recompute")]

    def more(self) -> list[Any]:
        self.sentence = self.words(_("your sentence"), _("words, then Enter"), "sentence", with_sentence, "30em")
        self.prompt = self.number(_("words in the prompt"), 1, MOST_WORDS, "prompt", with_prompt, width="17em")
        every: Any = {"words": {MOST_WORDS: _("all")}, "width": "17em"}
        self.window = self.number(_("words kept"), 1, MOST_WORDS, "window", **every)
        return [self.sentence, self.prompt, self.window]

    def picture(self) -> list[Any]:
        self.board = ipywidgets.GridBox().add_class("stepper-tiles").add_class("lab-toolbar")
        self.verdict, self.answer = Sentence(says=True), Sentence("lab-line", says=True)
        self.counts = [Sentence("lab-big"), Sentence("lab-big")]
        self.bars = [ipywidgets.FloatProgress(max=1, style={"bar_color": colour}) for colour in ("#e8833a", "#8e6bb0")]
        names = [Sentence(text=_("with a cache")), Sentence(text=_("without a cache"))]
        numbers = [part for parts in zip(self.counts, names, self.bars) for part in parts]
        side = ipywidgets.VBox([Sentence("stepper-title", _("Tiles so far")), *numbers])
        left = ipywidgets.VBox([self.board, self.verdict, self.answer]).add_class("lab-stack").add_class("stepper-left")
        self.details, self.scores = Sentence("lab-line"), ipywidgets.HTML()
        self.behind = ipywidgets.VBox([self.details, self.scores]).add_class("lab-stack")
        columns = ipywidgets.HBox([left, side.add_class("stepper-side")]).add_class("lab-columns")
        return [columns, self.behind]

    def tell(self, state: StepperState) -> None:
        words = state.sentence.split()
        self.next.disabled = state.now == len(words)
        self.goal.say(self._goal_of(state, words))
        self.verdict.say(self._verdict_of(state), strong=True)
        self.answer.say(self._reason_of(state))
        most = tiles_so_far(replace(state, now=len(words)), True)
        for recompute, (count, bar) in enumerate(zip(self.counts, self.bars)):
            made = tiles_so_far(state, bool(recompute))
            count.say(str(made))
            bar.value = made / most
        self._show_tiles(state, words)
        self.behind.layout.display = "" if self.is_open else "none"
        if self.is_open:
            scores = _("Scores calculated for this word, in each head: {cached} with a cache, {full} without one.")
            gap = _("The outputs with and without a cache differ by at most {gap:.1g}.")
            made, full = (scores_made(state, recompute) for recompute in (False, True))
            self.details.say(scores.format(cached=made, full=full), gap.format(gap=largest_gap(state)))
            self.scores.value = score_table(state)

    def _goal_of(self, state: StepperState, words: list[str]) -> str:
        cached, full = tiles_so_far(state, False), tiles_so_far(state, True)
        if state.now < len(words):
            asked = _("Next word: {word}. Which tiles must be calculated for it? Click them, then press Next.")
            return asked.format(word=labels_of(words)[state.now])
        if state.recompute:
            ended = _("Without a cache, {n} words take {full} tiles instead of {cached}.")
            return ended.format(n=len(words), full=full, cached=cached)
        ended = _("All words are there, after {cached} tiles. Press “without a cache”: what is calculated again?")
        return ended.format(cached=cached)

    def _verdict_of(self, state: StepperState) -> str:
        made, judged = calculated(state), set(state.judged)
        if not judged:
            return ""
        if judged == made:
            return _("Goal reached: you found {n} of {n} tiles, and marked no others.").format(n=len(made))
        score = _("You found {right} of {n} calculated tiles. Marked, but not calculated: {wrong}.")
        return score.format(right=len(judged & made), n=len(made), wrong=len(judged - made))

    def _reason_of(self, state: StepperState) -> str:
        before, now, window = places_of(state)[1:4]
        if state.recompute:
            return _("Without a cache, the query, key and value of every word are calculated again for each new word.")
        if now - before > 1:
            return _("A prompt comes as a whole, so all its words are calculated in one step.")
        if window is not None and now > window:
            return _("Keys and values are kept for {window} words only, so older ones are gone.").format(window=window)
        return _("Earlier keys and values are kept, because each new query reads them. No one needs an earlier query.")

    def _show_tiles(self, state: StepperState, words: list[str]) -> None:
        labels = labels_of(words)
        if labels != self.labels:
            self._build_tiles(labels)
        kinds = tiles_of(state)
        for (row, column), kind in np.ndenumerate(kinds):
            name, style = TILES[int(kind)]
            tile, is_guess = self.tiles[row][column], (row, column) in state.guess
            tile.description = "?" if is_guess else name
            tile.tooltip = f"{ROWS[row]} · {labels[column]}"
            marks = ["tile-guess"] * is_guess + ["tile-judged"] * ((row, column) in state.judged)
            tile._dom_classes = ("tile", f"tile-{style}", *marks)

    def _build_tiles(self, labels: list[str]) -> None:
        self.labels = labels
        self.tiles = [[self._tile(row, column) for column in range(len(labels))] for row in range(len(ROWS))]
        lines = [[Sentence("tile-row", name), *tiles] for name, tiles in zip(ROWS, self.tiles)]
        words = [Sentence("tile-word", label) for label in labels]
        self.board.layout.grid_template_columns = f"4.4em repeat({len(labels)}, minmax(0, 1fr))"
        self.board.children = [Sentence(), *words, *(part for line in lines for part in line)]

    def _tile(self, row: int, column: int) -> Any:
        return self.button("", lambda state: with_guess(state, (row, column)))

    def still_state(self) -> StepperState:
        """Return a step with a past: no button leads on from a still picture."""
        return replace(self.state, now=max(self.state.now, 2))

    def still_figure(self) -> Any:
        """Draw a letter for each query, key and value."""
        from .. import plots

        state, over = self.still_state(), _("queries, keys and values")
        return plots.categories(
            {over: tiles_of(state)},
            ROWS,
            {over: labels_of(state.sentence.split())},
            names=[_("kept"), _("new"), _("not needed"), _("calculated again"), _("not there yet")],
            symbols=list(LETTERS),
            colours=palette.CATEGORIES[: len(LETTERS)],
            title=self.still_title(),
            row_axis=_("row"),
            column_axis=_("word"),
        )

    def still_title(self) -> str:
        return _("A new word brings one query, one key and one value. The cache has kept the other keys and values")


def score_table(state: StepperState) -> str:
    """Return a table of letters: what became of the score of each query (row) and key (column)."""
    labels = [html.escape(label) for label in labels_of(state.sentence.split())]
    head = "".join(f"<th scope='col'>{label}</th>" for label in labels)
    lines = [
        f"<tr><th scope='row'>{label}</th>"
        + "".join(f"<td class='tile-{TILES[kind][1]}'>{LETTERS[kind]}</td>" for kind in kinds)
        + "</tr>"
        for label, kinds in zip(labels, score_states(*places_of(state)).tolist())
    ]
    key = _("Scores, row = query, column = key: N new, A calculated again, x not needed.")
    return f"<table class='stepper-scores'><caption>{key}</caption><tr><td></td>{head}</tr>{''.join(lines)}</table>"
