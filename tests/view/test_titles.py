"""Titles: what readers call the panels of a view, and where these words come from."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from attention_lib import labs
from attention_lib.view import MatrixView, Panel
from attention_lib.view.titles import AXES, TITLES


class TestTitles:
    """A panel's name is its identity, for chains, callbacks and messages; readers see its title alone."""

    def test_the_identity_is_shown_nowhere(self) -> None:
        shown = Panel([[0.5, 0.25]], title="what readers call it", editable=True)
        view = MatrixView({"identity 7": shown}, still=["identity 7"])
        (spec,) = view._spec
        assert spec.pop("name") == "identity 7" and spec["called"] == "what readers call it"
        content = {"do": "edit", "view": "v", "n": 1, "gesture": "", "panel": "identity 7", "row": 0, "column": 9}
        view._receive(view, {**content, "value": 0.5}, [])
        drawn = view.still_figure().description
        said = [str(spec), view._descriptions["identity 7"], view.note, view.still_text(), drawn]
        with pytest.raises(ValueError, match="has no cell") as refused:
            view.select("identity 7", 5)
        for words in [*said, str(refused.value)]:
            assert "identity" not in words and words

    def test_the_table_of_titles_gives_the_words_above_a_panel(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(TITLES, "weights", "가중치")
        view = MatrixView({"weights": Panel([[1.0]], kind="weights")})
        assert view._spec[0]["title"] == "가중치 (1 × 1)" and view.title_of("weights") == "가중치"
        assert "가중치" in view._descriptions["weights"] and "weights" not in view._descriptions["weights"]

    def test_the_table_of_axes_gives_the_words_beside_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(AXES, "query", "질문")
        view = MatrixView({"weights": Panel([[1.0]], kind="weights", column_axis="month")})
        assert (view._spec[0]["row_axis"], view._spec[0]["column_axis"]) == ("질문", "month")
        (axes, *_) = view.still_figure().axes
        assert (axes.get_ylabel(), axes.get_xlabel()) == ("질문", "month")


def views(widget: Any) -> Iterator[MatrixView]:
    """The views within a lab."""
    if isinstance(widget, MatrixView):
        yield widget
    for part in getattr(widget, "children", ()):
        yield from views(part)


@pytest.mark.parametrize("name", sorted(set(labs.LABS) - {"DecodeTimer"}))  # it has no view
def test_every_panel_of_a_lab_has_its_title_and_its_axes_in_a_table(name: str) -> None:
    eye = np.eye(2)
    given: dict[str, Any] = {"MaskWorkbench": (["a", "b"], eye, eye, eye, eye)}
    for view in views(getattr(labs, name)(*given.get(name, ()))):
        assert [
            axis for its in view.panels.values() for axis in (its.row_axis, its.column_axis) if axis not in AXES
        ] == []
        assert [panel for panel, its in view.panels.items() if its.title is None and panel not in TITLES] == []
