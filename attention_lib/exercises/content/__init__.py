"""One module a notebook: its exercises (`EXERCISES`) and its predictions (`QUESTIONS`), where it has them."""

import importlib
from types import ModuleType

#: Number of the notebook, and the module of what it asks.
CONTENT = {
    "01": "self_attention",
    "02": "scaling",
    "03": "masking",
    "04": "cross_attention",
    "05": "multi_head_attention",
    "06": "kv_cache",
    "07": "trained_attention",
    "08": "learning_attention",
    "09": "mistakes",
    "10": "positions",
    "11": "small_language_model",
    "12": "articles",
}


def content_of(number: str) -> ModuleType:
    """Open what one notebook asks; KeyError where it asks nothing."""
    return importlib.import_module(f".{CONTENT[number]}", __name__)
