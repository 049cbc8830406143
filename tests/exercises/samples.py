"""Exercises that no notebook asks any more, and that the checks are tried on: small, with answers of many learners."""

import math
from typing import Any

import numpy as np
from samples_of_heads import HEADS
from samples_of_maps import MAPS

from attention_lib.exercises.exercise import Arguments, Exercise, Function, normal, whole
from attention_lib.exercises.rules_of_weights import Given, weights_rules
from attention_lib.mistakes.recipes import RIGHT, Recipe, attend, attention_map, plain_softmax, with_mistakes

NOTEBOOK = "samples"


# Scores


def scores_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw Q and K: whole numbers first, square ones (n = d_k), rectangular ones, one row, one key."""
    shapes = [(3, 3, 3), (1, 4, 2), (5, 2, 3), (3, 1, 5), (4, 6, 8)]  # n_queries, n_keys, d_k
    return [(whole(rng, 2, 2), whole(rng, 2, 2)), *((normal(rng, n, d), normal(rng, m, d)) for n, m, d in shapes)]


def scores_with_loops(Q: Any, K: Any) -> Any:
    """Fill the matrix entry by entry."""
    return [[sum(a * b for a, b in zip(query, key)) for key in K] for query in Q]


SCORES = Exercise(
    name="scores_of_pairs",
    notebook=NOTEBOOK,
    title="All scores at once",
    difficulty=1,
    minutes=2,
    spec="""Write `scores_of_pairs(Q, K)`. It returns the scores, (n_queries, n_keys): entry [i, j] is the dot
product of query row i with key row j.

With `Q = [[1, 2]]` and `K = [[3, 0], [0, 1]]` the scores are `[[3, 2]]`.""",
    stub="""
def scores_of_pairs(Q, K):  # (n_queries, d_k), (n_keys, d_k)
    return ...  # (n_queries, n_keys)
""",
    solution="""
def scores_of_pairs(Q, K):
    return Q @ K.T  # (n_queries, n_keys)
""",
    hints=(
        "A matrix product takes rows of the left matrix and columns of the right one. Where do the keys stand in K?",
        "Turn K on its side with `K.T`, so that the keys become its columns.",
    ),
    why="`Q @ K.T` is every dot product of a query with a key. Rows of the result are queries, columns are keys.",
    cases=scores_cases,
    others=(scores_with_loops, lambda Q, K: np.einsum("id,jd->ij", Q, K), lambda Q, K: (K @ Q.T).T),
    wrong=with_mistakes(
        lambda recipe, Q, K: recipe.score(Q, K),
        "transpose_missing",
        "scores_transposed",
        "queries_for_keys",
        "keys_for_queries",
    )
    | {
        "mean_instead_of_sum": lambda Q, K: (Q @ K.T) / Q.shape[-1],
        "scaled_too_soon": lambda Q, K: (Q @ K.T) / np.sqrt(Q.shape[-1]),
        "products_not_added": (lambda Q, K: Q * K, lambda Q, K: Q[:, None] * K[None]),
        "own_key_only": lambda Q, K: (Q * K).sum(axis=-1),
    },
)


# Softmax


def rows_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw score matrices: square, wide, tall, one row."""
    shapes = [(2, 2), (1, 3), (3, 3), (2, 5), (4, 1), (6, 4)]
    return [(whole(rng, *shapes[0]),), *((normal(rng, *shape),) for shape in shapes[1:])]


def softmax_row_by_row(scores: Any) -> Any:
    """Treat one row after the other, in plain Python."""
    rows = []
    for row in scores:
        exps = [math.exp(score) for score in row]
        rows.append([e / sum(exps) for e in exps])
    return rows


