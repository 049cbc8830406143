"""What notebook 11 asks: find the bug, what follows a copy, the second head, temperature, and a blank page."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ...analysis.measures import induction_share
from ...attention import scaled_dot_product_attention, softmax
from ...mistakes.recipes import (
    AND,
    DIVISORS,
    RIGHT,
    Recipe,
    attend,
    attention_map,
    fill_scores,
    mixed_softmax,
    plain_softmax,
    with_mistakes,
)
from ..describe import number
from ..exercise import Arguments, Exercise, Finding, Function, Seen, normal, shares
from ..predictions import Question
from ..rules_by_running import KEPT, Keeps, plain
from ..rules_by_steps import by_steps
from ..rules_of_range import Scores, range_rule
from ..rules_of_weights import Given, weights_rules

NOTEBOOK = "11_a_small_language_model"


# 1. Find the bug


def scored_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw causal maps of some heads, and texts in which words stand twice and three times."""
    texts = ([3, 5, 3], [4, 1, 2, 4], [2, 7, 2, 2, 7], [6, 0, 1, 6, 3, 0, 6], [1, 2, 3, 1, 2, 3, 1, 2])
    return [(_causal(rng, 1 + len(text) % 3, len(text)), np.array(text)) for text in texts]


def _causal(rng: np.random.Generator, n_heads: int, n: int) -> Any:
    weights = shares(rng, n_heads, n, n) * np.tri(n)
    return weights / weights.sum(axis=-1, keepdims=True)


def score_with(
    weights: Any, ids: Any, before: Function, allowed: Function, counted: Function, latest: bool = False
) -> Any:
    """Measure with another word before each key, other keys allowed, other queries counted."""
    n = len(ids)
    followed = (ids[:, None] == before(ids)) & allowed(n)  # (n, n)
    if latest:
        followed &= np.cumsum(followed[:, ::-1], axis=1)[:, ::-1] == 1
    sums = (weights * followed).sum(axis=-1)  # (h, n)
    return sums[:, counted(followed)].mean(axis=-1)


def shifted(ids: Any) -> Any:
    """Return the word before each key; -1 before the first."""
    return np.concatenate([[-1], ids[:-1]])


def up_to_itself(n: int) -> Any:
    """Allow a query every key up to its own place."""
    return np.tri(n, dtype=bool)


def some(followed: Any) -> Any:
    """Count the queries that have a key to read."""
    return followed.any(axis=1)


def score_in_loops(weights: Any, ids: Any) -> Any:
    """Go through queries and keys one by one."""
    found = []
    for one in weights:
        sums = []
        for query in range(len(ids)):
            keys = [key for key in range(1, query + 1) if ids[key - 1] == ids[query]]
            if keys:
                sums.append(sum(one[query][key] for key in keys))
        found.append(sum(sums) / len(sums))
    return np.array(found)


SCORE_STEPS = {
    "key": {
        "the word before the key": shifted,
        "the word of the key": lambda ids: ids,
        "the word after the key": lambda ids: np.append(ids[1:], -1),
        "the word before the key, and before key 0 the last word": lambda ids: np.roll(ids, 1),
        "the word before the key, and before key 0 word 0": lambda ids: np.concatenate([[0], ids[:-1]]),
        "the word two before the key": lambda ids: np.concatenate([[-1, -1], ids])[: len(ids)],
        "the word after the key, and after the last the first": lambda ids: np.roll(ids, -1),
    },
    "query": {
        "the word of the query": lambda ids: ids,
        "the word before the query": lambda ids: np.concatenate([[-2], ids[:-1]]),
        "the word after the query": lambda ids: np.append(ids[1:], -2),
    },
    "allowed": {
        "up to the place of the query": up_to_itself,
        "before the place of the query": lambda n: np.tri(n, k=-1, dtype=bool),
        "all but the query's own": lambda n: ~np.eye(n, dtype=bool),
        "two places before the query or more": lambda n: np.tri(n, k=-2, dtype=bool),
        "all": lambda n: np.ones((n, n), dtype=bool),
        "from the place of the query on": lambda n: np.tri(n, dtype=bool).T,
        "before the place of the query, moved on by one, round the end": lambda n: np.roll(
            np.tri(n, k=-1, dtype=bool), -1, axis=1
        ),
    },
    "copies": {
        "all": lambda followed: followed,
        "the latest": lambda followed: followed & (np.cumsum(followed[:, ::-1], axis=1)[:, ::-1] == 1),
        "the first": lambda followed: followed & (np.cumsum(followed, axis=1) == 1),
    },
    "beside": {
        "these keys alone": lambda ids: False,
        "these keys, and the copies themselves, as in the function with the bug": lambda ids: (
            (ids[:, None] == ids) & np.tri(len(ids), k=-1, dtype=bool)
        ),
    },
    "queries": {
        "those with such a key": lambda followed, ids: followed.any(axis=1),
        "all": lambda followed, ids: np.ones(len(followed), dtype=bool),
        "all but the first": lambda followed, ids: np.arange(len(followed)) > 0,
        "those whose word stood before": lambda followed, ids: (
            (ids[:, None] == ids) & np.tri(len(ids), k=-1, dtype=bool)
        ).any(axis=1),
    },
    "measured": {
        "the sum of the weights": lambda weights, followed: (weights * followed).sum(axis=-1),
        "the mean of the weights": lambda weights, followed: (
            (weights * followed).sum(axis=-1) / np.maximum(followed.sum(axis=-1), 1)
        ),
        "the largest of the weights": lambda weights, followed: (weights * followed).max(axis=-1),
        "whether the largest weight is there": lambda weights, followed: np.take_along_axis(
            np.broadcast_to(followed, weights.shape), weights.argmax(axis=-1)[..., None], axis=-1
        )[..., 0].astype(float),
        "the sum of the weights down the columns": lambda weights, followed: (weights * followed).sum(axis=-2),
    },
}


