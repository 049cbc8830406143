"""The states of a learner's labs are saved on their own disk: in one folder, a small file for each lab.

The folder is Jupyter's data folder. Only kernels write there, so tests and tools leave no trace.
The environment variable `ATTENTION_PROGRESS` names another folder, or "off".
"""

import contextlib
import json
import os
import re
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

VARIABLE, OFF = "ATTENTION_PROGRESS", "off"
FOLDER, LABS = "attention", "labs"


def own_folder() -> Path | None:
    """Return the folder to save in; None outside a kernel, or if saving is off."""
    chosen = os.environ.get(VARIABLE, "")
    if chosen == OFF or not _in_a_kernel():
        return None
    if chosen:
        return Path(chosen).expanduser()
    try:
        from jupyter_core.paths import jupyter_data_dir
    except ImportError:
        return None
    return Path(jupyter_data_dir()) / FOLDER


def _in_a_kernel() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def save_state(name: str, state: Any) -> None:
    """Save the state of a lab; if the disk cannot be written, nothing is saved."""
    if (path := _path_of(name)) is None:
        return
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        new.write_text(json.dumps(encode(state), ensure_ascii=False), encoding="utf-8")
        new.replace(path)


def load_state(name: str, example: Any) -> Any:
    """Return the saved state of a lab, of the same type as `example`; None if there is none."""
    if (path := _path_of(name)) is None or not path.exists():
        return None
    try:
        return decode(json.loads(path.read_text(encoding="utf-8")), example)
    except (OSError, ValueError, TypeError, KeyError):  # damaged, or from an older version of the lab
        return None


def forget_states() -> None:
    """Delete the saved states of all labs."""
    if (folder := own_folder()) is None:
        return
    for path in (folder / LABS).glob("*.json"):
        with contextlib.suppress(OSError):
            path.unlink()


def _path_of(name: str) -> Path | None:
    folder, plain = own_folder(), re.sub(r"[^\w-]+", "_", name)
    return folder and folder / LABS / f"{plain}.json"


def encode(value: Any) -> Any:
    """Return a state in the form that JSON can hold.

    Examples
    --------
    >>> encode((1, np.array([0.5]), None))
    {'tuple': [1, {'array': [0.5], 'dtype': 'float64'}, None]}
    """
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "dtype": str(value.dtype)}
    if is_dataclass(value):
        return {"fields": {field.name: encode(getattr(value, field.name)) for field in fields(value)}}
    if isinstance(value, tuple | list):
        return {"tuple": [encode(item) for item in value]}
    if isinstance(value, np.generic):
        return value.item()
    return value


def decode(value: Any, example: Any) -> Any:
    """Undo `encode`; a dataclass gets the type that it has in `example`.

    Examples
    --------
    >>> decode(encode((1, "two", None)), ())
    (1, 'two', None)
    """
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return np.array(value["array"], value["dtype"])
    if "fields" in value:
        examples = {field.name: getattr(example, field.name) for field in fields(example)}
        return type(example)(**{name: decode(item, examples[name]) for name, item in value["fields"].items()})
    items = value["tuple"]
    examples_of_items = list(example) if isinstance(example, tuple | list) and example else [None]
    examples_of_items += examples_of_items[-1:] * len(items)  # further items are like the last
    return tuple(decode(item, like) for item, like in zip(items, examples_of_items))
