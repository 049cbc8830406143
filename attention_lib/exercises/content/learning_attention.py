"""What notebook 08 asks: a gradient check, back through the classifier, a test of the softmax's way back, a bug."""

from functools import partial
from typing import Any

import numpy as np

from ...mistakes.recipes import plain_softmax
from ...training.gradients import softmax_backward
from ..exercise import Arguments, Exercise, Function, normal, shares
from ..kinds import writing_a_test
from ..predictions import Question
from ..rules_by_steps import by_steps

NOTEBOOK = "08_learning_attention"


# 1. A gradient check


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
    spec="""Write `measured_gradient(f, x, step)`: for each entry of x the slope of f, measured by a nudge of that
entry alone, up by `step` and down by `step` from where it is. It returns (n,). x itself stays as it was.

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
        "difference_not_in_brackets": (
            lambda f, x, step: np.array([f(x + e) - f(x - e) / (2 * step) for e in np.eye(len(x)) * step]),
            lambda f, x, step: np.array([f(x + e) - f(x - e) / 2 * step for e in np.eye(len(x)) * step]),
            lambda f, x, step: np.array([f(x + e) - f(x - e) / step for e in np.eye(len(x)) * step]),
        ),
        "step_times_entry": (
            lambda f, x, step: np.array([(f(x + e * x) - f(x - e * x)) / (2 * step) for e in np.eye(len(x)) * step]),
            lambda f, x, step: np.array(
                [(f(x + e * x) - f(x - e * x)) / (2 * step * each) for e, each in zip(np.eye(len(x)) * step, x)]
            ),
        ),
        "other_entries_left_out": (
            lambda f, x, step: np.array([(f(e * (x + step)) - f(e * (x - step))) / (2 * step) for e in np.eye(len(x))]),
            lambda f, x, step: np.array([(f(each + step) - f(each - step)) / (2 * step) for each in x[:, None]]),
        ),
        "back_to_where_it_was": slope_with(1, 0, 2),
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


# 2. Back through the classifier


def classifier_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw outputs of a batch, W_C and right classes; one sentence by hand, and as many outputs as classes."""
    first = (np.array([[1.0]]), np.array([[1.0, 0.0]]), np.array([1]))
    shapes = [(2, 2, 2), (3, 4, 3), (5, 2, 4), (4, 3, 3), (1, 3, 2)]  # batch, d_v, n_classes
    drawn = [(normal(rng, n, d), normal(rng, d, c), rng.integers(0, c, n)) for n, d, c in shapes]
    return [first, *drawn]


def classifier_one_by_one(output: Any, W_C: Any, answers: Any) -> Any:
    """Go back sentence by sentence, and add up what each asks of W_C."""
    n, d_output, d_W_C = len(output), np.zeros(output.shape), np.zeros(W_C.shape)
    for i in range(n):
        error = plain_softmax(output[i] @ W_C)
        error[answers[i]] -= 1
        d_output[i] = W_C @ error / n
        d_W_C += np.outer(output[i], error) / n
    return d_output, d_W_C


def classifier_by_einsum(output: Any, W_C: Any, answers: Any) -> Any:
    """Name the axes."""
    error = (plain_softmax(output @ W_C) - np.eye(W_C.shape[1])[answers]) / len(output)
    return np.einsum("bc,vc->bv", error, W_C), np.einsum("bv,bc->vc", output, error)


def back_with(error_of: Function) -> Function:
    """Return the way back with another error at the logits."""

    def back(output: Any, W_C: Any, answers: Any) -> Any:
        error = error_of(output @ W_C, np.eye(W_C.shape[1])[answers], len(output))
        return error @ W_C.T, output.T @ error

    return back


def error_at(logits: Any, right: Any, n: int) -> Any:
    """Return what was said minus what is right, for the mean over n sentences."""
    return (plain_softmax(logits) - right) / n


