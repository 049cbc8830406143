"""The copying lab: train a small language model at a button, look into it at every step, and cut its heads.

`CopyingModel` is plain: a state, the course of the run it belongs to, its trace. A
course only grows, so neither stop nor undo loses what was learned. `CopyingLab`
trains a little at a time, so that the page can answer in between.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import ipywidgets
import numpy as np
from numpy.typing import NDArray

from ..examples.copying_course import EVERY, Course
from ..examples.copying_starts import N_HEADS, RUNS, STATES, CopyingState
from ..examples.small_models import CopyingMeasure, measure_copying
from ..training.copying import STEPS
from ..view.controls import WRAP, NumberSlider, Player, Sentence, choice, sentence_box
from ..view.history import Reversible, preset_of
from ..view.lab import Lab
from ..view.matrix_view import MatrixView
from ..view.panel import Panel
from ..view.pictures import curve
from ..view.typed import read_words

SECONDS, N_SEEDS = 60.0, 10  # of training, for one press of the button; to choose from
MOST_WITH_DIGITS = 7  # tokens: four larger maps with digits do not stand side by side
MOST_TOKENS, N_NEW, N_GUESSES = 12, 4, 3
COLUMNS = list(range(0, STEPS + 1, 2 * EVERY))  # of the overview: steps
MAPS = [f"head {i}" for i in range(N_HEADS)]
ARRANGEMENT = [MAPS, ["through time"]]

PRESETS = {
    "before": "two layers, before training",
    "drop": "two layers, in the middle of the drop",
    "after": "two layers, after training",
    "cut": "two layers, one head of layer 0 cut",
    "one": "one layer, after training",
    "own": "two layers to train yourself",
}
RUN_LABELS = {
    "two": "two layers, the stored run",
    "one": "one layer, the stored run",
    "own two": "two layers, train them",
    "own one": "one layer, train it",
}
LABELS = {
    "play": "▶ train",
    "stop": "■ stop",
    "step": "training step",
    "run": "model",
    "seed": "seed",
    "cut": "cut head",
    "text": "your words",
    "placeholder": "words of the model, then Enter",
}
MESSAGES = {
    "status": "Step {step} of {last}. Where words come again: loss {again:.2f}, {right:.0%} right. "
    "Where they are new: loss {first:.2f}.",
    "guess": "Next: {guesses}. It goes on: {words}.",
    "one guess": "{word} {share:.2f}",
    "comma": ", ",
    "score": "induction score {score:.2f}",
    "cut": "cut: adds nothing",
    "loss": "loss {loss:.2f} (at step 0: {first:.2f})",
    "head": "layer {layer}, head {head}",
    "no head": "none",
    "time": "Induction score of each head, step by step",
    "bar": "step {step} of {last}, loss {loss:.2f}",
    "no bar": "Nothing is being trained.",
    "stopped": "Stopped at step {step}. What was learned stays; press again to go on.",
    "interrupted": "Interrupted at step {step}. What was learned stays; press again to go on.",
    "time is up": "{seconds:.0f} seconds of training are over, at step {step}. Press again to go on.",
    "done": "Trained to the end, step {step}. Slide back to see how it came about.",
    "own": "Your words.",
    "still title": "Copying lab: the four heads after training",
    "still text": "Copying lab. {status}",
}


class CopyingModel(Reversible[CopyingState]):
    """A state, the course and the model it shows, the trace of its text, and the way back.

    Examples
    --------
    >>> model = CopyingModel("after")
    >>> model.continued()[0]
    'ship'
    """

    presets = STATES

    def __init__(self, preset: str = "own") -> None:
        self._courses: dict[tuple[int, int | None], Course] = {}
        super().__init__(preset_of(STATES, preset))

    def choose(self, run: str, seed: int) -> None:
        """Show another run: what is trained at its last step, what is stored at the same place."""
        chosen = replace(self.state, run=run, seed=seed)
        course = self.course_of(chosen)
        self._go(chosen if course.is_stored else replace(chosen, place=len(course.steps) - 1))

    def begin_training(self) -> Course:
        """Show the newest step of a run that can be trained; a stored run gives way to one of as many layers."""
        n_layers, own = RUNS[self.state.run]
        run = self.state.run if own else next(name for name, kind in RUNS.items() if kind == (n_layers, True))
        self.choose(run, self.state.seed)
        return self.course

    def go_to(self, place: int, gesture: object = None) -> None:
        """Show another step of the run; those of one gesture are undone together."""
        self._go(replace(self.state, place=place), gesture)

    def go_near(self, step: int, gesture: object = None) -> None:
        """Show what was kept nearest to a step; where that is what is shown, the next one in that direction."""
        self.go_to(self.course.place_near(step, self.state.place), gesture)

    def cut(self, head: int | None) -> None:
        """Let one head add nothing, counted through all layers; None mends it."""
        self._go(replace(self.state, cut=head))

    def read(self, text: str) -> None:
        """Show another text.

        Raises
        ------
        ValueError
            With a sentence for the reader, if it cannot be shown.
        """
        words = read_words(text, MOST_TOKENS)
        self.whole.ids(words)  # refuses a word that it does not know
        self._go(replace(self.state, text=words))

    def course_of(self, state: CopyingState) -> Course:
        """Return the course of a state's run; one that the reader trains is begun when it is first asked for."""
        n_layers, own = RUNS[state.run]
        key = n_layers, state.seed if own else None
        if key not in self._courses:
            self._courses[key] = Course(*key)
        return self._courses[key]

    @property
    def whole(self) -> Any:
        """The language model at the step shown, no head cut."""
        return self.course.models[self.state.place]

    @property
    def step(self) -> int:
        """The training step shown."""
        return self.course.steps[self.state.place]

    def heads(self) -> list[tuple[int, int]]:
        """Return layer and head of each head, counted through."""
        return [divmod(i, self.course.n_heads) for i in range(N_HEADS)]

    def measure(self) -> CopyingMeasure:
        """Return what was measured at this step; with a head cut, measure again."""
        return self.course.measures[self.state.place] if self.state.cut is None else measure_copying(self.model)

    def maps(self) -> dict[str, NDArray[Any]]:
        """Return the map of each head over the text, (n, n), by the name of its panel."""
        weights = [self.trace.layers[layer].heads.weights[head] for layer, head in self.heads()]
        return dict(zip(MAPS, weights))

    def matrices(self) -> dict[str, NDArray[Any]]:
        """Return what the panels show, by name."""
        return self.maps() | {"through time": self.course.induction_over(COLUMNS)}

    def continued(self, n_new: int = N_NEW) -> list[str]:
        """Return the words that follow the text, the likeliest each time."""
        words: list[str] = self.model.generate(self.state.text, n_new)
        return words[len(self.state.text) :]

    def status(self) -> str:
        """Say how far the model is, and how good."""
        found = self.measure()
        told = {"again": found.again_loss, "right": found.accuracy, "first": found.first_loss}
        return MESSAGES["status"].format(step=self.step, last=STEPS, **told)

    def guess_text(self) -> str:
        """Say which words it finds likeliest next, and how it would go on."""
        shares = self.trace.probabilities[-1]
        best = np.argsort(-shares, kind="stable")[:N_GUESSES]
        told = [MESSAGES["one guess"].format(word=self.model.words[i], share=shares[i]) for i in best]
        return MESSAGES["guess"].format(guesses=MESSAGES["comma"].join(told), words=" ".join(self.continued()))

    def captions(self) -> dict[str, str]:
        """Return the induction score of each head, to stand under its map."""
        scores = np.ravel(self.measure().induction)
        said = {name: MESSAGES["score"].format(score=score) for name, score in zip(MAPS, scores)}
        return said if self.state.cut is None else said | {MAPS[self.state.cut]: MESSAGES["cut"]}

    def loss_curve(self) -> str:
        """Draw the loss where words come again, with a point at the step shown."""
        steps, losses = self.course.again_losses()
        here = steps.index(self.step)
        title = MESSAGES["loss"].format(loss=losses[here], first=losses[0])
        return curve(losses, here, title, ("0", str(steps[-1])), width=250)

    def code(self) -> str:
        """Lines that give the first map shown, with attention_lib alone."""
        cut = () if self.state.cut is None else divmod(self.state.cut, self.course.n_heads)
        return self.course.code(self.state.place, self.state.text, cut)

    def _show(self, state: CopyingState) -> None:
        self.course = self.course_of(state)
        self.state = replace(state, place=min(state.place, len(self.course.steps) - 1))
        cut = self.state.cut
        self.model = self.whole if cut is None else self.whole.without_head(*divmod(cut, self.course.n_heads))
        self.trace = self.model(self.model.ids(self.state.text))


