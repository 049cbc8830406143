"""Which Korean words a trained model writes while a head reads the English word that means the same."""

import numpy as np
from numpy.typing import NDArray

from ...language_model import LanguageModel
from ...training.two_languages import KINDS, NOUNS, TIMES, VERBS, draw_sentence, in_english, in_korean

COUNTERPARTS = {"time": TIMES, "adjective": KINDS, "noun": NOUNS, "verb": VERBS}  # English to Korean


def words_found(model: LanguageModel, n_sentences: int = 200, seed: int = 0) -> dict[str, NDArray[np.bool_]]:
    """Find out for each kind of word which heads have their largest weight on the English word being translated.

    For each kind it returns (n_words, n_layers, n_heads): all Korean words of that kind in `n_sentences` random
    sentences. Particles and stops have no English word and are left out.

    Examples
    --------
    >>> from attention_lib.examples.small_models import load_writing_model
    >>> found = words_found(load_writing_model(), 10)
    >>> list(found), found["verb"].shape
    (['time', 'adjective', 'noun', 'verb'], (10, 2, 4))
    """
    rng = np.random.default_rng(seed)
    found: dict[str, list[NDArray[np.bool_]]] = {kind: [] for kind in COUNTERPARTS}
    for _ in range(n_sentences):
        sentence = draw_sentence(rng)
        english, korean = in_english(sentence), in_korean(sentence)
        maps = np.array([layer.heads.weights for layer in model(model.ids(english + korean)).layers])
        for kind, korean_of in COUNTERPARTS.items():
            for i, word in enumerate(korean):
                own = [j for j, other in enumerate(english) if korean_of.get(other) == word]
                if own:
                    row = len(english) + i - 1  # a word is written by the row before it
                    found[kind].append(np.isin(maps[:, :, row].argmax(axis=-1), own))  # (n_layers, n_heads)
    return {kind: np.array(each) for kind, each in found.items()}