CLASSIFIER_STEPS = {
    "p": {
        "the softmax of each row": plain_softmax,
        "the softmax over everything": lambda logits: plain_softmax(logits, (0, 1)),
        "the exps, each row's largest subtracted before, over the sum of all": lambda logits: (
            below_1(logits) / below_1(logits).sum()
        ),
        "the softmax over the batch": lambda logits: plain_softmax(logits, 0),
        "the exps, not divided by their sum": np.exp,
        "the exps, each row's largest subtracted before": lambda logits: below_1(logits),
        "the logarithms of the softmax": lambda logits: np.log(plain_softmax(logits)),
        "the logits": lambda logits: logits,
    },
    "error": {
        "p - y, with y 1 at the right class and 0 elsewhere": lambda p, y: p - y,
        "p": lambda p, y: p,
        "-y / p": lambda p, y: -y / p,
        "-1 / p at every class": lambda p, y: -1 / p,
        "p - 1 at every class": lambda p, y: p - 1,
        "p less the number of the right class": lambda p, y: p - y.argmax(axis=-1)[:, None],
        "p - 1 at the right classes of all sentences": lambda p, y: p - y.any(axis=0),
        "p - y at the right class, 0 elsewhere": lambda p, y: y * (p - y),
        "y - p": lambda p, y: y - p,
        "p * (p - y)": lambda p, y: p * (p - y),
        "p * (1 - p) * (p - y)": lambda p, y: p * (1 - p) * (p - y),
        "2 * (p - y)": lambda p, y: 2 * (p - y),
    },
    "divided": {  # for d_output, for d_W_C
        "by the number of sentences": lambda error: (len(error), len(error)),
        "for d_W_C alone": lambda error: (1, len(error)),
        "for d_output alone": lambda error: (len(error), 1),
        "by nothing": lambda error: (1, 1),
        "by the number of classes": lambda error: (error.shape[1], error.shape[1]),
        "by the number of sentences and of classes": lambda error: (error.size, error.size),
        "by the number of sentences, twice": lambda error: (len(error) ** 2, len(error) ** 2),
    },
    "shared": {
        "the sum over the sentences": lambda output, error: output.T @ error,
        "their sum, divided by their number": lambda output, error: output.T @ error / len(output),
        "the part of the last sentence": lambda output, error: np.outer(output[-1], error[-1]),
    },
}


def below_1(logits: Any) -> Any:
    """Return the exps once each row's largest was subtracted."""
    return np.exp(logits - logits.max(axis=-1, keepdims=True))


def classifier_by_steps(output: Any, W_C: Any, answers: Any, p: Any, error: Any, divided: Any, shared: Any) -> Any:
    """Go back with these ways of the steps."""
    d_logits = error(p(output @ W_C), np.eye(W_C.shape[1])[answers])
    for_output, for_W_C = divided(d_logits)
    return d_logits @ W_C.T / for_output, shared(output, d_logits / for_W_C)


