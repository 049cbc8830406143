"""What notebook 03 asks: causal, padding and window masks, filling scores, attention with a mask, dead rows."""

from typing import Any

import numpy as np

from ...attention import scaled_dot_product_attention, softmax
from ...masks import causal_mask, padding_mask, sliding_window_mask
from ...mistakes.recipes import RECIPES, Recipe, attend, fill_scores, plain_softmax, with_mistakes
from ..exercise import Arguments, Exercise, Function, normal, whole
from ..predictions import Question

NOTEBOOK = "03_masking"


# 1. Causal mask


def causal_cases(rng: np.random.Generator) -> list[Arguments]:
    """Give a few lengths."""
    return [(2,), (1,), (3,), (6,)]


def causal_in_loops(n: int) -> Any:
    """Fill the mask entry by entry."""
    return [[key <= query for key in range(n)] for query in range(n)]


def causal_as(name: str) -> Function:
    """Return the square causal mask of a recipe."""
    return lambda n: RECIPES[name].causal(n, n)


CAUSAL = Exercise(
    name="may_see_past",
    notebook=NOTEBOOK,
    title="A causal mask",
    difficulty=1,
    minutes=3,
    spec="""Write `may_see_past(n)`. It returns the causal mask of n tokens, (n, n) of bool: True where the
query (row) may attend to the key (column), that is to its own position and earlier ones.

For n = 2 it is `[[True, False], [True, True]]`.""",
    stub="""
def may_see_past(n):  # number of tokens
    return ...  # (n, n) of bool
""",
    solution="""
def may_see_past(n):
    position = np.arange(n)
    return position[None, :] <= position[:, None]  # key <= query
""",
    hints=(
        "Compare each key's position with each query's position.",
        "`position[:, None]` holds the queries as a column, `position[None, :]` the keys as a row. Or see `np.tri`.",
    ),
    why="Row i is True in columns 0 to i. `np.tri(n, dtype=bool)` gives the same lower triangle.",
    cases=causal_cases,
    others=(
        causal_in_loops,
        lambda n: np.tri(n, dtype=bool),
        lambda n: ~np.triu(np.ones((n, n), bool), k=1),
        causal_mask,
    ),
    wrong={name: causal_as(name) for name in ("causal_excludes_itself", "causal_sees_next", "causal_reversed")}
    | {"mask_inverted": lambda n: ~causal_mask(n)},
)


# 2. Padding mask


def lengths_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw lengths of padded sentences; one batch as long as it has keys, so that axes can be confused."""
    return [
        (np.array([1]), 2),
        (np.array([2, 3]), 3),
        (np.array([1, 2, 3]), 3),
        (np.array([4, 1, 3, 2]), 5),
        (rng.integers(1, 8, size=6), 7),
    ]


def pad_in_loops(lengths: Any, n_keys: int) -> Any:
    """Fill the mask entry by entry."""
    return [[[key < length for key in range(n_keys)]] for length in lengths]


PAD = Exercise(
    name="real_keys",
    notebook=NOTEBOOK,
    title="A padding mask for a batch",
    difficulty=2,
    minutes=6,
    spec="""A batch holds sentences of different lengths, padded at the end to n_keys tokens. Write
`real_keys(lengths, n_keys)`: a mask of bool, (batch, 1, n_keys), True where the key is a real token. The axis
of length 1 stands for the queries: numpy repeats it for every row.

For lengths `[1]` and n_keys = 2 it is `[[[True, False]]]`.""",
    stub="""
def real_keys(lengths, n_keys):  # (batch,) of int, a number
    return ...  # (batch, 1, n_keys) of bool
""",
    solution="""
def real_keys(lengths, n_keys):
    return np.arange(n_keys) < lengths[:, None, None]  # (batch, 1, n_keys)
