"""How fast the live pictures follow the hand, in a real browser on a stock JupyterLab.

    python tools/bench_live.py [--rounds 2] [--keys 40] [--wire 0 150]

Two notebooks are driven in turn: a MatrixView with an 8 x 8 map and an editable matrix, and the
whole explorer; also with a wire of 150 ms between browser and server, as to a Binder or a hub.
Times are in milliseconds and run from the input event to the first task after the painted frame.
Counted is what the page shows beside the edited matrix: a picture is one whose digits that can be
seen differ from the one before. `bench_labs.py` has the usual way, `interact`, for comparison; that
the digits are those of Python is tested for every lab.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from uuid import uuid4

import numpy as np

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "tests" / "browser"))
from devtools import Chromium, Tab  # noqa: E402
from harness import CHROMIUM_FLAGS, STATE, chromium_path, is_ready  # noqa: E402
from lab_server import LabServer, write_notebook  # noqa: E402
from wire import Wire  # noqa: E402

SETUP = """\
import numpy as np
import attention_lib as al
tokens = ["나는", "어제", "배", "가", "너무", "고파서", "밥을", "시켜서"]
rng = np.random.default_rng(0)
X = rng.standard_normal((8, 8))
W_Q, W_K, W_V = np.round(rng.uniform(-1, 1, (3, 8, 4)) * 20) / 20
W_Q[0, 0] = 0
"""

VIEW = """\
import ipywidgets
from attention_lib.live import MatrixView, Panel
from attention_lib.live.chain import attention_steps, step
from attention_lib.live.keys import furnish
trace = al.self_attention(X, W_Q, W_K, W_V)
view = MatrixView({
    "W_Q": Panel(W_Q, editable=True, low=-3, high=3, row_axis="feature", column_axis="dimension"),
    "weights": Panel(trace.weights, tokens, tokens, kind="weights"),
}, chain=[step("Q", "matmul", "X", "W_Q"), *attention_steps(4)], given={"X": X, "K": trace.K, "V": trace.V})
def follow(edit):
    W_Q[edit.row, edit.column] = edit.value
    view.update({"W_Q": W_Q, "weights": al.self_attention(X, W_Q, W_K, W_V).weights})
