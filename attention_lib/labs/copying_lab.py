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
from ..view.controls import WRAP, Answer, NumberSlider, Sentence, choice, sentence_box
from ..view.history import Reversible, preset_of
from ..view.lab import Lab
from ..view.matrix_view import MatrixView
from ..view.panel import Panel, shortened
from ..view.pictures import curve
from ..view.player import Player
from ..view.typed import read_words
from .copying_words import LABELS, MESSAGES, PRESETS, RUN_LABELS

SECONDS, N_SEEDS = 60.0, 10  # of training, for one press of the button; to choose from
MOST_WITH_DIGITS = 7  # tokens: four larger maps with digits do not stand side by side
STORED = -1  # in the menu of seeds: there is none to choose
MOST_TOKENS, N_NEW, N_GUESSES = 12, 4, 3
COLUMNS = list(range(0, STEPS + 1, 2 * EVERY))  # of the overview: steps
MAPS = [f"head {i}" for i in range(N_HEADS)]
ARRANGEMENT = [MAPS, ["through time"]]


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
        words, known = read_words(text.lower(), MOST_TOKENS), self.whole.words
        unknown = [word for word in words if word not in known]
        if unknown:
            raise ValueError(MESSAGES["unknown"].format(word=shortened(unknown[0])))
        self._go(replace(self.state, text=words))

    @property
    def copies_the_first(self) -> bool:
        """Whether what is to be copied followed the very first word, which has no word before it."""
        *before, last = self.state.text
        return last in before and max(i for i, word in enumerate(before) if word == last) == 0

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
        if self.state.cut is None:
            return said | {"through time": ""}
        return said | {MAPS[self.state.cut]: MESSAGES["cut"], "through time": MESSAGES["time uncut"]}

    def loss_curve(self) -> str:
        """Draw the loss where words come again, with a point at the step shown."""
        steps, losses = self.course.again_losses()
        here = steps.index(self.step)
        title = self._uncut("loss", "loss uncut").format(loss=losses[here], first=losses[0])
        return curve(losses, here, title, ("0", str(STEPS)), width=250, at=[step / STEPS for step in steps])

    def bar_text(self, course: Course | None) -> str:
        """Say how far a course is that the reader trains; None where there is none."""
        if course is None:
            return MESSAGES["no bar"]
        said = self._uncut("bar", "bar uncut") if course is self.course else MESSAGES["other bar"]
        return said.format(**vars(course), step=course.steps[-1], last=STEPS, loss=course.measures[-1].again_loss)

    def column(self) -> int:
        """Return the place in the overview of the step shown, or of the last before it that has a column."""
        return int(np.searchsorted(COLUMNS, self.step, side="right")) - 1

    def _uncut(self, whole: str, uncut: str) -> str:
        """Return a message about the whole model; with a head cut, the one that says that it is about that."""
        return MESSAGES[whole if self.state.cut is None else uncut]

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
    player: Player

    def __init__(
        self, preset: str = "own", *, seconds: float = SECONDS, clock: Callable[[], float] = time.process_time
    ) -> None:
        self.model = CopyingModel(preset)
        self._seconds, self._clock, self._spent, self._round = seconds, clock, 0.0, 0
        self._trained: Course | None = None  # what the button trains, or trained last
        self._trains = False
        self._make_common(PRESETS, width="26em", lines=9)
        self._make_controls()
        self.view = MatrixView(self._panels(), arrangement=ARRANGEMENT, still=MAPS)
        goal = Sentence("lab-goal")
        goal.say(LABELS["goal"], strong=True)
        top = ipywidgets.HBox([ipywidgets.VBox(self._top), self._loss], layout=WRAP).add_class("lab-top")
        said = [self._status, self._words, self._guess]
        self._begin("copying-lab", [goal, top, *said, self.view, self._code.area])

    # -- training ---------------------------------------------------------------------------

    def _train_on(self) -> bool:
        """Train a little and show it; False where it ends."""
        if self._round != self.player.round:
            self._begin_training()
        course = self._trained
        assert course is not None
        newest, begun = len(course.steps) - 1, self._clock()
        more = course.go_on()
        self._spent += self._clock() - begun
        end = self._end(course, more)
        self._trains = not end
        if self.model.course is course and self.model.state.place == newest:  # who looks back is left there
            self.model.go_to(len(course.steps) - 1, ("train", self._round))
        self._refresh(changed=False, said=self._said_of(end))
        return not end

    def _begin_training(self) -> None:
        self._round, self._spent, self._trained = self.player.round, 0.0, self.model.begin_training()
        self._trains = True

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
        course = self._trained
        assert course is not None
        name = end if self.model.course is course else "other end"
        return MESSAGES[name].format(**vars(course), step=course.steps[-1], seconds=self._seconds) if end else ""

    def _pressed(self, _: Any) -> None:
        """Hear the button after the player has: where that stopped between two steps, no step will say so."""
        if not (self.player.plays or self._message.value):
            self._message.say(self._said_of("stopped"))

    # -- what else the reader does ----------------------------------------------------------

    def _stepped(self, step: int, gesture: object) -> None:
        self.model.go_near(step, gesture)
        self._refresh()

    def _chosen(self, _: Any) -> None:
        seed = self.model.state.seed if self._seed.value == STORED else self._seed.value
        self.model.choose(self._run.value, seed)
        self._refresh(changed=False)

    def _cut_chosen(self, head: int) -> None:
        self.model.cut(None if head < 0 else head)
        self._refresh()

    def _text_given(self, text: str) -> None:
        self._try(
            lambda: self.model.read(text), lambda: MESSAGES["own first" if self.model.copies_the_first else "own"]
        )

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
        marks["through time"] = [(None, model.column())]
        self.view.update(model.matrices(), changed=changed, highlight=marks, captions=model.captions())

    def _follow(self) -> None:
        state, course = self.model.state, self.model.course
        self._step.show(self.model.step)
        self._run.value, self._seed.value = state.run, STORED if course.is_stored else state.seed
        self._seed.disabled = course.is_stored
        self._seed.tooltip = MESSAGES["seed stored"] if course.is_stored else LABELS["seed"]
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
        begun = course if course.steps[-1] and not course.is_stored else None  # the bar is of the reader's own run
        own = self._trained if self.player.plays and self._trains else begun
        self._bar.value = own.steps[-1] if own else 0
        self._bar_text.say(self.model.bar_text(own))

    def _make_controls(self) -> None:
        self._step = NumberSlider(LABELS["step"], 0, 0, STEPS, self._stepped, n_steps=STEPS // EVERY, width="22em")
        self._run = choice(LABELS["run"], RUN_LABELS, "two", "20em")
        seeds = {STORED: LABELS["stored"]} | {seed: str(seed) for seed in range(N_SEEDS)}
        self._seed = choice(LABELS["seed"], seeds, 0, width="8.5em").add_class("menu-says")
        self._cut = choice(LABELS["cut"], {-1: MESSAGES["no head"]}, -1, "15em")
        self._text = sentence_box(LABELS["text"], LABELS["placeholder"], width="26em")
        self._answer = Answer(LABELS["words"].format(words=MESSAGES["comma"].join(self.model.whole.words)))
        self._status, self._loss = Sentence("copying-status", says=True), ipywidgets.HTML()
        self._bar = ipywidgets.IntProgress(value=0, min=0, max=STEPS, layout={"width": "18em"})
        self._bar_text, self._guess = Sentence("copying-bar", MESSAGES["no bar"]), Sentence("copying-guess", says=True)
        self.player = Player(LABELS, self._train_on, 0.0, gives_way=False)  # who looks elsewhere is left there
        self.player.button.on_click(self._pressed)
        self._top = [
            ipywidgets.HBox([self._preset, self._tools()], layout=WRAP),
            ipywidgets.HBox([self._run, self._seed, self._cut], layout=WRAP),
            self._step,
            ipywidgets.HBox([self.player.button, self._bar, self._bar_text, self._message], layout=WRAP),
        ]
        self._words = ipywidgets.HBox([self._text, self._answer], layout=WRAP)
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
