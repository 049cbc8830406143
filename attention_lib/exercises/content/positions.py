"""What notebook 10 asks: shapes and a cache, turning, a bug, a test."""

from typing import Any

import numpy as np

from ...positions import rotary_positions, sinusoidal_positions
from ..exercise import Arguments, Blank, Exercise, normal
from ..kinds import writing_a_test
from ..predictions import Question
from ..rules_by_steps import by_steps

NOTEBOOK = "10_positions"


# 1. Shapes, and a cache


SHAPES = Exercise(
    name="shapes_of_positions",
    notebook=NOTEBOOK,
    title="Which shape, which position",
    difficulty=1,
    minutes=5,
    spec="""Two sentences of 5 tokens each, X is (2, 5, 96). A layer of 8 heads: Q of all heads is
(2, 8, 5, 12). What shape has each of these? Then two numbers: a cache holds 7 tokens, and one more comes.

Write a shape as a tuple, such as `(5, 12)`, and a number as it is.""",
    stub="""
shapes_of_positions = {
    "the table added to X": ...,
    "X with it": ...,
    "angles of one head": ...,
    "Q, turned": ...,
    "position of the new token": ...,
    "rows of K that are turned now": ...,
}
""",
    solution="""
shapes_of_positions = {
    "the table added to X": (5, 96),
    "X with it": (2, 5, 96),
    "angles of one head": (5, 6),
    "Q, turned": (2, 8, 5, 12),
    "position of the new token": 7,
    "rows of K that are turned now": 1,
}
""",
    hints=(
        "A position is the same for every sentence of the batch, and for every head.",
        "An angle belongs to a position and a pair, and 12 columns are 6 pairs. What stands in the cache is turned.",
    ),
    why="Positions hang on the axis of the tokens alone: batch and heads share them. What is kept keeps its angle.",
    blanks={
        "the table added to X": Blank(
            (5, 96),
            {
                (2, 5, 96): "That would hold the same table twice: both sentences have positions 0 to 4.",
                (5, 12): "It is added before the heads, to rows of d_model = 96 numbers.",
                (5,): "Each position has a row as wide as an embedding, or it could not be added.",
            },
            "One row for each position, as wide as a row of X.",
        ),
        "X with it": Blank(
            (2, 5, 96),
            {(2, 5, 192): "It is added, number by number, not put beside."},
            "Adding changes no shape.",
        ),
        "angles of one head": Blank(
            (5, 6),
            {
                (5, 12): "Two columns are one pair and share one angle.",
                (5,): "Each pair turns at its own speed, so each has its own angle.",
                (5, 96): "One head has 12 columns; these are what is turned.",
                (5, 48): "One head has 12 columns; these are what is turned.",
            },
            "One angle for each position and each pair.",
        ),
        "Q, turned": Blank(
            (2, 8, 5, 12),
            {
                (2, 8, 5, 6): "A pair stays two numbers when it is turned.",
                (2, 5, 96): "That is all heads side by side. Rotary positions turn each head's Q.",
            },
            "Turning changes no shape.",
        ),
        "position of the new token": Blank(
            7,
            {
                8: "Positions begin at 0, so the seven tokens are 0 to 6.",
                0: "Then it would stand at the place of the first token.",
                6: "The last of the seven stands there.",
            },
            "Positions begin at 0; seven are taken.",
        ),
        "rows of K that are turned now": Blank(
            1,
            {
                8: "Seven of these were turned when they came. Turned again, they would have twice their angle.",
                7: "These were turned when they came.",
                0: "The new key stands at a position too, and has not been turned.",
            },
            "What is in the cache is turned already.",
        ),
    },
)


# 2. Turning


