"""The exercises of notebook 11: a bug, copying without attention, the second head."""

import numpy as np

from ...checks.exercise import Arguments, Exercise, normal, shares


def scored_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw causal maps of some heads, and texts in which words come once, twice and three times."""
    texts = ([3, 5, 3], [4, 1, 2, 4], [4, 1, 4, 2, 5], [2, 7, 2, 2, 7], [6, 0, 1, 6, 3, 0, 6], [1, 2, 3, 1, 2, 3, 1, 2])
    cases: list[Arguments] = []
    for text in texts:
        n = len(text)
        weights = shares(rng, 1 + n % 3, n, n) * np.tri(n)
        cases.append((weights / weights.sum(axis=-1, keepdims=True), np.array(text)))
    return cases


mended_score = Exercise(
    title="Find the bug",
    difficulty=2,
    minutes=8,
    task="""`mended_score(weights, ids)` should return the induction score of each head, (h,). It is given the maps of
some heads, (h, n, n), and the text, (n,), in which each word is a whole number, 0 or larger. It runs, and its numbers
lie between 0 and 1. But it gives a low score to a head that does exactly what section 5 describes. Find out what the
function measures instead, and fix it.""",
    stub="""
def mended_score(weights, ids):  # (h, n, n), (n,)
    n = len(ids)
    same = ids[:, None] == ids[None, :]  # (n, n): query and key are one word
    followed = same & np.tri(n, k=-1, dtype=bool)  # the key stands before the query
    counted = followed.any(axis=1)  # (n,): queries whose word has occurred before
    sums = (weights * followed).sum(axis=-1)  # (h, n)
    return sums[:, counted].mean(axis=-1)  # (h,)
""",
    solution="""
def mended_score(weights, ids):  # (h, n, n), (n,)
    n = len(ids)
    before = np.concatenate([[-1], ids[:-1]])  # (n,): the word before each key; there is none before the first
    same = ids[:, None] == before[None, :]  # (n, n): the word before the key is the word of the query
    followed = same & np.tri(n, dtype=bool)  # the key may stand where the query stands, but not later
    counted = followed.any(axis=1)  # (n,): queries whose word has occurred before
    sums = (weights * followed).sum(axis=-1)  # (h, n)
    return sums[:, counted].mean(axis=-1)  # (h,)
""",
    hints=(
        "Take the text 3, 5, 3. Which key should the last word read, and which entry of `followed` is True?",
        "A key counts if the word **before** it is the word of the query. Shift `ids` by one place, and take care of "
        "the first key.",
    ),
    why="The function with the bug measures how much a word looks at its own earlier copies. A head in a single layer "
    "can do that. By this measure, two layers would therefore seem unnecessary.",
    cases=scored_cases,
)


def text_cases(rng: np.random.Generator) -> list[Arguments]:
    """Write batches of texts whose last word is new, came before once, or came more than once."""
    any_texts = np.column_stack([rng.integers(0, 4, (5, 7)), np.full(5, 9), rng.integers(0, 4, 5)])
    texts = (
        [[3, 5, 3]],
        [[3, 5, 1]],  # no last word of the batch came before
        [[3, 5, 3], [3, 5, 1]],
        [[2, 7, 2, 9, 2], [4, 4, 1, 0, 4], [1, 2, 3, 4, 5]],
        [[6, 1, 8, 6, 3, 0, 6], [0, 5, 5, 5, 2, 7, 5]],
        [[2, 7, 5, 2, 2], [3, 0, 3, 1, 3]],
        [[4, 2, 4, 4], [1, 6, 6, 6], [5, 0, 3, 5]],  # a copy right before the end; word 0 after a copy
        any_texts,
    )
    return [(np.array(text),) for text in texts]


guess_by_copying = Exercise(
    title="What two layers compute",
    difficulty=2,
    minutes=8,
    task="""Write a function that does, without any attention, what the two layers do on texts like those of their
training. `guess_by_copying(ids)` is given a batch of texts as whole numbers, (batch, n). For each text, it finds the
most recent earlier copy of the last word and returns the word that came right after that copy. If the last word is new,
it returns -1. The result is (batch,).

For `[[3, 5, 3], [3, 5, 1]]`, it returns `[5, -1]`.""",
    solution="""
def guess_by_copying(ids):  # (batch, n)
    guesses = []
    for text in ids:
        copies = np.flatnonzero(text[:-1] == text[-1])  # where the last word stood before
        guesses.append(text[copies[-1] + 1] if len(copies) else -1)
    return np.array(guesses)  # (batch,)
""",
    hints=(
        "Take a single text. Where else in the text, before the end, does its last word occur?",
        "`np.flatnonzero(text[:-1] == text[-1])` gives these places in order. Which of them counts, and which word "
        "comes right after it?",
    ),
    why="There are two steps, and the second needs the first: find the copy, then look to its right. In the texts of "
    "the training, the same word follows every copy, so nothing there teaches the model to prefer the most recent one.",
    cases=text_cases,
)


def written_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw batches of rows and what layer 0 wrote; first one-hot words, then any numbers."""
    one_hot = np.eye(4)
    texts = np.array([[0, 1, 2, 1], [3, 1, 3, 1]])
    before = np.concatenate([np.zeros((2, 1, 4)), one_hot[texts[:, :-1]]], axis=1)
    cases: list[Arguments] = [(3.0 * one_hot[texts], before)]
    for shape in ((3, 2, 2), (2, 3, 3), (3, 4, 2), (2, 5, 9)):  # batch, n, d
        cases.append((normal(rng, *shape), normal(rng, *shape)))
    return cases


second_head = Exercise(
    title="The second head",
    difficulty=2,
    minutes=10,
    task="""Layer 0 has done its work: each row holds its own word and the word that came before it. Now write the head
of layer 1. `second_head(words, before)` is given both of these for a batch of texts, each as an array (batch, n, d).
Each row uses its own word as the query. The head should find the rows that come right after an earlier copy of that
word, and bring back the words of those rows, (batch, n, d). The scores are scaled, and the mask is causal.

There is no W to learn here. Which of the two arrays is the query, which is the key, and which is the value?""",
    solution="""
def second_head(words, before):  # (batch, n, d) each
    scaled_scores = words @ before.swapaxes(-1, -2) / np.sqrt(words.shape[-1])  # (batch, n, n)
    allowed = np.tri(words.shape[1], dtype=bool)  # (n, n)
    masked_scores = np.where(allowed, scaled_scores, -np.inf)
    exps = np.exp(masked_scores)
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ words  # (batch, n, d)
""",
    hints=(
        "In *red fox saw red*, what does the last row ask for? Which array holds that word, and in which row?",
        "The queries are `words`, the keys are `before`, and the values are `words`. Transpose only the last two axes.",
    ),
    why="Taking the keys from `before` is all that makes this an induction head. With keys from `words`, it would find "
    "the earlier *red* again.",
    cases=written_cases,
)
