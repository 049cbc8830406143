"""How fast the live pictures follow the hand, in a real browser on a stock JupyterLab.

    python tests/benchmarks/bench_live.py [--rounds 2] [--keys 40]

Three notebooks are driven in turn: the usual way (`interact`, a new figure, `plt.show`), a
MatrixView with an 8 x 8 map and an editable matrix, and the whole explorer. Times are in
milliseconds and run from the input event to the first task after the painted frame.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "browser"))
from harness import CHROMIUM_FLAGS, LabServer, NotebookPage, chromium_path, write_notebook  # noqa: E402

SETUP = """\
import gc, os
import numpy as np
import attention_lib as al
tokens = ["나는", "어제", "배", "가", "너무", "고파서", "밥을", "시켜서"]
rng = np.random.default_rng(0)
X = rng.standard_normal((8, 8))
W_Q, W_K, W_V = np.round(rng.uniform(-1, 1, (3, 8, 4)) * 20) / 20
W_Q[0, 0] = 0

def kernel_mb():
    gc.collect()
    with open(f"/proc/{os.getpid()}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

def open_figures():
    from matplotlib import pyplot
    return len(pyplot.get_fignums())
"""

USUAL = """\
import ipywidgets
import matplotlib.pyplot as plt

def draw(value):
    W_Q[0, 0] = value
    weights = al.self_attention(X, W_Q, W_K, W_V).weights
    fig, axes = plt.subplots(figsize=(4.8, 4.8))
    axes.imshow(weights, cmap="Blues", vmin=0, vmax=1)
    axes.set_xticks(range(8), range(8))
    axes.set_yticks(range(8), range(8))
    for i in range(8):
        for j in range(8):
            colour = "white" if weights[i, j] > 0.55 else "black"
            axes.text(j, i, f"{weights[i, j]:.2f}", ha="center", va="center", fontsize=9, color=colour)
    plt.show()

ipywidgets.interact(draw, value=ipywidgets.FloatSlider(min=-3, max=3, step=0.05, layout={"width": "520px"}));
"""

FOLLOW = """
view.on_edit(lambda edit: view.update(captions={"W_Q": f"value {edit.value:.4f}"}))  # what the picture belongs to
view.update(captions={"W_Q": "value 0"})

def thousand_updates():
    def edit(i):
        message = {"do": "edit", "view": "bench", "n": i, "gesture": "g", "panel": "W_Q", "row": 0, "column": 0}
        message["value"] = (i % 100) / 50
        data = {"method": "custom", "content": message}
        view._handle_msg({"content": {"data": data}, "buffers": []})
    for i in range(300):
        edit(i)
    before = kernel_mb()
    for i in range(1000):
        edit(i)
    return kernel_mb() - before
"""

VIEW = (
    """\
from attention_lib.widgets import MatrixView, Panel
trace = al.self_attention(X, W_Q, W_K, W_V)
view = MatrixView({
    "W_Q": Panel(W_Q, editable=True, low=-3, high=3, row_axis="feature", column_axis="dimension"),
    "weights": Panel(trace.weights, tokens, tokens, kind="weights"),
})
def follow(edit):
    W_Q[edit.row, edit.column] = edit.value
    view.update({"W_Q": W_Q, "weights": al.self_attention(X, W_Q, W_K, W_V).weights})
view.on_edit(follow)
"""
    + FOLLOW
    + "view"
)

EXPLORER = (
    """\
from attention_lib.widgets.explorer import Explorer
explorer = Explorer()
view = explorer.view
"""
    + FOLLOW
    + "explorer"
)

#: name -> (cell, the edited panel or None, keys that go up and down)
LABS = {
    "interact + plt.show": (USUAL, None, ("ArrowRight", "ArrowLeft")),
    "MatrixView": (VIEW, "W_Q", ("ArrowUp", "ArrowDown")),
    "explorer": (EXPLORER, "W_Q", ("ArrowUp", "ArrowDown")),
}
DRAG_SECONDS, DRAG_MOVES = 2.0, 120
TARGETS = """\
to reach: MatrixView p50 <= 28, p95 <= 45, 7 times faster than interact, drag >= 40 updates/s at p50 <= 35
          explorer   p50 <= 40, p95 <= 66, drag >= 30 updates/s
          both       lag after release <= 100, the last value shown, growth < 5 MB, no open figure"""


def press_keys(notebook: NotebookPage, up: str, down: str, keys: int) -> list[float]:
    """Return the milliseconds from each key press to the painted result."""
    page, times = notebook.page, []
    page.evaluate("bench.focus()")
    for i in range(keys + 5):
        page.wait_for_timeout(random.uniform(30, 120))
        page.evaluate("bench.take() && 0")
        page.keyboard.press(up if i % 20 < 12 else down)
        page.wait_for_function("bench.paints.length > 0", timeout=5000)
        page.evaluate("bench.quiet(100, 3000)")
        taken = page.evaluate("bench.take()")
        pressed = next(note["time"] for note in taken["inputs"] if note["name"] == "keydown")
        times.append(taken["paints"][-1]["time"] - pressed)
    return times[5:]  # the first few warm up


def drag(notebook: NotebookPage, cdp: Any, direction: int) -> dict[str, Any]:
    """Drag the value for two seconds, one step a frame; return what the page noted."""
    page = notebook.page
    page.evaluate("bench.focus()")
    page.keyboard.press("Home" if direction > 0 else "End")
    page.evaluate("bench.quiet(400, 4000)")
    x, y = page.evaluate("bench.place()")

    def mouse(kind: str, at: float, **more: Any) -> None:
        cdp.send("Input.dispatchMouseEvent", {"type": kind, "x": at, "y": y, **more})

    held = {"button": "left", "buttons": 1}
    mouse("mouseMoved", x)
    mouse("mousePressed", x, clickCount=1, **held)
    page.evaluate("bench.quiet(300, 2000)")
    page.evaluate("bench.take() && 0")
    start = time.perf_counter()
    for i in range(DRAG_MOVES):
        wait = start + (i + 1) * DRAG_SECONDS / DRAG_MOVES - time.perf_counter()
        if wait > 0:
            time.sleep(wait)
        x += 3 * direction
        mouse("mouseMoved", x, **held)
    mouse("mouseReleased", x, button="left", buttons=0, clickCount=1)
    page.evaluate("bench.quiet(700, 15000)")
    taken: dict[str, Any] = page.evaluate("bench.take()")
    return taken


def read_drag(taken: dict[str, Any], last_shown: bool) -> dict[str, list[float]]:
    """Return updates per second, latencies in the drag, and the lag after the last change of the hand."""
    moves = [note["time"] for note in taken["inputs"] if note["name"] == "pointermove"]
    released = next(note["time"] for note in taken["inputs"] if note["name"] == "pointerup")
    set_at = {round(note["value"], 4): note["time"] for note in taken["values"]}
    paints = taken["paints"]
    inside = [paint for paint in paints if paint["time"] <= released + 20]
    return {
        "updates": [len(inside) / (released - moves[0]) * 1000],
        "in drag": [paint["time"] - set_at[paint["value"]] for paint in inside if paint["value"] in set_at],
        "lag": [paints[-1]["time"] - taken["values"][-1]["time"]],
        "last": [float(last_shown)],
    }


def measure(context: Any, server: LabServer, name: str, keys: int, results: dict[str, list[float]]) -> None:
    """Open the notebook of one lab, drive it, and add what was measured."""
    cell, edited, (up, down) = LABS[name]
    file = "bench_" + name.split()[0] + ".ipynb"
    write_notebook(server.root / file, [SETUP, cell])
    notebook = NotebookPage(context, server, file)
    notebook.run_all()
    notebook.page.wait_for_selector('[data-panel="W_Q"] .av-value' if edited else ".noUi-handle")
    notebook.page.wait_for_timeout(1500)
    notebook.page.evaluate((HERE / "instrument.js").read_text(), edited)
    results["key"] += press_keys(notebook, up, down, keys)
    cdp = context.new_cdp_session(notebook.page)
    for direction in (1, -1):
        taken = drag(notebook, cdp, direction)
        if edited:
            same = (
                round(taken["value"], 4)
                == taken["paints"][-1]["value"]
                == round(notebook.python("view['W_Q'][0, 0].item()"), 4)
            )
        else:
            same = abs(taken["value"] - notebook.python("W_Q[0, 0].item()")) < 1e-6
        for key, values in read_drag(taken, same).items():
            results[key] += values
    if edited:
        results["growth"].append(notebook.python("thousand_updates()"))
    results["figures"].append(notebook.python("open_figures()"))
    notebook.close()


def print_table(results: dict[str, dict[str, list[float]]]) -> None:
    """Print one line a lab."""
    head = ["p50", "p95", "times faster", "updates/s", "in-drag p50", "lag", "last shown", "growth MB", "open figures"]
    print(f"{'':22}" + "".join(f"{word:>14}" for word in head))
    usual = np.median(results.get("interact + plt.show", {}).get("key", [np.nan]))
    for name, found in results.items():
        median = float(np.median(found["key"]))
        shown = [median, float(np.percentile(found["key"], 95)), usual / median]
        shown += [float(np.median(found[key])) if found[key] else np.nan for key in ("updates", "in drag", "lag")]
        line = "".join(f"{value:14.1f}" for value in shown)
        line += f"{int(sum(found['last']))}/{len(found['last'])}".rjust(14)
        line += f"{max(found['growth'], default=np.nan):14.2f}{max(found['figures']):14.0f}"
        print(f"{name:22}{line}")


def main() -> None:
    """Run the rounds and print the table."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--keys", type=int, default=40)
    parser.add_argument("--only", nargs="*", default=list(LABS), help="names of labs")
    options = parser.parse_args()
    results: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in options.only}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        home = Path(folder)
        (home / "notebooks").mkdir()
        server = LabServer(home, home / "notebooks")
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_FLAGS)
        try:
            for i in range(options.rounds):
                for name in options.only:
                    context = browser.new_context(viewport={"width": 1280, "height": 1000})
                    measure(context, server, name, options.keys, results[name])
                    context.close()
                    print(f"round {i + 1}: {name} done", file=sys.stderr)
        finally:
            browser.close()
            server.stop()
    print_table(results)
    print(TARGETS)


if __name__ == "__main__":
    main()
