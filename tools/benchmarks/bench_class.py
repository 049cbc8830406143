"""How many learners fit one machine: kernels that have run a whole notebook, against one Jupyter server.

    python tools/benchmarks/bench_class.py [--kernels 48] [--seconds 150] [--notebook NAME]

First each notebook is run once on a kernel of its own, to find the one that leaves the largest
kernel behind (or name it). Then kernels are started, two at a time, run that notebook, and stay. It stops
at the number given, at the time given, or when one more kernel would leave the system less than 2 GiB.
Then every kernel is asked for one attention, to see that all still answer. Memory comes from the
kernel's own books (/proc, Linux only):

    PSS   the kernel's memory, with each shared page split among those who share it: these add up
    USS   what only this kernel has, and what ends with it
    RSS   what top shows: it counts shared pages again in every kernel
"""

import argparse
import ast
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.blocking.client import BlockingKernelClient

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests" / "browser"), str(ROOT / "tools")]
from lab_server import LabServer  # noqa: E402
from notebook_tools import paths  # noqa: E402

GIB, MB = 2**30, 1e6
FOR_THE_SYSTEM = 2 * GIB
AT_A_TIME = 2
MOST_MB, MOST_SECONDS = 130, 6  # for one notebook: PSS of its kernel after Run All, and processor
STEPS = [8, 16, 32, 48, 64, 80, 96, 112, 128]
READY = 60  # seconds until a kernel answers
STARTS = 3  # a kernel picks its ports before it binds them, so two that start at once can take the same one
ONE_ATTENTION = "self_attention(*[np.eye(3)] * 4).weights.round(2).tolist()"


class Learner:
    """One kernel that the server started; `start_up` is the time until it answers, in seconds."""

    def __init__(self, server: LabServer) -> None:
        start = time.perf_counter()
        self.server, self.seconds, self.pid = server, 0.0, 0
        for self.starts in range(1, STARTS + 1):
            self.id = server.api("/api/kernels", "POST")["id"]
            self.client = BlockingKernelClient(connection_file=str(server.home / "runtime" / f"kernel-{self.id}.json"))
            self.client.load_connection_file()
            self.client.hb_channel.time_to_dead = READY  # by itself it gives a busy machine one second
            self.client.start_channels()
            try:
                self.client.wait_for_ready(timeout=READY)
                break
            except RuntimeError:  # it died, or does not answer
                self.stop()
        else:
            raise RuntimeError(f"{STARTS} kernels in a row did not answer")
        self.start_up = time.perf_counter() - start

    def run(self, path: Path) -> "Learner":
        """Run every cell; an error that the notebook does not announce ends the benchmark."""
        start = time.perf_counter()
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                asked = {"allow_stdin": False, "timeout": 120, "output_hook": lambda _: None}
                reply = self.client.execute_interactive(cell.source, stop_on_error=False, **asked)["content"]
                if reply["status"] != "ok" and "raises-exception" not in cell.metadata.get("tags", []):
                    raise RuntimeError(f"{path.name}, cell {cell.id}: {reply.get('evalue')}")
        self.seconds = time.perf_counter() - start
        self.pid = self.ask("__import__('os').getpid()")
        return self

    def ask(self, expression: str, code: str = "") -> Any:
        """Return the value of an expression in the kernel."""
        asked = {"user_expressions": {"value": expression}, "reply": True, "timeout": 60}
        content: Any = self.client.execute(code, silent=True, **asked)["content"]
        return ast.literal_eval(content["user_expressions"]["value"]["data"]["text/plain"])

    def step(self) -> float:
        """Let the kernel compute one small attention; return the seconds until the answer is here."""
        start = time.perf_counter()
        weights = self.ask(ONE_ATTENTION, "import numpy as np; from attention_lib import self_attention")
        assert weights[0][0] > weights[0][1], weights
        return time.perf_counter() - start

    def stop(self) -> None:
        """End the kernel."""
        self.client.stop_channels()
        self.server.api(f"/api/kernels/{self.id}", "DELETE")


def memory(pid: int) -> dict[str, float]:
    """Return PSS, USS and RSS of a process in MB."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    kib = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    sizes = {"PSS": kib["Pss"], "USS": kib["Private_Clean"] + kib["Private_Dirty"], "RSS": kib["Rss"]}
    return {name: size * 1024 / MB for name, size in sizes.items()}


def processor_seconds(pid: int) -> float:
    """Return how long a process has worked, start and imports included, in seconds of one core."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # user and system


