"""The turning lab: one query and one key, turned by their positions, and the score between them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._numbers import number_text
from ..._words import _
from ...live.drawing import Drawing
from ...live.lab import Lab
from .dials import Hand, Turn, dial, signed_curve

Array = NDArray[np.float64]
FARTHEST = 50  # positions of each token, and how far both can be moved
DISTANCES = np.arange(-FARTHEST, FARTHEST + 1)
BETWEEN = np.linspace(-FARTHEST, FARTHEST, 20 * FARTHEST + 1)  # fine enough for a smooth curve
NEAR = 12  # distances of the curve in the first start, while they are enough
FAR_ENOUGH, BEYOND = 20, 10  # positions that both move for the first goal; how far away the second start looks
NEARLY, OPPOSITE = 0.98, -0.9  # of the largest score


@dataclass(frozen=True)
class TwoTokens:
    query: int  # positions before both are moved
    key: int
    speeds: tuple[float, ...]  # by how many radians a position each pair is turned
    rows: tuple[tuple[float, ...], tuple[float, ...]]  # query and key before they are turned, two numbers a pair
    goal: str  # the start, which says what there is to do
    both: int = 0  # how far both are moved


SPEEDS = (1.0, 0.32, 0.1, 0.03)  # 100 to the −i/4, rounded to what a slider of 0.01 can show
PAIR = (1.0, 0.0)
#: A query that was turned back by one position beforehand: it fits the key one position earlier best.
TURNED_BACK = tuple(np.round([part for speed in SPEEDS for part in (np.cos(speed), -np.sin(speed))], 2).tolist())
STATES = {
    "one": TwoTokens(query=5, key=3, speeds=(1.0,), rows=(PAIR, PAIR), goal="one"),
    "again": TwoTokens(query=0, key=0, speeds=(1.0,), rows=(PAIR, PAIR), goal="again"),
    "four": TwoTokens(query=25, key=0, speeds=SPEEDS, rows=(PAIR * 4, PAIR * 4), goal="four"),
    "back": TwoTokens(query=9, key=3, speeds=SPEEDS, rows=(TURNED_BACK, PAIR * 4), goal="back"),
}


def angles_of(state: TwoTokens) -> Array:
    """Return by how much each pair of query and key is turned, (2, d/2)."""
    positions = np.array([state.query, state.key]) + state.both
    return positions[:, None] * np.array(state.speeds)


def pair_scores(state: TwoTokens, distances: Any) -> Array:
    """Return what each pair gives to the score of each distance, (n, d/2)."""
    query, key = (np.array(row).reshape(-1, 2) @ [1, 1j] for row in state.rows)  # (d/2,): a pair as a complex number
    turns = np.exp(1j * np.asarray(distances)[:, None] * np.array(state.speeds))  # (n, d/2)
    return (turns * query * key.conj()).real


def scores_at(state: TwoTokens, distances: Any = DISTANCES) -> Array:
    """Return the score of each distance, (n,)."""
    return pair_scores(state, distances).sum(axis=1)


def score_of(state: TwoTokens) -> float:
    """Return the score of the two tokens where they are."""
    return float(scores_at(state, [state.query - state.key])[0])


def moved(state: TwoTokens, name: str, value: float) -> TwoTokens:
    """Return the state with another position; for "distance" the query moves, and the key where the query cannot."""
    if name == "distance":
        query = min(max(state.key + round(value), 0), FARTHEST)
        return replace(state, query=query, key=query - round(value))
    position: Any = {name: int(np.clip(round(value), 0, FARTHEST))}
    return replace(state, **position)


def reach_of(state: TwoTokens) -> int:
    """Return the largest distance of the curve: a near one while it is enough, so that the waves can be counted."""
    return NEAR if state.goal == "one" and abs(state.query - state.key) <= NEAR else FARTHEST


def goal_of(state: TwoTokens) -> tuple[bool, str]:
    """Return whether the goal of the start is reached, and say what there is to do, and how far it is."""
    distance, score, scores = state.query - state.key, score_of(state), scores_at(state)
    here = {"distance": number_text(distance, 0), "score": number_text(score), "both": state.both, "n": FAR_ENOUGH}
    if state.goal == "one" and state.both < FAR_ENOUGH:
        return False, _("Move both by {n} or more. Does the score change? You moved them by {both}.").format(**here)
    if state.goal == "one":
        reached = score <= OPPOSITE
        ask = _("It did not. Now move the query alone, until the score is −0.90 or less. Now: {score}.")
        done = _("Goal reached: both moved, and the score stayed. One moved, and it is {score}.")
    elif state.goal == "again":
        reached = abs(distance) > BEYOND and score >= NEARLY * scores.max()
        ask = _("Find a distance beyond 10 with a score of 0.98 or more. At distance {distance}, it is {score}.")
        done = _("Goal reached: distance {distance} looks like distance 0, with a score of {score}.")
    else:
        reached = distance == DISTANCES[scores.argmax()]
        ask = _("Move the query to where the score is largest. At distance {distance}, it is {score}.")
        done = _("Goal reached: the score is largest at distance {distance}, where it is {score}.")
    return bool(reached), (done if reached else ask).format(**here)


def picture(state: TwoTokens) -> str:
    """Draw a dial for each pair, and the score at each distance, as SVG."""
    rows = np.array(state.rows).reshape(2, -1, 2)  # query and key, pairs, x and y
    angles = np.arctan2(rows[..., 1], rows[..., 0]) + angles_of(state)  # (2, d/2), not cut at a whole turn
    distance, one = state.query - state.key, len(state.speeds) == 1
    scores = pair_scores(state, [distance])[0]  # (d/2,)
    between = BETWEEN[np.abs(BETWEEN) <= reach_of(state)]
    drawn = []
    for i, (score, speed) in enumerate(zip(scores, state.speeds)):
        query, key = Hand(float(angles[0, i]), state.query), Hand(float(angles[1, i]), state.key)
        lines = [f"q · k = {number_text(score)}", _("pair {i}: {speed:.3g} rad/position").format(i=i, speed=speed)]
        if one:
            at = {"query": state.query + state.both, "key": state.key + state.both}
            lines[1:] = [_("query at {query}, key at {key}").format(**at)]
        drawn.append(dial(query, key, Turn(speed, state.both, FARTHEST), 112 if one else 62, lines))
    title = _("The score at each distance. At distance {distance}: {score}")
    title = title.format(distance=number_text(distance, 0), score=number_text(scores.sum()))
    axis = _("distance: the query’s position − the key’s")
    size = (500, 330) if one else (810, 175)
    here = distance, float(scores.sum())
    return "".join(drawn) + signed_curve(between, scores_at(state, between), here, title, axis, *size)


class TurningLab(Lab):
    """The lab: move two tokens together, then one alone. It starts from a preset, the first by default."""

    presets: Mapping[str, tuple[str, TwoTokens]] = {
        "one": (_("1 · one pair: the score stays, then it changes"), STATES["one"]),
        "again": (_("2 · one pair, key and query at one position: which distance looks the same?"), STATES["again"]),
        "four": (_("3 · four pairs, each slower: distances told apart"), STATES["four"]),
        "back": (_("4 · four pairs, a query that looks one back"), STATES["back"]),
    }

    def picture(self) -> list[Any]:
        self.drawing = Drawing(self._turn)
        return [self.drawing]

    # -- what the reader does -----------------------------------------------------------------

    def controls(self) -> list[Any]:
        def slider(name: str, label: str, width: str) -> Any:
            return self.number(label, range(FARTHEST + 1), name, width=width, box_width="2.4em")

        self.both, self.query = slider("both", _("both by"), "11em"), slider("query", _("query from"), "13em")
        self.key = slider("key", _("key from"), "13.5em")
        self.next = self._button(_("Next start"), self._go_on)
        return [self.both, self.query, self.next]

    def more(self) -> list[Any]:
        return [self.key]

    def _turn(self, name: str, value: float, gesture: str) -> None:
        if name == "distance":
            value -= reach_of(self.state)
        self.change(moved(self.state, name, value), gesture)

    def _go_on(self) -> None:
        names = list(self.presets)
        self._start_from(names[(names.index(self.state.goal) + 1) % len(names)])

    def tell(self, state: TwoTokens) -> None:
        reached, sentence = goal_of(state)
        self.say_goal(reached, sentence)
        self.next.layout.visibility = "visible" if reached else "hidden"  # it keeps its place: nothing moves in a drag
        self.drawing.show(picture(state))