SOFTMAX = Exercise(
    name="softmax_rows",
    notebook=NOTEBOOK,
    title="Softmax, row by row",
    difficulty=1,
    minutes=4,
    spec="""Write `softmax_rows(scores)`. Each row becomes positive numbers that sum to 1: exp of each score,
divided by the sum of the exps of its row. Use `np.exp`, not the library's softmax.

The row `[0, 0]` becomes `[0.5, 0.5]`; the row `[0, 1]` becomes about `[0.269, 0.731]`.""",
    stub="""
def softmax_rows(scores):  # (n_queries, n_keys)
    return ...  # same shape, each row sums to 1
""",
    solution="""
def softmax_rows(scores):
    exps = np.exp(scores)  # (n_queries, n_keys)
    return exps / exps.sum(axis=-1, keepdims=True)
""",
    hints=(
        "Along which axis does a row run? `exps.sum(axis=...)` adds up along the axis that you name.",
        "The sums need shape (n_queries, 1) to divide row by row: `keepdims=True`.",
    ),
    why="The last axis holds the keys, so summing over it gives one total for each query.",
    cases=rows_cases,
    others=(
        softmax_row_by_row,
        lambda scores: plain_softmax(scores),
        lambda scores: (np.exp(scores).T / np.exp(scores).sum(axis=1)).T,
    ),
    wrong=with_mistakes(
        lambda recipe, scores: recipe.normalise(scores),
        "softmax_over_queries",
        "softmax_over_everything",
        "softmax_missing",
        "exp_missing",
        "sum_missing",
        "keepdims_missing",
        "sigmoid",
        "softmax_twice",
    ),
    rules=weights_rules(lambda scores: Given(scores, 1.0, what="the divisor that is asked for")),
)


# One query


def one_query_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw q, K and V; d_k is never 4, where d_k / 2 would be its root."""
    shapes = [(3, 2, 4), (2, 3, 5), (3, 3, 3), (1, 2, 2), (5, 9, 6), (6, 16, 7)]  # n_keys, d_k, d_v
    first = (whole(rng, 2), whole(rng, 2, 2), whole(rng, 2, 2))
    return [first, *((normal(rng, d_k), normal(rng, n, d_k), normal(rng, n, d_v)) for n, d_k, d_v in shapes)]


def one_query_in_loops(q: Any, K: Any, V: Any) -> Any:
    """Do the four steps with lists and loops."""
    scores = [sum(a * b for a, b in zip(q, key)) / len(q) ** 0.5 for key in K]
    exps = [math.exp(score - max(scores)) for score in scores]
    return [sum(e / sum(exps) * value[c] for e, value in zip(exps, V)) for c in range(len(V[0]))]


def one_query_with(recipe: Recipe, q: Any, K: Any, V: Any) -> Any:
    """Follow a recipe for one query."""
    return attend(recipe, q[None], K, V)[0]


def one_query_given(q: Any, K: Any, V: Any) -> Given:
    """Say it in the words of attention."""
    return Given((K @ q)[None], len(q), V)


ONE_QUERY = Exercise(
    name="one_query",
    notebook=NOTEBOOK,
    title="Attention for one query",
    difficulty=1,
    minutes=6,
    spec="""Write `one_query(q, K, V)` for a single query: its scores with every key, divided by the square
root of d_k, softmax, then the weighted sum of the value rows. It returns one row, (d_v,).

With `q = [0, 0]` all scores are equal, so the output is the mean of the value rows.""",
    stub="""
def one_query(q, K, V):  # (d_k,), (n_keys, d_k), (n_keys, d_v)
    return ...  # (d_v,)
""",
    solution="""
def one_query(q, K, V):
    scaled_scores = K @ q / np.sqrt(len(q))  # (n_keys,)
    exps = np.exp(scaled_scores)
    weights = exps / exps.sum()  # (n_keys,), sums to 1
    return weights @ V  # (d_v,)
""",
    hints=(
        "`K @ q` gives one score for each key.",
        "The steps are: `K @ q`, divide by `np.sqrt(len(q))`, exp and divide by the sum, then `weights @ V`.",
    ),
    why="`weights @ V` adds up the value rows, each multiplied by its weight. The whole matrix does this once a query.",
    cases=one_query_cases,
    others=(
        one_query_in_loops,
        lambda q, K, V: one_query_with(RIGHT, q, K, V),
        lambda q, K, V: (V.T * plain_softmax((K * q).sum(axis=1) / len(q) ** 0.5)).sum(axis=1),
    ),
    wrong=with_mistakes(
        one_query_with,
        "not_scaled",
        "scaled_by_d_k",
        "half_power",
        "divided_by_twice_d_k",
        "multiplied",
        "scaled_by_root_n",
        "softmax_missing",
        "sum_missing",
        "exp_missing",
        "softmax_twice",
        "sigmoid",
    )
    | {
        "weights_returned": lambda q, K, V: plain_softmax(K @ q / math.sqrt(len(q))),
        "keys_mixed": lambda q, K, V: plain_softmax(K @ q / math.sqrt(len(q))) @ K,
        "best_value_alone": lambda q, K, V: V[(K @ q).argmax()],
        "values_not_added": lambda q, K, V: plain_softmax(K @ q / math.sqrt(len(q)))[:, None] * V,
        "scores_returned": (lambda q, K, V: K @ q, lambda q, K, V: K @ q / math.sqrt(len(q))),
    },
    rules=weights_rules(one_query_given, undo=lambda answer, q, K, V: answer[None]),
)


# The double loop


def loop_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw Q and K of different lengths, and two of one length."""
    shapes = [(1, 3, 2), (3, 3, 3), (2, 4, 9), (5, 3, 16)]  # n_queries, n_keys, d_k
    return [(whole(rng, 2, 2), whole(rng, 2, 2)), *((normal(rng, n, d), normal(rng, m, d)) for n, m, d in shapes)]


