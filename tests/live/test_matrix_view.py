"""MatrixView without a browser: what it is told, what it answers, what it refuses."""

from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from attention_lib.live import Cell, Edit, MatrixView, Panel
from attention_lib.live.palette import palettes
from attention_lib.live.panel import MAX_SIDE, round_limit
from attention_lib.plots.maps import text_colour

TOKENS = ["나는", "배", "고파서"]
W = np.array([[0.5, -1.0], [0.25, 0.0], [1.5, -0.1]])


@pytest.fixture
def view() -> MatrixView:
    """An editable matrix and what is computed from it: its double."""
    return MatrixView(
        {
            "W_Q": Panel(W, TOKENS, ["0", "1"], editable=True),
            "double": Panel(2 * W, TOKENS, ["0", "1"]),
            "mask": Panel(np.eye(3, dtype=bool), TOKENS, TOKENS, kind="mask", editable=True),
        }
    )


@pytest.fixture
def sent_by(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Begin to note the states that a view sends, one dict a message."""

    def note(view: MatrixView) -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = []

        def record(message: dict[str, Any], buffers: Any = None) -> None:
            pairs = zip(message["buffer_paths"], buffers, strict=True)
            messages.append(message["state"] | {path[0]: buffer for path, buffer in pairs})

        monkeypatch.setattr(view, "_send", record)
        return messages

    return note


@pytest.fixture
def sent(view: MatrixView, sent_by: Any) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = sent_by(view)
    return messages


def play(played: MatrixView, *acts: dict[str, Any], view: str = "v") -> None:
    """Hand the view what a hand did, as the browser sends it: all that it knows not to be acknowledged."""
    state = {"_hand": {"view": view, "acts": list(acts)}}
    played._handle_msg({"content": {"data": {"method": "update", "state": state, "buffer_paths": []}}, "buffers": []})


def act(do: str, n: int = 1, **content: Any) -> dict[str, Any]:
    return {"do": do, "n": n, "gesture": "v-1", **content}


def edit(view: MatrixView, row: int = 0, column: int = 0, value: float = 0.75, panel: str = "W_Q") -> None:
    play(view, act("edit", panel=panel, row=row, column=column, value=value))


def follow(view: MatrixView) -> None:
    """Let the double follow the edits, as a lab does."""

    def callback(change: Edit) -> None:
        matrix = view["W_Q"]
        matrix[change.row, change.column] = change.value
        view.show({**view.panels, "W_Q": Panel(matrix, editable=True), "double": Panel(2 * matrix)})

    view.on_edit = callback


@pytest.mark.parametrize(("name", "in_matplotlib"), [("sequential", "Blues"), ("diverging", "PuOr_r")])
def test_live_and_still_pictures_share_their_colours_and_those_of_the_digits(name: str, in_matplotlib: str) -> None:
    colours, digits = palettes()[name]
    ours = np.array([to_rgb(colour) for colour in colours])
    theirs = matplotlib.colormaps[in_matplotlib](np.linspace(0, 1, 256))[:, :3]
    np.testing.assert_allclose(ours, theirs, atol=2 / 255)
    assert [to_rgb(text_colour(colour)) for colour in ours] == [to_rgb(text) for text in digits]


@pytest.mark.parametrize(
    ("values", "limit"),
    [([[0.0]], 1), ([[0.9]], 1), ([[-1.2]], 2), ([[5.0]], 5), ([[6.0]], 10), ([[0.03]], 0.05), ([[-np.inf]], 1)],
)
def test_limit_is_a_round_number_that_holds_the_values(values: list[list[float]], limit: float) -> None:
    assert round_limit(np.array(values)) == pytest.approx(limit)


def test_limit_of_an_editable_panel_holds_what_can_be_set() -> None:
    assert Panel([[0.1]], editable=True, low=-3, high=3).limit == 5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"values": [1.0, 2.0]}, r"values has shape \(2,\)"),
        ({"values": np.zeros((0, 3))}, r"values has shape \(0, 3\)"),
        ({"values": np.zeros((MAX_SIDE + 1, 1))}, "values has shape"),
        ({"values": [[1.0]], "rows": ["a", "b"]}, "rows has 2 labels"),
        ({"values": [[1.0]], "columns": []}, "columns has 0 labels"),
    ],
)
def test_a_panel_that_cannot_be_is_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Panel(**arguments)


def test_panel_keeps_its_own_copy() -> None:
    values = np.zeros((2, 2))
    view = MatrixView({"a": Panel(values)})
    values[0, 0] = 7
    view["a"][0, 1] = 8
    assert not view["a"].any()


def shown(values: Any, limit: float | None = None) -> dict[str, Panel]:
    return {"W_Q": Panel(values, caption=f"{values[0][0]}", marks=[(0, None)], limit=limit)}


def test_panels_that_differ_in_their_numbers_alone_are_not_built_anew(sent_by: Any) -> None:
    view = MatrixView(shown([[1.0, 2.0]]))
    sent = sent_by(view)
    view.show(shown([[3.0, 4.0]]))
    assert [set(message) for message in sent] == [{"_values", "_captions"}]
    view.show(shown([[3.0, 40.0]]))
    assert view._spec[0]["limit"] == 2, "in a drag the colours keep their meaning"
    view.show(shown([[3.0, 40.0]]), moves=True)
    assert view._spec[0]["limit"] == 50 and view._moves
    assert (view._captions, view._highlight) == ({"W_Q": "3.0"}, {"W_Q": [[0, None]]})


def test_other_panels_take_the_place_of_all_and_what_was_selected_there_is_forgotten(view: MatrixView) -> None:
    view.select("mask", 2, 2)
    view.show({"W_Q": Panel([[1.0]])}, arrangement=[["W_Q"]])
    assert (view["W_Q"], view.selected, list(view.panels)) == ([[1.0]], None, ["W_Q"])


@pytest.mark.parametrize("arrangement", [[["W_Q"]], [["W_Q", "other"]], [["W_Q", "b", "W_Q"]]])
def test_arrangement_names_every_panel_once(arrangement: list[list[str]]) -> None:
    with pytest.raises(ValueError, match="it needs W_Q, b, each once"):
        MatrixView({"W_Q": Panel([[1.0]]), "b": Panel([[1.0]])}, arrangement=arrangement)


def test_edit_and_all_that_follows_is_one_message(view: MatrixView, sent: list[dict[str, Any]]) -> None:
    follow(view)
    edit(view, 1, 1, 0.75)
    assert len(sent) == 1
    assert sent[0]["_ack"] == ["v", 1]
    assert view["W_Q"][1, 1] == 0.75
    np.testing.assert_array_equal(view["double"], 2 * view["W_Q"])


def test_an_edit_that_fails_is_answered_and_changes_nothing(view: MatrixView, sent: list[dict[str, Any]]) -> None:
    def fail(change: Edit) -> None:
        raise ZeroDivisionError("division by zero")

    view.on_edit = fail
    edit(view)
    assert [set(message) for message in sent] == [{"_ack"}]
    np.testing.assert_array_equal(view["W_Q"], W)


@pytest.mark.parametrize("late", [{"row": 9}, {"panel": "double"}, {"panel": "nobody"}], ids=str)
def test_an_edit_of_what_is_there_no_more_is_answered_and_not_heard(view: MatrixView, late: dict[str, Any]) -> None:
    seen: list[Edit] = []
    view.on_edit = seen.append
    edit(view, **late)
    assert view._ack == ["v", 1] and not seen


def test_select_tells_python_and_nothing_is_heard_twice(view: MatrixView) -> None:
    seen: list[Cell] = []
    view.on_select = seen.append
    row = act("select", panel="double", row=1, column=None)
    cell = act("select", 2, panel="double", row=1, column=0)
    play(view, row)
    play(view, row, cell)
    play(view, row, view="another view of it")
    assert seen == [Cell("double", 1, None), Cell("double", 1, 0), Cell("double", 1, None)]
    play(view, act("select", 3, panel="double", row=1, column=0))
    assert view.selected == Cell("double", 1, 0)
    view.select(None)
    assert view.selected is None
    assert len(seen) == 4  # Python's own choice calls nobody
