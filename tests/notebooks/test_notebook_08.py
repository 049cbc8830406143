"""What notebook 08 claims, beyond what its cells show."""

import numpy as np
from notebook_tools import NOTEBOOKS, read

from attention_lib.lessons.learning_attention.learning_lab import LearningLab, Reading, at_end
from attention_lib.training import learning, tasks

CELLS = {cell.id: cell.source for cell in read(NOTEBOOKS / "08_learning_attention.ipynb").cells}


def looks(seed):
    """The new sentences' words, their cues, the weights of 배 on the words, and which answers are right."""
    new = tasks.bae_batch(tasks.write_sentences(300, np.random.default_rng(2)))
    trace, logits = learning.answer(tasks.learn_bae(seed, every=150).last.layer, new.X, new.context)
    words = new.context.argmax(axis=-1)  # (300, 8)
    return words, new.keys[:, 0], trace.weights[:, 0], (logits.argmax(axis=-1) == new.answers).ravel()


def test_a_layer_can_be_right_although_its_map_misses_a_cue():
    assert (
        "With seed 13, 배 has not even learned to look at 치킨을: even where it is the only cue, some other"
        in CELLS["lab-answers"]
    )
    words, cues, weights, right = looks(13)
    chicken = np.take_along_axis(words, cues[:, None], axis=1)[:, 0] == tasks.WORDS.index("치킨을")
    looks_at_it = weights[chicken].argmax(axis=1) == cues[chicken]
    assert chicken.sum() == 22 and looks_at_it.sum() == 1 and right.all()


def test_the_lab_finds_what_its_answers_say():
    readings = [Reading(at_end(seed=seed)) for seed in range(20)]
    later = [reading.found - reading.halved for reading in readings]
    assert "In nine of them it is the same, and in the other eleven" in CELLS["lab-answers"]
    assert later.count(0) == 9 and later.count(5) == 11 and readings[0].found == 30
    assert "88% sure of *belly*" in CELLS["lab-answers"] and ">0.88<" in LearningLab("none").drawing._markup


def test_only_the_row_of_bae_in_W_Q_is_ever_used():
    assert "18 · 4 = 72 slopes are 0" in CELLS["nudge-all"]
    batch = tasks.bae_batch(tasks.write_sentences(120, np.random.default_rng(1)))
    gradients = learning.gradients_of(tasks.learn_bae(0).snapshots[0].layer, batch).matrices()
    assert sum((d_W == 0).sum() for d_W in gradients.values()) == (gradients["W_Q"][1:] == 0).sum() == 72
