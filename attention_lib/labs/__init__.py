"""The labs of the notebooks, each opened only when it is asked for: `from attention_lib.labs import Explorer`."""

import importlib
from typing import Any

from .. import _notebooks  # noqa: F401  (says what is missing)

#: Lab, and the module it stands in.
LABS = {
    "AlignmentLab": "alignment_lab",
    "CacheSize": "cache_size",
    "CacheStepper": "cache_stepper",
    "CopyingLab": "copying_lab",
    "DecodeTimer": "decode_timer",
    "Explorer": "explorer",
    "HeadBrowser": "head_browser",
    "HeadSurgeryLab": "head_surgery",
    "LearningLab": "learning_lab",
    "MaskWorkbench": "mask_workbench",
    "MistakeLab": "mistake_lab",
    "MovingPoint": "moving_point",
    "OverflowLab": "overflow_lab",
    "ScalingLab": "scaling_lab",
    "TurningLab": "turning_lab",
}

__all__ = sorted(LABS)


def __getattr__(name: str) -> Any:
    """Open the module of a lab when its name is first used."""
    if name not in LABS:
        raise AttributeError(f"there is no lab {name}; there are {', '.join(sorted(LABS))}")
    return getattr(importlib.import_module(f".{LABS[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(LABS)
