"""The worked examples and their audit."""

import re

import numpy as np
import pytest

from attention_lib import example_names, load_example
from attention_lib.examples.worked import audit

BAE = "bae_hungry"


def test_what_differs_are_the_entries_that_round_to_another_number():
    (line,) = [line for line in audit(load_example(BAE)) if line.label == "weights"]
    assert line.differs.sum() == line.n_differ
    for i in np.ndindex(line.printed.shape):
        assert line.differs[i] == (round(float(line.computed[i]), 3) != line.printed[i])


def test_unknown_name_lists_the_names():
    with pytest.raises(ValueError, match="there is no example 'bae'; the examples are bae_hungry, cat_sat"):
        load_example("bae")


@pytest.mark.parametrize("name", example_names())
def test_every_example_names_its_source_and_labels_every_row(name):
    example = load_example(name)
    assert re.search(r"\d{4}|undated", example.source), "its author, title and year"
    for key in ("X", "Q", "K", "V"):
        assert key not in example.inputs or len(example.inputs[key]) == len(example.tokens)
