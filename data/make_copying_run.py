"""Write copying_run.npz and copying_run_one_layer.npz: how two layers learn to copy, step by step, and one does not.

Nothing is downloaded, and nothing but NumPy is needed:  python data/make_copying_run.py
"""

import time
from pathlib import Path

import numpy as np

from attention_lib.examples.small_models import CopyingMeasure, measure_copying
from attention_lib.training.copying import STEPS, WORDS, copying_trainer

SEED = 1  # one head of the first layer does the work, as in six of ten seeds; in the others two share it
RUNS = {"copying_run.npz": (2, 2), "copying_run_one_layer.npz": (1, 4)}  # layers, and heads in each: four in all
KEPT = (0, 50, 100, 120, 140, 160, 180, 200, 250, 300, 500, STEPS)  # close together where the loss drops
EVERY = 10  # steps between measures; divides what is kept


def main(folder: Path = Path(__file__).parent) -> None:
    """Train each once; keep some of the models as float16, and what is measured on the way."""
    for name, (n_layers, n_heads) in RUNS.items():
        begun = time.process_time()
        arrays = one_run(n_layers, n_heads)
        np.savez_compressed(folder / name, **arrays)
        print(f"{name}: {time.process_time() - begun:.0f} s of one core, loss {arrays['again_loss'][-1]:.3f}")


def one_run(n_layers: int, n_heads: int) -> dict[str, np.ndarray]:
    """Train once; return what is stored."""
    trainer = copying_trainer(SEED, n_layers=n_layers, n_heads=n_heads)
    kept, measures = [], []
    for step in range(0, STEPS + 1, EVERY):
        trainer.run(step - trainer.step)
        if step in KEPT:
            kept.append({name: W.astype(np.float16) for name, W in trainer.model.parameters().items()})
        measures.append(measure_copying(trainer.model))
    arrays = {name: np.stack([model[name] for model in kept]) for name in kept[0]}
    curves = {name: np.float32([getattr(one, name) for one in measures]) for name in CopyingMeasure._fields}
    shared = {"words": np.array(WORDS), "n_heads": np.array(n_heads), "steps": np.array(KEPT)}
    course = {"losses": np.float32(trainer.losses), "measured_at": np.arange(0, STEPS + 1, EVERY)}
    return shared | course | curves | arrays


if __name__ == "__main__":
    main()