def turning_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw rows and a start; first whole numbers, then heads and a batch, with as many heads as tokens too."""
    shapes = [((3, 4), 2), ((1, 2), 5), ((4, 6), 0), ((3, 3, 4), 1), ((2, 3, 5, 8), 7), ((2, 6, 2), 12)]
    drawn = [(normal(rng, *shape), start) for shape, start in shapes]
    small = [(rng.integers(1, 5, size=(n, 4)).astype(float), start) for n, start in ((2, 0), (3, 1))]  # without zeros
    return [*small, *drawn]


def turned_with(X: Any, start: Any, **change: Any) -> Any:
    """Turn as asked, but for what is changed: `speeds`, `sign`, `positions`, `halves`."""
    d = X.shape[-1]
    speeds = change.get("speeds", lambda d: 10000.0 ** (-np.arange(0, d, 2) / d))(d)
    positions = change.get("positions", lambda X, start: start + np.arange(X.shape[-2])[:, None])(X, start)
    angles = positions * speeds
    cos, sin = np.cos(angles), change.get("sign", 1) * np.sin(angles)
    halves = change.get("halves", False)
    x, y = (X[..., : d // 2], X[..., d // 2 :]) if halves else (X[..., 0::2], X[..., 1::2])
    new = [x * cos - y * sin, x * sin + y * cos]
    if halves or change.get("apart", False):
        return np.concatenate(new, axis=-1)
    return np.stack(new, axis=-1).reshape(X.shape)


def turning(**change: Any) -> Any:
    """Return the function that turns with a change."""
    return lambda X, start: turned_with(X, start, **change)


def turned_in_loops(X: Any, start: Any) -> Any:
    """Turn row by row and pair by pair, as complex numbers."""
    X = np.array(X, dtype=float)
    n, d = X.shape[-2:]
    for position in range(n):
        for i in range(d // 2):
            turn = np.exp(1j * (start + position) / 10000 ** (2 * i / d))
            pair = (X[..., position, 2 * i] + 1j * X[..., position, 2 * i + 1]) * turn
            X[..., position, 2 * i], X[..., position, 2 * i + 1] = pair.real, pair.imag
    return X


def turned_overwriting(X: Any, start: Any) -> Any:
    """Write x back before y has read it."""
    X = np.array(X, dtype=float)
    d = X.shape[-1]
    angles = (start + np.arange(X.shape[-2])[:, None]) * 10000.0 ** (-np.arange(0, d, 2) / d)
    X[..., 0::2] = X[..., 0::2] * np.cos(angles) - X[..., 1::2] * np.sin(angles)
    X[..., 1::2] = X[..., 0::2] * np.sin(angles) + X[..., 1::2] * np.cos(angles)
    return X


def turn_by_steps(X: Any, start: Any, speeds: Any, position: Any, pairs: Any, second: Any) -> Any:
    """Turn with these ways of the steps."""
    n, d = X.shape[-2:]
    angles = position(start, np.arange(n)[:, None]) * speeds(np.arange(d // 2), d)
    cos, sin = np.cos(angles), np.sin(angles)
    x, y = (X[..., : d // 2], X[..., d // 2 :]) if pairs == "halves" else (X[..., 0::2], X[..., 1::2])
    new = second(x, y, cos, sin)
    return np.concatenate(new, axis=-1) if pairs != "pairs" else np.stack(new, axis=-1).reshape(X.shape)


TURN_STEPS = {
    "speeds": {
        "10000^(-2i/d)": lambda i, d: 10000.0 ** (-2 * i / d),
        "10000^(2i/d)": lambda i, d: 10000.0 ** (2 * i / d),
        "10000^(-i/d)": lambda i, d: 10000.0 ** (-i / d),
        "10000^(-4i/d)": lambda i, d: 10000.0 ** (-4 * i / d),
        "10000^(-i)": lambda i, d: 10000.0 ** (-i.astype(float)),
        "10000^(-2i)": lambda i, d: 10000.0 ** (-2.0 * i),
        "10000^(-(2i // d))": lambda i, d: 10000.0 ** (-(2 * i // d)),
        "10000^(-2i // d)": lambda i, d: 10000.0 ** (-2 * i // d),
        "10000^(-2(i + 1)/d)": lambda i, d: 10000.0 ** (-2 * (i + 1) / d),
        "10000^(-i/(d - 1))": lambda i, d: 10000.0 ** (-i / (d - 1)),
        "1000^(-2i/d)": lambda i, d: 1000.0 ** (-2 * i / d),
        "100^(-2i/d)": lambda i, d: 100.0 ** (-2 * i / d),
        "1 for every pair": lambda i, d: np.ones(len(i)),
        "1 for the first pair and 0 for the others": lambda i, d: (i == 0) * 1.0,
        "those asked for, taken for degrees": lambda i, d: np.pi / 180 * 10000.0 ** (-2 * i / d),
        "those asked for, times 2π": lambda i, d: 2 * np.pi * 10000.0 ** (-2 * i / d),
        "those asked for, the last pair first": lambda i, d: 10000.0 ** (-2 * i[::-1] / d),
    },
    "position": {
        "start + r": lambda start, r: start + r,
        "r": lambda start, r: r,
        "start + r + 1": lambda start, r: start + r + 1,
        "start + r - 1": lambda start, r: start + r - 1,
        "start - r": lambda start, r: start - r,
        "start": lambda start, r: start + 0 * r,
        "start times r": lambda start, r: start * r,
    },
    "pairs": {
        "columns 2i and 2i + 1": "pairs",
        "the two halves of a row": "halves",
        "not put back side by side": "apart",
    },
    "second": {
        "x cos - y sin, x sin + y cos": lambda x, y, cos, sin: [x * cos - y * sin, x * sin + y * cos],
        "x cos + y sin, y cos - x sin": lambda x, y, cos, sin: [x * cos + y * sin, y * cos - x * sin],
        "x cos - y sin, x sin - y cos": lambda x, y, cos, sin: [x * cos - y * sin, x * sin - y * cos],
        "x cos + y sin, x sin + y cos": lambda x, y, cos, sin: [x * cos + y * sin, x * sin + y * cos],
        "x sin - y cos, x cos + y sin": lambda x, y, cos, sin: [x * sin - y * cos, x * cos + y * sin],
        "x sin + y cos, x cos - y sin": lambda x, y, cos, sin: [x * sin + y * cos, x * cos - y * sin],
    },
}


TURN = Exercise(
    name="turned_pairs",
    notebook=NOTEBOOK,
    title="Turn every pair",
    difficulty=2,
    minutes=12,
    spec="""Write `turned_pairs(X, start)`. X is (…, n, d): queries or keys of a head, or of several, or of a batch
