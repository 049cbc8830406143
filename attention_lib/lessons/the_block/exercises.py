"""The exercises of notebook 13: a bug in a block, RMS norm, and a gain that moves."""

import numpy as np

from ...checks.exercise import Exercise, normal, whole

add_network = Exercise(
    title="Find the bug: half a block",
    difficulty=1,
    minutes=5,
    task="""`add_network(X, W_1, W_2)` is meant to be the second half of a pre-norm block: it normalises the rows
(without the tiny number under the root), sends them through a feed-forward network, and adds the result to the rows.
But it has a bug. With `W_2` full of zeros, the network adds nothing, so every row should come back unchanged. It does
not. Fix the function.""",
    solution="""
def add_network(X, W_1, W_2):  # (n, d), (d, d_ff), (d_ff, d)
    normed = (X - X.mean(axis=-1, keepdims=True)) / X.std(axis=-1, keepdims=True)
    return X + np.maximum(normed @ W_1, 0) @ W_2  # (n, d)
""",
    bug={"normed": "X"},
    hints=(
        "The first line gives the name `X` to the normalised rows. To which rows does the last line add the result?",
        "Give the normalised rows a name of their own. The network reads them, and its result is added to `X`.",
    ),
    why="The rows to which the result is added must stay as they are. If they are normalised too, everything "
    "added by earlier blocks is rescaled in every block.",
    cases=lambda rng: [  # the rows are long, so that the tiny number in `layer_norm` makes no difference
        (np.array([[1.0, 3.0], [2.0, 6.0]]), np.eye(2), np.zeros((2, 2))),
        (normal(rng, 3, 4) * 100, normal(rng, 4, 8), normal(rng, 8, 4)),
        (normal(rng, 2, 3) * 100 + 50, normal(rng, 3, 3), normal(rng, 3, 3)),
        (normal(rng, 5, 4) * 100, normal(rng, 4, 6), normal(rng, 6, 4)),
    ],
    mistakes={
        "Now the norm comes after the sum. That is post-norm: the rows that come back are still normalised.": {
            "    normed": "    X = X + np.maximum(X @ W_1, 0) @ W_2\n    normed",
            "X + np.maximum(normed @ W_1, 0) @ W_2": "normed",
        },
        "The result is added to the right rows now. But the network reads `X` itself, and it should read the "
        "normalised rows.": {"np.maximum(normed @ W_1, 0)": "np.maximum(X @ W_1, 0)"},
    },
)

rms_norm = Exercise(
    title="The norm of newer models",
    difficulty=2,
    minutes=7,
    task="""Llama and many other models use a simpler norm. It does not subtract the mean. It divides each row by the
square root of the mean of its squares, and then multiplies each column by its `gain`. Write `rms_norm(X, gain)`, and
add 1e-5 to the mean of the squares, so that a row of zeros stays zero. `X` may have extra leading axes.

The row `[3, 4]` has a mean square of 12.5. With a gain of 1 it becomes about `[0.849, 1.131]`.""",
    solution="""
def rms_norm(X, gain):  # (..., n, d), (d,)
    mean_square = (X**2).mean(axis=-1, keepdims=True)
    return gain * X / np.sqrt(mean_square + 1e-5)  # (..., n, d)
""",
    hints=(
        "Each row has a mean square of its own. Over which axis is the mean taken, and what keeps that axis?",
        "The mean is taken over the last axis, and `keepdims=True` keeps it. Add 1e-5 before you take the root.",
    ),
    why="Zhang and Sennrich (2019) found that models learn about as well if their norm only divides and does not "
    "subtract the mean. This norm also saves some time.",
    cases=lambda rng: [
        (np.array([[3.0, 4.0]]), np.ones(2)),
        (normal(rng, 3, 4), normal(rng, 4)),
        (normal(rng, 4, 4) * 100 + 50, normal(rng, 4)),
        (normal(rng, 2, 3, 5), normal(rng, 5)),
        (np.array([[0.003, 0.004]]), np.ones(2)),
    ],
    mistakes={
        "You subtract the mean first. That is layer norm, and this norm only divides.": {
            "    mean_square": "    X = X - X.mean(axis=-1, keepdims=True)\n    mean_square"
        },
        "You add 1e-5 after the root. Add it to the mean of the squares, before you take the root.": {
            "np.sqrt(mean_square + 1e-5)": "(np.sqrt(mean_square) + 1e-5)"
        },
    },
)

fold_gain = Exercise(
    title="Where did the gain go?",
    difficulty=2,
    minutes=8,
    task="""After dividing, a layer norm multiplies each column by its gain. (We leave out the bias.) Its result is
then multiplied by a matrix `W`, for example by W_Q. A library can drop the gain by moving it into `W`, as
TransformerLens does. Write `fold_gain(gain, W)`. It returns the matrix that gives the same result without the gain:
`(rows * gain) @ W` must equal `rows @ fold_gain(gain, W)` for all rows.

For the gain `[2, 3]` and `W = [[1, 1], [1, 1]]`, it returns `[[2, 2], [3, 3]]`.""",
    solution="""
def fold_gain(gain, W):  # (d,), (d, d_out)
    return gain[:, None] * W  # (d, d_out)
""",
    hints=(
        "Column 0 of the rows is multiplied by row 0 of `W`, and by no other number of `W`.",
        "So gain 0 belongs to row 0 of `W`. `gain[:, None]` is a column that multiplies each row by its own number.",
    ),
    why="The gain and `W` both multiply by fixed numbers, so one matrix can do the work of both. This works "
    "where only matrices read the result of the norm, as in a pre-norm block. In a post-norm block, the result also "
    "goes on along the thick line.",
    cases=lambda rng: [
        (whole(rng, 2), whole(rng, 2, 2)),
        (normal(rng, 3), normal(rng, 3, 3)),
        (normal(rng, 4), normal(rng, 4, 2)),
        (normal(rng, 2), normal(rng, 2, 5)),
    ],
    mistakes={
        "Your gains multiply the columns of `W`. They have to multiply its rows, because column 0 of what is "
        "normalised meets row 0 of `W`.": {"gain[:, None]": "gain"},
    },
)
