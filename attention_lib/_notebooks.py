"""Pictures and labs need packages that the math does without. Rooms that use them import this module first."""

from importlib.util import find_spec

for package in ("matplotlib", "ipywidgets", "anywidget"):
    if find_spec(package) is None:
        raise ModuleNotFoundError(
            f"The pictures and labs of attention_lib need {package}, which is not installed. It comes with the extra "
            "'notebooks': in the folder of this repository, run  python -m pip install '.[notebooks]'",
            name=package,
        )
