"""How far the learner is: one small store for the life of the notebook."""

from collections.abc import Callable
from dataclasses import dataclass

MESSAGES = {
    "predictions": "Predictions: {right} of {total} right.",
    "exercises": "Exercises: {right} of {total} passed.",
    "none": "Nothing to count yet: run the cells above.",
    "look again": "Look again at: {topics}.",
}


@dataclass(frozen=True)
class Entry:
    """One prediction or exercise: its topic, and whether it was tried and right."""

    kind: str
    topic: str
    tried: bool
    right: bool


class Progress:
    """Entries by (kind, name), in the order they were first met."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], Entry] = {}
        self._watcher: Callable[[], None] | None = None

    def meet(self, kind: str, name: str, topic: str) -> None:
        """Add an entry that has not been tried; one that is there stays as it is."""
        self.entries.setdefault((kind, name), Entry(kind, topic, tried=False, right=False))
        self._tell()

    def record(self, kind: str, name: str, topic: str, *, right: bool, tried: bool = True) -> None:
        """Set the newest result of an entry."""
        self.entries[kind, name] = Entry(kind, topic, tried, right)
        self._tell()

    def watch(self, watcher: Callable[[], None]) -> None:
        """Call `watcher` after every change; the newest takes over, so that a cell may run again."""
        self._watcher = watcher

    def _tell(self) -> None:
        if self._watcher is not None:
            self._watcher()

    def summary(self) -> str:
        """Return the state in a line: "Predictions: 7 of 9 right. Look again at: masks."."""
        sentences = []
        for kind in ("prediction", "exercise"):
            entries = [entry for entry in self.entries.values() if entry.kind == kind]
            if entries:
                right = sum(entry.right for entry in entries)
                sentences.append(MESSAGES[kind + "s"].format(right=right, total=len(entries)))
        missed = [entry.topic for entry in self.entries.values() if entry.tried and not entry.right]
        if missed:
            sentences.append(MESSAGES["look again"].format(topics=", ".join(dict.fromkeys(missed))))
        return " ".join(sentences) or MESSAGES["none"]


PROGRESS = Progress()
