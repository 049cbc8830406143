"""What notebook 10 claims, beyond what its cells show."""

import numpy as np
import pytest

from attention_lib.examples.trained_heads import KINDS, load_sentence, sentence_names


def on_previous(model):
    """The weight of head 2, layer 0, on the token before, in each stored sentence."""
    texts = [load_sentence(name).text for name in sentence_names(*KINDS)]
    return [np.diagonal(model.run(text).layers[0].heads.weights[2], -1).mean() for text in texts]


@pytest.mark.parametrize(("part", "low", "high"), [("position", 0.065, 0.215), ("word", 0.995, 1.0)])
def test_with_one_row_for_all_positions_the_head_is_lost_and_with_one_for_all_words_it_is_not(
    model, monkeypatch, part, low, high
):
    assert min(on_previous(model)) > 0.995
    name = f"embeddings.{part}_embeddings.weight"
    table = model.parts[name]
    monkeypatch.setitem(model.parts, name, np.repeat(table.mean(axis=0, keepdims=True), len(table), axis=0))
    found = on_previous(model)
    assert low <= min(found) and max(found) <= high + 1e-5