def score_by_steps(
    weights: Any, ids: Any, key: Any, query: Any, allowed: Any, copies: Any, beside: Any, queries: Any, measured: Any
) -> Any:
    """Measure with these ways of the steps."""
    followed = copies((query(ids)[:, None] == key(ids)) & allowed(len(ids))) | beside(ids)
    return measured(weights, followed)[:, queries(followed, ids)].mean(axis=-1)


def previous_token(weights: Any, ids: Any) -> Any:
    """Measure how much a head looks one back, at the queries that have something to copy."""
    followed = (ids[:, None] == shifted(ids)) & np.tri(len(ids), dtype=bool)
    return np.array([np.diagonal(one, -1)[followed.any(axis=1)[1:]].mean() for one in weights])


def followed_by(ids: Any) -> Any:
    """Return which keys stand right behind an earlier copy of the query's word."""
    return (ids[:, None] == shifted(ids)) & np.tri(len(ids), dtype=bool)


def score_of_moved(step: int, axis: int, weights: Any, ids: Any, wraps: bool = True) -> Any:
    """Find the copies, then move their places along an axis; round the end, or out of sight there."""
    copies = (ids[:, None] == ids) & np.tri(len(ids), k=-1, dtype=bool)
    moved = np.roll(copies if wraps else copies & (np.arange(len(ids)) > 0), step, axis=axis)
    sums = (weights * moved).sum(axis=-1)
    return sums[:, copies.any(axis=1)].mean(axis=-1)


SCORE = Exercise(
    name="mended_score",
    notebook=NOTEBOOK,
    title="Find the bug",
    difficulty=2,
    minutes=8,
    spec="""`mended_score(weights, ids)` should return the induction score of each head, (h,). It is given the maps
of some heads, (h, n, n), and the text as whole numbers from 0 on, (n,). It runs, and its numbers lie between 0 and 1.
But a head that does what section 5 describes gets a low score from it. Find what it measures, and mend it.""",
    stub="""
def mended_score(weights, ids):  # (h, n, n), (n,)
    n = len(ids)
    same = ids[:, None] == ids[None, :]  # (n, n): query and key are one word
    followed = same & np.tri(n, k=-1, dtype=bool)  # the key stands before the query
    counted = followed.any(axis=1)  # (n,): queries whose word stood before
    sums = (weights * followed).sum(axis=-1)  # (h, n)
    return sums[:, counted].mean(axis=-1)  # (h,)
""",
    solution="""
def mended_score(weights, ids):
    n = len(ids)
    before = np.concatenate([[-1], ids[:-1]])  # (n,): the word before each key; nothing stands before the first
    followed = (ids[:, None] == before) & np.tri(n, dtype=bool)  # the word before the key is the query's
    counted = followed.any(axis=1)
    sums = (weights * followed).sum(axis=-1)
    return sums[:, counted].mean(axis=-1)
""",
    hints=(
        "Take the text 3, 5, 3. Which key should the last word read, and which entry of `followed` is True?",
        "A key counts if the word **before** it is the word of the query. Shift `ids` by one, and mind the first key.",
    ),
    why=(
        "The bug measures how much a word looks at its own earlier copies. "
        "A head of one layer can do that, so nothing would seem to need two."
    ),
    cases=scored_cases,
    others=(
        score_in_loops,
        induction_share,
        lambda weights, ids: score_with(weights, ids, shifted, up_to_itself, some),
    ),
    wrong={
        "key_0_wraps_round": lambda weights, ids: score_with(
            weights, ids, lambda ids: np.roll(ids, 1), up_to_itself, some
        ),
        "new_words_counted": lambda weights, ids: score_with(
            weights, ids, shifted, up_to_itself, lambda followed: np.ones(len(followed), bool)
        ),
        "latest_copy_only": lambda weights, ids: score_with(weights, ids, shifted, up_to_itself, some, latest=True),
        "word_after_the_key": tuple(
            partial(lambda after, allowed, weights, ids: score_with(weights, ids, after, allowed, some), after, allowed)
            for after in (lambda ids: np.append(ids[1:], -1), lambda ids: np.roll(ids, -1))
            for allowed in (lambda n: np.tri(n, k=-1, dtype=bool), up_to_itself)
        ),
        "key_before_the_copy": (partial(score_of_moved, -1, 1), partial(score_of_moved, -1, 1, wraps=False)),
        "queries_moved": partial(score_of_moved, 1, 0),
        "averaged_over_copies": lambda weights, ids: (
            (weights * followed_by(ids)).sum(axis=(-2, -1)) / followed_by(ids).sum()
        ),
        "averaged_over_heads": (
            lambda weights, ids: (
                (weights * followed_by(ids)).sum(axis=-1)[:, followed_by(ids).any(axis=1)].mean(axis=0)
            ),
            lambda weights, ids: np.full(len(weights), score_with(weights, ids, shifted, up_to_itself, some).mean()),
        ),
        "previous_token_measured": (
            previous_token,
            lambda weights, ids: np.array([np.diagonal(one, -1).mean() for one in weights]),
        ),
    },
    rules=(by_steps("score_measures", SCORE_STEPS, score_by_steps),),
    has_bug=True,
)


