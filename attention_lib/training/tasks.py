"""A small task to learn attention from: which meaning 배 has.

A sentence holds 배 (a pear, a belly or a ship), one cue that decides which,
and filler words. Nothing says where to look.
"""

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .._arguments import Array
from ..attention import AttentionTrace, softmax
from .learning import Batch, Layer, Training, answer, random_layer, train

BAE = "배"
CUES = {
    "pear": ("달콤한", "깎아서", "과일"),
    "belly": ("고파서", "아프다", "치킨을", "먹었다"),
    "ship": ("타고", "항구", "바다"),
}
MEANINGS = tuple(CUES)
FILLERS = ("어제", "밤에", "가", "시켜서", "오늘", "아침에", "우리는", "집에서")
WORDS = (BAE, *(cue for cues in CUES.values() for cue in cues), *FILLERS)
N_WORDS = 8  # in a sentence of the task, as in article 000's


def embed(tokens: Sequence[str]) -> Array:
    """Give each word a column of its own: 1 there, 0 elsewhere (one-hot). A word not in `WORDS` raises ValueError.

    Examples
    --------
    >>> embed(["배", "달콤한"])[:, :3]
    array([[1., 0., 0.],
           [0., 1., 0.]])
    """
    for token in tokens:
        if token not in WORDS:
            raise ValueError(f"{token} is not a word of this task; its words are {', '.join(WORDS)}")
    return np.eye(len(WORDS))[[WORDS.index(token) for token in tokens]]  # (n, n_words)


class Sentence(NamedTuple):
    """Words in their order, and what 배 means there."""

    tokens: tuple[str, ...]
    meaning: str


def write_sentences(n: int, rng: np.random.Generator, leave_out: Collection[str] = ()) -> list[Sentence]:
    """Write n sentences, the meanings in turn: 배, one cue (none of `leave_out`) and six fillers, in any order.

    Examples
    --------
    >>> write_sentences(1, np.random.default_rng(0))[0].meaning
    'pear'
    """
    cues = {meaning: [cue for cue in CUES[meaning] if cue not in leave_out] for meaning in MEANINGS}
    sentences = []
    for i in range(n):
        meaning = MEANINGS[i % len(MEANINGS)]
        cue = cues[meaning][rng.choice(len(cues[meaning]))]  # draws a place, because drawing a word is slow
        words = [BAE, cue, *(FILLERS[j] for j in rng.choice(len(FILLERS), N_WORDS - 2))]
        sentences.append(Sentence(tuple(words[j] for j in rng.permutation(N_WORDS)), meaning))
    return sentences


def bae_batch(sentences: Sequence[Sentence]) -> Batch:
    """Turn sentences into numbers; the one query of each is 배."""
    tokens = [token for sentence in sentences for token in sentence.tokens]
    return Batch(
        X=np.array([embed([BAE])] * len(sentences)),  # (batch, 1, n_words)
        context=embed(tokens).reshape(len(sentences), -1, len(WORDS)),  # (batch, n, n_words)
        answers=np.array([[MEANINGS.index(sentence.meaning)] for sentence in sentences]),  # (batch, 1)
        keys=np.array([[_place_of_cue(sentence)] for sentence in sentences]),  # (batch, 1)
    )


def _place_of_cue(sentence: Sentence) -> int:
    return [token in CUES[sentence.meaning] for token in sentence.tokens].index(True)


def learn_bae(seed: int, *, leave_out: Collection[str] = (), **options: Any) -> Training:
    """Draw sentences and a random layer from a seed, and train: the whole experiment.

    It learns from 120 sentences, in which the cues of `leave_out` do not occur. Another 300
    sentences are held out; these have all cues. The `options` are those of `train`.

    Examples
    --------
    >>> run = learn_bae(0, steps=60)
    >>> run.last.accuracy > run.snapshots[0].accuracy
    True
    """
    return train(*_draw_bae(seed, frozenset(leave_out)), **options)


@lru_cache(maxsize=16)
def _draw_bae(seed: int, leave_out: frozenset[str]) -> tuple[Layer, Batch, Batch]:
    """Draw a random layer, sentences to learn from and held-out ones; runs with the same arguments share them."""
    rng = np.random.default_rng(seed)
    layer = random_layer(rng, len(WORDS), len(WORDS), 4, len(MEANINGS))  # d_k = 4
    held_out = bae_batch(write_sentences(300, rng))
    batch = bae_batch(write_sentences(120, rng, leave_out))
    for array in (*layer.matrices().values(), *batch, *held_out):
        array.setflags(write=False)  # other runs begin with the same arrays
    return layer, batch, held_out


def bae_map(layer: Layer, tokens: Sequence[str]) -> AttentionTrace:
    """Let all words of a sentence attend to each other with a trained (or untrained) layer."""
    X = embed(tokens)  # (n, n_words)
    return answer(layer, X, X)[0]


def meaning_of_bae(layer: Layer, trace: AttentionTrace, tokens: Sequence[str]) -> dict[str, float]:
    """Return the probability of each meaning, from the output of 배."""
    probabilities = softmax(trace.output[list(tokens).index(BAE)] @ layer.W_C)  # (n_classes,)
    return dict(zip(MEANINGS, probabilities.tolist()))
