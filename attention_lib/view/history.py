"""The way back: what a lab's plain model needs to take steps and to take them back."""

from collections import deque
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Generic, TypeVar

import numpy as np

MOST_UNDOS = 500

S = TypeVar("S")


def same(one: Any, other: Any) -> bool:
    """Whether two states hold the same, arrays compared number by number.

    Examples
    --------
    >>> same((1, np.array([1.0, 2.0])), (1, np.array([1.0, 2.0])))
    True
    """
    if one is other:
        return True
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    if type(one) is not type(other):
        return bool(one == other)
    if is_dataclass(one):
        return all(same(getattr(one, part.name), getattr(other, part.name)) for part in fields(one))
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


class History(Generic[S]):
    """The states before each change; changes of one gesture are taken back together.

    Examples
    --------
    >>> past = History[str]()
    >>> past.keep("a", gesture=1), past.keep("b", gesture=1), past.keep("c")
    (None, None, None)
    >>> past.last(), past.back(), past.back(), past.back()
    ('c', 'c', 'a', None)
    """

    def __init__(self) -> None:
        self._states: deque[S] = deque(maxlen=MOST_UNDOS)
        self._gesture: object = None

    def __len__(self) -> int:
        return len(self._states)

    def keep(self, state: S, gesture: object = None) -> None:
        """Keep the state before a change; within a gesture the first is enough."""
        if gesture is None or gesture != self._gesture:
            self._states.append(state)
        self._gesture = gesture

    def last(self) -> S | None:
        """Return the state before the last change, and keep it; None where there is none."""
        return self._states[-1] if self._states else None

    def back(self) -> S | None:
        """Return the state before the last change, and forget it; None where there is none."""
        self._gesture = None
        return self._states.pop() if self._states else None


class Reversible(Generic[S]):
    """A plain model: one state that never changes in place, named states to jump to, and the way back.

    A lab's model adds what the reader can do, with `_go`, and in `_show` what
    follows from a state. Where the reader only looks (which row, which head) is
    no part of the state.

    Parameters
    ----------
    first : S
        The state it begins with; `reset` goes back to it until another is loaded.

    Examples
    --------
    >>> class Counter(Reversible[int]):
    ...     presets = {"many": 100}
    >>> counter = Counter(0)
    >>> counter.start_from("many"), counter.state, counter.preset
    (None, 100, 'many')
    >>> counter.undo(), counter.state, counter.undo()
    (True, 0, False)
    """

    state: S
    start: S
    presets: Mapping[str, S] = {}

    def __init__(self, first: S) -> None:
        self._past = History[tuple[S, S]]()  # (state, start) before each change
        self._now: S | None = None  # what is, while the reader looks at what was before
        self.start = first
        self._show(first)

    def start_from(self, name: str) -> None:
        """Begin with a preset, everything in one step.

        Raises
        ------
        ValueError
            If there is no such preset.
        """
        self.load(preset_of(self.presets, name))

    def load(self, state: S) -> None:
        """Begin with another state: `undo` leads back to this one, `reset` to the other."""
        self._go(state, start=state)

    def undo(self) -> bool:
        """Go back one step; False where there is none."""
        self.look_back(False)
        past = self._past.back()
        if past is not None:
            state, self.start = past
            self._show(state)
        return past is not None

    def reset(self) -> bool:
        """Go back to where the reader began, which can be undone too; False where that is what is shown."""
        return self._go(self.start)

    def look_back(self, on: bool) -> bool:
        """Show the state before the last step, or again what is; True while the past is shown. Any step ends it."""
        if not on and self._now is not None:
            now, self._now = self._now, None
            self._show(now)
        elif on and self._now is None and self._can_look_back():
            past = self._past.last()
            assert past is not None
            self._now = self.state
            self._show(past[0])
        return self._now is not None

    @property
    def looks_back(self) -> bool:
        """Whether the state before the last step is shown."""
        return self._now is not None

    def _can_look_back(self) -> bool:
        return self._past.last() is not None

    @property
    def preset(self) -> str | None:
        """The preset that is shown as it was set; None where the reader has gone on."""
        return next((name for name, state in self.presets.items() if same(state, self.state)), None)

    def _go(self, state: S, gesture: object = None, start: S | None = None) -> bool:
        self.look_back(False)
        before = self.state, self.start
        self._show(state)  # first: if it is refused, nothing has happened
        self.start = self.start if start is None else start
        changed = not same((self.state, self.start), before)
        if changed:  # what changes nothing is no step
            self._past.keep(before, gesture)
        return changed

    def _show(self, state: S) -> None:
        self.state = state


def preset_of(presets: Mapping[str, S], name: str) -> S:
    """Return a preset by its name, or say which there are."""
    if name not in presets:
        raise ValueError(f"there is no preset {name!r}; the presets are {', '.join(presets)}")
    return presets[name]
