"""What a reader types, as words or as a number, or a sentence that says what is wrong with it."""

import math
import re

from .._words import Refusal, _

LONGEST_QUOTED = 20  # characters of what was typed

_THOUSANDS = re.compile(r"[1-9]\d{0,2}(,\d{3})+(\.\d*)?")  # 1,000 and 12,500.5, but not 0,500


def read_words(text: str, most: int) -> tuple[str, ...]:
    """Split a sentence into words; `panel.labels_of` makes labels of them.

    Raises
    ------
    Refusal
        If there is no word, or more than `most`.

    Examples
    --------
    >>> read_words("밥을 먹었다", most=12)
    ('밥을', '먹었다')
    """
    words = text.split()
    if not words:
        raise Refusal(_("Type a sentence first: words with spaces between them."))
    if len(words) > most:
        sentence = _("That is {n} words; this lab shows up to {most}. Please take a shorter sentence.")
        raise Refusal(sentence.format(n=len(words), most=most))
    return tuple(words)


def as_number(text: str) -> float:
    """Return the number that a text writes, with a point or a comma; nan where it writes none.

    A comma before groups of three digits parts thousands: 1,000 is a thousand, 0,5 a half.

    Examples
    --------
    >>> as_number("−0,5"), as_number("1,000"), as_number("1e3"), as_number("배")
    (-0.5, 1000.0, 1000.0, nan)
    """
    text = text.strip().replace("−", "-")
    text = text.replace(",", "" if _THOUSANDS.fullmatch(text.lstrip("+-")) else ".")
    try:
        return float(text)
    except ValueError:
        return math.nan


def read_number(text: str, name: str, before: str, digits: int) -> float:
    """Return the number that was typed, rounded; inf is one too, for a control that has ends.

    Raises
    ------
    Refusal
        With a sentence for the reader, where it is none, or `digits` is 0 and it is not whole;
        `name` stays what it was `before`.
    """
    value, quoted = as_number(text), text.strip()[:LONGEST_QUOTED]
    if not quoted:
        raise Refusal(_("Type a number; {name} stays {before}.").format(name=name, before=before))
    if math.isnan(value):
        sentence = _("“{text}” is not a number; {name} stays {before}.")
        raise Refusal(sentence.format(text=quoted, name=name, before=before))
    if digits == 0 and math.isfinite(value) and value != int(value):
        sentence = _("{text} is not a whole number; {name} stays {before}.")
        raise Refusal(sentence.format(text=quoted, name=name, before=before))
    return round(value, digits) if math.isfinite(value) else value