of them. Row r of n stands at position start + r. Columns 2i and 2i + 1 are pair i, and turn by
10000^(−2i/d) radians a position: (x, y) becomes (x cos − y sin, x sin + y cos). It returns the same shape.

`turned_pairs(np.array([[1.0, 0.0]]), 1)` is `[[0.54, 0.84]]`, rounded. NumPy alone.""",
    stub="""
def turned_pairs(X, start):  # (..., n, d), a whole number
    return ...  # (..., n, d)
""",
    solution="""
def turned_pairs(X, start):
    n, d = X.shape[-2:]
    positions = start + np.arange(n)[:, None]  # (n, 1)
    angles = positions * 10000.0 ** (-np.arange(0, d, 2) / d)  # (n, d/2)
    x, y = X[..., 0::2], X[..., 1::2]  # (..., n, d/2) each
    cos, sin = np.cos(angles), np.sin(angles)
    pairs = np.stack([x * cos - y * sin, x * sin + y * cos], axis=-1)  # (..., n, d/2, 2)
    return pairs.reshape(X.shape)
""",
    hints=(
        "First the angles, (n, d/2): positions down the side, speeds along the top. `X[..., 0::2]` takes every x.",
        "Broadcasting lets angles of (n, d/2) meet x and y. `np.stack(…, axis=-1)`, reshaped, puts pairs side by side.",
    ),
    why="The angles know nothing of heads or batch: one table of (n, d/2) serves them all.",
    cases=turning_cases,
    integers=True,
    others=(turned_in_loops, lambda X, start: rotary_positions(X, start=start), turning()),
    wrong={
        "pairs_in_halves": turning(halves=True),
        "turned_back": turning(sign=-1),
        "start_ignored": turning(positions=lambda X, start: np.arange(X.shape[-2])[:, None]),
        "one_position_ahead": turning(positions=lambda X, start: 1 + start + np.arange(X.shape[-2])[:, None]),
        "counted_down": turning(positions=lambda X, start: start - np.arange(X.shape[-2])[:, None]),
        "one_position_for_all": turning(positions=lambda X, start: start),
        "positions_squared": turning(positions=lambda X, start: (start + np.arange(X.shape[-2])[:, None]) ** 2),
        "position_times_row": lambda X, start: X * (start + np.arange(X.shape[-2])[:, None]),
        "one_speed": turning(speeds=lambda d: np.ones(d // 2)),
        "speed_of_columns": turning(speeds=lambda d: 10000.0 ** (-np.arange(d // 2) / d)),
        "pairs_not_put_back": turning(apart=True),
        "added_not_turned": (
            lambda X, start: X + sinusoidal_positions(*X.shape[-2:], start=start),
            lambda X, start: X + turned_with(np.tile([1.0, 0.0], (*X.shape[:-1], X.shape[-1] // 2)), start),
        ),
        "x_overwritten": turned_overwriting,
        "rows_of_another_axis": turning(
            positions=lambda X, start: start + np.arange(X.shape[-3])[:, None, None] if X.ndim > 2 else start
        ),
    },
    rules=(by_steps("turns_by", TURN_STEPS, turn_by_steps),),
)


# 3. A bug


def turn_one(row: Any, position: Any) -> Any:
    """Turn one pair by its position, one radian each."""
    cos, sin = np.cos(position), np.sin(position)
    return np.array([row[0] * cos - row[1] * sin, row[0] * sin + row[1] * cos])


def step_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw a query, a key and what the cache holds; first an empty cache, where the bug does not show."""
    return [(normal(rng, 2), normal(rng, 2), normal(rng, n, 2)) for n in (0, 1, 2, 3, 5, 8)]


