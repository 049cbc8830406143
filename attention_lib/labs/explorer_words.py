"""What the explorer says of its numbers: the goal, one step of a row written out, and the row as bars.

`model` is its plain model, `ExplorerModel`, which stands in the lab's own module.
"""

import html
from collections.abc import Sequence
from typing import Any

from ..examples.explorer_starts import ENOUGH
from ..view.follow import TIE, At, Longest, Places, Written, as_sent, at_least
from ..view.panel import labels_of
from ..view.pictures import bars

STEPS = ("query", "score", "scaled score", "weights", "output")
LINES = {
    "goal": "Goal: make {query} give {key} at least {least:g}. Now {weight}, number {rank} of {n}; {most}",
    "largest": "the largest is {top}, {top_weight}.",
    "two largest": "the largest are {top}, {top_weight} each.",
    "largest alike": "{many} words share the largest, {top_weight}.",
    "all alike": "all {n} are alike.",
    "reached": "Goal reached: {query} gives {key} {weight}.",
    "no_goal": "{query} attends most to {top}, {top_weight}.",
    "no_goal, two": "{query} attends most to {top}, {top_weight} each.",
    "no_goal, alike": "{query} attends most to {many} words alike, {top_weight} each.",
    "no_goal, all": "{query} attends to all {n} words alike, {top_weight} each.",
    "comma": ", ",
    "row": "what {query} takes from each word",
}
EXACT, ROUNDED = "=", "≈"  # where all that is written is exact, and where it is not
ARITHMETIC = {
    "query": "1 · The query of {query}. Its embedding times column {column} of W_Q:<br>{sum} {is} {result}<br>"
    "Every column likewise: q = {q}",
    "score": "2 · The score of {query} (query) and {key} (key). q · k, entry by entry:<br>{sum} {is} {result}",
    "scaled score": "3 · The scaled score of {query} and {key}. Divide by √d_k = √{d_k}:<br>"
    "{score} / {root} {is} {result}",
    "weights": "4 · The weight of {key}. e to the scaled score, over the sum of that for all keys:<br>"
    "e^{scaled} / {total} ≈ {exp} / {total} ≈ {result}",
    "output": "5 · The output of {query}. Each weight times column {column} of V:<br>{sum} {is} {result}<br>"
    "Every column likewise: {output}",
}


class Room(Longest):
    """Reads as `Longest` does, and of the words that share the largest weight names those that need the most room."""

    def listed(self, pick: str, at: At, names: Sequence[str], *rest: Any, **options: Any) -> str:
        """Name the two longest, whatever is picked."""
        return LINES["comma"].join(sorted(names, key=len)[-2:])


def goal_line(model: Any, read: Any, names: list[str]) -> str:
    """How far the goal is, with the numbers that `read` gives."""
    goal = model.state.goal
    query = goal.query if goal else model.query
    at: At = ("weights", query, None)
    alike = ("count", "top", at)
    told = {"query": names[query], "n": len(names), "top": read.listed("top", at, names, between=LINES["comma"])}
    told |= {"top_weight": read.most("weights", query, 3), "many": read.value(alike, 0)}

    def of_most(*kinds: str) -> str:
        """The line that fits how many words share the largest weight: one, two, some or all."""
        one, two, some, every = (LINES[kind].format(**told) for kind in kinds)
        shared = ((at_least(alike, max(n, 2)), said) for n, said in ((len(names), every), (3, some), (2, two)))
        chosen: str = read.choose(*shared, ((), one))
        return chosen

    if goal is None:
        return of_most("no_goal", "no_goal, two", "no_goal, alike", "no_goal, all")
    told["most"] = of_most("largest", "two largest", "largest alike", "all alike")
    told |= {"key": names[goal.key], "weight": read.number("weights", query, goal.key, 3), "least": ENOUGH}
    told["rank"] = read.rank("weights", query, goal.key)
    reached = at_least(("largest", "weights", query, [goal.key]), ENOUGH)
    said: str = read.choose((reached, LINES["reached"].format(**told)), ((), LINES["goal"].format(**told)))
    return said


def arithmetic(model: Any, read: Any) -> str:
    """The current step of the chosen row, and of its column, written out with the numbers that `read` gives."""
    i, j, c, d_k = model.query, model.key, model.column, model.trace.Q.shape[-1]
    match STEPS[model.step]:
        case "query":
            told = summed(read, ("X", i, None), ("W_Q", None, c), ("Q", i, c))
            told["q"] = read.row("Q", i)
        case "score":
            told = summed(read, ("Q", i, None), ("K", j, None), ("scores", i, j))
        case "scaled score":
            told = {"score": read.short("scores", i, j), "result": read.short("scaled scores", i, j)}
            told["root"] = Written({"√d_k": model.root()}).short("√d_k", 0, 0)
            # The root need not be asked: by a rounded one only 0 can be divided without rounding.
            told["is"] = sign(read, ("scores", i, j), ("scaled scores", i, j))
        case "weights":
            told = {"scaled": read.short("scaled scores", i, j), "exp": read.exp("scaled scores", i, j)}
            told |= {"total": read.exps("scaled scores", i), "result": read.short("weights", i, j)}
        case _:
            told = summed(read, ("weights", i, None), ("V", None, c), ("output", i, c))
            told["output"] = read.row("output", i)
    words = labels_of(model.tokens)
    names = {name: f"<b>{html.escape(words[at])}</b>" for name, at in (("query", i), ("key", j))}
    told["column"] = model.columns[c] if model.columns else c
    return ARITHMETIC[STEPS[model.step]].format(**told, **names, d_k=d_k)


def summed(read: Any, one: At, other: At, result: tuple[str, int, int]) -> dict[str, str]:
    """A sum of products, entry by entry, and what it gives."""
    return {"sum": read.products(one, other), "is": sign(read, one, other, result), "result": read.short(*result)}


def sign(read: Any, *written: At) -> str:
    """The sign of a calculation in which all these are written."""
    said: str = read.choose((((("rounding", *written), None, TIE),), EXACT), ((), ROUNDED))
    return said


def row_chart(model: Any, read: Any) -> str:
    """The weights of the chosen row as bars, the key in bold."""
    names = labels_of(model.tokens)
    title = LINES["row"].format(query=html.escape(names[model.query]))
    places = [("weights", model.query, j) for j in range(len(names))]
    rows = [(name, read.share(*at), read.number(*at, 3)) for name, at in zip(names, places)]
    return f"<b>{title}</b>" + bars(rows, names[model.key])


def goal_text(model: Any, reader: type[Written] = Written) -> str:
    """How far the goal is, with the numbers."""
    return goal_line(model, reader(model.matrices()), labels_of(model.tokens))


def lines(model: Any) -> dict[str, Any]:
    """All of it as the page fills it in, by the class of where it stands."""
    read = Places()
    goal = goal_line(model, read, [html.escape(name) for name in labels_of(model.tokens)])
    rest = {"explorer-arithmetic": arithmetic(model, read), "explorer-row": row_chart(model, read)}
    return as_sent(read, {"explorer-goal": f"<b>{goal}</b>", **rest})
