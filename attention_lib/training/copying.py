"""A task that needs two layers: a few random words, then a series of random words that repeats again and again.

Which words come, and how many there are before they repeat, is drawn anew for
every text, so no word follows another more often than any other does. The only way to
guess is to find where the last word occurred before, and to look at the word after it.
"""

import numpy as np
from numpy.typing import NDArray

from .language_training import Texts, Trainer, random_language_model

WORDS = (
    *("apple", "bird", "cloud", "door", "egg", "fish", "goat", "hat", "ink", "jar"),
    *("key", "lamp", "moon", "nest", "owl", "pear", "queen", "road", "ship", "tree"),
)
N_POSITIONS = 32
BEFORE = (0, 4)  # least and most words before the part that repeats
PART = (2, 16)  # least and most words of that part
N_TEXTS = 32  # in one step
STEPS, RATE = 1000, 0.01


def draw_texts(rng: np.random.Generator, n_texts: int = N_TEXTS) -> Texts:
    """Draw texts of different words, of which a part repeats again and again.

    Examples
    --------
    >>> ids = draw_texts(np.random.default_rng(0), 1).ids[0]  # here the part has 11 words, after 4 others
    >>> (ids[15:] == ids[4:-11]).all()
    np.True_
    """
    before, part = (rng.integers(low, high + 1, size=(n_texts, 1)) for low, high in (BEFORE, PART))
    words = _shuffled_words(rng, n_texts)  # (n_texts, n_words)
    places = np.arange(N_POSITIONS + 1)  # (n + 1,)
    places = np.where(places < before, places, before + (places - before) % part)  # (n_texts, n + 1)
    return Texts(np.take_along_axis(words, places, axis=1))


def held_out_ids() -> NDArray[np.intp]:
    """Draw 32 texts to measure on, (32, 32): sixteen different words, then the same sixteen again.

    Examples
    --------
    >>> ids = held_out_ids()[0]
    >>> (ids[:16] == ids[16:]).all(), len(set(ids.tolist()))
    (np.True_, 16)
    """
    words = _shuffled_words(np.random.default_rng(12345), N_TEXTS)
    return np.tile(words[:, : N_POSITIONS // 2], 2)


def _shuffled_words(rng: np.random.Generator, n_texts: int) -> NDArray[np.intp]:
    return rng.permuted(np.tile(np.arange(len(WORDS)), (n_texts, 1)), axis=1)  # (n_texts, n_words): each word once


def copying_trainer(seed: int, *, n_layers: int = 2, n_heads: int = 2) -> Trainer:
    """Return a trainer at step 0: a random model of the task and the texts, both drawn by the seed.

    After `STEPS` steps, the loss has dropped.

    References
    ----------
    .. [1] Olsson et al., "In-context Learning and Induction Heads", 2022.
    """
    model = random_language_model(
        WORDS, seed=seed, n_layers=n_layers, n_heads=n_heads, d_model=32, n_positions=N_POSITIONS, dtype=np.float32
    )
    return Trainer(model, draw_texts, rate=RATE, seed=seed)
