"""Write data/writing_seconds.json: seconds per word of the small model, with and without a cache.

On a quiet machine:  OPENBLAS_NUM_THREADS=1 python tools/measure_writing.py "one core of …, 21 November 2026"
"""

import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

from attention_lib.examples.small_models import load_writing_model, writing_steps
from attention_lib.examples.timing import time_steps

FILE = Path(__file__).parents[1] / "data" / "writing_seconds.json"
LENGTHS = (16, 32, 64, 128, 256, 512)
ROUNDS = 200
THREADS = "OPENBLAS_NUM_THREADS"


def main(machine: str) -> None:
    """Let the model write a page, time each way at each length, and store it with the machine's name."""
    model = load_writing_model()
    page = model.generate(["the"], LENGTHS[-1] - 1, temperature=0.8, seed=0)
    steps = writing_steps(model, page)
    timed = [time_steps(steps, n, rounds=ROUNDS, budget=100)[0] for n in LENGTHS]
    about = f"{machine}; NumPy {version('numpy')}, float32, the best of {ROUNDS} runs"
    seconds = {name: [float(f"{times[name]:.3g}") for times in timed] for name in steps}
    record = {"machine": about, "lengths": LENGTHS, "seconds": seconds}
    FILE.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(FILE.read_text("utf-8"))


if __name__ == "__main__":
    if len(sys.argv) != 2 or os.environ.get(THREADS) != "1":
        sys.exit(f"{__doc__}{THREADS} needs to be 1, so that one core is measured.")
    main(sys.argv[1])