CLASSIFIER = Exercise(
    name="classifier_gradient",
    notebook=NOTEBOOK,
    title="A batch at the classifier",
    difficulty=2,
    minutes=10,
    spec="""The logits of a batch are `output @ W_C`, one row a sentence. `answers` has the number of the right class
of each. The loss is the mean over the batch of -log(probability of the right class). Write
`classifier_gradient(output, W_C, answers)`. It returns `(d_output, d_W_C)`: how the loss changes with both.

For the one sentence of section 4 (output [[1]], W_C [[1, 0]], answers [1]) it is [[0.731]] and [[0.731, -0.731]].""",
    stub="""
def classifier_gradient(output, W_C, answers):  # (batch, d_v), (d_v, n_classes), (batch,)
    return ...  # d_output (batch, d_v), d_W_C (d_v, n_classes)
""",
    solution="""
def classifier_gradient(output, W_C, answers):
    exps = np.exp(output @ W_C)
    p = exps / exps.sum(axis=-1, keepdims=True)  # (batch, n_classes)
    d_logits = (p - np.eye(W_C.shape[1])[answers]) / len(output)
    return d_logits @ W_C.T, output.T @ d_logits
""",
    hints=(
        "One sentence is p - y at the logits. What does a mean over the batch make of it? And who adds to the one W_C?",
        "`np.eye(n_classes)[answers]` has a 1 at each right class. The product `output.T @ d_logits` adds up the "
        "sentences.",
    ),
    why="Every sentence has its own output, and all share one W_C: the product over the batch axis adds them up.",
    cases=classifier_cases,
    integers=True,
    others=(classifier_one_by_one, classifier_by_einsum),
    wrong={
        "batch_not_averaged": back_with(lambda logits, right, n: n * error_at(logits, right, n)),
        "averaged_over_classes": back_with(
            lambda logits, right, n: n * error_at(logits, right, n) / max(1, logits.size)
        ),
        "answer_not_subtracted": back_with(lambda logits, right, n: plain_softmax(logits) / n),
        "sign": back_with(lambda logits, right, n: -error_at(logits, right, n)),
        "logits_for_shares": back_with(lambda logits, right, n: (logits - right) / n),
        "softmax_over_batch": back_with(lambda logits, right, n: (plain_softmax(logits, 0) - right) / n),
        "right_class_alone": back_with(lambda logits, right, n: right * error_at(logits, right, n)),
        "pair_exchanged": lambda output, W_C, answers: back_with(error_at)(output, W_C, answers)[::-1],
    },
    parts=("d_output", "d_W_C"),
    rules=(by_steps("classifier_goes", CLASSIFIER_STEPS, classifier_by_steps),),
)


# 3. A test of the way back through the softmax


def backward_by_jacobian(weights: Any, d_weights: Any) -> Any:
    """Multiply with the Jacobian, row by row."""
    return np.array([(np.diag(w) - np.outer(w, w)) @ d for w, d in zip(np.asarray(weights), np.asarray(d_weights))])


def backward_in_two_terms(weights: Any, d_weights: Any) -> Any:
    """Multiply first, subtract then."""
    products = np.multiply(weights, d_weights)
    return products - np.asarray(weights) * products.sum(axis=-1, keepdims=True)


def measured_backward(weights: Any, d_weights: Any) -> Any:
    """Nudge each score of a row, whose weights are softmax(log w)."""
    scores, d_scores = np.log(weights), np.zeros(np.shape(weights))
    for place in np.ndindex(d_scores.shape):
        up, down = scores.copy(), scores.copy()
        up[place] += 1e-5
        down[place] -= 1e-5
        d_scores[place] = ((plain_softmax(up) - plain_softmax(down)) * d_weights).sum() / 2e-5
    return d_scores


def less_the_mean(mean_of: Function) -> Function:
    """Return a way back that subtracts another mean."""
    return lambda weights, d_weights: np.asarray(weights) * (d_weights - mean_of(np.asarray(weights), d_weights))


def right_in_one_entry(weights: Any, d_weights: Any) -> Any:
    """Be right in the first entry, and off by half elsewhere."""
    back = np.array(softmax_backward(weights, d_weights))
    first = back.flat[0]
    back *= 1.5
    back.flat[0] = first
    return back


