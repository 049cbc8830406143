"""The two trained models as they are stored: what they write, on every processor, and what their heads look at."""

import importlib.util

import numpy as np
import pytest

from attention_lib.examples.data import DATA
from attention_lib.examples.small_models import load_copying_run, load_writing_model, measure_copying
from attention_lib.training.two_languages import Page, judge


@pytest.fixture(scope="module")
def writer():
    return load_writing_model()


@pytest.fixture(scope="module")
def page(writer):
    return writer.generate(["the"], 511, temperature=0.8, seed=0)


@pytest.fixture(scope="module")
def likeliest_page(writer):
    return writer.generate(["the"], 511)


def test_its_pages_are_right(writer, page, likeliest_page):
    assert judge(page) == Page(pairs=35, english=35, korean=35)
    assert judge(likeliest_page) == Page(pairs=36, english=36, korean=36)
    others = [judge(writer.generate(["the"], 511, temperature=1.0, seed=seed)) for seed in range(3)]
    assert all(other.korean >= 0.9 * other.pairs for other in others)


@pytest.fixture(scope="module")
def run():
    return load_copying_run()


def test_the_kept_models_are_what_was_measured(run):
    for step, model in zip(run.steps, run.models):
        if step not in run.measured_at:
            continue
        found, i = measure_copying(model), run.measured_at.tolist().index(step)
        for name, value in found._asdict().items():
            np.testing.assert_allclose(value, getattr(run, name)[i], atol=0.02, err_msg=f"{name} at {step}")


def test_the_run_of_one_layer_is_whole_and_does_not_copy():
    one = load_copying_run(1)
    assert one.steps == load_copying_run().steps and (DATA / "copying_run_one_layer.npz").stat().st_size < 200_000
    assert len(one.models[-1].layers) == 1 and one.models[-1].layers[0].n_heads == 4
    found = measure_copying(one.models[-1])
    np.testing.assert_allclose(found.again_loss, one.again_loss[-1], atol=0.02)
    np.testing.assert_allclose(found.induction, one.induction[-1], atol=0.02)
    assert one.induction.max() < 0.2 and one.again_loss.min() > 1.8
    with pytest.raises(ValueError, match="n_layers is 3; runs are stored for 1 and 2"):
        load_copying_run(3)


SHORT_RUNS = {
    "writing_model": {"STEPS": 2, "N_SENTENCES": 300, "N_POSITIONS": 64, "SHORT": (2, 16), "LONG": (1, 64)},
    "copying_run": {"STEPS": 20, "KEPT": (0, 15, 20)},
}


@pytest.mark.parametrize("name", SHORT_RUNS)
def test_the_script_that_makes_a_model_runs(name, tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location(name, DATA / f"make_{name}.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    for setting, value in SHORT_RUNS[name].items():
        monkeypatch.setattr(make, setting, value)
    make.main(tmp_path)
    files = [path.name for path in DATA.glob(f"{name}*.npz")]
    assert files == [path.name for path in tmp_path.iterdir() if path.name in files] != []
    for file in files:
        with np.load(tmp_path / file) as made, np.load(DATA / file) as stored:
            assert {part: made[part].dtype for part in made} == {part: stored[part].dtype for part in stored}
