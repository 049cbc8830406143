"""What notebook 11 claims, beyond what its cells show."""

import numpy as np
import pytest

from attention_lib.examples.small_models import load_copying_run
from attention_lib.training.copying import held_out_ids


@pytest.mark.parametrize("place", [2, 17, 18, 26])
def test_what_comes_first_at_place_18_or_later_is_not_followed(place):
    rng, model = np.random.default_rng(place), load_copying_run().models[-1]
    texts = [rng.permutation(20) for _ in range(50)]
    ids = np.array([[*np.tile(words[:8], 4)[:place], *words[10:14], words[10]] for words in texts])  # A B C D A
    assert (model(ids).logits[:, -1].argmax(axis=-1) == ids[:, place + 1]).mean() == (place < 18)


def test_one_layer_knows_which_words_stood_there_and_not_which_is_next():
    one = load_copying_run(1).models[-1]
    ids = held_out_ids()
    shares = one(ids).probabilities[:, 16:]  # (n_texts, 16, n_words)
    stood = (ids[:, :16, None] == np.arange(20)).any(axis=1)  # (n_texts, n_words)
    assert (shares * stood[:, None]).sum(axis=-1).mean() == pytest.approx(0.95, abs=0.005)
