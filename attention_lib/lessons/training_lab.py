"""What two labs share: a training that can be played, a slider over its steps, and a sentence for the model to read."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from .._words import Refusal, _
from ..live.drawing import Drawing
from ..live.lab import CHANGED, Lab
from ..live.panel import shortened
from ..live.player import Player
from ..live.typed import read_words


class TrainingLab(Lab):
    """A lab of a training run; its state has a `step`, a `text`, and the `guess` that comes before."""

    player: Player
    stops: Sequence[int]  # the steps of training that can be shown
    step_is = _("training step")
    guesses: Mapping[str, str]  # what the reader may guess, and how it is said
    vocabulary: Mapping[str, str]  # all words that the model knows, and how they are listed

    @classmethod
    def style(cls) -> str:
        """Return also the style sheet of its drawings."""
        return Path(__file__).with_name("training_picture.css").read_text("utf-8") + super().style()

    # -- what each lab says of itself --------------------------------------------------------

    def play_on(self) -> float | None:
        """Show a later step of the training; return the seconds until the next, None where none follows."""
        raise NotImplementedError

    def at_step(self, state: Any, step: int) -> Any:
        raise NotImplementedError

    def with_text(self, state: Any, text: str) -> Any:
        """Return the state with another sentence; Refusal where the model does not know its words."""
        words = read_words(text)
        unknown = [word for word in words if word not in self.vocabulary]
        if unknown:
            sentence = _("“{word}” is not one of the model's words: {words}.")
            raise Refusal(sentence.format(word=shortened(unknown[0]), words=", ".join(self.vocabulary.values())))
        return replace(state, text=" ".join(words))

    # -- controls and picture ----------------------------------------------------------------

    def controls(self) -> list[Any]:
        self.player = Player(_("▶ play"), self.play_on)
        self.player.button.button_style = "primary"
        self.step = self.number(self.step_is, self.stops, "step", self.at_step, width="22em")
        self.answers = [self.button(text, partial(replace, guess=name)) for name, text in self.guesses.items()]
        return [*self.answers, self.player.button, self.step]

    def ask(self, is_asked: bool, *waiting: Any) -> None:
        """Show the guesses, or what waits for one."""
        for control in (*self.answers, *waiting):
            control.layout.display = "" if (control in self.answers) == is_asked else "none"

    def _start_from(self, name: str) -> None:  # "Start again" still leads to the first start, which asks for a guess
        if name != CHANGED:
            self.change(self.presets[name][1], message=_("This is another start. “Start again” leads to the first."))

    def more(self) -> list[Any]:
        self.own = self.words(_("your sentence"), _("its words, then Enter"), "text", self.with_text, "32em")
        return [self.own]

    def picture(self) -> list[Any]:
        self.drawing = Drawing()
        return [self.drawing]
