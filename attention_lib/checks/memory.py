"""What a learner did, kept on their own disk: one small file, a line for each answer. Nothing leaves the machine."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from .._kept import forget_states
from .._words import _

FILE = "progress.jsonl"
Key = tuple[str, str]  # kind, name


@dataclass(frozen=True)
class Record:
    """One answer: what was asked, in which notebook, what was answered, whether it was right, and when.

    `state` is "committed" or "revealed" for a prediction, "tried" for an exercise.
    """

    kind: str
    name: str
    notebook: str
    state: str
    right: bool
    guess: str = ""
    when: str = ""


class Memory:
    """The records in a folder; without a folder, or where it cannot be written, nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.sentence = ""  # what the learner should know, in plain words

    def read(self) -> dict[Key, Record]:
        """Return the newest record of each prediction and exercise; a line that is damaged is passed over."""
        if self.folder is None:
            return {}
        try:
            return newest(filter(None, map(_record_of, _lines_of(self.folder / FILE))))
        except OSError:
            return {}

    def write(self, record: Record) -> None:
        """Add a record at the end of the file, in one piece, so that two kernels may do so at once."""
        if self.folder is None:
            return
        line = json.dumps(asdict(record), ensure_ascii=False) + "\n"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with open(self.folder / FILE, "ab", buffering=0) as file:
                file.write(line.encode())
        except OSError:
            self._say_unwritable()

    def forget(self, notebook: str | None = None) -> None:
        """Take the records of one notebook out of the file; without one, all of them go."""
        if self.folder is None or not self.folder.exists():
            return
        try:
            records = [(line, _record_of(line)) for line in _lines_of(self.folder / FILE)]
            kept = [line for line, record in records if notebook and (record is None or record.notebook != notebook)]
            new = self.folder / f"{FILE}.new"
            new.write_bytes(b"".join(line + b"\n" for line in kept))
            new.replace(self.folder / FILE)
        except OSError:
            self._say_unwritable()
        if notebook is None:
            forget_states()

    def _say_unwritable(self) -> None:
        self.sentence = _("Not remembered for next time: {folder} cannot be written.").format(folder=self.folder)


def newest(records: Iterable[Record]) -> dict[Key, Record]:
    """Return the last record of each prediction and exercise; an exercise that was passed stays passed."""
    last: dict[Key, Record] = {}
    for record in records:
        before = last.get((record.kind, record.name))
        if before is None or record.right or not before.right or record.kind != "exercise":
            last[record.kind, record.name] = record
    return last


def _lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines() if path.exists() else []


def _record_of(line: bytes) -> Record | None:
    """Return the record in a line; None where there is none."""
    try:
        fields = json.loads(line)
        record = Record(**fields)
    except (ValueError, TypeError):
        return None
    fits = all(isinstance(value, bool if key == "right" else str) for key, value in fields.items())
    return record if fits else None
