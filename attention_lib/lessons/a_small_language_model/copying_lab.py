"""The copying lab: play a training, and see which head learns to look at what followed a word before."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from ..._words import Refusal, _
from ...examples.small_models import CopyingMeasure, CopyingRun, load_copying_run, measure_copying
from ...language_model import LanguageModel
from ...training.copying import STEPS, WORDS
from ..training_lab import TrainingLab
from ..training_picture import draw_curves, draw_sentence, draw_training

N_HEADS, N_GUESSES = 4, 3
NONE = -1  # no head is cut
FOUND = 0.5  # of the attention of the last word, and of what the model says; as it is written: with two decimals
CHART = 128  # how high the curves are
STORED = (0, 50, 100, 120, 140, 160, 180, 200, 250, 300, 500, STEPS)  # the steps at which there is a model
PAUSE = 0.8  # seconds of a picture of play
LAYERS = {"two": 2, "one": 1}
TEXT = "door egg moon hat ship tree hat"
GUESSES = {"0": _("layer 0"), "1": _("layer 1"), "both": _("both")}


@dataclass(frozen=True)
class CopyingState:
    """Which run, which step of it, which head is cut, and the text it reads."""

    run: str = "two"
    step: int = 0  # at which a model was stored
    cut: int = NONE  # among all heads
    text: str = TEXT
    guess: str = ""  # of a layer, a key of GUESSES

    @property
    def words(self) -> list[str]:
        return self.text.split()


run_of = cache(load_copying_run)


@cache
def model_of(run: str, step: int, cut: int) -> tuple[LanguageModel, CopyingMeasure]:
    """Return the model of a run at a step, a head of it cut, and how well it copies."""
    stored = run_of(LAYERS[run])
    model = stored.models[stored.steps.index(step)]
    if cut != NONE:
        model = model.without_head(*divmod(cut, model.layers[0].n_heads))
    return model, measure_copying(model)


class Reading:
    """What a stored model makes of a text."""

    def __init__(self, state: CopyingState) -> None:
        self.state, self.words = state, state.words
        self.run: CopyingRun = run_of(LAYERS[state.run])
        self.model, self.measure = model_of(state.run, state.step, state.cut)
        self.names = head_names(state.run)
        self.trace = self.model(self.model.ids(self.words))
        self.rows = np.array([row for layer in self.trace.layers for row in layer.heads.weights[:, -1]])  # (4, n)
        earlier = [i for i, word in enumerate(self.words[:-1]) if word == self.words[-1]]
        self.wanted = [i + 1 for i in earlier]  # what followed the last word before
        self.shares = self.rows[:, self.wanted].sum(axis=1)  # (4,)
        # A head that looks one word back finds what followed, too, where that is the word before: “hat ship hat”.
        looks_back = (self.measure.previous > self.measure.induction).ravel()  # (4,), in other texts
        is_cut = np.arange(N_HEADS) == state.cut
        self.is_out = looks_back | is_cut
        self.most = int((self.shares - self.is_out - is_cut).argmax())
        wanted = {self.words[i] for i in self.wanted}
        self.said = float(sum(self.trace.probabilities[-1][self.model.ids(list(wanted))]))  # what it says of these

    @property
    def finders(self) -> list[int]:
        """The heads that look from the last word to what followed it before, where the model then says that word."""
        if round(self.said, 2) < FOUND:
            return []
        return [i for i in range(N_HEADS) if not self.is_out[i] and round(float(self.shares[i]), 2) >= FOUND]

    @property
    def is_asked(self) -> bool:
        """Whether the reader may guess a layer: there are two, nothing is trained yet, and there is what to look at."""
        state = self.state
        return state.run == "two" and state.step == 0 and bool(self.wanted) and not state.guess

    def verdict(self) -> str:
        """Say whether the guess was right, once heads have been found."""
        if not self.state.guess or LAYERS[self.state.run] == 1 or min(self.finders, default=0) < N_HEADS // 2:
            return ""
        return _("Right") if self.state.guess == "1" else _("✗ Not {guess}").format(guess=GUESSES[self.state.guess])

    def guesses(self) -> dict[str, float]:
        """Return the words that it finds likeliest next, with their probabilities."""
        shares = self.trace.probabilities[-1]
        best = np.argsort(-shares, kind="stable")[:N_GUESSES]
        return {self.model.words[i]: float(shares[i]) for i in best}


def head_names(run: str) -> list[str]:
    """Name each head of a run's model."""
    heads = (divmod(i, N_HEADS // LAYERS[run]) for i in range(N_HEADS))
    return [_("layer {layer}, head {head}").format(layer=layer, head=head) for layer, head in heads]


def goal_of(reading: Reading) -> tuple[bool, str]:
    words, most, verdict = reading.words, reading.most, reading.verdict()
    if not reading.wanted:
        line = _("{word} is new in this text, so nothing can be copied. End with a word that comes twice.")
        return False, line.format(word=words[-1])
    if reading.finders:
        line = _("{verdict}: “{last}” finds “{next}” in {heads}.")
    elif reading.state.step == STEPS and round(float(reading.shares[most]), 2) < FOUND:
        line = _("Training is over: no head gives “{next}” more than {share:.2f} ({head}).")
    elif reading.is_asked:
        line = _("Which layer learns to look from “{last}” to “{next}”? Guess, or press play.")
    elif reading.state.step == 0:
        line = _("Press play. Which head learns to look from “{last}” to “{next}”?")
    elif round(float(reading.shares[most]), 2) < FOUND:
        line = _("From “{last}” to “{next}”, most so far: {head}, {share:.2f}. Which head gets to {half:.2f}?")
    else:
        line = _("“{next}” gets {share:.2f} from {head}, but {said:.2f} as the next word. Both need {half:.2f}.")
    sentence = line.format(
        verdict=verdict or _("Goal reached"),
        last=words[-1],
        next=_("” or “").join(dict.fromkeys(words[i] for i in reading.wanted)),
        head=reading.names[most],
        heads=_(" and ").join(reading.names[i] for i in reading.finders),
        share=reading.shares[most],
        said=reading.said,
        half=FOUND,
    )
    return bool(reading.finders) and (not verdict or reading.state.guess == "1"), sentence


def drawing(reading: Reading) -> str:
    """Draw what the last word looks at in each head, what the model says next, and the curves up to this step."""
    names, run = reading.names, reading.run
    rows = {name: row.tolist() for name, row in zip(names, reading.rows)}
    off = "" if reading.state.cut == NONE else names[reading.state.cut]
    strong = [names[i] for i in reading.finders or [reading.most] * (reading.state.step > 0)]
    arcs = draw_sentence(reading.words, len(reading.words) - 1, rows, strong, reading.wanted, off)
    losses, steps = run.again_loss.tolist(), run.measured_at.tolist()
    looks = run.induction.max(axis=(1, 2)).tolist()  # of the best head, over many texts
    here = steps.index(reading.state.step)
    losses_so_far = [loss / max(losses) for loss in losses[: here + 1]]
    lines = {
        _("loss where words repeat {loss:.2f}").format(loss=losses[here]): losses_so_far,
        _("best head in 32 texts {look:.2f}").format(look=looks[here]): looks[: here + 1],
    }
    marks = []
    found = next((i for i, look in enumerate(looks) if look >= FOUND), len(looks))
    if found <= here:
        marks.append((1, found, _("step {step}: the best head gives 0.5").format(step=steps[found])))
    ends = "0", _("training step {step}").format(step=reading.state.step), str(STEPS)
    chart = draw_curves([step / STEPS for step in steps[: here + 1]], lines, here, ends, marks, CHART)
    return draw_training(arcs, _("The model's next word"), reading.guesses(), chart)


class CopyingLab(TrainingLab):
    """The lab: play a training, or slide through it, and see what the heads look at in a text of the reader's."""

    stops, step_is = STORED, _("step ({n} stored)").format(n=len(STORED))
    vocabulary, guesses = {word: word for word in WORDS}, GUESSES
    presets: Mapping[str, tuple[str, CopyingState]] = {
        "before": ("two layers, before training", CopyingState()),
        "drop": ("two layers, in the middle of the drop", CopyingState(step=160)),
        "after": ("two layers, after training", CopyingState(step=STEPS)),
        "cut": ("two layers, one head of layer 0 cut", CopyingState(step=STEPS, cut=0)),
        "one": ("one layer, after training", CopyingState("one", step=STEPS)),
    }

    def play_on(self) -> float | None:
        """Show the next stored model, from the first again after the last; return how long it stays."""
        step = STORED[(STORED.index(self.state.step) + 1) % len(STORED)]
        self.change(replace(self.state, step=step), ("play", self.player.round))
        return None if step == STEPS else PAUSE

    def more(self) -> list[Any]:
        self.cut = self.menu(_("cut head"), self._cuts(self.state), "cut", width="15em")
        return [self.cut, *super().more()]

    def at_step(self, state: CopyingState, step: int) -> CopyingState:
        return replace(state, step=min(STORED, key=lambda stored: abs(stored - step)))

    def with_text(self, state: CopyingState, text: str) -> Any:
        state = super().with_text(state, text.lower())
        if len(set(state.words)) == 1:
            raise Refusal(_("Please use at least two different words. If all are the same, any head seems to copy."))
        return state

    def _cuts(self, state: CopyingState) -> dict[int, str]:
        return {NONE: _("none")} | dict(enumerate(head_names(state.run)))

    def tell(self, state: CopyingState) -> None:
        self.reading = Reading(state)
        self.drawing.show(drawing(self.reading))
        self.say_goal(*goal_of(self.reading))
        right = self.reading.measure.accuracy
        lines = [_("In 32 other texts, it guesses {right:.0%} of repeats right.").format(right=right)]
        if state.cut != NONE:
            lines.append(_("The curves are of the model with no head cut."))
        elif self.reading.verdict():
            lines.append(_("Only layer 1 can read what layer 0 has found."))
        self.line.say(" ".join(lines))
        self.ask(self.reading.is_asked, self.step)
        options = tuple((name, head) for head, name in self._cuts(self.state).items())
        if self.cut.options != options:
            self.cut.options, self.cut.value = options, state.cut
