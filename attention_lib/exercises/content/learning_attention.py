"""What notebook 08 asks: the backward pass of softmax and of the scores, a gradient check, one step."""

from functools import partial
from typing import Any

import numpy as np

from ..exercise import Arguments, Exercise, Function, normal, shares
from ..predictions import Question

NOTEBOOK = "08_learning_attention"


# 1. Softmax backward


def softmax_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw weights and a gradient of the same shape."""
    first = (np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]]))
    shapes = [(2, 2), (3, 3), (2, 5), (1, 4)]
    return [first, *((shares(rng, *s), normal(rng, *s)) for s in shapes)]


def backward_by_jacobian(weights: Any, d_weights: Any) -> Any:
    """Multiply with the Jacobian, row by row."""
    return [(np.diag(w) - np.outer(w, w)) @ d for w, d in zip(weights, d_weights)]


BACKWARD = Exercise(
    name="softmax_gradient",
    notebook=NOTEBOOK,
    title="Back through the softmax",
    difficulty=3,
    minutes=15,
    spec="""The loss changes with the weights by `d_weights`. Write `softmax_gradient(weights, d_weights)`:
how it changes with the scores, (n_queries, n_keys). For one row w with gradient g it is `w * (g - sum(w * g))`.

For `[[0.5, 0.5]]` and `[[1, 0]]` it is `[[0.25, -0.25]]`. Each row of the result sums to 0.""",
    stub="""
def softmax_gradient(weights, d_weights):  # both (n_queries, n_keys)
    return ...  # (n_queries, n_keys)
""",
    solution="""
def softmax_gradient(weights, d_weights):
    mean = (weights * d_weights).sum(axis=-1, keepdims=True)  # (n_queries, 1)
    return weights * (d_weights - mean)
""",
    hints=(
        "Each row has a weighted mean of its own gradient. Over which axis is it taken?",
        "`(weights * d_weights).sum(axis=-1, keepdims=True)` keeps one number beside each row.",
    ),
    why="It is the Jacobian of notebook 02 times the gradient, without building the Jacobian.",
    cases=softmax_cases,
    others=(
        backward_by_jacobian,
        lambda w, d: w * d - w * np.einsum("ij,ij->i", w, d)[:, None],
        lambda w, d: w * d * (1 - w) - w * ((w * d).sum(axis=1, keepdims=True) - w * d),
        lambda w, d: w * ((d - d[:, :1]) - (w * (d - d[:, :1])).sum(axis=1, keepdims=True)),
    ),
    wrong={
        "diagonal_only": lambda w, d: w * (1 - w) * d,
        "mean_not_subtracted": lambda w, d: w * d,
        "mean_over_queries": lambda w, d: w * (d - (w * d).sum(axis=0)),
        "mean_over_all": lambda w, d: w * (d - (w * d).sum()),
        "keepdims_missing": lambda w, d: w * (d - (w * d).sum(axis=-1)),
        "plain_mean": (
            lambda w, d: w * (d - d.mean(axis=-1, keepdims=True)),
            lambda w, d: w * (d - (w * d).mean(axis=-1, keepdims=True)),
        ),
        "sum_without_weights": lambda w, d: w * (d - d.sum(axis=-1, keepdims=True)),
        "mean_not_weighted": lambda w, d: w * d - (w * d).sum(axis=-1, keepdims=True),
        "softmax_again": lambda w, d: (lambda p: p * (d - (p * d).sum(axis=-1, keepdims=True)))(
            np.exp(w) / np.exp(w).sum(axis=-1, keepdims=True)
        ),
        "exchanged": lambda w, d: d * (w - (w * d).sum(axis=-1, keepdims=True)),
        "mean_added": lambda w, d: w * (d + (w * d).sum(axis=-1, keepdims=True)),
        "weights_forgotten": lambda w, d: d - (w * d).sum(axis=-1, keepdims=True),
        "sign": lambda w, d: w * ((w * d).sum(axis=-1, keepdims=True) - d),
    },
)


# 2. Scores backward


def scores_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw a gradient of the scaled scores, Q and K; a square case, where a missing transpose runs."""
    shapes = [(1, 2, 2), (3, 3, 3), (2, 4, 3), (5, 3, 9)]  # n_queries, n_keys, d_k
    return [(normal(rng, n, m), normal(rng, n, d), normal(rng, m, d)) for n, m, d in shapes]


