"""What notebook 04 asks: shapes of two sentences, a bug in cross-attention, other orders, a padded batch."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np

from ...attention import scaled_dot_product_attention, softmax
from ...masks import causal_mask, padding_mask
from ...mistakes.recipes import (
    DIVISORS,
    RIGHT,
    SOFTMAXES,
    Recipe,
    attend,
    attention_map,
    mixed_softmax,
    plain_softmax,
    with_mistakes,
)
from ..exercise import Arguments, Blank, Exercise, Finding, Function, Seen, normal, shares
from ..predictions import Question
from ..rules_by_running import KEPT, Keeps, of_two_sentences
from ..rules_of_range import Scores, range_rule
from ..rules_of_weights import Given, implied_weights, weights_rules

NOTEBOOK = "04_cross_attention"


# 1. Shapes

SHAPES = Exercise(
    name="shapes_of_both",
    notebook=NOTEBOOK,
    title="Predict the shapes",
    difficulty=1,
    minutes=5,
    spec="""A batch of 3 sentence pairs: 6 English words ask, 5 Korean words are read, both padded to these lengths.
English embeddings have 8 numbers, Korean ones 10; d_k = 4, d_v = 7. Fill in each shape as a tuple. `"mask"` is the
smallest one that forbids the pads of every Korean sentence and that NumPy can repeat to the shape of the scores.""",
    stub="""
shapes_of_both = {
    "W_K": ...,
    "K": ...,
    "scores": ...,
    "mask": ...,
    "output": ...,
}
""",
    solution="""
shapes_of_both = {
    "W_K": (10, 4),
    "K": (3, 5, 4),
    "scores": (3, 6, 5),
    "mask": (3, 1, 5),
    "output": (3, 6, 7),
}
""",
    hints=(
        "Which sentence gives K, and how wide are its embeddings? Which sentence gives the rows of the output?",
        "Rows are English words, columns Korean ones. A mask has one row for each sentence, which all its queries use.",
    ),
    why="The English length, 6, is in all that has a row for each query; the Korean one, 5, in all that is read.",
    blanks={
        "W_K": Blank(
            (10, 4),
            {
                (8, 4): "K comes from the Korean sentence, whose embeddings have 10 numbers.",
                (4, 10): "Tokens are rows, so W_K stands on the right: (numbers of an embedding, d_k).",
                (3, 10, 4): "All sentences share one W_K: it has no axis for the batch.",
            },
            "W_K meets the numbers of a Korean embedding with its rows, and has d_k columns. Words are no part of it.",
        ),
        "K": Blank(
            (3, 5, 4),
            {
                (3, 6, 4): "That is Q. K has a row for each word that is read.",
                (5, 4): "One K for each sentence of the batch.",
                (3, 4, 5): "That is K transposed, as it stands in the scores.",
            },
            "A row for each Korean word, d_k columns, in each of the sentences.",
        ),
        "scores": Blank(
            (3, 6, 5),
            {
                (3, 5, 6): "Rows are queries, and the English words ask.",
                (6, 5): "Each sentence pair of the batch has scores of its own.",
                (3, 6, 6): "Columns are keys: Korean words.",
            },
            "A row for each query, a column for each key, in each of the sentences.",
        ),
        "mask": Blank(
            (3, 1, 5),
            {
                (3, 5, 1): "This forbids queries. The pads are in the sentence that is read: columns.",
                (3, 6, 1): "This forbids queries. The pads are in the sentence that is read: columns.",
                (3, 5): "It would be read as a matrix, and 3 does not fit the 6 queries. The batch needs its own axis.",
                (3, 6, 5): "This works too, and repeats one row six times. The smallest has a 1 there.",
                (1, 5): "The three sentences have different lengths.",
                (5,): "The three sentences have different lengths.",
            },
            "One row for each sentence, a column for each key.",
        ),
        "output": Blank(
            (3, 6, 7),
            {
                (3, 5, 7): "That is V. The output has a row for each word that asked.",
                (3, 6, 5): "That is the map. The output is weights @ V.",
                (3, 6, 4): "Its width is that of V, d_v.",
            },
            "A row for each query, as wide as V.",
        ),
    },
)


# 2. Cross-attention


def cross_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw X, context and projections of different widths."""
    # n_queries, n_keys, d, d_k, d_v: more keys than d_k and fewer, and V tells the weights
    shapes = [(1, 2, 2, 2, 2), (3, 3, 4, 3, 4), (4, 2, 3, 5, 4), (2, 6, 7, 16, 8), (3, 5, 6, 2, 7), (2, 7, 8, 3, 9)]
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


