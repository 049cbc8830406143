"""What notebook 03 asks: causal masks for new words, padding masks, which mask for what, dead rows."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ...attention import softmax
from ...masks import causal_mask, padding_mask
from ...mistakes.recipes import fill_scores, plain_softmax, recipe_of
from ..exercise import Arguments, Blank, Exercise, Finding, Function, Seen, normal, quarters
from ..predictions import Question
from ..rules_of_range import Scores, range_rule

NOTEBOOK = "03_masking"


# 1. Causal mask, square or not


def causal_cases(rng: np.random.Generator) -> list[Arguments]:
    """Give as many keys as queries, and more, as with a cache."""
    n = int(rng.integers(3, 7))
    return [(1, 2), (2, 2), (2, 4), (1, 1), (3, 3), (6, 6), (1, 7), (n, n + 3)]


def causal_in_loops(n_queries: int, n_keys: int) -> Any:
    """Fill the mask entry by entry."""
    return [[key <= query + n_keys - n_queries for key in range(n_keys)] for query in range(n_queries)]


def causal_as(name: str) -> Function:
    """Return the causal mask of a recipe."""
    return lambda n, m: recipe_of(name).causal(n, m)


CAUSAL = Exercise(
    name="may_see_past",
    notebook=NOTEBOOK,
    title="A causal mask for new words",
    difficulty=2,
    minutes=6,
    spec="""Write `may_see_past(n_queries, n_keys)`. It returns the causal mask, (n_queries, n_keys) of bool: True where
the query (row) may attend to the key (column), that is to its own position and earlier ones. There are as many keys as
queries, or more; the last query belongs to the last key.

For 1 query and 2 keys it is `[[True, True]]`; for 2 and 2, `[[True, False], [True, True]]`.""",
    stub="""
def may_see_past(n_queries, n_keys):  # two numbers
    return ...  # (n_queries, n_keys) of bool
""",
    solution="""
def may_see_past(n_queries, n_keys):
    key = np.arange(n_keys)
    query = np.arange(n_queries) + n_keys - n_queries  # positions in the whole text
    return key[None, :] <= query[:, None]
""",
    hints=(
        "At which position of the whole text does the first query stand?",
        "It stands at n_keys - n_queries. Compare positions of keys, as a row, with positions of queries, as a column.",
    ),
    why="""In positions of the whole text the rule is the same for a square and a rectangle: key <= query.
`np.tri(n_queries, n_keys, k=n_keys - n_queries, dtype=bool)` gives the same.""",
    cases=causal_cases,
    others=(
        causal_in_loops,
        lambda n_queries, n_keys: np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool),
        lambda n_queries, n_keys: np.tri(n_keys, dtype=bool)[n_keys - n_queries :],
        causal_mask,
    ),
    wrong={
        name: causal_as(name)
        for name in ("causal_excludes_itself", "causal_sees_next", "causal_reversed", "causal_top_left")
    }
    | {
        "mask_inverted": lambda n, m: ~causal_mask(n, m),
        "only_itself": lambda n, m: np.eye(n, m, k=m - n, dtype=bool),
        "allows_everything": lambda n, m: np.ones((n, m), dtype=bool),
        "old_keys_forbidden": (
            lambda n, m: causal_mask(n, m) & (np.arange(m) >= m - n),
            lambda n, m: np.hstack([np.zeros((n, m - n), dtype=bool), np.tri(n, dtype=bool)]),
        ),
        "only_the_one_before": lambda n, m: np.eye(n, m, k=m - n - 1, dtype=bool),
        "scores_for_mask": lambda n, m: np.where(causal_mask(n, m), 0, -np.inf),
    },
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
        "pad_at_the_front": lambda lengths, n_keys: np.arange(n_keys)[::-1] < lengths[:, None, None],
        "one_too_few": lambda lengths, n_keys: np.arange(n_keys) < lengths[:, None, None] - 1,
        "only_the_last_key": lambda lengths, n_keys: np.arange(n_keys) == lengths[:, None, None] - 1,
        "same_for_all_sentences": (
            lambda lengths, n_keys: np.broadcast_to(np.arange(n_keys) < lengths[0], (len(lengths), 1, n_keys)),
            lambda lengths, n_keys: np.broadcast_to(np.arange(n_keys) < lengths.max(), (len(lengths), 1, n_keys)),
        ),
    },
)


# 3. Choose the mask

CHOICE = Exercise(
    name="mask_for",
    notebook=NOTEBOOK,
    title="Choose the mask",
    difficulty=1,
    minutes=4,
    spec="""Which mask does each need? Write `"none"`, `"causal"`, `"padding"` or `"causal and padding"`.
