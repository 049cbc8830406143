"""No text of any picture leaves the figure, runs into its like or is too small to project, in Hangul as in English."""

import inspect

import numpy as np
import pytest
from matplotlib.text import Text

from attention_lib import plots

TITLE = "배가 무엇을 뜻하는지는 옆에 있는 낱말이 정한다는 것을 아주 길게 말하는 제목이어서 한 줄에는 들어가지 않는다"
AXIS = "문장의 낱말이 서로에게 묻는 차례"
TINY = "a b c d e f g h i j k l m n " * 6  # its lines are as full as they can be
LONG = [f"기다랗고도기다란낱말{i}" for i in range(6)]
SQUARE = np.full((6, 6), 1 / 6)
CELL = np.arange(36).reshape(6, 6) == 1
WORDS = {"title": TITLE, "x_label": AXIS, "y_label": AXIS}
MAP_WORDS = {"title": TITLE, "row_axis": AXIS, "column_axis": AXIS}
SMALLEST = 11  # pixels, on a page 1280 wide
PAGE = 1150  # pixels that JupyterLab leaves of it for an output


KINDS = {
    "bars": lambda: plots.bars(LONG, {name: np.arange(6) * 1e4 for name in LONG[:3]}, **WORDS),
    "beams": lambda: plots.beams(SQUARE, LONG, LONG, title=TITLE, query_line=AXIS, key_line=AXIS, least=0.5),
    "beams over one sentence": lambda: plots.beams(SQUARE, LONG, title=TITLE, chosen=[0, 5]),
    "cached_steps": lambda: plots.cached_steps(["the", "apple", "."], ["고양이", "가", "사과"], TITLE),
    "list of ticks": lambda: plots.heatmap(SQUARE > 0, LONG, ["두\n줄"] * 6, yes=AXIS, **MAP_WORDS),
    "dials": lambda: plots.dials(
        np.full((3, 3, 2, 2), 0.7), LONG[:3], LONG[3:], title=TITLE, names=["묻", "답"], apart=True
    ),
    "encoder_decoder": lambda: plots.encoder_decoder(" ".join(LONG[:3]), " ".join(LONG[3:]), LONG[0]),
    "heatmap": lambda: plots.heatmap(SQUARE, LONG, LONG, **MAP_WORDS),
    "heatmap with full lines": lambda: plots.heatmap(SQUARE, "abcdef", "uvwxyz", title=TINY, row_axis=TINY),
    "heatmaps": lambda: plots.heatmaps({TITLE: SQUARE, AXIS: SQUARE}, LONG, LONG, share_range=True, **MAP_WORDS),
    "many heatmaps": lambda: plots.heatmaps({f"{AXIS} {i}": SQUARE for i in range(7)}, LONG, LONG, **MAP_WORDS),
    "lines": lambda: plots.lines(2 ** np.arange(12), {name: np.arange(12) for name in LONG}, log_x=True, **WORDS),
    "block": plots.block,
    "small heatmaps": lambda: plots.heatmaps(
        dict.fromkeys([*LONG, AXIS], SQUARE), LONG, LONG, digits=None, share_range=True, outlined=CELL, title=TITLE
    ),
    "moved_points": lambda: plots.moved_points(
        {TITLE: {"배": ([1, 1, 1], [0, 2.6, 0]), "고파서": ([0, 3, 0], None)}, AXIS: {"배를": ([3, 0, 0], None)}},
        ["pear", "belly", "ship"], title=TITLE,
    ),
    "shared_heads": lambda: plots.shared_heads({LONG[0]: 8, "배": 2}, 8),
}  # fmt: skip


def visible_texts(picture):
    """Every text that is drawn, with its box: not those of hidden axes, nor of ticks beyond an axis's ends."""
    drawn = {text for text in picture.findobj(Text) if text.get_visible() and text.get_text().strip()}
    for axes in picture.axes:
        for axis in (axes.xaxis, axes.yaxis):
            inside = {label for tick in axis._update_ticks() for label in (tick.label1, tick.label2)}
            of_axis = set(axis.findobj(Text))
            drawn -= of_axis if not axes.axison else of_axis - inside - {axis.label}
    boxes = [(text, text.get_window_extent()) for text in drawn]
    return sorted(boxes, key=lambda pair: (pair[1].x0, pair[0].get_text()))


def test_every_kind_of_picture_is_asked():
    makers = [name for name in plots.__all__ if inspect.isfunction(getattr(plots, name))]
    pictures = [name for name in makers if inspect.signature(getattr(plots, name)).return_annotation is plots.Picture]
    assert set(pictures) <= set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_text_stays_inside_is_large_enough_and_covers_no_other(kind):
    picture = KINDS[kind]()
    picture.draw_without_rendering()  # lays it out
    texts = [(text.get_text(), text.get_fontsize(), box) for text, box in visible_texts(picture)]
    edge = picture.bbox.padded(1)
    corners = [(text, np.reshape(box.extents, (2, 2))) for text, _, box in texts]
    outside = [text for text, box in corners if (box < edge.min).any() or (box > edge.max).any()]
    assert outside == [], picture.bbox.extents
    shrunk = min(1.0, PAGE / picture.bbox.width)
    assert [text for text, size, _ in texts if size * picture.dpi / 72 * shrunk < SMALLEST] == []
    boxes = [(text, box.padded(-2)) for text, _, box in texts]
    assert [(one, other) for i, (one, a) in enumerate(boxes) for other, b in boxes[:i] if a.overlaps(b)] == []
