"""What notebook 04 asks: scores between two sequences, cross-attention, source padding, reading a map."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...attention import scaled_dot_product_attention
from ...masks import causal_mask, padding_mask
from ...mistakes.recipes import RIGHT, Recipe, attend, attention_map, plain_softmax, with_mistakes
from ..exercise import Arguments, Exercise, Finding, Seen, normal, shares
from ..predictions import Question
from ..rules_of_weights import Given, weights_rules

NOTEBOOK = "04_cross_attention"


# 1. Scores between two sequences


def pair_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw X, context and projections; one pair of equal length, where exchanged sides keep the shape."""
    shapes = [(1, 2, 2, 2), (3, 3, 2, 3), (4, 2, 3, 5), (2, 6, 5, 2)]  # n_queries, n_keys, d_model, d_k
    return [(normal(rng, n, d), normal(rng, m, d), normal(rng, d, d_k), normal(rng, d, d_k)) for n, m, d, d_k in shapes]


def pairs_in_loops(X: Any, context: Any, W_Q: Any, W_K: Any) -> Any:
    """Fill the matrix entry by entry."""
    return [[(x @ W_Q) @ (c @ W_K) for c in context] for x in X]


CROSS_SCORES = Exercise(
    name="cross_scores",
    notebook=NOTEBOOK,
    title="Scores between two sentences",
    difficulty=1,
    minutes=4,
    spec="""Write `cross_scores(X, context, W_Q, W_K)`. It returns the scores, (n_queries, n_keys), unscaled:
queries from X, keys from the context.

With 5 target words in X and 6 source words in the context the result is (5, 6).""",
    stub="""
def cross_scores(X, context, W_Q, W_K):  # (n_queries, d), (n_keys, d), (d, d_k) twice
    return ...  # (n_queries, n_keys)
""",
    solution="""
def cross_scores(X, context, W_Q, W_K):
    Q = X @ W_Q  # (n_queries, d_k)
    K = context @ W_K  # (n_keys, d_k)
    return Q @ K.T  # (n_queries, n_keys)
""",
    hints=(
        "Who asks, and who is read? The one that asks gives the rows.",
        "`Q = X @ W_Q` and `K = context @ W_K`, then the scores as always.",
    ),
    why="Only the source of K differs from self-attention. The map is rectangular, since the two lengths differ.",
    cases=pair_cases,
    others=(pairs_in_loops, lambda X, context, W_Q, W_K: np.einsum("ik,jk->ij", X @ W_Q, context @ W_K)),
    wrong={
        "sides_exchanged": lambda X, context, W_Q, W_K: (context @ W_Q) @ (X @ W_K).T,
        "context_ignored": lambda X, context, W_Q, W_K: (X @ W_Q) @ (X @ W_K).T,
        "scores_transposed": lambda X, context, W_Q, W_K: (context @ W_K) @ (X @ W_Q).T,
        "one_projection": lambda X, context, W_Q, W_K: (X @ W_Q) @ (context @ W_Q).T,
        "transpose_missing": lambda X, context, W_Q, W_K: (X @ W_Q) @ (context @ W_K),
        "scaled_too_soon": lambda X, context, W_Q, W_K: (X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[-1]),
        "projections_exchanged": lambda X, context, W_Q, W_K: (X @ W_K) @ (context @ W_Q).T,
        "not_projected": lambda X, context, W_Q, W_K: X @ context.T,
        "projection_transposed": lambda X, context, W_Q, W_K: (X @ W_Q.T) @ (context @ W_K.T).T,
        "queries_for_keys": lambda X, context, W_Q, W_K: (X @ W_Q) @ (X @ W_Q).T,
        "softmax_too_soon": (
            lambda X, context, W_Q, W_K: plain_softmax((X @ W_Q) @ (context @ W_K).T),
            lambda X, context, W_Q, W_K: plain_softmax((X @ W_Q) @ (context @ W_K).T / np.sqrt(W_Q.shape[-1])),
        ),
        "context_asks_itself": lambda X, context, W_Q, W_K: (context @ W_Q) @ (context @ W_K).T,
    },
)


# 2. Cross-attention


