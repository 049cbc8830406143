"""A task that takes two layers: a few random words, then a part of random words that comes again and again.

Which words come, and how many until they come again, is drawn anew for every
text: no word follows another more often than the next. The only way to guess is
to find where the last word stood before, and to look at the word after it.
"""

import numpy as np
from numpy.typing import NDArray

from .language_training import Texts, Trainer, random_language_model

WORDS = (
    *("apple", "bird", "cloud", "door", "egg", "fish", "goat", "hat", "ink", "jar"),
    *("key", "lamp", "moon", "nest", "owl", "pear", "queen", "road", "ship", "tree"),
)
N_POSITIONS = 32
BEFORE = (0, 4)  # words before the part that repeats: from, to
PART = (2, 16)  # words of that part
N_TEXTS = 32  # of one step
STEPS, RATE = 1000, 0.01


def draw_texts(rng: np.random.Generator, n_texts: int = N_TEXTS) -> Texts:
    """Draw texts of words that differ, until a part of them comes again and again.

    Examples
    --------
    >>> ids = draw_texts(np.random.default_rng(0), 1).ids[0]  # here the part has 11 words, after 4 others
    >>> (ids[15:] == ids[4:-11]).all()
    np.True_
    """
    before, part = (rng.integers(low, high + 1, size=(n_texts, 1)) for low, high in (BEFORE, PART))
    words = rng.permuted(np.tile(np.arange(len(WORDS)), (n_texts, 1)), axis=1)  # (n_texts, n_words), each once
    places = np.arange(N_POSITIONS + 1)  # (n + 1,)
    places = np.where(places < before, places, before + (places - before) % part)  # (n_texts, n + 1)
    return Texts(np.take_along_axis(words, places, axis=1))


def held_out_ids(n_texts: int = 32, seed: int = 12345) -> NDArray[np.intp]:
    """Draw texts to measure on, (n_texts, 32): sixteen different words, then the same sixteen again.

    Examples
    --------
    >>> ids = held_out_ids(1)[0]
    >>> (ids[:16] == ids[16:]).all(), len(set(ids.tolist()))
    (np.True_, 16)
    """
    rng = np.random.default_rng(seed)
    words = rng.permuted(np.tile(np.arange(len(WORDS)), (n_texts, 1)), axis=1)[:, : N_POSITIONS // 2]
    return np.tile(words, 2)


def copying_trainer(seed: int, *, n_layers: int = 2, n_heads: int = 2) -> Trainer:
    """Return a trainer at step 0: a random model of the task, and the texts that it will learn from.

    Parameters
    ----------
    seed : int
        Decides the random model and the texts.
    n_layers, n_heads : int, optional

    Returns
    -------
    Trainer
        `STEPS` steps take it through the drop.

    References
    ----------
    .. [1] Olsson et al., "In-context Learning and Induction Heads", 2022.

    Examples
    --------
    >>> trainer = copying_trainer(0)
    >>> trainer.run(2)
    2
    """
    model = random_language_model(
        WORDS, seed=seed, n_layers=n_layers, n_heads=n_heads, d_model=32, n_positions=N_POSITIONS, dtype=np.float32
    )
    return Trainer(model, draw_texts, rate=RATE, seed=seed)
