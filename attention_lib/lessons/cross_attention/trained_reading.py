"""Sentence pairs of a small language, made into numbers that one cross-attention can learn to translate from."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from ...training.learning import Batch, Layer, answer, random_layer
from ...training.two_languages import KINDS, NOUNS, PARTICLES, TIMES, VERBS, draw_sentence, in_english, in_korean

START = "start"
ENGLISH = (START, "the", *TIMES, *KINDS, *NOUNS, *VERBS)
WITH_PARTICLE = tuple(noun + particle for noun in dict.fromkeys(NOUNS.values()) for particle in PARTICLES)
KOREAN = (*TIMES.values(), *KINDS.values(), *WITH_PARTICLE, *VERBS.values())
COUNTERPARTS = (0, 1, 2, 4, 3)  # places of time, adjective, subject, verb and object: Korean puts the verb last


class Pair(NamedTuple):
    """An English sentence, and the same in Korean, where a noun and its particle are one word."""

    english: tuple[str, ...]
    korean: tuple[str, ...]

    def rows(self) -> list[tuple[str, str, str]]:
        """Return the two words before each English word, and the word; *the*, which Korean has not, is left out."""
        words = (START, START, *self.english)
        return [three for three in zip(words, words[1:], words[2:]) if three[-1] != "the"]


SHOWN = Pair(("today", "the", "small", "cat", "sees", "the", "dog"), ("오늘", "작은", "고양이가", "개를", "본다"))


def draw_pairs(rng: np.random.Generator, n: int, leave_out: Collection[Pair] = ()) -> list[Pair]:
    """Draw different sentences, each with a time, a subject with an adjective, a verb and an object.

    Examples
    --------
    >>> print(*map(" ".join, draw_pairs(np.random.default_rng(0), 1)[0]), sep="; ")
    now the big girl rides the ship; 지금 큰 소녀가 배를 탄다
    """
    pairs: list[Pair] = []
    while len(pairs) < n:
        time, kind = str(rng.choice(list(TIMES))), str(rng.choice(list(KINDS)))
        sentence = draw_sentence(rng)._replace(time=time, subject_kind=kind, object_kind="")
        korean = " ".join(in_korean(sentence)[:-1])
        for particle in PARTICLES:
            korean = korean.replace(f" {particle} ", f"{particle} ")
        pair = Pair(tuple(in_english(sentence)[:-1]), tuple(korean.split()))
        if pair not in pairs and pair not in leave_out:
            pairs.append(pair)
    return pairs


def as_batch(pairs: Sequence[Pair]) -> Batch:
    """Return 0 and 1 for the words: one query per English word to be predicted, one key per Korean word."""
    english, korean = np.eye(len(ENGLISH)), np.eye(len(KOREAN))
    places = np.array([[[ENGLISH.index(word) for word in row] for row in pair.rows()] for pair in pairs])
    return Batch(
        X=np.concatenate([english[places[..., 0]], english[places[..., 1]]], axis=-1),  # the last two words
        context=korean[[[KOREAN.index(word) for word in pair.korean] for pair in pairs]],
        answers=places[..., 2],
        keys=np.tile(COUNTERPARTS, (len(pairs), 1)),
    )


def translation_task(seed: int) -> tuple[Layer, Batch, Batch]:
    """Draw a layer that knows nothing, 200 pairs to learn from, and 200 others; `SHOWN` is in neither.

    Examples
    --------
    >>> layer, batch, new = translation_task(seed=0)
    >>> batch.X.shape, batch.context.shape
    ((200, 5, 58), (200, 5, 71))
    """
    rng = np.random.default_rng(seed)
    pairs = draw_pairs(rng, 200, leave_out=[SHOWN])
    batch, new = as_batch(pairs), as_batch(draw_pairs(rng, 200, leave_out=[SHOWN, *pairs]))
    layer = random_layer(rng, batch.X.shape[-1], batch.context.shape[-1], 8, len(ENGLISH))
    return layer, batch, new


def counterparts_found(layer: Layer, batch: Batch) -> float:
    """Return the share of rows whose largest weight is on the word that they have to translate."""
    return float((answer(layer, batch.X, batch.context)[0].weights.argmax(axis=-1) == batch.keys).mean())