Padding stands at the end. (An encoder reads a finished sentence and has no word to guess: 04.)""",
    stub="""
mask_for = {
    "an encoder reads one sentence, alone": ...,
    "an encoder reads a batch of unequal sentences": ...,
    "a language model learns from one sentence": ...,
    "a language model writes one new word, in a batch of unequal texts": ...,
}
""",
    solution="""
mask_for = {
    "an encoder reads one sentence, alone": "none",
    "an encoder reads a batch of unequal sentences": "padding",
    "a language model learns from one sentence": "causal",
    "a language model writes one new word, in a batch of unequal texts": "padding",
}
""",
    hints=(
        "Who must not see what? Later words matter only to a model that has to guess them.",
        "One new word comes last: which of the kept keys come after it? And which of them are pads?",
    ),
    why="""An encoder may read in both directions. A new word comes after all that is kept, so a causal mask for its one
row forbids nothing; but the pads that shorter texts are filled up with are among the kept keys.""",
    blanks={
        "an encoder reads one sentence, alone": Blank(
            "none",
            {
                "causal": "An encoder guesses no next word: it reads the whole sentence, in both directions.",
                "padding": "One sentence alone has no padding.",
            },
            "Nothing has to be hidden here.",
        ),
        "an encoder reads a batch of unequal sentences": Blank(
            "padding",
            {
                "none": "Then real words read the pads, which take weight.",
                "causal": "Causal is not padding: an encoder reads in both directions, and pads must not be read.",
                "causal and padding": "The pads, yes. But an encoder reads in both directions.",
            },
        ),
        "a language model learns from one sentence": Blank(
            "causal",
            {
                "none": "Then every word sees the word that it has to guess.",
                "padding": "One sentence alone has no padding, and every word sees the word that it has to guess.",
                "causal and padding": "One sentence alone has no padding.",
            },
        ),
        "a language model writes one new word, in a batch of unequal texts": Blank(
            "padding",
            {
                "none": "The texts are unequal: the shorter ones have pads among their keys.",
                "causal": "The new word comes last, so a causal mask forbids it nothing. The pads are still there.",
                "causal and padding": "That works, and the causal part forbids nothing: the new word comes last.",
            },
        ),
    },
)


# 4. Dead rows


def some_mask(rng: np.random.Generator, n: int, m: int) -> Any:
    """Draw a mask in which each row allows one key and forbids another; a square one is not its own transpose."""
    while True:
        mask = rng.random((n, m)) < 0.5
        allowed = rng.integers(m, size=n)
        mask[np.arange(n), allowed] = True
        mask[np.arange(n), (allowed + 1) % m] = False
        if n != m or (mask != mask.T).any():
            return mask


FLOAT32_LOWEST = -3.4e38


def dead_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw scores and masks in which some rows allow nothing."""
    first = (np.array([[1.0, 2.0], [0.0, 0.0]]), np.array([[True, False], [False, False]]))
    second, third = some_mask(rng, 3, 3), some_mask(rng, 5, 4)
    second[1] = third[0] = third[3] = False
    return [
        first,
        (normal(rng, 2, 3), np.ones((2, 3), dtype=bool)),
        (normal(rng, 3, 3), second),
        (normal(rng, 5, 4), third),
    ]


