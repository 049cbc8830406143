"""One folder for each notebook: its labs, exercises and predictions, and what only this notebook calculates.

A lab is opened only when it is asked for: `from attention_lib.lessons import Explorer`.
"""

import importlib
from typing import Any

NOTEBOOKS = (
    "01_self_attention",
    "02_scaling",
    "03_masking",
    "04_cross_attention",
    "05_multi_head_attention",
    "06_kv_cache",
    "07_trained_attention",
    "08_learning_attention",
    "09_mistakes",
    "10_positions",
    "11_a_small_language_model",
    "12_the_articles_checked",
)

#: Lab, and the module it is in.
LABS = {
    "Explorer": "self_attention.explorer",
    "MovingPoint": "self_attention.moving_point",
    "ScalingLab": "scaling.scaling_lab",
    "OverflowLab": "scaling.overflow_lab",
    "MaskWorkbench": "masking.mask_workbench",
    "AlignmentLab": "cross_attention.alignment_lab",
    "HeadSurgeryLab": "multi_head_attention.head_surgery",
    "DecodeTimer": "kv_cache.decode_timer",
    "CacheStepper": "kv_cache.cache_stepper",
    "CacheSize": "kv_cache.cache_size",
    "HeadBrowser": "trained_attention.head_browser",
    "LearningLab": "learning_attention.learning_lab",
    "MistakeLab": "mistakes.mistake_lab",
    "TurningLab": "positions.turning_lab",
    "CopyingLab": "a_small_language_model.copying_lab",
}


def __getattr__(name: str) -> Any:
    """Open the module of a lab when its name is first used."""
    if name not in LABS:
        raise AttributeError(f"there is no lab {name}; there are {', '.join(sorted(LABS))}")
    return getattr(importlib.import_module(f".{LABS[name]}", __name__), name)
