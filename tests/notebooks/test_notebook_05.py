"""What notebook 05 claims, beyond what its cells show."""

import re

import numpy as np
from notebook_tools import NOTEBOOKS, read

from attention_lib import scaled_dot_product_attention
from attention_lib.examples.trained_heads import load_sentence
from attention_lib.lessons.multi_head_attention.made_up_heads import load_heads_example

CELLS = read(NOTEBOOKS / "05_multi_head_attention.ipynb").cells
PROSE = "\n".join(cell.source for cell in CELLS if cell.cell_type == "markdown")
EXAMPLE = load_heads_example()
DOG = EXAMPLE.sentences["dog_barked"]
ANSWERS = np.array([(1, -1), (-1, 1), (1, 1), (-1, -1)])  # the animal of the subject and of the modifier


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


def outputs(queries, keys_see_the_animal, W_V):
    """The outputs for (dog, man), (man, dog), (dog, dog) and (man, man), one row for each."""
    rows = []
    for subject, modifier in ANSWERS:
        X = DOG.X[:, [0, 1, 3]].copy()  # subject, modifier, animal
        X[[1, 4], 2] = subject, modifier
        K = X[:, :2] + keys_see_the_animal * X[:, [2]]
        rows.append(scaled_dot_product_attention(queries, K, X @ W_V).output.ravel())
    return np.array(rows)


def test_with_keys_of_roles_one_row_says_one_thing_about_the_animals_however_wide_the_value_is():
    for seed in range(20):
        W_V = np.random.default_rng(seed).normal(size=(3, 8))
        for queries, n in (([[4.5, 3.5]], 1), ([[8, 0], [0, 8]], 2)):
            found = outputs(queries, 0, W_V)
            assert np.linalg.matrix_rank(found - found.mean(axis=0), tol=1e-9) == n


def test_one_head_whose_keys_see_the_animal_can_give_both_answers():
    W_V = np.array([[1, 0], [-1, 0], [0, 1]])
    found = outputs([[8, 8]], 0.005, W_V)
    W_O = np.linalg.lstsq(found, ANSWERS, rcond=None)[0]
    assert np.allclose(found @ W_O, ANSWERS, atol=0.1)


def test_in_47_of_the_72_maps_it_reads_a_special_token_most_and_the_picked_heads_read_a_word_most():
    paper = load_sentence("paper")
    rows = paper.trace.weights[:, :, paper.query]  # (layers, heads, n)
    assert np.isin(rows.argmax(axis=-1), [0, len(paper.tokens) - 1]).sum() == 47
    on_words = rows[..., 1:-1].max(axis=-1)
    picked = {divmod(int(place), 12) for place in on_words.ravel().argsort()[-4:]}
    assert picked == {(0, 2), (1, 8), (2, 1), (4, 4)}
