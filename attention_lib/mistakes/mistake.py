"""What is said about one mistake."""

from typing import NamedTuple


class Mistake(NamedTuple):
    """What a learner reads: a title, and one or two sentences that meet the confusion behind it.

    A check may fill in what it saw: `{factor}` and the like stand for it.
    """

    title: str
    sentence: str