def dead_hard(rng: np.random.Generator) -> list[Arguments]:
    """Give forbidden scores far above the allowed ones, allowed ones far below any fill, and scores that overflow."""
    mask = np.array([[True, False, True], [False, True, True], [False, False, False]])
    return [
        (np.array([[0.0, 1000.0]]), np.array([[True, False]])),
        (np.array([[0.0, 720.0]]), np.array([[True, False]])),  # exp(720) is inf, exp(-720) is not 0
        (normal(rng, 3, 3) * 1e150, mask),
        (quarters(rng, 3, 3) - 1e5, mask),
        (normal(rng, 3, 3) - 1e150, mask),
        (quarters(rng, 3, 3) + np.array([[800.0], [-800.0], [0.0]]), mask),
        (quarters(rng, 2, 3) - np.array([[2000.0], [0.0]]), np.ones((2, 3), dtype=bool)),
    ]


def dead_row_by_row(scaled_scores: Any, mask: Any) -> Any:
    """Fill the rows that have a key."""
    weights = np.zeros_like(scaled_scores)
    for row, allowed in enumerate(mask):
        if allowed.any():
            weights[row, allowed] = plain_softmax(scaled_scores[row, allowed])
    return weights


def dead_by_multiplying(scaled_scores: Any, mask: Any) -> Any:
    """Multiply exps with the mask before dividing, less the largest of all keys: wrong where that one is forbidden."""
    exps = np.exp(scaled_scores - scaled_scores.max(axis=-1, keepdims=True)) * mask
    return exps / np.maximum(exps.sum(axis=-1, keepdims=True), 1e-300)


def dead_by_nan(scaled_scores: Any, mask: Any) -> Any:
    """Let nan come, then write 0 there."""
    return np.nan_to_num(plain_softmax(fill_scores(scaled_scores, mask)))


def dead_renormalised(scaled_scores: Any, mask: Any) -> Any:
    """Take the softmax of everything, hide, and divide again."""
    weights = plain_softmax(scaled_scores) * mask
    total = weights.sum(axis=-1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)


def dead_filled(fill: float, scaled_scores: Any, mask: Any) -> Any:
    """Fill with a finite number, then set the dead rows to 0."""
    return plain_softmax(fill_scores(scaled_scores, mask, fill)) * mask.any(axis=-1, keepdims=True)


def dead_filled_and_hidden(fill: float, scaled_scores: Any, mask: Any) -> Any:
    """Fill with a finite number, then set every forbidden weight to 0."""
    return plain_softmax(fill_scores(scaled_scores, mask, fill)) * mask


def dead_overflowing(scaled_scores: Any, mask: Any) -> Any:
    """Subtract no maximum."""
    exps = np.where(mask, np.exp(scaled_scores), 0)
    total = exps.sum(axis=-1, keepdims=True)
    return exps / np.where(mask.any(axis=-1, keepdims=True), total, 1)


def dead_with_one_largest(scaled_scores: Any, mask: Any) -> Any:
    """Subtract the largest of the whole matrix."""
    exps = np.where(mask, np.exp(scaled_scores - scaled_scores.max()), 0)
    total = exps.sum(axis=-1, keepdims=True)
    return exps / np.where(total > 0, total, 1)


def dead_exps(scaled_scores: Any, mask: Any) -> Any:
    """Return the exps, less the largest allowed score of each row; 0 where it may not attend."""
    masked_scores = fill_scores(scaled_scores, mask)
    largest = masked_scores.max(axis=-1, keepdims=True)
    return np.exp(masked_scores - np.where(np.isinf(largest), 0, largest))


def low_fill_shows(seen: Sequence[Seen]) -> Finding | None:
    """See that a forbidden key gets weight where scores are extreme, and nowhere else."""
    failing = [one for one in seen if not one.right]
    if not failing or not all(one.found and one.found[0].shape == one.needed[0].shape for one in failing):
        return None
    if not any(np.abs(one.arguments["scaled_scores"]).max() > 500 for one in failing):
        return None
    leaks = all(np.abs(np.where(one.arguments["mask"], 0, one.found[0])).max() > 1e-6 for one in failing)
    return Finding("finite_fill") if leaks else None


