"""The learning lab: play the training. Does 배 find the words that tell its meaning before the loss falls, or after?"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import takewhile
from typing import Any

import ipywidgets
import numpy as np
from numpy.typing import NDArray

from ..._words import _
from ...live.controls import Sentence
from ...live.drawing import Drawing
from ...live.lab import Lab
from ...live.panel import shortened
from ...live.pictures import bars
from ...live.player import Player
from ...live.training_picture import draw_curves, draw_sentence, draw_training
from ...live.typed import read_words
from ...training.learning import Snapshot
from ...training.tasks import BAE, CUES, WORDS, bae_map, learn_bae, meaning_of_bae

STEPS, EVERY = 150, 5
LAST = STEPS // EVERY
MOST_TOKENS, N_SEEDS = 12, 10
LARGEST = 100.0  # beyond it the numbers of a run count as lost
TICK = 0.4  # seconds for a step of play: time to watch the arcs
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
    guess: str = ""  # "before", "with" or "after"

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


def step_of(is_there: NDArray[np.bool_]) -> int | None:
    """Return the first step at which something is so; None where it never is."""
    return EVERY * int(np.argmax(is_there)) if is_there.any() else None


def found_at(state: LearningState) -> int | None:
    """Return the step at which 배 has found its cues, as far as the run was shown."""
    return step_of(on_cues(state)[: state.furthest + 1] >= wanted_share(state)) if cues_of(state) else None


def halved_at(state: LearningState) -> int | None:
    """Return the step at which the loss has fallen to half, as far as the run was shown."""
    losses = np.array([shot.loss for shot in run_of(state.case, state.seed)])
    return step_of(losses[: state.furthest + 1] <= losses[0] / 2)


def meaning_in(state: LearningState) -> dict[str, float]:
    """Return the probability of each meaning."""
    layer = shot_of(state).layer
    return meaning_of_bae(layer, bae_map(layer, state.words), state.words)


def at_place(state: LearningState, place: int) -> LearningState:
    """Return the state at another snapshot, or at the last that the run has."""
    place = min(place, len(run_of(state.case, state.seed)) - 1)
    return replace(state, place=place, furthest=max(place, state.furthest))


def at_step(state: LearningState, step: int) -> LearningState:
    """Return the state at the snapshot nearest to a step."""
    return at_place(state, round(step / EVERY))


def in_run(state: LearningState, **which: Any) -> LearningState:
    """Return the state in another run, at the same step; of what comes later nothing was shown."""
    return at_place(replace(state, furthest=0, **which), state.place)


def with_text(state: LearningState, text: str) -> LearningState:
    """Return the state with another sentence; ValueError where the layer does not know it."""
    words = read_words(text, MOST_TOKENS)
    unknown = [word for word in words if word not in WORDS]
    if unknown:
        raise ValueError(_("“{word}” is not one of the layer's words.").format(word=shortened(unknown[0])))
    if words.count(BAE) != 1:
        raise ValueError(_("The layer is asked about 배, so the sentence needs that word once."))
    return replace(state, text=" ".join(words))


def at_end(**which: Any) -> LearningState:
    """Return a state after all training."""
    return LearningState(place=LAST, furthest=LAST, **which)


def row_of(state: LearningState) -> list[float]:
    """Return how much 배 gives to each word."""
    row: list[float] = rows_of_bae(state.case, state.seed, state.text)[state.place].tolist()
    return row


def guesses() -> dict[str, str]:
    """Return when 배 can find its cues, in words."""
    return {"before": _("before the loss falls"), "with": _("while it falls"), "after": _("after it has fallen")}


def is_over(state: LearningState) -> bool:
    """Whether the whole run was shown, so that its answer no longer comes too early."""
    return state.furthest == LAST


def goal_text(state: LearningState) -> str:
    """Ask, say what to watch, and give the answer once the run is over."""
    n_sound = len(run_of(state.case, state.seed))
    if n_sound <= LAST:
        sentence = _("The learning rate is too high: by step {step} the numbers have grown beyond {most:.0f}.")
        return sentence.format(step=n_sound * EVERY, most=LARGEST)
    if not cues_of(state):
        return _("No word here tells what 배 means, so there is nothing to find. What does the layer say?")
    if not is_over(state):
        if not state.guess:
            return _("When will 배 find its cues, the orange words? Guess, then press play.")
        sentence = _("Your guess: {guess}. Watch the orange arcs: 배 gives its cues {share:.2f} now.")
        return sentence.format(guess=guesses()[state.guess], share=on_cues(state)[state.place])
    found, halved = found_at(state), halved_at(state)
    if found is None:
        return _("배 never found its cues. Are the answers right all the same?")
    if halved is None:
        return _("배 found its cues at step {found}. The loss never fell to half.").format(found=found)
    answer = "before" if found < halved else "with" if found == halved else "after"
    sentence = _("The loss halved at step {halved}, and at step {found} 배 had found its cues.")
    if state.guess == answer:
        sentence = _("Goal reached: the loss halved at step {halved}, and at step {found} 배 had found its cues.")
    return sentence.format(found=found, halved=halved)


def drawing(state: LearningState) -> str:
    """Draw what 배 looks at, what the layer says, and the curves up to the furthest snapshot that was shown."""
    shots, shown = run_of(state.case, state.seed), slice(state.furthest + 1)
    shares, losses = on_cues(state)[shown], [shot.loss for shot in shots[shown]]
    looks, bae = _("배 looks at"), state.words.index(BAE)
    arcs = draw_sentence(state.words, bae, {looks: row_of(state)}, looks, cues_of(state))
    names = {"pear": _("pear"), "belly": _("belly"), "ship": _("ship")}
    meaning = {names[name]: p for name, p in meaning_in(state).items()}
    likeliest = max(meaning, key=lambda name: meaning[name])
    answers = bars([(name, f"{p:.4f}", f"{p:.2f}") for name, p in meaning.items()], likeliest)
    lines = {_("loss {loss:.2f}").format(loss=losses[state.place]): [loss / max(losses) for loss in losses]}
    if cues_of(state):
        lines[_("배's attention on its cues {share:.2f}").format(share=shares[state.place])] = shares.tolist()
    found = found_at(state) if is_over(state) else None
    mark = None if found is None else (found // EVERY, _("step {step}: 배 finds its cues").format(step=found))
    at = [i / LAST for i in range(len(losses))]
    chart = draw_curves(
        at, lines, state.place, ("0", _("training step {step}").format(step=state.step), str(STEPS)), mark
    )
    return draw_training(arcs, _("What the layer says 배 is"), answers, chart)


class LearningLab(Lab):
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

    player: Player
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
        if preset not in self.presets:
            raise ValueError(f"preset is {preset!r}; it can be {', '.join(self.presets)}")
        super().__init__(self.presets[preset][1])

    def controls(self) -> list[Any]:
        self.player = Player({"play": _("▶ play"), "stop": _("■ stop")}, self._play_on, TICK)
        self.step = self.number(_("training step"), 0, STEPS, "step", at_step, n_steps=LAST, width="22em")
        return [self.player.button, self.step]

    def more(self) -> list[Any]:
        seeds = {seed: str(seed) for seed in range(N_SEEDS)}
        known = Sentence("lab-line", _("Its words: {words}").format(words=" ".join(WORDS)))
        self.own = self.words(_("your sentence"), _("with 배, then Enter"), "text", with_text, "32em")
        return [
            self.menu(_("seed"), seeds, "seed", lambda state, seed: in_run(state, seed=seed), "7em"),
            self.own,
            known,
        ]

    def picture(self) -> list[Any]:
        self.drawing, self.line = Drawing(lambda name, value, gesture: None), Sentence("lab-line")
        buttons = [self.button(text, partial(replace, guess=guess)) for guess, text in guesses().items()]
        self.guess = ipywidgets.HBox([Sentence(text=_("배 finds them")), *buttons]).add_class("learning-guess")
        return [self.guess, self.drawing, self.line]

    def tell(self, state: LearningState) -> None:
        self.drawing.show(drawing(state))
        self.goal.say(goal_text(state))
        is_asked = cues_of(state) and not state.guess and not is_over(state)
        self.guess.layout.display = "" if is_asked else "none"
        line = _("{right:.0%} of 300 sentences that it has not learned from are right.")
        self.line.say(line.format(right=shot_of(state).accuracy))
        self.step.disable(len(run_of(state.case, state.seed)) == 1)
        self.player.button.disabled = self.step.slider.disabled

    def _play_on(self) -> bool:
        """Show the next snapshot, from the first again after the last; False where none follows."""
        last = len(run_of(self.state.case, self.state.seed)) - 1
        place = 0 if self.state.place == last else self.state.place + 1
        self.change(at_place(self.state, place), ("play", self.player.round))
        return place < last

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
