"""Write copying_run.npz: how two layers learn to copy, step by step.

Nothing is downloaded, and nothing but NumPy is needed:  python data/make_copying_run.py
"""

import time
from pathlib import Path

import numpy as np

from attention_lib.examples.small_models import CopyingMeasure, measure_copying
from attention_lib.training.copying import STEPS, WORDS, copying_trainer

SEED = 1  # one head of the first layer does the work, as in six of ten seeds; in the others two share it
KEPT = (0, 50, 100, 120, 140, 160, 180, 200, 250, 300, 500, STEPS)  # close together where the loss drops
EVERY = 10  # steps between measures; divides what is kept


def main(folder: Path = Path(__file__).parent) -> None:
    """Train once; keep some of the models as float16, and what is measured on the way."""
    trainer = copying_trainer(SEED)
    kept, measures, begun = [], [], time.process_time()
    for step in range(0, STEPS + 1, EVERY):
        trainer.run(step - trainer.step, seconds=np.inf)
        if step in KEPT:
            kept.append({name: W.astype(np.float16) for name, W in trainer.model.parameters().items()})
        measures.append(measure_copying(trainer.model))
    arrays = {name: np.stack([model[name] for model in kept]) for name in kept[0]}
    curves = {name: np.float32([getattr(one, name) for one in measures]) for name in CopyingMeasure._fields}
    np.savez_compressed(
        folder / "copying_run.npz",
        words=np.array(WORDS),
        n_heads=trainer.model.layers[0].n_heads,
        steps=np.array(KEPT),
        losses=np.float32(trainer.losses),
        measured_at=np.arange(0, STEPS + 1, EVERY),
        **curves,
        **arrays,
    )
    print(f"{time.process_time() - begun:.0f} s of one core", measures[-1])


if __name__ == "__main__":
    main()
