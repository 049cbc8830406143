"""How far the learner is: what was met in this kernel, and what is remembered from before."""

import datetime
from collections.abc import Callable
from typing import NamedTuple

from .._kept import own_folder
from .._words import _
from .memory import Key, Memory, Record, newest

ANSWERED = ("committed", "tried")  # states of a record in which there is an answer of the learner's own


class Asked(NamedTuple):
    """The topic of a prediction or exercise, and the number of its notebook."""

    topic: str
    notebook: str


class Progress:
    """What was asked in this kernel, and the newest record of all that was answered, in this kernel or before.

    What is kept beyond the life of the kernel is kept in `memory`. Default: that of whoever runs the kernel.
    """

    def __init__(self, memory: Memory | None = None) -> None:
        self.asked: dict[Key, Asked] = {}  # in the order they were first met
        self._watcher: Callable[[], None] | None = None
        self._memory = memory
        self._records: dict[Key, Record] | None = None

    @property
    def memory(self) -> Memory:
        """The memory, looked for when it is first needed: a module that is imported asks no disk."""
        if self._memory is None:
            self._memory = Memory(own_folder())
        return self._memory

    @property
    def records(self) -> dict[Key, Record]:
        if self._records is None:
            self._records = self.memory.read()
        return self._records

    def meet(self, kind: str, name: str, topic: str, notebook: str = "") -> None:
        """Note that something is asked here."""
        self.asked.setdefault((kind, name), Asked(topic, notebook))
        self._tell()

    def record(self, kind: str, name: str, *, right: bool, state: str = "tried", guess: str = "") -> None:
        """Record an answer to something that was met, and remember it."""
        now = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
        record = Record(kind, name, self.asked[kind, name].notebook, state, right, guess, now)
        self._records = newest([*self.records.values(), record])
        self.memory.write(record)
        self._tell()

    def forget(self, notebook: str | None = None) -> None:
        """Forget what was done in one notebook, or everything, here and on the disk."""
        self.memory.forget(notebook)
        self._records = {key: one for key, one in self.records.items() if notebook not in (None, one.notebook)}
        self._tell()

    def notebooks(self) -> list[str]:
        """Return the numbers of the notebooks whose predictions and exercises were met."""
        return sorted({asked.notebook for asked in self.asked.values() if asked.notebook})

    def refresh(self) -> None:
        """Read again what other kernels have written."""
        self._records = newest([*self.records.values(), *self.memory.read().values()])

    def watch(self, watcher: Callable[[], None]) -> None:
        """Call `watcher` after every change; the newest takes over, so that a cell may run again."""
        self._watcher = watcher

    def _tell(self) -> None:
        if self._watcher is not None:
            self._watcher()

    def summary(self) -> str:
        """Return the state in a line: "Predictions: 7 of 9 right. Look again at: masks."."""
        right = {key for key, record in self.records.items() if record.right}
        answered = {key for key, record in self.records.items() if record.state in ANSWERED}
        predictions, exercises = (
            [key in right for key in self.asked if key[0] == kind] for kind in ("prediction", "exercise")
        )
        missed = dict.fromkeys(asked.topic for key, asked in self.asked.items() if key in answered - right)
        sentences = []
        if predictions:
            sentence = _("Predictions: {right} of {total} right.")
            sentences.append(sentence.format(right=sum(predictions), total=len(predictions)))
        if exercises:
            sentence = _("Exercises: {right} of {total} passed.")
            sentences.append(sentence.format(right=sum(exercises), total=len(exercises)))
        if missed:
            sentences.append(_("Look again at: {topics}.").format(topics=", ".join(map(_, missed))))
        return " ".join(sentences) or _("Nothing to count yet: run the cells above.")


PROGRESS = Progress()
