"""The exercises of notebook 03: a causal mask for new words, a mask before writing, dead rows."""

import numpy as np

from ...checks.exercise import Arguments, Exercise, normal, quarters


def causal_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw as many keys as queries, and more keys, as with a cache."""
    n = int(rng.integers(3, 7))
    return [(1, 2), (2, 2), (2, 4), (1, 1), (3, 3), (6, 6), (1, 7), (n, n + 3)]


may_see_past = Exercise(
    title="A causal mask for new words",
    difficulty=2,
    minutes=6,
    task="""While a model is writing, only the newest words need queries, but they may read everything so far. So
there can be more keys than queries, and the last query belongs to the last key.

Write `may_see_past(n_queries, n_keys)`. It returns the causal mask, a Boolean array of shape (n_queries, n_keys). An
entry is True where the query (row) may attend to the key (column): each query may attend to its own position and to
earlier ones.

For 2 queries and 2 keys, the mask is `[[True, False], [True, True]]`. For 2 queries and 3 keys, it is
`[[True, True, False], [True, True, True]]`.""",
    solution="""
def may_see_past(n_queries, n_keys):  # two integers
    key = np.arange(n_keys)
    query = np.arange(n_queries) + n_keys - n_queries  # positions in the whole text
    return key[None, :] <= query[:, None]  # (n_queries, n_keys) of bool
""",
    hints=(
        "What is the position of the first query in the whole text?",
        "Its position is n_keys - n_queries. Compare the positions of the keys, as a row, with the positions of the "
        "queries, as a column.",
    ),
    why="""If you count positions in the whole text, the rule is the same for a square and for a rectangle: key <=
query. `np.tri(n_queries, n_keys, k=n_keys - n_queries, dtype=bool)` returns the same mask. PyTorch's `is_causal=True`
lines up the first query with the first key, so use it only when there are as many queries as keys.""",
    cases=causal_cases,
    mistakes={
        "The mask is the wrong way round. Here True means that the query may attend to the key.": {"<=": ">"},
        "The first query is lined up with the first key. Look at a case with more keys than queries: the last "
        "query belongs to the last key.": {" + n_keys - n_queries  # positions in the whole text": ""},
    },
)


mask_before_writing = Exercise(
    title="Choose the mask",
    difficulty=2,
    minutes=8,
    task="""A language model is about to continue several texts of different lengths, and it first reads them as one
batch. The pads come first, so that every text ends at the last key, as in section 5. Text b has `lengths[b]` real
words, and `lengths` is an array.

Write `mask_before_writing(lengths, n)`. It returns one Boolean array for the whole batch, (batch, n, n). An entry is
True where the query (row) may attend to the key (column): no query may see a pad or a later word. So the row of a pad
is False throughout.

For `lengths = [1]` and 2 tokens, the mask is `[[[False, False], [False, True]]]`.""",
    solution="""
def mask_before_writing(lengths, n):  # (batch,), a number of tokens
    place = np.arange(n)
    is_real = place >= n - lengths[:, None]  # (batch, n): the keys that are not pads
    is_past = place <= place[:, None]  # (n, n)
    return is_real[:, None, :] & is_past  # (batch, n, n) of bool
""",
    hints=(
        "Two things must be true of a key: it is a word, and it does not come after the query. Write a mask for each.",
        "Compare the places of the keys with `n - lengths[:, None]` for one mask, and with the places of the queries "
        "for the other. Give the first one an axis for the queries before you combine them with `&`.",
    ),
    why="""When the model then adds one word at a time, the new word comes after everything else, so a causal mask
