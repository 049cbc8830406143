"""The exercises of notebook 03: a causal mask for new words, which mask for what, dead rows."""

import numpy as np

from ...checks.exercise import Arguments, Blank, Exercise, normal, quarters


def causal_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw as many keys as queries, and more keys, as with a cache."""
    n = int(rng.integers(3, 7))
    return [(1, 2), (2, 2), (2, 4), (1, 1), (3, 3), (6, 6), (1, 7), (n, n + 3)]


may_see_past = Exercise(
    title="A causal mask for new words",
    difficulty=2,
    minutes=6,
    task="""When a model writes, only its newest words ask, but they may read all the words so far. So there can be more
keys than queries, and the last query belongs to the last key.

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


mask_for = Exercise(
    title="Choose the mask",
    difficulty=1,
    minutes=4,
    task="""Which mask does each of these need? Write `"none"`, `"causal"`, `"padding"` or `"causal and padding"`, and
name only masks that hide something. The padding comes at the end, except where a model writes or is about to write:
there it comes on the left, as in section 5. (An encoder reads a finished sentence and does not guess words; notebook 4
explains encoders.)""",
    hints=(
        "Which words must not see which? Later words have to be hidden only from a model that is asked to guess them.",
        "The one new word comes last. Do any of its keys come after it? And are any of its keys pads?",
    ),
    why="""An encoder may read in both directions. A new word comes after everything else, so a causal mask forbids
nothing in its single row. But the pads that fill up the shorter texts are among its keys.""",
    blanks={
        "an encoder reads one sentence, alone": Blank(
            "none",
            {
                "causal": "An encoder does not guess the next word. It reads the whole sentence in both directions.",
                "padding": "A sentence on its own has no padding.",
            },
            "Nothing has to be hidden here.",
        ),
        "an encoder reads a batch of unequal sentences": Blank(
            "padding",
            {
                "none": "Without a mask, the real words also read the pads, which then get some of the weight.",
                "causal": "The pads come last, so a causal mask hides them from the real words. But it also hides "
                "later words, and an encoder reads in both directions.",
                "causal and padding": "The pads do have to be masked. But an encoder reads in both directions.",
            },
        ),
        "a language model learns from one sentence": Blank(
            "causal",
            {
                "none": "Without a mask, every word sees the word that it has to guess.",
                "causal and padding": "The causal mask is needed. But a sentence on its own has no padding.",
            },
            "A sentence on its own has no padding. Which words must not see which?",
        ),
        "a language model reads a batch of unequal texts, before it writes": Blank(
            "causal and padding",
            {
                "none": "The real words would read later words, and the pads on the left.",
                "causal": "The pads come first here, so a causal mask does not hide them from the words after them.",
                "padding": "The pads are hidden now. But each word would still read the words after it.",
            },
        ),
        "a language model writes one new word, in a batch of unequal texts": Blank(
            "padding",
            {
                "none": "The texts are unequal, so there are pads among the keys of the shorter ones.",
                "causal": "The new word comes last, so a causal mask hides nothing from it. But the new word still "
                "sees the pads.",
                "causal and padding": "The causal part hides nothing here, because the new word comes last. Name "
                "only the mask that hides something.",
            },
        ),
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
    why="If you subtract 0 and divide by 1, every entry of a dead row is exp(-inf) / 1 = 0. PyTorch's "
    "`scaled_dot_product_attention` returns 0 for such a row as well, since version 2.5.",
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
