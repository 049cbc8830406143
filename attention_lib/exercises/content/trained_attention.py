"""What notebook 07 asks: shapes of a batch, a head of position, what arrives, an ablation to mend; its predictions."""

from functools import partial
from typing import Any

import numpy as np

from ...analysis.measures import arriving_share
from ...mistakes.recipes import merged_without_transpose, plain_softmax, side_by_side
from ..exercise import Arguments, Blank, Exercise, normal, shares
from ..predictions import Question
from ..rules_by_steps import by_steps

NOTEBOOK = "07_trained_attention"


# 1. Shapes

SHAPES = Exercise(
    name="shapes_in_a_batch",
    notebook=NOTEBOOK,
    title="Predict the shapes",
    difficulty=1,
    minutes=4,
    spec="""The model reads a batch of 3 sentences of 10 tokens each: 6 layers, 12 heads, d_model = 384. Which shapes do
these have, in the order layer, sentence, head, token, number? Leave the names as they are.""",
    stub="""
shapes_in_a_batch = {
    "Q of one layer": ...,
    "weights of one layer": ...,
    "weights of all layers": ...,
    "lengths of the values of one layer": ...,
    "what one head adds through W_O": ...,
    "vectors of the sentences": ...,
}
""",
    solution="""
shapes_in_a_batch = {
    "Q of one layer": (3, 12, 10, 32),
    "weights of one layer": (3, 12, 10, 10),
    "weights of all layers": (6, 3, 12, 10, 10),
    "lengths of the values of one layer": (3, 12, 10),
    "what one head adds through W_O": (3, 10, 384),
    "vectors of the sentences": (3, 384),
}
""",
    hints=(
        "What is one, or added up, has no axis. Weights have two axes for tokens: queries, then keys.",
        "d_k = 384 / 12. A length is one number for each value. A sentence's vector is the mean over its tokens.",
    ),
    why="Each head has a map of its own in each sentence and each layer: 3 · 12 · 6 = 216 of them here.",
    blanks={
        "Q of one layer": Blank(
            (3, 12, 10, 32),
            {
                (3, 10, 12, 32): "The heads stand in front of the tokens.",
                (3, 12, 10, 384): "Each head has its slice of the width: 384 / 12.",
                (12, 10, 32): "That is one sentence. There are three.",
                (3, 10, 384): "That is before the split into heads.",
            },
            "Sentence, head, token, d_k.",
        ),
        "weights of one layer": Blank(
            (3, 12, 10, 10),
            {
                (12, 10, 10): "That is one sentence. There are three.",
                (3, 10, 10): "Each head has a map of its own.",
                (3, 12, 10, 32): "Weights are queries by keys; the width is added up in the score.",
            },
            "Sentence, head, query, key.",
        ),
        "weights of all layers": Blank(
            (6, 3, 12, 10, 10),
            {
                (3, 6, 12, 10, 10): "The task puts the layer first, as a list of layers has it.",
                (6, 12, 10, 10): "That is one sentence. There are three.",
                (3, 72, 10, 10): "Layers and heads are two axes here, the layer first.",
            },
            "As for one layer, with an axis for the layer in front.",
        ),
        "lengths of the values of one layer": Blank(
            (3, 12, 10),
            {
                (3, 12, 10, 32): "That is V. The length of a value is one number.",
                (3, 10): "Each head has values of its own.",
                (3, 12, 10, 10): "A value belongs to a key, whoever asks.",
            },
            "One number for each token in each head.",
        ),
        "what one head adds through W_O": Blank(
            (3, 10, 384),
            {
                (3, 10, 32): "That is before W_O. Through its rows of W_O a head writes into the whole width.",
                (3, 12, 10, 384): "That is of all heads.",
                (10, 384): "That is one sentence. There are three.",
            },
            "It is added to the rows of the tokens, so it has their width.",
        ),
        "vectors of the sentences": Blank(
            (3, 384),
            {
                (3, 10, 384): "Those are the vectors of the tokens. A sentence has their mean.",
                (384,): "One for each sentence.",
            },
            "One vector for each sentence, as wide as a token's.",
        ),
    },
)


