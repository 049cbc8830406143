"""The day of a class, played: what learners do, what must hold, and what it takes."""

import os
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from . import intruder
from .accounts import account
from .learner import Kernel, Learner
from .limits import make_group
from .settings import Settings

NOTEBOOK = "notebooks/01_self_attention.ipynb"
PREDICTION = ("01.three", "all three at one point")  # its name, and one of its choices
STEPS, PAUSE = 40, 0.05  # of a drag; seconds from one to the next, where the answer is sooner
MB, GIB, FOR_THE_SYSTEM = 1e6, 2**30, 2 * 2**30
MACHINE = 24 * GIB  # what is reckoned for
T = TypeVar("T")
FILL = """import subprocess, sys
fill = "import time; held = bytearray({size}); held[::4096] = b'x' * len(held[::4096]); time.sleep(5)"
print([process.wait() for process in [subprocess.Popen([sys.executable, "-c", fill]) for _ in range(3)]])"""


class Findings:
    """What held and what did not, printed as it is found."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def held(self, what: str, holds: bool, but: object = "") -> None:
        """Say whether something held."""
        if not holds:
            self.faults.append(f"{what}: {but}")
        print(f"  {'held' if holds else 'DID NOT HOLD'}: {what}{'' if holds else f' ({but})'}", flush=True)

    def took(self, what: str, seconds: Sequence[float]) -> None:
        """Say how long something took: median, 19 of 20, longest."""
        p95 = statistics.quantiles(seconds, n=20, method="inclusive")[-1] if len(seconds) > 1 else seconds[0]
        line = (
            f"  {what}: median {statistics.median(seconds):.3f} s, 19 of 20 {p95:.3f} s, longest {max(seconds):.3f} s"
        )
        print(f"{line}, {len(seconds)} times; load {os.getloadavg()[0]:.1f}", flush=True)


class Player:
    """One learner through the day: logged in, with 01 open."""

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        self.kernel: Kernel | None = None
        self.notebook: Any = None
        self.seconds: dict[str, float] = {}

    def arrive(self) -> None:
        """Log in, wait for the server, open 01, run its first cell."""
        start = time.perf_counter()
        status = self.learner.log_in()
        if status != 302:
            raise RuntimeError(f"{self.learner.name} was not let in: {status}")
        self.learner.start()
        self.seconds["server"] = time.perf_counter() - start
        self.notebook = self.learner.read(NOTEBOOK)
        self.kernel = self.learner.open(NOTEBOOK)
        self._run(0)
        self.seconds["first cell"] = time.perf_counter() - start

    def run_all(self) -> None:
        """Run every cell, as Run All does."""
        start = time.perf_counter()
        for place in range(len(self.notebook["cells"])):
            self._run_cell(self.notebook["cells"][place])
        self.seconds["all of 01"] = time.perf_counter() - start

    def _run(self, place: int) -> None:
        self._run_cell([cell for cell in self.notebook["cells"] if cell["cell_type"] == "code"][place])

    def _run_cell(self, cell: Any) -> None:
        assert self.kernel is not None
        if cell["cell_type"] == "code":
            cell["outputs"] = self.kernel.run("".join(cell["source"]))
            if self.kernel.failed and "raises-exception" not in cell["metadata"].get("tags", []):
                raise RuntimeError(f"{self.learner.name}, cell {cell['id']}: {self.kernel.failed}")

    def drag(self) -> list[float]:
        """Drag in the explorer; return the seconds to each answer. The digits that came back must be right."""
        from attention_lib import self_attention

        assert self.kernel is not None
        values = [round(0.05 * (step % 20), 2) for step in range(STEPS)]
        took, panels = self.kernel.drag("W_Q", values, PAUSE)
        right = self_attention(panels["X"], panels["W_Q"], panels["W_K"], panels["W_V"])
        assert panels["W_Q"][0, 0] == values[-1] and np.allclose(panels["weights"], right.weights), self.learner.name
        return took

    def work(self) -> str:
        """Answer a prediction, write a cell of one's own, save; return what was written."""
        assert self.kernel is not None
        self.kernel.choose(PREDICTION[1], 0, "Commit")
        note = f"what {self.learner.name} thinks of it"
        cell = {"cell_type": "markdown", "id": "own-note", "metadata": {}, "source": note}
        self.notebook["cells"] = [c for c in self.notebook["cells"] if c["id"] != "own-note"] + [cell]
        self.learner.save(NOTEBOOK, self.notebook)
        return note

    def finds(self) -> tuple[bool, bool]:
        """Return whether what was written, and what was answered, is there."""
        self.notebook = self.learner.read(NOTEBOOK)
        written = self.notebook["cells"][-1]["source"] == f"what {self.learner.name} thinks of it"
        self.kernel = self.learner.open(NOTEBOOK)
        known = self.kernel.value(
            "[[k[1], r.state] for k, r in __import__('attention_lib.checks.progress', fromlist=['x'])"
            ".PROGRESS.remembered().items()]"
        )
        return written, [PREDICTION[0], "committed"] in known