def scores_backward_in_loops(d_scaled: Any, Q: Any, K: Any) -> Any:
    """Follow every product of the forward pass back."""
    d_Q, d_K = np.zeros_like(Q), np.zeros_like(K)
    for i in range(len(Q)):
        for j in range(len(K)):
            d_Q[i] = d_Q[i] + d_scaled[i, j] * K[j] / Q.shape[1] ** 0.5
            d_K[j] = d_K[j] + d_scaled[i, j] * Q[i] / Q.shape[1] ** 0.5
    return d_Q, d_K


SCORES = Exercise(
    name="scores_gradient",
    notebook=NOTEBOOK,
    title="Back to the queries and keys",
    difficulty=2,
    minutes=10,
    spec="""The scaled scores are `Q @ K.T / sqrt(d_k)`, and the loss changes with them by `d_scaled`. Write
`scores_gradient(d_scaled, Q, K)`. It returns `(d_Q, d_K)`: how the loss changes with Q and with K.""",
    stub="""
def scores_gradient(d_scaled, Q, K):  # (n_queries, n_keys), (n_queries, d_k), (n_keys, d_k)
    return ...  # d_Q (n_queries, d_k), d_K (n_keys, d_k)
""",
    solution="""
def scores_gradient(d_scaled, Q, K):
    d_scores = d_scaled / np.sqrt(Q.shape[-1])
    return d_scores @ K, d_scores.T @ Q
""",
    hints=(
        "The shapes leave little choice: d_Q must look like Q, and it is made of rows of K.",
        "`d_scores @ K` for Q. For K, the rows of d_scores.T belong to keys: `d_scores.T @ Q`. The scale stays.",
    ),
    why="Score [i, j] is query i times key j. So query i collects the keys it met, and key j the queries it met.",
    cases=scores_cases,
    others=(
        scores_backward_in_loops,
        lambda d, Q, K: (d @ K * Q.shape[1] ** -0.5, (Q.T @ d).T / Q.shape[1] ** 0.5),
    ),
    wrong={
        "not_scaled": lambda d, Q, K: (d @ K, d.T @ Q),
        "scaled_by_d_k": lambda d, Q, K: (d @ K / Q.shape[1], d.T @ Q / Q.shape[1]),
        "transpose_missing": lambda d, Q, K: (d @ K / Q.shape[1] ** 0.5, d @ Q / Q.shape[1] ** 0.5),
        "pair_exchanged": lambda d, Q, K: (d.T @ Q / Q.shape[1] ** 0.5, d @ K / Q.shape[1] ** 0.5),
        "half_power": lambda d, Q, K: (d @ K / (Q.shape[1] / 2), d.T @ Q / (Q.shape[1] / 2)),
        "divided_by_twice_d_k": lambda d, Q, K: (d @ K / (2 * Q.shape[1]), d.T @ Q / (2 * Q.shape[1])),
        "multiplied": lambda d, Q, K: (d @ K * Q.shape[1] ** 0.5, d.T @ Q * Q.shape[1] ** 0.5),
        "scaled_by_root_n": lambda d, Q, K: (d @ K / len(K) ** 0.5, d.T @ Q / len(K) ** 0.5),
        "only_d_Q_scaled": lambda d, Q, K: (d @ K / Q.shape[1] ** 0.5, d.T @ Q),
        "only_d_K_scaled": lambda d, Q, K: (d @ K, d.T @ Q / Q.shape[1] ** 0.5),
        "own_in_place_of_other": (
            lambda d, Q, K: (d @ Q / Q.shape[1] ** 0.5, d.T @ K / Q.shape[1] ** 0.5),
            lambda d, Q, K: (d.T @ K / Q.shape[1] ** 0.5, d @ Q / Q.shape[1] ** 0.5),
            lambda d, Q, K: (d @ Q / Q.shape[1] ** 0.5, d @ K / Q.shape[1] ** 0.5),
        ),
        "gradient_transposed": lambda d, Q, K: ((d @ K).T / Q.shape[1] ** 0.5, (d.T @ Q).T / Q.shape[1] ** 0.5),
    },
    parts=("d_Q", "d_K"),
)


