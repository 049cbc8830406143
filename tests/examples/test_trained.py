"""The stored heads, what is measured of them, and the model they come from where it is installed."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from attention_lib.examples import minilm
from attention_lib.examples.data import DATA
from attention_lib.examples.measures import arriving_share
from attention_lib.examples.minilm import MiniLM
from attention_lib.examples.trained_heads import KINDS, load_sentence, sentence_names


@pytest.fixture(scope="module")
def record():
    return json.loads((DATA / "minilm_heads.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("layer", "head", "said"), [(6, 0, "layer is 6"), (0, 12, "head is 12"), (-1, 0, "layer is -1")]
)
def test_no_such_head(layer, head, said):
    with pytest.raises(ValueError, match=said):
        load_sentence("cat").head(layer, head)


def test_no_such_sentence():
    with pytest.raises(ValueError, match="paper_she"):
        load_sentence("dog")


def test_statistics_of_what_arrives():
    cat = load_sentence("cat")
    shares = arriving_share(cat.trace.weights, cat.trace.V)
    assert cat.maps(arriving=True).tolist() == shares.tolist() and cat.maps() is cat.trace.weights
    assert cat.statistics(1, 2)["pair"].tolist() == cat.trace.weights[:, :, 1, 2].tolist()
    assert cat.statistics(1, 2, arriving=True)["pair"].tolist() == shares[:, :, 1, 2].tolist()


def test_another_file_is_refused(monkeypatch, tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.safetensors").write_bytes(b"not the model")
    found = SimpleNamespace(locate_file=lambda name: tmp_path)
    monkeypatch.setattr(minilm.metadata, "distribution", lambda name: found)
    with pytest.raises(ValueError, match="not the published file"):
        MiniLM()


def test_stored_numbers_are_the_model_s(model, record):
    stored, run = record["sentences"]["cat"], model.run("The cat sat on the mat")
    assert list(run.tokens) == stored["tokens"]
    sentence = load_sentence("cat")
    for role in "QKV":
        array = getattr(sentence.trace, role)
        np.testing.assert_allclose(array, run.stacked(role), rtol=1e-3, atol=1e-4)  # float16 keeps 11 bits
    np.testing.assert_allclose(sentence.trace.weights, run.stacked("weights"), atol=0.003)


def test_every_stored_sentence_is_cut_as_the_model_cuts_it(model, record):
    for sentence in record["sentences"].values():
        assert list(model.run(sentence["text"]).tokens) == sentence["tokens"]


def far(before, after):
    lengths = np.linalg.norm(before, axis=-1) * np.linalg.norm(after, axis=-1)
    return 1 - (before * after).sum(-1) / lengths


def test_stored_distances_are_the_model_s(model):
    """With the mean over all stored sentences in place of a head."""
    sentence = load_sentence("paper")
    texts = [load_sentence(name).text for name in sentence_names(*KINDS)]
    outputs = np.concatenate([model.run(text).stacked("output") for text in texts], axis=2)  # (6, 12, n_all, 32)
    mean = model.run(sentence.text, off={4: [4]}, instead=outputs.mean(axis=2))
    distances = far(model.run(sentence.text).hidden[-1], mean.hidden[-1])
    assert distances[sentence.query] == pytest.approx(sentence.moved[4, 4], rel=1e-2)