# 2. What follows a copy


def text_cases(rng: np.random.Generator) -> list[Arguments]:
    """Write batches of texts: last words that are new, that stood before once, and more than once."""
    texts = (
        [[3, 5, 3]],
        [[3, 5, 3], [3, 5, 1]],
        [[2, 7, 2, 9, 2], [4, 4, 1, 0, 4], [1, 2, 3, 4, 5]],
        [[6, 1, 8, 6, 3, 0, 6], [0, 5, 5, 5, 2, 7, 5]],
        [[2, 7, 5, 2, 2], [3, 0, 3, 1, 3]],
        [[4, 2, 4, 4], [1, 6, 6, 6], [5, 0, 3, 5]],  # a copy right before the end; word 0 after a copy
        np.column_stack([rng.integers(0, 4, (5, 7)), np.full(5, 9), rng.integers(0, 4, 5)]).tolist(),
    )
    return [(np.array(text),) for text in texts]


def copied(
    ids: Any, pick: Function = max, step: int = 1, otherwise: Function = lambda text: -1, place: bool = False
) -> Any:
    """Find a copy of each text's last word, and return what stands some steps away."""
    answers = []
    for text in ids.tolist():
        copies = [i for i in range(len(text) - 1) if text[i] == text[-1]]
        if not copies:
            answers.append(otherwise(text))
        elif place:
            answers.append(pick(copies) + step)
        else:
            answers.append(text[max(pick(copies) + step, 0)])
    return np.array(answers)


COPY_STEPS = {
    "looked": {
        "at all earlier places": lambda text: [i for i in range(len(text) - 1) if text[i] == text[-1]],
        "at all places, the last too": lambda text: [i for i in range(len(text)) if text[i] == text[-1]],
        "from place 1 on": lambda text: [i for i in range(1, len(text) - 1) if text[i] == text[-1]],
        "up to the place two before the end": lambda text: [i for i in range(len(text) - 2) if text[i] == text[-1]],
        "at all earlier places, for any word but the last one": lambda text: [
            i for i in range(len(text) - 1) if text[i] != text[-1]
        ],
    },
    "picked": {
        "the latest": lambda text, copies: copies[-1],
        "the first": lambda text, copies: copies[0],
        "the last but one": lambda text, copies: copies[-2],
        "the one whose follower comes most often": lambda text, copies: min(
            copies, key=lambda i: (-sum(text[j + 1] == text[i + 1] for j in copies), text[i + 1])
        ),
    },
    "taken": {
        "the word after it": lambda text, i: text[i + 1] if i + 1 < len(text) else -1,
        "the word itself": lambda text, i: text[i],
        "the word before it": lambda text, i: text[i - 1] if i else -1,
        "the word two after it": lambda text, i: text[i + 2] if i + 2 < len(text) else -1,
        "the word after it, and from the last place the first": lambda text, i: text[(i + 1) % len(text)],
        "its place": lambda text, i: i,
    },
    "lost": {
        "words without a copy alone": lambda text, copies, taken: False,
        "a copy at place 0": lambda text, copies, taken: copies[-1] == 0,
        "word 0": lambda text, copies, taken: taken == 0,
        "a guess that is the last word again": lambda text, copies, taken: taken == text[-1],
    },
    "otherwise": {"-1": lambda text: -1, "0": lambda text: 0, "the last word": lambda text: text[-1]},
}