# 3. A gradient check


def slope_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw points and a step that is large enough to tell one-sided from two-sided; f couples the entries of x."""
    drawn = [(normal(rng, n), step) for n, step in ((3, 0.1), (4, 0.5), (2, 0.25))]
    return [(Cubes(), np.array([2.0]), 0.5), *((Coupled(), x, step) for x, step in drawn)]


class Cubes:
    """The sum of the cubes."""

    def __call__(self, x: Any) -> float:
        return float(np.sum(np.asarray(x) ** 3))

    def __repr__(self) -> str:
        return "lambda x: (x**3).sum()"


class Coupled:
    """Each entry's slope depends on all the others."""

    def __call__(self, x: Any) -> float:
        return float(np.sum(np.arange(1, len(x) + 1) * np.asarray(x) ** 3) + np.sum(x) ** 2 + np.prod(x))

    def __repr__(self) -> str:
        return "lambda x: (np.arange(1, len(x) + 1) * x**3).sum() + x.sum()**2 + x.prod()"


def slope_by_rows(f: Function, x: Any, step: float) -> Any:
    """Move along the rows of a small identity matrix."""
    return [(f(x + step * e) - f(x - step * e)) / (2 * step) for e in np.eye(len(x))]


def slope_with(forward: float, backward: float, width: float) -> Function:
    """Return a difference quotient with other steps."""

    def slope(f: Function, x: Any, step: float) -> Any:
        return np.array(
            [(f(x + forward * step * e) - f(x - backward * step * e)) / (width * step) for e in np.eye(len(x))]
        )

    return slope


def slope_in_a_copy(f: Function, x: Any, step: float) -> Any:
    """Change one entry of a copy."""
    slopes = []
    for i in range(len(x)):
        up, down = x.copy(), x.copy()
        up[i] += step
        down[i] -= step
        slopes.append((f(up) - f(down)) / step / 2)
    return np.array(slopes)


def slope_left(both: bool, f: Function, x: Any, step: float) -> Any:
    """Move an entry of one copy and leave it moved: down at the end, or in each of two copies."""
    up, down, slopes = x.copy(), x.copy(), []
    for i in range(len(x)):
        if both:
            up[i] += step
            down[i] -= step
            slopes.append((f(up) - f(down)) / (2 * step))
        else:
            up[i] += step
            high = f(up)
            up[i] -= 2 * step
            slopes.append((high - f(up)) / (2 * step))
    return np.array(slopes)


def slope_with_own_step(own: float, f: Function, x: Any, step: float) -> Any:
    """Measure with another step than the one that is given."""
    return slope_with(1, 1, 2)(f, x, own)


def slope_left_down(f: Function, x: Any, step: float) -> Any:
    """Measure from one copy, and leave each entry moved up."""
    moved, slopes = x.copy(), []
    for i in range(len(x)):
        low = moved.copy()
        low[i] -= step
        moved[i] += step
        slopes.append((f(moved) - f(low)) / (2 * step))
    return np.array(slopes)


