"""How far the learner is: what was met in this kernel, and what is remembered from before."""

import datetime
from collections.abc import Callable
from dataclasses import dataclass, replace

from .._words import _
from .memory import Memory, Record, own_memory

ANSWERED = ("committed", "tried")  # states of a record in which there is an answer of the learner's own


@dataclass(frozen=True)
class Entry:
    """One prediction or exercise: its topic, whether it was tried and right, and the number of its notebook."""

    kind: str
    topic: str
    tried: bool
    right: bool
    notebook: str = ""


class Progress:
    """Entries by (kind, name), in the order they were first met.

    What is kept beyond the life of the kernel is kept in `memory`. Default: that of whoever runs the kernel.
    """

    def __init__(self, memory: Memory | None = None) -> None:
        self.entries: dict[tuple[str, str], Entry] = {}
        self._watcher: Callable[[], None] | None = None
        self._memory = memory
        self._remembered: dict[tuple[str, str], Record] | None = None

    @property
    def memory(self) -> Memory:
        """The memory, looked for when it is first needed: a module that is imported asks no disk."""
        if self._memory is None:
            self._memory = own_memory()
        return self._memory

    def remembered(self) -> dict[tuple[str, str], Record]:
        """Return the records from before, by (kind, name)."""
        if self._remembered is None:
            self._remembered = self.memory.read()
        return self._remembered

    def meet(self, kind: str, name: str, topic: str, notebook: str = "") -> None:
        """Add an entry; one that is there stays as it is, one that is remembered comes as it was left."""
        record = self.remembered().get((kind, name))
        tried, right = (record.state in ANSWERED, record.right) if record else (False, False)
        self.entries.setdefault((kind, name), Entry(kind, topic, tried=tried, right=right, notebook=notebook))
        self._tell()

    def record(
        self,
        kind: str,
        name: str,
        topic: str,
        *,
        right: bool,
        notebook: str = "",
        tried: bool = True,
        state: str = "tried",
        guess: str = "",
    ) -> None:
        """Set the newest result of an entry, and remember it; an exercise that was passed stays passed."""
        self.meet(kind, name, topic, notebook)
        if not tried:
            return
        passed = kind == "exercise" and self.entries[kind, name].right
        self.entries[kind, name] = Entry(kind, topic, state in ANSWERED, right or passed, notebook)
        if self.memory.folder is not None:
            now = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
            record = Record(kind, name, notebook, state, right, guess, now)
            self.remembered()[kind, name] = record
            self.memory.write(record)
        self._tell()

    def forget(self, notebook: str | None = None) -> None:
        """Forget what was done in one notebook, or everything, here and on the disk."""
        self.memory.forget(notebook)
        gone = {key for key, one in self.remembered().items() if notebook in (None, one.notebook)}
        self._remembered = {key: one for key, one in self.remembered().items() if key not in gone}
        for key in gone & self.entries.keys():
            self.entries[key] = replace(self.entries[key], tried=False, right=False)
        self._tell()

    def notebooks(self) -> list[str]:
        """Return the numbers of the notebooks whose predictions and exercises were met."""
        return sorted({entry.notebook for entry in self.entries.values() if entry.notebook})

    def refresh(self) -> None:
        """Read again what other kernels have written."""
        if self.memory.folder is not None:
            self._remembered = {**self.remembered(), **self.memory.read()}

    def watch(self, watcher: Callable[[], None]) -> None:
        """Call `watcher` after every change; the newest takes over, so that a cell may run again."""
        self._watcher = watcher

    def _tell(self) -> None:
        if self._watcher is not None:
            self._watcher()

    def summary(self) -> str:
        """Return the state in a line: "Predictions: 7 of 9 right. Look again at: masks."."""
        entries = self.entries.values()
        predictions = [entry.right for entry in entries if entry.kind == "prediction"]
        exercises = [entry.right for entry in entries if entry.kind == "exercise"]
        missed = dict.fromkeys(entry.topic for entry in entries if entry.tried and not entry.right)
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
