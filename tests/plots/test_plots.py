"""Pictures are tested by the artists and arrays behind them."""

import re

import matplotlib
import numpy as np
import pytest
from matplotlib import font_manager
from matplotlib.ft2font import FT2Font
from matplotlib.text import Annotation, Text

from attention_lib import example_names, load_example, plots
from attention_lib.plots.lettering import FONT_FILE
from attention_lib.plots.maps import DIVERGING, SEQUENTIAL, WIDEST, text_colour

TOKENS = ["어제", "배", "sat"]
MAP = np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_heatmap_shows_every_number_under_its_labels():
    picture = plots.heatmap(MAP, TOKENS, ["a", "b", "c"], title="Look at row 1")
    (axes,) = picture.axes
    assert texts(axes) == ["0.20", "0.30", "0.50", "1.00", "·", "·", "·", "·", "·"]
    assert [t.get_text() for t in axes.get_yticklabels()] == TOKENS
    assert [t.get_text() for t in axes.get_xticklabels()] == ["a", "b", "c"]
    assert (axes.get_title("left"), axes.get_ylabel(), axes.get_xlabel()) == ("Look at row 1", "query", "key")
    assert np.array_equal(axes.images[0].get_array(), MAP)
    assert texts(plots.heatmap([[0.125]], "a", "b", title="t", digits=1).axes[0]) == ["0.1"]


def test_forbidden_pairs_are_hatched_and_say_so():
    picture = plots.heatmap([[0.5, -np.inf], [-1.0, 2.0]], ["a", "b"], ["a", "b"], title="t")
    (axes,) = picture.axes
    assert texts(axes) == ["0.50", "−∞", "−1.00", "2.00"]
    assert [patch.get_hatch() for patch in axes.patches] == ["////"]
    assert axes.patches[0].get_xy() == (0.5, -0.5)  # row 0, column 1
    assert "1 of 4 are forbidden" in picture.description


@pytest.mark.parametrize("palette", [SEQUENTIAL, DIVERGING])
def test_digits_contrast_with_every_colour(palette):
    """WCAG AA asks for 4.5 : 1."""
    for rgba in matplotlib.colormaps[palette](np.linspace(0, 1, 256)):
        channels = rgba[:3]
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        luminance = linear @ [0.2126, 0.7152, 0.0722]
        contrast = {"black": (luminance + 0.05) / 0.05, "white": 1.05 / (luminance + 0.05)}
        assert contrast[text_colour(rgba)] >= 4.5


def test_shared_range_gives_all_panels_one_scale():
    picture = plots.heatmaps({"a": MAP, "b": MAP * 4}, TOKENS, TOKENS, title="t", share_range=True)
    *maps, scale = picture.axes  # the scale is shown, once
    assert {axes.images[0].norm.vmax for axes in maps} == {4.0} and scale.get_ylim() == (0, 4)
    alone = plots.heatmaps({"a": MAP, "b": MAP * 4}, TOKENS, TOKENS, title="t")
    assert [axes.images[0].norm.vmax for axes in alone.axes] == [1.0, 4.0]
    assert plots.colour_range([0.0]) == (0, 1), "zeros have a range of colours too"


def test_the_first_panel_names_the_rows_of_all():
    panels = plots.heatmaps({"x": MAP[:2], "y": 2 * MAP[:2]}, ["r", "s"], TOKENS, title="t", row_axis="from").axes
    assert [[label.get_text() for label in axes.get_yticklabels()] for axes in panels] == [["r", "s"], ["", ""]]
    assert [axes.get_ylabel() for axes in panels] == ["from", ""]
    assert [axes.images[0].norm.vmax for axes in panels] == [1, 2]


def test_zeros_are_quiet_and_said_to_be():
    picture = plots.heatmap([[0.0, 0.001, -0.0], [1.0, 0.5, 0.25]], ["a", "b"], TOKENS, title="t")
    assert texts(picture.axes[0]) == ["·", "0.00", "·", "1.00", "0.50", "0.25"]  # a small number is not 0
    assert picture.get_supxlabel() == "· stands for 0"
    for values in ([[0.5, 0.25]], np.zeros((21, 21)), np.eye(21, dtype=bool)):  # nothing hidden; no digits at all
        labels = list(map(str, range(np.shape(values)[1])))
        assert plots.heatmap(values, labels[: len(values)], labels, title="t").get_supxlabel() == ""
    never = plots.heatmap([[0, 3]], ["a"], ["b", "c"], title="t", zero="never")
    assert never.get_supxlabel() == "· stands for never"
    scores = plots.heatmap([[0.0, -np.inf]], ["a"], ["b", "c"], title="t", digits=1)
    assert (texts(scores.axes[0]), scores.get_supxlabel()) == (["0.0", "−∞"], "")  # a score of 0 forbids nothing


