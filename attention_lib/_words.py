"""Sentences that are said to a reader, in the reader's language.

Each stands where it is said, as `_("The largest is {word}.").format(word=word)`. The language is read when it is said.
"""

import gettext
from pathlib import Path

DOMAIN = "attention"
gettext.bindtextdomain(DOMAIN, str(Path(__file__).parent / "locale"))


def _(sentence: str) -> str:
    """Return a sentence in the reader's language, which the environment names; without a translation, as it is."""
    return gettext.dgettext(DOMAIN, sentence)
