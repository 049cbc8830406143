"""What notebook 05 claims, beyond what its cells show."""

import re

import numpy as np
from notebook_tools import NOTEBOOKS, read

from attention_lib.examples.trained_heads import load_sentence
from attention_lib.lessons.multi_head_attention.made_up_heads import load_heads_example

CELLS = read(NOTEBOOKS / "05_multi_head_attention.ipynb").cells
PROSE = "\n".join(cell.source for cell in CELLS if cell.cell_type == "markdown")
EXAMPLE = load_heads_example()
DOG = EXAMPLE.sentences["dog_barked"]


def test_the_table_of_words_is_that_of_the_file():
    rows = [
        [each.strip().replace("−", "-") for each in line.strip("|").split("|")]
        for line in PROSE.splitlines()
        if re.match(r"\| (dog|man|barked) ", line)
    ]
    assert len(rows) == 3
    for word, *numbers in rows:
        assert DOG.X[DOG.tokens.index(word), :4].tolist() == [float(number) for number in numbers]
        assert not DOG.X[DOG.tokens.index(word), 4:].any()
    others = [i for i, token in enumerate(DOG.tokens) if token not in ("dog", "man", "barked")]
    assert not DOG.X[others].any()


def test_with_two_dogs_both_heads_pass_on_a_positive_number():
    X = DOG.X.copy()
    X[DOG.tokens.index("man"), EXAMPLE.features.index("animal")] = 1
    doer_and_company = EXAMPLE.layer()(X).output[DOG.row, 6:]
    assert (doer_and_company > 0.9).all()


def test_in_47_of_the_72_maps_it_reads_a_special_token_most_and_the_picked_heads_read_a_word_most():
    paper = load_sentence("paper")
    rows = paper.trace.weights[:, :, paper.query]  # (layers, heads, n)
    assert np.isin(rows.argmax(axis=-1), [0, len(paper.tokens) - 1]).sum() == 47
    on_words = rows[..., 1:-1].max(axis=-1)
    picked = {divmod(int(place), 12) for place in on_words.ravel().argsort()[-4:]}
    assert picked == {(0, 2), (1, 8), (2, 1), (4, 4)}