def test_a_mask_has_ticks_and_dots_and_no_scale():
    mask = np.array([[True, False]])
    alone = plots.heatmap(mask, ["a"], ["b", "c"], title="t")
    assert (texts(alone.axes[0]), alone.get_supxlabel()) == (["✓", "·"], "✓ may attend, · may not")
    both = plots.heatmaps({"x": mask, "y": ~mask}, ["a"], ["b", "c"], title="t", share_range=True)
    assert len(both.axes) == 2  # nothing lies between may and may not: a scale of colours would say so
    mixed = plots.heatmaps({"x": mask, "y": mask * 0.5}, ["a"], ["b", "c"], title="t")
    assert mixed.get_supxlabel() == "✓ may attend, · may not   · stands for 0"


def test_an_outline_runs_where_what_is_pointed_at_ends():
    def lines(outlined):
        (axes,) = plots.heatmap(np.ones((2, 3)), ["a", "b"], TOKENS, title="t", outlined=outlined).axes
        return sorted(np.sort(edge, axis=0).tolist() for edge in axes.collections[0].get_segments())

    cell = [[[0.5, 0.5], [0.5, 1.5]], [[0.5, 0.5], [1.5, 0.5]], [[0.5, 1.5], [1.5, 1.5]], [[1.5, 0.5], [1.5, 1.5]]]
    assert lines([[0, 0, 0], [0, 1, 0]]) == cell  # row 1, column 1
    assert len(lines(np.ones((2, 3)))) == 10  # around all, nothing between
    assert not plots.heatmap(np.ones((2, 3)), ["a", "b"], TOKENS, title="t").axes[0].collections


def test_the_look_follows_from_the_values():
    signed = plots.heatmap([[-2.0, 2.0]], ["a"], ["b", "c"], title="t").axes[0]
    assert signed.images[0].get_cmap().name == DIVERGING
    assert [text.get_color() for text in signed.texts] == ["white", "white"]  # on dark ends of both hues
    counts = plots.heatmap([[0, 3]], ["a"], ["b", "c"], title="t").axes[0]
    assert counts.images[0].get_cmap().name == SEQUENTIAL
    assert (texts(counts), [text.get_color() for text in counts.texts]) == (["·", "3"], ["black", "white"])
    assert texts(plots.heatmap([[True, False]], ["a"], ["b", "c"], title="t").axes[0]) == ["✓", "·"]
    hidden = plots.heatmap([[1.0, -np.inf]], ["a"], ["b", "c"], title="t").axes[0].patches[0]
    assert hidden.get_facecolor() == (1, 1, 1, 1)  # no colour of the range shows through


def test_curves_have_the_scales_that_are_asked_for():
    (axes,) = plots.lines([1, 10], {"a": [1, 2], "b": [2, 3]}, title="t", x_label="x", y_label="y", log_x=True).axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "linear")
    assert (axes.get_title("left"), axes.get_xlabel(), axes.get_ylabel()) == ("t", "x", "y")
    assert list(filter(None, texts(axes))) == ["b", "a"]  # as they end
    assert len({line.get_linestyle() for line in axes.lines}) > 1, "told apart without colour"
    (alone,) = plots.lines([1, 2], {"a": [1, 2]}, title="t", x_label="x", y_label="y", log_y=True).axes
    assert alone.yaxis.get_major_formatter()(0.1) == "0.1" and alone.yaxis.get_major_formatter()(1e3) == "1,000"
    assert (alone.get_xscale(), alone.get_yscale(), texts(alone)) == ("linear", "log", [])


def test_axes_at_powers_of_two_carry_them_and_others_what_the_text_uses():
    sizes = [2**i for i in range(7, 13)]
    words = {"title": "t", "x_label": "x", "y_label": "y"}
    (axes,) = plots.lines(sizes, {"a": sizes}, log_x=True, **words).axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["128", "256", "512", "1,024", "2,048", "4,096"]
    assert list(axes.get_xticks(minor=True)) == []
    (axes,) = plots.lines([2**i for i in range(12)], {"a": range(12)}, log_x=True, **words).axes
    assert list(axes.get_xticks()) == [2, 8, 32, 128, 512, 2048]  # thinned; the last stays
    (axes,) = plots.lines([1, 10], {"a": [1, 2]}, x_ticks=[1, 4, 10], y_ticks=[1.5], y_low=0, **words).axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "4", "10"]
    assert (list(axes.get_yticks()), axes.get_ylim()[0]) == ([1.5], 0)