""",
    hints=(
        "Every key's position is compared with the length of its own sentence.",
        "`lengths[:, None, None]` has shape (batch, 1, 1) and lines up with `np.arange(n_keys)`.",
    ),
    why="Pad columns are masked. Pad rows are not: their outputs are computed and nobody reads them.",
    cases=lengths_cases,
    others=(pad_in_loops, lambda lengths, n_keys: padding_mask(lengths, n_keys)),
    wrong={
        "pad_rows_masked": lambda lengths, n_keys: (np.arange(n_keys) < lengths[:, None])[:, :, None],
        "pad_off_by_one": lambda lengths, n_keys: np.arange(n_keys) <= lengths[:, None, None],
        "mask_inverted": lambda lengths, n_keys: np.arange(n_keys) >= lengths[:, None, None],
    },
)


# 3. Filling scores


def fill_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw scaled scores and masks with at least one allowed key a row."""
    return [(whole(rng, n, m) + 0.5, some_mask(rng, n, m)) for n, m in [(1, 2), (2, 2), (3, 3), (4, 6)]]


def some_mask(rng: np.random.Generator, n: int, m: int) -> Any:
    """Draw a mask in which each row allows one key and forbids another."""
    mask = rng.random((n, m)) < 0.5
    mask[np.arange(n), np.arange(n) % m] = True
    mask[np.arange(n), (np.arange(n) + 1) % m] = False
    return mask


def fill_a_copy(scaled_scores: Any, mask: Any) -> Any:
    """Copy, then write into the copy."""
    filled = scaled_scores.copy()
    filled[~mask] = -np.inf
    return filled


FILLS = (-1e2, -1e3, -1e4, -1e5, -1e6, -1e8, -1e9, -1e10, -1e12, -1e30)


def filled_with(fill: float) -> Function:
    """Write a finite number where attending is forbidden."""
    return lambda scaled_scores, mask: fill_scores(scaled_scores, mask, fill)


def lowered_by(fill: float) -> Function:
    """Add a finite number where attending is forbidden."""
    return lambda scaled_scores, mask: scaled_scores + fill * ~mask


FILL = Exercise(
    name="forbid",
    notebook=NOTEBOOK,
    title="Masked scores",
    difficulty=1,
    minutes=3,
    spec="""Write `forbid(scaled_scores, mask)`. It returns the masked scores: the scaled score where the mask
is True, -inf where it is False. The input array stays as it was.""",
    stub="""
def forbid(scaled_scores, mask):  # (n_queries, n_keys), the same of bool
    return ...  # (n_queries, n_keys)
""",
    solution="""
def forbid(scaled_scores, mask):
    return np.where(mask, scaled_scores, -np.inf)
""",
    hints=(
        "`np.where(condition, a, b)` takes a where the condition is True and b elsewhere.",
        "Take the score where `mask` is True, and `-np.inf` elsewhere.",
    ),
    why="exp(-inf) is exactly 0, so a forbidden key gets no weight, whatever the other scores are.",
    cases=fill_cases,
    others=(
        fill_a_copy,
        lambda s, mask: s + np.where(mask, 0, -np.inf),
        lambda s, mask: np.ma.filled(np.ma.array(s, mask=~mask), -np.inf),
    ),
    wrong={name: RECIPES[name].mask for name in ("mask_inverted", "mask_times_zero", "mask_ignored")}
    | {
        "finite_fill": tuple(form for fill in FILLS for form in (filled_with(fill), lowered_by(fill))),
        "zero_times_inf": lambda s, mask: s + (1 - mask) * -np.inf,
    },
)


# 4. Attention with a mask