def step_with(query: Any = len, key: Any = len, cached: Any = lambda row, j: row) -> Any:
    """Return the scores of one step, with other positions for the new query and key, or the cache changed."""

    def scores(q: Any, k: Any, K: Any) -> Any:
        old = [cached(row, j) for j, row in enumerate(K)]
        keys = np.array([*old, turn_one(k, key(K))])
        return keys @ turn_one(q, query(K))

    return scores


POSITIONS = {
    "n": len,
    "0": lambda K: 0,
    "n + 1": lambda K: len(K) + 1,
    "n - 1": lambda K: len(K) - 1,
    "-n": lambda K: -len(K),
    "2n": lambda K: 2 * len(K),
    "n, taken for degrees": lambda K: np.deg2rad(len(K)),
    "1": lambda K: 1,
}
STEP_STEPS = {  # the kept keys last: with the new key not turned, they were turned in its place
    "query": POSITIONS,
    "key": {"the same as the query": None} | POSITIONS,
    "row": {"the new key": lambda q, k: k, "the new query": lambda q, k: q},
    "kept": {
        "as they are": lambda row, j, n: row,
        "turned by n once more": lambda row, j, n: turn_one(row, n),
        "turned by their own place once more": lambda row, j, n: turn_one(row, j),
        "turned back by their own place": lambda row, j, n: turn_one(row, -j),
    },
}


def step_by_steps(q: Any, k: Any, K: Any, kept: Any, row: Any, key: Any, query: Any) -> Any:
    """Return the scores of one step with these ways of the steps."""
    old = [kept(one, j, len(K)) for j, one in enumerate(K)]
    return np.array([*old, turn_one(row(q, k), (key or query)(K))]) @ turn_one(q, query(K))


BUG = Exercise(
    name="turned_step",
    notebook=NOTEBOOK,
    title="Find the bug",
    difficulty=2,
    minutes=8,
    spec="""`turned_step(q, k, K)` is one step of writing with a cache: a new query and a new key, one pair each,
turned by one radian a position; K holds the keys so far, turned when they came. It returns the scores
of the new query with all keys, its own last. With nothing in the cache its answer is right. One line is not. Mend
it; leave the rest.""",
    stub="""
def turned_step(q, k, K):  # (2,), (2,), (n, 2)
    position = len(K)
    cos, sin = np.cos(position), np.sin(position)
    turn = np.array([[cos, sin], [-sin, cos]])
    q = q @ turn
    keys = np.vstack([K, k])
    return keys @ q  # (n + 1,)
""",
    solution="""
def turned_step(q, k, K):
    position = len(K)
    cos, sin = np.cos(position), np.sin(position)
    turn = np.array([[cos, sin], [-sin, cos]])
    q = q @ turn
    keys = np.vstack([K, k @ turn])
    return keys @ q
""",
    hints=(
        "Which rows are turned when they enter the product, and which are not?",
        "The new token's query and key stand at one position, so their own score must be q · k in every step.",
    ),
    why="Query and key of one token stand at one position: turned alike, their score is that of no turn at all.",
    cases=step_cases,
    integers=True,
    others=(
        step_with(),
        lambda q, k, K: np.append(K @ turn_one(q, len(K)), q @ k),
    ),
    wrong={
        "query_one_ahead": step_with(query=lambda K: len(K) + 1),
        "keys_turned_twice": step_with(cached=lambda row, j: turn_one(row, j)),
        "nothing_turned_against_the_cache": step_with(query=lambda K: 0, key=lambda K: 0),
        "turned_back": step_with(query=lambda K: -len(K), key=lambda K: -len(K)),
    },
    rules=(by_steps("step_turns", STEP_STEPS, step_by_steps),),
    has_bug=True,
)


