"""Sentences that are said to a reader, in the reader's language.

Each stands where it is said, as `_("The largest is {word}.").format(word=word)`. The language is read when it is said.
"""

import gettext
import os
from functools import cache
from pathlib import Path

DOMAIN = "attention"
LOCALE = Path(__file__).parent / "locale"
VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")  # as gettext reads them


def _(sentence: str) -> str:
    """Return a sentence in the reader's language, which the environment names; without a translation, as it is."""
    return _catalogue(*map(os.environ.get, VARIABLES)).gettext(sentence)


@cache
def _catalogue(*languages: str | None) -> gettext.NullTranslations:
    """Return the translations into the language that the environment names; looking for the file takes 0.1 ms."""
    return gettext.translation(DOMAIN, str(LOCALE), fallback=True)