def cross_causal_at_the_end(recipe: Recipe, X: Any, context: Any, W_Q: Any, W_K: Any, W_V: Any) -> Any:
    """Add a causal mask whose last query lines up with the last key."""
    allowed = causal_mask(len(X), len(context))
    return attend(recipe, X @ W_Q, context @ W_K, context @ W_V, allowed)


def cross_given(X: Any, context: Any, W_Q: Any, W_K: Any, W_V: Any) -> Given:
    """Say it in the words of attention."""
    return Given(X @ W_Q @ (context @ W_K).T, W_Q.shape[1], context @ W_V)


CROSS = Exercise(
    name="attention_between",
    notebook=NOTEBOOK,
    title="Find the bug",
    difficulty=2,
    minutes=6,
    spec="""`attention_between(X, context, W_Q, W_K, W_V)` should let each row of X read the context, (n_queries, d_v).
It runs, its rows sum to 1, and one of its lines is wrong. Find it and mend it, in the cell below.""",
    stub="""
def attention_between(X, context, W_Q, W_K, W_V):  # (n_queries, d), (n_keys, d), (d, d_k) twice, (d, d_v)
    Q = X @ W_Q
    K = context @ W_K
    V = context @ W_V
    exps = np.exp(Q @ K.T / np.sqrt(K.shape[0]))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ V  # (n_queries, d_v)
""",
    solution="""
def attention_between(X, context, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, context @ W_K, context @ W_V
    exps = np.exp(Q @ K.T / np.sqrt(Q.shape[-1]))  # (n_queries, n_keys)
    return exps / exps.sum(axis=-1, keepdims=True) @ V  # (n_queries, d_v)
""",
    hints=(
        "Go through the shapes line by line. Which number of an array is it that each line uses?",
        "What does √ stand over: d_k, the width of a key, or the number of keys?",
    ),
    why="A score adds up d_k products, however many keys there are. With 4 keys of width 4 the bug never shows.",
    has_bug=True,
    cases=cross_cases,
    others=(cross_row_by_row, lambda *arguments: cross_with(RIGHT, *arguments)),
    wrong=with_mistakes(
        cross_with,
        "not_scaled",
        "scaled_by_d_k",
        "scaled_by_root_d_model",
        "scaled_by_d_model",
        "half_power",
        "divided_by_twice_d_k",
        "multiplied",
        *SOFTMAXES,
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
        "queries_and_keys_exchanged": lambda X, c, W_Q, W_K, W_V: attend(RIGHT, X @ W_K, c @ W_Q, c @ W_V),
        "keys_from_X": lambda X, c, W_Q, W_K, W_V: attend(RIGHT, X @ W_Q, X @ W_K, c @ W_V),
        "queries_from_context": lambda X, c, W_Q, W_K, W_V: attend(RIGHT, c @ W_Q, c @ W_K, c @ W_V),
        "values_from_X": lambda X, context, W_Q, W_K, W_V: attend(RIGHT, X @ W_Q, context @ W_K, X @ W_V),
        "another_size_under_root": lambda X, c, W_Q, W_K, W_V: (
            plain_softmax(X @ W_Q @ (c @ W_K).T / np.sqrt(W_V.shape[1])) @ (c @ W_V)
        ),
        "context_ignored": lambda X, context, W_Q, W_K, W_V: attend(RIGHT, X @ W_Q, X @ W_K, X @ W_V),
        "sides_exchanged": lambda X, context, W_Q, W_K, W_V: attend(RIGHT, context @ W_Q, X @ W_K, X @ W_V),
        "causal_in_cross_attention": (
            cross_causal,
            partial(cross_causal_at_the_end, RIGHT),
            partial(cross_causal_at_the_end, replace(RIGHT, normalise=plain_softmax)),  # nan in rows without a key
        ),
        "weights_returned": lambda X, context, W_Q, W_K, W_V: attention_map(RIGHT, X @ W_Q, context @ W_K).weights,
    },
    keeps=Keeps(KEPT, of_two_sentences),
    rules=weights_rules(cross_given),
)


# 3. Other orders


