"""The turning lab: one query and one key, turned by their positions, and the score between them.

`TurningModel` is plain: two positions, what each token looks for or offers, how
fast each pair turns. `TurningLab` shows it and passes on what the reader does.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import ipywidgets
import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._numbers import number_text, whole_text
from ..examples.turning_starts import STATES, TwoTokens
from ..view.chain import Chain, Given, step
from ..view.controls import WRAP, NumberSlider, Sentence
from ..view.dials import Dial, dials, signed_curve
from ..view.history import Reversible
from ..view.lab import Lab
from ..view.matrix_view import Edit, MatrixView
from ..view.panel import Panel
from ..view.titles import axis_called

Array = NDArray[np.float64]

FARTHEST = 50  # positions of each token, and how far both can be moved
FASTEST, SPEED_STEP = 2.0, 0.01
LARGEST, ROW_STEP = 2.0, 0.1
FAR_ENOUGH = 20  # positions that both move for the first goal
NEARLY = 0.98  # of the largest score
OPPOSITE = -0.9
MOVES = ("query", "key", "both")
HANDS = ("q", "k")  # of query and key, in a dial

LABELS = {
    "query": "query at",
    "key": "key at",
    "both": "move both by",
    "one hint": "Slide “move both by” first, and watch the score. All that is set can also be dragged or typed below.",
    "hint": "Slide “query at”, and watch hands and score. All that is set can also be dragged or typed below.",
}
TITLES = {
    "moves": "positions set here",
    "rows": "q and k, not turned",
    "speeds": "radians a position",
    "turned": "q and k, turned",
    "score by pair": "score, pair by pair",
    "score": "score",
}
MESSAGES = {
    "pair": "pair {i}",
    "first": "{i}: x",
    "second": "{i}: y",
    "sum": "sum",
    "both": "both",
    "per position": "speed",
    "by": "at",
    "dial": "{speed:g} a position",
    "dial score": "q · k = {score}",
    "curve": "Score at each distance. Here, at {distance}: {score}",
    "axis": "query’s position − key’s",
    "state": "Query at {query}, key at {key}: distance {distance}, score {score}.",
    "done": "☑ {goal}",
    "open": "☐ {goal}",
    "both goal": "move both by {n} or more: does the score change?",
    "turn goal": "move one alone, to a score of {opposite} or less",
    "again goal": "find a distance beyond {n} whose score is at least {nearly} of the largest",
    "peak goal": "find the distance with the largest score",
    "still title": "One query and one key, turned by their positions",
    "still text": "Turning lab. {state}",
}
PRESETS = {
    "one": "1 · one pair: the score stays, the score turns",
    "again": "2 · one pair, key and query at one position: which distance looks the same?",
    "four": "3 · four pairs, each slower: distances told apart",
    "back": "4 · four pairs, a query that looks one back",
}


class Goal(NamedTuple):
    """A sentence, and whether it is reached."""

    text: str
    reached: bool


class TurningModel(Reversible[TwoTokens]):
    """A query and a key at their positions, and what becomes of their score.

    Examples
    --------
    >>> model = TurningModel()
    >>> before = model.score
    >>> model.move(both=50)
    >>> (model.positions, model.score.round(2), before.round(2))
    (array([55., 53.]), np.float64(-0.42), np.float64(-0.42))
    """

    presets = STATES

    def __init__(self, name: str = "one") -> None:
        super().__init__(STATES[name])

    # -- what the reader does ---------------------------------------------------------------

    def move(self, gesture: object = None, **to: float) -> None:
        """Set `query`, `key` or `both`, in whole positions."""
        places: dict[str, Any] = {name: int(np.clip(round(value), 0, FARTHEST)) for name, value in to.items()}
        self._go(replace(self.state, **places), gesture and (gesture, *to))

    def edit(self, panel: str, row: int, column: int, value: float, gesture: object = None) -> None:
        """Change one cell of a panel that can be set."""
        if panel == "moves":
            self.move(gesture, **{MOVES[row]: value})
        elif panel == "speeds":
            speeds = list(self.state.speeds)
            speeds[column] = float(np.clip(round(value, 4), 0, FASTEST))
            self._go(replace(self.state, speeds=tuple(speeds)), gesture)
        else:
            rows = [list(numbers) for numbers in self.state.rows]
            rows[row][column] = float(np.clip(round(value, 4), -LARGEST, LARGEST)) + 0.0  # never -0
            self._go(replace(self.state, rows=(tuple(rows[0]), tuple(rows[1]))), gesture)

    # -- what follows -------------------------------------------------------------------------

    def _show(self, state: TwoTokens) -> None:
        self.state = state
        self.positions: Array = np.array([state.query, state.key], float) + state.both  # (2,)
        self.rows = np.array(state.rows)  # (2, d)
        self.angles = self.positions[:, None] * np.array(state.speeds)  # (2, d/2)
        self.turned = turn(self.rows, self.angles)  # (2, d)
        self.by_pair = (self.turned[0] * self.turned[1]).reshape(-1, 2).sum(axis=1)  # (d/2,)
        self.score = self.by_pair.sum()

    @property
    def distance(self) -> int:
        """How many positions the query stands after the key."""
        return self.state.query - self.state.key

    def scores_at(self, distances: ArrayLike) -> Array:
        """Return the score of each distance, (n,)."""
        query, key = (row.reshape(-1, 2) @ [1, 1j] for row in self.rows)  # (d/2,): a pair as one complex number
        turns = np.exp(1j * np.asarray(distances)[:, None] * np.array(self.state.speeds))  # (n, d/2)
        return (turns * query * key.conj()).real.sum(axis=1)

    def matrices(self) -> dict[str, Array]:
        """Return everything shown, by name of panel."""
        state = self.state
        return {
            "moves": np.array([[state.query], [state.key], [state.both]], float),
            "rows": self.rows,
            "speeds": np.array([state.speeds]),
            "turned": self.turned,
            "score by pair": self.by_pair[None],
            "score": np.array([[self.score]]),
        }

    def said(self) -> str:
        """The state in one sentence."""
        query, key = (int(position) for position in self.positions)
        told = {"query": query, "key": key, "distance": whole_text(self.distance), "score": number_text(self.score)}
        return MESSAGES["state"].format(**told)

    @property
    def begun(self) -> str:
        """The preset where the reader began."""
        return next((name for name, state in STATES.items() if state == self.start), "one")

    def goals(self) -> list[Goal]:
        """What there is to do from where the reader began, and how far it is done."""
        return GOALS[self.begun](self)

    def goal_text(self) -> str:
        """The goals, each with a mark."""
        return "  ".join(MESSAGES["done" if goal.reached else "open"].format(goal=goal.text) for goal in self.goals())

    def code(self) -> str:
        """Lines that give the score shown, with NumPy alone."""
        state = self.state
        return f"""\
