"""The parts that masks are composed of."""

import numpy as np
import pytest

from attention_lib import sliding_window_mask
from attention_lib.analysis.mask_parts import PartSizes, mask_part
from attention_lib.labs.mask_workbench import PARTS


@pytest.mark.parametrize("part", PARTS)
def test_parts_are_square_masks_of_their_own(part):
    first, second = mask_part(part, 5), mask_part(part, 5)
    assert first.shape == (5, 5) and first.dtype == bool
    first[...] = ~first  # writable, and nobody else's
    assert (second == mask_part(part, 5)).all()


def test_parts_are_what_they_say():
    sizes = PartSizes(left=1, right=2, real=3)
    assert (mask_part("window", 5, sizes) == sliding_window_mask(5, left=1, right=2)).all()
    assert (mask_part("padding", 5, sizes) == [True, True, True, False, False]).all()
    assert (mask_part("left_padding", 5, sizes) == [False, False, True, True, True]).all()
    assert (mask_part("first", 5, sizes) == [True, False, False, False, False]).all()
    assert (mask_part("itself", 5, sizes) == np.eye(5)).all()
    assert mask_part("everything", 5).all() and not mask_part("nothing", 5).any()
    assert mask_part("padding", 5, PartSizes(real=99)).all()
