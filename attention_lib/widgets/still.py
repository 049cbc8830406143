"""The still picture beside every live view.

GitHub, nbviewer and a notebook that was not yet run show no widget. They show
the picture; a live front end shows the widget alone.
"""

import base64
from typing import Any

from ipywidgets import DOMWidget


class StillPicture(DOMWidget):
    """A widget whose output also carries an image/png and a short text that never varies."""

    def still_figure(self) -> Any:
        """Return the matplotlib Figure that stands for this view where nothing is live."""
        raise NotImplementedError

    def still_text(self) -> str:
        """Return one line that names the view; the same on every run."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        from attention_lib import plots  # here, so that a live view never waits for matplotlib

        bundle = super()._repr_mimebundle_(**kwargs)
        data = dict(bundle[0] if isinstance(bundle, tuple) else bundle or {})
        figure = self.still_figure()
        data["text/plain"] = self.still_text()
        data["image/png"] = base64.b64encode(plots.png(figure)).decode()
        return data, {"image/png": {"alt": getattr(figure, "description", self.still_text())}}