SLOPE = Exercise(
    name="measured_gradient",
    notebook=NOTEBOOK,
    title="A gradient check",
    difficulty=2,
    minutes=8,
    spec="""Write `measured_gradient(f, x, step)`: for each entry of x the slope of f, measured from both
sides: `(f(x with the entry + step) - f(x with the entry - step)) / (2 * step)`. It returns (n,). x itself stays
as it was.

For f(x) = x cubed at 2 with step 0.5 it is 12.25; the true slope is 12.""",
    stub="""
def measured_gradient(f, x, step):  # a function (n,) -> number, (n,), a number
    return ...  # (n,)
""",
    solution="""
def measured_gradient(f, x, step):
    slopes = np.zeros(len(x))
    for i in range(len(x)):
        move = np.zeros(len(x))
        move[i] = step
        slopes[i] = (f(x + move) - f(x - move)) / (2 * step)
    return slopes
""",
    hints=(
        "One entry at a time: move it up, move it down, and leave all others as they are.",
        "`move` is all zeros but for `move[i] = step`. Then f(x + move) and f(x - move).",
    ),
    why=(
        "From both sides the error shrinks with the square of the step. "
        "It is slow, and it tells whether the fast way is right."
    ),
    cases=slope_cases,
    others=(slope_by_rows, slope_in_a_copy),
    wrong={
        "one_sided": slope_with(1, 0, 1),
        "half_the_width": slope_with(1, 1, 1),
        "step_forgotten": lambda f, x, step: slope_with(1, 1, 2)(f, x, step) * step,
        "sign": lambda f, x, step: -slope_with(1, 1, 2)(f, x, step),
        "all_entries_moved": lambda f, x, step: np.full(len(x), (f(x + step) - f(x - step)) / (2 * step)),
        "one_sided_backwards": slope_with(0, 1, 1),
        "half_step": (slope_with(0.5, 0.5, 1), slope_with(0.5, 0.5, 2)),
        "times_half_step": lambda f, x, step: slope_with(1, 1, 2)(f, x, step) * step**2,
        "one_array_for_both": lambda f, x, step: 0 * x,
        "step_of_its_own": tuple(partial(slope_with_own_step, own) for own in (1e-2, 1e-4, 1e-6)),
        "not_moved_back": (partial(slope_left, True), partial(slope_left, False), slope_left_down),
        "one_number_for_all": (
            lambda f, x, step: slope_with(1, 1, 2)(f, x, step)[0],
            lambda f, x, step: slope_with(1, 1, 2)(f, x, step).sum(),
        ),
    },
)


# 4. One step


def step_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw a matrix, its gradient and a learning rate."""
    return [
        (normal(rng, n, d), normal(rng, n, d), rate)
        for n, d, rate in [(1, 2, 0.5), (2, 2, 0.1), (3, 4, 2.0), (3, 2, 0.37)]
    ] + [(np.zeros((2, 3)), np.ones((2, 3)), 0.25)]


STEP = Exercise(
    name="gradient_step",
    notebook=NOTEBOOK,
    title="One step of learning",
    difficulty=1,
    minutes=2,
    spec="""Write `gradient_step(W, d_W, rate)`: W after one step downhill. W itself stays as it was.

With W = [[1, 1]], d_W = [[2, 0]] and rate = 0.5 the result is [[0, 1]].""",
    stub="""
def gradient_step(W, d_W, rate):  # (d_model, d_k) twice, a number
    return ...  # (d_model, d_k)
""",
    solution="""
def gradient_step(W, d_W, rate):
    return W - rate * d_W
