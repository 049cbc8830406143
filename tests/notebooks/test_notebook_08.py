"""What notebook 08 claims, beyond what its cells show."""

import numpy as np
from notebook_tools import NOTEBOOKS, read

from attention_lib.training import learning, tasks

CELLS = {cell.id: cell.source for cell in read(NOTEBOOKS / "08_learning_attention.ipynb").cells}


def looks(seed):
    """The new sentences' words, their cues, the weights of 배 on the words, and which answers are right."""
    new = tasks.bae_batch(tasks.write_sentences(300, np.random.default_rng(2)))
    trace, logits = learning.answer(tasks.learn_bae(seed, every=150).last.layer, new.X, new.context)
    words = new.context.argmax(axis=-1)  # (300, 8)
    return words, new.keys[:, 0], trace.weights[:, 0], (logits.argmax(axis=-1) == new.answers).ravel()


def test_a_layer_can_be_right_although_its_map_misses_a_cue():
    assert "With seed 13, 배 has not even learned to look at 치킨을: where it is the only cue" in CELLS["lab-answers"]
    words, cues, weights, right = looks(13)
    chicken = np.take_along_axis(words, cues[:, None], axis=1)[:, 0] == tasks.WORDS.index("치킨을")
    looks_at_it = weights[chicken].argmax(axis=1) == cues[chicken]
    assert chicken.sum() == 22 and looks_at_it.sum() == 1 and right.all()