import numpy as np

positions = np.array([{state.query + state.both}, {state.key + state.both}])  # of the query and of the key
speeds = np.array({list(state.speeds)!r})  # (d/2,)
rows = np.array({[list(numbers) for numbers in state.rows]!r})  # (2, d)
angles = positions[:, None] * speeds  # (2, d/2)
cos, sin = np.cos(angles), np.sin(angles)
x, y = rows[:, 0::2], rows[:, 1::2]  # (2, d/2) each
turned = np.stack([x * cos - y * sin, x * sin + y * cos], axis=-1).reshape(rows.shape)  # (2, d)
score = turned[0] @ turned[1]"""


def turn(rows: Array, angles: Array) -> Array:
    """Turn the pairs of columns of each row, (n, d), by their angles in radians, (n, d/2)."""
    x, y, cos, sin = rows[:, 0::2], rows[:, 1::2], np.cos(angles), np.sin(angles)
    return np.stack([x * cos - y * sin, x * sin + y * cos], axis=-1).reshape(rows.shape)


def _largest(model: TurningModel) -> tuple[int, float]:
    """Return the distance with the largest score, and that score."""
    distances = np.arange(-FARTHEST, FARTHEST + 1)
    scores = model.scores_at(distances)
    return int(distances[scores.argmax()]), float(scores.max())


def _stay_and_turn(model: TurningModel) -> list[Goal]:
    largest = float(np.linalg.norm(model.rows, axis=1).prod())
    moved = model.state.both >= FAR_ENOUGH
    return [
        Goal(MESSAGES["both goal"].format(n=FAR_ENOUGH), moved),
        Goal(
            MESSAGES["turn goal"].format(opposite=number_text(OPPOSITE, 1)),
            bool(model.score <= OPPOSITE * max(largest, 1e-9)),
        ),
    ]


def _again(model: TurningModel) -> list[Goal]:
    reached = abs(model.distance) > 10 and model.score >= NEARLY * _largest(model)[1]
    return [Goal(MESSAGES["again goal"].format(n=10, nearly=NEARLY), bool(reached))]


def _peak(model: TurningModel) -> list[Goal]:
    return [Goal(MESSAGES["peak goal"], model.distance == _largest(model)[0])]


GOALS: dict[str, Callable[[TurningModel], list[Goal]]] = {
    "one": _stay_and_turn,
    "again": _again,
    "four": _peak,
    "back": _peak,
}


class TurningLab(Lab):
    """The turning lab: move two tokens together, then one alone, and watch their score.

    Parameters
    ----------
    name : str, optional
        A key of `PRESETS` to start from.
    """

    model: TurningModel

    def __init__(self, name: str = "one") -> None:
        self.model = TurningModel(name)
        self._make_common(PRESETS, width="34em", lines=11)
        self.sliders = {
            move: NumberSlider(LABELS[move], 0, 0, FARTHEST, self._mover(move), width="15em") for move in MOVES
        }
        self._goal, self._hint = Sentence("lab-goal", says=True), Sentence("lab-line")
        self._picture = ipywidgets.HTML()
        self.view = MatrixView(
            self._panels(), arrangement=self._arrangement(), still=["turned"], still_title=MESSAGES["still title"]
        )
        self.view.on_edit(self._edited)
        top = ipywidgets.HBox([self._preset, self._tools(), self._message], layout=WRAP)
        both, query, key = (self.sliders[move] for move in ("both", "query", "key"))
        sliders = ipywidgets.HBox([both, query, key], layout=WRAP)
        parts = [top, self._goal, self._hint, sliders, self._picture, self.view, self._code.area]
        self._begin("turning-lab", parts)

    # -- what the reader does ---------------------------------------------------------------

    def _mover(self, name: str) -> Callable[[float, object], None]:
        def move(value: float, gesture: object) -> None:
            self.model.move(gesture, **{name: value})
            self._refresh()

        return move

    def _edited(self, edit: Edit) -> None:
        self.model.edit(edit.panel, edit.row, edit.column, edit.value, edit.gesture)
        self._refresh()

    # -- what is shown ----------------------------------------------------------------------

    def _shape(self) -> int:
        return len(self.model.state.speeds)

    def _panels(self) -> dict[str, Panel]:
        matrices, n_pairs = self.model.matrices(), len(self.model.state.speeds)
        tokens = [axis_called("query"), axis_called("key")]
        pairs = [MESSAGES["pair"].format(i=i) for i in range(n_pairs)]
        entries = [MESSAGES[part].format(i=i) for i in range(n_pairs) for part in ("first", "second")]
        look: dict[str, Any] = {"small": True, "stretch": False, "row_axis": "token", "column_axis": "entry"}
        set_: dict[str, Any] = {**look, "editable": True}
        of_pairs = {**look, "column_axis": "pair", "row_axis": ""}
        return {
            "moves": Panel(
                matrices["moves"], [*tokens, MESSAGES["both"]], [MESSAGES["by"]], title=TITLES["moves"], low=0,
                high=FARTHEST, step=1, digits=0, kind="weights", limit=FARTHEST, **{**set_, "column_axis": ""},
            ),
            "rows": Panel(
                matrices["rows"], tokens, entries, title=TITLES["rows"], low=-LARGEST, high=LARGEST, step=ROW_STEP,
                limit=LARGEST, **set_,
            ),
            "speeds": Panel(
                matrices["speeds"], [MESSAGES["per position"]], pairs, title=TITLES["speeds"], low=0, high=FASTEST,
                step=SPEED_STEP, kind="weights", limit=FASTEST, **{**of_pairs, "editable": True},
            ),
            "turned": Panel(matrices["turned"], tokens, entries, title=TITLES["turned"], limit=LARGEST, **look),
            "score by pair": Panel(
                matrices["score by pair"], [TITLES["score"]], pairs, title=TITLES["score by pair"], limit=LARGEST,
                **of_pairs,
            ),
            "score": Panel(
                matrices["score"], [TITLES["score"]], [MESSAGES["sum"]], title=TITLES["score"], limit=LARGEST,
                **{**of_pairs, "column_axis": ""},
            ),
        }  # fmt: skip

    def _arrangement(self) -> list[list[str]]:
        if self._shape() == 1:
            return [["moves", "speeds", "rows", "turned", "score by pair", "score"]]
        return [["moves", "rows", "turned"], ["speeds", "score by pair", "score"]]

    def _chain(self) -> Chain:
        return [
            step("positions", "matmul", "both to each", "moves"),
            step("angles", "matmul", "positions", "speeds"),
            step("turned", "turn", "rows", "angles"),
            step("q", "matmul", "of the query", "turned"),
            step("k", "matmul", "of the key", "turned"),
            step("products", "times", "q", "k"),
            step("score by pair", "matmul", "products", "pair of each"),
            step("score", "matmul", "score by pair", "ones"),
        ]

    def _given(self) -> Given:
        n_pairs = len(self.model.state.speeds)
        return {
            "both to each": np.array([[1, 0, 1], [0, 1, 1]]),
            "of the query": np.array([[1, 0]]),
            "of the key": np.array([[0, 1]]),
            "pair of each": np.repeat(np.eye(n_pairs), 2, axis=0),
            "ones": np.ones((n_pairs, 1)),
        }

    def _update(self, changed: bool) -> None:
        self.view.update(self.model.matrices(), changed=changed)

    def _follow(self) -> None:
        self._picture.value = picture(self.model)
        self._goal.say(self.model.goal_text(), strong=True)
        self._hint.say(LABELS["one hint" if self.model.begun == "one" else "hint"])
        for name, slider in self.sliders.items():
            slider.show(getattr(self.model.state, name))

    # -- the still picture ------------------------------------------------------------------

    def still_figure(self) -> Any:
        """The dials, and the score at each distance, for readers without a kernel."""
        from .. import plots  # here, so that a live view never waits for matplotlib

        model = self.model
        distances = np.arange(-FARTHEST, FARTHEST + 1)
        return plots.dials_and_curve(
            model.turned.reshape(2, -1, 2).swapaxes(0, 1),  # (d/2, 2, 2): pairs, query and key, x and y
            [MESSAGES["pair"].format(i=i) for i in range(len(model.by_pair))],
            (distances, model.scores_at(distances)),
            (model.distance, model.score),
            title=MESSAGES["still title"],
            curve_title=curve_title(model),
            x_label=MESSAGES["axis"],
            y_label=TITLES["score"],
            names=HANDS,
        )

    def still_text(self) -> str:
        """Say in words what the picture shows."""
        return MESSAGES["still text"].format(state=self.model.said())


def picture(model: TurningModel) -> str:
    """Draw a dial for each pair, and the score at each distance, as SVG."""
    rows = model.turned.reshape(2, -1, 2)  # query and key, pairs, x and y
    drawn = [
        Dial(
            MESSAGES["pair"].format(i=i),
            MESSAGES["dial"].format(speed=speed),
            MESSAGES["dial score"].format(score=number_text(score)),
            {name: tuple(row[i].tolist()) for name, row in zip(HANDS, rows)},
        )
        for i, (speed, score) in enumerate(zip(model.state.speeds, model.by_pair))
    ]
    reach = np.arange(-FARTHEST, FARTHEST + 1)
    told = (reach, model.scores_at(reach), model.distance, curve_title(model), MESSAGES["axis"], len(drawn))
    curves = "".join(signed_curve(*told, narrow=narrow) for narrow in (False, True))
    return dials(drawn, curves, model.said())


def curve_title(model: TurningModel) -> str:
    """Say what the curve shows, and where on it the reader is."""
    told = {"distance": whole_text(model.distance), "score": number_text(model.score)}
    return MESSAGES["curve"].format(**told)
