"""The exercises of notebook 05: a test of the split, W_O as a sum, all heads at once."""

import numpy as np

from ...checks.exercise import Exercise, normal
from ...multi_head import split_heads


def right_in_head_0_and_token_0(X: np.ndarray, n_heads: int) -> np.ndarray:
    """Cut head 0 and the first token correctly, and give every other place what head 0 has there."""
    heads = split_heads(X, n_heads).copy()
    heads[1:, 1:] = heads[:1, 1:]
    return heads


def right_in_the_outer_heads(X: np.ndarray, n_heads: int) -> np.ndarray:
    """Give the heads between the first and the last what the first has; of two heads, the second."""
    heads = split_heads(X, n_heads).copy()
    heads[1 : max(n_heads - 1, 2)] = heads[:1]
    return heads


splits_heads = Exercise(
    title="Write the test",
    difficulty=2,
    minutes=8,
    task="""A program that computes all the heads at once gives them an axis of their own: `split(X, n_heads)` should
turn (n, h*d) into (h, n, d). Head 0 gets the first d columns of every row, and head 1 gets the next d.

Write `splits_heads(split)`, a test that tells correct split functions from wrong ones. It may return True or False, or
use `assert` statements.

We will try it on two correct functions and eight wrong ones. All of them return the right shape.""",
    solution="""
def splits_heads(split):  # a function of X, (n, h*d), and n_heads
    X = np.arange(24).reshape(3, 8)  # all numbers differ: 3 tokens, 2 heads of 4 columns
    heads = split(X, 2)
    return np.array_equal(heads[0], X[:, :4]) and np.array_equal(heads[1], X[:, 4:])  # True or False
""",
    hints=(
        "If all the numbers are different, you can see where each of them went. With one token or one head, some "
        "mistakes would not show.",
        "Try `X = np.arange(24).reshape(3, 8)` with two heads, and compare the first head with `X[:, :4]`. What should "
        "the second head be?",
    ),
    why="All eight wrong splits return the right shape. For example, `X.reshape(h, n, d)` fills the new array row by "
    "row, so the two halves of the first word end up in two different rows of head 0. Four of the wrong splits lose no "
    "number, so they even survive a round trip of split and merge, if merge makes the same mistake. No test of this "
    "kind is a proof: this one would accept a function that goes wrong only with three heads.",
    accepts=(split_heads, lambda X, n_heads: np.stack(np.split(X, n_heads, axis=1))),
    refuses={
        "it only reshapes, so heads and tokens get mixed up": lambda X, n_heads: X.reshape(n_heads, len(X), -1),
        "it gives head i every h-th column": lambda X, n_heads: X.reshape(len(X), -1, n_heads).transpose(2, 0, 1),
        "it returns the heads in reverse order": lambda X, n_heads: split_heads(X, n_heads)[::-1],
        "every head is a copy of head 0": lambda X, n_heads: np.stack([split_heads(X, n_heads)[0]] * n_heads),
        "only head 0 and the first token are right": right_in_head_0_and_token_0,
        "heads in the middle are copies of the first": right_in_the_outer_heads,
        "every token is a copy of the first": lambda X, n_heads: split_heads(X[[0] * len(X)], n_heads),
        "it returns the tokens in reverse order": lambda X, n_heads: split_heads(X, n_heads)[:, ::-1],
    },
)