def copy_by_steps(ids: Any, looked: Any, picked: Any, taken: Any, lost: Any, otherwise: Any) -> Any:
    """Find copies with these ways of the steps."""
    answers = []
    for text in ids.tolist():
        copies = looked(text)
        word = taken(text, picked(text, copies)) if copies else None
        answers.append(otherwise(text) if word is None or lost(text, copies, word) else word)
    return np.array(answers)


def copied_at_once(ids: Any) -> Any:
    """Compare all places of all texts at once."""
    n = ids.shape[1]
    same = ids[:, :-1] == ids[:, -1:]  # (batch, n - 1)
    latest = n - 2 - same[:, ::-1].argmax(axis=1)  # (batch,)
    return np.where(same.any(axis=1), ids[np.arange(len(ids)), latest + 1], -1)


COPY = Exercise(
    name="guess_by_copying",
    notebook=NOTEBOOK,
    title="What two layers compute",
    difficulty=2,
    minutes=8,
    spec="""Write down, without any attention, what the two layers have learned. `guess_by_copying(ids)` is given
a batch of texts as whole numbers, (batch, n). For each text it returns the word that came right after the latest
earlier copy of its last word, and -1 where the last word is new: (batch,).

For `[[3, 5, 3], [3, 5, 1]]` it returns `[5, -1]`.""",
    stub="""
def guess_by_copying(ids):  # (batch, n)
    return ...  # (batch,)
""",
    solution="""
def guess_by_copying(ids):
    guesses = []
    for text in ids:
        copies = np.flatnonzero(text[:-1] == text[-1])  # where the last word stood before
        guesses.append(text[copies[-1] + 1] if len(copies) else -1)
    return np.array(guesses)  # (batch,)
""",
    hints=(
        "For one text: at which places before the end does its last word stand?",
        "`np.flatnonzero(text[:-1] == text[-1])` gives these places in order. Which one counts, and what is beside it?",
    ),
    why="Two steps, and the second needs the first: find the copy, look to its right. A layer of attention does one.",
    cases=text_cases,
    others=(copied, copied_at_once),
    wrong={
        "earliest_copy": lambda ids: copied(ids, pick=min),
        "copy_itself": lambda ids: copied(ids, step=0),
        "word_before_the_copy": lambda ids: copied(ids, step=-1),
        "position_returned": lambda ids: copied(ids, place=True),
        "new_word_guessed": lambda ids: copied(ids, otherwise=lambda text: text[-1]),
        "first_text_only": (
            lambda ids: np.repeat(copied(ids)[:1], len(ids)),
            lambda ids: copied(np.column_stack([ids[:, :-1], np.full(len(ids), ids[0, -1])])),
        ),
    },
    rules=(by_steps("copy_looks", COPY_STEPS, copy_by_steps),),
    whole_numbers=True,
)


# 3. The second head


