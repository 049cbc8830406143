"""The small live pictures: what is drawn follows from the numbers, and words stay words."""

import re

import pytest

from attention_lib.view.pictures import bar_chart, histograms
from attention_lib.view.training_picture import draw_curves, draw_sentence


def test_bars_are_as_long_as_their_values_and_one_is_strong():
    drawn = bar_chart({"a": 4.0, "<b>": 1.0}, ["4", "1 & more"], strong="<b>")
    assert re.findall(r"--long: ([\d.]+)'", drawn) == ["1.0000", "0.2500"]
    assert "<b>" not in drawn and "&lt;b&gt;" in drawn and "1 &amp; more" in drawn
    assert drawn.count("class='strong'") == 2
    assert "--long: 0.0000" in bar_chart({"nothing": 0.0}, ["0"])


def test_curves_fall_with_their_values_and_the_places_are_marked():
    drawn = draw_curves(
        [0.0, 0.5, 1.0], {"loss": [1.0, 0.5, 0.0], "a < b": [0.0, 0.0, 1.0]}, 1, ("0", "5", "10"), (2, "here")
    )
    (path,) = re.findall(r'class="line line-0" d="M([^"]+L[^"]+)"', drawn)
    places = [tuple(map(float, point.split(" "))) for point in path.split("L")]
    assert places[0][1] < places[1][1] < places[2][1] and places[0][0] < places[1][0] < places[2][0]
    assert f'class="line-0" cx="{places[1][0]}" cy="{places[1][1]}"' in drawn
    assert f'class="mark" cx="{places[2][0]}" cy="{places[2][1]}"' in drawn and "a &lt; b" in drawn
    assert "<circle" in draw_curves([0.0], {"loss": [0.0]}, 0, ("0", "", "0"))


def test_an_arc_is_as_wide_as_its_weight_and_leads_to_what_is_wanted():
    drawn = draw_sentence(
        ["a", "b", "<c>"], 2, {"one": [0.5, 0.25, 0.25], "two": [0.0, 1.0, 0.0]}, "one", [1], [0.0, 1.0, 0.0]
    )
    assert re.findall(r'stroke-width="([\d.]+)"', drawn) == ["10.0", "5.0", "5.0"]
    assert drawn.count('class="tip"') == drawn.count('class="wanted"') == 1 and "--was:20.0px" in drawn
    assert "<c>" not in drawn and drawn.count("<rect") == 6
    assert "textLength" in draw_sentence(["internationalism"], 0, {"one": [1.0]}, "one", [])


@pytest.mark.parametrize("shares", [[0.1, 0.2, 0.7], [0.0, 0.0, 0.0]])
def test_a_histogram_has_a_bar_for_each_share_on_one_scale(shares):
    drawn = histograms({"one": shares, "other": [0.0, 1.0, 0.0]}, ["≤ −1", "0", "≥ 1"], "two")
    heights = [float(height) for height in re.findall(r"<rect class='bar'.*?height='([\d.]+)'", drawn)]
    assert heights == pytest.approx([74 * share for share in [*shares, 0.0, 1.0, 0.0]], abs=0.06)
    assert re.findall(r"<title>(.*?)</title>", drawn)[0] == f"≤ −1: {shares[0]:.0%}"