# 2. A previous-token head


def map_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw square maps of true weights; in the second and the last some weights are 0."""
    maps = [
        np.array([[0.5, 0.5], [0.75, 0.25]]),
        causal_map(rng, 3),
        shares(rng, 4, 4),
        shares(rng, 6, 6, spread=3.0),
        causal_map(rng, 5),
        np.array([[1.0, 0, 0], [0, 1.0, 0], [0.25, 0.5, 0.25]]),  # a query that gives 0 to the key before it
    ]
    return [(weights,) for weights in maps]


def causal_map(rng: np.random.Generator, n: int) -> Any:
    """Draw the weights of a causal map."""
    exps = np.tril(np.exp(rng.standard_normal((n, n))))
    return exps / exps.sum(axis=-1, keepdims=True)


def share_in_loops(weights: Any) -> Any:
    """Add up query by query."""
    return sum(weights[i][i - 1] for i in range(1, len(weights))) / (len(weights) - 1)


PREVIOUS_STEPS = {
    "map": {
        "the weights": lambda w: w,
        "the weights, divided by the sum of the keys before": lambda w: (
            w / np.maximum(np.tril(w, -1).sum(axis=-1, keepdims=True), 1e-300)
        ),
        "the weights, divided by the sum of the keys up to the query": lambda w: (
            w / np.maximum(np.tril(w).sum(axis=-1, keepdims=True), 1e-300)
        ),
        "1 for the largest weight of each row": lambda w: np.eye(len(w))[w.argmax(axis=-1)],
        "the weights, cut to whole numbers": np.trunc,
    },
    "taken": {
        "the key one before each query": lambda w: np.diagonal(w, -1),
        "the key one before, but for the last query": lambda w: np.diagonal(w, -1)[:-1],
        "the key one before, but for query 1": lambda w: np.diagonal(w, -1)[1:],
        "the key one before, of query 1 alone": lambda w: np.diagonal(w, -1)[:1],
        "the key one before, of the last query alone": lambda w: np.diagonal(w, -1)[-1:],
        "the key one before, where its weight is not 0": lambda w: np.diagonal(w, -1)[np.diagonal(w, -1) > 0],
        "key 0, of all queries but the first": lambda w: w[1:, 0],
        "key 0, of all queries": lambda w: w[:, 0],
        "the key two before": lambda w: np.diagonal(w, -2),
        "the key one behind": lambda w: np.diagonal(w, 1),
        "its own key": lambda w: np.diagonal(w),
        "all keys before": lambda w: np.tril(w, -1)[1:].sum(axis=-1),
    },
    "made": {
        "their mean": lambda taken, n: taken.mean(),
        "their sum": lambda taken, n: taken.sum(),
        "their sum, divided by n": lambda taken, n: taken.sum() / n,
        "their sum, divided by n * n": lambda taken, n: taken.sum() / n**2,
        "their sum, divided by n - 1": lambda taken, n: taken.sum() / (n - 1),
        "the largest": lambda taken, n: taken.max(),
        "the smallest": lambda taken, n: taken.min(),
        "their median": lambda taken, n: np.median(taken),
    },
}

PREVIOUS = Exercise(
    name="previous_token_share",
    notebook=NOTEBOOK,
    title="A head that looks one back",
    difficulty=2,
    minutes=6,
    spec="""Write `previous_token_share(weights)` for a square map: the mean weight that a query puts on the
key just before it. The first query has no key before it and does not count.

For `[[0.5, 0.5], [0.75, 0.25]]` it is 0.75.""",
    stub="""
def previous_token_share(weights):  # (n, n)
    return ...  # a number
""",
    solution="""
def previous_token_share(weights):
    return np.diagonal(weights, offset=-1).mean()