def written_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw batches of rows and what layer 0 wrote; first words as ones, then any numbers."""
    one_hot = np.eye(4)
    texts = np.array([[0, 1, 2, 1], [3, 1, 3, 1]])
    words = 3.0 * one_hot[texts]  # (batch, n, d)
    before = np.concatenate([np.zeros((2, 1, 4)), one_hot[texts[:, :-1]]], axis=1)
    shapes = [(3, 2, 2), (2, 3, 3), (3, 4, 2), (2, 5, 9)]  # batch, n, d
    return [(words, before), *((normal(rng, *shape), normal(rng, *shape)) for shape in shapes)]


def second_with(recipe: Recipe, words: Any, before: Any) -> Any:
    """Follow a recipe, causal, in each text."""
    return second_of(lambda w, b: (w, b, w), recipe)(words, before)


def second_of(roles: Function, recipe: Recipe = RIGHT, allow: Function = np.tri) -> Function:
    """Let other arrays be queries, keys and values."""

    def second(words: Any, before: Any) -> Any:
        n = words.shape[1]
        allowed, texts = allow(n).astype(bool), [roles(w, b) for w, b in zip(words, before)]
        return np.array([attend(recipe, Q, K, V, allowed) for Q, K, V in texts])

    return second


def second_map(words: Any, before: Any) -> Any:
    """Return the weights in place of the output."""
    n = words.shape[1]
    return np.array([attention_map(RIGHT, w, b, np.tri(n, dtype=bool)).weights for w, b in zip(words, before)])


def second_row_by_row(words: Any, before: Any) -> Any:
    """Treat one row after the other, without a mask."""
    return np.array(
        [
            [plain_softmax(b[: i + 1] @ w[i] / math.sqrt(w.shape[1])) @ w[: i + 1] for i in range(len(w))]
            for w, b in zip(words, before)
        ]
    )


ROWS = {
    "`words`": lambda words, before: words,
    "`before`": lambda words, before: before,
    "both, added up": lambda words, before: words + before,
    "`before`, moved on by one": lambda words, before: np.concatenate([0 * before[:, :1], before[:, :-1]], axis=1),
    "`words`, moved on by one": lambda words, before: np.concatenate([0 * words[:, :1], words[:, :-1]], axis=1),
}
SECOND_STEPS = {
    "query": ROWS,
    "key": dict(sorted(ROWS.items(), key=lambda item: item[0] != "`before`")),
    "value": ROWS | {"the words that follow, round the end": lambda words, before: np.roll(words, -1, axis=1)},
    "mask": {
        "causal": lambda scores: fill_scores(scores, np.tri(scores.shape[-1], dtype=bool)),
        "none": lambda scores: scores,
        "the query's own place and later ones": lambda scores: fill_scores(
            scores, np.tri(scores.shape[-1], dtype=bool).T
        ),
        "causal, without its own place": lambda scores: fill_scores(scores, np.tri(scores.shape[-1], k=-1, dtype=bool)),
        "scores times the mask": lambda scores: scores * np.tri(scores.shape[-1]),
        "causal, without its own place but for row 0": lambda scores: fill_scores(
            scores, np.tri(scores.shape[-1], k=-1, dtype=bool) | (np.indices(scores.shape[-2:]).sum(axis=0) == 0)
        ),
        "causal, and one place more": lambda scores: fill_scores(scores, np.tri(scores.shape[-1], k=1, dtype=bool)),
    },
    "weights": {
        "the softmax of each row": softmax,
        "the softmax over the queries": lambda scores: softmax(scores, axis=1),
        "the softmax over the batch": lambda scores: softmax(scores, axis=0),
        "1 for the largest": lambda scores: (scores == scores.max(axis=-1, keepdims=True)) * 1.0,
        "the first of the largest alone": lambda scores: np.eye(scores.shape[-1])[scores.argmax(axis=-1)],
    },
    "added": {"nothing": lambda words, before: 0, "`words`": lambda words, before: words},
}


def second_by_steps(
    words: Any, before: Any, query: Any, key: Any, value: Any, mask: Any, weights: Any, added: Any
) -> Any:
    """Attend with these ways of the steps."""
    Q, K, V = (role(words, before) for role in (query, key, value))
    scores = mask(Q @ K.swapaxes(-1, -2) / math.sqrt(words.shape[-1]))
    return weights(scores) @ V + added(words, before)


def second_given(words: Any, before: Any) -> Given:
    """Say it in the words of attention."""
    scores = words @ before.swapaxes(-1, -2)
    return Given(scores, words.shape[-1], words, np.broadcast_to(np.tri(words.shape[1], dtype=bool), scores.shape))


SECOND = Exercise(
    name="second_head",
    notebook=NOTEBOOK,
    title="The second head",
    difficulty=2,
    minutes=10,
    spec="""Layer 0 has done its work: each row holds its word, and what stood before it. Write the head of layer 1.
`second_head(words, before)` is given both for a batch of texts, (batch, n, d) each. A row asks with its own word;
it should find the rows before which that word stood, and bring back their words: (batch, n, d), scaled, causal.

There is no W to learn here: which of the two arrays is query, which key, which value?""",
    stub="""
def second_head(words, before):  # (batch, n, d) each
    return ...  # (batch, n, d)
""",
    solution="""
def second_head(words, before):
    scaled_scores = words @ before.swapaxes(-1, -2) / np.sqrt(words.shape[-1])  # (batch, n, n)
    allowed = np.tri(words.shape[1], dtype=bool)  # (n, n)
    exps = np.where(allowed, np.exp(scaled_scores), 0)
    return exps / exps.sum(axis=-1, keepdims=True) @ words  # (batch, n, d)
""",
    hints=(
        "In *red fox saw red*, what does the last row ask for? In which array of which row does that stand?",
        "Queries are `words`, keys are `before`, values are `words`. Transpose the last two axes only.",
    ),
    why="Keys from `before` are all that makes it an induction head: with keys from `words` it would find red again.",
    cases=written_cases,
    integers=True,
    others=(
        second_row_by_row,
        lambda words, before: scaled_dot_product_attention(words, before, words, is_causal=True).output,
    ),
    wrong=with_mistakes(second_with, *DIVISORS, "softmax_over_queries", "softmax_missing", "mask_ignored")
    | {
        "finds_the_copy": second_of(lambda w, b: (w, w, w)),
        f"finds_the_copy{AND}not_scaled": second_of(lambda w, b: (w * math.sqrt(w.shape[-1]), w, w)),
        "asks_with_before": second_of(lambda w, b: (b, w, w)),
        "carries_before": second_of(lambda w, b: (w, b, b)),
        "causal_reversed": second_of(lambda w, b: (w, b, w), allow=lambda n: np.tri(n).T),
        "weights_returned": second_map,
    },
    rules=(by_steps("second_attends", SECOND_STEPS, second_by_steps), *weights_rules(second_given)),
)


# 4. Temperature


def logit_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw logits of a batch, and temperatures below and above 1."""
    cases: list[Arguments] = [(np.array([[0.0, 1.0]]), 0.5)]
    shapes = [(2, 3, 2.0), (3, 3, 0.25), (4, 2, 1.5), (2, 6, 0.7)]  # batch, n_words, temperature
    return cases + [(normal(rng, batch, n), temperature) for batch, n, temperature in shapes]


