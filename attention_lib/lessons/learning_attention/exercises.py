"""The exercises of notebook 08: a gradient check, back through the classifier, a test of the softmax, a bug."""

from typing import Any

import numpy as np

from ...checks.exercise import Arguments, Exercise, normal, shares
from ...training.gradients import softmax_backward


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
    minutes=8,
    task="""Write `measured_gradient(f, x, step)`. It returns an array of shape (n,) with the slope of f for each entry
of x. Measure each slope with a nudge: move only that entry, first up by `step` and then down by `step` from its
original value. Leave x itself unchanged.

For f(x) = x cubed, at 2 and with a step of 0.5, the measured slope is 12.25. The true slope is 12.""",
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
class for each sentence. The loss is the mean over the batch of -log(probability of the right class). Write
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
        "For one sentence, the gradient at the logits is p - y. What changes when the loss is a mean over the batch? "
        "And which sentences contribute to the gradient of the W_C that they share?",
        "`np.eye(n_classes)[answers]` has a 1 at each right class. The product `output.T @ d_logits` adds up the "
        "contributions of the sentences.",
    ),
    why="Every sentence has its own output, but all sentences share one W_C, so the gradient of W_C is the sum of "
    "what they contribute.",
    cases=lambda rng: [
        (np.array([[1.0]]), np.array([[1.0, 0.0]]), np.array([1])),  # the sentence that is worked by hand
        *(
            (normal(rng, batch, d_v), normal(rng, d_v, n_classes), rng.integers(0, n_classes, batch))
            for batch, d_v, n_classes in [(2, 2, 2), (3, 4, 3), (5, 2, 4), (4, 3, 3), (1, 3, 2)]
        ),
    ],
    parts=("d_output", "d_W_C"),
)


def backward_by_jacobian(weights: Any, d_weights: Any) -> np.ndarray:
    """Multiply each row with the Jacobian of its softmax."""
    return np.array([(np.diag(w) - np.outer(w, w)) @ d for w, d in zip(np.asarray(weights), np.asarray(d_weights))])


def right_in_the_first_entry(weights: Any, d_weights: Any) -> np.ndarray:
    """Give the first entry right, and 1.5 times every other one."""
    d_scores = 1.5 * softmax_backward(weights, d_weights)
    d_scores.flat[0] /= 1.5
    return d_scores


goes_back_right = Exercise(
    title="Write the test",
    difficulty=3,
    minutes=12,
    task="""Section 4 goes back through the softmax. This time you are given functions that claim to do the same. Each
is called as `back(weights, d_weights)`, where both arrays are (n_queries, n_keys), and returns how the loss changes
with the scores. Write `goes_back_right(back)`. Your test returns True if the function is correct, and False if it is
not. It may also fail an `assert` instead of returning False. You can use `np`, but nothing else from the notebook.

Some of the wrong functions return rows that sum to 0.""",
    solution="""
def goes_back_right(back):  # a function of weights and d_weights, both (n_queries, n_keys)
    scores = np.array([[0.0, 1.0, -1.0], [0.5, 0.0, 2.0]])  # (n_queries, n_keys)
    d_weights = np.array([[1.0, -2.0, 0.5], [3.0, 0.0, 1.0]])  # (n_queries, n_keys)

    def softmax(scores):
        return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)

    def loss(scores):  # its slope at the weights is d_weights
        return (softmax(scores) * d_weights).sum()

    measured = np.zeros(scores.shape)
    for place in np.ndindex(scores.shape):
        nudge = np.zeros(scores.shape)
        nudge[place] = 1e-5
        measured[place] = (loss(scores + nudge) - loss(scores - nudge)) / 2e-5
    return np.allclose(back(softmax(scores), d_weights), measured, atol=1e-6)  # True or False
""",
    hints=(
        "Section 4 works out a single row by hand. Which mistakes would give the same numbers there? Two different "
        "rows will show you more.",
        "Take a loss for which you know the slope at the weights: `(weights * d_weights).sum()`. Nudge each score and "
        "compare.",
    ),
    why="Adding up each row is quick, and it reveals a forgotten mean. Nudging the scores finds every mistake that "
    "affects the numbers you try, and you need no formula for the backward pass.",
    accepts=(softmax_backward, backward_by_jacobian),
    refuses={
        "it does not subtract the mean": lambda w, d: w * d,
        "it subtracts a mean in which all keys count equally": lambda w, d: w * (d - d.mean(axis=-1, keepdims=True)),
        "it subtracts one mean from all rows": lambda w, d: w * (d - (w * d).sum()),
        "it takes the mean down each column": lambda w, d: w * (d - (w * d).sum(axis=0)),
        "every number has the opposite sign": lambda w, d: -softmax_backward(w, d),
        "every number is twice as large as it should be": lambda w, d: 2 * softmax_backward(w, d),
        "only its first entry is right": right_in_the_first_entry,
        "it subtracts the mean and forgets the factor in front": lambda w, d: d - (w * d).sum(axis=-1, keepdims=True),
        "it lets each score change only its own weight": lambda w, d: w * (1 - w) * d,
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
    minutes=8,
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
    why="Without the division, all of d_Q is √d_k times too large. That is like a larger learning rate for W_Q, so the "
    "layer still learns and nothing looks wrong.",
    cases=query_cases,
)
