"""A small grammar: a sentence in English, then the same in Korean, then the next.

Sentences are drawn at random and still make sense, because tables say who can do
what with what. 배 is a pear or a ship, as in notebook 01.
"""

import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

TIMES = {"today": "오늘", "now": "지금"}
KINDS = {"small": "작은", "big": "큰", "young": "어린"}  # for people and animals only
PEOPLE = {"girl": "소녀", "boy": "소년"}
ANIMALS = {"cat": "고양이", "dog": "개", "bird": "새", "bear": "곰"}
FOOD = {"apple": "사과", "bread": "빵", "pear": "배", "water": "물", "milk": "우유"}
THINGS = FOOD | {"book": "책", "letter": "편지", "ship": "배", "train": "기차", "moon": "달"}
VERBS = {"eats": "먹는다", "drinks": "마신다", "reads": "읽는다", "rides": "탄다", "sees": "본다", "likes": "좋아한다"}
NOUNS = PEOPLE | ANIMALS | THINGS
WALKERS = (*PEOPLE, *ANIMALS)
WHO = {"reads": tuple(PEOPLE), "rides": tuple(PEOPLE)}  # every other verb: all of WALKERS
WHAT = {
    "eats": ("apple", "bread", "pear"),
    "drinks": ("water", "milk"),
    "reads": ("book", "letter"),
    "rides": ("ship", "train"),
    "sees": (*WALKERS, "moon", "ship", "train"),
    "likes": tuple(NOUNS),
}
STOP = "."
PARTICLES = ("이", "가", "을", "를")  # after the subject, after a consonant or a vowel; after the object, likewise
ENGLISH = ("the", STOP, *TIMES, *KINDS, *NOUNS, *VERBS)
KOREAN = (*PARTICLES, *TIMES.values(), *KINDS.values(), *NOUNS.values(), *VERBS.values())
WORDS = tuple(dict.fromkeys((*ENGLISH, *KOREAN)))  # each once: 배 is two English words


class Sentence(NamedTuple):
    """The parts of a sentence, in English words; "" if there is no such part."""

    time: str
    subject_kind: str
    subject: str
    verb: str
    object_kind: str
    object_: str


def draw_sentence(rng: np.random.Generator) -> Sentence:
    verb = str(rng.choice(list(VERBS)))
    subject = str(rng.choice(WHO.get(verb, WALKERS)))
    object_ = str(rng.choice([what for what in WHAT[verb] if what != subject]))
    kinds = ("", "", *KINDS)  # none in two of five sentences
    time = str(rng.choice(["", "", *TIMES]))
    object_kind = str(rng.choice(kinds)) if object_ in WALKERS else ""
    return Sentence(time, str(rng.choice(kinds)), subject, verb, object_kind, object_)


def in_english(sentence: Sentence) -> list[str]:
    """Write a sentence in English.

    Examples
    --------
    >>> in_english(Sentence("today", "small", "cat", "sees", "", "moon"))
    ['today', 'the', 'small', 'cat', 'sees', 'the', 'moon', '.']
    """
    time, subject_kind, subject, verb, object_kind, object_ = sentence
    words = [time, "the", subject_kind, subject, verb, "the", object_kind, object_, STOP]
    return [word for word in words if word]


def in_korean(sentence: Sentence) -> list[str]:
    """Write it in Korean: the verb last, and after each noun a particle that depends on how the noun ends.

    Examples
    --------
    >>> in_korean(Sentence("today", "small", "cat", "sees", "", "moon"))
    ['오늘', '작은', '고양이', '가', '달', '을', '본다', '.']
    """
    subject, object_ = NOUNS[sentence.subject], NOUNS[sentence.object_]
    words = [
        TIMES.get(sentence.time, ""),
        KINDS.get(sentence.subject_kind, ""),
        subject,
        "이" if ends_in_consonant(subject) else "가",
        KINDS.get(sentence.object_kind, ""),
        object_,
        "을" if ends_in_consonant(object_) else "를",
        VERBS[sentence.verb],
        STOP,
    ]
    return [word for word in words if word]


def ends_in_consonant(word: str) -> bool:
    """Whether a Korean word ends in a consonant. Unicode counts syllables in the order of their 28 endings.

    Examples
    --------
    >>> ends_in_consonant("곰"), ends_in_consonant("새")
    (True, False)
    """
    return (ord(word[-1]) - ord("가")) % 28 > 0


def read_english(words: Sequence[str]) -> Sentence | None:
    """Take an English sentence apart; None if the grammar has no such sentence, or it makes no sense.

    Examples
    --------
    >>> read_english("the cat sees the moon .".split()).object_
    'moon'
    >>> read_english("the moon sees the cat .".split()) is None
    True
    """
    rest = list(words)

    def take(choices: Collection[str]) -> str:
        return rest.pop(0) if rest and rest[0] in choices else ""

    time, _, subject_kind, subject, verb = take(TIMES), take(["the"]), take(KINDS), take(WALKERS), take(VERBS)
    _, object_kind, object_ = take(["the"]), take(KINDS), take(NOUNS)
    sentence = Sentence(time, subject_kind, subject, verb, object_kind, object_)
    sensible = subject in WHO.get(verb, WALKERS) and object_ in WHAT.get(verb, ()) and object_ != subject
    kind_fits = not object_kind or object_ in WALKERS
    return sentence if sensible and kind_fits and in_english(sentence) == list(words) else None


class Page(NamedTuple):
    """How many English sentences of a page have a next sentence, and how many of these pairs are right."""

    pairs: int
    english: int  # whose English is a sentence of the grammar
    korean: int  # which the Korean translation follows, word for word; its stop is not counted


def judge(words: Sequence[str]) -> Page:
    """Count the pairs of a page that are right; an unfinished sentence does not count.

    Examples
    --------
    >>> judge("the cat sees the moon . 고양이 가 달 을 본다 . the bear eats the moon . 곰 이".split())
    Page(pairs=1, english=1, korean=1)
    """
    n_pairs = n_english = n_korean = 0
    for english, korean in pairwise(_sentences_of(words)):
        if english[0] in ENGLISH and korean[-1] == STOP:
            sentence = read_english(english)
            n_pairs += 1
            if sentence is not None:
                n_english += 1
                translation = in_korean(sentence)[:-1]  # without its stop
                n_korean += korean[: len(translation)] == translation
    return Page(n_pairs, n_english, n_korean)


def _sentences_of(words: Sequence[str]) -> list[list[str]]:
    """Cut a page after each stop; the last sentence may be unfinished."""
    sentences: list[list[str]] = []
    for i, word in enumerate(words):
        if i == 0 or words[i - 1] == STOP:
            sentences.append([])
        sentences[-1].append(word)
    return sentences


def as_lines(words: Sequence[str]) -> str:
    """Write a page the way people read it: one line per sentence, each Korean particle attached to its noun.

    Examples
    --------
    >>> print(as_lines("the cat sees the moon . 고양이 가 달 을 본다 . the".split()))
    the cat sees the moon.
    고양이가 달을 본다.
    the
    """
    attached = re.compile(f" (?=(?:{'|'.join(PARTICLES)}|[.])(?: |$))")
    return "\n".join(attached.sub("", " ".join(sentence)) for sentence in _sentences_of(words))