def alive_taken_for_dead(seen: Sequence[Seen]) -> Finding | None:
    """See weights 0 in every row with a forbidden key, and all else right."""
    failing = [one for one in seen if not one.right]
    for one in failing:
        if not one.found or one.found[0].shape != one.needed[0].shape or one.found[0].dtype.kind != "f":
            return None
        mask = one.arguments["mask"]
        wrong = (~np.isclose(one.found[0], one.needed[0])).any(axis=-1)
        if not np.array_equal(wrong, mask.any(axis=-1) & ~mask.all(axis=-1)) or one.found[0][wrong].any():
            return None
    return Finding("alive_taken_for_dead") if failing else None


def nan_in_dead_rows(seen: Sequence[Seen]) -> Finding | None:
    """See nan in rows that allow no key, and all else right."""
    for one in seen:
        if one.right:
            continue
        if not one.found or one.found[0].shape != one.needed[0].shape:
            return None
        dead = ~one.arguments["mask"].any(axis=-1)
        wrong = ~np.isclose(one.found[0], one.needed[0])
        if wrong[~dead].any() or not np.isnan(one.found[0][wrong]).all():
            return None
    return Finding("dead_row_nan") if not all(one.right for one in seen) else None


DEAD = Exercise(
    name="weights_with_dead_rows",
    notebook=NOTEBOOK,
    title="Rows with no allowed key",
    difficulty=3,
    minutes=15,
    spec="""Write `weights_with_dead_rows(scaled_scores, mask)`. It returns the weights, (n_queries, n_keys).
A row that allows no key has weights 0, with no nan; every other row sums to 1 over its allowed keys. Scores may
be so large, or so far below 0, that a plain `np.exp` gives inf or 0. Do not use the library.""",
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
    hard=dead_hard,
    others=(dead_row_by_row, dead_by_nan, lambda s, mask: softmax(np.where(mask, s, -np.inf))),
    wrong={
        "dead_row_nan": lambda s, mask: plain_softmax(fill_scores(s, mask)),
        "dead_row_uniform": lambda s, mask: plain_softmax(fill_scores(s, mask, -1e9)),
        "largest_before_mask": (dead_by_multiplying, dead_renormalised),
        "largest_of_everything": dead_with_one_largest,
        "softmax_not_stable": dead_overflowing,
        "finite_fill": tuple(
            partial(filled, fill)
            for fill in (-1e9, -1e30, FLOAT32_LOWEST, -1e4, -100.0)
            for filled in (dead_filled, dead_filled_and_hidden)
        ),
        "mask_after_softmax": lambda s, mask: plain_softmax(s) * mask,
        "mask_times_zero": (
            lambda s, mask: plain_softmax(s * mask),
            lambda s, mask: plain_softmax(s * mask) * mask.any(axis=-1, keepdims=True),
        ),
        "dead_row_of_ones": lambda s, mask: np.where(mask.any(-1, keepdims=True), softmax(fill_scores(s, mask)), 1.0),
        "sum_missing": (lambda s, mask: np.where(mask, np.exp(s), 0), dead_exps),
        "softmax_over_queries": lambda s, mask: softmax(fill_scores(s, mask), axis=-2),
        "softmax_over_everything": (
            lambda s, mask: np.where(mask, np.exp(s), 0) / np.where(mask, np.exp(s), 0).sum(),
            lambda s, mask: dead_exps(s, mask) / dead_exps(s, mask).sum(),
        ),
        "mask_inverted": lambda s, mask: softmax(fill_scores(s, ~mask)),
        "mask_ignored": lambda s, mask: plain_softmax(s),
    },
    rules=(nan_in_dead_rows, alive_taken_for_dead, low_fill_shows, range_rule(Scores)),
)


EXERCISES = (CAUSAL, PAD, CHOICE, DEAD)