TEST = writing_a_test(
    name="goes_back_right",
    notebook=NOTEBOOK,
    title="Write the test",
    difficulty=3,
    minutes=12,
    spec="""Section 4 goes back through the softmax. Here are functions that claim to: `back(weights, d_weights)`,
both (n_queries, n_keys), returns how the loss changes with the scores. Write `goes_back_right(back)`: True where the
function is right, False where it is not; `assert` lines will do too. `np` is there, and nothing else from the
notebook.

Some wrong ones return rows that sum to 0.""",
    stub="""
def goes_back_right(back):  # a function of weights and d_weights, both (n_queries, n_keys)
    return ...  # True or False
""",
    solution="""
def goes_back_right(back):
    d_weights, step = np.array([[1.0, -2.0, 0.5], [3.0, 0.0, 1.0]]), 1e-5  # (n_queries, n_keys)
    weights = lambda scores: np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    loss = lambda scores: (weights(scores) * d_weights).sum()  # its slope at the weights is d_weights
    scores = np.array([[0.0, 1.0, -1.0], [0.5, 0.0, 2.0]])
    nudges = step * np.eye(6).reshape(6, 2, 3)  # one score at a time
    measured = [(loss(scores + nudge) - loss(scores - nudge)) / (2 * step) for nudge in nudges]
    return np.allclose(back(weights(scores), d_weights).ravel(), measured, atol=1e-6)
""",
    hints=(
        "You know one case by heart: section 4 works one out. Which mistakes give the same there? Uneven weights, and "
        "two rows that differ, tell more.",
        "Take a loss whose slope at the weights you know: `(weights * d_weights).sum()`. Nudge each score and compare.",
    ),
    why="The sum of a row costs nothing and finds the forgotten mean. The nudge finds them all, and needs no formula.",
    right=(softmax_backward, backward_by_jacobian, backward_in_two_terms),
    wrong={
        "mean_not_subtracted": lambda weights, d_weights: np.multiply(weights, d_weights),
        "plain_mean": less_the_mean(lambda w, d: d.mean(axis=-1, keepdims=True)),
        "mean_over_all": less_the_mean(lambda w, d: (w * d).sum()),
        "mean_over_queries": less_the_mean(lambda w, d: (w * d).sum(axis=0)),
        "sign": lambda weights, d_weights: -softmax_backward(weights, d_weights),
        "factor": (
            lambda weights, d_weights: 2 * softmax_backward(weights, d_weights),
            lambda weights, d_weights: softmax_backward(weights, d_weights) / 2,
        ),
        "right_in_place": right_in_one_entry,
        "weights_forgotten": lambda w, d: d - (w * d).sum(axis=-1, keepdims=True),
        "centred_without_weights": lambda w, d: d - d.mean(axis=-1, keepdims=True),
        "diagonal_only": lambda w, d: w * (1 - w) * d,
    },
    others=(
        lambda back: np.allclose(
            back(np.array([[0.75, 0.25], [0.5, 0.5]]), np.array([[4.0, 0.0], [0.0, 2.0]])),
            [[0.75, -0.75], [-0.5, 0.5]],
        ),
        lambda back: np.allclose(
            back(np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]]), np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 5.0]])),
            measured_backward(
                np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]]), np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 5.0]])
            ),
            atol=1e-6,
        ),
    ),
)


# 4. Find the bug