def masked_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw inputs and masks without dead rows; in one case the allowed scores lie far below any finite fill."""
    shapes = [(1, 2, 2, 1), (3, 3, 3, 2), (2, 4, 9, 3), (5, 6, 2, 5)]  # n_queries, n_keys, d_k, d_v
    ordinary = [
        (whole(rng, n, d_k), whole(rng, m, d_k), whole(rng, m, d_v), some_mask(rng, n, m)) for n, m, d_k, d_v in shapes
    ]
    low = (np.full((1, 1), 1e6), np.array([[-2e6], [-1e6], [-1e6]]), np.eye(3), np.array([[True, False, False]]))
    return [*ordinary, low]


def masked_row_by_row(Q: Any, K: Any, V: Any, mask: Any) -> Any:
    """Leave the forbidden keys out altogether."""
    rows = []
    for query, allowed in zip(Q, mask):
        rows.append(plain_softmax(K[allowed] @ query / np.sqrt(len(query))) @ V[allowed])
    return rows


def masked_with(recipe: Recipe, Q: Any, K: Any, V: Any, mask: Any) -> Any:
    """Follow a recipe with a mask."""
    return attend(recipe, Q, K, V, mask)


MASKED = Exercise(
    name="masked_attention",
    notebook=NOTEBOOK,
    title="Attention with a mask",
    difficulty=2,
    minutes=10,
    spec="""Write `masked_attention(Q, K, V, mask)`. It returns the output, (n_queries, d_v), with a bool
mask: True = may attend. Every row allows at least one key. A forbidden key gets a weight of exactly 0, however
low the allowed scores are. You may use `softmax` from the library.""",
    stub="""
def masked_attention(Q, K, V, mask):  # mask: (n_queries, n_keys) of bool
    return ...  # (n_queries, d_v)
""",
    solution="""
def masked_attention(Q, K, V, mask):
    scaled_scores = Q @ K.T / np.sqrt(Q.shape[-1])  # (n_queries, n_keys)
    masked_scores = np.where(mask, scaled_scores, -np.inf)
    exps = np.exp(masked_scores - masked_scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)  # (n_queries, n_keys)
    return weights @ V  # (n_queries, d_v)
""",
    hints=(
        "At which step does the mask go in, so that the rows still sum to 1?",
        "After the scale and before the softmax: `np.where(mask, scaled_scores, -np.inf)`.",
    ),
    why="The softmax shares out 1 among the keys that are left. A mask that comes later throws part of that 1 away.",
    cases=masked_cases,
    others=(masked_row_by_row, lambda Q, K, V, mask: scaled_dot_product_attention(Q, K, V, mask).output),
    wrong=with_mistakes(
        masked_with,
        "mask_ignored",
        "mask_inverted",
        "mask_after_softmax",
        "mask_times_zero",
        "finite_fill",
        "not_scaled",
        "scaled_by_d_k",
        "softmax_over_queries",
        "softmax_over_everything",
        "half_power",
    )
    | {
        "zero_times_inf": lambda Q, K, V, mask: plain_softmax(Q @ K.T / np.sqrt(Q.shape[-1]) + (1 - mask) * -np.inf) @ V
    },
)


# 5. Dead rows


def dead_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw scores and masks in which some rows allow nothing."""
    first = (np.array([[1.0, 2.0], [0.0, 0.0]]), np.array([[True, False], [False, False]]))
    second, third = some_mask(rng, 3, 3), some_mask(rng, 5, 4)
    second[1] = third[0] = third[3] = False
    return [first, (normal(rng, 2, 3), some_mask(rng, 2, 3)), (whole(rng, 3, 3), second), (normal(rng, 5, 4), third)]


def dead_row_by_row(scaled_scores: Any, mask: Any) -> Any:
    """Fill the rows that have a key."""
    weights = np.zeros_like(scaled_scores)
    for row, allowed in enumerate(mask):
        if allowed.any():
            weights[row, allowed] = plain_softmax(scaled_scores[row, allowed])
    return weights


def dead_by_multiplying(scaled_scores: Any, mask: Any) -> Any:
    """Multiply exps with the mask before dividing."""
    exps = np.exp(scaled_scores - scaled_scores.max(axis=-1, keepdims=True)) * mask
    return exps / np.maximum(exps.sum(axis=-1, keepdims=True), 1e-300)


