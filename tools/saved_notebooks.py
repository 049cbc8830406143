"""What a notebook on the disk does not need: live views, which only the kernel that made them can fill.

JupyterLab prefers a live view to the picture or the text beside it. Where the kernel is gone it then shows
"Error displaying widget: model not found" instead of the picture, so views are left out of the file. The open page
keeps its own: only the file changes.
"""

from typing import Any

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def drop_views(notebook: Any) -> None:
    """Remove the live view from each output that also has a picture or a text, and the state of all widgets."""
    notebook["metadata"].pop("widgets", None)
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if len(data) > 1:
                data.pop(WIDGET_VIEW, None)


def before_saving(model: Any, **_: Any) -> None:
    """Do this to each notebook that a Jupyter server saves: its `pre_save_hook`."""
    if model["type"] == "notebook":
        drop_views(model["content"])