""",
    hints=(
        "These weights lie on a diagonal, one below the main one.",
        "`np.diagonal(weights, offset=-1)` has n - 1 entries; take their mean.",
    ),
    why="The same measure with offset 0 finds heads that look at themselves, with offset 1 at the next token.",
    cases=map_cases,
    others=(share_in_loops, lambda weights: np.trace(weights[1:, :-1]) / (len(weights) - 1)),
    wrong={
        "next_token": lambda weights: np.diagonal(weights, offset=1).mean(),
        "own_token": (
            lambda weights: np.diagonal(weights).mean(),
            lambda weights: np.diagonal(weights)[1:].mean(),
            lambda weights: np.diagonal(weights)[:-1].mean(),
        ),
        "first_query_counted": lambda weights: np.diagonal(weights, offset=-1).sum() / len(weights),
        "mean_missing": lambda weights: np.diagonal(weights, offset=-1).sum(),
        "previous_listed": lambda weights: np.diagonal(weights, offset=-1).copy(),
        "mean_of_everything": lambda weights: weights.mean(),
        "largest_share": lambda weights: np.diagonal(weights, offset=-1).max(),
        "median_share": lambda weights: np.median(np.diagonal(weights, offset=-1)),
        "all_earlier": lambda weights: np.tril(weights, -1).sum() / (len(weights) - 1),
        "two_back": lambda weights: np.diagonal(weights, offset=-2).mean() if len(weights) > 2 else np.nan,
        "first_wraps_round": lambda weights: np.mean([weights[i, i - 1] for i in range(len(weights))]),
    },
    rules=(by_steps("previous_measures", PREVIOUS_STEPS, lambda w, map, taken, made: made(taken(map(w)), len(w))),),
)


# 3. What arrives


def arriving_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw maps and values of a few heads; one head, as many heads as tokens, rectangular maps."""
    small = np.array([[[0.75, 0.25], [0.5, 0.5]]]), np.array([[[0.0, 1.0], [0.0, 9.0]]])
    shapes = [(2, 3, 3, 2), (3, 3, 3, 3), (1, 4, 4, 5), (4, 2, 5, 3)]  # h, n_queries, n_keys, d_v
    return [
        small,
        *(
            (np.stack([shares(rng, n, m) for _ in range(h)]), normal(rng, h, m, d) * rng.uniform(0.1, 3, (h, m, 1)))
            for h, n, m, d in shapes
        ),
    ]


def arriving_in_loops(weights: Any, V: Any) -> Any:
    """Go head by head and row by row."""
    found = []
    for head, values in zip(weights, V):
        lengths = np.sqrt((values**2).sum(axis=1))
        found.append([row * lengths / (row * lengths).sum() for row in head])
    return np.array(found)


def arriving_by(length: Any, weights: Any, V: Any) -> Any:
    """Weigh by another measure of a value, (h, n_keys)."""
    arriving = weights * length(V)[:, None, :]
    return arriving / arriving.sum(axis=-1, keepdims=True)


def along_the_queries(axis: int, weights: Any, V: Any) -> Any:
    """Let the lengths meet the queries: an error where there are more or fewer of these than keys."""
    arriving = weights * np.linalg.norm(V, axis=-1)[:, :, None]
    return arriving / arriving.sum(axis=axis, keepdims=True)


def not_shared(weights: Any, V: Any) -> Any:
    """Leave the products as they are."""
    return weights * np.linalg.norm(V, axis=-1)[:, None, :]


