"""Try a class on this machine before you hold one: `make classcheck LEARNERS=30`, as root on Linux.

It starts the class's JupyterHub in a folder of its own. All learners log in at the same moment, run notebook 01, write
a note and come back later; one of them also opens it in Chromium. It says how long that took, and how much memory
a learner takes.
"""

import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "browser")]
from classroom.learner import NOTEBOOK, Learner  # noqa: E402
from classroom.settings import Settings, read_settings  # noqa: E402

START = ROOT / "tools" / "classroom" / "start.py"
LIMIT = 1800.0  # seconds until the hub answers: the first time, it is installed
failures: list[str] = []


@contextmanager
def part(title: str, meaning: str) -> Iterator[None]:
    """Try one part of the day. If it fails, say what that means for the teacher, and go on with the next part."""
    print(title, flush=True)
    try:
        yield
    except Exception as problem:
        failures.append(meaning)
        reason = textwrap.shorten(str(problem), 300)
        print(f"  NOT OK: {meaning}\n  ({type(problem).__name__}: {reason})", flush=True)


def all_at_once(learners: Sequence[Learner], action: Callable[[Learner], None]) -> str:
    """Let all learners do the same at the same moment; return how long it took them."""

    def timed(learner: Learner) -> float:
        start = time.perf_counter()
        action(learner)
        return time.perf_counter() - start

    with ThreadPoolExecutor(len(learners)) as pool:
        seconds = list(pool.map(timed, learners))
    return f"{statistics.median(seconds):.0f} s at the median, {max(seconds):.0f} s for the last"


def available_memory() -> float:
    """Return the memory that this machine could still give, in MB."""
    return int(Path("/proc/meminfo").read_text().partition("MemAvailable:")[2].split()[0]) / 1000


def play(learners: Sequence[Learner], given: Settings) -> None:
    """Play a day of the class."""
    first, second, before = learners[0], learners[1], available_memory()
    with part("Everybody logs in", "Learners would not get to their notebooks."):
        print(f"  to their own server: {all_at_once(learners, Learner.log_in)}")
    if failures:
        return
    with part("Everybody runs notebook 01", "This machine is too small for so many learners."):
        print(f"  all of 01: {all_at_once(learners, Learner.run_notebook)}")
        print(f"  memory: {(before - available_memory()) / len(learners):.0f} MB for a learner")
    with part("One takes too much memory", "A learner's mistake could take the memory of the whole class."):
        error = first.run(f"too_much = bytearray({given.memory + 100} * 2**20)")
        assert error == "MemoryError", error or "no error"
        assert first.run("1 + 1") == "", "the kernel did not go on"
    with part(
        "One looks for another's work",
        "Learners could read each other's work: do not hold the class.",
    ):
        for path in (given.homes / second.name, given.homes / second.name / "attention" / NOTEBOOK, given.state):
            assert first.run(f"import os; os.listdir({str(path)!r})") == "PermissionError", f"{path} is open"
        assert not first.can_open(second.home), "another's server is open"
        assert not Learner(first.hub, second.name, first.password).is_let_in(), "a wrong password is accepted"
    with part("Everybody saves, stops and comes back", "Learners' work could be lost: do not hold the class."):
        all_at_once(learners, Learner.save_note)
        all_at_once(learners, Learner.leave)
        print(f"  to their own server again: {all_at_once(learners, Learner.log_in)}")
        all_at_once(learners, Learner.find_note)
    with part("One opens it in Chromium", "The servers work, but 01 does not in a browser."):
        visit(second)


