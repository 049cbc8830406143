"""The still picture beside every live view.

GitHub, nbviewer and a notebook that was not yet run show no widget. They show
the picture, which says that it is one, and its words folded under it; a live
front end shows the widget.
"""

import base64
from typing import Any

from ipywidgets import DOMWidget

from .._words import _


class StillPicture(DOMWidget):
    """A widget whose output also carries an image/png, its `still_figure`, and `still_text`, the same on every run."""

    def __repr__(self) -> str:
        return str(self.still_text())

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle = super()._repr_mimebundle_(**kwargs)
        # Besides the view, anywidget's bundle may tell a page (Colab's) how to show it.
        view, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        data = dict(view or {})
        picture, words = self._still()
        data["text/plain"] = self.still_text()
        data["image/png"] = base64.b64encode(picture).decode()
        return data, {**metadata, "image/png": {"alt": words}}

    def _still(self) -> tuple[bytes, str]:
        """Return the picture as PNG bytes, and its words."""
        from attention_lib import plots  # here, so that a live view never waits for matplotlib

        figure = self.still_figure()
        words = getattr(figure, "description", self.still_text())
        sentence = _("This is a picture. Run the notebook from the top to use it.")
        return plots.png(figure, above=sentence), f"{sentence} {words}"

    def _ipython_display_(self, **kwargs: Any) -> None:
        from attention_lib import plots

        if hasattr(DOMWidget, "_ipython_display_"):  # ipywidgets 7: the live view alone
            return super()._ipython_display_(**kwargs)
        data, metadata = self._repr_mimebundle_(**kwargs)
        plots.show(data, metadata, plots.in_words(metadata["image/png"]["alt"], _("The stored picture, in words")))
