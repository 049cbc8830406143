"""What a learner did, kept on their own disk: one small file, a line for each answer. Nothing leaves the machine.

The file stands in the folder that `_kept.py` names.
"""

import contextlib
import datetime
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from .._kept import forget_states, own_folder
from .._words import _

FILE, LOCK, DAMAGED = "progress.jsonl", "progress.lock", "progress.damaged-{when}.jsonl"


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

    def read(self) -> dict[tuple[str, str], Record]:
        """Return the newest record of each prediction and exercise; set a damaged file aside."""
        if self.folder is None or not (self.folder / FILE).exists():
            return {}
        try:
            with self._locked():
                records, damaged = self._parsed()
                if damaged:
                    self._set_aside(records)
        except OSError:
            return {}
        newest: dict[tuple[str, str], Record] = {}
        for record in records:
            before = newest.get((record.kind, record.name))
            passed = before is not None and before.right and record.kind == "exercise"
            newest[record.kind, record.name] = before if passed and before and not record.right else record
        return newest

    def write(self, record: Record) -> None:
        """Add a record at the end of the file."""
        if self.folder is None:
            return
        line = json.dumps(asdict(record), ensure_ascii=False) + "\n"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with self._locked(), open(self.folder / FILE, "ab") as file:
                file.write(line.encode())
        except OSError:
            self._say_unwritable()

    def forget(self, notebook: str | None = None) -> None:
        """Take the records of one notebook out of the file; without one, all files go, what was set aside too."""
        if self.folder is None or not self.folder.exists():
            return
        try:
            with self._locked():
                if notebook is not None:
                    self._replace([record for record in self._parsed()[0] if record.notebook != notebook])
                    return
                for path in [self.folder / FILE, *self.folder.glob(DAMAGED.format(when="*"))]:
                    path.unlink(missing_ok=True)
            forget_states()
        except OSError:
            self._say_unwritable()

    def _parsed(self) -> tuple[list[Record], bool]:
        """Return the records that can be read, and whether there is anything else."""
        assert self.folder is not None
        records, damaged = [], False
        try:
            lines = (self.folder / FILE).read_bytes().splitlines()
        except FileNotFoundError:
            return [], False
        for line in lines:
            record = _record_of(line)
            if record is None:
                damaged = True
            else:
                records.append(record)
        return records, damaged

    def _set_aside(self, records: list[Record]) -> None:
        """Keep the damaged file under another name, and go on with what could be read."""
        assert self.folder is not None
        when = datetime.datetime.now().strftime("%Y%m%d-%H%M%S-%f")
        aside = self.folder / DAMAGED.format(when=when)
        (self.folder / FILE).rename(aside)
        self._replace(records)
        self.sentence = _(
            "A part of your record could not be read. It was set aside as {path}; what could be read is kept."
        ).format(path=aside)

    def _say_unwritable(self) -> None:
        self.sentence = _("Not remembered for next time: {folder} cannot be written.").format(folder=self.folder)

    def _replace(self, records: list[Record]) -> None:
        assert self.folder is not None
        text = "".join(json.dumps(asdict(record), ensure_ascii=False) + "\n" for record in records)
        new = self.folder / f"{FILE}.new"
        new.write_bytes(text.encode())
        new.replace(self.folder / FILE)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock that every kernel takes before it reads or writes."""
        assert self.folder is not None
        with open(self.folder / LOCK, "ab") as file:
            _lock(file.fileno())
            yield  # closing the file lets the lock go


def _record_of(line: bytes) -> Record | None:
    """Return the record in a line; None where there is none."""
    try:
        fields = json.loads(line)
        record = Record(**fields)
    except (ValueError, TypeError):
        return None
    fits = all(isinstance(value, bool if key == "right" else str) for key, value in fields.items())
    return record if fits else None


def _lock(file: int) -> None:
    """Wait for the lock; where the disk knows no locks, go on without."""
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)


def own_memory() -> Memory:
    """Return the memory of whoever runs this kernel; one that keeps nothing outside of a kernel."""
    return Memory(own_folder())