class Watched(np.ndarray):
    """An array that notes when it goes into a product of two matrices."""

    products: list[str]

    def __array_finalize__(self, source: Any) -> None:
        self.products = getattr(source, "products", [])

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        self._note(ufunc is np.matmul, inputs)
        return getattr(ufunc, method)(*map(_plain, inputs), **options)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        products = (np.dot, np.einsum, np.inner, np.tensordot)
        self._note(function in products, [a for a in arguments if isinstance(a, np.ndarray)])
        plain = [list(map(_plain, a)) if isinstance(a, tuple | list) else _plain(a) for a in arguments]
        return function(*plain, **options)

    def dot(self, other: Any, out: Any = None) -> Any:
        """Note it as `@` is noted."""
        self._note(True, (self, other))
        return np.asarray(self).dot(_plain(other))

    def _note(self, is_product: bool, inputs: Any) -> None:
        if is_product and len(inputs) == 2 and all(np.ndim(one) >= 2 for one in inputs):
            self.products.append("product")


def _plain(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, Watched) else value


def play_watched(call: Function, Q: Any, K: Any) -> Any:
    """Hand over arrays that notice a matrix product; return whether there was one."""
    watched = Q.view(Watched), K.view(Watched)
    for one in watched:
        one.products = []
    return call(*watched), int(any(one.products for one in watched))


def in_loops(recipe: Recipe, Q: Any, K: Any) -> Any:
    """Follow a recipe on plain arrays, so that nothing counts as a product."""
    return attention_map(recipe, np.array(Q), np.array(K)).weights


def loop_of_lists(Q: Any, K: Any) -> Any:
    """Build the rows as lists."""
    return [plain_softmax(np.array([query @ key for key in K]) / len(query) ** 0.5) for query in Q]


def loop_with_totals(Q: Any, K: Any) -> Any:
    """Fill the numbers, then divide by the totals."""
    weights, totals = np.empty((len(Q), len(K))), np.zeros(len(Q))
    for i, query in enumerate(Q):
        for j, key in enumerate(K):
            weights[i, j] = math.exp(sum(a * b for a, b in zip(query, key)) / math.sqrt(len(key)))
            totals[i] += weights[i, j]
    return weights / totals[:, None]


DOUBLE_LOOP = Exercise(
    name="weights_by_double_loop",
    notebook=NOTEBOOK,
    title="The double loop",
    difficulty=2,
    minutes=8,
    spec="""Write `weights_by_double_loop(Q, K)` with two `for` loops and no matrix product: for each query i
and each key j the scaled score, then softmax of each row. It returns the weights, (n_queries, n_keys).

This is the slow way. It shows what the one-line matrix form does.""",
    stub="""
def weights_by_double_loop(Q, K):  # (n_queries, d_k), (n_keys, d_k)
    weights = np.zeros((len(Q), len(K)))
    return ...  # (n_queries, n_keys), each row sums to 1
""",
    solution="""
def weights_by_double_loop(Q, K):
    weights = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            weights[i, j] = np.exp(np.sum(Q[i] * K[j]) / np.sqrt(Q.shape[1]))
        weights[i] = weights[i] / np.sum(weights[i])
    return weights
""",
    hints=(
        "The outer loop runs over queries, the inner one over keys. A row is complete when the inner loop is done.",
        "Inside: `np.exp(np.sum(Q[i] * K[j]) / np.sqrt(d_k))`. After the inner loop: divide row i by its sum.",
    ),
    why="Softmax needs the whole row, so the division waits until the inner loop has ended.",
    cases=loop_cases,
    loops=2,
    grown=lambda n: (np.ones((n, 2)), np.ones((n, 2))),
    others=(loop_of_lists, loop_with_totals),
    wrong=with_mistakes(
        in_loops,
        "scores_transposed",
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
        "exp_missing",
        "keepdims_missing",
        "queries_for_keys",
    )
    | {"weights_transposed": lambda Q, K: in_loops(RIGHT, Q, K).T}
    | {"matrix_product": lambda Q, K: attention_map(RIGHT, Q, K).weights},
    parts=("answer", "number of matrix products"),
    counts=1,
    counted_too_often="matrix_product",
    play=play_watched,
    hand=lambda Q, K: (Q, K),
    rules=weights_rules(lambda Q, K: Given(Q @ K.T, Q.shape[1])),
)


