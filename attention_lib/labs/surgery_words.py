"""What head surgery says: of its heads, and of what the followed word is given.

`model` is its plain model, `SurgeryModel`, which stands in the lab's own module.
"""

from typing import Any

from ..examples.made_up_heads import load_heads_example
from ..view.follow import SHOWN, At, Places, as_sent, at_least

SAID = "head-surgery-summary"  # the class of the line about the followed word
FEATURES = load_heads_example().features  # what the columns of ΔE stand for

MESSAGES = {
    "changed": "ΔE of {query} is now {now}; as it was made, {before}.",
    "same": "ΔE of {query} is {now}, as it was made.",
    "entry": "{feature} {value}",
    "nothing": "0 in every column",
    "head": "head {i}",
    "column": "head {i} · {column}",
    "made for": "head {i}: {name}",
    "reads": "{mode}. {query}: {keys}",
    "key": "{key} {weight:.2f}",
    "alike": "all {n} words alike, {weight:.2f}",
    "alone": "averaged (alone: as it is)",
    "one averaged": "It shares with none yet: average a second head.",
    "enlarged": "{head}, enlarged",
    "sum": "sum = ΔE",
    "terms": "{query}: what each head adds through its own rows of W_O.",
    "fixed": "W_O acts after the maps: no number here moves a weight.",
    "heads reset": "New heads, all on.",
    "still title": "Heads side by side: each looks its own way",
    "still text": "Head surgery. {sentence}",
}


def summary(model: Any, read: Any) -> str:
    """What the followed word is given, with the numbers that `read` gives."""
    places = {"now": ("ΔE", model.row, None), "before": ("ΔE as made", model.row, None)}
    told = {name: entries(at, read) for name, at in places.items()}
    changed, same = (MESSAGES[name].format(query=model.query, **told) for name in ("changed", "same"))
    said: str = read.choose((at_least(("apart", *places.values()), SHOWN), changed), ((), same))
    return said


def entries(at: At, read: Any) -> str:
    """Name the columns that do not read 0.00."""
    part = MESSAGES["entry"].format(feature="{name}", value="{value}")
    named = read.listed("shown", at, FEATURES, part, ", ", at)
    said: str = read.choose((at_least(("count", "shown", at), 1), named), ((), MESSAGES["nothing"]))
    return said


def lines(model: Any) -> dict[str, Any]:
    """The summary as the page fills it in."""
    read = Places()
    return as_sent(read, {SAID: f"<b>{summary(model, read)}</b>"})