ARRIVING_STEPS = {
    "length": {
        "the length of each value": lambda V: np.linalg.norm(V, axis=-1),
        "its largest number": lambda V: V.max(axis=-1),
        "its largest number without a sign": lambda V: np.abs(V).max(axis=-1),
        "the mean of its numbers": lambda V: V.mean(axis=-1),
        "the length over the tokens": lambda V: np.linalg.norm(V, axis=-2).mean(axis=-1, keepdims=True),
        "the mean of the lengths over the heads": lambda V: np.broadcast_to(
            np.linalg.norm(V, axis=-1).mean(axis=0), V.shape[:2]
        ),
        "the length over all heads together": lambda V: np.broadcast_to(np.linalg.norm(V, axis=(0, 2)), V.shape[:2]),
        "the lengths of the first head": lambda V: np.broadcast_to(np.linalg.norm(V[0], axis=-1), V.shape[:2]),
        "the square of the length": lambda V: (V**2).sum(axis=-1),
        "the root of the length": lambda V: np.sqrt(np.linalg.norm(V, axis=-1)),
        "1 for each": lambda V: np.ones(V.shape[:2]),
    },
    "used": {
        "multiplied": lambda weights, lengths: weights * lengths[:, None, :],
        "divided": lambda weights, lengths: weights / lengths[:, None, :],
        "added": lambda weights, lengths: weights + lengths[:, None, :],
        "multiplied along the queries": lambda weights, lengths: weights * lengths[:, :, None],
    },
    "shares": {
        "of each row": lambda x: x / x.sum(axis=-1, keepdims=True),
        "of each column": lambda x: x / x.sum(axis=-2, keepdims=True),
        "of all heads together": lambda x: x / x.sum(axis=0, keepdims=True),
        "of everything": lambda x: x / x.sum(),
        "none": lambda x: x,
        "the softmax of each row": plain_softmax,
        "of the largest of each row": lambda x: x / x.max(axis=-1, keepdims=True),
    },
}


def arriving_by_steps(weights: Any, V: Any, length: Any, used: Any, shares: Any) -> Any:
    """Measure with these ways of the steps."""
    return shares(used(weights, length(V)))


ARRIVES = Exercise(
    name="what_arrives",
    notebook=NOTEBOOK,
    title="What arrives",
    difficulty=2,
    minutes=8,
    spec="""Write `what_arrives(weights, V)` for all heads at once: (h, n_queries, n_keys) and (h, n_keys, d_v). For
each query, each weight times the length of its value, as a share of the row: (h, n_queries, n_keys), each row sums to
1.

With the weights `[0.75, 0.25]` and values of length 1 and 9 the row is `[0.25, 0.75]`.""",
    stub="""
def what_arrives(weights, V):  # (h, n_queries, n_keys), (h, n_keys, d_v)
    return ...  # (h, n_queries, n_keys)
""",
    solution="""
def what_arrives(weights, V):
    lengths = np.linalg.norm(V, axis=-1)  # (h, n_keys)
    arriving = weights * lengths[:, None, :]  # the same lengths for every query
    return arriving / arriving.sum(axis=-1, keepdims=True)
""",
    hints=(
        "A length belongs to a key. Which axis of the weights are the keys, and what must stand in the middle?",
        "`np.linalg.norm(V, axis=-1)[:, None, :]` is (h, 1, n_keys). Then divide each row by its sum.",
    ),
    why="A short value makes a large weight small. The directions are left out: two long values can still cancel.",
    cases=arriving_cases,
    integers=True,
    others=(
        arriving_in_loops,
        arriving_share,
        lambda weights, V: arriving_by(lambda V: np.sqrt(np.einsum("hkd,hkd->hk", V, V)), weights, V),
    ),
    wrong={
        "lengths_for_queries": (partial(along_the_queries, -1), partial(along_the_queries, -2)),
        "shares_missing": not_shared,
        "squared_lengths": lambda weights, V: arriving_by(lambda V: (V**2).sum(axis=-1), weights, V),
        "sum_for_length": lambda weights, V: arriving_by(lambda V: V.sum(axis=-1), weights, V),
        "absolute_sum_for_length": lambda weights, V: arriving_by(lambda V: np.abs(V).sum(axis=-1), weights, V),
        "lengths_alone": lambda weights, V: arriving_by(lambda V: np.linalg.norm(V, axis=-1), np.ones_like(weights), V),
        "lengths_forgotten": lambda weights, V: weights.copy(),
        "shares_over_queries": lambda weights, V: not_shared(weights, V) / not_shared(weights, V).sum(1, keepdims=True),
        "shares_of_the_map": lambda weights, V: (
            not_shared(weights, V) / not_shared(weights, V).sum(axis=(1, 2), keepdims=True)
        ),
    },
    rules=(by_steps("arriving_measures", ARRIVING_STEPS, arriving_by_steps),),
)


