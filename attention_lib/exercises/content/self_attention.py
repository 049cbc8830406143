"""What notebook 01 asks: shapes, the whole calculation, a bug, a test."""

import math
from typing import Any

import numpy as np

from ...analysis.scaling import naive_softmax
from ...attention import softmax
from ...mistakes.recipes import (
    DIVISORS,
    RIGHT,
    SOFTMAXES,
    attend,
    attention_map,
    plain_softmax,
    self_attend,
    with_mistakes,
)
from ..exercise import Arguments, Blank, Exercise, normal
from ..kinds import writing_a_test
from ..predictions import Question
from ..rules_by_running import KEPT, Keeps, of_one_sentence, plain
from ..rules_of_weights import Given, weights_rules

NOTEBOOK = "01_self_attention"


# 1. Shapes


SHAPES = Exercise(
    name="shapes_of_attention",
    notebook=NOTEBOOK,
    title="Predict the shapes",
    difficulty=1,
    minutes=4,
    spec="""A sentence of 5 tokens, embeddings of 12 numbers: X is (5, 12). W_Q and W_K are (12, 4), W_V is (12, 6).
Which shape has each of these? Then two such sentences at once, a *batch*: X is (2, 5, 12), and every step
keeps the axis of the sentences in front.

Write a shape as a tuple, such as `(5, 12)`.""",
    stub="""
shapes_of_attention = {
    "Q": ...,
    "scores": ...,
    "output": ...,
    "scores of two sentences": ...,
    "output of two sentences": ...,
}
""",
    solution="""
shapes_of_attention = {
    "Q": (5, 4),
    "scores": (5, 5),
    "output": (5, 6),
    "scores of two sentences": (2, 5, 5),
    "output of two sentences": (2, 5, 6),
}
""",
    hints=(
        "In a product of matrices the inner sizes meet and are gone: (5, 12) @ (12, 4).",
        "Scores: one number for each pair of a query and a key. Output: one row for each query, as wide as a value.",
    ),
    why="The width d_k is gone after the scores; the output has a row for each query and the width of the values.",
    blanks={
        "Q": Blank(
            (5, 4),
            {
                (12, 4): "That is the shape of W_Q. Q has a row for each token.",
                (5, 12): "That is the shape of X. W_Q makes each row 4 numbers long.",
            },
            "X @ W_Q: the 12 meets the 12.",
        ),
        "scores": Blank(
            (5, 5),
            {
                (5, 4): "The product adds up over the 4 features, so they are gone.",
                (4, 4): "That is Q.T @ K, features by features. Scores are queries by keys.",
                (5,): "Each of the 5 queries has a score with each of the 5 keys.",
            },
            "Q @ K.T is (5, 4) @ (4, 5).",
        ),
        "output": Blank(
            (5, 6),
            {
                (5, 4): "The output mixes values, and a value has 6 numbers here.",
                (5, 5): "That is the shape of the weights; they still have to mix the values.",
                (5, 12): "W_V made the values 6 numbers wide. (W_O, in notebook 05, leads back to 12.)",
            },
            "weights @ V is (5, 5) @ (5, 6).",
        ),
        "scores of two sentences": Blank(
            (2, 5, 5),
            {
                (2, 5, 10): "The 10 keys are those of both sentences. A word meets the 5 of its own.",
                (10, 10): "Then words of one sentence would look at words of the other. Each sentence has its own map.",
                (5, 5): "That is one sentence. The axis of the sentences stays in front.",
            },
            "As for one sentence, with the 2 in front.",
            "scores",
        ),
        "output of two sentences": Blank(
            (2, 5, 6),
            {(5, 6): "That is one sentence. The axis of the sentences stays in front."},
            "As for one sentence, with the 2 in front.",
            "output",
        ),
    },
)


# 2. From the embeddings


def embedding_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw X and the projections; square ones too, where a transposed projection runs."""
    shapes = [(2, 2, 2, 2), (3, 3, 3, 3), (3, 4, 2, 3), (4, 6, 3, 5), (5, 8, 16, 8)]  # n, d_model, d_k, d_v
    return [(normal(rng, n, d), *(normal(rng, d, width) / 2 for width in (d_k, d_k, d_v))) for n, d, d_k, d_v in shapes]


def attention_row_by_row(Q: Any, K: Any, V: Any) -> Any:
    """Treat one query after the other."""
    return np.array([plain_softmax(K @ query / math.sqrt(len(query))) @ V for query in Q])


def project_then_loop(X: Any, W_Q: Any, W_K: Any, W_V: Any) -> Any:
    """Project, then treat one query after the other."""
    return attention_row_by_row(np.dot(X, W_Q), np.dot(X, W_K), np.dot(X, W_V))


FROM_EMBEDDINGS = Exercise(
    name="attention_from_embeddings",
    notebook=NOTEBOOK,
    title="From embeddings to output",
    difficulty=2,
    minutes=10,
    spec="""Write `attention_from_embeddings(X, W_Q, W_K, W_V)`: Q, K and V from X, then attention. It returns