QUESTIONS = {
    "03.blue": Question(
        topic="why a causal mask",
        choices={
            "after": "both after it, to its right",
            "before": "both before it, to its left",
            "itself": "it attends most to itself",
        },
        gives_away=("blue reads creature",),
        right="The two things, creature and forest, come later, and nothing keeps blue from reading them.",
        wrong={
            "before": "The words before it are an article and a quality. The two things come later.",
            "itself": "blue is a quality, and asks for a thing.",
        },
    ),
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
    "03.two_the": Question(
        topic="causal mask",
        choices={"same": "still the same row", "differ": "two different rows"},
        gives_away=("The first sees",),
        right="The first sees only itself, the second five words before it too. The mask is the first thing here that "
        "knows the order of the words.",
        wrong={"same": "Their scores are the same. But the mask leaves the first only itself, the second six keys."},
    ),
    "03.prefix": Question(
        topic="all exercises in one pass",
        choices={
            "equal": "they are equal",
            "near": "near, but not the same: the rest of the sentence has had a say",
            "far": "far: a beginning is another sentence",
        },
        gives_away=(
            "as if the rest",
            "in one pass",
        ),
        right="To a masked row the later words do not exist: they have weight 0, and no part in the sum.",
        wrong={
            "near": "A forbidden key has weight exactly 0, and adds nothing to the sum that softmax divides by.",
            "far": "The row sees the same words with the same scores in both.",
        },
    ),
    "03.zeroed": Question(
        topic="zero is not -inf",
        choices={
            "zero": "no weight at all",
            "eighth": "one eighth",
            "half": "a little, but less than the allowed key",
        },
        gives_away=(
            "leaks",
            "0.88",
            "why not",
        ),
        right="Eight equal scores give eight equal weights, and 7/8 of the row leaks to words that it must not see.",
        wrong={
            "zero": (
                "0 is an ordinary score, even a high one among negative scores. Only -inf turns into a weight of 0."
            ),
            "half": "The allowed score is 0 as well. Equal scores give equal weights.",
        },
    ),
    "03.after_softmax": Question(
        topic="mask after softmax",
        choices={"one": "exactly 1", "less": "less than 1", "more": "more than 1"},
        gives_away=("is gone",),
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
        gives_away=(
            "Closing rows",
            "pad columns",
        ),
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
        gives_away=("nan",),
        right="The largest score is -inf, and -inf - (-inf) is nan. This library gives 0 there, by convention.",
        wrong={
            "zero": (
                "That is what this library and newer PyTorch return, by a rule of "
                "their own. The plain formula comes to -inf - (-inf), which is nan."
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
    "03.tril": Question(
        topic="a rectangular causal mask",
        tolerance=0.01,
        digits=0,
        gives_away=(
            "lines up the",
            "wrong for new words",
        ),
        right="It lines up the first query with the first key, so the newest word sees the oldest key alone.",
        wrong={
            "all": "So it should be: the new word comes last. But tril puts the one row of this mask at the top.",
            "all_but_itself": "The new word may see itself. And tril puts the one row of this mask at the top.",
            "other": "Write the first row of a triangle of ones down, and count its ones.",
        },
    ),
    "03.polarity": Question(
        topic="mask polarity",
        choices={
            "torch_sdpa": "PyTorch scaled_dot_product_attention",
            "torch_multihead_attention": "PyTorch nn.MultiheadAttention",
            "hugging_face": "Hugging Face, eager backend",
            "onnx_attention": "ONNX Attention",
        },
        gives_away=("blocked, the opposite", "may attend, as here"),
        right="In nn.MultiheadAttention, True means blocked: the opposite of what it means in the same library's SDPA.",
        wrong={
            "torch_sdpa": "There True means may attend, as here. Its older neighbour in the same library differs.",
            "hugging_face": "There the mask is added: 0 for may attend, the lowest finite number for blocked.",
            "onnx_attention": "There True means may attend, as here.",
        },
    ),
}