def cross_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw X, context and projections of different widths."""
    shapes = [(1, 2, 2, 2, 2), (3, 3, 2, 3, 4), (4, 2, 3, 5, 4), (2, 6, 7, 16, 8)]  # n_queries, n_keys, d, d_k, d_v
    return [
        (normal(rng, n, d), normal(rng, m, d), *(normal(rng, d, width) / 2 for width in (d_k, d_k, d_v)))
        for n, m, d, d_k, d_v in shapes
    ]


def cross_with(recipe: Recipe, X: Any, context: Any, W_Q: Any, W_K: Any, W_V: Any) -> Any:
    """Follow a recipe with Q from X, K and V from the context."""
    return attend(recipe, X @ W_Q, context @ W_K, context @ W_V, d_model=X.shape[-1])


def cross_row_by_row(X: Any, context: Any, W_Q: Any, W_K: Any, W_V: Any) -> Any:
    """Treat one target word after the other."""
    K, V = context @ W_K, context @ W_V
    return [plain_softmax(K @ (x @ W_Q) / np.sqrt(K.shape[1])) @ V for x in X]


def cross_causal(X: Any, context: Any, W_Q: Any, W_K: Any, W_V: Any) -> Any:
    """Add a causal mask, lined up at the top left."""
    allowed = np.tri(len(X), len(context), dtype=bool)
    return attend(RIGHT, X @ W_Q, context @ W_K, context @ W_V, allowed)


def cross_causal_at_the_end(X: Any, context: Any, W_Q: Any, W_K: Any, W_V: Any) -> Any:
    """Add a causal mask whose last query lines up with the last key."""
    allowed = causal_mask(len(X), len(context))
    return attend(RIGHT, X @ W_Q, context @ W_K, context @ W_V, allowed)


def cross_given(X: Any, context: Any, W_Q: Any, W_K: Any, W_V: Any) -> Given:
    """Say it in the words of attention."""
    return Given(X @ W_Q @ (context @ W_K).T, W_Q.shape[1], context @ W_V)


CROSS = Exercise(
    name="attention_between",
    notebook=NOTEBOOK,
    title="Cross-attention",
    difficulty=2,
    minutes=8,
    spec="""Write `attention_between(X, context, W_Q, W_K, W_V)`. It returns the output, (n_queries, d_v):
each row of X reads the context. No mask is needed. Use numpy alone.""",
    stub="""
def attention_between(X, context, W_Q, W_K, W_V):  # (n_queries, d), (n_keys, d), (d, d_k) twice, (d, d_v)
    return ...  # (n_queries, d_v)
""",
    solution="""
