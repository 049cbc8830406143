"""The cache stepper: guess what the next word needs, then see which queries, keys and values were calculated."""

from dataclasses import dataclass, replace
from typing import Any

import ipywidgets
import numpy as np
from numpy.typing import NDArray

from ..._words import Refusal, _
from ...examples.three_meanings import load_meanings
from ...examples.worked import load_example
from ...live.controls import Sentence
from ...live.drawing import Drawing
from ...live.lab import Lab
from ...live.panel import labels_of
from ...live.pictures import bars
from ...live.player import Player
from ...masks import sliding_window_mask

ROWS = (_("query"), _("key"), _("value"))
SECONDS = 1.2  # for each word that is played
NOTHING = "\u00a0"  # on a tile that is not there yet: ipywidgets leaves the old word where the new one is empty
REUSED, NEW, NEVER, AGAIN, NOT_YET, DONE = range(6)  # what became of a tile
#: For each of these the word on the tile, and its class.
TILES = [
    (_("kept"), "kept"),
    (_("new"), "new"),
    (_("gone"), "gone"),
    (_("again"), "again"),
    (NOTHING, "none"),
    (_("done"), "done"),
]
Tile = tuple[int, int]  # which of `ROWS`, and which word


@dataclass(frozen=True)
class StepperState:
    """A sentence, how many of its words are there, how it is decoded, and what the reader guesses."""

    sentence: str
    now: int = 3
    recompute: bool = False
    prompt: int = 1  # words of the first step, all at once
    window: int | None = None  # words that are kept, the newest included; None: all
    guess: tuple[Tile, ...] = ()
    missed: tuple[Tile, ...] = ()  # the first guess, where it was wrong: the reader guesses again
    is_asked: bool = True  # whether the reader is asked about the next word; otherwise the last one is shown
    may_play: bool = False  # after a right answer: the next words ask the same again

    @property
    def words(self) -> list[str]:
        return self.sentence.split()


def tiles_of(state: StepperState) -> NDArray[np.intp]:
    """Return what became of each query, key and value in the last step, (3, n).

    Examples
    --------
    >>> tiles_of(StepperState("the cat sat", now=2))
    array([[2, 1, 4],
           [0, 1, 4],
           [0, 1, 4]])
    """
    n, now = len(state.words), state.now
    before = 0 if now <= state.prompt else now - 1
    tiles = np.full((len(ROWS), n), NOT_YET)
    tiles[:, before:now] = NEW
    tiles[:, :before] = AGAIN if state.recompute else NEVER
    if not state.recompute:
        mask = sliding_window_mask(n, left=None if state.window is None else state.window - 1)
        is_read = mask[before:now, :before].any(axis=0)  # (before,): by a new query
        tiles[1:, :before] = np.where(is_read, REUSED, NEVER)
    return tiles


def shown_tiles(state: StepperState) -> NDArray[np.intp]:
    """Return what the tiles show, (3, n): while the reader is asked, not which of the earlier ones are kept."""
    tiles = tiles_of(state)
    if state.is_asked:
        tiles[tiles != NOT_YET] = DONE
    return tiles


def calculated(state: StepperState) -> set[Tile]:
    return {(row, column) for row, column in np.argwhere(np.isin(tiles_of(state), (NEW, AGAIN))).tolist()}


def tiles_so_far(state: StepperState, recompute: bool) -> int:
    """Count the tiles that all steps so far have calculated."""
    return len(ROWS) * (sum(range(state.prompt, state.now + 1)) if recompute else state.now)


def with_next(state: StepperState) -> StepperState:
    """Answer what is asked; otherwise ask about the next word. After the last word the state stays."""
    if state.now == len(state.words):
        return state
    if state.is_asked:
        answered = replace(state, now=state.now + 1, is_asked=False)
        return replace(answered, may_play=calculated(answered) == {*state.guess})
    return replace(state, guess=(), missed=(), is_asked=True)


def checked(state: StepperState) -> StepperState:
    """Go on, as the button does; a wrong guess may be mended once. Refusal where a question waits for a guess."""
    if state.is_asked and state.now < len(state.words):
        if not state.guess:
            raise Refusal(_("Click the tiles that you think must be calculated, then press Check."))
        if not state.missed and {*state.guess} != calculated(replace(state, now=state.now + 1)):
            return replace(state, missed=state.guess)
    return with_next(state)


def with_guess(state: StepperState, tile: Tile) -> StepperState:
    """Return the state with a tile guessed, or no longer guessed. Refusal where nothing is asked."""
    if not state.is_asked:
        raise Refusal(_("These tiles are the answer. Press Next word to go on."))
    return replace(state, guess=tuple(sorted({*state.guess} ^ {tile})))


def decoded_otherwise(state: StepperState, recompute: bool) -> StepperState:
    """Return the state decoded in another way, to which the reader's guess was no answer."""
    return replace(state, guess=(), missed=(), recompute=recompute, may_play=False)


def with_gloss(word: str) -> str:
    """Return a word and what it means, where that is known."""
    meaning = {**load_meanings().glosses, **load_example("kv_cache_three_tokens").glosses}.get(word, word)
    return word if meaning == word else f"{word} ({meaning})"


BAE, ARTICLE = (" ".join(load_example(name).tokens) for name in ("bae_hungry", "kv_cache_three_tokens"))
PRESETS = {
    "bae": (_("with a cache"), StepperState(BAE)),
    "recompute": (_("without a cache"), StepperState(BAE, recompute=True)),
    "prefill": (_("a prompt of five words first"), StepperState(BAE, now=5, prompt=5, is_asked=False)),
    "window": (_("a window of three words"), StepperState(BAE, window=3)),
    "article": (_("the three words of article 003"), StepperState(ARTICLE, now=1)),
}