forbids nothing in its row. But the pads are still among its keys.""",
    cases=lambda rng: [
        (np.array([1]), 2),
        (np.array([3]), 3),
        (np.array([2, 4, 1]), 4),
        (rng.integers(1, 6, 3), 5),
        (np.array([1, 5, 2, 3, 6, 4]), 6),
    ],
    mistakes={
        "Your mask forbids the keys at the end of a short text. But before a model writes, the pads come first.": {
            "place >= n - lengths[:, None]": "place < lengths[:, None]"
        },
        "Your mask forbids the rows of the pads. Their columns, which are keys, must be forbidden instead.": {
            "[:, None, :]": "[:, :, None]"
        },
    },
)


def some_mask(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """Draw a mask in which every row allows at least one key and forbids another."""
    mask = rng.random((n, m)) < 0.5
    allowed = rng.integers(m, size=n)
    mask[np.arange(n), allowed] = True
    mask[np.arange(n), (allowed + 1) % m] = False
    return mask


def dead_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw scores, and masks in which some rows allow nothing."""
    square, tall = some_mask(rng, 3, 3), some_mask(rng, 5, 4)
    square[0] = [True, True, False]  # with row 1 dead, the mask is not its own transpose
    square[1] = tall[0] = tall[3] = False
    return [
        (np.array([[1.0, 2.0], [0.0, 0.0]]), np.array([[True, False], [False, False]])),
        (normal(rng, 2, 3), np.ones((2, 3), dtype=bool)),
        (normal(rng, 3, 3), square),
        (normal(rng, 5, 4), tall),
    ]


def extreme_dead_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw forbidden scores far above the allowed ones, allowed ones far below any fill, and scores that overflow.

    Where they reach 1e150, no two are equal: x - log(sum) is a right way, but there log(2) is lost in rounding.
    """
    mask = np.array([[True, False, True], [False, True, True], [False, False, False]])
    first_alone = np.array([[True, False]])
    return [
        (np.array([[0.0, 1000.0]]), first_alone),
        (np.array([[0.0, 720.0]]), first_alone),  # exp(720) is inf, exp(-720) is not 0
        ((rng.permutation(9).reshape(3, 3) - 4) * 1e150, mask),
        (quarters(rng, 3, 3) - 1e5, mask),
        ((rng.permutation(9).reshape(3, 3) - 9) * 1e150, mask),
        (quarters(rng, 3, 3) + np.array([[800.0], [-800.0], [0.0]]), mask),
        (quarters(rng, 2, 3) - np.array([[2000.0], [0.0]]), np.ones((2, 3), dtype=bool)),
    ]


weights_with_dead_rows = Exercise(
    title="Rows with no allowed key",
    difficulty=3,
    minutes=15,
    task="""Write `weights_with_dead_rows(scaled_scores, mask)`. It returns the weights, (n_queries, n_keys). A row that
allows no key gets weights of 0 rather than nan, and every other row sums to 1 over its allowed keys. Scores may be so
large, or so far below 0, that a plain `np.exp` returns inf or 0. Do not use `attention_lib`.""",
    solution="""
def weights_with_dead_rows(scaled_scores, mask):  # (n_queries, n_keys), the same shape of bool
    masked_scores = np.where(mask, scaled_scores, -np.inf)
    alive = mask.any(axis=-1, keepdims=True)  # (n_queries, 1)
    largest = masked_scores.max(axis=-1, keepdims=True)
    exps = np.exp(masked_scores - np.where(alive, largest, 0))  # in a dead row: exp(-inf) = 0
    sums = exps.sum(axis=-1, keepdims=True)
    return exps / np.where(alive, sums, 1)  # (n_queries, n_keys)
""",
    hints=(
        "Two steps go wrong in a dead row: -inf - (-inf), and 0 / 0. Which numbers would make them work there?",
        "Where `mask.any(axis=-1, keepdims=True)` is False, subtract 0 instead of the largest score, and divide by 1 "
        "instead of the sum.",
    ),
    why="If you subtract 0 and divide by 1, every entry of a dead row is exp(-inf) / 1 = 0. If you apply "
    "`np.nan_to_num` to a plain softmax instead, the check accepts it too, but it also hides NaN in the scores.",
    cases=dead_cases,
    hard=extreme_dead_cases,
    mistakes={
        "The forbidden scores are filled with a finite number. That works until all scores of a row are as low as "
        "this number, and then forbidden keys get weight. Only -inf is always lower.": {
            "-np.inf": "-1e9",
            "np.where(alive, largest, 0)": "largest",
            "np.where(alive, sums, 1)": "sums",
        },
    },
)
