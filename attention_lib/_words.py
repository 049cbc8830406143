"""Sentences that are said to a reader, in the reader's language.

Each stands where it is said, as `_("The largest is {word}.").format(word=word)`. The language is read when it is said,
so nothing is translated at import.
"""

import gettext
from functools import cache
from pathlib import Path

ENGLISH = "en"
DOMAIN = "attention"
LOCALE = Path(__file__).parent / "locale"  # translations, written by `make translations`

_chosen = ENGLISH


class Refusal(ValueError):
    """A sentence that tells a learner why what they typed or pressed cannot be done."""


def language(name: str) -> None:
    """Choose the language of every sentence, label and title that the library says from now on.

    Parameters
    ----------
    name : str
        "en", or a language with a catalogue, such as "ko". A sentence without a translation is said in English.

    Raises
    ------
    ValueError
        If there is no catalogue for this language.

    Examples
    --------
    >>> language("en")
    """
    global _chosen
    known = [ENGLISH, *sorted(path.parent.parent.name for path in LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.mo"))]
    if name not in known:
        raise ValueError(f"there is no language {name!r}; there are {', '.join(known)}")
    _chosen = name


def _(sentence: str) -> str:
    """Return a sentence in the chosen language; without a translation, as it is."""
    if not sentence:  # in a catalogue, the empty text is its header
        return sentence
    return _catalogue(_chosen).gettext(sentence)


@cache
def _catalogue(name: str) -> gettext.NullTranslations:
    return gettext.translation(DOMAIN, str(LOCALE), [name], fallback=True)
