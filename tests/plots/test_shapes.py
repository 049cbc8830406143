"""Arrays as boxes: their sides are the sizes, at one scale, and every size is written."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from attention_lib import MultiHeadAttention, plots


def written(picture):
    return [text.get_text() for text in picture.axes[0].texts if text.get_text()]


def boxes(picture):
    return [
        patch for patch in picture.axes[0].patches if isinstance(patch, Rectangle) and patch.get_facecolor()[3] == 1
    ]


def test_sides_are_the_sizes_at_one_scale():
    drawn = boxes(plots.multi_head_shapes(1, 5, 12, 1))
    unit = drawn[0].get_width() / 12
    sides = [(box.get_height() / unit, box.get_width() / unit) for box in drawn]
    rows_and_columns = [(5, 12), (5, 12), (5, 12), (5, 5), (5, 12), (5, 12), (5, 12)]
    assert np.array(sides) == pytest.approx(np.array(rows_and_columns))
    words = written(plots.multi_head_shapes(1, 5, 12, 3))
    assert {"n = 5", "d_model = 12", "split", "Q of the heads\n(batch, h, n, d_k)\n(1, 3, 5, 4)"} <= set(words)


def test_heads_stand_behind_each_other_and_sentences_below():
    of_Q = boxes(plots.multi_head_shapes(2, 5, 12, 3))[4:10]  # after two of X, and two of Q side by side
    places = np.array([[box.get_x(), box.get_y()] for box in of_Q])
    assert len(np.unique(places[:, 0].round(6))) == 3 and len(np.unique(places[:, 1].round(6))) == 6
    nearest = of_Q[2]  # the last of the first three covers the others
    assert (nearest.get_x(), nearest.get_y()) == (places[:3, 0].min(), places[:3, 1].min())
    many = plots.multi_head_shapes(1, 5, 64, 32)
    assert len(boxes(many)) == 4 + 3 * 4 and "Q of the heads\n(batch, h, n, d_k)\n(1, 32, 5, 2)" in written(many)


def test_the_shapes_of_heads_are_those_of_the_library():
    batch, n, d_model, h = 2, 5, 12, 3
    rng = np.random.default_rng(0)
    W = [rng.standard_normal((d_model, d_model)) for _ in range(4)]
    trace = MultiHeadAttention(*W, n_heads=h)(rng.standard_normal((batch, n, d_model)))
    description = plots.multi_head_shapes(batch, n, d_model, h).description
    for name, array in [
        ("X (batch, n, d_model)", trace.output),
        ("Q of the heads (batch, h, n, d_k)", trace.heads.Q),
        ("scores (batch, h, n, n keys)", trace.heads.scores),
        ("outputs of the heads (batch, h, n, d_v)", trace.heads.output),
        ("side by side (batch, n, h·d_v)", trace.concat),
        ("output (batch, n, d_model)", trace.output),
    ]:
        assert f"{name} = {array.shape}" in description


def test_an_arrow_stands_between_a_box_and_the_next_of_its_line():
    picture = plots.multi_head_shapes(1, 4, 8, 2)
    arrows = [text for text in picture.axes[0].texts if getattr(text, "arrow_patch", None)]
    assert len(arrows) == 6
    assert all(arrow.xy[0] > arrow.get_position()[0] for arrow in arrows)  # to the right
    lines = {round(arrow.xy[1], 6) for arrow in arrows}
    for height in lines:
        ends = sorted((arrow.get_position()[0], arrow.xy[0]) for arrow in arrows if round(arrow.xy[1], 6) == height)
        assert all(end < start for (_, end), (start, _) in pairwise(ends))


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="n_heads=5 does not divide d_model=12"):
        plots.multi_head_shapes(1, 2, 12, 5)
