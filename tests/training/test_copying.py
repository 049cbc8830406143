"""The copying task: what its texts have in common, and that two layers learn it."""

import os
import subprocess
import sys

import numpy as np

from attention_lib.training.copying import BEFORE, N_POSITIONS, PART, draw_texts, held_out_ids


def test_every_text_repeats_a_part_of_different_words():
    ids = draw_texts(np.random.default_rng(0), 600).ids
    assert ids.shape == (600, N_POSITIONS + 1)
    found = set()
    for text in ids.tolist():
        first = next(i for i, word in enumerate(text) if word in text[:i])  # where a word stands for the second time
        before = text.index(text[first])
        part = first - before
        assert text[first:] == text[before:-part]
        found.add((before, part))
    assert {before for before, _ in found} == set(range(BEFORE[0], BEFORE[1] + 1))
    assert {part for _, part in found} == set(range(PART[0], PART[1] + 1))


def test_what_is_measured_on_is_never_drawn_differently():
    assert (held_out_ids() == held_out_ids()).all()
    assert all(len(set(text[:16].tolist())) == 16 for text in held_out_ids())


STEPS_OF_ONE_THREAD = """
import time
from attention_lib.training.copying import copying_trainer

trainer = copying_trainer(0)
trainer.run(2)
whole, own = time.process_time(), time.thread_time()
trainer.run(100)
print(time.process_time() - whole, time.thread_time() - own)
"""


def test_a_step_hands_nothing_to_other_threads():
    """On busy cores they wait for each other: 22 s in place of 2 for thirty steps beside four busy loops."""
    env = os.environ | {"OPENBLAS_NUM_THREADS": "2"}
    run = subprocess.run(
        [sys.executable, "-c", STEPS_OF_ONE_THREAD], env=env, capture_output=True, text=True, timeout=300
    )
    whole, own = (float(seconds) for seconds in run.stdout.split())
    assert whole < 1.2 * own  # processor seconds of all threads, and of the one that runs Python
