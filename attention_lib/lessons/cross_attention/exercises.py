"""The exercises of notebook 04: from two sentences to the output, other orders, a padded batch."""

import numpy as np

from ...checks.exercise import Arguments, Exercise, normal, shares

output_of_reading = Exercise(
    title="From two sentences to the output",
    difficulty=1,
    minutes=6,
    task="""Write `output_of_reading(X, context, W_Q, W_K, W_V)`. The words of one sentence, `X`, read the words of
another, `context`. The function returns the output, (n_queries, d_v). The embeddings of the two sentences may have
different widths. Use only NumPy.""",
    solution="""
def output_of_reading(X, context, W_Q, W_K, W_V):  # (n_queries, d), (n_keys, d_context), then three matrices
    Q, K, V = X @ W_Q, context @ W_K, context @ W_V  # (n_queries, d_k), (n_keys, d_k), (n_keys, d_v)
    scaled_scores = Q @ K.T / np.sqrt(K.shape[-1])  # (n_queries, n_keys)
    exps = np.exp(scaled_scores)
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ V  # (n_queries, d_v)
""",
    hints=(
        "Which sentence asks, and which one is read? Q comes from the first, and two arrays come from the second.",
        "Q is `X @ W_Q`, K is `context @ W_K`, and V is `context @ W_V`. From there on, nothing is new.",
    ),
    why="Only the line with Q, K and V differs from self-attention. The scores have one row for each word that asks "
    "and one column for each word that is read, and the output has one row for each word that asks.",
    cases=lambda rng: [  # both sentences alike too, where they can be exchanged
        (normal(rng, n, d), normal(rng, m, e), normal(rng, d, d_k) / 2, normal(rng, e, d_k) / 2, normal(rng, e, d_v))
        for n, m, d, e, d_k, d_v in [(2, 2, 2, 2, 2, 2), (3, 3, 3, 3, 3, 3), (1, 3, 2, 2, 2, 4), (4, 3, 5, 2, 6, 3)]
    ],
    mistakes={
        "The two sentences are exchanged: here X is read, and the context asks. The queries come from X.": {
            "X @ W_Q, context @ W_K, context @ W_V": "context @ W_Q, X @ W_K, X @ W_V"
        },
        "The values come from X here. They come from the sentence that is read, like the keys.": {
            "context @ W_K, context @ W_V": "context @ W_K, X @ W_V"
        },
    },
)