# The whole function


def attention_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw Q, K and V, square and rectangular."""
    first = (whole(rng, 2, 2), whole(rng, 2, 2), whole(rng, 2, 2))
    return [first, *(normal_inputs(rng, *shape) for shape in SHAPES)]


SHAPES = [(3, 3, 3, 3), (1, 3, 2, 4), (2, 4, 9, 5), (6, 5, 16, 7), (3, 1, 2, 2)]  # n_queries, n_keys, d_k, d_v


def normal_inputs(rng: np.random.Generator, n: int, m: int, d_k: int, d_v: int) -> Arguments:
    """Draw Q, K and V."""
    return normal(rng, n, d_k), normal(rng, m, d_k), normal(rng, m, d_v)


def attention_row_by_row(Q: Any, K: Any, V: Any) -> Any:
    """Treat one query after the other."""
    return np.array([plain_softmax(K @ query / math.sqrt(len(query))) @ V for query in Q])


ATTENTION = Exercise(
    name="attention_of",
    notebook=NOTEBOOK,
    title="Attention in one function",
    difficulty=2,
    minutes=8,
    spec="""Write `attention_of(Q, K, V)` with matrix products and no loop: scores, scaled scores, softmax
over the last axis, output. It returns the output, (n_queries, d_v). Use numpy alone.""",
    stub="""
def attention_of(Q, K, V):  # (n_queries, d_k), (n_keys, d_k), (n_keys, d_v)
    return ...  # (n_queries, d_v)
""",
    solution="""
def attention_of(Q, K, V):
    scaled_scores = Q @ K.T / np.sqrt(Q.shape[-1])  # (n_queries, n_keys)
    exps = np.exp(scaled_scores)
    weights = exps / exps.sum(axis=-1, keepdims=True)  # (n_queries, n_keys)
    return weights @ V  # (n_queries, d_v)
""",
    hints=(
        "The four steps of `one_query` are the same; only the shapes grow by one axis.",
        "`Q @ K.T / np.sqrt(Q.shape[-1])`, then softmax with `axis=-1, keepdims=True`, then `@ V`.",
    ),
    why="The loop over queries has become the rows of a matrix. Nothing else has changed.",
    cases=attention_cases,
    loops=0,
    looped_over="the queries",
    grown=lambda n: (np.ones((n, 2)), np.ones((n, 2)), np.ones((n, 2))),
    others=(
        attention_row_by_row,
        lambda Q, K, V: attend(RIGHT, Q, K, V),
        lambda Q, K, V: attend(RIGHT, Q, K, V).tolist(),
    ),
    wrong=with_mistakes(
        attend,
        "transpose_missing",
        "scores_transposed",
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
        "exp_missing",
        "keepdims_missing",
        "softmax_twice",
        "queries_for_keys",
        "keys_for_queries",
        "weights_transposed",
    )
    | {
        "weights_returned": lambda Q, K, V: attention_map(RIGHT, Q, K).weights,
        "keys_mixed": lambda Q, K, V: attend(RIGHT, Q, K, K),
        "scores_returned": (lambda Q, K, V: Q @ K.T, lambda Q, K, V: Q @ K.T / np.sqrt(Q.shape[1])),
        "product_entry_by_entry": lambda Q, K, V: attention_map(RIGHT, Q, K).weights * V,
    },
    rules=weights_rules(lambda Q, K, V: Given(Q @ K.T, Q.shape[1], V)),
)


SAMPLES = {exercise.name: exercise for exercise in (SCORES, SOFTMAX, ONE_QUERY, DOUBLE_LOOP, ATTENTION, *HEADS, *MAPS)}