def day(hub: str, given: Settings, passwords: Mapping[str, str], browser: bool) -> list[str]:
    """Play a whole day; return what did not hold."""
    found = Findings()
    players = [Player(Learner(hub, name, password)) for name, password in passwords.items()]
    first, others = players[0], players[1:]
    print(f"{len(players)} learners; {machine()}")
    before = available()
    print("All log in at once, open 01 and run its first cell")
    at_once(players, Player.arrive)
    found.took("to the own server", [player.seconds["server"] for player in players])
    found.took(
        "to the first cell's answer, from the log-in page on", [player.seconds["first cell"] for player in players]
    )
    print("One runs all of 01 and drags; then the others run all of it at once, and the one goes on dragging")
    first.run_all()
    found.took("all of 01, one alone", [first.seconds["all of 01"]])
    found.took("key to answer, one alone", first.drag())
    found.took("key to answer, while all others run 01", meanwhile(others, Player.run_all, first.drag))
    found.took("all of 01, at once", [player.seconds["all of 01"] for player in others])
    found.took(
        "key to answer, all dragging at once", [took for drags in at_once(players, Player.drag) for took in drags]
    )
    print("What it takes")
    memory(given, len(players), before)
    at_once(players, Player.work)
    if browser:
        from . import in_chromium

        in_chromium.visit(found, others[-1].learner, hub)
    limited(found, first, others[0], given)
    print("Nobody reaches another")
    intruder.inside(found, first, others[0], given)
    intruder.outside(found, first.learner, others[0].learner, hub)
    killed(found, others[0], given)
    back(found, players)
    print("Wrong passwords, and who is not on the list")
    intruder.strangers(found, hub)
    intruder.wrong_passwords(found, hub, others[0].learner, first.learner)
    return found.faults


def idle(hub: str, given: Settings, passwords: Mapping[str, str], seconds: int) -> list[str]:
    """Let one learner work and one be away; return what did not hold."""
    found = Findings()
    working, away = (Player(Learner(hub, name, password)) for name, password in passwords.items())
    print(f"One works, one is away for longer than {seconds} s, which is the limit here")
    at_once([working, away], Player.arrive)
    away.learner.save("notebooks/mine.ipynb", away.notebook)
    end = time.monotonic() + 6 * seconds
    while servers(given, away.learner.name) and time.monotonic() < end:
        working.kernel and working.kernel.run("1 + 1")
        time.sleep(1)
    found.held("the server of who is away ends", not servers(given, away.learner.name))
    found.held("the server of who works goes on", bool(servers(given, working.learner.name)))
    away.arrive()
    found.held("who was away finds what was saved", bool(away.learner.read("notebooks/mine.ipynb")["cells"]))
    return found.faults


def limited(found: Findings, player: Player, other: Player, given: Settings) -> None:
    """Let one learner take more memory than is allowed: in one process, then in three that together do."""
    print("One takes too much memory")
    assert player.kernel is not None and other.kernel is not None
    player.kernel.run(f"import numpy as np; len(np.ones({given.memory * 2**20 // 8}))")
    found.held("more in a notebook is a MemoryError", "MemoryError" in player.kernel.failed, player.kernel.failed)
    player.kernel.run("'the kernel goes on'")
    found.held("after which the kernel goes on", not player.kernel.failed, player.kernel.failed)
    if not make_group(player.learner.name, given.memory):
        print("  skipped: no control groups here, so several processes of one learner have no limit together")
        return
    outputs = player.kernel.run(FILL.format(size=int(0.6 * given.memory * 2**20)))
    codes = "".join(output.get("text", "") for output in outputs).strip()
    found.held("of three processes that together take more, one or more are ended", "-9" in codes, codes)
    other.kernel.run("'here too'")
    found.held("nobody else is touched", not other.kernel.failed and not player.kernel.failed)