def one_way_order(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw an order of n >= 3 places that is not its own inverse, so that the two cannot be confused."""
    order = rng.permutation(n)
    while (order[order] == np.arange(n)).all():
        order = rng.permutation(n)
    return order


def order_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw maps, outputs and new orders of both sentences; in square maps the two could be exchanged."""
    first_map = np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
    cases = [(first_map, np.arange(6.0).reshape(3, 2), np.array([2, 0, 1]), np.array([1, 2, 0]))]
    for n, m, d_v in [(3, 3, 2), (3, 3, 3), (4, 4, 2), (4, 3, 2), (5, 4, 3)]:  # n_queries, n_keys, d_v
        queries, keys = one_way_order(rng, n), one_way_order(rng, m)
        while np.array_equal(queries, keys):
            keys = one_way_order(rng, m)
        cases.append((shares(rng, n, m), normal(rng, n, d_v), queries, keys))
    return cases


in_new_order = Exercise(
    title="The words change order",
    difficulty=2,
    minutes=8,
    task="""The words of both sentences are put in a new order. The word that is now at position i of the English
sentence used to be at position `queries[i]`, and `keys` does the same for the Korean sentence.
Write `in_new_order(weights, output, queries, keys)`. It returns the new map and the new output, without calculating
attention again.

With `queries = [1, 0]`, the two rows of the map change places, and so do the two rows of the output.""",
    solution="""
def in_new_order(weights, output, queries, keys):  # (n_queries, n_keys), (n_queries, d_v), two lists of places
    new_rows = weights[queries]  # rows go with the English words
    new_map = new_rows[:, keys]  # columns go with the Korean words
    new_output = output[queries]
    return new_map, new_output  # (n_queries, n_keys), (n_queries, d_v)
""",
    hints=(
        "Which axis of the map belongs to which sentence? And which axes does the output have?",
        "`array[order]` picks rows in a new order, and `array[:, order]` picks columns. Which of the two does each "
        "order need? (`array[rows, columns]` at once picks single numbers.)",
    ),
    why="A score compares the contents of two words and not their positions, so every weight moves with its two words. "
    "The output does not depend on the order of the keys, because it is a sum over them.",
    cases=order_cases,
    parts=("map", "output"),
    mistakes={
        "The two orders are applied backwards. `queries[i]` is the old position of the word that is now at i, not "
        "the new position of the word that was at i.": {
            "[queries]": "[np.argsort(queries)]",
            "[:, keys]": "[:, np.argsort(keys)]",
        },
        "The two orders are exchanged in the map. `queries` is the order of its rows, `keys` that of its columns.": {
            "weights[queries]": "weights[keys]",
            "new_rows[:, keys]": "new_rows[:, queries]",
        },
    },
)


def batch_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw batches of Q, K, V and lengths; one with all axes equal, the last without padding."""
    sizes = [(1, 1, 2, 3, 2), (3, 3, 3, 3, 3), (2, 4, 3, 5, 4), (3, 2, 5, 9, 6)]  # batch, n_queries, n_keys, d_k, d_v
    cases: list[Arguments] = []
    for batch, n, m, d_k, d_v in sizes:
        lengths = 1 + np.arange(batch) % (m - 1)
        cases.append((normal(rng, batch, n, d_k), normal(rng, batch, m, d_k), normal(rng, batch, m, d_v), lengths))
    return [*cases, (normal(rng, 2, 3, 2), normal(rng, 2, 4, 2), normal(rng, 2, 4, 5), np.array([4, 4]))]


def extreme_batches(rng: np.random.Generator) -> list[Arguments]:
    """Draw real keys with scores far below a finite fill, and rows far apart; float32 holds all scores."""
    V = normal(rng, 1, 3, 3)
    cases: list[Arguments] = []
    for size in (1e3, 1e6, 1e17):
        K = np.array([[[-2 * size], [-size], [-size]]])  # one real key, whose score is the lowest
        cases.append((np.full((1, 1, 1), size), K, V, np.array([1])))
    Q, K = np.array([[[1e4], [-1e4]]]), np.array([[[1.0], [1.1], [0.9]]])
    return [*cases, (Q, K, V, np.array([2])), (Q, K, V, np.array([3]))]


padded_batch = Exercise(
    title="A padded batch",
    difficulty=3,
    minutes=15,
    task="""Write `padded_batch(Q, K, V, lengths)`. It computes attention for a whole batch at once and returns the
output, (batch, n_queries, d_v). Sentence b has `lengths[b]` real keys (at least 1); the rest are padding and must get
no weight. Scores may be so large, or so far below 0, that a plain `np.exp` overflows to inf or underflows to 0.
Give the mask the shape (batch, 1, n_keys), as in section 4.""",
    solution="""
def padded_batch(Q, K, V, lengths):  # (batch, n_queries, d_k), (batch, n_keys, d_k), (batch, n_keys, d_v), (batch,)
    scores = Q @ K.swapaxes(-1, -2)  # (batch, n_queries, n_keys)
    scaled_scores = scores / np.sqrt(Q.shape[-1])
    real = np.arange(K.shape[1]) < lengths[:, None, None]  # (batch, 1, n_keys)
    masked_scores = np.where(real, scaled_scores, -np.inf)
    exps = np.exp(masked_scores - masked_scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ V  # (batch, n_queries, d_v)
""",
    hints=(
        "`@` treats the last two axes as matrices and repeats the product over the other axes. Which two axes of K "
        "must be swapped?",
        "Use `K.swapaxes(-1, -2)`. Set the scores of the pads to −∞ *before* you subtract the largest score of each "
        "row, so that the largest score is that of a real key.",
    ),
    why="The batch is a leading axis. Every step works on the last two axes and leaves the batch axis alone, whereas "
    "`K.T` would reverse all three.",
    cases=batch_cases,
    hard=extreme_batches,
    mistakes={
        "The mask hides padded rows, which are queries. The padded columns, which are keys, must be hidden "
        "instead: nothing reads the output of a pad, but every word would read the pads among the keys.": {
            "np.arange(K.shape[1])": "np.arange(Q.shape[1])[:, None]"
        },
    },
)
