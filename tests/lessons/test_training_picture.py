"""The picture of a training: what is drawn follows from the numbers, and words stay words."""

import re

from attention_lib.lessons.training_picture import draw_sentence


def test_an_arc_is_as_wide_as_its_weight_and_leads_to_what_is_wanted():
    drawn = draw_sentence(["a", "b", "<c>"], 2, {"one": [0.5, 0.25, 0.25], "two": [0.0, 1.0, 0.0]}, ["one"], [1])
    assert re.findall(r'stroke-width="([\d.]+)"', drawn) == ["7.1", "0.0", "0.0", "14.1", "0.0", "0.0"]
    assert drawn.count('class="tip"') == 1 and drawn.count('class="arc row-1"') == 3, "each row has its colour"
    assert "<c>" not in drawn and drawn.count("<rect") == 6 + 2, "cells, and the colour of each row"
    assert "because" in draw_sentence(["고파서"], 0, {"one": [1.0]}, ["one"], [], glosses={"고파서": "because hungry"})
    assert "textLength" in draw_sentence(["internationalism"], 0, {"one": [1.0]}, ["one"], [])
