"""What the mask workbench says of its mask and of what it leaves: captions, and what one word reads.

`model` is its plain model, `MaskModel`, which stands in the lab's own module.
"""

import html
from typing import Any

from ..view.follow import Places, Row, as_sent, at_least

SAID = "mask-workbench-said"  # the class of the line about one word
LONGEST_RECIPE = 56  # characters; of a mask composed of more, the last steps are told: a caption has three lines
MOST_NAMED = 2  # words; of more, how many
STEP = ", "  # between the steps in which a mask was made
LEFT_OUT = "… "  # in place of the steps before

MESSAGES = {
    "mask": "{recipe}: {allowed} of {total} pairs may attend.{unread}",
    "unread": " Nobody reads {words}.",
    "many unread": " {n} words are read by nobody.",
    "flipped": "the opposite of ({before})",
    "clicked": "{before}, then cells by hand",
    "dead": "Dead, no allowed key: {words}. Weights and output are 0 here; other libraries differ, see below.",
    "many dead": "Dead, no allowed key: {n} rows. Weights and output are 0 here; other libraries differ, see below.",
    "alive": "Every row has an allowed key and sums to 1.",
    "row": "{query} reads {parts}.",
    "reads nothing": "{query} reads nothing: a dead row.",
    "part": "{key} {weight}",
    "reach": "After {layers}: heard of {n} of {total} words.",
    "layer": "1 layer",
    "layers": "{n} layers",
    "needed": "Until the row's word has heard of the column's; 0: not within {layers}.",
    "scores": "Before the mask: the same for every mask.",
    "masked": "{forbidden} scores are −∞.",
    "target": "{meaning}. A dead row: {dead_row}.",
    "target here": "True = may attend. A dead row: weights 0 and output 0.",
    "still title": "Mask workbench: the mask, and the weights it leaves",
    "still text": "Mask workbench: {sentence}",
}
MASK = ("mask", None, None)  # all of its cells
DEAD, UNREAD = ("empty rows", MASK), ("empty columns", MASK)


def shortened(recipe: str, longest: int = LONGEST_RECIPE) -> str:
    """Return how a mask was made, or the last steps of it."""
    if len(recipe) <= longest:
        return recipe
    if (inner := unflipped(recipe)) is not None:
        flipped = MESSAGES["flipped"].format
        return flipped(before=shortened(inner, longest - len(flipped(before=""))))
    first, *steps = steps_of(recipe)
    while len(steps) > 1 and len(LEFT_OUT + STEP.join(steps)) > longest:
        steps.pop(0)
    return LEFT_OUT + STEP.join(steps) if steps else first


def steps_of(recipe: str) -> list[str]:
    """Split a recipe where its steps meet; what stands in brackets is of one step.

    Examples
    --------
    >>> steps_of("the opposite of (causal, or itself), and window (left 2, right 0)")
    ['the opposite of (causal, or itself)', 'and window (left 2, right 0)']
    """
    steps = [""]
    for part in recipe.split(STEP):
        inside = steps[-1].count("(") > steps[-1].count(")")
        steps = [*steps[:-1], steps[-1] + STEP + part] if inside else [*steps, part]
    return steps[1:]


def unflipped(recipe: str) -> str | None:
    """Return how the mask was made before it was flipped; None where its last step is another."""
    before, after = MESSAGES["flipped"].split("{before}")
    if not recipe.startswith(before) or not recipe.endswith(after) or len(steps_of(recipe)) > 1:
        return None
    return recipe.removeprefix(before).removesuffix(after)


def by_hand(recipe: str) -> str:
    """Return how a mask was made in which a cell is clicked."""
    clicked = MESSAGES["clicked"].format
    return recipe if recipe.endswith(clicked(before="")) else clicked(before=recipe)


def following(model: Any, read: Any, recipe: str) -> dict[str, str]:
    """The captions that a click changes, with the numbers that `read` gives."""
    names, total = model.names, model.state.mask.size
    unread = counted(read, ("unread", "many unread"), UNREAD, names, "")
    dead = counted(read, ("dead", "many dead"), DEAD, names, MESSAGES["alive"])
    allowed = read.value(("count", "on", MASK), 0)
    forbidden = read.value(("count", "off", MASK), 0)
    return {
        "mask": MESSAGES["mask"].format(recipe=recipe, allowed=allowed, total=total, unread=unread),
        "masked scores": MESSAGES["masked"].format(forbidden=forbidden),
        "weights": dead,
    }


def counted(read: Any, kinds: tuple[str, str], pick: Any, names: list[str], none: str) -> str:
    """Name the words that are picked, or say how many they are; `kinds` are the messages for the two."""
    few = MESSAGES[kinds[0]].format(words=read.listed(*pick, names))
    many = MESSAGES[kinds[1]].format(n=read.value(("count", *pick), 0))
    said: str = read.choose(
        (at_least(("count", *pick), MOST_NAMED + 1), many), (at_least(("count", *pick), 1), few), ((), none)
    )
    return said


def captions(model: Any, read: Any, recipe: str) -> dict[str, str]:
    """What is said under the panels."""
    always = {"layers needed": MESSAGES["needed"].format(layers=layers(model)), "scaled scores": MESSAGES["scores"]}
    return always | following(model, read, recipe)


def row_text(model: Any, read: Any, row: Row, names: list[str]) -> str:
    """What one query reads, largest weight first, and how far it has heard after all layers."""
    query, allowed = read.named(row, names), ("mask", row, None)
    part = MESSAGES["part"].format(key="{name}", weight="{value}")
    parts = read.listed("on", allowed, names, part, ", ", ("weights", row, None), True)
    some = at_least(("count", "on", allowed), 1)
    reads, nothing = (MESSAGES[name].format(query=query, parts=parts) for name in ("row", "reads nothing"))
    heard = read.value(("count", "on", ("layers needed", row, None)), 0)
    reach = MESSAGES["reach"].format(layers=layers(model), n=heard, total=len(names))
    return f"{read.choose((some, reads), ((), nothing))} {reach}"


def layers(model: Any) -> str:
    """How many layers are stacked."""
    n = model.state.n_layers
    return MESSAGES["layer"] if n == 1 else MESSAGES["layers"].format(n=n)


def lines(model: Any, row: int) -> dict[str, Any]:
    """All of it as the page fills it in after a click; the word told of is that of the row clicked."""
    read = Places()
    told = row_text(model, read, ("edited", row), [html.escape(name) for name in model.names])
    after = following(model, read, shortened(by_hand(model.state.recipe)))
    return as_sent(read, {SAID: told}, after, dict.fromkeys(("mask", "masked scores", "weights"), DEAD))
