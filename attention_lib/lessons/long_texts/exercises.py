"""The exercises of notebook 14: a mask to choose, sizes, and pairs that are slowed down."""

import numpy as np

from ...checks.exercise import Blank, Exercise

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
    },
)

sizes_of_a_mix = Exercise(
    title="Predict the sizes",
    difficulty=1,
    minutes=6,
    task="""A model has 12 layers. Layers 5 and 11 read everything, and the other ten have a window of 1,024 that counts
the word itself. Each layer has 8 heads of keys and values with 64 numbers each, so K in a cache has the shape
(heads, rows, 64). A text has 8,192 tokens. Write a shape as a tuple, and a number without brackets.""",
    hints=(
        "A window layer never needs more rows than its window. Tokens are counted from 0.",
        "Add up the rows of the layers with a window and of those without one. For the last number, find the first "
        "layer that reads everything.",
    ),
    why="More than three fifths of the rows are in the two layers that read everything, and the longer the text, the "
    "larger their share.",
    blanks={
        "K of layer 0 at the end of the text": Blank(
            (8, 1024, 64),
            {
                (8, 8192, 64): "No later token can read the older rows of this layer, so they need not be kept.",
                (8, 1023, 64): "The window counts the word itself, and its row is in the cache too.",
            },
            "The cache of a window layer holds as many rows as the window.",
        ),
        "K of layer 5 at the end of the text": Blank((8, 8192, 64), {}, "This layer reads every row of the text."),
        "keys that token 3 sees in layer 0": Blank(
            4,
            {3: "Token 3 also sees itself.", 1024: "There are not that many tokens yet."},
            "Tokens 0, 1, 2 and 3 are there.",
        ),
        "rows in the caches of all layers together": Blank(
            10 * 1024 + 2 * 8192,
            {
                12 * 8192: "Only two of the layers keep every row.",
                2 * (10 * 1024 + 2 * 8192): "A row is a key together with its value, so count the two once.",
                8 * (10 * 1024 + 2 * 8192): "A row holds the keys and values of all heads, so count it once.",
            },
            "Add up the rows of 12 layers.",
        ),
        "layers after which token 0 can have influenced the last token": Blank(
            6,
            {
                5: "Layer 5 is the sixth layer, because we count layers from 0.",
                9: "That is how many window layers it would take. Is there a shorter way?",
            },
            "Which is the first layer in which the last token can read everything?",
        ),
    },
)

slowed_speeds = Exercise(
    title="Slow down some of the pairs",
    difficulty=2,
    minutes=7,
    task="""Write `slowed_speeds(speeds, n_trained, times)`. Each pair of a rotary head turns by its speed, in radians,
from one position to the next. Training has seen `n_trained` positions. Now texts become `times` times as long. Pairs
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
    why="The fast pairs turn as they did in training, and no slow pair reaches an angle that training has not seen. "
    "YaRN does this with a gradual change between the two kinds.",
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
