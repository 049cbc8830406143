"""Write writing_model.npz: the small language model of notebook 06, trained on a grammar of our own.

Nothing is downloaded, and nothing but NumPy is needed:  python data/make_writing_model.py
"""

import time
from pathlib import Path

import numpy as np

from attention_lib.language_model import LanguageModel
from attention_lib.positions import sinusoidal_positions
from attention_lib.training.language_training import Texts, Trainer, random_language_model
from attention_lib.training.two_languages import WORDS, draw_sentence, in_english, in_korean, judge

N_HEADS, D_MODEL, N_POSITIONS = 4, 64, 512
STEPS, RATE, WARM_UP = 2400, 0.003, 100
SHORT, LONG, EVERY = (16, 64), (2, N_POSITIONS), 5  # texts and tokens of a step; every fifth is of long texts
N_SENTENCES = 20_000


def first_positions() -> np.ndarray:
    """Return sines and cosines to begin with, (n_positions, d_model): places near each other look alike."""
    waves = 0.5 * sinusoidal_positions(N_POSITIONS, D_MODEL)
    return np.concatenate([waves[:, ::2], waves[:, 1::2]], axis=1)


class Draw:
    """Cut texts out of one long text, each from the start of an English sentence on, at any positions."""

    def __init__(self, ids: np.ndarray, starts: np.ndarray) -> None:
        self.ids, self.starts, self.calls = ids, starts[starts < len(ids) - N_POSITIONS], 0

    def __call__(self, rng: np.random.Generator) -> Texts:
        """Return the texts of one step."""
        self.calls += 1
        n_texts, n = SHORT if self.calls % EVERY else LONG
        starts = rng.choice(self.starts, n_texts)[:, None]
        positions = rng.integers(0, N_POSITIONS - n + 1, n_texts)[:, None] + np.arange(n)  # (n_texts, n)
        return Texts(self.ids[starts + np.arange(n + 1)], positions)


def rate(step: int) -> float:
    """Rise over the first steps, then fall along half a cosine to almost nothing."""
    return RATE * min(1, (step + 1) / WARM_UP) * (0.5 + 0.5 * np.cos(np.pi * step / STEPS)) + 1e-5


def long_text() -> tuple[list[str], np.ndarray]:
    """Write sentences in both languages, one after the other; return the words, and where each English one starts."""
    rng = np.random.default_rng(1)
    sentences = [draw_sentence(rng) for _ in range(N_SENTENCES)]
    pairs = [in_english(sentence) + in_korean(sentence) for sentence in sentences]
    return [word for pair in pairs for word in pair], np.cumsum([0, *(len(pair) for pair in pairs[:-1])])


def train() -> LanguageModel:
    """Train the model and return it with its numbers rounded to float16."""
    words, starts = long_text()
    model = random_language_model(
        WORDS,
        seed=0,
        n_heads=N_HEADS,
        d_model=D_MODEL,
        n_positions=N_POSITIONS,
        dtype=np.float32,
    )
    model = model.with_parameters({"W_P": first_positions().astype(np.float32)})
    trainer = Trainer(model, Draw(model.ids(words), starts), rate=rate, seed=2)
    begun = time.perf_counter()
    while trainer.step < STEPS:
        trainer.run(100)
        print(trainer.step, round(float(np.mean(trainer.losses[-100:])), 3), f"{time.perf_counter() - begun:.0f} s")
    rounded = {name: W.astype(np.float16).astype(np.float32) for name, W in trainer.model.parameters().items()}
    return trainer.model.with_parameters(rounded)


def main(folder: Path = Path(__file__).parent) -> None:
    """Train the model, store it, and let it write pages to be judged."""
    model = train()
    parameters = {name: W.astype(np.float16) for name, W in model.parameters().items()}
    np.savez_compressed(folder / "writing_model.npz", words=np.array(WORDS), n_heads=N_HEADS, **parameters)
    for temperature in (0.0, 0.8, 1.0):
        pages = [model.generate(["the"], N_POSITIONS - 1, temperature=temperature, seed=seed) for seed in (0, 1)]
        print(temperature, *map(judge, pages))


if __name__ == "__main__":
    main()