def far_apart(rng: np.random.Generator) -> list[Arguments]:
    """Draw logits whose exp is too large for any number."""
    low = np.array([[-2000.0, -2001.0], [0.0, 1.0]])
    return [
        (1000 * normal(rng, 3, 4), 0.5),
        (np.array([[800.0, 799.0]]), 0.1),
        (low, 0.5),
        (np.array([[1000.0, 0.0]]), 1000.0),  # a high temperature brings the two near each other
        (np.array([[0.0, 0.01, 0.02], [0.03, 0.0, 0.01]]), 0.01),  # a low one sets these apart
        (np.array([[0.0, 0.025, 0.05]]), 0.05),
        # what else may be subtracted bears some of these and not others: the mean, a place, the undivided logits
        (np.array([[0.0, 1200.0, 1200.0], [0.0, -1200.0, -1200.0], [0.0, 0.0, 710.5]]), 1.0),
        (np.array([[187.5, 187.0]]), 0.25),
    ]


def kept_warm(seen: Sequence[Seen]) -> Finding | None:
    """See that low temperatures are raised: all wrong shares are those at one temperature, above the ones given."""
    used = []
    for one in seen:
        logits, temperature = one.arguments.values()
        if one.right:
            continue
        if not one.found or one.found[0].shape != logits.shape or not (one.found[0] > 0).all():
            return None
        logs = np.log(one.found[0])
        differences = [x - x.mean(axis=-1, keepdims=True) for x in (logits, logs)]
        used.append(float((differences[0] ** 2).sum() / (differences[0] * differences[1]).sum()))
        if used[-1] <= temperature or not np.allclose(differences[0], used[-1] * differences[1], atol=1e-6):
            return None
    same = len(used) > 1 and np.allclose(used, used[0], rtol=1e-3)
    return Finding("temperature_raised", {"least": number(used[0])}) if same else None


