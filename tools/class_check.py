"""Try a class as it will be: `make classcheck LEARNERS=30`, as root on Linux.

Starts the class's JupyterHub in a folder and at a port of its own, lets learners log in over HTTP,
open notebook 01 and run it all, drag in the explorer, close, and come back; ends a learner's server
in the middle; tries to reach another's files and server, and wrong passwords; measures. At its end
the servers are stopped and the learners' unix users removed. A few minutes of every core.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from classroom import trial  # noqa: E402
from classroom.passwords import class_secret, passwords_of  # noqa: E402
from classroom.settings import Settings, read_settings  # noqa: E402

START = ROOT / "tools" / "classroom" / "start.py"
LIMIT = 1800.0  # seconds until the hub answers: the first time it is installed


class Hub:
    """The class's JupyterHub, as `make class` starts it, in a folder of the trial's own."""

    def __init__(self, folder: Path, port: int, learners: int, **variables: str) -> None:
        own = {"CLASS_FOLDER": str(folder), "CLASS_PORT": str(port), "CLASS_LEARNERS": str(learners)}
        fixed = {"CLASS_HOST": "127.0.0.1", "CLASS_SERVER_ARGUMENTS": "--LabApp.expose_app_in_browser=True"}
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith("CLASS_") or name == "CLASS_PYTHON"
        }
        self.environment = {**kept, **own, **fixed, **variables}
        self.given: Settings = read_settings(self.environment)
        self.url = f"http://127.0.0.1:{port}"
        self.log = folder / "hub.log"

    def __enter__(self) -> "Hub":
        self.given.folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, START],
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        end = time.monotonic() + LIMIT
        while self.process.poll() is None and time.monotonic() < end:
            try:
                urllib.request.urlopen(f"{self.url}/hub/login", timeout=10).close()
                break
            except OSError:
                time.sleep(0.5)
        else:
            self.stop()
            sys.exit(f"The hub did not start. It said:\n{self.log.read_text()[-3000:]}")
        self.passwords = passwords_of(self.given.names, class_secret(self.given.state / "secret", {}))
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End the hub: it ends all servers. Then remove the unix users that were made."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(120)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        subprocess.run([sys.executable, START, "--end"], env=self.environment, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Try everything, print what was found; fail where something did not hold."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--learners", type=int, default=30)
    options.add_argument(
        "--folder", type=Path, help="where it is set up, to be kept for the next time; default: a new one"
    )
    options.add_argument("--port", type=int, default=18800)
    options.add_argument("--browser", action="store_true", help="let one of the learners be a real Chromium")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="class-") as made:
        os.chmod(made, 0o755)
        folder = asked.folder or Path(made)
        homes = folder / "homes"
        if homes.exists() and any(homes.iterdir()):
            sys.exit(f"{homes} holds learners' work: give the trial a folder of its own.")
        with Hub(folder, asked.port, asked.learners) as hub:
            faults = trial.day(hub.url, hub.given, hub.passwords, browser=asked.browser)
        idle = 20
        with Hub(folder, asked.port, 2, CLASS_IDLE_SECONDS=str(idle)) as hub:
            faults += trial.idle(hub.url, hub.given, hub.passwords, idle)
        shutil.rmtree(homes)
    if faults:
        sys.exit("\n".join(["What did not hold:", *faults]))
    print("Everything held.")


if __name__ == "__main__":
    main()
