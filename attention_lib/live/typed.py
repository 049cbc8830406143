"""What a reader types, as words or as a number, or a sentence that says what is wrong with it."""

from .._numbers import readings
from .._words import Refusal, _

LONGEST_QUOTED = 20  # characters of what was typed
MOST_WORDS = 12  # of a sentence


def read_words(text: str) -> tuple[str, ...]:
    """Split a sentence into words; `panel.labels_of` makes labels of them.

    Raises
    ------
    Refusal
        If there is no word, or more than `MOST_WORDS`.
    """
    words = text.split()
    if not words:
        raise Refusal(_("Type a sentence first: words with spaces between them."))
    if len(words) > MOST_WORDS:
        sentence = _("That is {n} words; this lab shows up to {most}. Please take a shorter sentence.")
        raise Refusal(sentence.format(n=len(words), most=MOST_WORDS))
    return tuple(words)


def read_number(text: str, name: str, before: str, digits: int) -> float:
    """Return the number that was typed, rounded.

    Raises
    ------
    Refusal
        With a sentence for the reader, where it is none, or `digits` is 0 and it is not whole;
        `name` stays what it was `before`.
    """
    numbers, quoted = readings(text), text.strip()[:LONGEST_QUOTED]
    if not quoted:
        raise Refusal(_("Type a number; {name} stays {before}.").format(name=name, before=before))
    if not numbers:
        sentence = _("“{text}” is not a number; {name} stays {before}.")
        raise Refusal(sentence.format(text=quoted, name=name, before=before))
    value = numbers[0]
    if digits == 0 and value != int(value):
        sentence = _("{text} is not a whole number; {name} stays {before}.")
        raise Refusal(sentence.format(text=quoted, name=name, before=before))
    return round(value, digits)
