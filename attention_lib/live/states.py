"""Compare two states of a lab, and find a preset by its name."""

from collections.abc import Mapping
from typing import Any, TypeVar

from .._kept import encode

S = TypeVar("S")


def same(one: Any, other: Any) -> bool:
    """Whether two states hold the same, arrays compared number by number.

    Examples
    --------
    >>> import numpy as np
    >>> same((1, np.array([1.0, 2.0])), (1, np.array([1.0, 2.0])))
    True
    """
    return one is other or bool(encode(one) == encode(other))


def preset_of(presets: Mapping[str, S], name: str) -> S:
    """Return a preset by its name, or say which there are."""
    if name not in presets:
        raise ValueError(f"there is no preset {name!r}; the presets are {', '.join(presets)}")
    return presets[name]
