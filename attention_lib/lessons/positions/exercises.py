"""The exercises of notebook 10: turning, a bug, a test."""

import numpy as np

from ...checks.exercise import Arguments, Exercise, normal


def turning_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw rows and a start: first numbers without zeros, then heads and a batch, and as many heads as tokens."""
    without_zeros = [(rng.integers(1, 5, size=(n, 4)).astype(float), start) for n, start in ((2, 0), (3, 1))]
    shapes = [((3, 4), 2), ((1, 2), 5), ((4, 6), 0), ((3, 3, 4), 1), ((2, 3, 5, 8), 7), ((2, 6, 2), 12)]
    return without_zeros + [(normal(rng, *shape), start) for shape, start in shapes]


turned_pairs = Exercise(
    title="Turn every pair",
    difficulty=2,
    minutes=12,
    task="""Write `turned_pairs(X, start)`. X is (…, n, d): the queries or keys of one head, of several heads, or of a
whole batch. Row r of the n rows has position start + r. Columns 2i and 2i + 1 form pair i, and each step in position
turns that pair by another 10000^(−2i/d) radians. Turning a pair by an angle changes (x, y) into
(x cos − y sin, x sin + y cos). The function returns an array of the same shape.

For example, `turned_pairs(np.array([[1.0, 0.0]]), 1)` is about `[[0.54, 0.84]]`. Use only NumPy.""",
    solution="""
def turned_pairs(X, start):  # (..., n, d), a whole number
    n, d = X.shape[-2:]
    positions = start + np.arange(n)[:, None]  # (n, 1)
    speeds = 10000.0 ** (-np.arange(0, d, 2) / d)  # (d/2,)
    angles = positions * speeds  # (n, d/2)
    cos, sin = np.cos(angles), np.sin(angles)
    x, y = X[..., 0::2], X[..., 1::2]  # (..., n, d/2) each
    new_x = x * cos - y * sin
    new_y = x * sin + y * cos
    pairs = np.stack([new_x, new_y], axis=-1)  # (..., n, d/2, 2)
    return pairs.reshape(X.shape)  # (..., n, d)
""",
    hints=(
        "Begin with the angles, (n, d/2): the positions go down the side, and the speeds go along the top. "
        "`X[..., 0::2]` gives you every x.",
        "Angles of shape (n, d/2) broadcast to every x and y. `np.stack(…, axis=-1)`, followed by a reshape, puts the "
        "two numbers of each pair side by side.",
    ),
    why="The angles do not depend on the head or on the sentence, so one (n, d/2) table serves them all.",
    cases=turning_cases,
    mistakes={
        "Your pairs turn too fast after the first one: column 2i decides the speed of pair i, so the exponent is "
        "−2i/d and not −i/d.": {"-np.arange(0, d, 2) / d": "-np.arange(d // 2) / d"},
        "The two halves of a row are paired. Some models pair column i with column i + d/2, but here pair i "
        "consists of columns 2i and 2i + 1.": {
            "X[..., 0::2], X[..., 1::2]": "X[..., : d // 2], X[..., d // 2 :]",
            "np.stack": "np.concatenate",
        },
    },
)

turned_step = Exercise(
    title="Find the bug",
    difficulty=2,
    minutes=8,
    task="""`turned_step(q, k, K)` takes one step in generating a text with a cache. The new query and the new key
consist of one pair each, and each step in position turns a pair by one more radian. K holds the earlier keys, which
were turned when they arrived. The function returns the score of the new query with each key, the new key last.
For an empty cache, the result is right, but one line is wrong. Fix that line and leave the rest as it is.""",
    solution="""
def turned_step(q, k, K):  # (2,), (2,), (n, 2)
    position = len(K)
    cos, sin = np.cos(position), np.sin(position)
    rotation = np.array([[cos, sin], [-sin, cos]])  # turns a row (x, y) anticlockwise
    q = q @ rotation
    keys = np.vstack([K, k @ rotation])
    return keys @ q  # (n + 1,)
""",
    bug={"k @ rotation]": "k]"},
    hints=(
        "The query and the key of the new token have the same position. What must their score be, at every step?",
        "Their score must be q · k. Which rows are turned before the last product, and which are not?",
    ),
    why="Every key is turned once, by its own position, when it arrives. After that, it stays in the cache unchanged.",
    cases=lambda rng: [  # first an empty cache, where the bug does not show
        (normal(rng, 2), normal(rng, 2), normal(rng, n_cached, 2)) for n_cached in (0, 1, 2, 3, 5, 8)
    ],
    mistakes={
        "Either everything is turned by the same angle or nothing is turned; the products are the same in both "
        "cases. The keys in the cache were turned by their own positions when they arrived, so only the new query "
        "and the new key need to be turned.": {"[K, k @ rotation])": "[K, k]) @ rotation"},
    },
)


def turn(row: np.ndarray, position: float) -> np.ndarray:
    """Turn one pair by one radian for each position."""
    cos, sin = np.cos(position), np.sin(position)
    return np.array([row[0] * cos - row[1] * sin, row[0] * sin + row[1] * cos])


def turn_with_new_x(row: np.ndarray, position: float) -> np.ndarray:
    """Use the new x instead of the old one to calculate the new y."""
    x = turn(row, position)[0]
    return np.array([x, x * np.sin(position) + row[1] * np.cos(position)])


tells_the_distance = Exercise(
    title="Write the test",
    difficulty=2,
    minutes=10,
    task="""Write `tells_the_distance(place)`. Its argument is a function: `place(row, position)` puts a position into a
query or key of two numbers, (2,), and returns two numbers. Your test returns True if the score of two placed rows stays
the same when both move by the same number of positions, **and** changes when only one of them moves. Otherwise it
returns False. You may use `assert` statements instead. Choose the rows and the positions yourself.

Your test will be tried on several correct functions, and on wrong ones that satisfy only one of the two conditions.""",
    solution="""
def tells_the_distance(place):  # a function: (2,), a whole number -> (2,)
    q, k = np.array([1.0, 0.5]), np.array([0.3, -2.0])

    def score(i, j):
        return place(q, i) @ place(k, j)

    stays = np.allclose(score(5, 3), score(12, 10)) and np.allclose(score(5, 3), score(25, 23))
    changes = not np.allclose(score(5, 3), score(6, 3))
    return stays and changes  # True or False
""",
    hints=(
        "Compare three scores: one for a pair of positions, one after both have moved by the same number of "
        "positions, and one after only one of them has moved.",
        "A function that ignores the position satisfies the first condition. One that adds a position-dependent vector "
        "satisfies the second. Use rows without a 0, and begin with two different positions: otherwise some wrong "
        "functions look right.",
    ),
    why="Either condition is easy to satisfy on its own: a function that ignores the position satisfies the first, and "
    "one that adds something different at each position satisfies the second.",
    accepts=(turn, lambda row, i: turn(row, 0.1 * i), lambda row, i: turn(row, -0.5 * i)),
    refuses={
        "it ignores the position, so no score changes": lambda row, i: row,
        "it adds sines and cosines instead of turning the row": lambda row, i: row + turn(np.array([0.0, 1.0]), i),
        "it turns by the square of the position": lambda row, i: turn(row, 0.01 * i**2),
        "it turns only the first number, while the second grows (a 0 in your rows hides that)": lambda row, i: (
            turn(row * [1, 0], i) + row * [0, 1 + 0.1 * i]
        ),
        "it lengthens the row as the position grows instead of turning it": lambda row, i: row * (1 + 0.1 * i),
        "it uses the new x to calculate the new y": turn_with_new_x,
    },
)
