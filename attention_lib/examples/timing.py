"""How long the small model takes for a word, as it was measured."""

from dataclasses import dataclass

from .data import read_data


@dataclass(frozen=True)
class Timing:
    """Seconds for one more token, for each way of decoding."""

    lengths: tuple[int, ...]  # tokens so far
    seconds: dict[str, tuple[float, ...]]  # way -> seconds at each length
    machine: str


def stored_timing(name: str = "writing_seconds") -> Timing:
    """Return a stored measurement: how long the small model takes for a word.

    Examples
    --------
    >>> stored_timing().lengths
    (16, 32, 64, 128, 256, 512)
    """
    record = read_data(name)
    seconds = {way: tuple(values) for way, values in record["seconds"].items()}
    return Timing(tuple(record["lengths"]), seconds, record["machine"])