""",
    hints=(
        "The gradient points uphill. Which way goes the step?",
        "Subtract `rate * d_W`, in a new array: `W -= ...` would change the caller's W.",
    ),
    why="A small step against the gradient lowers the loss. Too large a rate overshoots.",
    cases=step_cases,
    others=(lambda W, d_W, rate: W + d_W * -rate, lambda W, d_W, rate: np.subtract(W, np.multiply(rate, d_W))),
    wrong={
        "uphill": lambda W, d_W, rate: W + rate * d_W,
        "rate_ignored": lambda W, d_W, rate: W - d_W,
        "only_the_step": lambda W, d_W, rate: -rate * d_W,
        "rate_times_W": lambda W, d_W, rate: rate * (W - d_W),
        "divided_by_rate": lambda W, d_W, rate: W - d_W / rate,
        "uphill_without_W": lambda W, d_W, rate: rate * d_W,
        "only_rate": lambda W, d_W, rate: W - rate,
        "from_gradient": lambda W, d_W, rate: d_W - rate * W,
        "only_the_sign": lambda W, d_W, rate: W - rate * np.sign(d_W),
        "gradient_normalised": lambda W, d_W, rate: W - rate * d_W / np.linalg.norm(d_W),
        "times_gradient": lambda W, d_W, rate: W * (1 - rate * d_W),
        "nothing_moved": lambda W, d_W, rate: W.copy(),
    },
)

EXERCISES = (BACKWARD, SCORES, SLOPE, STEP)


QUESTIONS = {
    "08.score_sum": Question(
        topic="the gradient at the scores",
        choices={"zero": "0", "one": "1", "loss": "as much as the loss"},
        right="Adding one number to all scores of a row changes no weight, so the loss cannot feel it.",
        wrong={
            "one": "The weights sum to 1. This is a gradient: what one key wins, the others lose.",
            "loss": "The loss is a height; this is a slope. Raise all scores of a row alike and nothing happens.",
        },
    ),
    "08.first_loss": Question(
        topic="the loss of a random layer",
        tolerance=0.1,
        digits=2,
        right="It knows nothing, so each of three meanings gets about 1/3, and -log(1/3) = 1.10.",
        wrong={
            "zero": "0 is the loss of a layer that is always right and sure. This one is random.",
            "third": "1/3 is about the probability of the right meaning. The loss is minus its logarithm.",
            "other": "Three meanings, no knowledge: each gets about 1/3. Take minus the natural logarithm of that.",
        },
    ),
    "08.rows_moved": Question(
        topic="which queries learn",
        tolerance=0.01,
        digits=0,
        right="Only 배 asks, and one-hot 배 reads one row of W_Q. The other rows never touch the loss.",
        wrong={
            "all": "A row of W_Q makes the query of one word. Only the query of 배 goes into the loss.",
            "cues": "The cues are found by their keys, rows of W_K. Who asks here is 배 alone.",
            "other": "Count the words whose query goes into the loss.",
        },
    ),
    "08.frozen": Question(
        topic="accuracy is not attention",
        choices={"third": "about 1/3: it guesses", "half": "about 2/3", "all": "nearly all"},
        right=(
            "An even mean of eight values still holds an eighth of the cue's, and W_V and W_C learn to make the "
            "fillers' values harmless. The map was not needed for this."
        ),
        wrong={
            "third": "The cue's value is in the mean, with about 1/8. Values can be learned so that this is enough.",
            "half": "W_V and W_C go on learning, and they have all they need: the cue is in every mean.",
        },
    ),
    "08.unseen": Question(
        topic="a cue never seen",
        choices={"large": "about as large as before", "small": "much smaller", "zero": "exactly 0"},
        right="Its row of W_K stayed random, so it is found about as little, or as much, as chance has it.",
        wrong={
            "large": "With one-hot words 고파서 learns nothing from 아프다: each has its own row of W_K.",
            "zero": "Softmax gives no key exactly 0. Its key is still the random one of step 0.",
        },
    ),
    "08.unscaled": Question(
        topic="scaling left out",
        choices={
            "fails": "it does not learn the meanings",
            "spread": "it learns them, and the maps differ more from seed to seed",
            "same": "nothing changes",
        },
        right="With d_k = 4 the scores only double, and the maps start nearly flat. What grows is the part of chance.",
        wrong={
            "fails": "With d_k = 4 the scores are only twice as large. The softmax does not saturate at once.",
            "same": "Every score counts double, in the maps and in the gradients. Compare the seeds.",
        },
    ),
    "08.translation_frozen": Question(
        topic="a task that needs the map",
        choices={"nearly all": "nearly all", "under two thirds": "less than 2/3"},
        right="All three places then read nearly the same mean, and that cannot tell which word goes where.",
        wrong={
            "nearly all": "In the 배 task one answer was asked. Here three places need three different words.",
        },
    ),
}