# 4. An ablation to mend


def head_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw heads' outputs, W_O and the head to replace."""
    shapes = [(2, 2, 1, 2, 0), (2, 2, 2, 4, 1), (3, 4, 2, 6, 2), (4, 3, 2, 5, 1)]  # h, n, d_v, d_out, head
    return [(normal(rng, h, n, d_v), normal(rng, h * d_v, d_out), off) for h, n, d_v, d_out, off in shapes]


def own_part(heads: Any, W_O: Any, head: int) -> Any:
    """Return what one head adds to the output."""
    d_v = heads.shape[-1]
    return heads[head] @ W_O[head * d_v : (head + 1) * d_v]


def replaced(heads: Any, head: int, given: Any) -> Any:
    """Return a copy in which one head is something else."""
    kept = heads.copy()
    kept[head] = given
    return kept


def by_its_mean(heads: Any, W_O: Any, head: int) -> Any:
    """Take the head's part away, and add the part of its mean."""
    d_v = heads.shape[-1]
    mean = heads[head].mean(axis=0) @ W_O[head * d_v : (head + 1) * d_v]  # (d_out,)
    return side_by_side(heads) @ W_O - own_part(heads, W_O, head) + mean


def through_the_head(heads: Any, W_O: Any, head: int) -> Any:
    """Replace the head on a leading axis, and let W_O add up head by head."""
    chosen = np.arange(len(heads))[:, None, None] == head
    kept = np.where(chosen, heads.mean(axis=1, keepdims=True), heads)
    return np.einsum("hnd,hdo->no", kept, W_O.reshape(len(heads), heads.shape[-1], -1))


ABLATION_STEPS = {
    "replaced": {
        "that head": lambda heads, head: np.arange(len(heads)) == head,
        "the head before it": lambda heads, head: np.arange(len(heads)) == (head - 1) % len(heads),
        "the head after it": lambda heads, head: np.arange(len(heads)) == (head + 1) % len(heads),
        "head 0": lambda heads, head: np.arange(len(heads)) == 0,
        "the last head": lambda heads, head: np.arange(len(heads)) == len(heads) - 1,
        "all other heads": lambda heads, head: np.arange(len(heads)) != head,
        "all heads": lambda heads, head: np.arange(len(heads)) >= 0,
    },
    "given": {
        "its own mean over the tokens": lambda heads, head: heads.mean(axis=1, keepdims=True),
        "that head's mean over the tokens": lambda heads, head: heads[head].mean(axis=0),
        "its own sum over the tokens": lambda heads, head: heads.sum(axis=1, keepdims=True),
        "its own median over the tokens": lambda heads, head: np.median(heads, axis=1, keepdims=True),
        "its own mean over the numbers of a token": lambda heads, head: heads.mean(axis=2, keepdims=True),
        "its own running mean": lambda heads, head: (
            np.cumsum(heads, axis=1) / np.arange(1, heads.shape[1] + 1)[:, None]
        ),
        "its own first token": lambda heads, head: heads[:, :1],
        "its own last token": lambda heads, head: heads[:, -1:],
        "the mean of all heads, token by token": lambda heads, head: heads.mean(axis=0),
        "the mean of the other heads, token by token": lambda heads, head: np.delete(heads, head, axis=0).mean(axis=0),
        "the mean of the other heads over the tokens": lambda heads, head: np.delete(heads, head, axis=0).mean(
            axis=(0, 1)
        ),
        "the mean of head 0 over the tokens": lambda heads, head: heads[0].mean(axis=0),
        "its own numbers less their mean over the tokens": lambda heads, head: (
            heads - heads.mean(axis=1, keepdims=True)
        ),
        "0": lambda heads, head: 0 * heads,
    },
    "returned": {
        "the whole output": lambda kept, heads, W_O, head: side_by_side(kept) @ W_O,
        "that head's part": lambda kept, heads, W_O, head: own_part(kept, W_O, head),
        "what has changed": lambda kept, heads, W_O, head: (side_by_side(heads) - side_by_side(kept)) @ W_O,
        "the mean of the heads' parts": lambda kept, heads, W_O, head: side_by_side(kept) @ W_O / len(kept),
    },
}