def visit(learner: Learner) -> None:
    """Log in on the hub's page and run 01 in Chromium: the lab must show what Python has calculated."""
    from harness import CHROMIUM_FLAGS, KERNEL, NotebookPage, chromium_path
    from playwright.sync_api import sync_playwright

    class Page(NotebookPage):
        def wait_idle(self, limit: float = 120) -> None:
            # JupyterLab can miss the first "idle" of a kernel, and after that it hears the next one only when
            # something runs.
            front = "jupyterapp.shell.currentWidget"
            is_there = f"{front}?.context?.path === '{NOTEBOOK}' && {front}.sessionContext.isReady && Boolean({KERNEL})"
            self.page.wait_for_function(f"() => globalThis.jupyterapp && {is_there}", timeout=1000 * limit)
            nothing = "{ code: '', store_history: false }"
            self.await_("the kernel to answer", f"() => {KERNEL}.requestExecute({nothing}).done.then(() => null)")
            super().wait_idle(limit)

    class Server:
        url = learner.home.rstrip("/")

    if chromium_path() is None:
        print("  skipped: there is no Chromium on this machine")
        return
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_FLAGS)
        context = chromium.new_context()
        door = context.new_page()
        door.goto(f"{learner.hub}/hub/login")
        door.fill("#username_input", learner.name)
        door.fill("#password_input", learner.password)
        door.click("#login_submit")
        door.wait_for_url("**/lab/**", timeout=120_000)
        door.close()
        start = time.perf_counter()
        page = Page(context, Server(), NOTEBOOK)  # type: ignore[arg-type]
        page.run_all()
        print(f"  opened and run in {time.perf_counter() - start:.0f} s")
        weights = "next(o for o in gc.get_objects() if type(o).__name__ == 'Explorer').view['weight'].tolist()"
        computed = list(chain.from_iterable(page.python(weights, "import gc")))

        def shows_what_was_computed() -> bool:
            # A cell may be empty, and what it says is rounded to as many digits as it has room for.
            shown = chain.from_iterable(page.texts("weight"))
            pairs = [(text, weight) for text, weight in zip(shown, computed, strict=True) if text]
            return bool(pairs) and all(text == f"{weight:.{len(text.partition('.')[2])}f}" for text, weight in pairs)

        page.eventually(shows_what_was_computed, True)
        assert not page.foreign, f"it asked for {page.foreign[0]}"
        chromium.close()


@contextmanager
def hub_of(given: Settings, environment: dict[str, str]) -> Iterator[str]:
    """Start the class's hub as `make class` does, and give its address; end it as `make classend` does."""
    given.folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    log, url = given.folder / "hub.log", f"http://127.0.0.1:{given.port}"
    with log.open("w") as output:
        command = [sys.executable, START]
        hub = subprocess.Popen(command, env=environment, stdout=output, stderr=output, start_new_session=True)
    try:
        latest = time.monotonic() + LIMIT
        while not Learner(url, "", "").hub_answers():
            if hub.poll() is not None or time.monotonic() > latest:
                sys.exit(f"The class does not start on this machine. The end of its log:\n{log.read_text()[-3000:]}")
            time.sleep(0.5)
        yield url
    finally:
        if hub.poll() is None:
            hub.send_signal(signal.SIGTERM)
        hub.wait(120)
        subprocess.run([sys.executable, START, "--end"], env=environment, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Play the day, and fail if a part of it failed."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--learners", type=int, default=30, help="how many; at least 2")
    options.add_argument("--folder", type=Path, help="where it is installed, to be kept for the next time")
    options.add_argument("--port", type=int, default=18800)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="class-") as temporary:
        os.chmod(temporary, 0o755)
        variables = {
            "CLASS_FOLDER": str(asked.folder or temporary),
            "CLASS_PORT": str(asked.port),
            "CLASS_HOST": "127.0.0.1",
            "CLASS_LEARNERS": str(max(2, asked.learners)),
            "CLASS_SERVER_ARGUMENTS": "--LabApp.expose_app_in_browser=True",
        }
        given = read_settings(variables)
        if given.homes.exists() and any(given.homes.iterdir()):
            sys.exit(f"{given.homes} holds learners' work. Give the check a folder of its own.")
        with hub_of(given, os.environ | variables) as url:
            passwords = dict(line.split() for line in (given.state / "sheet.txt").read_text().splitlines()[2:])
            play([Learner(url, name, password) for name, password in passwords.items()], given)
        shutil.rmtree(given.homes)
    if failures:
        sys.exit("\n".join(["", "What this means for your class:", *(f"- {failure}" for failure in failures)]))
    print("Everything works.")


if __name__ == "__main__":
    main()
