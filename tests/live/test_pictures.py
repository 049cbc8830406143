"""The live pictures follow from their numbers, and words stay words."""

import base64
import io
import re

import numpy as np
from matplotlib.image import imread

from attention_lib.lessons.training_picture import draw_sentence
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


def test_an_arc_is_as_wide_as_its_weight_and_leads_to_what_is_wanted():
    drawn = draw_sentence(["a", "b", "<c>"], 2, {"one": [0.5, 0.25, 0.25], "two": [0.0, 1.0, 0.0]}, ["one"], [1])
    assert re.findall(r'stroke-width="([\d.]+)"', drawn) == ["7.1", "0.0", "0.0", "14.1", "0.0", "0.0"]
    assert drawn.count('class="tip"') == 1 and drawn.count('class="arc row-1"') == 3, "each row has its colour"
    assert "<c>" not in drawn and drawn.count("<rect") == 6 + 2, "cells, and the colour of each row"
    assert "because" in draw_sentence(["고파서"], 0, {"one": [1.0]}, ["one"], [], glosses={"고파서": "because hungry"})
    assert "textLength" in draw_sentence(["internationalism"], 0, {"one": [1.0]}, ["one"], [])
