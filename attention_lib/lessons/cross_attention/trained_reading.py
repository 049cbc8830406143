"""How often a trained model reads the English word that it is about to write in Korean."""

import numpy as np
from numpy.typing import NDArray

from ...language_model import LanguageModel
from ...training.two_languages import KINDS, NOUNS, TIMES, VERBS, draw_sentence, in_english, in_korean

KOREAN_OF = TIMES | KINDS | NOUNS | VERBS


def share_read(model: LanguageModel, n_sentences: int = 200) -> NDArray[np.float64]:
    """Count for each head the words that it finds: the largest weight is on the English word being translated.

    Particles and stops have no English word and are left out.

    Returns
    -------
    (n_layers, n_heads) ndarray
        The share of the words found, over `n_sentences` random sentences.

    Examples
    --------
    >>> from attention_lib.examples.small_models import load_writing_model
    >>> share_read(load_writing_model(), 10).shape
    (2, 4)
    """
    rng = np.random.default_rng(0)
    found = []
    for _ in range(n_sentences):
        sentence = draw_sentence(rng)
        english, korean = in_english(sentence), in_korean(sentence)
        maps = np.array([layer.heads.weights for layer in model(model.ids(english + korean)).layers])
        for i, word in enumerate(korean):
            own = [j for j, other in enumerate(english) if KOREAN_OF.get(other) == word]
            if own:
                row = len(english) + i - 1  # a word is written by the row before it
                found.append(np.isin(maps[:, :, row].argmax(axis=-1), own))  # (n_layers, n_heads)
    return np.mean(found, axis=0)
