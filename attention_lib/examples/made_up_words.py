"""Numbers for words of one's own: they depend on the word alone."""

import zlib

import numpy as np


def seeded(word: str) -> np.random.Generator:
    """Return a random generator that depends on a word alone: equal words get equal numbers."""
    return np.random.default_rng(zlib.crc32(word.encode()))
