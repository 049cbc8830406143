"""What head surgery says: of its heads, and of what the followed word is given.

`model` is its plain model, `SurgeryModel`, which stands in the lab's own module.
"""

from typing import Any

import numpy as np

from ..examples.made_up_heads import load_heads_example
from ..view.follow import SHOWN, TIE, At, Places, Written, as_sent, at_least

SAID = "head-surgery-summary"  # the class of the line about the followed word
FEATURES = load_heads_example().features  # what the columns of ΔE stand for

SOME = 1e-6  # smaller differences are of the last bits

MODES = {"on": "on", "off": "off", "averaged": "averaged"}
MESSAGES = {
    "changed": "ΔE of {query} is now {now}; as it was made, {before}.",
    "alike": "ΔE of {query} is {now}, to two digits as it was made.",
    "same": "ΔE of {query} is {now}, as it was made.",
    "goal": "Goal: find the heads that “{query}” can go without. {tried}",
    "try": "Switch one off at a time.",
    "some tried": "Switch one off at a time: {n} of {heads} tried.",
    "all tried": "Reached: of {heads} heads it can go without {free}.",
    "needs each": "Reached: of {heads} heads it needs each.",
    "comma": ", ",
    "lost": "{reading}. Gone without it: {lost}",
    "nothing lost": "nothing",
    "little lost": "0.00",
    "entry": "{feature} {value}",
    "nothing": "0 in every column",
    "head": "head {i}",
    "column": "head {i} · {column}",
    "made for": "head {i}: {name}",
    "reads": "{mode}. {query}: {keys}",
    "key": "{key} {weight:.2f}",
    "all alike": "all {n} words alike, {weight:.2f}",
    "alone": "averaged (alone: as it is)",
    "averaged": "Averaged heads share the mean of their maps.",
    "one averaged": "It shares with none yet: average a second head.",
    "enlarged": "{head}, enlarged",
    "sum": "sum = ΔE",
    "terms": "{query}: what each head adds, through W_O.",
    "fixed": "Drag or type a number. It moves no weight: W_O acts after the maps.",
    "heads reset": "New heads, all on.",
    "still title": "Heads side by side: each looks its own way",
    "still text": "Head surgery. {sentence}",
}


def summary(model: Any, read: Any) -> str:
    """What the followed word is given, with the numbers that `read` gives."""
    places = {"now": ("ΔE", model.row, None), "before": ("ΔE as made", model.row, None)}
    told = {name: entries(at, read) for name, at in places.items()}
    changed, alike, same = (MESSAGES[name].format(query=model.query, **told) for name in ("changed", "alike", "same"))
    apart = ("apart", *places.values())
    said: str = read.choose((at_least(apart, SHOWN), changed), (at_least(apart, SOME), alike), ((), same))
    return said


def goals(model: Any) -> list[str]:
    """What is asked of the followed word, and how far the reader has come; then what is said in the end."""
    heads, tried = model.state.n_heads, model.tried
    free = [i for i in range(heads) if np.abs(model.lost_without(i)).max() < SHOWN]
    named = MESSAGES["comma"].join(MESSAGES["head"].format(i=i) for i in free)
    end = "all tried" if free else "needs each"
    name = "try" if not tried else "some tried" if len(tried) < heads else end
    told = {"n": len(tried), "heads": heads, "query": model.query, "free": named}
    texts = [MESSAGES[one].format(**told) for one in (name, "some tried", end)]
    return [MESSAGES["goal"].format(query=model.query, tried=text) for text in texts]


def caption(model: Any, i: int) -> str:
    """What the followed word reads in a head; where the head was tried, also what the word lacks without it."""
    told = reading(model, i)
    return MESSAGES["lost"].format(reading=told, lost=_lost(model.lost_without(i))) if i in model.tried else told


def readings(model: Any) -> dict[str, str]:
    """The captions after an edit of W_O: it moves no weight, and no head was tried under the new numbers."""
    return {name: reading(model, i) for i, name in enumerate(model.panels[: model.state.n_heads])}


def reading(model: Any, i: int) -> str:
    """What the followed word reads in a head."""
    mode, row = model.state.modes[i], model.surgery.weights[i, model.row]
    said = MESSAGES["alone"] if mode == "averaged" and model.state.modes.count("averaged") == 1 else MODES[mode]
    top = [j for j in range(len(row)) if row[j] > row.max() - TIE]
    if len(top) == len(row) > 1:
        keys = MESSAGES["all alike"].format(n=len(row), weight=row[0])
    else:
        named = [MESSAGES["key"].format(key=model.sentence.tokens[j], weight=row[j]) for j in top]
        keys = MESSAGES["comma"].join(named)
    return MESSAGES["reads"].format(mode=said, query=model.query, keys=keys)


def _lost(numbers: Any) -> str:
    if np.abs(numbers).max() < SOME:
        return MESSAGES["nothing lost"]
    at = ("lost", 0, None)
    named = entries(at, Written({"lost": numbers[None]}))
    return MESSAGES["little lost"] if named == MESSAGES["nothing"] else named


def entries(at: At, read: Any) -> str:
    """Name the columns that do not read 0.00."""
    part = MESSAGES["entry"].format(feature="{name}", value="{value}")
    named = read.listed("shown", at, FEATURES, part, ", ", at)
    said: str = read.choose((at_least(("count", "shown", at), 1), named), ((), MESSAGES["nothing"]))
    return said


def lines(model: Any) -> dict[str, Any]:
    """The summary as the page fills it in."""
    read = Places()
    return as_sent(read, {SAID: f"<b>{summary(model, read)}</b>"}, readings(model))
