"""What a learner leaves on a page is kept on their own disk: in one folder, a small file for each lab.

The folder is the one that Jupyter uses for such data. Only kernels write there, so that tests and tools leave no trace.
`ATTENTION_PROGRESS` names another folder, or "off".
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
    """Return the folder of whoever runs this kernel; None outside of a kernel, or where nothing is to be kept."""
    named = os.environ.get(VARIABLE, "")
    if named == OFF or not _in_a_kernel():
        return None
    if named:
        return Path(named).expanduser()
    try:
        from jupyter_core.paths import jupyter_data_dir
    except ImportError:
        return None
    return Path(jupyter_data_dir()) / FOLDER


def _in_a_kernel() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def save_state(name: str, state: Any) -> None:
    """Keep the state of a lab; where the disk cannot be written, nothing is kept."""
    path = _path_of(name)
    if path is None:
        return
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        new.write_text(json.dumps(encode(state), ensure_ascii=False), encoding="utf-8")
        new.replace(path)


def load_state(name: str, example: Any) -> Any:
    """Return the state that was kept for a lab, of the same kind as `example`; None where there is none."""
    path = _path_of(name)
    if path is None or not path.exists():
        return None
    try:
        return decode(json.loads(path.read_text(encoding="utf-8")), example)
    except (OSError, ValueError, TypeError, KeyError):  # damaged, or of an older version of the lab
        return None


def forget_states() -> None:
    """Take the states of all labs off the disk."""
    folder = own_folder()
    for path in (folder / LABS).glob("*.json") if folder else []:
        with contextlib.suppress(OSError):
            path.unlink()


def _path_of(name: str) -> Path | None:
    folder = own_folder()
    plain = re.sub(r"[^\w-]+", "_", name)
    return folder / LABS / f"{plain}.json" if folder else None


def encode(value: Any) -> Any:
    """Return a state as JSON holds it.

    Examples
    --------
    >>> encode((1, np.array([0.5]), None))
    {'tuple': [1, {'array': [0.5], 'dtype': 'float64'}, None]}
    """
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "dtype": str(value.dtype)}
    if is_dataclass(value):
        return {"fields": {part.name: encode(getattr(value, part.name)) for part in fields(value)}}
    if isinstance(value, tuple | list):
        return {"tuple": [encode(item) for item in value]}
    if isinstance(value, dict):
        return {"items": [[encode(key), encode(item)] for key, item in value.items()]}
    if isinstance(value, np.generic):
        return value.item()
    return value


def decode(kept: Any, example: Any) -> Any:
    """Return the value that `encode` has written; a dataclass becomes one of the kind that stands there in `example`.

    Examples
    --------
    >>> decode(encode((1, "two", None)), ())
    (1, 'two', None)
    """
    if not isinstance(kept, dict):
        return kept
    if "array" in kept:
        return np.array(kept["array"], kept["dtype"])
    if "fields" in kept:
        parts = {part.name: getattr(example, part.name) for part in fields(example)}
        return type(example)(**{name: decode(item, parts[name]) for name, item in kept["fields"].items()})
    if "tuple" in kept:
        examples = list(example) if isinstance(example, tuple | list) else []
        last = examples[-1] if examples else None
        parts_of = [*examples, *[last] * len(kept["tuple"])]
        return tuple(decode(item, part) for item, part in zip(kept["tuple"], parts_of))
    return {decode(key, None): decode(item, None) for key, item in kept["items"]}