def attention_between(X, context, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, context @ W_K, context @ W_V
    exps = np.exp(Q @ K.T / np.sqrt(Q.shape[-1]))  # (n_queries, n_keys)
    return exps / exps.sum(axis=-1, keepdims=True) @ V  # (n_queries, d_v)
""",
    hints=(
        "Two of Q, K and V come from the sequence that is read.",
        "`Q = X @ W_Q`, `K = context @ W_K`, `V = context @ W_V`. The rest is as in notebook 01.",
    ),
    why="The output has one row for each row of X, made of the values of the context.",
    cases=cross_cases,
    others=(cross_row_by_row, lambda *arguments: cross_with(RIGHT, *arguments)),
    wrong=with_mistakes(
        cross_with,
        "not_scaled",
        "scaled_by_d_k",
        "scaled_by_root_d_model",
        "scaled_by_d_model",
        "scaled_by_root_n",
        "half_power",
        "divided_by_twice_d_k",
        "multiplied",
        "softmax_over_queries",
        "softmax_over_everything",
        "softmax_missing",
        "sum_missing",
        "keepdims_missing",
        "softmax_twice",
        "transpose_missing",
        "scores_transposed",
        "weights_transposed",
    )
    | {
        "one_projection": lambda X, c, W_Q, W_K, W_V: attend(RIGHT, X @ W_Q, c @ W_Q, c @ W_V),
        "keys_mixed": lambda X, c, W_Q, W_K, W_V: attend(RIGHT, X @ W_Q, c @ W_K, c @ W_K),
        "not_projected": lambda X, c, W_Q, W_K, W_V: attend(RIGHT, X, c, c),
        "values_not_projected": lambda X, c, W_Q, W_K, W_V: attend(RIGHT, X @ W_Q, c @ W_K, c),
        "projections_exchanged": lambda X, c, W_Q, W_K, W_V: attend(RIGHT, X @ W_Q, c @ W_V, c @ W_K),
        "keys_from_X": lambda X, c, W_Q, W_K, W_V: attend(RIGHT, X @ W_Q, X @ W_K, c @ W_V),
        "queries_from_context": lambda X, c, W_Q, W_K, W_V: attend(RIGHT, c @ W_Q, c @ W_K, c @ W_V),
        "values_from_X": lambda X, context, W_Q, W_K, W_V: attend(RIGHT, X @ W_Q, context @ W_K, X @ W_V),
        "context_ignored": lambda X, context, W_Q, W_K, W_V: attend(RIGHT, X @ W_Q, X @ W_K, X @ W_V),
        "sides_exchanged": lambda X, context, W_Q, W_K, W_V: attend(RIGHT, context @ W_Q, X @ W_K, X @ W_V),
        "causal_in_cross_attention": (cross_causal, cross_causal_at_the_end),
        "weights_returned": lambda X, context, W_Q, W_K, W_V: attention_map(RIGHT, X @ W_Q, context @ W_K).weights,
    },
    rules=weights_rules(cross_given),
)


# 3. Which source word is read most


def map_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw maps; a square one too, where the axes can be confused."""
    first = np.array([[0.2, 0.8], [0.9, 0.1], [0.4, 0.6]])
    return [(first,), *((shares(rng, *shape),) for shape in [(3, 3), (1, 4), (6, 4), (4, 6)])]


MOST_READ = Exercise(
    name="most_read",
    notebook=NOTEBOOK,
    title="Reading a map",
    difficulty=1,
    minutes=2,
    spec="""Write `most_read(weights)`: for each query (row) the position of the key with the largest weight,
(n_queries,).

For `[[0.2, 0.8], [0.9, 0.1]]` it is `[1, 0]`.""",
    stub="""
def most_read(weights):  # (n_queries, n_keys)
    return ...  # (n_queries,) of int
""",
    solution="""
def most_read(weights):
    return weights.argmax(axis=-1)
""",
    hints=("`argmax` gives the position of the largest number.", "Along which axis do the keys of one query lie?"),
    why="The keys lie along the last axis, and one position comes out for each query.",
    cases=map_cases,
    others=(
        lambda weights: [max(range(len(row)), key=lambda j: row[j]) for row in weights],
        lambda weights: np.argsort(weights, axis=1)[:, -1],
    ),
    wrong={
        "argmax_over_queries": lambda weights: weights.argmax(axis=0),
        "argmax_of_everything": lambda weights: weights.argmax(),
        "weight_instead_of_place": lambda weights: weights.max(axis=-1),
        "counts_from_one": lambda weights: weights.argmax(axis=-1) + 1,
        "smallest_instead": lambda weights: weights.argmin(axis=-1),
        "order_in_place_of_largest": lambda weights: weights.argsort(axis=-1)[:, ::-1],
        "largest_marked": lambda weights: weights == weights.max(axis=-1, keepdims=True),
        "place_in_the_flat_map": lambda weights: weights.argmax(axis=-1) + np.arange(len(weights)) * weights.shape[1],
    },
    whole_numbers=True,
)


# 4. Source padding


def source_cases(rng: np.random.Generator) -> list[Arguments]:
    """Give lengths of sources, with as many queries as keys too."""
    return [
        (np.array([1]), 1, 2),
        (np.array([1, 3]), 3, 3),
        (np.array([2, 3]), 4, 3),
        (np.array([2, 1, 3]), 3, 3),
        (rng.integers(1, 6, size=4), 2, 5),
    ]


def source_in_loops(lengths: Any, n_queries: int, n_keys: int) -> Any:
    """Fill the mask entry by entry."""
    return [[[key < length for key in range(n_keys)] for _ in range(n_queries)] for length in lengths]


def real_rows(lengths: Any, n_queries: int, n_keys: int) -> Any:
    """Mask rows."""
    return np.repeat((np.arange(n_queries) < lengths[:, None])[:, :, None], n_keys, axis=2)


def right_source_mask(lengths: Any, n_queries: int, n_keys: int) -> Any:
    """Mask columns."""
    return np.repeat(padding_mask(lengths, n_keys), n_queries, axis=1)


SOURCE_PAD = Exercise(
    name="source_mask",
    notebook=NOTEBOOK,
    title="Padding of the source",
    difficulty=2,
    minutes=6,
    spec="""A batch of source sentences is padded at the end to n_keys tokens; the target has n_queries words.
Write `source_mask(lengths, n_queries, n_keys)`: bool, (batch, n_queries, n_keys), True where the source token
is real.""",
    stub="""
def source_mask(lengths, n_queries, n_keys):  # (batch,) of int: real source tokens
    return ...  # (batch, n_queries, n_keys) of bool
""",
    solution="""
def source_mask(lengths, n_queries, n_keys):
    real = np.arange(n_keys) < lengths[:, None]  # (batch, n_keys)
    return np.repeat(real[:, None, :], n_queries, axis=1)  # (batch, n_queries, n_keys)
""",
    hints=(
        "Which axis of the scores is the source: the rows or the columns?",
        "Make (batch, n_keys) first, then repeat it for every query: `real[:, None, :]`.",
    ),
    why="The padding is in the source, so it is keys that are masked. The lengths of the target do not enter.",
    cases=source_cases,
    others=(
        source_in_loops,
        lambda lengths, n, m: np.broadcast_to(padding_mask(lengths, m), (len(lengths), n, m)),
    ),
    wrong={
        "pad_rows_masked": real_rows,
        "pad_rows_too": lambda lengths, n, m: right_source_mask(lengths, n, m) & real_rows(lengths, n, m),
        "pad_off_by_one": lambda lengths, n, m: right_source_mask(np.minimum(lengths + 1, m), n, m),
        "mask_inverted": lambda lengths, n, m: ~right_source_mask(lengths, n, m),
        "causal_in_cross_attention": (
            lambda lengths, n, m: right_source_mask(lengths, n, m) & np.tri(n, m, dtype=bool),
            lambda lengths, n, m: right_source_mask(lengths, n, m) & causal_mask(n, m),
        ),
        "allows_everything": lambda lengths, n, m: np.ones((len(lengths), n, m), dtype=bool),
        "pad_at_the_front": lambda lengths, n, m: right_source_mask(lengths, n, m)[..., ::-1],
        "one_too_few": lambda lengths, n, m: right_source_mask(lengths - 1, n, m),
        "same_for_all_sentences": (
            lambda lengths, n, m: right_source_mask(np.full_like(lengths, lengths[0]), n, m),
            lambda lengths, n, m: right_source_mask(np.full_like(lengths, lengths.max()), n, m),
        ),
    },
)


# 5. A padded batch


def batch_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw batches of Q, K, V and lengths; one with all axes equal, one without padding."""
    shapes = [(1, 1, 2, 3, 2), (3, 3, 3, 3, 3), (2, 4, 3, 5, 4), (3, 2, 5, 9, 6)]  # batch, n_queries, n_keys, d_k, d_v
    cases = [
        (normal(rng, b, n, d_k), normal(rng, b, m, d_k), normal(rng, b, m, d_v), 1 + np.arange(b) % (m - 1))
        for b, n, m, d_k, d_v in shapes
    ]
    return [*cases, (normal(rng, 2, 3, 2), normal(rng, 2, 4, 2), normal(rng, 2, 4, 5), np.array([4, 4]))]


def batch_hard(rng: np.random.Generator) -> list[Arguments]:
    """Give real keys with scores far below any finite fill, and rows far apart."""
    values = normal(rng, 1, 3, 3)
    low = [
        (np.full((1, 1, 1), size), np.array([[[-2 * size], [-size], [-size]]]), values, np.array([1]))
        for size in (1e3, 1e6, 1e75)
    ]
    apart = np.array([[[1e4], [-1e4]]]), np.array([[[1.0], [1.1], [0.9]]])
    return [*low, (*apart, values, np.array([2]))]


def only_low_keys(seen: Sequence[Seen]) -> Finding | None:
    """See a finite fill, or an exp that overflows: nothing is wrong but where scores are extreme."""
    failing = [one for one in seen if not one.right]
    if not all(one.found and np.abs(one.arguments["Q"]).max() > 500 for one in failing):
        return None
    found = [one.found[0] for one in failing]
    if all(np.isfinite(output).all() for output in found):
        return Finding("finite_fill")
    return Finding("softmax_not_stable") if all(np.isnan(output).any() for output in found) else None


def batch_given(Q: Any, K: Any, V: Any, lengths: Any) -> Given:
    """Say it in the words of attention."""
    return Given(Q @ K.swapaxes(-1, -2), Q.shape[-1], V, padding_mask(lengths, K.shape[1]))


def batch_with(recipe: Recipe, Q: Any, K: Any, V: Any, lengths: Any) -> Any:
    """Follow a recipe with a padding mask."""
    return attend(recipe, Q, K, V, padding_mask(lengths, K.shape[-2]))


def sentence_by_sentence(Q: Any, K: Any, V: Any, lengths: Any) -> Any:
    """Cut each sentence to its length and treat it alone."""
    pairs = zip(Q, K, V, lengths)
    return np.stack([scaled_dot_product_attention(q, k[:length], v[:length]).output for q, k, v, length in pairs])


def batch_masking_rows(Q: Any, K: Any, V: Any, lengths: Any) -> Any:
    """Mask the first rows in place of the first columns, and give dead rows a zero."""
    rows = np.arange(Q.shape[-2])[:, None] < lengths[:, None, None]
    return attend(RIGHT, Q, K, V, np.broadcast_to(rows, (*rows.shape[:-1], K.shape[-2])))


def batch_with_all_axes(Q: Any, K: Any, V: Any, lengths: Any) -> Any:
    """Transpose K with .T."""
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    return plain_softmax(np.where(padding_mask(lengths, K.shape[-2]), scores, -np.inf)) @ V


def batch_scores(Q: Any, K: Any, lengths: Any) -> Any:
    """Return the masked scores, (batch, n_queries, n_keys)."""
    scaled_scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    return np.where(padding_mask(lengths, K.shape[1]), scaled_scores, -np.inf)


BATCH = Exercise(
    name="padded_batch",
    notebook=NOTEBOOK,
    title="A padded batch",
    difficulty=3,
    minutes=15,
    spec="""Write `padded_batch(Q, K, V, lengths)`: attention for a whole batch at once, (batch, n_queries,
d_v). Sentence b has `lengths[b]` real keys (at least 1), the rest is padding and must get no weight. No loop
over the batch.""",
    stub="""
def padded_batch(Q, K, V, lengths):  # (batch, n_queries, d_k), (batch, n_keys, d_k), (batch, n_keys, d_v), (batch,)
    return ...  # (batch, n_queries, d_v)
""",
    solution="""
def padded_batch(Q, K, V, lengths):
    scaled_scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])  # (batch, n_queries, n_keys)
    real = np.arange(K.shape[1]) < lengths[:, None, None]  # (batch, 1, n_keys)
    masked_scores = np.where(real, scaled_scores, -np.inf)
    exps = np.exp(masked_scores - masked_scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True) @ V  # (batch, n_queries, d_v)
