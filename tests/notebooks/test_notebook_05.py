"""Notebook 05: the numbers that its prose says and no cell prints come out of a calculation."""

import numpy as np
import pytest
from notebook_tools import NOTEBOOKS, read

from attention_lib import scaled_dot_product_attention
from attention_lib.analysis.costs import parameter_count
from attention_lib.examples.made_up_heads import load_heads_example

EXAMPLE = load_heads_example()
DOG, MAN = EXAMPLE.sentences["dog_barked"], EXAMPLE.sentences["man_barked"]
PARIS, SIZE = EXAMPLE.features.index("Paris"), EXAMPLE.features.index("size")
NAME_HEAD, SIZE_HEAD = EXAMPLE.head_names.index("name"), EXAMPLE.head_names.index("size")


def prose():
    cells = read(NOTEBOOKS / "05_multi_head_attention.ipynb").cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def even_blend(sentence):
    """What the even query of section 1 reads where dog and man have a column each."""
    animal = sentence.X[:, 3]
    values = np.stack([animal > 0, animal < 0], axis=1).astype(float)  # (n, 2)
    dog, man = scaled_dot_product_attention([[4, 4]], sentence.X[:, :2], values).output[0]
    return f"{dog:.3f} and {man:.3f} in both sentences"


def both_portions():
    row = scaled_dot_product_attention([[8, 0], [0, 8]], DOG.X[:, :2], DOG.X[:, [3]]).weights
    dog, man = row[0, 1], row[1, 4]
    return f"{dog:.3f} + {man:.3f} = {dog + man:.2f}"


def wide_head():
    exp = np.exp(8 / np.sqrt(8))
    weight = EXAMPLE.layer(1)(DOG.X).heads.weights[0, DOG.row, 1]
    assert np.isclose(weight, exp / (2 * exp + 4))
    return f"8/√8 = {8 / np.sqrt(8):.2f}, e^2.83 = {exp:.1f}, and {exp:.1f}/(2·{exp:.1f} + 4) = {weight:.2f}"


def pull(phrase, head, column):
    """Of one column of Tower's ΔE: what comes through one head, and the whole."""
    sentence = EXAMPLE.sentences[phrase]
    trace = EXAMPLE.layer()(sentence.X)
    return trace.contributions[head, sentence.row, column], trace.output[sentence.row, column]


def through_the_size_head():
    part, whole = pull("eiffel_tower", SIZE_HEAD, PARIS)
    return f"{part:.2f} of the {whole:+.2f} comes through the size head"


def through_the_name_head():
    part, whole = pull("miniature_tower", NAME_HEAD, SIZE)
    return f"{-part:.2f} of the −{-whole:.2f} through the name head"


def mean_of_row(phrase, digits):
    sentence = EXAMPLE.sentences[phrase]
    return f"{(sentence.X + EXAMPLE.layer()(sentence.X).output)[sentence.row].mean():.{digits}f}"


@pytest.mark.parametrize(
    "sentence",
    [
        even_blend(DOG),
        even_blend(MAN),
        both_portions(),
        wide_head(),
        through_the_size_head(),
        through_the_name_head(),
        f"the row's mean, {mean_of_row('eiffel_tower', 2)}, was",
        f"a mean of {mean_of_row('miniature_tower', 4)}",
    ],
)
def test_the_prose_says_what_comes_out(sentence):
    assert sentence in prose()


def test_the_formula_for_parameters_is_that_of_the_library():
    d_model, h, d_h = 512, 8, 64
    assert "4·d_model·h·d_h parameters" in prose() and 4 * d_model * h * d_h == parameter_count(d_model, h, d_h)