# 4. A test


def with_speed(speed: float) -> Any:
    """Turn one pair at another speed."""
    return lambda row, position: turn_one(row, speed * position)


STAYS, CHANGES = "the score stays when both move by the same distance", "the score changes when one moves alone"

TEST = writing_a_test(
    name="tells_the_distance",
    notebook=NOTEBOOK,
    title="Write the test",
    difficulty=2,
    minutes=10,
    spec="""Write `tells_the_distance(place)`. It is given a function: `place(row, position)` puts a position into a
query or key of two numbers, (2,), and returns two numbers. It returns True where the score of two placed rows stays
when both move by the same distance, **and** changes when one moves alone; else False. `assert` lines will do too.
Use rows and positions of your own.

Among the functions: several right ones, and wrong ones that keep one of the two promises.""",
    stub="""
def tells_the_distance(place):  # a function: (2,), a whole number -> (2,)
    return ...  # True or False
""",
    solution="""
def tells_the_distance(place):
    q, k = np.array([1.0, 0.5]), np.array([0.3, -2.0])

    def score(i, j):
        return place(q, i) @ place(k, j)

    stays = np.allclose(score(5, 3), score(12, 10)) and np.allclose(score(5, 3), score(25, 23))
    changes = not np.allclose(score(5, 3), score(6, 3))
    return stays and changes
""",
    hints=(
        "Compare three scores: one pair of positions, the same two moved alike, and one of the two moved alone.",
        "A function that ignores the position keeps the first promise. One that adds the position keeps the second.",
    ),
    why="Both halves are needed: what ignores positions keeps every score, and what adds them changes every score.",
    right=(turn_one, with_speed(0.1), with_speed(-0.5), with_speed(2.5)),
    wrong={
        "no_position": lambda row, position: row,
        "added_not_turned": lambda row, position: row + turn_one(np.array([0.0, 1.0]), position),
        "positions_squared": lambda row, position: turn_one(row, 0.01 * position**2),
        "second_number_added": lambda row, position: (
            turn_one(np.array([row[0], 0.0]), position) + np.array([0.0, row[1] * (1 + 0.1 * position)])
        ),
        "position_times_row": lambda row, position: row * (1 + 0.1 * position),
        "x_overwritten": lambda row, position: np.array(
            [turn_one(row, position)[0], turn_one(row, position)[0] * np.sin(position) + row[1] * np.cos(position)]
        ),
    },
    promises={
        "no_position": CHANGES,
        **dict.fromkeys(
            (
                "added_not_turned",
                "positions_squared",
                "second_number_added",
                "position_times_row",
                "x_overwritten",
            ),
            STAYS,
        ),
    },
    others=(
        lambda place: bool(
            np.isclose(place(np.ones(2), 4) @ place(np.ones(2), 1), place(np.ones(2), 9) @ place(np.ones(2), 6))
            and not np.isclose(place(np.ones(2), 4) @ place(np.ones(2), 1), place(np.ones(2), 3) @ place(np.ones(2), 1))
        ),
        lambda place: (
            len(
                {round(float(place(np.array([1.0, 2.0]), i + 2) @ place(np.array([2.0, 1.0]), i)), 9) for i in range(9)}
            )
            == 1
            and len(
                {round(float(place(np.array([1.0, 2.0]), i) @ place(np.array([2.0, 1.0]), 0)), 9) for i in range(5)}
            )
            == 5
        ),
    ),
)


EXERCISES = (SHAPES, TURN, BUG, TEST)


