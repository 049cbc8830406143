"""The exercises of notebook 08: a gradient check, back through the classifier, a bug."""

from typing import Any

import numpy as np

from ...checks.exercise import Arguments, Exercise, normal, shares


class Formula:
    """A function of x that is shown as its own source text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.function = eval(text, {"np": np})

    def __call__(self, x: Any) -> float:
        """Calculate the function at x."""
        return float(self.function(np.asarray(x)))

    def __repr__(self) -> str:
        return self.text


CUBES = Formula("lambda x: (x**3).sum()")
HILL = Formula("lambda x: -(x**2).sum()")  # with a slope of each sign
COUPLED = Formula("lambda x: (np.arange(1, len(x) + 1) * x**3).sum() + x.sum()**2 + x.prod()")

measured_gradient = Exercise(
    title="A gradient check",
    difficulty=2,
    minutes=10,
    task="""Write `measured_gradient(f, x, step)`. It returns an array of shape (n,) with the slope of f for each entry
of x. Measure each slope with a nudge: move only that entry, first up by `step` and then down by `step` from its
original value. Leave x itself unchanged.

For f(x) = x³ at x = 2, with a step of 0.5, the measured slope is 12.25. The true slope is 12.""",
    solution="""
def measured_gradient(f, x, step):  # a function (n,) -> number, (n,), a number
    slopes = np.zeros(len(x))
    for i in range(len(x)):
        move = np.zeros(len(x))
        move[i] = step
        slopes[i] = (f(x + move) - f(x - move)) / (2 * step)
    return slopes  # (n,)
""",
    hints=(
        "Take one entry at a time. Move it up, move it down, and leave all the others as they are.",
        "Let `move` be all zeros except for `move[i] = step`. Then you need f(x + move) and f(x - move).",
    ),
    why="When you nudge in both directions, the error shrinks with the square of the step. Measuring is slow, but it "
    "tells you whether the fast way is right.",
    cases=lambda rng: [  # the steps are large enough to tell a one-sided slope from a two-sided one
        (CUBES, np.array([2.0]), 0.5),
        (HILL, np.array([1.0, -2.0]), 0.5),
        *((COUPLED, normal(rng, n), step) for n, step in ((3, 0.1), (4, 0.5), (2, 0.25))),
    ],
    mistakes={
        "All entries are moved at once. That measures how f changes when the whole of x moves. Move one entry at "
        "a time, and leave the others where they are.": {"move[i]": "move[:]"},
        "Each entry is nudged in one direction only. Nudge it up and down by the same step and divide by twice "
        "the step: the errors of the two sides then nearly cancel.": {"f(x - move)) / (2 * step)": "f(x)) / step"},
    },
)

classifier_gradient = Exercise(
    title="A batch at the classifier",
    difficulty=2,
    minutes=10,
    task="""The logits of a batch are `output @ W_C`, one row per sentence, and `answers` holds the number of the right
class for each sentence. The loss is the mean over the batch of −log(probability of the right class). Write
`classifier_gradient(output, W_C, answers)`. It returns `(d_output, d_W_C)`: how the loss changes with `output` and with
`W_C`.

For the single sentence in section 4 (output [[1]], W_C [[1, 0]], answers [1]), the two are [[0.731]] and
[[0.731, -0.731]].""",
    solution="""
def classifier_gradient(output, W_C, answers):  # (batch, d_v), (d_v, n_classes), (batch,)
    exps = np.exp(output @ W_C)
    p = exps / exps.sum(axis=-1, keepdims=True)  # (batch, n_classes)
    y = np.eye(W_C.shape[1])[answers]  # (batch, n_classes): 1 at the right class
    d_logits = (p - y) / len(output)  # the loss is a mean over the batch
    d_output = d_logits @ W_C.T
    d_W_C = output.T @ d_logits
    return d_output, d_W_C  # d_output (batch, d_v), d_W_C (d_v, n_classes)