head_contributions = Exercise(
    title="W_O as a sum",
    difficulty=2,
    minutes=8,
    task="""`concat @ W_O` is a sum of matrices, one per head. Each matrix holds what one head adds through its own rows
of W_O. Write `head_contributions(head_outputs, W_O)`, which returns these matrices as one array of shape (h, n, d_out).
If you add them up over the heads, you get `concat @ W_O`.""",
    solution="""
def head_contributions(head_outputs, W_O):  # (h, n, d_v), (h*d_v, d_out)
    h, n, d_v = head_outputs.shape
    own_rows = W_O.reshape(h, d_v, -1)  # (h, d_v, d_out)
    return head_outputs @ own_rows  # (h, n, d_out)
""",
    hints=(
        "In concat, head i has the columns from i*d_v up to (i+1)*d_v. Which rows of W_O are these columns multiplied "
        "by?",
        "`W_O.reshape(h, d_v, -1)` gives each head its own rows, and `@` then works head by head.",
    ),
    why="A row times a column is a sum of products, and a sum can be cut into pieces. Here there is one piece per "
    "head, so you can say exactly what each head adds to the output.",
    cases=lambda rng: [  # W_O is square at times, so that its columns can be taken for its rows
        (normal(rng, h, n, d_v), normal(rng, h * d_v, d_out))
        for h, n, d_v, d_out in [(2, 1, 1, 2), (2, 2, 2, 4), (3, 2, 2, 6), (4, 3, 2, 5), (2, 5, 3, 7)]
    ],
    mistakes={
        "Each head takes every h-th row of W_O. The heads are side by side in concat, so head i owns d_v "
        "consecutive rows of W_O, from i*d_v up to (i+1)*d_v.": {
            "W_O.reshape(h, d_v, -1)": "W_O.reshape(d_v, h, -1).swapaxes(0, 1)"
        },
    },
)


packed_heads = Exercise(
    title="All heads at once",
    difficulty=3,
    minutes=15,
    task="""Write `packed_heads(X, W_Q, W_K, W_V, W_O, n_heads)`. It projects once with each wide matrix, splits the
results into heads, attends in all heads at once, merges the heads and multiplies by W_O. It returns the output,
(n, d_out).

W_Q and W_K have h*d_k columns, and each head has d_k of them. Which belongs under the square root, h*d_k or d_k?""",
    solution="""
def packed_heads(X, W_Q, W_K, W_V, W_O, n_heads):  # W_Q, W_K: (d_model, h*d_k), W_V: (d_model, h*d_v)
    def split(wide):
        return wide.reshape(len(X), n_heads, -1).swapaxes(0, 1)  # (h, n, d)

    Q, K, V = split(X @ W_Q), split(X @ W_K), split(X @ W_V)
    scaled_scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])  # (h, n, n)
    exps = np.exp(scaled_scores - scaled_scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    outputs = weights @ V  # (h, n, d_v)
    concat = outputs.swapaxes(0, 1).reshape(len(X), -1)  # (n, h*d_v)
    return concat @ W_O  # (n, d_out)
""",
    hints=(
        "Give the heads an axis of their own, in front. To split, reshape to (n, h, d) and then swap the first two "
        "axes. To merge, undo the same two steps in reverse order.",
        "After the split, d_k is `Q.shape[-1]`, the width of one head. Transpose K with `swapaxes(-1, -2)`.",
    ),
    why="One product with a wide matrix computes the projections of all the heads, because the wide matrix is just the "
    "matrices of the individual heads, side by side. We divide by √d_k, because a score of one head is a sum of d_k "
    "products.",
    cases=lambda rng: [
        (
            normal(rng, n, d),
            *(normal(rng, d, h * width) / 2 for width in (d_k, d_k, d_v)),
            normal(rng, h * d_v, h * d_v),
            h,
        )
        for n, d, h, d_k, d_v in [(2, 2, 2, 1, 2), (4, 4, 2, 2, 4), (3, 6, 3, 5, 3), (4, 7, 2, 9, 5), (1, 4, 2, 2, 2)]
    ],
    mistakes={
        "The heads are split and merged using only a reshape. A reshape reads the numbers row by row, "
        "so a head gets the numbers of both heads for some tokens. Reshape to (n, h, d) first, and then swap the "
        "first two axes.": {"(len(X), n_heads, -1).swapaxes(0, 1)": "(n_heads, len(X), -1)", ".swapaxes(0, 1)": ""},
        "The heads of one token attend to each other. The last two axes have to be tokens and features, so swap "
        "the axes of Q, K and V to (h, n, d) before you multiply.": {".swapaxes(0, 1)": ""},
    },
)
