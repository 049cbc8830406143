"""The browser's part of the views: what is joined is whole, and nothing is left over."""

import re

import pytest

from attention_lib.view.assets import HERE, script, style_sheet
from attention_lib.view.matrix_view import MatrixView
from attention_lib.view.thumbnails import Thumbnails

VIEWS = [MatrixView, Thumbnails]


def test_scripts_are_joined_in_the_order_that_is_asked_for():
    page, board = script("page"), script("board")
    assert script("board", "page") == f"{board}\n{page}"
    assert style_sheet("theme", "thumbnails").startswith(style_sheet("theme"))


@pytest.mark.parametrize("path", sorted([*HERE.glob("js/*"), *HERE.glob("css/*")]), ids=lambda path: path.name)
def test_every_file_is_brought_along_by_a_view(path):
    text = path.read_text("utf-8")
    assert any(text in str(view._esm) + str(view._css) for view in VIEWS)


@pytest.mark.parametrize("view", VIEWS)
def test_the_joined_script_defines_each_name_once_and_exports_one_view(view):
    names = re.findall(r"^(?:export )?(?:const|function|class) (\w+)", str(view._esm), re.MULTILINE)
    assert len(names) == len(set(names)) > 5
    assert len(re.findall(r"^export default ", str(view._esm), re.MULTILINE)) == 1


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_wears_the_theme_and_gives_every_colour_and_size_that_it_uses(view):
    styles, code = str(view._css), str(view._esm)
    assert styles.startswith(style_sheet("theme"))
    assert '"attention-theme ' in code, "the view does not wear the theme"
    given = set(re.findall(r"(--a[vt]-[\w-]+):", styles)) | set(re.findall(r'setProperty\("([\w-]+)"', code))
    assert set(re.findall(r"var\((--a[vt]-[\w-]+)", styles)) <= given, "a colour or size that nothing gives"