DEAD = Exercise(
    name="weights_with_dead_rows",
    notebook=NOTEBOOK,
    title="Rows with no allowed key",
    difficulty=3,
    minutes=15,
    spec="""Write `weights_with_dead_rows(scaled_scores, mask)`. It returns the weights, (n_queries, n_keys).
A row that allows no key has weights 0, with no nan; every other row sums to 1 over its allowed keys. Do not use
the library.""",
    stub="""
def weights_with_dead_rows(scaled_scores, mask):  # (n_queries, n_keys), the same of bool
    return ...  # (n_queries, n_keys)
""",
    solution="""
def weights_with_dead_rows(scaled_scores, mask):
    masked_scores = np.where(mask, scaled_scores, -np.inf)
    alive = mask.any(axis=-1, keepdims=True)  # (n_queries, 1)
    largest = np.where(alive, masked_scores.max(axis=-1, keepdims=True), 0)
    exps = np.exp(masked_scores - largest)  # a dead row: exp(-inf) = 0
    return exps / np.where(alive, exps.sum(axis=-1, keepdims=True), 1)
""",
    hints=(
        "Two steps go wrong in a dead row: -inf - (-inf), and 0 / 0. Give each another number to work with there.",
        (
            "Where `mask.any(axis=-1, keepdims=True)` is False, subtract 0 in "
            "place of the largest score and divide by 1 in place of the sum."
        ),
    ),
    why=(
        "With 0 to subtract and 1 to divide by, the row is exp(-inf) "
        "/ 1 = 0. Newer PyTorch and ONNX have the same convention."
    ),
    cases=dead_cases,
    others=(dead_row_by_row, dead_by_multiplying, lambda s, mask: softmax(np.where(mask, s, -np.inf))),
    wrong={
        "dead_row_nan": lambda s, mask: plain_softmax(fill_scores(s, mask)),
        "dead_row_uniform": lambda s, mask: plain_softmax(fill_scores(s, mask, -1e9)),
        "mask_after_softmax": lambda s, mask: plain_softmax(s) * mask,
        "mask_times_zero": lambda s, mask: plain_softmax(s * mask),
        "mask_inverted": lambda s, mask: softmax(fill_scores(s, ~mask)),
        "mask_ignored": lambda s, mask: plain_softmax(s),
    },
)


# 6. A window


def window_cases(rng: np.random.Generator) -> list[Arguments]:
    """Give lengths and windows, one wider than the sentence."""
    return [(2, 0), (3, 1), (5, 2), (4, 9), (7, 3)]


def window_in_loops(n: int, left: int) -> Any:
    """Fill the mask entry by entry."""
    return [[0 <= query - key <= left for key in range(n)] for query in range(n)]


WINDOW = Exercise(
    name="look_back",
    notebook=NOTEBOOK,
    title="A sliding window",
    difficulty=2,
    minutes=6,
    spec="""Write `look_back(n, left)`: a causal mask, (n, n) of bool, in which each query sees its own
position and at most `left` keys before it.

For n = 3 and left = 1 the last row is `[False, True, True]`.""",
    stub="""
def look_back(n, left):  # number of tokens, keys seen before the query's own
    return ...  # (n, n) of bool
""",
    solution="""
def look_back(n, left):
    distance = np.arange(n)[:, None] - np.arange(n)[None, :]  # (n, n), query - key
    return (distance >= 0) & (distance <= left)
""",
    hints=(
        "How far back does key j lie from query i? Two conditions must hold for that distance.",
        (
            "With `distance = query - key`: not in the future is `distance "
            ">= 0`, not too far is `distance <= left`. Join them with `&`."
        ),
    ),
    why="A window is a causal mask with a second edge. Its width is left + 1, since the token itself counts.",
    cases=window_cases,
    others=(
        window_in_loops,
        lambda n, left: np.tri(n, dtype=bool) & ~np.tri(n, k=-left - 1, dtype=bool),
        lambda n, left: sliding_window_mask(n, left=left),
    ),
    wrong={
        "window_counts_itself": lambda n, left: np.tri(n, dtype=bool) & ~np.tri(n, k=-left, dtype=bool),
        "window_two_sided": lambda n, left: sliding_window_mask(n, left=left, right=left),
        "window_without_left": lambda n, left: causal_mask(n),
        "mask_inverted": lambda n, left: ~sliding_window_mask(n, left=left),
        "causal_excludes_itself": lambda n, left: sliding_window_mask(n, left=left) & ~np.eye(n, dtype=bool),
        "causal_reversed": lambda n, left: sliding_window_mask(n, left=left).T,
    },
)

