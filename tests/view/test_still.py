"""The still picture stands beside the live view and takes nothing from it."""

from ipywidgets import DOMWidget
from matplotlib.figure import Figure

from attention_lib.view.still import StillPicture

VIEW = {"application/x-view": {"model_id": "1"}}
TOLD = {"application/x-view": {"manager": "of the page"}}


def shown(bundle):
    class Live(DOMWidget):
        def _repr_mimebundle_(self, **kwargs):
            return bundle

    class Lab(StillPicture, Live):
        def still_figure(self):
            return Figure(figsize=(1, 1))

        def still_text(self):
            return "Lab: one line."

    return Lab()._repr_mimebundle_()


def test_what_the_live_view_tells_the_page_is_kept():
    """Colab learns in this way where the code of a view comes from."""
    data, told = shown((VIEW, TOLD))
    assert set(data) == {"application/x-view", "image/png", "text/plain"}
    assert told == {**TOLD, "image/png": {"alt": "Lab: one line."}}


def test_a_view_that_tells_nothing_gets_its_picture_too():
    data, told = shown(VIEW)
    assert data["application/x-view"] == {"model_id": "1"}
    assert set(told) == {"image/png"}
