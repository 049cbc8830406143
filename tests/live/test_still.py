"""The still picture stands beside the live view and takes nothing from it."""

import base64
import io

import numpy as np
import pytest
from ipywidgets import DOMWidget
from matplotlib.figure import Figure
from matplotlib.image import imread

from attention_lib import plots
from attention_lib.live.still import StillPicture

VIEW = {"application/x-view": {"model_id": "1"}}
TOLD = {"application/x-view": {"manager": "of the page"}}


def shown(bundle, size=(1, 1)):
    class Live(DOMWidget):
        def _repr_mimebundle_(self, **kwargs):
            return bundle

    class Lab(StillPicture, Live):
        def still_figure(self):
            return Figure(figsize=size)

        def still_text(self):
            return "Lab: one line."

    return Lab()._repr_mimebundle_()


def test_what_the_live_view_tells_the_page_is_kept():
    """Colab learns in this way where the code of a view comes from."""
    data, told = shown((VIEW, TOLD))
    assert set(data) == {"application/x-view", "image/png", "text/plain"}
    assert told == {
        **TOLD,
        "image/png": {"alt": "This is a picture. Run the notebook from the top to use it. Lab: one line."},
    }


@pytest.mark.parametrize("width", [4, 5, 13])
def test_a_stored_picture_says_that_it_is_one_above_the_figure(width):
    """All that the picture has more than its figure is a strip with the text, whole, and nothing of it is cut off."""
    data, _ = shown(VIEW, (width, 2))
    picture = imread(io.BytesIO(base64.b64decode(data["image/png"])))[..., :3]  # (height, width, 3)
    above, figure = np.split(picture, [len(picture) - 200])
    assert np.array_equal(figure, imread(io.BytesIO(plots.png(Figure(figsize=(width, 2)))))[..., :3])
    grey = np.broadcast_to(above[0, 0], above.shape)
    assert not np.array_equal(above, grey)
    border = np.ones(above.shape[:2], bool)
    border[5:-5, 5:-5] = False
    assert np.array_equal(above[border], grey[border])
