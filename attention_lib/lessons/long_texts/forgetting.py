"""Writing with only some of the earlier rows."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...language_model import LanguageModel, choose
from ...masks import causal_mask, sliding_window_mask


def kept_rows(n: int, *, first: int = 0, last: int) -> NDArray[np.bool_]:
    """Mark the rows that each of n words may read: the first ones of the text, and the last ones up to its own.

    References
    ----------
    .. [1] Xiao et al., "Efficient Streaming Language Models with Attention Sinks", 2023, section 3.2.

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


def write_pages(model: LanguageModel, masks: Sequence[ArrayLike], n_pages: int = 200) -> list[list[str]]:
    """Write pages from "the" on, where word i reads in each layer only the rows that row i of the layer's mask allows.

    There is a mask (n, n) for each layer; n is the length of a page. The words of page k are drawn with the seed k, at
    temperature 0.8.

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
    for i in range(n - 1):
        row = model.W_E[ids[:, -1:]] + model.W_P[i]  # (n_pages, 1, d_model)
        for layer, read, allowed in zip(model.layers, rows, kept[:, i]):
            read[:, i : i + 1] = row
            row = row + layer(row, context=read[:, allowed]).output
        logits = row[:, 0] @ model.W_U  # (n_pages, n_words)
        new = [choose(each, 0.8, rng) for each, rng in zip(logits, rngs)]
        ids = np.column_stack([ids, new])
    return [[model.words[place] for place in page] for page in ids]