def query_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw weights, a gradient of the output, K and V; square ones too, where a missing transpose runs."""
    first = (
        np.array([[0.5, 0.5]]),
        np.array([[1.0]]),
        np.array([[0, 0, 1, 1.0], [0, 0, 3, 1]]),
        np.array([[1.0], [3]]),
    )
    shapes = [(3, 3, 3, 3), (2, 4, 3, 2), (4, 2, 9, 3), (1, 5, 16, 2)]  # n_queries, n_keys, d_k, d_v
    drawn = [(shares(rng, n, m), normal(rng, n, v), normal(rng, m, d), normal(rng, m, v)) for n, m, d, v in shapes]
    return [first, *drawn]


def scaled_by(divisor: Function, d_scaled_of: Function = softmax_backward) -> Function:
    """Return the way back to Q with another divisor, or another way through the softmax."""

    def back(weights: Any, d_output: Any, K: Any, V: Any) -> Any:
        return d_scaled_of(weights, d_output @ V.T) @ K / divisor(K)

    return back


def root_of_d_k(K: Any) -> Any:
    """Divide by what the scores were divided by."""
    return np.sqrt(K.shape[-1])


def query_by_query(weights: Any, d_output: Any, K: Any, V: Any) -> Any:
    """Add up the keys, each by what its score is to change."""
    d_Q = np.zeros((len(weights), K.shape[1]))
    for i, row in enumerate(weights):
        gain = [d_output[i] @ value for value in V]
        for j, key in enumerate(K):
            d_Q[i] += row[j] * (gain[j] - row @ gain) * key / K.shape[1] ** 0.5
    return d_Q


THROUGH = {  # the softmax, wrongly
    "diagonal_only": lambda w, d: w * (1 - w) * d,
    "mean_not_subtracted": lambda w, d: w * d,
    "mean_over_queries": lambda w, d: w * (d - (w * d).sum(axis=0)),
    "plain_mean": lambda w, d: w * (d - d.mean(axis=-1, keepdims=True)),
    "sum_without_weights": lambda w, d: w * (d - d.sum(axis=-1, keepdims=True)),
    "mean_over_all": lambda w, d: w * (d - (w * d).sum()),
    "weights_forgotten": lambda w, d: d - (w * d).sum(axis=-1, keepdims=True),
    "centred_without_weights": lambda w, d: d - d.mean(axis=-1, keepdims=True),
    "sign": lambda w, d: w * ((w * d).sum(axis=-1, keepdims=True) - d),
}
BACK_STEPS = {
    "mean": {
        "weighted": lambda w, d: (w * d).sum(axis=-1, keepdims=True),
        "plain": lambda w, d: d.mean(axis=-1, keepdims=True),
        "none": lambda w, d: 0,
        "weighted, over the queries": lambda w, d: (w * d).sum(axis=0),
        "weighted, over everything": lambda w, d: (w * d).sum(),
        "the plain sum": lambda w, d: d.sum(axis=-1, keepdims=True),
    },
    "divided": {
        "all": (1, 1),
        "nothing": (0, 0),
        "the mean alone": (0, 1),
        "what the mean is taken from alone": (1, 0),
    },
    "weights": {"before the bracket": lambda w: w, "none": lambda w: 1, "squared": lambda w: w**2},
    "divisor": {
        "√d_k": lambda K, V, w: np.sqrt(K.shape[1]),
        "d_k": lambda K, V, w: K.shape[1],
        "2": lambda K, V, w: 2,
        "√d_v": lambda K, V, w: np.sqrt(V.shape[1]),
        "√n_keys": lambda K, V, w: np.sqrt(len(K)),
        "√n_queries": lambda K, V, w: np.sqrt(len(w)),
        "1 / √d_k": lambda K, V, w: K.shape[1] ** -0.5,
    },
    "keys": {
        "K": lambda K: K,
        "K, each of length 1": lambda K: K / np.linalg.norm(K, axis=1, keepdims=True),
        "K without its mean": lambda K: K - K.mean(axis=0),
    },
}


def back_by_steps(
    w: Any, d_output: Any, K: Any, V: Any, mean: Any, divided: Any, weights: Any, divisor: Any, keys: Any
) -> Any:
    """Go back with these ways of the steps."""
    d = d_output @ V.T
    first, second = (divisor(K, V, w) ** each for each in divided)
    return weights(w) * (d / first - mean(w, d) / second) @ keys(K)


BUG = Exercise(
    name="query_gradient",
    notebook=NOTEBOOK,
    title="Find the bug: the way back to Q",
    difficulty=2,
    minutes=8,
    spec="""`query_gradient(weights, d_output, K, V)` goes back from the output to the queries. The weights came from
`softmax(Q @ K.T / sqrt(d_k))`. It runs, the shape is right, every row of `d_scores` sums to 0, and a layer trained
with it learns. Its numbers are wrong all the same. Mend it.

For weights [[0.5, 0.5]], d_output [[1]], K = [[0, 0, 1, 1], [0, 0, 3, 1]] and V = [[1], [3]] it is
[[0, 0, 0.5, 0]].""",
    stub="""