def order_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw maps, outputs and new orders of both sentences; square ones too, where the two can be exchanged."""
    shapes = [(3, 3, 2), (3, 3, 3), (4, 4, 2), (4, 3, 2), (5, 4, 3)]  # n_queries, n_keys, d_v
    first = (np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]]), np.arange(6.0).reshape(3, 2))
    cases = [(*first, np.array([2, 0, 1]), np.array([1, 2, 0]))]
    for n, m, d_v in shapes:
        queries = one_way_order(rng, n)
        cases.append((shares(rng, n, m), normal(rng, n, d_v), queries, one_way_order(rng, m, queries)))
    return cases


def one_way_order(rng: np.random.Generator, n: int, other: Any = ()) -> Any:
    """Draw an order that is not its own inverse, so that the two cannot be confused, and not `other`; n from 3 on."""
    orders = [np.array(order) for order in permutations(range(n)) if list(order) != list(other)]
    orders = [order for order in orders if (order[order] != np.arange(n)).any()]
    return orders[rng.integers(len(orders))]


def order_in_loops(weights: Any, output: Any, queries: Any, keys: Any) -> Any:
    """Fill both entry by entry."""
    return [[weights[i][j] for j in keys] for i in queries], [output[i] for i in queries]


def backwards(order: Any) -> Any:
    """Return where each old word stands in the new order."""
    return np.argsort(order)


ORDERS = {
    "none": "none",
    "queries": "`queries`",
    "keys": "`keys`",
    "queries turned round": "`queries`, turned round",
    "keys turned round": "`keys`, turned round",
    "both": "`queries`, then `keys`",
    "both, keys first": "`keys`, then `queries`",
    "backwards": "the last first",
    "swapped": "the first two exchanged",
}


def orders_of(size: int, queries: Any, keys: Any) -> dict[str, Any]:
    """Return the orders that rows or columns of this size may have been given, by name."""
    known = {"none": np.arange(size), "queries": queries, "keys": keys, "backwards": np.arange(size)[::-1]}
    known |= {"queries turned round": backwards(queries), "keys turned round": backwards(keys)}
    known["swapped"] = np.array([1, 0, *range(2, size)])
    if len(queries) == len(keys):
        known |= {"both": queries[keys], "both, keys first": keys[queries]}
    return {name: order for name, order in known.items() if len(order) == size}


def is_calculated_anew(one: Seen) -> bool:
    """Whether the map is right, and a row of the output is none of the old rows."""
    output = one.arguments["output"]
    kept = np.isclose(one.found[1][:, None], output, atol=1e-6).all(axis=-1).any(axis=1)
    return np.allclose(one.found[0], one.needed[0]) and not kept.all()


def orders_found(seen: Sequence[Seen]) -> Finding | None:
    """See by which lists the rows and columns of the map and the rows of the output were ordered."""
    possible: set[tuple[str, str, str]] | None = None
    cases = [one for one in seen if not one.right and len(one.found) == 2]
    told = [one for one in cases if all(a.shape == b.shape for a, b in zip(one.found, one.needed))]
    for one in told:
        weights, output, queries, keys = one.arguments.values()
        moved, mixed = one.found
        rows, columns = (orders_of(size, queries, keys) for size in weights.shape)
        of_map = [(r, c) for r in rows for c in columns if np.allclose(moved, weights[rows[r]][:, columns[c]])]
        of_output = [r for r in rows if np.allclose(mixed, output[rows[r]])]
        fitting = {(*pair, r) for pair in of_map for r in of_output}
        possible = fitting if possible is None else possible & fitting
    if len(told) > 1 and all(is_calculated_anew(one) for one in told):
        return Finding("output_calculated_anew")
    if len(told) < 2 or not possible:
        return None
    by_name = list(ORDERS)
    rows_of_map, columns_of_map, rows_of_output = min(possible, key=lambda names: [by_name.index(n) for n in names])
    values = {"rows": ORDERS[rows_of_map], "columns": ORDERS[columns_of_map], "output": ORDERS[rows_of_output]}
    return Finding("orders_found", values)


ORDER = Exercise(
    name="in_new_order",
    notebook=NOTEBOOK,
    title="The words change places",
    difficulty=2,
    minutes=6,
    spec="""Both sentences are written in another order: the word that stood at `queries[i]` in the English one now
stands at i, and likewise `keys` for the Korean one. Write `in_new_order(weights, output, queries, keys)`. It returns
the new map and the new output, without calculating attention again.

With `queries = [1, 0]` the two rows of both change places.""",
    stub="""
