"""Small maps in a grid, as a still picture."""

import numpy as np
from matplotlib.patches import Rectangle

from attention_lib import plots

MAPS = np.array([[[1.0, 0.0], [0.25, 0.75]], [[0.5, 0.5], [0.0, 1.0]], [[0.1, 0.9], [1.0, 0.0]], [[0.2, 0.8]] * 2])


def frames(picture, colour):
    found = [patch for patch in picture.axes[0].patches if isinstance(patch, Rectangle)]
    return [(patch.get_x(), patch.get_y()) for patch in found if patch.get_edgecolor()[:3] == colour]


def test_the_still_picture_shows_every_map_and_number():
    maps, values = np.stack([MAPS[:3], MAPS[1:]]), np.array([[0.1, 0.2, 0.345], [0.4, 0.5, 0.6]])
    picture = plots.thumbnails(maps, values, title="t", chosen=(1, 2), mark=(1, 0))
    axes = picture.axes[0]
    np.testing.assert_array_equal([image.get_array() for image in axes.images], maps.reshape(6, 2, 2))
    assert {(image.norm.vmin, image.norm.vmax) for image in axes.images} == {(0, 1)}
    assert [text.get_text() for text in axes.texts] == ["0.10", "0.20", "0.34", "0.40", "0.50", "0.60"]
    corners = [image.get_extent() for image in axes.images]
    assert corners[5][0] > corners[4][0] and corners[5][3] > corners[2][3]  # to the right, and below
    assert all(top < bottom for _, _, bottom, top in corners) and axes.yaxis_inverted()  # row 0 on top
    blue, orange = (0x0B / 255, 0x57 / 255, 0xD0 / 255), (0xC2 / 255, 0x57 / 255, 0x0C / 255)
    assert frames(picture, blue) == [(corners[5][0], corners[5][3])]
    around = [(left - 0.25, top + 0.25) for left, _, _, top in corners]  # half a cell away: its colour stays in sight
    np.testing.assert_allclose(frames(picture, orange), around)
    assert axes.get_xlabel() == "head" and axes.get_ylabel() == "layer"
    assert picture.description == "t. largest 0.60 at layer 1, head 2; smallest 0.10 at layer 0, head 0."
    assert frames(plots.thumbnails(maps, values, title="t"), orange) == []
