"""The learning lab: play the training. Does 배 find the words that tell its meaning before the loss falls, or after?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import takewhile
from typing import Any

import ipywidgets
import numpy as np
from numpy.typing import NDArray

from ..._words import _
from ...live.controls import Sentence
from ...live.pictures import bars
from ...training.learning import Snapshot
from ...training.tasks import BAE, CUES, WORDS, bae_map, learn_bae, meaning_of_bae
from ..training_lab import TrainingLab
from ..training_picture import draw_curves, draw_sentence, draw_training

STEPS, EVERY = 150, 5
LAST = STEPS // EVERY
LARGEST = 100.0  # beyond it the numbers of a run count as lost
CHART = 154  # how high the curves are
ARTICLE = "어제 밤에 배 가 고파서 치킨을 시켜서 먹었다"
CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "fast": {"rate": 100.0},
    "unseen": {"leave_out": ("고파서",)},
    "frozen": {"learn_map": False},
}


@dataclass(frozen=True)
class LearningState:
    """Which run, which snapshot of it, the furthest that was shown, which sentence, and what the reader guesses."""

    case: str = "plain"
    seed: int = 0
    place: int = 0
    furthest: int = 0
    text: str = ARTICLE
    guess: str = ""  # a key of `guesses`

    @property
    def step(self) -> int:
        """The training step that is shown."""
        return self.place * EVERY

    @property
    def words(self) -> list[str]:
        """The sentence."""
        return self.text.split()


def is_sound(shot: Snapshot) -> bool:
    """Say whether the numbers of a layer can still be shown."""
    return all(np.abs(W).max() < LARGEST for W in shot.layer.matrices().values())


@lru_cache(maxsize=32)
def run_of(case: str, seed: int) -> list[Snapshot]:
    """Train once for each case and seed, and return the snapshots that can be shown.

    At which step a run that diverges leaves float64 depends on the processor. That its numbers grow too large in the
    first steps does not.
    """
    return list(takewhile(is_sound, learn_bae(seed, steps=STEPS, every=EVERY, **CASES[case]).snapshots))


@lru_cache(maxsize=32)
def rows_of_bae(case: str, seed: int, text: str) -> NDArray[np.float64]:
    """Return the weights of 배 in a sentence at every snapshot of a run, (n_snapshots, n)."""
    words = text.split()
    maps = (bae_map(shot.layer, words).weights for shot in run_of(case, seed))
    return np.array([weights[words.index(BAE)] for weights in maps])


def shot_of(state: LearningState) -> Snapshot:
    """Return the snapshot that is shown."""
    return run_of(state.case, state.seed)[state.place]


def cues_of(state: LearningState) -> list[int]:
    """Return the places of the words that tell a meaning."""
    cues = {cue for words in CUES.values() for cue in words}
    return [i for i, word in enumerate(state.words) if word in cues]


def on_cues(state: LearningState) -> NDArray[np.float64]:
    """Return how much of its attention 배 gives to its cues, at every snapshot of the run."""
    rows: NDArray[np.float64] = rows_of_bae(state.case, state.seed, state.text)[:, cues_of(state)].sum(axis=1)
    return rows


def wanted_share(state: LearningState) -> float:
    """Return the share that counts as found: half of the way from an even look to one at nothing but cues."""
    return (1 + len(cues_of(state)) / len(state.words)) / 2


def first_step(is_there: NDArray[np.bool_]) -> int | None:
    """Return the first step at which something is so; None where it never is."""
    return EVERY * int(np.argmax(is_there)) if is_there.any() else None


def found_at(state: LearningState) -> int | None:
    """Return the step at which 배 has found its cues, as far as the run was shown."""
    return first_step(on_cues(state)[: state.furthest + 1] >= wanted_share(state)) if cues_of(state) else None


def halved_at(state: LearningState) -> int | None:
    """Return the step at which the loss has fallen to half, as far as the run was shown."""
    losses = np.array([shot.loss for shot in run_of(state.case, state.seed)])
    return first_step(losses[: state.furthest + 1] <= losses[0] / 2)


def at_place(state: LearningState, place: int) -> LearningState:
    """Return the state at another snapshot, or at the last that the run has."""
    place = min(place, len(run_of(state.case, state.seed)) - 1)
    return replace(state, place=place, furthest=max(place, state.furthest))


def in_run(state: LearningState, **which: Any) -> LearningState:
    """Return the state in another run, at the same step; of what comes later nothing was shown."""
    return at_place(replace(state, furthest=0, **which), state.place)


def at_end(**which: Any) -> LearningState:
    """Return a state after all training."""
    return LearningState(place=LAST, furthest=LAST, **which)


def row_of(state: LearningState) -> list[float]:
    """Return how much 배 gives to each word."""
    row: list[float] = rows_of_bae(state.case, state.seed, state.text)[state.place].tolist()
    return row


def guesses() -> dict[str, str]:
    """Return when 배 can find its cues, in words."""
    return {"before": _("before the loss halves"), "with": _("as it halves"), "after": _("after it has halved")}


def answer_of(state: LearningState) -> str:
    """Return which guess is right, once the whole run was shown; "" before, and where none is."""
    found, halved = found_at(state), halved_at(state)
    if state.furthest < LAST or found is None or halved is None:
        return ""
    return "before" if found < halved else "with" if found == halved else "after"


def guessed(state: LearningState, guess: str) -> LearningState:
    """Return the state with a guess; after the run it is too late for one."""
    return state if state.furthest == LAST else replace(state, guess=guess)


def goal_text(state: LearningState) -> str:
    """Ask, say what to watch, and give the answer once the run is over."""
    n_sound = len(run_of(state.case, state.seed))
    if n_sound <= LAST:
        sentence = _("The learning rate is too high: by step {step} the numbers have grown beyond {most:.0f}.")
        return sentence.format(step=n_sound * EVERY, most=LARGEST)
    if not cues_of(state):
        return _("No word here tells what 배 means, so there is nothing to find. What does the layer say?")
    if state.furthest < LAST and not state.guess:
        return _("When will 배 find its cues, the orange words? Guess, then press play.")
    if state.furthest < LAST:
        share = on_cues(state)[state.place]
        return _("Play to the end, and watch the orange arcs: 배 gives its cues {share:.2f} now.").format(share=share)
    found, halved = found_at(state), halved_at(state)
    if found is None:
        return _("배 never found its cues. Are the answers right all the same?")
    if halved is None:
        return _("배 found its cues at step {found}. The loss never fell to half.").format(found=found)
    if not state.guess:
        sentence = _("The loss halved at step {halved}, and at step {found} 배 had found its cues.")
    elif state.guess == answer_of(state):
        sentence = _("Goal reached: the loss halved at step {halved}, and 배 found its cues at step {found}.")
    else:
        sentence = _("A wrong guess: the loss halved at step {halved}, and 배 found its cues at step {found}.")
    return sentence.format(found=found, halved=halved)


def drawing(state: LearningState) -> str:
    """Draw what 배 looks at, what the layer says, and the curves up to the furthest snapshot that was shown."""
    words, shown = state.words, slice(state.furthest + 1)
    looks, bae = _("배 looks at"), words.index(BAE)
    arcs = draw_sentence(words, bae, {looks: row_of(state)}, looks, cues_of(state))
    layer = shot_of(state).layer
    names = {"pear": _("pear"), "belly": _("belly"), "ship": _("ship")}
    meaning = {names[name]: p for name, p in meaning_of_bae(layer, bae_map(layer, words), words).items()}
    likeliest = max(meaning, key=lambda name: meaning[name])
    answers = bars([(name, f"{p:.4f}", f"{p:.2f}") for name, p in meaning.items()], likeliest)
    shares, losses = on_cues(state)[shown], [shot.loss for shot in run_of(state.case, state.seed)[shown]]
    lines = {_("loss {loss:.2f}").format(loss=losses[state.place]): [loss / max(losses) for loss in losses]}
    if cues_of(state):
        lines[_("배's attention on its cues {share:.2f}").format(share=shares[state.place])] = shares.tolist()
    found = found_at(state) if state.furthest == LAST else None
    mark = None if found is None else (found // EVERY, _("step {step}: 배 finds its cues").format(step=found))
    at = [i / LAST for i in range(len(losses))]
    ends = ("0", _("training step {step}").format(step=state.step), str(STEPS))
    chart = draw_curves(at, lines, state.place, ends, mark, CHART)
    return draw_training(arcs, _("What the layer says 배 is"), answers, chart)


class LearningLab(TrainingLab):
    """The lab: play the training, or slide through it, and see where 배 looks and how the loss falls.

    Parameters
    ----------
    preset : str, optional
        A key of `presets` to start from.

    Examples
    --------
    >>> lab = LearningLab()
    >>> lab.step.box.value = "150"
    >>> lab.goal.text
    'The loss halved at step 30, and at step 35 배 had found its cues.'
    """

    n_steps, every = STEPS, EVERY
    pause = 0.4  # time to watch the arcs
    presets: Mapping[str, tuple[str, LearningState]] = {
        "before": ("before training", LearningState()),
        "after": ("after training", at_end()),
        "two": ("after training: cues for two meanings", at_end(text="어제 배 타고 고파서")),
        "none": ("after training: no cue at all", at_end(text="어제 밤에 배 가 시켜서")),
        "unseen": ("after training without 고파서", at_end(case="unseen")),
        "frozen": ("after training with W_Q and W_K frozen", at_end(case="frozen")),
        "fast": ("a learning rate that is too high", LearningState(case="fast")),
    }

    def __init__(self, preset: str = "before") -> None:
        super().__init__(preset)

    def play_label(self) -> str:
        return _("▶ play")

    def play_on(self) -> bool:
        """Show the next snapshot, from the first again after the last; False where none follows."""
        last = len(run_of(self.state.case, self.state.seed)) - 1
        place = 0 if self.state.place == last else self.state.place + 1
        self.change(at_place(self.state, place), ("play", self.player.round))
        return place < last

    def at_step(self, state: LearningState, step: int) -> LearningState:
        return at_place(state, round(step / EVERY))

    def with_seed(self, state: LearningState, seed: int) -> LearningState:
        return in_run(state, seed=seed)

    def with_text(self, state: LearningState, text: str) -> LearningState:
        words = self.read_sentence(text)
        if words.count(BAE) != 1:
            raise ValueError(_("The layer is asked about 배, so the sentence needs that word once."))
        return replace(state, text=" ".join(words))

    def vocabulary(self) -> Sequence[str]:
        return WORDS

    def picture(self) -> list[Any]:
        self.answers = {name: self.button("", partial(guessed, guess=name)) for name in guesses()}
        row = [Sentence(text=_("배 finds them")), *self.answers.values()]
        self.guess = ipywidgets.HBox(row).add_class("learning-guess").add_class("lab-toolbar")
        return [self.guess, *super().picture()]

    def tell(self, state: LearningState) -> None:
        self.drawing.show(drawing(state))
        self.goal.say(goal_text(state))
        self._tell_guess(state)
        line = _("{right:.0%} of 300 sentences that it has not learned from are right.")
        self.line.say(line.format(right=shot_of(state).accuracy))
        self.step.disable(len(run_of(state.case, state.seed)) == 1)
        self.player.button.disabled = self.step.slider.disabled

    def _tell_guess(self, state: LearningState) -> None:
        """Mark the guess, and once the run is over whether it was right; without a guess nothing is asked then."""
        is_over, answer = state.furthest == LAST, answer_of(state)
        can_end = cues_of(state) and len(run_of(state.case, state.seed)) > LAST
        is_asked = can_end and (not is_over or (state.guess and answer))
        self.guess.layout.display = "" if is_asked else "none"
        for name, text in guesses().items():
            sign = "● " if name == state.guess else ""
            if is_over:
                sign = "✓ " if name == answer else "✗ " if name == state.guess else ""
            self.answers[name].description = self.answers[name].tooltip = sign + text

    def code(self, state: LearningState) -> str:
        options = "".join(f", {name}={value!r}" for name, value in CASES[state.case].items())
        return "\n".join(
            [
                "from attention_lib.training.tasks import bae_map, learn_bae",
                "",
                f"run = learn_bae({state.seed}, steps={STEPS}, every={EVERY}{options})",
                f"layer = run.snapshots[{state.place}].layer  # step {state.step}",
                f"words = {state.words!r}",
                "bae_map(layer, words).weights.round(2)",
            ]
        )

    # -- the stored picture: the run is over, whatever the lab shows -------------------------------

    def still_figure(self) -> Any:
        from ... import plots  # here, so that a live view never waits for matplotlib

        state, n = at_end(), 13
        losses = [shot.loss for shot in run_of(state.case, state.seed)]
        return plots.lines(
            [EVERY * i for i in range(n)],
            {_("loss"): losses[:n], _("배's attention on its cues"): on_cues(state)[:n]},
            title=self.still_title(),
            x_label=_("training step"),
            y_label=_("loss, and share"),
            y_low=0,
            uprights=[found_at(state) or 0],
        )

    def still_title(self) -> str:
        """Say what the stored picture shows."""
        state = at_end()
        title = _("The loss halves at step {halved}, and at step {found} 배 has found its cues")
        return title.format(halved=halved_at(state), found=found_at(state))