""",
    hints=(
        "For one sentence, the gradient at the logits is p − y. What changes when the loss is a mean over the batch? "
        "And which sentences contribute to the gradient of the W_C that they share?",
        "`np.eye(n_classes)[answers]` has a 1 at each right class. The product `output.T @ d_logits` adds up the "
        "contributions of the sentences.",
    ),
    why="Every sentence has its own output, but all sentences share one W_C, so the gradient of W_C is the sum of "
    "their contributions.",
    cases=lambda rng: [
        (np.array([[1.0]]), np.array([[1.0, 0.0]]), np.array([1])),  # the sentence that is worked by hand
        *(
            (normal(rng, batch, d_v), normal(rng, d_v, n_classes), rng.integers(0, n_classes, batch))
            for batch, d_v, n_classes in [(2, 2, 2), (3, 4, 3), (5, 2, 4), (4, 3, 3), (1, 3, 2)]
        ),
    ],
    parts=("d_output", "d_W_C"),
    mistakes={
        "The loss is a mean over the batch, so a single sentence changes it less than it changes its own loss. "
        "Think of what this does to both results.": {"(p - y) / len(output)": "p - y"},
        "d_W_C is right, but d_output is not: the mean over the batch makes its slopes smaller too.": {
            "(p - y) / len(output)": "p - y",
            "output.T @ d_logits\n": "output.T @ d_logits / len(output)\n",
        },
    },
)


def query_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw weights, d_output, K and V; square ones too, where a missing transpose runs."""
    K, V = np.array([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 3.0, 1.0]]), np.array([[1.0], [3.0]])
    cases: list[Arguments] = [(np.array([[0.5, 0.5]]), np.array([[1.0]]), K, V)]
    for n, m, d_k, d_v in ((3, 3, 3, 3), (2, 4, 3, 2), (4, 2, 9, 3), (1, 5, 16, 2)):  # n_queries, n_keys, d_k, d_v
        cases.append((shares(rng, n, m), normal(rng, n, d_v), normal(rng, m, d_k), normal(rng, m, d_v)))
    return cases


query_gradient = Exercise(
    title="Find the bug: the way back to Q",
    difficulty=2,
    minutes=10,
    task="""`query_gradient(weights, d_output, K, V)` goes back from the output to the queries. The weights came from
`softmax(Q @ K.T / sqrt(d_k))`. The function runs, its result has the right shape, every row of `d_scores` sums to 0,
and a layer that is trained with it learns. Nevertheless, its numbers are wrong. Fix it.

For weights [[0.5, 0.5]], d_output [[1]], K = [[0, 0, 1, 1], [0, 0, 3, 1]] and V = [[1], [3]], it should return
[[0, 0, 0.5, 0]].""",
    solution="""
def query_gradient(weights, d_output, K, V):  # (n_queries, n_keys), (n_queries, d_v), (n_keys, d_k), (n_keys, d_v)
    d_weights = d_output @ V.T  # (n_queries, n_keys)
    mean = (weights * d_weights).sum(axis=-1, keepdims=True)  # (n_queries, 1)
    d_scaled_scores = weights * (d_weights - mean)  # (n_queries, n_keys)
    d_scores = d_scaled_scores / np.sqrt(K.shape[-1])  # (n_queries, n_keys)
    return d_scores @ K  # (n_queries, d_k)
""",
    bug={
        "d_scaled_scores = weights": "d_scores = weights",
        "    d_scores = d_scaled_scores / np.sqrt(K.shape[-1])  # (n_queries, n_keys)\n": "",
    },
    hints=(
        "Follow the forward calculation step by step, starting at Q. Does the way back undo every step?",
        "The line with the softmax gives the gradient of the scaled scores. Which step comes between those and the "
        "scores?",
    ),
    why="Without the division, every entry of d_Q is √d_k times too large. That is like a larger learning rate for "
    "W_Q, so the layer still learns and nothing looks wrong.",
    cases=query_cases,
    mistakes={
        "You divide by the square root of a size, but not of the right one. Which length did the forward calculation "
        "use?": {"np.sqrt(K.shape[-1])": "np.sqrt(len(K))"},
        "The mean of a row must be weighted by the weights of that row, as the line was at the start.": {
            "(weights * d_weights).sum(": "d_weights.mean("
        },
    },
)