def machine() -> dict[str, int]:
    """Return the machine's whole and available memory in bytes."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    kib = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    return {"whole": kib["MemTotal"] * 1024, "available": kib["MemAvailable"] * 1024}


def mean(learners: Iterable[Learner]) -> dict[str, float]:
    """Return the mean memory of kernels in MB."""
    sizes = [memory(learner.pid) for learner in learners]
    return {name: statistics.mean(size[name] for size in sizes) for name in sizes[0]}


def largest(server: LabServer) -> Path:
    """Run each notebook on a kernel of its own; return the one whose kernel has the largest USS."""
    print(f"{'notebook':36}{'USS MB':>9}{'PSS MB':>9}{'RSS MB':>9}{'seconds':>9}{'CPU s':>9}")
    found = {}
    for path in paths():
        learner = Learner(server).run(path)
        size, worked = memory(learner.pid), processor_seconds(learner.pid)
        learner.stop()
        found[path] = size["USS"]
        told = (
            f"{path.stem:36}{size['USS']:9.0f}{size['PSS']:9.0f}{size['RSS']:9.0f}{learner.seconds:9.1f}{worked:9.1f}"
        )
        much = size["PSS"] > MOST_MB or worked > MOST_SECONDS
        print(told + (f"  more than {MOST_MB} MB or {MOST_SECONDS} s" if much else ""), flush=True)
    return max(found, key=lambda path: found[path])


def fill(server: LabServer, path: Path, kernels: int, seconds: float) -> Iterator[list[Learner]]:
    """Start kernels and run the notebook in each; yield all of them after each step."""
    learners: list[Learner] = []
    begin, before = time.perf_counter(), machine()
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        for step in [step for step in STEPS if step < kernels] + [kernels]:
            taken, free = time.perf_counter() - begin, machine()["available"]
            each = (before["available"] - free) / len(learners) if learners else 0.5 * GIB
            new = min(step - len(learners), int((free - FOR_THE_SYSTEM) / each))
            if learners and taken * (1 + new / len(learners)) > seconds:
                print(f"stopped before {len(learners) + new}: it would take more than {seconds:.0f} s")
                return
            learners += pool.map(lambda _: Learner(server).run(path), range(new))
            yield learners
            if len(learners) < step:
                print(f"full: one more would leave the system less than {FOR_THE_SYSTEM / GIB:.0f} GiB")
                return


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description="How many learners fit one machine.")
    options.add_argument("--kernels", type=int, default=48)
    options.add_argument("--seconds", type=float, default=150)
    options.add_argument("--notebook", help="part of its name; default: the largest is looked for")
    given = options.parse_args()
    if not Path("/proc/self/smaps_rollup").exists():
        sys.exit("This reads the memory of processes from /proc, which only Linux has.")
    with tempfile.TemporaryDirectory() as home:
        server = LabServer(Path(home), paths()[0].parent)
        try:
            named = [path for path in paths() if given.notebook and given.notebook in path.name]
            path = named[0] if named else largest(server)
            print(f"\n{path.stem} on every kernel; this machine has {machine()['whole'] / GIB:.1f} GiB")
            print("each kernel; fallen: the machine's available memory")
            print(f"{'kernels':>7}{'PSS MB':>9}{'USS MB':>9}{'RSS MB':>9}{'fallen MB':>11}")
            available, learners = machine()["available"], []
            alone = memory(server.process.pid)["USS"]
            for learners in fill(server, path, given.kernels, given.seconds):
                size, n = mean(learners), len(learners)
                fallen = (available - machine()["available"]) / n / MB
                sizes = "".join(f"{size[name]:9.0f}" for name in ("PSS", "USS", "RSS"))
                print(f"{n:7}{sizes}{fallen:11.0f}", flush=True)
            report(learners, alone, memory(server.process.pid)["USS"])
        finally:
            server.stop()


def report(learners: list[Learner], alone: float, server: float) -> None:
    """Print how long a learner waits and how many fit."""
    waits, runs = [learner.start_up for learner in learners], [learner.seconds for learner in learners]
    steps = [learner.step() for learner in learners]
    for name, values in [("kernel answers", waits), ("whole notebook", runs), ("one attention, all standing", steps)]:
        p50, p95 = statistics.median(values), statistics.quantiles(values, n=20, method="inclusive")[-1]
        print(f"{name}: p50 {p50:.3f} s, p95 {p95:.3f} s")
    print(f"kernels that had to be started again: {sum(learner.starts - 1 for learner in learners)}")
    each = mean(learners)["PSS"]
    room = len(learners) * each + (machine()["available"] - FOR_THE_SYSTEM) / MB  # what they hold, and what is left
    print(f"the server's own: {alone:.0f} MB alone, {server:.0f} MB with all kernels")
    print(f"{len(learners)} kernels were running at once")
    print(f"this machine, with {FOR_THE_SYSTEM / GIB:.0f} GiB left to the system, holds")
    print(f"  one server for all:       {int(room / each)} kernels")
    print(f"  a server for each (Hub):  {int(room / (alone + each))} learners with one notebook open")


if __name__ == "__main__":
    main()