def killed(found: Findings, player: Player, given: Settings) -> None:
    """End a learner's server in the middle, without a word; the learner comes back."""
    print("A server ends in the middle")
    for pid in servers(given, player.learner.name):
        os.kill(pid, 9)
    start = time.perf_counter()
    end = time.monotonic() + 60
    while processes(given, player.learner.name) and time.monotonic() < end:
        time.sleep(0.2)
    found.held("its kernels end with it", not processes(given, player.learner.name))
    player.learner.start()
    found.took("until the page is there again", [time.perf_counter() - start])
    written, answered = player.finds()
    found.held("nothing saved is lost: the notebook", written)
    found.held("nothing saved is lost: the progress", answered)


def back(found: Findings, players: list[Player]) -> None:
    """All close and stop their servers, and come back from another browser."""
    print("All close, and come back")

    def close(player: Player) -> None:
        assert player.kernel is not None
        player.kernel.close()
        player.learner.stop()
        player.learner.leave()

    def come(player: Player) -> tuple[bool, bool]:
        player.arrive()
        return player.finds()

    at_once(players, close)
    there = at_once(players, come)
    found.took("to the first cell's answer, the second time", [player.seconds["first cell"] for player in players])
    found.held("every learner finds the own work", all(written for written, _ in there), there)
    found.held("every learner finds the own progress", all(answered for _, answered in there), there)


def memory(given: Settings, learners: int, before: float) -> None:
    """Print what servers and kernels hold, and how many learners that makes."""
    sizes: dict[str, list[float]] = {"server": [], "kernel": []}
    for name in given.names:
        for pid in processes(given, name):
            role = "kernel" if "ipykernel" in command(pid) else "server"
            sizes[role].append(pss(pid))
    for role, found in sizes.items():
        print(f"  {role}: {statistics.mean(found):.0f} MB each, the largest {max(found):.0f} MB, {len(found)} of them")
    each = sum(sum(found) for found in sizes.values()) / learners
    fallen = (before - available()) / learners
    print(f"  a learner: {each:.0f} MB by the processes' books, {fallen / MB:.0f} MB by the machine's")
    room = MACHINE - FOR_THE_SYSTEM
    print(
        f"  reckoned: {int(room / MB / each)} learners in {MACHINE / GIB:.0f} GiB, 2 GiB left to the system", flush=True
    )


def at_once(players: Iterable[Player], do: Callable[[Player], T]) -> list[T]:
    """Let all do the same at the same time; return what each returns."""
    players = list(players)
    with ThreadPoolExecutor(len(players)) as pool:
        return list(pool.map(do, players))


def meanwhile(players: list[Player], do: Callable[[Player], Any], again: Callable[[], list[float]]) -> list[float]:
    """Let players do something; until they are done, do another thing again and again, and return what it took."""
    took: list[float] = []
    with ThreadPoolExecutor(len(players)) as pool:
        running = [pool.submit(do, player) for player in players]
        while not all(one.done() for one in running):
            took += again()
        for one in running:
            one.result()
    return took


def processes(given: Settings, name: str) -> list[int]:
    """Return the processes of a learner that are alive."""
    user = account(name, given.homes)
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if user and path.stat().st_uid == user.pw_uid and path.joinpath("cmdline").read_bytes():
                found.append(int(path.name))
        except OSError:
            continue
    return found


def command(pid: int) -> str:
    """Return how a process was started."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def servers(given: Settings, name: str) -> list[int]:
    """Return the process of a learner's server, if it runs."""
    return [pid for pid in processes(given, name) if "jupyterhub-singleuser" in command(pid)]


def pss(pid: int) -> float:
    """Return the memory of a process in MB, each shared page split among those who share it."""
    line = next(line for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines() if line.startswith("Pss:"))
    return int(line.split()[1]) * 1024 / MB


def available() -> float:
    """Return the machine's available memory in bytes."""
    return int(Path("/proc/meminfo").read_text().partition("MemAvailable:")[2].split()[0]) * 1024.0


def machine() -> str:
    """Say what this machine is, and what it does besides."""
    whole = int(Path("/proc/meminfo").read_text().split()[1]) * 1024 / GIB
    return f"{os.cpu_count()} cores, {whole:.1f} GiB, load {os.getloadavg()[0]:.1f} before"
