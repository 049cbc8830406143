"""Write copying_seeds.json: does the drop come with every seed, and on other processors? What can one layer do?

And what can two layers do without a table of positions?

Each run is a process of its own that takes one core for some 15 seconds:  python data/measure_copying_seeds.py
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from attention_lib.examples.small_models import measure_copying
from attention_lib.language_model import LanguageModel
from attention_lib.training.copying import (
    N_POSITIONS,
    N_TEXTS,
    PART,
    RATE,
    STEPS,
    WORDS,
    copying_trainer,
    draw_texts,
    held_out_ids,
)
from attention_lib.training.language_training import Texts, Trainer

SEEDS = range(20)
PROCESSORS = ("Haswell", "Prescott")  # for OpenBLAS: with AVX2, and with nothing newer than SSE3
RUNS = {  # what is trained: layers, heads in each, whether each position has its own row, and on which processors
    "two layers of two heads": (2, 2, 1, PROCESSORS),
    "one layer of two heads": (1, 2, 1, PROCESSORS[:1]),
    "one layer of four heads": (1, 4, 1, PROCESSORS[:1]),
    "two layers, one row for all positions": (2, 2, 0, PROCESSORS[:1]),
}
EVERY = 10  # steps between measures


def one_run(seed: int, n_layers: int, n_heads: int) -> dict[str, object]:
    """Train once and say in numbers what happened."""
    trainer = copying_trainer(seed, n_layers=n_layers, n_heads=n_heads)
    again = [measure_copying(trainer.model).again_loss]
    while trainer.step < STEPS:
        trainer.run(EVERY)
        again.append(measure_copying(trainer.model).again_loss)
    last = measure_copying(trainer.model)
    cut = [
        [measure_copying(trainer.model.without_head(layer, head)).again_loss for head in range(n_heads)]
        for layer in range(n_layers)
    ]
    found = {
        "first_loss": last.first_loss,
        "again_loss": last.again_loss,
        "accuracy": last.accuracy,
        "induction": np.sort(last.induction).tolist(),  # of each layer's heads, the least first
        "previous": np.sort(last.previous).tolist(),
        "again_loss_without": np.sort(cut).tolist(),
    }
    if n_layers == 2:
        start, end = again[0], again[-1]
        marks = [EVERY * int(np.argmax(np.array(again) < end + share * (start - end))) for share in (0.9, 0.5, 0.1)]
        found |= {"drop_begins": marks[0], "drop_halfway": marks[1], "drop_ends": marks[2]}
    return found | on_other_texts(trainer.model)


def on_other_texts(model: LanguageModel) -> dict[str, object]:
    """Measure one layer on sequences of each length, and two layers on the shortest texts of the kind A B ... A."""
    if len(model.layers) == 1:
        shares = {}
        for length in range(PART[0], PART[1] + 1):
            repeated = np.tile(held_out_ids()[:, :length], 16)[:, :N_POSITIONS]  # (n_texts, n)
            right = model(repeated).logits[:, :-1].argmax(axis=-1) == repeated[:, 1:]  # (n_texts, n - 1)
            shares[length] = right[:, length:].mean()
        best = sorted(sorted(shares, key=lambda length: -shares[length])[:5])
        return {"share_right": np.mean(list(shares.values())), "best_lengths": best}
    words = np.random.default_rng(1).permuted(np.tile(np.arange(len(WORDS)), (500, 1)), axis=1)
    a_b_a, x_a_b_a = words[:, [0, 1, 0]], words[:, [2, 0, 1, 0]]
    trace = model(a_b_a)
    for_keys = trace.rows[1].copy()  # (n_texts, n, d_model)
    for_keys[:, 0] = trace.rows[0][:, 0]  # for layer 1, nothing is written into the first row
    last = trace.rows[1] + model.layers[1](trace.rows[1], for_keys, is_causal=True).output
    logits = {"a_b_a": trace.logits, "x_a_b_a": model(x_a_b_a).logits, "a_b_a_first_key_alone": last @ model.W_U}
    for place in (17, 18):  # ten words over and over, then A B, two new words and A again
        order = [*(i % 10 + 2 for i in range(place)), 0, 1, 12, 13, 0]
        logits[f"first_a_at_{place}"] = model(words[:, order]).logits
    return {name: (each[:, -1].argmax(axis=-1) == words[:, 1]).mean() for name, each in logits.items()}


def run_with_one_row(seed: int, n_layers: int, n_heads: int) -> dict[str, object]:
    """Train once with the same row of the table for every position."""

    def draw(rng: np.random.Generator) -> Texts:
        return draw_texts(rng)._replace(positions=np.zeros((N_TEXTS, N_POSITIONS), int))

    start = copying_trainer(seed, n_layers=n_layers, n_heads=n_heads).model
    trainer = Trainer(start, draw, rate=RATE, seed=seed)
    trainer.run(STEPS)
    one_row = np.tile(trainer.model.W_P[:1], (N_POSITIONS, 1))
    last = measure_copying(trainer.model.with_parameters({"W_P": one_row}))
    return {"first_loss": last.first_loss, "again_loss": last.again_loss, "accuracy": last.accuracy}


def ranges(runs: list[dict[str, object]]) -> dict[str, object]:
    """Return the least and the largest of each number over the runs."""
    arrays = {name: np.array([run[name] for run in runs]) for name in runs[0]}
    return {name: np.round([a.min(axis=0), a.max(axis=0)], 3).tolist() for name, a in arrays.items()}


def main(folder: Path = Path(__file__).parent) -> None:
    """Run all of it, one after the other, and store the ranges."""
    found: dict[str, object] = {"steps": STEPS, "seeds": len(SEEDS), "processors": PROCESSORS}
    for name, (n_layers, n_heads, has_table, processors) in RUNS.items():
        runs = []
        for processor in processors:
            for seed in SEEDS:
                asked = [sys.executable, __file__, *map(str, (seed, n_layers, n_heads, has_table))]
                env = os.environ | {"OPENBLAS_CORETYPE": processor, "OPENBLAS_NUM_THREADS": "1"}
                runs.append(json.loads(subprocess.run(asked, env=env, capture_output=True, check=True).stdout))
                print(name, processor, seed, json.dumps(runs[-1]), flush=True)
        found[name] = ranges(runs)
    (folder / "copying_seeds.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        *asked, has_table = map(int, sys.argv[1:])
        print(json.dumps((one_run if has_table else run_with_one_row)(*asked)))
    else:
        main()