def query_gradient(weights, d_output, K, V):  # (n_queries, n_keys), (n_queries, d_v), (n_keys, d_k), (n_keys, d_v)
    d_weights = d_output @ V.T  # (n_queries, n_keys)
    mean = (weights * d_weights).sum(axis=-1, keepdims=True)  # (n_queries, 1)
    d_scores = weights * (d_weights - mean)  # (n_queries, n_keys)
    return d_scores @ K  # (n_queries, d_k)
""",
    solution="""
def query_gradient(weights, d_output, K, V):
    d_weights = d_output @ V.T  # (n_queries, n_keys)
    mean = (weights * d_weights).sum(axis=-1, keepdims=True)  # (n_queries, 1)
    d_scaled_scores = weights * (d_weights - mean)  # (n_queries, n_keys)
    return d_scaled_scores / np.sqrt(K.shape[-1]) @ K  # (n_queries, d_k)
""",
    hints=(
        "Go through the forward calculation from Q on, step by step. Is every step undone?",
        "What comes out of the softmax line belongs to the scaled scores. What lies between them and the scores?",
    ),
    why="All of d_Q is √d_k times too large, as if W_Q had a larger learning rate: it learns, and nothing looks wrong.",
    has_bug=True,
    cases=query_cases,
    integers=True,
    others=(
        scaled_by(root_of_d_k),
        query_by_query,
        lambda weights, d_output, K, V: softmax_backward(weights, d_output @ V.T) @ (K * K.shape[1] ** -0.5),
    ),
    wrong={
        "scaled_by_d_k": scaled_by(lambda K: K.shape[1]),
        "half_power": scaled_by(lambda K: K.shape[1] / 2),
        "divided_by_twice_d_k": scaled_by(lambda K: 2 * K.shape[1]),
        "multiplied": scaled_by(lambda K: K.shape[1] ** -0.5),
        "scaled_by_root_n": scaled_by(lambda K: len(K) ** 0.5),
    }
    | {name: scaled_by(root_of_d_k, through) for name, through in THROUGH.items()},
    rules=(by_steps("query_gradient_goes", BACK_STEPS, back_by_steps),),
)


EXERCISES = (SLOPE, CLASSIFIER, TEST, BUG)


QUESTIONS = {
    "08.score_sum": Question(
        topic="the gradient at the scores",
        choices={"zero": "0", "one": "1", "loss": "as much as the loss"},
        right="Adding one number to all scores of a row changes no weight, so the loss cannot feel it.",
        wrong={
            "one": "The weights sum to 1. This is a gradient: what one key wins, the others lose.",
            "loss": "The loss is a height; this is a slope. Raise all scores of a row alike and nothing happens.",
        },
        gives_away=("from the first key to the second",),
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
        gives_away=("1.10",),
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
        gives_away=("answers are sure", "needs its map"),
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
    "08.rises_first": Question(
        topic="what is learned first",
        choices={
            "answers": "the share of right answers",
            "weight": "the weight on the cue",
            "together": "neither, they rise together",
        },
        right="An even map holds an eighth of the cue, and W_V and W_C learn from that before the map has moved.",
        wrong={
            "weight": "To gain from a look, what is read must mean something. At the start no value does.",
            "together": "They help each other, but one begins: an even map already holds an eighth of the cue.",
        },
        gives_away=("values first", "answers come first", "map follows", "gains nothing"),
    ),
    "08.values_first": Question(
        topic="values first",
        choices={"sooner": "sooner than before", "same": "as before", "later": "later than before"},
        right="With values that mean something, looking at the cue pays from the first step.",
        wrong={
            "same": "Then the values would not matter to the map. Its gradient goes through them: d_output @ V.T.",
            "later": "That happens once the answers are sure: then little pushes. After 20 steps they are not.",
        },
        partly=("later",),
        gives_away=("values first", "sooner"),
    ),
}