QUESTIONS = {
    "10.order": Question(
        topic="what knows the order",
        choices={
            "layers": "a second layer on top",
            "heads": "several heads in place of one",
            "causal": "the causal mask",
            "none": "none of these",
        },
        right=(
            "Under the causal mask the first 배 sees one row, itself, and the last one sees eight. Heads and layers do "
            "to each row the same as to its twin."
        ),
        wrong={
            "layers": (
                "The second layer is given equal rows for the three 배, and gives equal rows: the same holds again."
            ),
            "heads": "In each head the three 배 have the same query, so all heads answer each of them alike.",
            "none": "The causal mask does: it goes by rows, not by words, and each 배 stands in another row.",
        },
        gives_away=("mask goes by", "mask knows"),
    ),
    "10.product": Question(
        topic="products of sinusoidal positions",
        choices={
            "same": "the same",
            "smaller": "smaller: both are far from the beginning",
            "other": "larger",
        },
        right=(
            "Each pair adds sin·sin + cos·cos, the cosine of the angle between the two hands. "
            "Both hands have gone on by the same angle, so it stays."
        ),
        wrong={
            "smaller": (
                "The rows do not fade: every row has the same length, √(d/2). What counts is the angle between two "
                "hands, and that is as before."
            ),
            "other": (
                "Each row is another, that is right. But both hands of a pair have gone on by the same angle, so the "
                "angle between them, and with it the product, is as before."
            ),
        },
        partly=("other",),
        gives_away=("distance alone", "hang on the distance", "same at every position"),
    ),
    "10.alone": Question(
        topic="one token moved",
        choices={
            "same": "it stays",
            "sign": "it changes its sign, or nearly so",
            "faded": "it is nearer to 0",
            "unknown": "that depends on the numbers in q and k",
        },
        right=(
            "22 radians are three and a half turns and hardly more: the query points the other way, and whatever the "
            "key is, their product changes its sign."
        ),
        wrong={
            "same": "It would, had the key moved on by as much. Now the angle between the two is another.",
            "faded": "Turning changes no length, so nothing fades by being farther away. What counts is the angle.",
            "unknown": (
                "For most distances it does, that is right. But 22 radians are three and a half turns: any query then "
                "points the other way, and its product with any key changes its sign."
            ),
        },
        partly=("unknown",),
        gives_away=("half turns", "points the other way"),
    ),
    "10.alike": Question(
        topic="one speed is not enough",
        choices={"12": "12", "22": "22", "25": "25", "44": "44"},
        right="44 radians are seven turns and hardly more, 44 − 14π = 0.02: the hand stands where it began.",
        wrong={
            "12": "12 radians are nearly two turns, 0.57 short: cos 12 = 0.84.",
            "22": "22 radians are three and a half turns: the hand points the other way, cos 22 = −1.00.",
            "25": "Near: 25 radians are four turns less 0.13, cos 25 = 0.991. Another is nearer.",
        },
        gives_away=("seven turns", "0, 25 and 44", "[0, 25, 44]"),
    ),
    "10.values": Question(
        topic="what is turned",
        choices={
            "same": "the same output as before they moved",
            "turned": "another output: it tells how far from the beginning they stand",
        },
        right=(
            "The weights stay, but they now mix values that are turned by each key's own position, 100 radians more. "
            "The layers above would have to undo that."
        ),
        wrong={
            "same": (
                "The weights are the same, that is right. But nothing takes a value's own turn away again: only in a "
                "product of two turned rows does the common part cancel."
            ),
        },
        partly=("same",),
        gives_away=("mixes values that are turned",),
    ),
    "10.first": Question(
        topic="a token with none before it",
        choices={
            "itself": "itself",
            "last": "the last token",
            "all": "all alike",
            "nothing": "nothing: its weights are 0",
        },
        right=(
            "It asks for position −1. There is none, but softmax has to give 1 away, and the key nearest to −1 is its "
            "own."
        ),
        wrong={
            "last": (
                "That is how NumPy counts −1. Here position −1 is an angle just before 0, and the last position is not."
            ),
            "all": "That would need equal scores. The hands of position −1 stand nearest to those of position 0.",
            "nothing": "Softmax gives away 1 in every row: without a mask no row can look at nothing.",
        },
        gives_away=("position −1", "nearest to −1"),
    ),
    "10.parts": Question(
        topic="a trained head, by positions alone",
        choices={
            "yes": "nearly the same map",
            "half": "about half of each weight",
            "no": "an even map: it needs the words",
        },
        right="To find the word before, this head needs no word: positions alone give {answer}.",
        wrong={
            "half": "The map is nearly the same. This head's scores come from the positions, and words change little.",
            "no": "It is the other way round: without the positions the map falls apart, without the words it stays.",
        },
        gives_away=("positions alone give", "positions  on the token"),
    ),
}
