"""The exercises of notebook 15: a bug in the delta rule, a map that fades, and shares without softmax."""

from typing import Any

import numpy as np

from ...checks.exercise import Exercise, normal, quarters, whole

overwritten = Exercise(
    title="Find the bug: a memory that forgets too much",
    difficulty=2,
    minutes=6,
    task="""`overwritten(S, key, value)` should write a value with the delta rule, so that a key of length 1 then reads
exactly this value: `key @ overwritten(S, key, value)` is `value`. Keys at right angles to it should read what they read
before. One line is wrong. Find it and fix it.""",
    solution="""
def overwritten(S, key, value):  # (d_k, d_v), (d_k,), (d_v,)
    read = key @ S
    S = S + np.outer(key, value)
    return S - np.outer(key, read)
""",
    bug={"np.outer(key, read)": "read"},
    hints=(
        "What is the shape of `read`? From which rows of S does the last line subtract it?",
        "What is taken away has to be written with the same key as what is added.",
    ),
    why="`S - read` takes the same numbers from every row of S, including rows that this key does not read. The "
    "outer product takes away only what this key reads.",
    cases=lambda rng: [
        (np.array([[2.0, 1.0], [5.0, 3.0]]), np.array([1.0, 0.0]), np.array([4.0, 4.0])),
        *(
            (normal(rng, n, m), rng.permutation([0.6, 0.8, *[0.0] * (n - 2)]), normal(rng, m))
            for n, m in [(3, 4), (5, 2)]
        ),
        (normal(rng, 4, 4), np.full(4, 0.5), normal(rng, 4)),
    ],
    mistakes={
        "`read` comes too late: after the value is added, the key also reads this value, and you take it away again.": {
            "read = key @ S\n    S = S + np.outer(key, value)": "S = S + np.outer(key, value)\n    read = key @ S"
        },
    },
)

fading_map = Exercise(
    title="All words at once, with a gate",
    difficulty=2,
    minutes=8,
    task="""A model generates text word by word, but in training all words are there at once. Write
`fading_map(scores, gate)`. It takes the scores Q @ K.T, (n, n), and returns a map. One product with this map,
`fading_map(Q @ K.T, gate) @ V`, should give the same outputs as a state with this gate, word by word. Word i reads
word j with its score times gate to the power i − j, and does not read later words at all.

With all scores 1 and the gate 0.5, the rows of three words are `[1, 0, 0]`, `[0.5, 1, 0]` and `[0.25, 0.5, 1]`.""",
    solution="""
def fading_map(scores, gate):  # (n, n), a number above 0
    n = len(scores)
    ago = np.arange(n)[:, None] - np.arange(n)
    return np.where(ago >= 0, scores * gate ** np.maximum(ago, 0), 0)  # (n, n)
""",
    hints=(
        "How many steps is word j before word i? A column of positions minus a row of positions gives every answer.",
        "`ago = np.arange(n)[:, None] - np.arange(n)`. Below the diagonal it is above 0, and above the diagonal it is "
        "negative.",
    ),
    why="This is the causal mask of notebook 3 with numbers in place of True: the further back a word is, the "
    "smaller its number. RetNet (Sun et al., 2023) has such a map in training, and generates text with a state.",
    cases=lambda rng: [
        (np.ones((3, 3)), 0.5),
        (whole(rng, 2, 2), 0.25),
        (quarters(rng, 4, 4), 1.0),
        (normal(rng, 6, 6), 0.9),
    ],
    mistakes={
        "Later words are not set to 0. Each word may read only itself and earlier words.": {
            "np.where(ago >= 0, scores * gate ** np.maximum(ago, 0), 0)": "scores * gate**ago"
        },
        "Every score is multiplied by the gate once too often. A word reads itself with its full score.": {
            "np.maximum(ago, 0)": "np.maximum(ago + 1, 0)"
        },
    },
)


def draw_step(rng: np.random.Generator, d_k: int, d_v: int) -> tuple[Any, ...]:
    """Draw a state, its sum of keys, and a query, a key and a value; queries, keys and their sums are positive."""
    positive = [np.abs(normal(rng, d_k)) + 0.25 for _ in range(3)]
    return normal(rng, d_k, d_v), *positive, normal(rng, d_v)


share_step = Exercise(
    title="Shares again",
    difficulty=3,
    minutes=8,
    task="""Without softmax, the scores of a row do not sum to 1. If all keys and queries are positive, you can
fix this: keep the sum `z` of all keys beside the state S, and divide what is read by `q @ z`. Write
`share_step(S, z, q, k, v)` for one word. It writes the word's key and value into both, and returns the new state, the
new sum, and what the query then reads.""",
    solution="""
def share_step(S, z, q, k, v):  # (d_k, d_v), (d_k,), (d_k,), (d_k,), (d_v,)
    S = S + np.outer(k, v)
    z = z + k
    return S, z, q @ S / (q @ z)  # (d_k, d_v), (d_k,), (d_v,)
""",
    hints=(
        "The score of a word is q @ k. What is the sum of the scores of all words, if z is the sum of their keys?",
        "First write the word: `S + np.outer(k, v)` and `z + k`. Then read with the new ones.",
    ),
    why="q @ z is the sum of all scores of the row, so dividing by it needs no cache. "
    "Katharopoulos et al. (2020, section 3.2) use elu(x) + 1 to make q and k positive.",
    cases=lambda rng: [
        (np.ones((2, 2)), np.ones(2), np.array([1.0, 2.0]), np.array([1.0, 1.0]), np.array([3.0, 5.0])),
        draw_step(rng, 3, 2),
        draw_step(rng, 2, 4),
        draw_step(rng, 4, 4),
    ],
    parts=("state", "sum of keys", "output"),
    mistakes={
        "The query reads before the word is written. Write the word first, so that it also reads itself.": {
            "S = S + np.outer(k, v)\n    z = z + k\n    return S, z, ": "return S + np.outer(k, v), z + k, "
        },
    },
)