def in_new_order(weights, output, queries, keys):  # (n_queries, n_keys), (n_queries, d_v), two lists of places
    return ...  # (n_queries, n_keys), (n_queries, d_v)
""",
    solution="""
def in_new_order(weights, output, queries, keys):
    moved = weights[queries][:, keys]  # rows go with the English words, columns with the Korean ones
    return moved, output[queries]
""",
    hints=(
        "Which axis of the map belongs to the English words, and which to the Korean ones? What of the output?",
        "`weights[queries]` picks rows, `[:, keys]` columns. The output has a row for each query, and no axis of keys.",
    ),
    why="Every weight goes with its two words. The output has forgotten the order of the keys: it is a sum over them.",
    cases=order_cases,
    others=(order_in_loops, lambda weights, output, queries, keys: (weights[np.ix_(queries, keys)], output[queries])),
    wrong={
        "keys_not_moved": lambda weights, output, queries, keys: (weights[queries], output[queries]),
        "queries_not_moved": lambda weights, output, queries, keys: (weights[:, keys], output),
        "output_not_moved": lambda weights, output, queries, keys: (weights[queries][:, keys], output),
        "order_inverted": (
            lambda weights, output, queries, keys: (
                weights[backwards(queries)][:, backwards(keys)],
                output[backwards(queries)],
            ),
            lambda weights, output, queries, keys: (weights[queries][:, backwards(keys)], output[queries]),
            lambda weights, output, queries, keys: (weights[backwards(queries)][:, keys], output[backwards(queries)]),
        ),
        "orders_exchanged": lambda weights, output, queries, keys: (weights[keys][:, queries], output[keys]),
        "pairs_picked": (
            lambda weights, output, queries, keys: (weights[queries, keys], output[queries]),
            lambda weights, output, queries, keys: ([weights[pair] for pair in zip(queries, keys)], output[queries]),
        ),
    },
    parts=("map", "output"),
    rules=(orders_found,),
)


# 4. A padded batch


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
    return [*low, (*apart, values, np.array([2])), (*apart, values, np.array([3]))]


def only_low_keys(seen: Sequence[Seen]) -> Finding | None:
    """See a finite fill: where scores are extreme a pad gets weight, and nothing else is wrong."""
    failing = [one for one in seen if not one.right]
    if not all(one.found and np.abs(one.arguments["Q"]).max() > 500 for one in failing):
        return None
    for one in failing:
        if one.found[0].shape != one.needed[0].shape or not np.isfinite(one.found[0]).all():
            return None
        weights = implied_weights(one.found[0], one.arguments["V"])
        real = padding_mask(one.arguments["lengths"], one.arguments["K"].shape[1])
        if weights is None or np.abs(np.where(real, 0, weights)).max() < 1e-6:
            return None
    return Finding("finite_fill")


def batch_given(Q: Any, K: Any, V: Any, lengths: Any) -> Given:
    """Say it in the words of attention."""
    return Given(Q @ K.swapaxes(-1, -2), Q.shape[-1], V, padding_mask(lengths, K.shape[1]))


def batch_range(Q: Any, K: Any, V: Any, lengths: Any) -> Scores:
    """Return the scaled scores and what is allowed."""
    scaled_scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    return Scores(scaled_scores, np.broadcast_to(padding_mask(lengths, K.shape[1]), scaled_scores.shape))


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


def batch_masking_rows_plainly(Q: Any, K: Any, V: Any, lengths: Any) -> Any:
    """Mask rows, and leave nan in those without a key."""
    scaled_scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    rows = np.arange(Q.shape[1])[:, None] < lengths[:, None, None]
    return plain_softmax(np.where(rows, scaled_scores, -np.inf)) @ V


def batch_without_middle_axis(Q: Any, K: Any, V: Any, lengths: Any) -> Any:
    """Leave out the axis of the queries, so that the sentences of the mask lie along it."""
    scaled_scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    return plain_softmax(np.where(np.arange(K.shape[1]) < lengths[:, None], scaled_scores, -np.inf)) @ V


def batch_with_all_axes(Q: Any, K: Any, V: Any, lengths: Any) -> Any:
    """Transpose K with .T."""
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    return plain_softmax(np.where(padding_mask(lengths, K.shape[-2]), scores, -np.inf)) @ V


def batch_scores(Q: Any, K: Any, lengths: Any) -> Any:
    """Return the masked scores, (batch, n_queries, n_keys)."""
    scaled_scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    return np.where(padding_mask(lengths, K.shape[1]), scaled_scores, -np.inf)


def batch_over_sentences(normalise: Function, Q: Any, K: Any, V: Any, lengths: Any) -> Any:
    """Take the softmax along the axis of the sentences."""
    return normalise(batch_scores(Q, K, lengths), axis=0) @ V


def as_a_batch(Q: Any, K: Any, V: Any, mask: Any) -> Arguments:
    """Return one sentence as a batch without pads."""
    return Q[None], K[None], V[None], np.array([len(K)])


BATCH = Exercise(
    name="padded_batch",
    notebook=NOTEBOOK,
    title="A padded batch",
    difficulty=3,
    minutes=15,
    spec="""Write `padded_batch(Q, K, V, lengths)`: attention for a whole batch at once, (batch, n_queries,
d_v). Sentence b has `lengths[b]` real keys (at least 1), the rest is padding and must get no weight. Scores may be so
large, or so far below 0, that a plain `np.exp` gives inf or 0. Make the mask (batch, 1, n_keys), as in section 6. Do it
without a loop over the batch; with one it passes too, with a remark.""",
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
    keeps=Keeps(KEPT, as_a_batch, answer=lambda output: output[0]),
    rules=(only_low_keys, range_rule(batch_range), *weights_rules(batch_given)),
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
        *DIVISORS,
        *SOFTMAXES,
        "weights_transposed",
    )
    | {
        "pad_rows_masked": (batch_masking_rows, batch_masking_rows_plainly),
        "mask_axis_missing": batch_without_middle_axis,
        "all_axes_transposed": batch_with_all_axes,
        "softmax_over_queries": (
            *with_mistakes(batch_with, "softmax_over_queries")["softmax_over_queries"],
            lambda Q, K, V, lengths: np.nan_to_num(plain_softmax(batch_scores(Q, K, lengths), axis=1)) @ V,
        ),
        "softmax_over_batch": tuple(
            partial(batch_over_sentences, way) for way in (plain_softmax, softmax, mixed_softmax)
        ),
        "pad_off_by_one": (
            lambda Q, K, V, lengths: batch_with(RIGHT, Q, K, V, np.minimum(lengths + 1, K.shape[1])),
            lambda Q, K, V, lengths: batch_with(RIGHT, Q, K, V, lengths + 1),
        ),
        "one_too_few": (
            lambda Q, K, V, lengths: batch_with(RIGHT, Q, K, V, lengths - 1),
            lambda Q, K, V, lengths: plain_softmax(batch_scores(Q, K, lengths - 1)) @ V,
        ),
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

EXERCISES = (SHAPES, CROSS, ORDER, BATCH)


QUESTIONS = {
    "04.map_shape": Question(
        topic="shape of a cross-attention map",
        choices={
            "target_by_source": "(4, 3): one row a word that asks, one column a word that is read",
            "source_by_target": "(3, 4): one row a word that is read, one column a word that asks",
            "square": "square, as in self-attention",
        },
        right="Rows are queries, and the queries come from the sequence that asks.",
        wrong={
            "source_by_target": "Rows are queries. The sentence that asks gives the rows, the other the columns.",
            "square": "The map is square only where both sequences have the same length.",
        },
        gives_away=("(4, 3)",),
    ),
    "04.negative": Question(
        topic="scores and weights",
        choices={"below": "below 0, as its score is", "zero": "exactly 0", "above": "small, and above 0"},
        right="e to any power is above 0: e⁻² = 0.135. The score −2 becomes a weight of 0.013.",
        wrong={
            "below": "A weight is a share. e to any power is above 0, so a negative score makes a small share.",
            "zero": "e⁻² is 0.135, small and not 0. Only a score of −∞, as a mask sets it, gives exactly 0.",
        },
        gives_away=("0.013", "above 0"),
    ),
    "04.values": Question(
        topic="where values come from",
        choices={
            "double": "it doubles",
            "nearer": "it comes nearer to the value of 치킨을",
            "same": "it stays as it is",
        },
        right="Scores twice as large make the weights sharper. The rows that are mixed, all Korean, stay as they are.",
        wrong={
            "double": (
                "The scores double, so the weights get sharper. The rows that are mixed are the Korean values, and "
                "none of them has changed."
            ),
            "same": "The values stay the same. The scores double, and softmax makes sharper weights of them.",
        },
    ),
    "04.row_sums": Question(
        topic="softmax axis",
        choices={
            "rows": "the weights of each English word",
            "columns": "the weights on each Korean word",
            "everything": "all weights together",
            "nothing": "none of these",
        },
        right="Each English word shares out one unit among the Korean words.",
        wrong={
            "columns": "A Korean word may be read by several words, or by none, so its column can sum to anything.",
            "everything": "Each English word has a unit of its own: all together sum to the number of English words.",
            "nothing": "Softmax divides by a sum: the one over the Korean words, for each English word.",
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
            "both_change": "The output adds up weight times value over all keys: in another order, the same terms.",
            "nothing": "The keys stand in another order, and so do the columns of the map. Their sum is the same.",
        },
        gives_away=("goes with its word", "wherever it stands"),
        partly=("both_change",),
    ),
    "04.nothing": Question(
        topic="a query that finds nothing",
        tolerance=0.001,
        digits=2,
        confusions={"zero": 0.0, "one": 1.0, "queries": 1 / 6},
        right="All its scores are 0, and four equal scores share one whole: 1/4 each.",
        wrong={
            "zero": "Its “scores” are 0. Softmax makes equal shares of equal scores, and shares sum to 1.",
            "one": "One whole is what the row has to share out. All four scores are equal.",
            "queries": "That is one sixth, for six queries. The row is shared among the keys.",
            "other": "All its scores are 0, so the keys share one whole evenly. Count the keys.",
        },
    ),
    "04.padding": Question(
        topic="padding of the source",
        choices={"shrink": "they shrink", "same": "they stay the same", "grow": "they grow"},
        right="Each pad takes a share, and what it takes is missing elsewhere. That is what the mask is for.",
        wrong={
            "same": "A pad has a key like any other token, and its score enters the sum of the softmax.",
            "grow": "The weights of a row sum to 1. More columns to share with leaves less for each.",
        },
        gives_away=("0.416",),
    ),
    "04.wrong_axis": Question(
        topic="a mask along the wrong axis",
        choices={
            "error": "an error: the shapes do not fit",
            "same": "the same as before: only the 1 stands elsewhere",
            "shut": "no error, and a row of zeros for “raining”",
        },
        right="Five queries and five keys: the mask fits either way, and now it forbids queries in place of keys.",
        wrong={
            "error": "With six queries it would be one. Five queries and five keys fit a mask along either axis.",
            "same": "The axis decides what is forbidden. (batch, n_keys, 1) lies along the queries.",
        },
        gives_away=("shut off", "row of zeros", "in the wrong place"),
    ),
    "04.may_read": Question(
        topic="causal mask in cross-attention",
        choices={
            "no": "no: none of its rows learns what it must not know",
            "yes": "yes: without it “ate” learns of the words after it",
            "learning": "only while it learns",
        },
        right="The Korean sentence is complete from the start, and no row of the map depends on another English word.",
        wrong={
            "yes": (
                "Each row needs its own English word and the Korean sentence, nothing more. With only “I ate” written "
                "the two rows come out the same."
            ),
            "learning": (
                "While it learns, all English words ask at once. But each row needs its own word alone, so nothing "
                "leaks from one to another, then or later."
            ),
        },
        gives_away=("nothing in it is a secret", "complete before"),
    ),
    "04.causal": Question(
        topic="places in two sentences",
        choices={
            "verb": "먹었다, as before",
            "others": "나는 and 어제, half each",
            "nothing": "nothing at all",
        },
        right="A causal mask lets the second query read two keys, and neither of them has anything for “ate”.",
        wrong={
            "verb": "The mask counts places: the second query may read the first two keys, and 먹었다 is the fifth.",
            "nothing": "Two keys are still allowed, and softmax shares the whole row between them.",
        },
    ),
    "04.edit": Question(
        topic="what one number moves",
        choices={
            "column": "the column of 어제, and no other",
            "rows": "whole rows: of the words whose query looks at “setting”",
            "all": "all of them",
        },
        right="Only “last” and “night” ask for a setting. Their rows sum to 1, so what 어제 loses the others gain.",
        wrong={
            "column": (
                "That is true of the scores. A row of weights sums to 1, so what one key loses the others of that row "
                "gain."
            ),
            "all": "A query with 0 in “setting” multiplies the number by 0. Only “last” and “night” have more there.",
        },
        partly=("column",),
    ),
}