def ablation_by_steps(heads: Any, W_O: Any, head: int, replaced: Any, given: Any, returned: Any) -> Any:
    """Replace with these ways of the steps."""
    kept = np.where(replaced(heads, head)[:, None, None], given(heads, head), heads)
    return returned(kept, heads, W_O, head)


def one_token_replaced(axis: int, heads: Any, W_O: Any, head: int) -> Any:
    """Take `head` for a token; give it the mean of all heads there, or of all tokens in each head."""
    kept = heads.copy()
    kept[:, head] = heads[:, head].mean(axis=0) if axis == 0 else heads.mean(axis=1)
    return side_by_side(kept) @ W_O


ABLATION = Exercise(
    name="mended_ablation",
    notebook=NOTEBOOK,
    title="Find the bug",
    difficulty=2,
    minutes=8,
    spec="""`mended_ablation(head_outputs, W_O, head)` should give the output of the layer with the output of one head
replaced, at every token, by that head's mean over the tokens. It runs, the shape is right and the input stays as it
was. One line is wrong: find it and mend it.""",
    stub="""
def mended_ablation(head_outputs, W_O, head):  # (h, n, d_v), (h*d_v, d_out), which head
    kept = head_outputs.copy()
    kept[head] = head_outputs.mean(axis=0)
    concat = np.concatenate(list(kept), axis=-1)  # (n, h*d_v)
    return concat @ W_O  # (n, d_out)
""",
    solution="""
def mended_ablation(head_outputs, W_O, head):
    kept = head_outputs.copy()
    kept[head] = head_outputs[head].mean(axis=0)  # (d_v,), the same for every token
    concat = np.concatenate(list(kept), axis=-1)  # (n, h*d_v)
    return concat @ W_O
""",
    hints=(
        "What must all rows of the replaced head have in common? Print `kept[head]`.",
        "Which axis of head_outputs are the tokens? And which is it once one head is chosen?",
    ),
    why="""The mean over axis 0 of all heads is a mean of different heads, token by token. numpy fits either shape in
without a word, and both results look like numbers.""",
    cases=head_cases,
    others=(by_its_mean, through_the_head),
    wrong={
        "zero_for_mean": lambda heads, W_O, head: side_by_side(replaced(heads, head, 0)) @ W_O,
        "features_averaged": lambda heads, W_O, head: (
            side_by_side(replaced(heads, head, heads[head].mean(axis=1, keepdims=True))) @ W_O
        ),
        "one_number_averaged": lambda heads, W_O, head: side_by_side(replaced(heads, head, heads[head].mean())) @ W_O,
        "mean_of_all_heads": lambda heads, W_O, head: (
            side_by_side(replaced(heads, head, heads.mean(axis=(0, 1)))) @ W_O
        ),
        "all_heads_averaged": lambda heads, W_O, head: (
            side_by_side(np.broadcast_to(heads.mean(axis=1, keepdims=True), heads.shape)) @ W_O
        ),
        "nothing_switched_off": lambda heads, W_O, head: side_by_side(heads) @ W_O,
        "only_that_head": own_part,
        "no_W_O": lambda heads, W_O, head: side_by_side(replaced(heads, head, heads[head].mean(axis=0))),
        "reshape_without_transpose": lambda heads, W_O, head: (
            merged_without_transpose(replaced(heads, head, heads[head].mean(axis=0))) @ W_O
        ),
        "token_for_head": (partial(one_token_replaced, 0), partial(one_token_replaced, 1)),
    },
    rules=(by_steps("ablation_replaces", ABLATION_STEPS, ablation_by_steps),),
    has_bug=True,
)

