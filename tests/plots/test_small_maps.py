"""One map at several times, small, and the maps of all heads."""

import numpy as np

from attention_lib import plots


def test_one_map_at_several_times_is_told_by_its_first_its_last_and_its_framed_cell():
    maps = {"step 0": np.full((3, 3), 1 / 3), "step 100": 0.5 * np.eye(3) + 1 / 6, "step 300": np.eye(3)}
    words, cell = ["어제", "배", "가"], np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0]])
    picture = plots.heatmaps(maps, words, words, title="It sharpens", digits=None, share_range=True, outlined=cell)
    assert not any(axes.texts for axes in picture.axes)
    first, last = (plots.describe(maps[step], words, words) for step in ("step 0", "step 300"))
    framed = "The framed cell, 배 and 어제: 0.33 at step 0, 0.17 at step 100, 0.00 at step 300."
    assert picture.description == f"It sharpens. step 0: {first} step 300: {last} {framed}"
    many = plots.heatmaps(dict.fromkeys("abcdefghijkl", np.eye(12)), words * 4, words * 4, title="t", digits=None)
    lines = {axes.get_subplotspec().rowspan.start for axes in many.axes}
    assert len(lines) > 1 and many.get_size_inches()[0] < 13
