"""The small live pictures: what is drawn follows from the numbers, and words stay words."""

import re

from attention_lib.view.pictures import bar_chart, curve


def test_bars_are_as_long_as_their_values_and_one_is_strong():
    drawn = bar_chart({"a": 4.0, "<b>": 1.0}, ["4", "1 & more"], strong="<b>")
    assert re.findall(r"--long: ([\d.]+)'", drawn) == ["1.0000", "0.2500"]
    assert "<b>" not in drawn and "&lt;b&gt;" in drawn and "1 &amp; more" in drawn
    assert drawn.count("class='strong'") == 2
    assert "--long: 0.0000" in bar_chart({"nothing": 0.0}, ["0"])


def test_a_curve_falls_with_its_values_and_marks_the_place():
    drawn = curve([2.0, 1.0, 0.0], 1, "loss", ("0", "10"))
    (points,) = re.findall(r'points="([^"]+)"', drawn)
    places = [tuple(map(float, point.split(","))) for point in points.split()]
    assert places[0][1] < places[1][1] < places[2][1] and places[0][0] < places[1][0] < places[2][0]
    assert f'cx="{places[1][0]}" cy="{places[1][1]}"' in drawn
    assert 'aria-label="loss"' in drawn
    assert "<polyline" in curve([0.0], 0, "one", ("0", "0"))