class CopyingLab(Lab):
    """The lab: a button that trains, a slider over the steps, the maps of all heads, and the reader's own words.

    Parameters
    ----------
    preset : str, optional
        A key of `PRESETS` to start from.
    seconds : float, optional
        Of training, for one press of the button.
    clock : callable, optional
        Returns seconds of work.
    """

    model: CopyingModel

    def __init__(
        self, preset: str = "own", *, seconds: float = SECONDS, clock: Callable[[], float] = time.process_time
    ) -> None:
        self.model = CopyingModel(preset)
        self._seconds, self._clock, self._spent, self._round, self._in_step = seconds, clock, 0.0, 0, False
        self._trained: Course | None = None  # what the button trains, or trained last
        self._make_common(PRESETS, width="22em", lines=9)
        self._make_controls()
        self.view = MatrixView(self._panels(), arrangement=ARRANGEMENT, still=MAPS)
        words = ipywidgets.VBox([*self._top, self._status, self._guess])
        words.add_class("copying-words")
        self._begin("copying-lab", [ipywidgets.HBox([words, self._loss], layout=WRAP), self.view, self._code.area])

    # -- training ---------------------------------------------------------------------------

    def _train_on(self) -> bool:
        """Train a little and show it; False where it ends."""
        self._in_step = True
        if self._round != self.player.round:
            self._in_turn(self._begin_training)
        course = self._trained
        assert course is not None
        newest, begun = len(course.steps) - 1, self._clock()
        more = course.go_on()
        self._spent += self._clock() - begun
        with self._lock:
            end = self._end(course, more)
            if self.model.course is course and self.model.state.place == newest:  # who looks back is left there
                self.model.go_to(len(course.steps) - 1, "train")
            self._refresh(changed=False, said=self._said_of(end))
            self._in_step = False
        return not end

    def _begin_training(self) -> None:
        self._round, self._spent, self._trained = self.player.round, 0.0, self.model.begin_training()

    def _end(self, course: Course, more: bool) -> str:
        """Return why training ends here, by the name of its sentence; "" where it goes on."""
        if course.is_done:
            return "done"
        if not more:
            return "interrupted"
        if not self.player.plays:
            return "stopped"
        return "time is up" if self._spent >= self._seconds else ""

    def _said_of(self, end: str) -> str:
        assert self._trained is not None
        return MESSAGES[end].format(step=self._trained.steps[-1], seconds=self._seconds) if end else ""

    def _pressed(self, _: Any) -> None:
        """Hear the button after the player has: where that stopped between two steps, no step will say so."""
        with self._lock:
            if not (self.player.plays or self._in_step or self._message.value):
                self._message.say(self._said_of("stopped"))

    # -- what else the reader does ----------------------------------------------------------

    def _stepped(self, step: int, gesture: object) -> None:
        with self._lock:
            self.model.go_near(step, gesture)
            self._refresh()

    def _chosen(self, _: Any) -> None:
        self.model.choose(self._run.value, self._seed.value)
        self._refresh(changed=False)

    def _cut_chosen(self, head: int) -> None:
        self.model.cut(None if head < 0 else head)
        self._refresh()

    def _text_given(self, text: str) -> None:
        self._try(lambda: self.model.read(text), MESSAGES["own"])

    # -- what is shown ----------------------------------------------------------------------

    def _shape(self) -> Any:
        return self.model.state.text, self.model.course.n_layers

    def _arrangement(self) -> list[list[str]]:
        return ARRANGEMENT

    def _head_names(self) -> list[str]:
        return [MESSAGES["head"].format(layer=layer, head=head) for layer, head in self.model.heads()]

    def _panels(self) -> dict[str, Panel]:
        words, names = list(self.model.state.text), self._head_names()
        dense = len(words) > MOST_WITH_DIGITS
        panels = {
            name: Panel(shown, words, words, kind="weights", title=title, small=True, dense=dense, stretch=False)
            for (name, shown), title in zip(self.model.maps().items(), names)
        }
        panels["through time"] = Panel(
            self.model.course.induction_over(COLUMNS),
            names,
            list(map(str, COLUMNS)),
            kind="weights",
            title=MESSAGES["time"],
            row_axis="head",
            column_axis="step",
            small=True,
            dense=True,
            stretch=False,
            blanks=True,
        )
        return panels

    def _update(self, changed: bool) -> None:
        model = self.model
        last = len(model.state.text) - 1
        marks: dict[str, list[tuple[int | None, int | None]]] = {name: [(last, None)] for name in MAPS}
        marks["through time"] = [(None, min(round(model.step / COLUMNS[1]), len(COLUMNS) - 1))]
        self.view.update(model.matrices(), changed=changed, highlight=marks, captions=model.captions())

    def _follow(self) -> None:
        state, course = self.model.state, self.model.course
        self._step.show(self.model.step)
        self._run.value, self._seed.value = state.run, state.seed
        self._seed.disabled = course.is_stored
        names = [MESSAGES["no head"], *self._head_names()]
        if self._cut.options != (options := tuple((name, i) for i, name in enumerate(names, -1))):
            self._cut.options = options
        self._cut.value = -1 if state.cut is None else state.cut
        self._text.value = " ".join(state.text)
        self._status.say(self.model.status(), strong=True)
        self._guess.say(self.model.guess_text())
        self._loss.value = self.model.loss_curve()
        for i in range(N_HEADS):
            (self.add_class if state.cut == i else self.remove_class)(f"off-{i}")
        own = self._trained if self.player.plays or not course.is_stored else None  # the bar is of the reader's own run
        self._bar.value, loss = (own.steps[-1], own.measures[-1].again_loss) if own else (0, 0)
        self._bar_text.say(MESSAGES["bar" if own else "no bar"].format(step=self._bar.value, last=STEPS, loss=loss))

    def _make_controls(self) -> None:
        self._step = NumberSlider(LABELS["step"], 0, 0, STEPS, self._stepped, n_steps=STEPS // EVERY, width="17em")
        self._run = choice(LABELS["run"], RUN_LABELS, "two", "18em")
        self._seed = choice(LABELS["seed"], {seed: str(seed) for seed in range(N_SEEDS)}, 0, width="8em")
        self._cut = choice(LABELS["cut"], {-1: MESSAGES["no head"]}, -1, "17em")
        self._text = sentence_box(LABELS["text"], LABELS["placeholder"], width="26em")
        self._status, self._loss = Sentence("copying-status", says=True), ipywidgets.HTML()
        self._bar = ipywidgets.IntProgress(value=0, min=0, max=STEPS, layout={"width": "18em"})
        self._bar_text, self._guess = Sentence("copying-bar", MESSAGES["no bar"]), Sentence("copying-guess", says=True)
        self.player = Player(LABELS, self._train_on, 0.0)
        self.player.button.on_click(self._pressed)
        self._top = [
            ipywidgets.HBox([self._preset, self._tools(), self._message], layout=WRAP),
            ipywidgets.HBox([self._run, self._seed, self._cut], layout=WRAP),
            ipywidgets.HBox([self.player.button, self._bar, self._bar_text], layout=WRAP),
            ipywidgets.HBox([self._step, self._text], layout=WRAP),
        ]
        self._run.observe(self._heard(self._chosen), "value")
        self._seed.observe(self._heard(self._chosen), "value")
        self._cut.observe(self._heard(self._cut_chosen), "value")
        self._text.observe(self._heard(self._text_given), "value")

    # -- the still picture ------------------------------------------------------------------

    def still_figure(self) -> Any:
        """The four maps of the stored run after training, for readers without a kernel."""
        from .. import plots  # here, so that a live view never waits for matplotlib

        model = CopyingModel("after")
        names = [MESSAGES["head"].format(layer=layer, head=head) for layer, head in model.heads()]
        maps = dict(zip(names, model.maps().values()))
        words = list(model.state.text)
        return plots.heatmaps(maps, words, words, title=MESSAGES["still title"], vmax=1)

    def still_text(self) -> str:
        """Say in words what the picture shows."""
        return MESSAGES["still text"].format(status=CopyingModel("after").status())
