"""The small live pictures: what is drawn follows from the numbers, and words stay words."""

import base64
import io
import re

import numpy as np
from matplotlib.image import imread

from attention_lib.live.palette import BLUES, channels
from attention_lib.live.pictures import small_maps


def test_small_maps_are_one_picture_and_each_head_is_a_button_with_a_bar():
    maps = np.zeros((1, 2, 2, 2))  # a layer, two heads
    maps[0, 1] = [[0, 1], [0.25, 0.75]]
    drawn = small_maps(maps, [[0.5, 0.123]], (0, 1))
    picture = imread(io.BytesIO(base64.b64decode(re.search("base64,([^)]*)", drawn)[1])))  # (4, 2, 3)
    ends = [np.array(channels(BLUES[end])) / 255 for end in (0, -1)]
    np.testing.assert_allclose(picture[:3, 0, :3], [ends[0]] * 3, atol=1e-6)
    np.testing.assert_allclose(picture[2, 1, :3], ends[1], atol=1e-6)
    assert re.findall("data-press='(.)' title='([^']*)'", drawn) == [
        ("0", "layer 0, head 0: 0.50"),
        ("1", "layer 0, head 1: 0.12"),
    ]
    assert re.findall("aria-pressed='(\\w+)' tabindex='(.*?)'", drawn) == [("false", "-1"), ("true", "0")]
    assert re.findall("--share: ([^']*)", drawn) == ["50.00%", "12.30%"]