def test_bars_stand_around_their_labels_with_their_numbers():
    picture = plots.bars(["p", "q"], {"a": [1, 2], "b": [3, 4]}, title="t", x_label="x", y_label="y", digits=1)
    (axes,) = picture.axes
    middles = [patch.get_x() + patch.get_width() / 2 for patch in axes.patches]
    assert middles == pytest.approx([-0.2, 0.8, 0.2, 1.2])
    assert len({patch.get_hatch() for patch in axes.patches}) == 2  # told apart without colour
    assert texts(axes) == ["1.0", "2.0", "3.0", "4.0"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["p", "q"]
    assert picture.description == "t. a: p 1.0, q 2.0. b: p 3.0, q 4.0."


def drawn(picture):
    places = {axes.get_title("left"): axes.get_subplotspec() for axes in picture.axes if axes.get_title("left")}
    return {title: (place.rowspan.start, place.colspan.start) for title, place in places.items()}


def test_maps_too_wide_for_one_line_stand_in_two():
    heads = {f"head {i}": np.full((6, 6), i / 4) for i in range(4)}
    words = ["나는", "어제", "배가", "고파서", "밥을", "barked"]
    picture = plots.heatmaps(heads, words, words, title="four heads", share_range=True)
    assert drawn(picture) == {"head 0": (0, 0), "head 1": (0, 1), "head 2": (1, 0), "head 3": (1, 1)}
    assert picture.get_size_inches()[0] < WIDEST
    for axes, values, starts in zip(picture.axes, heads.values(), (True, False, True, False)):
        assert np.array_equal(axes.images[0].get_array(), values)
        assert axes.images[0].norm.vmax == 0.75
        assert [label.get_text() for label in axes.get_xticklabels()] == words
        assert [label.get_text() for label in axes.get_yticklabels()] == (words if starts else [""] * 6)
        assert (axes.get_ylabel(), axes.get_xlabel()) == ("query" if starts else "", "key")
    assert picture.get_suptitle() == "four heads"
    positions = [picture.description.index(name) for name in heads]
    assert positions == sorted(positions)


def test_descriptions_say_what_the_picture_says():
    assert plots.describe(MAP, TOKENS, ["a", "b", "c"]) == (
        "어제 attends most to c, 0.50; 배 attends most to a, 1.00; sat attends to nothing."
    )
    ties = np.array([[0.4, 0.4 + 1e-16, 0.2], [0.25, 0.5, 0.25]])
    assert plots.describe(ties, "pq", "abc") == "p attends most to a and b, 0.40; q attends most to b, 0.50."
    assert plots.describe(np.full((1, 4), 0.25), "p", "abcd") == "p attends most to 4 keys alike, 0.25."
    assert plots.describe([[0.3, 0.1 + 0.2]], "p", "xy").startswith("largest 0.30 at p, x;")
    assert plots.describe([[3], [0]], "pq", [""]) == "largest 3.00 at p; smallest 0.00 at q."
    assert plots.describe([[1, -3], [0, 2]], ["p", "q"], ["x", "y"]) == "largest 2.00 at q, y; smallest -3.00 at p, y."
    assert plots.describe(np.eye(2, dtype=bool), "ab", "ab") == "2 of 4 pairs may attend."
    assert plots.describe(np.eye(2), "ab", "ab") == "1 on the diagonal, 0 elsewhere."
    assert plots.describe(np.full((1, 1), -np.inf), "a", "a") == "every pair is forbidden."
    half = np.array([[np.nan, np.inf], [-np.inf, 1]])
    assert plots.describe(half, "ab", "xy").endswith("at b, y. 1 of 4 are forbidden. 2 of 4 are nan or inf.")


def test_every_shipped_token_has_a_glyph_without_any_font_of_the_machine():
    shipped = FT2Font(str(FONT_FILE)).get_charmap()
    latin = FT2Font(font_manager.findfont("DejaVu Sans")).get_charmap()
    for name in example_names():
        for token in load_example(name).tokens:
            assert all(ord(c) in latin or ord(c) in shipped for c in token)
    assert all(c in shipped for c in range(0xAC00, 0xD7A4))  # a reader's own sentence, too


def test_what_is_compared_with_is_a_dashed_line_with_its_name():
    curves, marked = {"one": [1.0, 2.0]}, {"a half": 0.5}
    across = plots.lines([1, 10], curves, title="t", x_label="x", y_label="y", marked=marked)
    beside = plots.bars(["a", "b"], curves, title="t", x_label="x", y_label="y", marked=marked)
    for picture in (across, beside):
        line = picture.axes[0].lines[-1]
        assert line.get_ydata() == [0.5, 0.5]
        assert "a half" in [text.get_text() for text in picture.findobj(Text)]
        assert "Marked: a half, at 0.5." in picture.description


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


def test_numbers_stand_inside_bars_where_a_line_could_lie_behind_them():
    for marked, heights in ((None, [1.0, 2.0]), ({"a half": 0.5}, [0.5, 0.5])):
        (axes,) = plots.bars(["a", "b"], {"n": [1.0, 2.0]}, title="t", x_label="x", y_label="y", marked=marked).axes
        assert [number.xy[1] for number in axes.texts if isinstance(number, Annotation)] == heights


@pytest.mark.parametrize(
    ("sentence", "draw"),
    [
        ("shape (3, 3) but there are 2 row and 3 column labels", lambda: plots.heatmap(MAP, "ab", TOKENS, title="t")),
        ("and their names ask for (1, 3, 1, 2)", lambda: plots.dials(np.ones((1, 2, 2, 2)), "abc", title="t")),
        ("shape (2,) but there are 3 axes", lambda: plots.moved_points({"": {"w": ([1, 2], None)}}, "abc", title="t")),
    ],
)
def test_what_does_not_fit_is_refused(sentence, draw):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        draw()
