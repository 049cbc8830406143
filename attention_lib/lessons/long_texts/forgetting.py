"""Writing with only some of the earlier rows, and the mistakes that come of it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...language_model import LanguageModel, choose
from ...masks import causal_mask, sliding_window_mask
from ...training.two_languages import ENGLISH, KINDS, NOUNS, STOP, TIMES, VERBS, in_korean, read_english

KOREAN_FOR = TIMES | KINDS | NOUNS | VERBS


def kept_rows(n: int, *, first: int = 0, last: int) -> NDArray[np.bool_]:
    """Mark the rows that each of n words may read: the first ones of the text, and the last ones up to its own.

    References
    ----------
    .. [1] Xiao et al., "Efficient Streaming Language Models with Attention Sinks", 2024, section 3.2.

    Examples
    --------
    >>> kept_rows(5, first=1, last=2).astype(int)
    array([[1, 0, 0, 0, 0],
           [1, 1, 0, 0, 0],
           [1, 1, 1, 0, 0],
           [1, 0, 1, 1, 0],
           [1, 0, 0, 1, 1]])
    """
    at_the_start = causal_mask(n) & (np.arange(n) < first)  # (n, n)
    return at_the_start | sliding_window_mask(n, left=last - 1)  # the word itself is one of the last


def write_pages(
    model: LanguageModel, masks: Sequence[ArrayLike], n_pages: int = 50, *, this_pair: bool = False
) -> list[list[str]]:
    """Write pages from "the" on, where word i reads in each layer only the rows that row i of the layer's mask allows.

    There is a mask (n, n) for each layer; n is the length of a page. The words of page k are drawn with the seed k, at
    temperature 0.8. With `this_pair`, all rows before the current pair of sentences are hidden too. A pair begins with
    an English word after a full stop.

    Examples
    --------
    >>> from attention_lib.examples.small_models import load_writing_model
    >>> " ".join(write_pages(load_writing_model(), [kept_rows(7, last=7)] * 2)[0])
    'the girl reads the book . 소녀'
    """
    kept = np.asarray(masks, dtype=bool)  # (n_layers, n, n)
    n = kept.shape[-1]
    rngs = [np.random.default_rng(seed) for seed in range(n_pages)]
    ids = np.repeat(model.ids(["the"]), n_pages)[:, None]  # (n_pages, words so far)
    rows = np.zeros((len(kept), n_pages, n, model.W_E.shape[1]), model.W_E.dtype)  # what each layer reads
    is_english, stop = np.isin(model.words, ENGLISH), model.ids([STOP])
    start = np.zeros((n_pages, 1), dtype=int)  # where the current pair begins
    for i in range(n - 1):
        if this_pair and i > 0:
            begins = (ids[:, -2:-1] == stop) & is_english[ids[:, -1:]]  # (n_pages, 1)
            start = np.where(begins, i, start)
        row = model.W_E[ids[:, -1:]] + model.W_P[i]  # (n_pages, 1, d_model)
        for layer, read, allowed in zip(model.layers, rows, kept[:, i]):
            read[:, i : i + 1] = row
            not_older = np.flatnonzero(allowed) >= start  # (n_pages, n_allowed)
            row = row + layer(row, context=read[:, allowed], mask=not_older[:, None, None]).output
        logits = row[:, 0] @ model.W_U  # (n_pages, n_words)
        new = [choose(each, 0.8, rng) for each, rng in zip(logits, rngs)]
        ids = np.column_stack([ids, new])
    return [[model.words[place] for place in page] for page in ids]


class Mistake(NamedTuple):
    """The first wrong word of a translation, and what the model could read when it wrote this word."""

    remainder: list[str]  # from before the pair
    readable: list[str]  # of the pair
    wrong: str
    right: str
    n_words: int  # of the pair, translated as it should be
    is_source_hidden: bool  # whether the right word translates an English word whose row was hidden


def mistakes(pages: Sequence[Sequence[str]], mask: NDArray[np.bool_]) -> Iterator[Mistake]:
    """Find the English sentences that make sense but are not translated exactly, as `judge` counts them.

    Examples
    --------
    >>> page = "the cat sees the moon . 고양이 가 달 을 탄다 . the".split()
    >>> [mistake] = mistakes([page], kept_rows(13, last=7))
    >>> mistake.wrong, mistake.right, mistake.is_source_hidden
    ('탄다', '본다', True)
    """
    for page in pages:
        stops = [i for i, word in enumerate(page) if word == STOP]
        for before, end, after in zip([-1, *stops], stops, stops[1:], strict=False):
            english = page[before + 1 : end + 1]
            meaning = read_english(english)
            right = in_korean(meaning) if meaning else []
            written = page[end + 1 : after + 1]
            wrong = next((i for i, (a, b) in enumerate(zip(written, right, strict=False)) if a != b), None)
            if wrong is not None:
                allowed = mask[end + wrong]  # the word before reads these rows and writes this word
                sources = [i for i, word in enumerate(english) if KOREAN_FOR.get(word) == right[wrong]]
                source = sources[right[:wrong].count(right[wrong])] if sources else None
                read = [i for i, is_allowed in enumerate(allowed) if is_allowed]
                yield Mistake(
                    remainder=[page[i] for i in read if i <= before],
                    readable=[page[i] for i in read if i > before],
                    wrong=written[wrong],
                    right=right[wrong],
                    n_words=len(english) + len(right),
                    is_source_hidden=source is not None and not allowed[before + 1 + source],
                )
