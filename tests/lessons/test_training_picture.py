"""The picture of a training: what is drawn follows from the numbers, and words stay words."""

import re

from attention_lib.lessons.training_picture import draw_curves, draw_sentence


def test_curves_fall_with_their_values_and_the_places_are_marked():
    drawn = draw_curves(
        [0.0, 0.5, 1.0], {"loss": [1.0, 0.5, 0.0], "a < b": [0.0, 0.0, 1.0]}, 1, ("0", "5", "10"), [(0, 1, "here")]
    )
    (path,) = re.findall(r'class="line line-0" d="M([^"]+L[^"]+)"', drawn)
    places = [tuple(map(float, point.split(" "))) for point in path.split("L")]
    assert places[0][1] < places[1][1] < places[2][1] and places[0][0] < places[1][0] < places[2][0]
    assert f'class="line-0" cx="{places[1][0]}" cy="{places[1][1]}"' in drawn
    assert f'class="mark" cx="{places[1][0]}" cy="{places[1][1]}"' in drawn and "a &lt; b" in drawn
    assert "<circle" in draw_curves([0.0], {"loss": [0.0]}, 0, ("0", "", "0"))


def test_an_arc_is_as_wide_as_its_weight_and_leads_to_what_is_wanted():
    drawn = draw_sentence(["a", "b", "<c>"], 2, {"one": [0.5, 0.25, 0.25], "two": [0.0, 1.0, 0.0]}, ["one"], [1])
    assert re.findall(r'stroke-width="([\d.]+)"', drawn) == ["7.1", "0.0", "0.0", "14.1", "0.0", "0.0"]
    assert drawn.count('class="tip"') == 1 and drawn.count('class="arc row-1"') == 3, "each row has its colour"
    assert "<c>" not in drawn and drawn.count("<rect") == 6
    assert "because" in draw_sentence(["고파서"], 0, {"one": [1.0]}, ["one"], [], glosses={"고파서": "because hungry"})
    assert "textLength" in draw_sentence(["internationalism"], 0, {"one": [1.0]}, ["one"], [])