the output, (n, d_v). Use NumPy alone.

An embedding has d_model numbers, a query d_k. Mind which of them goes under the root when they differ.""",
    stub="""
def attention_from_embeddings(X, W_Q, W_K, W_V):  # (n, d_model), (d_model, d_k) twice, (d_model, d_v)
    return ...  # (n, d_v)
""",
    solution="""
def attention_from_embeddings(X, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V  # (n, d_k), (n, d_k), (n, d_v)
    exps = np.exp(Q @ K.T / np.sqrt(Q.shape[-1]))  # (n, n)
    return exps / exps.sum(axis=-1, keepdims=True) @ V  # (n, d_v)
""",
    hints=(
        "Each of Q, K and V is X times its own projection.",
        "d_k is the width of Q after the projection: `Q.shape[-1]`, not `X.shape[-1]`.",
    ),
    why="The root is of d_k, since a score adds up d_k products. The width of X does not enter.",
    cases=embedding_cases,
    others=(project_then_loop, lambda *arguments: self_attend(RIGHT, *arguments)),
    wrong=with_mistakes(
        self_attend,
        "scaled_by_root_d_model",
        "scaled_by_d_model",
        *DIVISORS,
        *SOFTMAXES,
        "softmax_twice",
        "transpose_missing",
        "scores_transposed",
        "weights_transposed",
    )
    | {
        "keys_mixed": lambda X, W_Q, W_K, W_V: attend(RIGHT, X @ W_Q, X @ W_K, X @ W_K),
        "not_projected": lambda X, W_Q, W_K, W_V: attend(RIGHT, X, X, X),
        "values_with_W_Q": lambda X, W_Q, W_K, W_V: attend(RIGHT, X @ W_Q, X @ W_K, X @ W_Q),
        "projections_exchanged": lambda X, W_Q, W_K, W_V: self_attend(RIGHT, X, W_Q, W_V, W_K),
        "values_not_projected": lambda X, W_Q, W_K, W_V: attend(RIGHT, X @ W_Q, X @ W_K, X),
        "one_projection": lambda X, W_Q, W_K, W_V: self_attend(RIGHT, X, W_Q, W_Q, W_V),
        "projection_transposed": lambda X, W_Q, W_K, W_V: self_attend(RIGHT, X, W_Q.T, W_K.T, W_V.T),
        "weights_returned": lambda X, W_Q, W_K, W_V: attention_map(RIGHT, X @ W_Q, X @ W_K).weights,
    },
    keeps=Keeps(("row sums", "shift", "values"), of_one_sentence, square=True),
    rules=weights_rules(lambda X, W_Q, W_K, W_V: Given(X @ W_Q @ (X @ W_K).T, W_Q.shape[1], X @ W_V)),
)

# 3. A bug


def given_more_keys(rng: np.random.Generator) -> list[Arguments]:
    """Draw Q, K and V; first four keys of four numbers, where the bug does not show."""
    shapes = [(2, 4, 4, 3), (3, 3, 2, 3), (1, 5, 3, 5), (5, 2, 9, 2), (4, 6, 8, 6)]  # n_queries, n_keys, d_k, d_v
    return [(normal(rng, n, d_k), normal(rng, m, d_k), normal(rng, m, d_v)) for n, m, d_k, d_v in shapes]


BUG = Exercise(
    name="mended_attention",
    notebook=NOTEBOOK,
    title="Find the bug",
    difficulty=2,
    minutes=6,
    spec="""`mended_attention(Q, K, V)` runs, every row of its weights sums to 1, and with as many keys as features
nothing is wrong with its numbers. One line is not right. Find it and mend it; leave the rest.""",
    stub="""
def mended_attention(Q, K, V):  # (n_queries, d_k), (n_keys, d_k), (n_keys, d_v)
    scores = Q @ K.T
    size = len(K)
    scaled_scores = scores / np.sqrt(size)
    exps = np.exp(scaled_scores)
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ V
""",
    solution="""
def mended_attention(Q, K, V):
    scores = Q @ K.T
    size = K.shape[-1]  # d_k
    scaled_scores = scores / np.sqrt(size)
    exps = np.exp(scaled_scores)
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ V
""",
    hints=(
        "Say for each line which numbers it should use: which of n_queries, n_keys, d_k, d_v?",
        "Try it with many keys: does a longer sentence make the map flatter? Should it?",
    ),
    why="`len(K)` counts the keys. The root is of d_k, how many products a score adds up, which is `K.shape[-1]`.",
    cases=given_more_keys,
    others=(
        lambda Q, K, V: attend(RIGHT, Q, K, V),
        attention_row_by_row,
        lambda Q, K, V: plain_softmax(Q @ K.T * Q.shape[1] ** -0.5) @ V,
    ),
    wrong=with_mistakes(attend, "not_scaled", "scaled_by_d_k", "half_power", "softmax_over_queries", "softmax_missing")
    | {
        "another_size_under_root": (
            lambda Q, K, V: plain_softmax(Q @ K.T / np.sqrt(len(Q))) @ V,
            lambda Q, K, V: plain_softmax(Q @ K.T / np.sqrt(V.shape[-1])) @ V,
        ),
        "weights_returned": lambda Q, K, V: attention_map(RIGHT, Q, K).weights,
    },
    keeps=Keeps(KEPT, plain),
    rules=weights_rules(lambda Q, K, V: Given(Q @ K.T, Q.shape[1], V)),
    has_bug=True,
)


# 4. A test


def without_exp(scores: Any) -> Any:
    """Divide each score by the sum of its row."""
    return scores / scores.sum(axis=-1, keepdims=True)


def right_in_the_outer_rows(scores: Any) -> Any:
    """Give the rows between the first and the last the weights of the first; of two rows, the second."""
    weights = plain_softmax(scores)
    weights[1 : max(len(scores) - 1, 2)] = weights[:1]
    return weights


TEST = writing_a_test(
    name="makes_an_attention_map",
    notebook=NOTEBOOK,
    title="Write the test",
    difficulty=2,
    minutes=10,
    spec="""Write `makes_an_attention_map(weights_of)`. It is given a function of scaled scores, (n_queries, n_keys).
It returns True where that function is softmax along each row, and False where it is not; `assert` lines will do too.
Call the function with scores of your own.

Among the functions it will be given: several right ones, and wrong ones that pass a test for the right shape.""",
    stub="""
def makes_an_attention_map(weights_of):  # a function: (n_queries, n_keys) -> (n_queries, n_keys)
    return ...  # True or False
""",
    solution="""
def makes_an_attention_map(weights_of):
    scores = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 0.5]])  # (n_queries, n_keys)
    weights = weights_of(scores)
    each_row_is_a_whole = np.allclose(weights.sum(axis=-1), 1)
    e_for_each_step = np.allclose(weights, weights[:, :1] * np.exp(scores - scores[:, :1]))
    return each_row_is_a_whole and e_for_each_step
