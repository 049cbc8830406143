"""The small live pictures: what is drawn follows from the numbers, and words stay words."""

import re

from attention_lib.live.pictures import bars


def test_bars_are_as_long_as_their_shares_and_one_is_strong():
    drawn = bars([("a", "1.0000", "two"), ("b & c", "0.5000", "one")], strong="a")
    assert re.findall(r"--long: ([\d.]+)", drawn) == ["1.0000", "0.5000"]
    assert drawn.count("class='strong'") == 2 and "b &amp; c" in drawn
