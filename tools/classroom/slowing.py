"""Wrong passwords are slowed: for a name, and for all together. Nobody is locked out for good.

The first few cost nothing, for everybody mistypes. Then each wrong one doubles the wait, up to
half a minute, and a quarter of an hour without one forgets all. What counts is a name at an
address, so that whoever tries a name from elsewhere does not keep its owner waiting.
"""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Hashable
from dataclasses import dataclass

FREE, LONGEST, FORGOTTEN = 5, 30.0, 900.0  # wrong ones without a wait; seconds
FREE_TOGETHER, APART = 60, 0.25  # wrong ones of all without a gate; seconds between two tries at it
WAITING, WAITING_TOGETHER = 5, 40  # tries that may queue: of one address, of all
MOST_KEYS = 10_000


@dataclass
class _Tries:
    wrong: int = 0
    last: float = 0.0


class Patience:
    """How long to wait after wrong passwords, for each key by itself.

    Parameters
    ----------
    free : int
        Wrong ones that cost nothing.
    clock : callable
        Seconds, from any start.

    Examples
    --------
    >>> patience = Patience(free=1, clock=lambda: 0.0)
    >>> for _ in range(4):
    ...     patience.wrong("mira")
    >>> patience.left("mira"), patience.left("joon")
    (4.0, 0.0)
    """

    def __init__(self, free: int = FREE, clock: Callable[[], float] = time.monotonic) -> None:
        self.free, self.clock = free, clock
        self._tries: dict[Hashable, _Tries] = {}

    def _of(self, key: Hashable) -> _Tries:
        tries = self._tries.get(key, _Tries())
        return _Tries() if self.clock() - tries.last > FORGOTTEN else tries

    def count(self, key: Hashable) -> int:
        """Return how many wrong ones are remembered."""
        return self._of(key).wrong

    def left(self, key: Hashable) -> float:
        """Return the seconds until this key may try again."""
        tries = self._of(key)
        if tries.wrong <= self.free:
            return 0.0
        wait = min(2.0 ** min(tries.wrong - self.free - 1, 20), LONGEST)
        return max(0.0, tries.last + wait - self.clock())

    def wrong(self, key: Hashable) -> None:
        """Remember a wrong one."""
        if len(self._tries) >= MOST_KEYS:  # of many addresses; the oldest have waited
            self._tries.pop(next(iter(self._tries)))
        self._tries[key] = _Tries(self._of(key).wrong + 1, self.clock())

    def right(self, key: Hashable) -> None:
        """Forget the wrong ones of this key."""
        self._tries.pop(key, None)


class Gate:
    """One try after the other, a moment apart: what all tries pass once many of them were wrong.

    A right password comes through too, in its turn. Each address may have a few in the queue.
    """

    def __init__(self, apart: float = APART, waiting: int = WAITING, together: int = WAITING_TOGETHER) -> None:
        self.apart, self.waiting, self.together = apart, waiting, together
        self._turn = asyncio.Lock()
        self._queue: Counter[str] = Counter()

    @contextlib.asynccontextmanager
    async def pass_(self, address: str) -> AsyncIterator[bool]:
        """Wait for one's turn; give whether it came: it does not where the queue of this address is full."""
        if self._queue[address] >= self.waiting or self._queue.total() >= self.together:
            yield False
            return
        self._queue[address] += 1
        try:
            async with self._turn:
                await asyncio.sleep(self.apart)
                yield True
        finally:
            self._queue[address] -= 1
            if not self._queue[address]:
                del self._queue[address]