""",
    hints=(
        "Which sums must be 1? Take scores that are not square, so that rows and columns cannot be confused.",
        "Row sums are not enough: dividing each score by the sum of its row passes. What is the weight of a score that "
        "is larger by 1?",
    ),
    why=(
        "A test needs no second softmax: rows that sum to 1, and e to the difference between any two weights of a row; "
        "only softmax keeps both."
    ),
    right=(plain_softmax, softmax, naive_softmax),
    wrong={
        "softmax_over_queries": lambda scores: plain_softmax(scores, -2),
        "softmax_over_everything": lambda scores: plain_softmax(scores, (-2, -1)),
        "softmax_missing": lambda scores: scores,
        "exp_missing": (without_exp, lambda scores: without_exp(np.abs(scores) + 1)),
        "sum_missing": np.exp,
        "another_base": lambda scores: without_exp(2.0**scores),
        "scaled_again": lambda scores: plain_softmax(scores / np.sqrt(scores.shape[-1])),
        "winner_takes_all": lambda scores: without_exp((scores == scores.max(axis=-1, keepdims=True)) * 1.0),
        "softmax_twice": lambda scores: plain_softmax(plain_softmax(scores)),
        "weights_same_for_all_queries": lambda scores: np.repeat(plain_softmax(scores)[:1], len(scores), axis=0),
        "middle_rows_repeat": right_in_the_outer_rows,
        "weights_flat": lambda scores: np.full_like(scores, 1 / scores.shape[-1], dtype=float),
    },
    others=(
        lambda weights_of: bool(
            np.allclose(weights_of(np.array([[0.0, np.log(3)], [5.0, 5.0]])), [[0.25, 0.75], [0.5, 0.5]])
        ),
        lambda weights_of: np.allclose(weights_of(np.eye(2, 3)), plain_softmax(np.eye(2, 3))),
    ),
)


EXERCISES = (SHAPES, FROM_EMBEDDINGS, BUG, TEST)


QUESTIONS = {
    "01.three": Question(
        topic="one word three times",
        choices={
            "own": "each by its own meaning: ship, pear, belly",
            "one": "all three at one point",
            "last": "the first two at one point, the last elsewhere",
        },
        right=(
            "The three rows of X are the same, so they make the same scores with every word, and the same mixture. "
            "Nothing in X says which 배 stands beside which word."
        ),
        wrong={
            "own": (
                "That is what a reader does, by looking at the neighbours. But each 배 compares itself with all "
                "words of the sentence, near or far, and its row of numbers is the same each time."
            ),
            "last": (
                "Where a word stands is nowhere in X, so the last 배 cannot know that it is the last. The three rows "
                "are the same, and so is what comes of them."
            ),
        },
        gives_away=("all at one point", "same point", "all three stand"),
    ),
    "01.best_match": Question(
        topic="scores",
        right="Its own key is all ones, so no product is lost: 1·1 + 1·1 + 1·1 + 1·1 = 4. Others have two ones.",
        wrong={
            "other": (
                "A score adds up the products entry by entry. This key has two ones, so only two products count; "
                "the key of “sat” has four."
            ),
        },
        gives_away=(
            "sat matches itself",
            "key is all ones",
            "4.0",
            "score of “sat” is twice",
            'score of "sat" is twice',
        ),
    ),
    "01.twice_the_score": Question(
        topic="softmax looks at differences",
        tolerance=0.02,
        digits=3,
        confusions={"twice": 2.0, "square": math.e**2},
        right="The scaled scores differ by 1, and e to the 1 is 2.718. Softmax looks at differences, not at ratios.",
        wrong={
            "twice": "Softmax does not keep the ratio of the scores: e to the 2 is not twice e to the 1.",
            "square": "The difference of the scores counts, 2 − 1 = 1, and not the larger score: e, not e squared.",
            "other": "Divide the two weights: the sum below both is the same, and e to the 2 over e to the 1 is e.",
        },
    ),
    "01.scores_shape": Question(
        topic="shape of the scores",
        choices={
            "pairs": "one query and one key",
            "features": "one query and one feature",
            "one": "one query",
        },
        right="Every query meets every key once, so there is a number for each pair, (n_queries, n_keys).",
        wrong={
            "features": (
                "The product Q @ K.T adds up over the d_k features, so they are gone. What is left is query by key."
            ),
            "one": "A query has a score with each key separately. Only the weighted sum makes one row for each query.",
        },
        gives_away=("query by key", "one number for each pair", "queries with all keys"),
    ),
    "01.shared": Question(
        topic="one matrix for two roles",
        choices={
            "one": "one of the two, never both at once",
            "both": "both at once, with the right W",
            "neither": "neither, whatever W is",
        },
        right=(
            "With a = x W for one word and b = y W for the other, both would need a·b above a·a and above b·b. But "
            "a·a + b·b − 2 a·b is a sum of squares, and never below 0."
        ),
        wrong={
            "both": (
                "Each alone can be had. But the score a·b is one number for both words, and it cannot lie above a·a "
                "and above b·b: a·a + b·b − 2 a·b is a sum of squares."
            ),
            "neither": (
                "One of the two can be had: a W that keeps body alone and doubles it makes 배 give nearly all to "
                "고파서. Both at once cannot."
            ),
        },
        gives_away=("0 times", "both: 0", "never each"),
    ),
    "01.columns": Question(
        topic="what a map by columns means",
        choices={"one": "exactly 1", "more": "more than 1", "less": "less than 1"},
        right=(
            "Each column now sums to 1, and a row takes what it is given: 배 gets 0.87 of 고파서, its best "
            "listener, and a quarter of each of the others."
        ),
        wrong={
            "one": (
                "The columns sum to 1 now. A row takes from each column what is left for it, and nothing makes "
                "these parts add up to 1."
            ),
            "less": (
                "A row could get less, and those of the other words do. But 배 is the best listener of 고파서 and "
                "gets most of it, besides an even share of the others."
            ),
        },
        gives_away=("1.62",),
    ),
    "01.order": Question(
        topic="the order of the words",
        choices={
            "same": "it stays the same, only in another row",
            "other": "it changes: other words stand beside it now",
        },
        right="A sum does not mind the order of its terms: each word meets the same words with the same scores.",
        wrong={
            "other": (
                "What stands beside a word does not enter: 배 is compared with every word of the sentence, and the "
                "sum over them does not mind their order."
            ),
        },
        gives_away=("changes nothing", "nothing of where they stand"),
    ),
    "01.edit_values": Question(
        topic="what W_V reaches",
        choices={
            "values": "V and the output",
            "map": "V, the weights and the output",
            "all": "everything but X",
        },
        right="Weights come from Q and K alone. Values are only mixed at the end.",
        wrong={
            "map": "The weights are the softmax of Q @ K.T, and V is not in it. V is mixed by the weights afterwards.",
            "all": "Q, K and the scores come from W_Q and W_K. W_V has no part in them.",
        },
        gives_away=("W_V reaches only", "['V', 'output']"),
    ),
}