class CacheStepper(Lab):
    """The lab: a sentence that grows by a word at each step. It starts from a preset, the first by default."""

    presets = PRESETS
    player: Player

    def controls(self) -> list[Any]:
        self.next = self.button(_("Next word ▶"), checked)
        self.next.button_style = "primary"
        self.player = Player(_("Play the rest ▶"), self._play_on)
        return [self.next, self.player.button, self.switch(_("without a cache"), "recompute", decoded_otherwise)]

    def _play_on(self) -> float | None:
        if self.state.now < len(self.state.words):
            shown = replace(self.state, now=self.state.now + 1, guess=(), is_asked=False)
            self.change(shown, ("play", self.player.round))
        return SECONDS if self.state.now < len(self.state.words) else None

    def picture(self) -> list[Any]:
        self.labels: list[str] = []  # of the tiles that are there
        self.board = ipywidgets.GridBox().add_class("stepper-tiles").add_class("lab-toolbar")
        self.answer = Sentence("lab-line", says=True)
        self.counts = Drawing()
        return [ipywidgets.VBox([self.board]).add_class("stepper-board"), self.answer, self.counts]

    def tell(self, state: StepperState) -> None:
        words = state.words
        self.next.disabled = self.player.button.disabled = state.now == len(words)
        self.player.button.layout.display = "" if state.may_play else "none"
        self.next.description = _("Check ▶") if state.is_asked else _("Next word ▶")
        self.say_goal(*self._goal_of(state))
        self.answer.say("" if state.is_asked else self._reason_of(state))
        most = tiles_so_far(replace(state, now=len(words)), True)
        counts = {_("with a cache"): tiles_so_far(state, False), _("without a cache"): tiles_so_far(state, True)}
        rows = [(name, f"{count / most:.3f}", str(count)) for name, count in counts.items()]
        self.counts.show(f"<b>{_('Tiles calculated so far')}</b>{bars(rows)}")
        self._show_tiles(state)

    def _goal_of(self, state: StepperState) -> tuple[bool, str]:
        if state.is_asked and state.now < len(state.words):
            asked = _("Next word: {word}. Click the tiles that must be calculated, then Check.")
            if state.recompute:
                asked = _("Another layer follows. Next word: {word}. Click the tiles to calculate, then Check.")
            if state.missed:
                asked = _("Not yet: right {right}, too many {wrong}, missing {missing}. Try once more, then Check.")
            answer, guess = calculated(replace(state, now=state.now + 1)), {*state.missed}
            counts = {"right": len(answer & guess), "wrong": len(guess - answer), "missing": len(answer - guess)}
            return False, asked.format(word=with_gloss(state.words[state.now]), **counts)
        answer, guess = calculated(state), set(state.guess)
        if state.now == len(state.words) and guess in (set(), answer):
            ended = _("All {n} words are there: {cached} tiles with a cache, {full} without. More has other questions.")
            counts = {"cached": tiles_so_far(state, False), "full": tiles_so_far(state, True)}
            return True, ended.format(n=state.now, **counts)
        if guess:
            score = _("Goal reached: you found all {n} tiles. Now play the rest, and watch the two counts.")
            if answer != guess:
                score = _("You found {right} of the {n} calculated tiles. Marked but not needed: {wrong}.")
            return answer == guess, score.format(n=len(answer), right=len(answer & guess), wrong=len(guess - answer))
        if state.may_play:
            shown = _("{word}: {n} tiles calculated.")
            return False, shown.format(word=with_gloss(state.words[state.now - 1]), n=len(answer))
        return False, _("Tiles calculated for the last step: {n}. What will the next word need?").format(n=len(answer))

    def _reason_of(self, state: StepperState) -> str:
        if state.recompute:
            return _("The next layer reads what comes out for every word, so without a cache all are calculated again.")
        if state.now <= state.prompt and state.prompt > 1:
            return _("A prompt comes as a whole, so all its words are calculated in one step.")
        if state.window and state.now > state.window:
            kept = _("Keys and values are kept for {window} words only, so older ones are gone.")
            return kept.format(window=state.window)
        return _("Earlier keys and values are kept, because new queries read them. No earlier query is read again.")

    def _show_tiles(self, state: StepperState) -> None:
        labels = labels_of(state.words)
        if labels != self.labels:
            self._build_tiles(labels)
        for (row, column), kind in np.ndenumerate(shown_tiles(state)):
            name, style = TILES[int(kind)]
            tile, is_guess = self.tiles[row][column], (row, column) in state.guess
            tile.description = "?" if is_guess and state.is_asked else name
            tile.tooltip = f"{ROWS[row]} · {labels[column]}"
            marks = ["tile-guess" if state.is_asked else "tile-judged"] * is_guess
            tile._dom_classes = ("tile", f"tile-{style}", *marks)
        newest = state.now if state.is_asked else state.now - 1  # the word that is asked about, or was calculated last
        for column, word in enumerate(self.word_labels):
            word._dom_classes = ("tile-word", *["tile-newest"] * (column == newest))

    def _build_tiles(self, labels: list[str]) -> None:
        self.labels = labels
        self.tiles = [[self._tile(row, column) for column in range(len(labels))] for row in range(len(ROWS))]
        lines = [[Sentence("tile-row", name), *tiles] for name, tiles in zip(ROWS, self.tiles)]
        self.word_labels = [Sentence("tile-word", label) for label in labels]
        self.board.layout.grid_template_columns = f"4.4em repeat({len(labels)}, minmax(0, 1fr))"
        self.board.children = [Sentence(), *self.word_labels, *(part for line in lines for part in line)]

    def _tile(self, row: int, column: int) -> Any:
        return self.button("", lambda state: with_guess(state, (row, column)))
