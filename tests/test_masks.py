import numpy as np
import oracle
import pytest
from _profiles import repeatable
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_lib import causal_mask, combine_masks, padding_mask, sliding_window_mask

pytestmark = pytest.mark.filterwarnings("error")

counts = st.integers(0, 6)


@repeatable
@given(counts, counts, st.none() | counts, st.none() | counts)
def test_sliding_window_mask_equals_the_oracle(n_queries, n_keys, left, right):
    mask = sliding_window_mask(n_queries, n_keys, left=left, right=right)
    assert mask.dtype == bool and mask.shape == (n_queries, n_keys)
    assert mask.tolist() == oracle.window(n_queries, n_keys, left, right)


def test_sliding_window_mask_looks_at_nothing_later_unless_told():
    assert sliding_window_mask(3, left=1).tolist() == [[True, False, False], [True, True, False], [False, True, True]]
    assert sliding_window_mask(4, left=None).tolist() == causal_mask(4).tolist()


@repeatable
@given(st.lists(st.integers(0, 5), max_size=4))
def test_padding_mask_keeps_the_first_keys_of_each_sequence(lengths):
    mask = padding_mask(np.array(lengths, int), 5)
    assert mask.dtype == bool and mask.shape == (len(lengths), 1, 5)
    assert mask[:, 0].tolist() == [[key < length for key in range(5)] for length in lengths]


@repeatable
@given(st.data())
def test_combined_masks_allow_what_every_mask_allows(data):
    masks = data.draw(st.lists(arrays(bool, (2, 3)), min_size=1, max_size=4))
    combined = combine_masks(None, *masks)
    assert combined.dtype == bool
    assert combined.tolist() == [[all(mask[i, j] for mask in masks) for j in range(3)] for i in range(2)]
    as_numbers = [np.where(masks[0], 0.0, -np.inf), *masks[1:]]
    assert combine_masks(*as_numbers).tolist() == np.where(combined, 0.0, -np.inf).tolist()


def test_combined_float_masks_are_added_up():
    single = np.array([[0.5, -np.inf, 1]], np.float32)
    combined = combine_masks(single, [[1.0, 2.0, 3.0]], np.array([True, True, False]))
    assert combined.tolist() == [[1.5, -np.inf, -np.inf]]
    assert combine_masks(single, np.array([[True]])).dtype == np.float32
    assert combine_masks() is combine_masks(None, None) is None


def test_combining_writes_to_no_mask_and_returns_none_of_them():
    for mask in (np.array([[True, False]]), np.array([[0.0, 1.0]])):
        before = mask.copy()
        for combined in (combine_masks(mask), combine_masks(mask, mask), combine_masks(np.array([[1.0]]), mask)):
            assert not np.shares_memory(combined, mask)
        assert np.array_equal(mask, before)
