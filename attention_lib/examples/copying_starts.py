"""Where the copying lab begins: runs, steps of them, a head that is cut, and a text."""

from dataclasses import dataclass

N_HEADS = 4  # of either model, all layers together
TEXT = ("door", "egg", "moon", "hat", "ship", "tree", "hat")
RUNS = {  # the run: its layers, and whether the reader trains it
    "two": (2, False),
    "one": (1, False),
    "own two": (2, True),
    "own one": (1, True),
}


@dataclass(frozen=True)
class CopyingState:
    """Which run, which step of it, which head is cut, and the text it reads."""

    run: str = "two"
    seed: int = 0  # of a run that the reader trains
    place: int = 0  # in the course of the run
    cut: int | None = None  # among all heads
    text: tuple[str, ...] = TEXT


LAST = 11  # of the models that are stored
STATES = {
    "before": CopyingState(),
    "drop": CopyingState(place=5),
    "after": CopyingState(place=LAST),
    "cut": CopyingState(place=LAST, cut=0),
    "one": CopyingState(run="one", place=LAST),
    "own": CopyingState(run="own two"),
}
