"""The copying lab: train a small language model, and see which head learns to look at what followed a word before."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._words import Refusal, _
from ...examples.small_models import measure_copying
from ...training.copying import STEPS, WORDS
from ..training_lab import TrainingLab
from ..training_picture import draw_curves, draw_sentence, draw_training
from .copying_course import EVERY, HEADS, Course

N_HEADS, N_GUESSES, N_NEW = 4, 3, 4
NONE = -1  # no head is cut
OWN = "own two"  # the run that the reader trains; the others are stored
SHORT = 7  # words: in shorter texts a trained model is often wrong
FOUND = 0.5  # of the attention of the last word, and of what the model says; as it is written: with two decimals
CHART = 128  # how high the curves are
LAYERS = {OWN: 2, "two": 2, "one": 1}
TEXT = "door egg moon hat ship tree hat"


@dataclass(frozen=True)
class CopyingState:
    """Which run, which step of it, which head is cut, and the text it reads."""

    run: str = OWN
    seed: int = 0  # of a run that the reader trains
    step: int = 0
    cut: int = NONE  # among all heads
    text: str = TEXT

    @property
    def words(self) -> list[str]:
        return self.text.split()


class Reading:
    """What a model of a course makes of a text; of a step that was not stored, the nearest model is taken."""

    def __init__(self, course: Course, state: CopyingState) -> None:
        self.course, self.state, self.words = course, state, state.words
        self.place = course.place_near(state.step)
        self.step = course.steps[self.place]
        model = course.models[self.place]
        self.model = model if state.cut == NONE else model.without_head(*divmod(state.cut, course.n_heads))
        self.names = head_names(course.n_heads)
        self.trace = self.model(self.model.ids(self.words))
        self.rows = np.array([row for layer in self.trace.layers for row in layer.heads.weights[:, -1]])  # (4, n)
        earlier = [i for i, word in enumerate(self.words[:-1]) if word == self.words[-1]]
        self.wanted = [i + 1 for i in earlier]  # what followed the last word before
        self.shares = self.rows[:, self.wanted].sum(axis=1)  # (4,)
        self.measure = course.measures[self.step] if state.cut == NONE else measure_copying(self.model)
        self.most = int(np.where(np.arange(N_HEADS) == state.cut, NONE, self.shares).argmax())
        wanted = {self.words[i] for i in self.wanted}
        self.said = float(sum(self.trace.probabilities[-1][self.model.ids(list(wanted))]))  # what it says of these

    @property
    def finders(self) -> list[int]:
        """The heads that look from the last word to what followed it before, where the model then says that word."""
        if round(self.said, 2) < FOUND:  # as in “hat ship hat”, where a head may just look one word back
            return []
        return [i for i, share in enumerate(self.shares) if i != self.state.cut and round(float(share), 2) >= FOUND]

    def guesses(self) -> dict[str, float]:
        """Return the words that it finds likeliest next, with their probabilities."""
        shares = self.trace.probabilities[-1]
        best = np.argsort(-shares, kind="stable")[:N_GUESSES]
        return {self.model.words[i]: float(shares[i]) for i in best}

    def continued(self) -> list[str]:
        """Return how the text goes on, the likeliest word each time."""
        words: list[str] = self.model.generate(self.words, N_NEW)
        return words[len(self.words) :]


def head_names(n_heads: int) -> list[str]:
    """Name each head of a model with so many in a layer."""
    heads = (divmod(i, n_heads) for i in range(N_HEADS))
    return [_("layer {layer}, head {head}").format(layer=layer, head=head) for layer, head in heads]


def goal_of(reading: Reading) -> tuple[bool, str]:
    words, most = reading.words, reading.most
    if not reading.wanted:
        line = _("{word} is new in this text, so nothing can be copied. End with a word that comes twice.")
        return False, line.format(word=words[-1])
    if reading.step < reading.state.step:
        line = _("You were at step {step}. Train the same run again up to there.")
    elif reading.finders:
        line = _("Goal reached: {heads} looks from “{last}” to “{next}”.")
        if len(reading.finders) > 1:
            line = _("Goal reached: {heads} look from “{last}” to “{next}”.")
    elif len(reading.course.steps) == 1:
        line = _("Press train. Which head learns to look from “{last}” to “{next}”?")
    elif len(words) < SHORT and reading.measure.induction.max() >= FOUND:  # it is trained
        line = _("“{next}” gets {said:.2f} as the next word: in short texts, it is often wrong. Try a longer one.")
    elif round(float(reading.shares[most]), 2) < FOUND:
        line = _("From “{last}” to “{next}”, most so far: {head}, {share:.2f}. Which head gets to {half:.2f}?")
    else:
        line = _("“{next}” gets {share:.2f} from {head}, but {said:.2f} as the next word. Both need {half:.2f}.")
    sentence = line.format(
        last=words[-1],
        next=_("” or “").join(dict.fromkeys(words[i] for i in reading.wanted)),
        head=reading.names[most],
        heads=_(" and ").join(reading.names[i] for i in reading.finders),
        share=reading.shares[most],
        said=reading.said,
        half=FOUND,
        step=reading.state.step,
    )
    return bool(reading.finders), sentence


def drawing(reading: Reading) -> str:
    """Draw what the last word looks at in each head, what the model says next, and the curves of its training."""
    names, measures = reading.names, reading.course.measures
    rows = {name: row.tolist() for name, row in zip(names, reading.rows)}
    off = "" if reading.state.cut == NONE else names[reading.state.cut]
    strong = [names[i] for i in reading.finders or [reading.most]]
    arcs = draw_sentence(reading.words, len(reading.words) - 1, rows, strong, reading.wanted, off)
    losses = [float(measure.again_loss) for measure in measures.values()]
    looks = [float(measure.induction.max()) for measure in measures.values()]  # of the best head, over many texts
    steps = list(measures)
    here = steps.index(reading.step)
    lines = {
        _("loss where words repeat {loss:.2f}").format(loss=losses[here]): [loss / max(losses) for loss in losses],
        _("best head in 32 texts {look:.2f}").format(look=looks[here]): looks,
    }
    marks = []
    if max(looks) >= FOUND:
        found = next(i for i, look in enumerate(looks) if look >= FOUND)
        marks.append((1, found, _("step {step}: the best head gives 0.5").format(step=steps[found])))
    ends = "0", _("training step {step}").format(step=reading.step), str(STEPS)
    chart = draw_curves([step / STEPS for step in steps], lines, here, ends, marks, CHART)
    return draw_training(arcs, _("The model's next word"), reading.guesses(), chart)


class CopyingLab(TrainingLab):
    """The lab: train a model, or slide through its steps, and see what its heads look at in a text of the reader's.

    Examples
    --------
    >>> CopyingLab("after").reading.continued()[0]
    'ship'
    """

    n_steps, every, vocabulary = STEPS, EVERY, {word: word for word in WORDS}
    play_label = _("▶ train")
    presets: Mapping[str, tuple[str, CopyingState]] = {
        "own": ("two layers to train yourself", CopyingState()),
        "before": ("two layers, before training", CopyingState("two")),
        "drop": ("two layers, in the middle of the drop", CopyingState("two", step=160)),
        "after": ("two layers, after training", CopyingState("two", step=STEPS)),
        "cut": ("two layers, one head of layer 0 cut", CopyingState("two", step=STEPS, cut=0)),
        "one": ("one layer, after training", CopyingState("one", step=STEPS)),
    }

    def __init__(self, start: str = "") -> None:
        self._courses: dict[tuple[int, int | None], Course] = {}
        self.reading: Reading
        super().__init__(start)

    # -- training: a course only grows, so that neither stop nor undo loses what was learned -------------

    def course_of(self, state: CopyingState) -> Course:
        """Return the course of a run; one that the reader trains is begun when it is first asked for."""
        key = LAYERS[state.run], state.seed if state.run == OWN else None
        if key not in self._courses:
            self._courses[key] = Course(*key)
        return self._courses[key]

    def _read(self, state: CopyingState) -> Reading:
        return Reading(self.course_of(state), state)

    def play_on(self) -> float | None:
        """Take some steps and show them; return that the next follow at once, None where training ends."""
        if self.is_behind:
            course = self.course_of(self.state)
            goes_on = course.go_on()
            self.refresh()
            return 0.0 if goes_on and self.is_behind else None
        state = replace(self.state, run=OWN)  # a stored run gives way to the reader's own
        course = self.course_of(state)
        was_done = course.is_done
        goes_on = course.go_on()
        self.change(replace(state, step=course.steps[-1]), ("train", self.player.round))
        if was_done:
            self.refresh(_("This run is trained to its end. Choose another seed behind More to train anew."))
        return 0.0 if goes_on else None

    @property
    def is_behind(self) -> bool:
        """Whether the reader was further on another day: only the step was kept, not the weights."""
        return self.reading.step < self.state.step

    def resume(self, kept: CopyingState) -> None:
        """Go to where the reader was, and train the run again up to there."""
        super().resume(kept)
        if self.is_behind:
            self.player.begin()

    # -- controls and picture ----------------------------------------------------------------------------

    def more(self) -> list[Any]:
        self.cut = self.menu(_("cut head"), self._cuts(self.state), "cut", width="15em")
        return [self.cut, *super().more()]

    def at_step(self, state: CopyingState, step: int) -> CopyingState:
        """Return the state at the kept step nearest to one; where that is shown already, at the next."""
        course = self.course_of(state)
        return replace(state, step=course.steps[course.place_near(step, self.reading.place)])

    def with_seed(self, state: CopyingState, seed: int) -> CopyingState:
        state = replace(state, seed=seed)
        return replace(state, step=self.course_of(state).steps[-1])

    def with_text(self, state: CopyingState, text: str) -> Any:
        state = super().with_text(state, text.lower())
        if len(set(state.words)) == 1:
            raise Refusal(_("Please use at least two different words. If all are the same, any head seems to copy."))
        return state

    def _cuts(self, state: CopyingState) -> dict[int, str]:
        return {NONE: _("none")} | dict(enumerate(head_names(HEADS[LAYERS[state.run]])))

    def tell(self, state: CopyingState) -> None:
        self.reading = self._read(state)
        self.drawing.show(drawing(self.reading))
        self.say_goal(*goal_of(self.reading))
        line = _(
            "In 32 other texts, {right:.0%} of its guesses are right where words repeat. This one goes on: {words}."
        )
        lines = [line.format(right=self.reading.measure.accuracy, words=" ".join(self.reading.continued()))]
        if state.cut != NONE:
            lines.append(_("The curves are of the model with no head cut."))
        self.line.say(*lines)
        self.step.show(self.reading.step)  # of a run that was kept for another day nothing is trained yet
        self.seed.disabled = state.run != OWN
        options = tuple((name, head) for head, name in self._cuts(self.state).items())
        if self.cut.options != options:
            self.cut.options, self.cut.value = options, state.cut

    # -- the stored picture: the question, before training, whatever the lab shows --------------------------

    def still_figure(self) -> Any:
        from ... import plots  # here, so that a live view never waits for matplotlib

        reading, title = self._read(self.presets["before"][1]), self.still_title()
        return plots.heatmap(reading.rows, reading.names, reading.words, title=title, row_axis=_("head"), vmax=1)

    def still_title(self) -> str:
        reading = self._read(self.presets["before"][1])
        title = _("Before training, all heads look everywhere. Which learns to look from “{last}” to “{next}”?")
        return title.format(last=reading.words[-1], next=reading.words[reading.wanted[-1]])
