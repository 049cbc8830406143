"""One map over time, with one scale that is shown once; and the maps of all heads."""

import numpy as np
import pytest

from attention_lib import plots

MAPS = np.array([np.full((3, 3), 1 / 3), 0.5 * np.eye(3) + 1 / 6, np.eye(3)])
STEPS = ["step 0", "step 100", "step 300"]
TOKENS = ["어제", "배", "가"]


def test_maps_over_time_share_one_scale_that_is_shown_once():
    picture = plots.map_series(MAPS, STEPS, TOKENS, TOKENS, title="It sharpens", mark=(1, 0))
    *maps, scale = picture.axes
    assert [axes.get_title() for axes in maps] == STEPS
    for axes, values in zip(maps, MAPS):
        (image,) = axes.images
        assert np.array_equal(image.get_array(), values)
        assert (image.norm.vmin, image.norm.vmax) == (0, 1)
        corners = np.concatenate(axes.collections[0].get_segments())  # of the frame around row 1, column 0
        assert (corners.min(axis=0).tolist(), corners.max(axis=0).tolist()) == ([-0.5, 0.5], [0.5, 1.5])
    assert scale.get_ylim() == (0, 1)
    assert [label.get_text() for label in maps[0].get_yticklabels()] == TOKENS
    assert [label.get_text() for label in maps[1].get_yticklabels()] == ["", "", ""]
    first, last = plots.describe_map(MAPS[0], TOKENS, TOKENS), plots.describe_map(MAPS[2], TOKENS, TOKENS)
    framed = "The framed cell, 배 and 어제: 0.33 at step 0, 0.17 at step 100, 0.00 at step 300."
    assert picture.description == f"It sharpens. step 0: {first} step 300: {last} {framed}"


def test_many_maps_stand_in_lines_and_signed_ones_in_two_hues():
    picture = plots.map_series(np.tile(MAPS, (4, 4, 4)), [str(i) for i in range(12)], TOKENS * 4, TOKENS * 4, title="t")
    lines = {axes.get_subplotspec().rowspan.start for axes in picture.axes[:-1]}
    assert len(lines) > 1 and picture.get_size_inches()[0] < 13
    signed = plots.map_series(-MAPS, STEPS, TOKENS, TOKENS, title="t")
    assert (signed.axes[0].images[0].norm.vmin, signed.axes[0].images[0].norm.vmax) == (-1, 1)
    fixed = plots.map_series(MAPS, STEPS, TOKENS, TOKENS, title="t", vmax=2)
    assert fixed.axes[-1].get_ylim() == (0, 2)


def test_names_and_labels_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="shape \\(3, 3, 3\\) but names, rows and columns need \\(2, 3, 3\\)"):
        plots.map_series(MAPS, STEPS[:2], TOKENS, TOKENS, title="t")


def test_every_thumbnail_stands_with_its_number_in_the_row_of_its_layer():
    maps, values = np.tile(np.eye(4), (2, 3, 1, 1)), np.arange(6).reshape(2, 3) / 10
    (axes,) = plots.thumbnails(maps, values, title="t", chosen=(1, 0)).axes
    numbers = sorted((text.get_position()[::-1], text.get_text()) for text in axes.texts)  # from line to line
    assert [text for _, text in numbers] == ["0.00", "0.10", "0.20", "0.30", "0.40", "0.50"]
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("layer", "head")
    frames = {patch.get_xy(): patch.get_linewidth() for patch in axes.patches}
    assert max(frames, key=frames.get) == (0, 1.42)  # the first head of the second layer
    with pytest.raises(ValueError, match="values has shape \\(3, 2\\)"):
        plots.thumbnails(maps, values.T, title="t")
