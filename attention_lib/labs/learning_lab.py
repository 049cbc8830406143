"""The learning lab: slide through the training steps and watch the map of a sentence form.

`LearningModel` is plain: a state, its run, its trace. `LearningLab` shows it and passes on what the reader does.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile
from typing import Any, NamedTuple

import ipywidgets
import numpy as np
from numpy.typing import NDArray

from ..training.learning import Snapshot
from ..training.tasks import BAE, WORDS, bae_map, learn_bae, meaning_of_bae
from ..view.controls import WRAP, Answer, NumberSlider, Sentence, choice, sentence_box
from ..view.history import Reversible, preset_of
from ..view.lab import Lab
from ..view.matrix_view import MatrixView
from ..view.panel import Panel, shortened
from ..view.pictures import curve
from ..view.player import Player
from ..view.titles import TITLES
from ..view.typed import read_words
from .learning_words import CASE_LABELS, LABELS, MESSAGES, PRESETS, SENTENCE_LABELS

STEPS, EVERY = 150, 5
MOST_TOKENS, N_SEEDS = 12, 10
LARGEST = 100.0  # what a panel can still show; beyond it a run counts as lost
ARRANGEMENT = [["weights", "through time"], ["meaning", "K", "W_Q"]]
OWN = ""  # in the menu of sentences: the reader has typed one
TICK = 0.25  # seconds for a step of play

SENTENCES = {
    "article": ("어제", "밤에", "배", "가", "고파서", "치킨을", "시켜서", "먹었다"),
    "pear": ("오늘", "집에서", "우리는", "달콤한", "배", "깎아서"),
    "ship": ("아침에", "우리는", "항구", "배", "타고", "바다"),
    "two": ("어제", "배", "타고", "고파서"),
    "none": ("어제", "밤에", "배", "가", "시켜서"),
}
CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "slow": {"rate": 0.3},
    "fast": {"rate": 100.0},
    "unscaled": {"scale": 1.0},
    "unseen": {"leave_out": ("고파서",)},
    "few": {"n_sentences": 12},
    "frozen": {"learn_map": False},
}


@dataclass(frozen=True)
class LearningState:
    """Which run, which step of it, and which sentence."""

    case: str = "plain"
    seed: int = 0
    place: int = 0  # in the list of snapshots
    tokens: tuple[str, ...] = SENTENCES["article"]


LAST = STEPS // EVERY
STATES = {  # of the presets; a run that is lost keeps only the snapshots before its numbers grew too large
    "before": LearningState(),
    "after": LearningState(place=LAST),
    "unseen": LearningState(case="unseen", place=LAST),
    "frozen": LearningState(case="frozen", place=LAST),
    "fast": LearningState(case="fast"),
}


class Run(NamedTuple):
    """The snapshots of a run that can be shown, and the step of the first that cannot; None where all can."""

    snapshots: list[Snapshot]
    lost: int | None


def is_sound(shot: Snapshot) -> bool:
    """Say whether a panel can show the numbers of a layer."""
    return all(np.abs(W).max() < LARGEST for W in shot.layer.matrices().values())


@lru_cache(maxsize=32)
def run_of(case: str, seed: int) -> Run:
    """Train once for each case and seed.

    At which step a run that diverges leaves float64 depends on the processor: what rounding
    differs grows along. That its numbers leave the panels in the first steps does not.
    """
    sound = list(takewhile(is_sound, learn_bae(seed, steps=STEPS, every=EVERY, **CASES[case]).snapshots))
    lost = len(sound) * EVERY
    return Run(sound, lost if lost <= STEPS else None)


@lru_cache(maxsize=32)
def rows_of_bae(case: str, seed: int, tokens: tuple[str, ...]) -> NDArray[Any]:
    """Return the weights of 배 in a sentence at every snapshot of a run, (n_snapshots, n)."""
    place, scale = tokens.index(BAE), CASES[case].get("scale")
    maps = (bae_map(shot.layer, tokens, scale=scale) for shot in run_of(case, seed).snapshots)
    return np.array([trace.weights[place] for trace in maps])


def read_sentence(text: str) -> tuple[str, ...]:
    """Split a reader's sentence into words.

    Raises
    ------
    ValueError
        With a sentence for the reader, if it cannot be shown.
    """
    tokens = read_words(text, MOST_TOKENS)
    unknown = [token for token in tokens if token not in WORDS]
    if unknown:
        raise ValueError(MESSAGES["unknown"].format(word=shortened(unknown[0])))
    if tokens.count(BAE) != 1:
        raise ValueError(MESSAGES["no 배"])
    return tokens


class LearningModel(Reversible[LearningState]):
    """A state, the run and snapshot it shows, the trace of its sentence, and the way back.

    Examples
    --------
    >>> model = LearningModel()
    >>> model.go_to(0)
    >>> model.shot.step
    0
    """

    presets = STATES

    def __init__(self, preset: str = "before") -> None:
        self._reached: dict[tuple[str, int], int] = {}  # case and seed -> the furthest place that was shown
        super().__init__(preset_of(STATES, preset))

    def choose(self, case: str | None = None, seed: int | None = None) -> None:
        """Show another run at the same step, or at its last where it has fewer."""
        state = self.state
        self._go(replace(state, case=case or state.case, seed=state.seed if seed is None else seed))

    def go_to(self, place: int, gesture: object = None) -> None:
        """Show another snapshot; those of one gesture are undone together."""
        self._go(replace(self.state, place=place), gesture)

    def read(self, tokens: tuple[str, ...]) -> None:
        """Show another sentence."""
        self._go(replace(self.state, tokens=tokens))

    @property
    def shot(self) -> Snapshot:
        """The snapshot that is shown."""
        return self.run.snapshots[self.state.place]

    @property
    def reached(self) -> int:
        """The furthest place of this run that was shown."""
        return self._reached[self.state.case, self.state.seed]

    @property
    def can_move(self) -> bool:
        """Whether there is another step to show; a run that is lost at once has none."""
        return len(self.run.snapshots) > 1

    def matrices(self) -> dict[str, NDArray[Any]]:
        """Return what the panels show, by name."""
        meaning = np.array([list(self.meaning.values())])  # (1, n_classes)
        shown = {"weights": self.trace.weights, "through time": self.through_time()}
        return shown | {"meaning": meaning, "K": self.trace.K, "W_Q": self.shot.layer.W_Q}

    def through_time(self) -> NDArray[Any]:
        """Return what 배 takes from each word at the snapshots shown so far, (n, n_snapshots); NaN at the others."""
        state = self.state
        rows = rows_of_bae(state.case, state.seed, state.tokens)[: self.reached + 1]  # (n_shown, n)
        shown = np.full((len(state.tokens), LAST + 1), np.nan)
        shown[:, : len(rows)] = rows.T
        return shown

    def loss_curve(self) -> str:
        """Draw the loss of the snapshots shown so far, with a point at the one that is shown."""
        losses = [shot.loss for shot in self.run.snapshots[: self.reached + 1]]
        title = MESSAGES["loss"].format(loss=self.shot.loss, first=losses[0])
        steps = [i / LAST for i in range(len(losses))]  # on an axis from the first to the last
        return curve(losses, self.state.place, title, ("0", str(STEPS)), width=230, at=steps)

    def status(self) -> str:
        """Say how far training is, and how good."""
        told = MESSAGES["status"].format(last=STEPS, **self.shot._asdict())
        if self.run.lost is None:
            return told
        left = MESSAGES["before" if self.can_move else "only"]
        return " ".join([told, MESSAGES["lost"].format(step=self.run.lost, largest=LARGEST, left=left)])

    def row_text(self) -> str:
        """Say what 배 looks at, and what the layer makes of it."""
        weights = self.trace.weights[self.bae]
        order = np.argsort(-weights, kind="stable")[:3]
        parts = MESSAGES["comma"].join(
            MESSAGES["part"].format(token=self.state.tokens[j], weight=weights[j]) for j in order
        )
        meaning = max(self.meaning, key=lambda name: self.meaning[name])
        return MESSAGES["row"].format(parts=parts, meaning=TITLES[meaning], share=self.meaning[meaning])

    def code(self) -> str:
        """Lines that give the map shown, with attention_lib alone."""
        options = "".join(f", {name}={value!r}" for name, value in CASES[self.state.case].items())
        return "\n".join(
            [
                "from attention_lib.training.tasks import bae_map, learn_bae",
                "",
                f"run = learn_bae({self.state.seed}, steps={STEPS}, every={EVERY}{options})",
                f"layer = run.snapshots[{self.state.place}].layer  # step {self.shot.step}",
                f"tokens = {list(self.state.tokens)!r}",
                f"bae_map(layer, tokens{self._scale_text()}).weights.round(2)",
            ]
        )

    def _scale_text(self) -> str:
        scale = CASES[self.state.case].get("scale")
        return "" if scale is None else f", scale={scale}"

    def _show(self, state: LearningState) -> None:
        self.run = run_of(state.case, state.seed)
        self.state = replace(state, place=min(state.place, len(self.run.snapshots) - 1))
        self._reached[state.case, state.seed] = max(self.state.place, self._reached.get((state.case, state.seed), 0))
        self.bae = state.tokens.index(BAE)
        self.trace = bae_map(self.shot.layer, state.tokens, scale=CASES[state.case].get("scale"))
        self.meaning = meaning_of_bae(self.shot.layer, self.trace, state.tokens)


class LearningLab(Lab):
    """The lab: a slider over training steps, and what the layer is at each.

    Parameters
    ----------
    preset : str, optional
        A key of `PRESETS` to start from.
    """

    model: LearningModel
    player: Player

    def __init__(self, preset: str = "before") -> None:
        self.model = LearningModel(preset)
        self._make_common(PRESETS, width="24em", lines=9)
        self._make_controls()
        self.view = MatrixView(
            self._panels(), arrangement=ARRANGEMENT, still=["weights"], still_title=MESSAGES["still title"]
        )
        goal = Sentence("lab-goal")
        goal.say(LABELS["goal"], strong=True)
        top = ipywidgets.HBox([ipywidgets.VBox(self._top), self._loss], layout=WRAP).add_class("lab-top")
        self._begin("learning-lab", [goal, top, self._status, self._words, self.view, self._code.area])

    # -- what the reader does ---------------------------------------------------------------

    def _play_on(self) -> bool:
        """Show the next snapshot, from the first again after the last; False where none follows."""
        last = len(self.model.run.snapshots) - 1
        place = self.model.state.place
        self.model.go_to(0 if place == last else place + 1, ("play", self.player.round))
        self._refresh(changed=False)  # all changes at each step: frames would cover the colours
        return self.model.state.place < last

    def _stepped(self, step: int, gesture: object) -> None:
        self.model.go_to(round(step / EVERY), gesture)
        self._refresh()

    def _chosen(self, _: Any) -> None:
        self.model.choose(self._case.value, self._seed.value)
        self._refresh()

    def _sentence_chosen(self, name: str) -> None:
        if name == OWN:  # it names what is, and is none to choose
            self._speak("")
            return
        self.model.read(SENTENCES[name])
        self._refresh()

    def _sentence_given(self, text: str) -> None:
        self._try(lambda: self.model.read(read_sentence(text)), MESSAGES["own"])

    # -- what is shown ----------------------------------------------------------------------

    def _shape(self) -> Any:
        return self.model.state.tokens

    def _arrangement(self) -> list[list[str]]:
        return ARRANGEMENT

    def _panels(self) -> dict[str, Panel]:
        tokens, shown = list(self.model.state.tokens), self.model.matrices()
        return {
            "W_Q": Panel(shown["W_Q"], list(WORDS), row_axis="word", column_axis="dimension", limit=5, small=True),
            "K": Panel(shown["K"], tokens, row_axis="token", column_axis="dimension", limit=5, small=True),
            "weights": Panel(shown["weights"], tokens, tokens, kind="weights", small=True),
            "through time": Panel(
                shown["through time"],
                tokens,
                [str(EVERY * i) for i in range(LAST + 1)],
                kind="weights",
                title=MESSAGES["time"],
                row_axis="key",
                column_axis="step",
                small=True,
                dense=True,
                stretch=False,
                blanks=True,
            ),
            "meaning": Panel(
                shown["meaning"],
                [BAE],
                [TITLES[name] for name in self.model.meaning],
                kind="weights",
                row_axis="word",
                column_axis="means",
                small=True,
            ),
        }

    def _update(self, changed: bool) -> None:
        model = self.model
        marks: dict[str, list[tuple[int | None, int | None]]] = {
            "W_Q": [(WORDS.index(BAE), None)],
            "weights": [(model.bae, None)],
            "through time": [(None, model.state.place)],
        }
        self.view.update(model.matrices(), changed=changed, highlight=marks, captions={"weights": model.row_text()})

    def _follow(self) -> None:
        state = self.model.state
        self._step.show(self.model.shot.step)
        self._step.disable(not self.model.can_move)
        self.player.button.disabled = not self.model.can_move
        named = [name for name, tokens in SENTENCES.items() if tokens == state.tokens]
        self._case.value, self._seed.value, self._sentence.value = state.case, state.seed, named[0] if named else OWN
        self._own.value = "" if named else " ".join(state.tokens)
        self._status.say(self.model.status(), strong=True)
        self._loss.value = self.model.loss_curve()

    def _make_controls(self) -> None:
        self._step = NumberSlider(LABELS["step"], 0, 0, STEPS, self._stepped, n_steps=LAST, width="24em")
        self._case = choice(LABELS["case"], CASE_LABELS, "plain", "25em")
        self._seed = choice(LABELS["seed"], {seed: str(seed) for seed in range(N_SEEDS)}, 0, width="8em")
        self._sentence = choice(LABELS["sentence"], {OWN: LABELS["typed"]} | SENTENCE_LABELS, "article", "19em")
        self._sentence.add_class("menu-says")
        self._own = sentence_box(LABELS["own"], LABELS["placeholder"], width="22em")
        self._answer = Answer(LABELS["words"].format(words=MESSAGES["comma"].join(WORDS)))
        self._status, self._loss = Sentence("learning-status", says=True), ipywidgets.HTML()
        self.player = Player(LABELS, self._play_on, TICK)
        self._top = [
            ipywidgets.HBox([self._preset, self._tools()], layout=WRAP),
            ipywidgets.HBox([self._case, self._seed, self._sentence], layout=WRAP),
            ipywidgets.HBox([self.player.button, self._step, self._message], layout=WRAP),
        ]
        self._words = ipywidgets.HBox([self._own, self._answer], layout=WRAP)
        for menu in (self._case, self._seed):
            menu.observe(self._heard(self._chosen), "value")
        self._sentence.observe(self._heard(self._sentence_chosen), "value")
        self._own.observe(self._heard(self._sentence_given), "value")

    # -- the still picture ------------------------------------------------------------------

    def _at_the_end(self) -> LearningModel:
        """What the run comes to: a reader without a kernel sees the result, not the start."""
        model = LearningModel()
        model.load(replace(self.model.state, place=LAST))
        return model

    def still_figure(self) -> Any:
        """The map after the last step, for readers without a kernel."""
        from .. import plots  # here, so that a live view never waits for matplotlib

        model = self._at_the_end()
        maps, tokens = {TITLES["weights"]: model.trace.weights}, model.state.tokens
        return plots.heatmaps(maps, tokens, tokens, title=MESSAGES["still title"], vmax=1)

    def still_text(self) -> str:
        """Say in words what the picture shows."""
        model = self._at_the_end()
        return MESSAGES["still text"].format(status=model.status(), row=model.row_text())