EXERCISES = (SHAPES, PREVIOUS, ARRIVES, ABLATION)


QUESTIONS = {
    "07.position": Question(
        topic="heads of position",
        choices={"keys": "keys", "cabinet": "cabinet", "table": "table"},
        right="It is the word just before. This head counts places and does not read meaning.",
        wrong={
            "keys": "The keys are what is on the table, but this head does not ask for that. It takes the word before.",
            "table": "The head looks one token back, never ahead.",
        },
        gives_away=("one back", "looks back", "before it", "previous"),
    ),
    "07.pairs": Question(
        topic="the best of many heads",
        tolerance=6,
        digits=0,
        right="About every fifth pair has a head as good. Most of these pairs are neighbours.",
        wrong={
            "one": "Others reach it too: for each pair the best of 72 heads is taken, and 72 tries find something.",
            "all": "Not all do. But many: neighbours have heads of position.",
            "other": "For each pair the best of 72 heads is taken. Neighbours reach it often, others seldom.",
        },
        gives_away=("15 of 72", "fifteen", "3 of 56"),
    ),
    "07.five": Question(
        topic="the same head elsewhere",
        tolerance=0,
        digits=0,
        right="Only *cup*, with 0.16. In the others it prefers doctor, king, choir and garden.",
        wrong={
            "all": "So one would hope after 0.76. It was the best of 72 in one sentence, chosen after looking.",
            "other": "One sentence made this head look good, and the next five do not bear it out.",
        },
        gives_away=("prefers", "one of five", "1 of 5"),
    ),
    "07.all_five": Question(
        topic="one head of 72",
        tolerance=0,
        digits=0,
        right="One: head 3.1, which was third in *paper*. More than half of the heads find it in none of the five.",
        wrong={
            "none": "So the failure of 4.4 suggests. But one head does, which was only third in *paper*.",
            "other": "Fewer: one head does. The next best finds it in three, and more than half in none.",
        },
        confusions={"none": 0},
        gives_away=("3.1", "one head of 72", "one of 72 takes"),
    ),
    "07.wide": Question(
        topic="one changed word",
        choices={"animal": "animal", "street": "street"},
        right="Its lead shrinks from 0.60 to 0.14, in the right direction, and stays a lead.",
        wrong={
            "street": "So a reader would say. The weight does move that way, and it does not get there.",
        },
        gives_away=("takes weight off", "stays ahead", "lead"),
    ),
    "07.sink": Question(
        topic="what a weight carries",
        tolerance=0.06,
        right="A weight says how much of a value is taken, and the value of [CLS] is short.",
        wrong={
            "by_weight": "So it would be if all values were equally long. The value of [CLS] is much shorter.",
            "other": "Weight times the length of the value counts, and the value of [CLS] is short.",
        },
        gives_away=("is short", "shorter", "short value"),
    ),
    "07.switch_off": Question(
        topic="weight and effect",
        tolerance=8,
        digits=0,
        right="Twelve of them are the heads of layer 5, the last, which all move it further. A large weight on the "
        "noun does not make a head the one that moves the vector most.",
        wrong={
            "none": "That is what the map suggests. Measured, all twelve heads of the last layer move the vector "
            "further, and so do thirteen others.",
            "other": "Twelve are the heads of layer 5, the last, which all move it further. In its own layer the "
            "finder is third.",
        },
        gives_away=("25 heads", "of its layer", "hardly"),
    ),
    "07.foretells": Question(
        topic="what tells of an effect",
        choices={
            "weight": "its weight on the pair",
            "arriving": "that weight times the length of the value",
            "output": "the length of all that it gives to the query",
        },
        right="In the mean over ten sentences. It needs no pair: it counts all that the head brings, from any word.",
        wrong={
            "weight": "It tells the least of the three. A weight leaves out how long the value is, and all other keys.",
            "arriving": "Better than the weight alone, and not the best: what comes from all other keys is left out.",
        },
        gives_away=("0.68", "output is the best"),
    ),
}
