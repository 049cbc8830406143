"""The learning lab: play the training. Does 배 find the words that tell its meaning before the loss falls, or after?"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._words import Refusal, _
from ...examples.three_meanings import load_meanings
from ...training.learning import Snapshot
from ...training.tasks import BAE, CUES, WORDS, bae_map, learn_bae, meaning_of_bae
from ..training_lab import TrainingLab
from ..training_picture import draw_curves, draw_sentence, draw_training

STEPS, EVERY = 150, 5
LAST = STEPS // EVERY
N_SEEDS = 20
LEAST = 0.1  # by how much the attention on the cues must grow, or 배 has not found them
CHART = 154  # how high the curves are
QUICK, SLOW, MOVED = 0.15, 1.2, 0.005  # seconds of a picture of play: longer where a weight has changed by so much
OTHERS = {"과일": _("fruit"), "아프다": _("hurts"), "항구": _("harbour"), "바다": _("sea"), "오늘": _("today")}
OTHERS |= {"아침에": _("in the morning"), "우리는": _("we"), "집에서": _("at home")}
KNOWN = load_meanings().glosses | OTHERS
GLOSSES = {word: meaning for word, meaning in KNOWN.items() if word not in (BAE, meaning)}
LISTED = {word: f"{word} ({GLOSSES[word]})" if word in GLOSSES else word for word in WORDS}
ARTICLE = "어제 밤에 배 가 고파서 치킨을 시켜서 먹었다"
GUESSES = {"before": _("before the loss halves"), "with": _("within 5 steps of that"), "after": _("later")}
CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "unseen": {"leave_out": ("고파서",)},
    "frozen": {"frozen": ("W_Q", "W_K")},
}


@dataclass(frozen=True)
class LearningState:
    """Which run, which snapshot of it, the furthest that was shown, which sentence, and what the reader guesses."""

    case: str = "plain"
    seed: int = 0
    place: int = 0
    furthest: int = 0
    text: str = ARTICLE
    guess: str = ""  # "before", "with" or "after" the loss has halved

    @property
    def step(self) -> int:
        return self.place * EVERY

    @property
    def words(self) -> list[str]:
        return self.text.split()


@lru_cache(maxsize=32)
def run_of(case: str, seed: int) -> list[Snapshot]:
    return learn_bae(seed, steps=STEPS, every=EVERY, **CASES[case]).snapshots


@lru_cache(maxsize=32)
def rows_of_bae(case: str, seed: int, text: str) -> NDArray[np.float64]:
    """Return the weights of 배 in a sentence at every snapshot of a run, (n_snapshots, n)."""
    words = text.split()
    maps = (bae_map(shot.layer, words).weights for shot in run_of(case, seed))
    return np.array([weights[words.index(BAE)] for weights in maps])


class Reading:
    """What a state shows of its run, and what has happened as far as the run was shown."""

    def __init__(self, state: LearningState) -> None:
        shots, shown = run_of(state.case, state.seed), slice(state.furthest + 1)
        rows = rows_of_bae(state.case, state.seed, state.text)  # (n_snapshots, n)
        self.state, self.shot = state, shots[state.place]
        self.row = rows[state.place].tolist()  # how much 배 gives to each word
        all_cues = {cue for words in CUES.values() for cue in words}
        self.cues = [i for i, word in enumerate(state.words) if word in all_cues]  # places of words that tell a meaning
        shares = rows[:, self.cues].sum(axis=1)  # (n_snapshots,): how much 배 gives to them
        self.shares = shares[shown]  # (n_shown,)
        enough = (shares[0] + shares[-1]) / 2  # halfway: 배 has found its cues
        self.losses = np.array([shot.loss for shot in shots[shown]])  # (n_shown,)
        self.found = first_step(self.shares >= enough) if shares[-1] > shares[0] + LEAST else None
        self.halved = first_step(self.losses <= self.losses[0] / 2)
        self.is_over = state.furthest == LAST


def first_step(is_there: NDArray[np.bool_]) -> int | None:
    """Return the first step at which something is so; None where it never is."""
    return EVERY * int(np.argmax(is_there)) if is_there.any() else None


def at_place(state: LearningState, place: int) -> LearningState:
    return replace(state, place=place, furthest=max(place, state.furthest))


def at_end(**which: Any) -> LearningState:
    return LearningState(place=LAST, furthest=LAST, **which)


def goal_of(reading: Reading) -> tuple[bool, str]:
    """Return whether the guess was right, and ask, say what to watch, and give the answer once the run is over."""
    guess, found, halved = reading.state.guess, reading.found, reading.halved
    if not reading.cues:
        return False, _("No word here tells what 배 means. What does the layer say?")
    if not reading.is_over and not guess:
        return False, _("When will 배 find its cues, the orange words? Guess before you train.")
    if not reading.is_over:
        sentence = _("Play to the end, and watch the orange arcs: 배 now gives its cues {share:.2f} of its attention.")
        return False, sentence.format(share=reading.shares[reading.state.place])
    if found is None or halved is None:
        return False, _("배 never found its cues. Are the answers right all the same?")
    answer = "with" if abs(found - halved) <= EVERY else "before" if found < halved else "after"
    sentence = _("The loss had halved by step {halved}, and 배 had found its cues by step {found}.")
    if guess == answer:
        sentence = _("Right: the loss had halved by step {halved}, and 배 had found its cues by step {found}.")
    elif guess:
        sentence = _("✗ Not “{guess}”: the loss halved by step {halved}, cues found by {found}.")
    return guess == answer, sentence.format(found=found, halved=halved, guess=GUESSES.get(guess))


def drawing(reading: Reading) -> str:
    """Draw what 배 looks at, what the layer says, and the curves up to the furthest snapshot that was shown."""
    state, words, layer, losses = reading.state, reading.state.words, reading.shot.layer, reading.losses
    looks = _("배 looks at")
    arcs = draw_sentence(words, words.index(BAE), {looks: reading.row}, [looks], reading.cues, glosses=GLOSSES)
    names = {"pear": _("pear"), "belly": _("belly"), "ship": _("ship")}
    meaning = meaning_of_bae(layer, bae_map(layer, words), words)
    says = {names[name]: share for name, share in meaning.items()}
    lines = {_("loss {loss:.2f}").format(loss=losses[state.place]): (losses / losses.max()).tolist()}
    if reading.cues:
        share = reading.shares[state.place]
        lines[_("배's attention on its cues {share:.2f}").format(share=share)] = reading.shares.tolist()
    marks = []
    if reading.is_over and reading.halved is not None:
        marks.append((0, reading.halved // EVERY, _("by step {step}: half of the loss").format(step=reading.halved)))
    if reading.is_over and reading.found is not None:
        marks.append((1, reading.found // EVERY, _("by step {step}: 배 finds its cues").format(step=reading.found)))
    at = [i / LAST for i in range(len(losses))]
    ends = ("0", _("training step {step}").format(step=state.step), str(STEPS))
    chart = draw_curves(at, lines, state.place, ends, marks, CHART)
    return draw_training(arcs, _("What the layer says 배 is"), says, chart)


class LearningLab(TrainingLab):
    """The lab: play the training, or slide through it, and see where 배 looks and how the loss falls."""

    stops, vocabulary, guesses = range(0, STEPS + 1, EVERY), LISTED, GUESSES
    presets: Mapping[str, tuple[str, LearningState]] = {
        "before": ("before training", LearningState()),
        "after": ("after training", at_end()),
        "none": ("after training: no cue at all", at_end(text="어제 밤에 배 가 시켜서")),
        "unseen": ("after training without 고파서", at_end(case="unseen")),
        "frozen": ("after training with W_Q and W_K frozen", at_end(case="frozen")),
    }

    def play_on(self) -> float | None:
        """Show the next snapshot, from the first again after the last; return how long it stays, None at the end."""
        place = 0 if self.state.place == LAST else self.state.place + 1
        before = self.reading.row
        self.change(at_place(self.state, place), ("play", self.player.round))
        if place == LAST:
            return None
        return SLOW if np.abs(np.subtract(self.reading.row, before)).max() >= MOVED else QUICK

    def at_step(self, state: LearningState, step: int) -> LearningState:
        return at_place(state, round(step / EVERY))

    def with_seed(self, state: LearningState, seed: int) -> LearningState:
        # of what comes later nothing was shown
        return replace(state, seed=seed, furthest=state.place, guess="")

    def with_text(self, state: LearningState, text: str) -> Any:
        state = super().with_text(state, text)
        if state.words.count(BAE) != 1:
            raise Refusal(_("The layer is asked about 배, so the sentence needs that word once."))
        return replace(state, guess="")  # which was about another sentence

    def more(self) -> list[Any]:
        seeds = {seed: str(seed) for seed in range(N_SEEDS)}
        return [self.menu(_("seed"), seeds, "seed", self.with_seed, "7em"), *super().more()]

    def tell(self, state: LearningState) -> None:
        self.reading = reading = Reading(state)
        self.drawing.show(drawing(reading))
        self.say_goal(*goal_of(reading))
        line = _("{right:.0%} of 300 sentences that it has not learned from are right.")
        self.line.say(line.format(right=reading.shot.accuracy))
        self.ask(bool(reading.cues) and not reading.is_over and not state.guess, self.player.button, self.step)
