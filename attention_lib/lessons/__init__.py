"""One folder for each notebook: its labs, exercises and predictions, and what only this notebook calculates.

Everything is found from the folders. A lab's module is imported only when the lab is asked for, as in
`from attention_lib.lessons import Explorer`.
"""

import importlib
import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
LAB = re.compile(r"^class (\w+)\(\w*Lab\):", re.MULTILINE)  # of `Lab` itself, or of a base such as `TrainingLab`


def find_notebooks() -> tuple[str, ...]:
    """Return the names of the notebooks with a folder here, in order: "01_self_attention" and so on."""
    folders = [path.parent.name for path in FOLDER.glob("*/__init__.py")]
    numbers = {folder: importlib.import_module(f".{folder}", __name__).NUMBER for folder in folders}
    return tuple(sorted(f"{number}_{folder}" for folder, number in numbers.items()))


#: The module of each lab by the lab's name; the modules are read, and not imported.
LABS = {
    name: f"{path.parent.name}.{path.stem}"
    for path in sorted(FOLDER.glob("*/*.py"))
    for name in LAB.findall(path.read_text("utf-8"))
}


def __getattr__(name: str) -> Any:
    """Import the module of a lab when its name is first used."""
    if name not in LABS:
        raise AttributeError(f"there is no lab {name}; there are {', '.join(sorted(LABS))}")
    return getattr(importlib.import_module(f".{LABS[name]}", __name__), name)
