"""The classic mistakes: their names and what is said about each. One table for the checks and the lab."""

from .mistake import Mistake
from .said_by_rule import BY_RULE
from .said_of_attention import ATTENTION
from .said_of_copying import COPYING
from .said_of_heads import HEADS
from .said_of_masks import MASKS
from .said_of_measures import MEASURES
from .said_of_positions import POSITIONS

__all__ = ["MISTAKES", "Mistake"]

MISTAKES: dict[str, Mistake] = ATTENTION | MASKS | HEADS | MEASURES | POSITIONS | COPYING | BY_RULE