""",
    hints=(
        "`@` treats the last two axes as matrices and repeats over the others. Which two axes of K must be swapped?",
        "`K.swapaxes(-1, -2)`, and a mask of shape (batch, 1, n_keys) as in notebook 03.",
    ),
    why=(
        "The batch is a leading axis: every step works on the last "
        "two and leaves it alone. `K.T` would reverse all three."
    ),
    cases=batch_cases,
    hard=batch_hard,
    rules=(only_low_keys, *weights_rules(batch_given)),
    loops=0,
    looped_over="the sentences of the batch",
    grown=lambda b: (np.ones((b, 2, 2)), np.ones((b, 3, 2)), np.ones((b, 3, 2)), np.full(b, 2)),
    others=(sentence_by_sentence, lambda *arguments: batch_with(RIGHT, *arguments)),
    wrong=with_mistakes(
        batch_with,
        "mask_ignored",
        "mask_inverted",
        "mask_after_softmax",
        "mask_times_zero",
        "mask_added",
        "filled_with_inf",
        "finite_fill",
        "not_scaled",
        "scaled_by_d_k",
        "half_power",
        "divided_by_twice_d_k",
        "multiplied",
        "scaled_by_root_n",
        "softmax_over_queries",
        "softmax_over_everything",
        "softmax_missing",
        "sum_missing",
        "keepdims_missing",
        "weights_transposed",
    )
    | {
        "pad_rows_masked": batch_masking_rows,
        "all_axes_transposed": batch_with_all_axes,
        "softmax_over_batch": lambda Q, K, V, lengths: plain_softmax(batch_scores(Q, K, lengths), axis=0) @ V,
        "pad_off_by_one": (
            lambda Q, K, V, lengths: batch_with(RIGHT, Q, K, V, np.minimum(lengths + 1, K.shape[1])),
            lambda Q, K, V, lengths: batch_with(RIGHT, Q, K, V, lengths + 1),
        ),
        "one_too_few": lambda Q, K, V, lengths: batch_with(RIGHT, Q, K, V, lengths - 1),
        "pad_at_the_front": lambda Q, K, V, lengths: attend(
            RIGHT, Q, K, V, padding_mask(lengths, K.shape[1])[..., ::-1]
        ),
        "same_for_all_sentences": (
            lambda Q, K, V, lengths: batch_with(RIGHT, Q, K, V, np.full_like(lengths, lengths.max())),
            lambda Q, K, V, lengths: batch_with(RIGHT, Q, K, V, np.full_like(lengths, lengths[0])),
        ),
        "weights_returned": lambda Q, K, V, lengths: plain_softmax(batch_scores(Q, K, lengths)),
    },
)

EXERCISES = (CROSS_SCORES, CROSS, MOST_READ, SOURCE_PAD, BATCH)


QUESTIONS = {
    "04.map_shape": Question(
        topic="shape of a cross-attention map",
        choices={
            "target_by_source": "one row a target word, one column a source word",
            "source_by_target": "one row a source word, one column a target word",
            "square": "square",
        },
        right="Rows are queries, and the queries come from the sequence that asks.",
        wrong={
            "source_by_target": (
                "Rows are queries. The target asks, so its words are the "
                "rows; the source is read, so its words are the columns."
            ),
            "square": "The map is square only where both sequences have the same length.",
        },
    ),
    "04.values": Question(
        topic="where values come from",
        choices={"source": "the source (the context)", "target": "the target (X)", "both": "both"},
        right="Keys and values belong together: a query finds a key of the source and takes that token's value.",
        wrong={
            "target": (
                "The target gives the queries: they decide how much, not what. What is mixed are the source's values."
            ),
            "both": "The target decides the weights. The rows that are mixed are all from the source.",
        },
    ),
    "04.row_sums": Question(
        topic="softmax axis",
        choices={
            "rows": "the weights of each target word",
            "columns": "the weights on each source word",
            "everything": "the whole map",
            "nothing": "none of these",
        },
        right="Each target word shares out one unit among the source words.",
        wrong={
            "columns": (
                "A source word may be read by several target words, or by none, so its column can sum to anything."
            ),
            "everything": (
                "Each target word has a unit of its own, so the whole map sums to the number of target words."
            ),
            "nothing": "Softmax divides by a sum: the one over the source words, for each target word.",
        },
    ),
    "04.chicken": Question(
        topic="crossing word order",
        right="The alignment follows meaning and not position, so the map leaves the diagonal.",
        wrong={
            "other": "Korean puts the verb last and the object before it. Positions do not line up; the embeddings do.",
        },
    ),
    "04.padding": Question(
        topic="padding of the source",
        choices={
            "shrink": "they shrink",
            "same": "they stay the same",
            "grow": "they grow",
        },
        right="Each pad column takes a share, and what it takes is missing elsewhere. That is what the mask is for.",
        wrong={
            "same": "A pad token has a key like any other, and its score enters the sum of the softmax.",
            "grow": "The weights of a row sum to 1. More columns to share with leaves less for each.",
        },
    ),
    "04.self_case": Question(
        topic="self-attention as a special case",
        choices={"same": "the same numbers as self-attention", "different": "different numbers"},
        right="With context = X, Q, K and V all come from X, which is self-attention.",
        wrong={
            "different": "The steps after the projections are the same, and with context = X so are the projections."
        },
    ),
    "04.reorder": Question(
        topic="order of the source",
        choices={
            "output_same": "the columns move, the output stays",
            "both_change": "the columns move, and the output changes",
            "nothing": "neither changes",
        },
        right="Each weight goes with its word, and a sum does not depend on the order of its terms.",
        wrong={
            "both_change": (
                "The output adds up weight times value over all keys. In another order these are the same terms."
            ),
            "nothing": "The keys stand in another order, and so do the columns of the map. Their sum is the same.",
        },
    ),
    "04.causal": Question(
        topic="causal mask in cross-attention",
        choices={
            "verb": "먹었다, as before",
            "others": "나는 and 어제, half each",
            "nothing": "nothing at all",
        },
        right="The verb is the last Korean word, and a causal mask lets the second query read two keys.",
        wrong={
            "verb": "The mask counts places: the second query may read the first two keys, and 먹었다 is the fifth.",
            "nothing": "Two keys are still allowed, and softmax shares the whole row between them.",
        },
    ),
}