EXERCISES = (CAUSAL, PAD, FILL, MASKED, DEAD, WINDOW)


QUESTIONS = {
    "03.allowed": Question(
        topic="causal mask",
        tolerance=0.01,
        digits=0,
        right="Row i allows i + 1 keys: its own and all before it.",
        wrong={
            "without_diagonal": "That leaves out the diagonal. A token may attend to itself, so row 0 has one key.",
            "all": "That counts every pair. A query may not look at keys after its own position.",
            "other": "Count row by row: 1 key, 2 keys, 3 keys, and so on.",
        },
    ),
    "03.zeroed": Question(
        topic="zero is not -inf",
        choices={
            "zero": "no weight at all",
            "some": "some weight",
        },
        right=(
            "exp(0) is 1, so a score of 0 still takes its share. The "
            "probability leaks to keys that were meant to be hidden."
        ),
        wrong={
            "zero": (
                "0 is an ordinary score, even a high one among negative scores. Only -inf turns into a weight of 0."
            ),
        },
    ),
    "03.after_softmax": Question(
        topic="mask after softmax",
        choices={"one": "exactly 1", "less": "less than 1", "more": "more than 1"},
        right="The hidden keys took their share first, and it is then thrown away.",
        wrong={
            "one": (
                "Softmax made the row sum to 1 with the hidden keys counted "
                "in. Setting them to 0 afterwards takes their part away."
            ),
            "more": "Nothing is added: weights are set to 0, so the sum can only shrink.",
        },
    ),
    "03.pad": Question(
        topic="pad columns",
        choices={
            "columns": "the columns of the pad tokens",
            "rows": "the rows of the pad tokens",
            "both": "both are needed",
        },
        right="A pad token must not be read, so its column is masked. Its own row makes an output that nobody uses.",
        wrong={
            "rows": (
                "A row belongs to a query. Masking a pad token's row changes "
                "only its own output, and real tokens still read the padding."
            ),
            "both": "Masking the rows too changes nothing for the real tokens, and leaves rows with no key at all.",
        },
    ),
    "03.dead_row": Question(
        topic="rows with no allowed key",
        choices={"nan": "nan", "zero": "0", "equal": "the same share for every key"},
        right="The largest score is -inf, and -inf - (-inf) is nan. This library gives 0 there, by convention.",
        wrong={
            "zero": (
                "That is what this library and newer PyTorch return, by "
                "a rule of their own. The plain formula divides 0 by 0."
            ),
            "equal": (
                "That is what a finite fill such as -1e9 gives: all keys "
                "tie. With -inf the formula has no number to give."
            ),
        },
    ),
    "03.reach": Question(
        topic="stacked windows",
        tolerance=0.01,
        digits=0,
        right="Each layer hands on what the layer below had gathered, so the reach adds up.",
        wrong={
            "one_layer": (
                "That is the reach of one layer. What a neighbour gathered in the layer below comes along with it."
            ),
            "doubled": "The reach adds one window a layer; it does not double.",
            "other": "Count the steps: each layer goes back by one more window.",
        },
    ),
    "03.polarity": Question(
        topic="mask polarity",
        choices={
            "torch_sdpa": "PyTorch scaled_dot_product_attention",
            "torch_multihead_attention": "PyTorch nn.MultiheadAttention",
            "hugging_face": "Hugging Face",
            "onnx_attention": "ONNX Attention",
        },
        right="In nn.MultiheadAttention, True means blocked: the opposite of what it means in the same library's SDPA.",
        wrong={
            "torch_sdpa": "There True means may attend, as here. Its older neighbour in the same library differs.",
            "hugging_face": "There the mask is added: 0 for may attend, the lowest finite number for blocked.",
            "onnx_attention": "There True means may attend, as here.",
        },
    ),
}