view.on_edit(follow)
box = ipywidgets.VBox([view])
furnish(box)
box
"""

EXPLORER = """\
from attention_lib.lessons import Explorer
Explorer()
"""

LABS = {"MatrixView": VIEW, "explorer": EXPLORER}
EDITED = '[data-panel="W_Q"] .av-value'
DRAG_SECONDS, DRAG_MOVES = 2.0, 120
TARGETS = "to reach, at each wire: p50 <= 16, p95 <= 30, >= 45 pictures/s in a drag, lag after release <= 40"


def press_keys(tab: Tab, keys: int, wire: int) -> list[float]:
    """Return the milliseconds from each key press to the last picture that it brought about."""
    times = []
    tab.evaluate("bench.focus()")
    for i in range(keys + 5):
        time.sleep(random.uniform(0.03, 0.12))
        tab.evaluate("bench.take() && 0")
        tab.press("ArrowUp" if i % 20 < 12 else "ArrowDown")
        tab.evaluate(f"bench.painted(5000).then(() => bench.quiet({100 + wire}, 3000))")
        taken = tab.evaluate("bench.take()")
        pressed = next(note["time"] for note in taken["inputs"] if note["name"] == "keydown")
        times.append(taken["paints"][-1]["time"] - pressed)
    return times[5:]  # the first few warm up


def drag(tab: Tab, direction: int) -> dict[str, Any]:
    """Drag the value for two seconds, one step a frame; return what the page noted."""
    tab.evaluate("bench.focus()")
    tab.press("Home" if direction > 0 else "End")
    tab.evaluate("bench.quiet(400, 4000)")
    x, y = tab.evaluate("bench.place()")
    held = {"button": "left", "buttons": 1}
    tab.mouse("mouseMoved", x, y)
    tab.mouse("mousePressed", x, y, clickCount=1, **held)
    tab.evaluate("bench.quiet(300, 2000)")
    tab.evaluate("bench.take() && 0")
    start = time.perf_counter()
    for i in range(DRAG_MOVES):
        wait = start + (i + 1) * DRAG_SECONDS / DRAG_MOVES - time.perf_counter()
        if wait > 0:
            time.sleep(wait)
        x += 3 * direction
        tab.mouse("mouseMoved", x, y, **held)
    tab.mouse("mouseReleased", x, y, button="left", buttons=0, clickCount=1)
    tab.evaluate("bench.quiet(700, 15000)")
    taken: dict[str, Any] = tab.evaluate("bench.take()")
    return taken


def read_drag(taken: dict[str, Any]) -> dict[str, list[float]]:
    """Return pictures per second in the drag, and the lag after the last move of the hand."""
    moves = [note["time"] for note in taken["inputs"] if note["name"] == "pointermove"]
    paints = [paint["time"] for paint in taken["paints"]]
    inside = [time for time in paints if time <= moves[-1] + 20]
    return {"pictures": [len(inside) / (moves[-1] - moves[0]) * 1000], "lag": [max(0.0, paints[-1] - moves[-1])]}


def open_notebook(tab: Tab, url: str, file: str) -> None:
    """Open a notebook in JupyterLab, run it, and wait for the live view."""
    tab.call("Page.enable")
    tab.call("Emulation.setFocusEmulationEnabled", enabled=True)
    tab.call("Page.bringToFront")
    # A workspace of its own: otherwise JupyterLab opens the notebooks of earlier tabs again, in front of this one.
    tab.call("Page.navigate", url=f"{url}/doc/workspaces/{uuid4().hex}/tree/{file}")
    tab.wait_for(f"document.querySelector('.jp-Notebook .jp-Cell') && {is_ready(file)}")
    tab.evaluate("jupyterapp.commands.execute('notebook:run-all-cells') && 0")
    tab.wait_for(f"document.querySelector({EDITED!r}) && {is_ready(file)}")
    time.sleep(1.5)
    tab.call("Page.disable")


@contextmanager
def at_the_end_of(wire: int, server: LabServer) -> Iterator[str]:
    """Give the address of the server behind a wire of so many milliseconds."""
    if not wire:
        yield server.url
        return
    with Wire(int(urlparse(server.url).port or 0), wire / 1000) as held:
        yield held.url


def measure(chromium: Chromium, server: LabServer, name: str, keys: int, wire: int) -> dict[str, list[float]]:
    """Open the notebook of one lab, press keys and drag, and return what was measured."""
    file = f"bench_{name}.ipynb"
    write_notebook(server.root / file, [SETUP, LABS[name]])
    results = defaultdict(list)
    with at_the_end_of(wire, server) as url:
        tab = chromium.tab()
        try:
            open_notebook(tab, url, file)
            tab.evaluate((HERE / "instrument.js").read_text())
            results["key"] = press_keys(tab, keys, wire)
            for direction in (1, -1):
                for key, values in read_drag(drag(tab, direction)).items():
                    results[key] += values
        except TimeoutError as late:
            raise TimeoutError(f"{late}; {tab.evaluate(f'({STATE})()')}") from None
        tab.close()
    for session in server.api("/api/sessions"):
        server.api(f"/api/sessions/{session['id']}", "DELETE")
    return results


def print_table(results: dict[tuple[str, int], dict[str, list[float]]]) -> None:
    """Print one line for each lab and wire."""
    head = ["wire", "p50", "p95", "pictures/s", "lag"]
    print(f"{'':12}" + "".join(f"{word:>12}" for word in head))
    for (name, wire), measured in results.items():
        numbers = [
            *np.percentile(measured["key"], [50, 95]),
            *(np.median(measured[key]) for key in ("pictures", "lag")),
        ]
        print(f"{name:12}{wire:12}" + "".join(f"{number:12.1f}" for number in numbers))


def main() -> None:
    """Run the rounds and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--keys", type=int, default=40)
    parser.add_argument("--only", nargs="*", default=list(LABS), help="names of labs")
    parser.add_argument("--wire", nargs="*", type=int, default=[0, 150], help="round trips in milliseconds")
    options = parser.parse_args()
    runs = [(name, wire) for wire in options.wire for name in options.only]
    results: dict[tuple[str, int], dict[str, list[float]]] = {run: defaultdict(list) for run in runs}
    with tempfile.TemporaryDirectory() as folder, LabServer(Path(folder)) as server:
        chromium = Chromium(str(chromium_path()), CHROMIUM_FLAGS, 1280, 1087)  # a page of 1280 x 1000
        try:
            for i in range(options.rounds):
                for name, wire in runs:
                    for key, values in measure(chromium, server, name, options.keys, wire).items():
                        results[name, wire][key] += values
                    print(f"round {i + 1}: {name}, {wire} ms done", file=sys.stderr)
        finally:
            chromium.stop()
    print_table(results)
    print(TARGETS)


if __name__ == "__main__":
    main()
