"""The statistics of scaling against closed forms, and what the comparison of divisors keeps to."""

import numpy as np
import pytest

from attention_lib.lessons.scaling import scaling
from attention_lib.lessons.scaling.scaling import ScalingState, compare


@pytest.mark.parametrize("alignment", [0.0, 0.3, 1.0])
def test_alignment_is_the_correlation_of_query_i_and_key_i(alignment):
    Q, K = scaling.draw_tokens(1024, alignment=alignment)
    own, other = (Q * K[:, :8]).mean(), (Q * K[:, 8:]).mean()
    assert Q.shape == (32, 8, 1024)
    assert own == pytest.approx(alignment, abs=0.01)
    assert other == pytest.approx(0, abs=0.01)
    assert Q.var() == pytest.approx(1, abs=0.02)


def test_score_shares_count_by_nearest_whole_number_and_leave_out_what_lies_beyond():
    shares = scaling.score_shares([[0.4, -0.4], [1.2, 300.0]])
    assert shares.tolist() == [0] * 8 + [0.5, 0.25] + [0] * 7
    assert scaling.score_shares([-8.4, -8.7])[0] == 0.5


def test_no_capped_score_goes_beyond_the_cap_and_small_ones_stay():
    free, capped = compare(ScalingState(1024)), compare(ScalingState(1024, cap=5))
    assert np.abs(free.scaled_scores[0]).max() > 50 > 5 >= np.abs(capped.scaled_scores[0]).max()
    np.testing.assert_allclose(capped.scaled_scores[2], free.scaled_scores[2], atol=1e-3)
    np.testing.assert_array_equal(np.sign(capped.scaled_scores), np.sign(free.scaled_scores))