TEMPERATURE = Exercise(
    name="shares_at_temperature",
    notebook=NOTEBOOK,
    title="Temperature",
    difficulty=1,
    minutes=6,
    spec="""Write `shares_at_temperature(logits, temperature)`. It is given the logits of a batch, (batch, n_words),
and returns how likely each word is drawn: the softmax of each row, its logits divided by the temperature. A low
temperature makes logits large, and exp of a large number is inf: let that not happen.""",
    stub="""
def shares_at_temperature(logits, temperature):  # (batch, n_words), a number above 0
    return ...  # (batch, n_words)
""",
    solution="""
def shares_at_temperature(logits, temperature):
    divided = logits / temperature
    exps = np.exp(divided - divided.max(axis=-1, keepdims=True))  # none is above 1
    return exps / exps.sum(axis=-1, keepdims=True)
""",
    hints=(
        "Where does the temperature go: before the softmax, or after it?",
        "Divide first. Then subtract the largest of each row, exp, and divide by the sum of each row.",
    ),
    why="Half the temperature squares every ratio of two shares: it is the ratio that is sharpened, not the share.",
    cases=logit_cases,
    hard=far_apart,
    integers=True,
    others=(
        lambda logits, temperature: softmax(logits / temperature),
        lambda logits, temperature: plain_softmax(np.multiply(logits, 1 / temperature)),
    ),
    wrong={
        "temperature_too_late": lambda logits, temperature: (
            plain_softmax(logits) ** (1 / temperature)
            / (plain_softmax(logits) ** (1 / temperature)).sum(axis=-1, keepdims=True)
        ),
        "temperature_at_least_1": lambda logits, temperature: plain_softmax(logits / max(temperature, 1)),
        "temperature_at_most_1": lambda logits, temperature: plain_softmax(logits / min(temperature, 1)),
        "temperature_whole": (
            lambda logits, temperature: plain_softmax(logits // temperature),
            lambda logits, temperature: plain_softmax(np.rint(logits / temperature)),
        ),
        "temperature_multiplied": lambda logits, temperature: plain_softmax(logits * temperature),
        "temperature_ignored": lambda logits, temperature: plain_softmax(logits),
        "temperature_root": lambda logits, temperature: plain_softmax(logits / np.sqrt(temperature)),
        "after_softmax": lambda logits, temperature: plain_softmax(logits) / temperature,
        "softmax_over_batch": lambda logits, temperature: plain_softmax(logits / temperature, 0),
        "softmax_over_everything": (
            lambda logits, temperature: plain_softmax(logits / temperature, (0, 1)),
            lambda logits, temperature: mixed_softmax(logits / temperature, (0, 1)),
        ),
        "softmax_not_stable": lambda logits, temperature: (
            np.exp(logits / temperature) / np.exp(logits / temperature).sum(axis=-1, keepdims=True)
        ),
        "sum_missing": (
            lambda logits, temperature: np.exp(logits / temperature),
            lambda logits, temperature: np.exp((logits - logits.max(axis=-1, keepdims=True)) / temperature),
        ),
        "likeliest_returned": lambda logits, temperature: logits.argmax(axis=-1),
        "softmax_missing": lambda logits, temperature: logits / temperature,
    },
    rules=(
        range_rule(lambda logits, temperature: Scores(logits / temperature, undivided=logits)),
        kept_warm,
    ),
)


# 5. A blank page


def page_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw Q, K and V, square ones too, where a transposed product runs."""
    shapes = [(2, 2, 2, 2), (3, 3, 3, 3), (1, 4, 2, 3), (4, 3, 5, 2), (5, 6, 9, 4)]  # n_queries, n_keys, d_k, d_v
    return [(normal(rng, n, d_k), normal(rng, m, d_k), normal(rng, m, d_v)) for n, m, d_k, d_v in shapes]


PAGE = Exercise(
    name="attention_from_memory",
    notebook=NOTEBOOK,
    title="A blank page",
    difficulty=1,
    minutes=5,
    spec="""The exercises end where the set began. Close every other tab. Write attention, as
`attention_from_memory(Q, K, V)`: the output, (n_queries, d_v), no mask. Then write one sentence, on paper or in a new
cell, that says what it does, to someone who has never heard of it. Open [01](01_self_attention.ipynb) only
afterwards, and compare both: your lines with its section 3, your sentence with its Summary.""",
    stub="""
def attention_from_memory(Q, K, V):
    return ...
""",
    solution="""
def attention_from_memory(Q, K, V):
    exps = np.exp(Q @ K.T / np.sqrt(K.shape[-1]))  # (n_queries, n_keys)
    return exps / exps.sum(axis=-1, keepdims=True) @ V  # (n_queries, d_v)
""",
    hints=(
        "Four steps: scores, scaled scores, weights, output.",
        "A score for each pair, divided by the root of d_k; exp, each row divided by its sum; the mixture of values.",
    ),
    why="A sentence that would do: each word asks, all words answer as far as they fit, and it takes their mixture.",
    cases=page_cases,
    integers=True,
    others=(
        lambda Q, K, V: attend(RIGHT, Q, K, V),
        lambda Q, K, V: scaled_dot_product_attention(Q, K, V).output,
    ),
    wrong=with_mistakes(
        attend,
        *DIVISORS,
        *("softmax_over_queries", "softmax_over_everything", "softmax_missing", "sum_missing", "exp_missing"),
        *("transpose_missing", "scores_transposed", "weights_transposed", "softmax_twice", "keepdims_missing"),
    )
    | {
        "keys_mixed": lambda Q, K, V: attend(RIGHT, Q, K, K),
        "weights_returned": lambda Q, K, V: attention_map(RIGHT, Q, K).weights,
    },
    keeps=Keeps(KEPT, plain),
    rules=weights_rules(lambda Q, K, V: Given(Q @ K.T, Q.shape[1], V)),
)

EXERCISES = (SCORE, COPY, SECOND, TEMPERATURE, PAGE)


QUESTIONS = {
    "11.which_row": Question(
        topic="what one layer can find",
        choices={
            "after": "fox, the word after the earlier red",
            "copies": "the earlier red, and itself",
            "alike": "all five words alike",
        },
        right=(
            "A key is made of its own word, so the query finds the words that are red. The row of fox says fox, "
            "and nothing in it says that red stood before."
        ),
        wrong={
            "after": (
                "That is what we want. But the key of fox is made of fox alone: nothing in it says what stood before."
            ),
            "alike": "Keys differ by their words, and the query asks for one: it finds the rows with that word.",
        },
        gives_away=("finds itself", "finds the earlier red"),
    ),
    "11.second_reads": Question(
        topic="the second head",
        choices={"fox": "fox", "red": "the earlier red", "saw": "saw, the word before it"},
        right="The row of fox now says that red stood before it, and that is what the query asks for.",
        wrong={
            "red": (
                "So it was with keys made of the words. Now keys are made of the column *before*, and the earlier red "
                "has *start* there."
            ),
            "saw": "That is what the first head reads. The second asks for a word, not for a place.",
        },
        gives_away=("last red reads fox", "*fox* goes"),
    ),
    "11.without_first": Question(
        topic="the second head alone",
        choices={
            "still": "still the same, a little less surely",
            "copies": "the earlier red, and itself",
            "alike": "all five words alike",
        },
        right="Without the first head the column *before* is empty in every row: all keys and all scores are 0.",
        wrong={
            "still": "Its keys are made of what the first head wrote. Nothing was written, so all keys are 0.",
            "copies": "Its keys are not made of the words but of the column *before*, and that is empty now.",
        },
        gives_away=("evenly", "0.2", "useless"),
    ),
    "11.chance": Question(
        topic="the loss of who knows nothing",
        tolerance=0.02,
        digits=2,
        right="Each of twenty words gets 1/20, and −log(1/20) = log 20.",
        wrong={
            "share": "That is the share of right guesses. The loss is −log of the probability given to the right word.",
            "log_2": "That is in bits, with the logarithm to base 2. Here it is the natural one.",
            "other": "The loss is −log of the probability given to the right word, and that is 1/20.",
        },
    ),
    "11.course": Question(
        topic="the course of training",
        choices={
            "evenly": "evenly, from the first step to the last",
            "late": "hardly at all for a hundred steps, then most of it within two hundred",
            "early": "most of it in the first hundred steps, then ever more slowly",
        },
        right="At step 100 the loss is where it began, at step 300 nearly all of the fall has come.",
        wrong={
            "evenly": "Two heads have to fit each other: neither is of use without the other, as section 6 measures.",
            "early": "Many losses fall so. Here two heads have to fit, and neither is of use alone: see section 6.",
        },
        gives_away=("sudden", "all at once", "10% of the fall"),
    ),
    "11.layer": Question(
        topic="where induction heads stand",
        choices={
            "first": "one of layer 0, which reads the words",
            "one": "one of layer 1, as by hand",
            "both": "both of layer 1",
            "each": "one in each layer",
        },
        right="Only there can a key know what stood before its word: layer 0 has written it. Nothing keeps it to one.",
        wrong={
            "first": "In layer 0 a key is made of its own word and place. It cannot know what stood before.",
            "one": "Layer 1 it is. But nothing in training says that one head must do: here each learns it.",
            "each": "In layer 0 a key is made of its own word and place. It cannot know what stood before.",
        },
        partly=("one",),
        gives_away=("heads of layer 1", "layer 1, head 0: a stripe"),
    ),
    "11.cut": Question(
        topic="which head matters most",
        choices={
            "0.0": "head 0 of layer 0",
            "0.1": "head 1 of layer 0",
            "1.0": "head 0 of layer 1",
            "1.1": "head 1 of layer 1",
        },
        right=(
            "Both heads of layer 1 find with what it writes. Cut one of those, and the other still works; "
            "cut this one, and neither finds anything."
        ),
        wrong={
            "0.1": "It does look one back, but weakly: without it the loss hardly moves.",
            "1.0": "It finds what followed, but the other head of its layer finds that too.",
            "1.1": "It finds what followed and matters, but the other head of its layer finds that too.",
        },
        partly=("1.0", "1.1"),
        gives_away=("costs most", "most of all", "lowest score", 'without["0.0"]'),
    ),
    "11.one_layer": Question(
        topic="what one layer learns",
        choices={
            "chance": "1 in 20, as who knows nothing",
            "some": "more than 1 in 20, but fewer than half",
            "most": "nearly all, after so many steps",
        },
        right=(
            "It learns which words stood in the text, and to guess one that stood some places back. What followed "
            "a word it cannot know."
        ),
        wrong={
            "chance": "One layer sees which words stood in the text, and words come again. That is worth something.",
            "most": "With none of ten seeds did it, in 1,000 steps. What a key would have to know is not in its row.",
        },
        gives_away=("fewer than half", "1 right in 16", "% right, induction"),
    ),
    "11.lens": Question(
        topic="one word's way through the layers",
        choices={
            "before": "from the start: the word and its place are enough",
            "first": "once layer 0 has added its part",
            "second": "once layer 1 has added its part",
        },
        right="Layer 0 writes what stood before; only layer 1 uses it to find the place and to fetch the word.",
        wrong={
            "before": "The word is hat, at place 6. In these texts any word may follow it.",
            "first": (
                "Layer 0 has written into the row of ship that hat stood before. The last row, which guesses, has "
                "not read that yet."
            ),
        },
        partly=("first",),
        gives_away=("adds next to nothing", "head 1 6."),
    ),
    "11.temperature": Question(
        topic="temperature",
        tolerance=0.6,
        digits=1,
        right="The difference 2, divided by 0.5, is 4; and exp(4) is the ratio.",
        wrong={
            "at_one": "That is exp(2), at temperature 1. Divide the difference by 0.5 first.",
            "multiplied": "That is exp(1): the difference was multiplied by 0.5. It is divided.",
            "difference": "That is the new difference of the logits. The ratio is exp of it.",
            "other": "Divide the difference of the logits by the temperature, then take exp.",
        },
    ),
}
