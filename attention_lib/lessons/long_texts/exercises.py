"""The exercises of notebook 14: a mask to choose, the rows of a cache, and pairs that are slowed down."""

import numpy as np

from ...checks.exercise import Exercise

stream_mask = Exercise(
    title="Choose the mask",
    difficulty=2,
    minutes=8,
    task="""Write `stream_mask(n_queries, n_keys, n_first, n_last)`. It returns an array of shape (n_queries, n_keys)
that is True where a query may attend to a key. The last query lines up with the last key, as in a step with a cache. A
query may attend to the first `n_first` keys of the text and to the last `n_last` keys up to and including its own. It
may never attend to a key that comes after its own.

For 1 query, 6 keys, 1 first and 2 last, it returns `[[True, False, False, False, True, True]]`.""",
    solution="""
def stream_mask(n_queries, n_keys, n_first, n_last):
    key = np.arange(n_keys)
    n_before = n_keys - n_queries
    own = n_before + np.arange(n_queries)[:, None]  # (n_queries, 1)
    is_first = key < n_first
    is_near = key > own - n_last  # (n_queries, n_keys)
    return (is_first | is_near) & (key <= own)  # (n_queries, n_keys) of bool
""",
    hints=(
        "Give each query the number of its own key. With a cache of four and two new tokens, these are 4 and 5.",
        "Combine three comparisons: the key is one of the first, or it is near the query's own key, and it is not "
        "later.",
    ),
    why="With this mask, a cache need not keep more than n_first + n_last rows between two steps, however long the "
    "text becomes.",
    cases=lambda rng: [(1, 6, 1, 2), (4, 4, 0, 2), (5, 5, 2, 1), (2, 7, 3, 3), (6, 6, 4, 4), (3, 8, 1, 5)],
    mistakes={
        "Your mask allows keys that come after the query's own key. A query may never attend to these.": {
            " & (key <= own)": ""
        },
        "Your mask numbers the queries from 0. But the last query lines up with the last key, so there may be keys "
        "before the first query's own.": {"n_before + ": ""},
    },
)

rows_in_caches = Exercise(
    title="Count the rows",
    difficulty=1,
    minutes=6,
    task="""In a layer that reads everything, the cache keeps the row of every token. In a layer with a window, it
keeps only the newest `window` rows.

Write `rows_in_caches(n_tokens, window, n_windowed, n_full)`. It returns how many rows the caches of all layers hold
together after `n_tokens` tokens, if `n_windowed` layers have the window and `n_full` layers read everything.""",
    solution="""
def rows_in_caches(n_tokens, window, n_windowed, n_full):  # four whole numbers
    in_window = min(n_tokens, window)
    return n_windowed * in_window + n_full * n_tokens  # a whole number
""",
    hints=(
        "How many rows does a cache with a window hold when the text is shorter than the window?",
        "Multiply the rows of one cache by the number of such layers, and add up both kinds.",
    ),
    why="Take a text of 8,192 tokens, ten layers with a window of 1,024, and two layers that read everything. These "
    "two hold more than three fifths of the rows, and the longer the text, the larger their share.",
    cases=lambda rng: [(2, 3, 1, 1), (5, 3, 2, 1), (8, 8, 3, 2), (8192, 1024, 10, 2), (300, 64, 0, 4), (20, 7, 5, 0)],
    mistakes={
        "This is right for long texts. But a text that is shorter than the window has only one row for each token.": {
            "min(n_tokens, window)": "window"
        },
        "You have swapped the two kinds of layers.": {
            "n_windowed * in_window + n_full * n_tokens": "n_full * in_window + n_windowed * n_tokens"
        },
    },
)

slowed_speeds = Exercise(
    title="Slow down some of the pairs",
    difficulty=2,
    minutes=7,
    task="""Write `slowed_speeds(speeds, n_trained, times)`. Each pair of a rotary head turns by its speed, in radians,
from one position to the next. Training has seen `n_trained` positions. Texts are now to be `times` times as long. Pairs
that have made at least one whole turn in training, which is 2π radians in `n_trained` positions, keep their speed. All
other pairs are divided by `times`. Return the new speeds.

For the speeds `[1, 0.001]`, 4096 positions and 4 times, it returns `[1, 0.00025]`: in 4096 positions, the second pair
has turned by only about 4 radians, which is less than a whole turn.""",
    solution="""
def slowed_speeds(speeds, n_trained, times):  # (..., d/2), a number, a number
    angles = speeds * n_trained  # (..., d/2): after the longest text seen in training
    finished = angles >= 2 * np.pi
    return np.where(finished, speeds, speeds / times)  # (..., d/2)
""",
    hints=(
        "How far has each pair turned at the end of the longest text seen in training?",
        "`np.where(condition, a, b)` takes a where the condition holds, and b elsewhere.",
    ),
    why="The fast pairs turn as they did in training, and no slow pair turns further than it did there. YaRN does "
    "something similar, but with a gradual transition between fast and slow pairs, and it also makes the scores "
    "larger.",
    cases=lambda rng: [
        (np.array([1.0, 0.001]), 4096, 4),
        (10000.0 ** (-np.arange(0, 8, 2) / 8), 100, 2),
        (10000.0 ** (-np.arange(0, 128, 2) / 128), 4096, 8),
        (rng.uniform(0, 0.02, (2, 5)), 512, 4),
        (np.array([0.5, 0.01, 0.0001]), 2048, 16),
    ],
    mistakes={
        "Your function slows down every pair. That is plain interpolation. The fast pairs should keep their speed.": {
            "np.where(finished, speeds, speeds / times)": "speeds / times"
        },
    },
)
