"""Arrays as boxes: their sides are the sizes, at one scale, and every size is written."""

import numpy as np
from matplotlib.patches import Rectangle

from attention_lib import plots


def boxes(plane):
    """The whole boxes of an array, without the columns of heads in them: (n_boxes, 4), x, y, width and height."""
    whole = [patch for patch in plane.patches if isinstance(patch, Rectangle) and patch.get_facecolor()[3] == 1]
    return np.array([patch.get_bbox().bounds for patch in whole]).round(9)


def test_every_box_has_its_sizes_at_one_scale_and_every_sentence_and_head_its_box():
    X, Q, heads, scores, weights, *_ = plots.multi_head_shapes(2, 5, 12, 3).axes
    assert boxes(X)[:, 2:].tolist() == boxes(Q)[:, 2:].tolist() == [[12, 5]] * 2
    assert [boxes(plane)[:, 2:].tolist() for plane in (heads, scores, weights)] == [[[4, 5]] * 6, *[[[5, 5]] * 6] * 2]
    assert len({(plane.get_xlim(), plane.get_ylim()) for plane in (X, Q, heads, scores)}) == 1
    sentence = boxes(heads)[:3]
    assert (np.diff(sentence[:, :2], axis=0) < 0).all()  # the nearest, below and to the left, covers the others
    assert boxes(heads)[3:, 1].min() > sentence[:, 1].max()
    assert [text.get_text() for text in heads.texts] == ["n = 5", "d_k = 4"]
    assert (heads.get_ylabel(), heads.get_xlabel()) == (
        "split\n━━▶",
        "Q of the heads\n(batch, h, n, d_k)\n(2, 3, 5, 4)",
    )
