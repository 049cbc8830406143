"""What the explorer says of its numbers: the goal, one step of a row written out, and the row as bars.

`model` is its plain model, `ExplorerModel`, which stands in the lab's own module.
"""

import html
from typing import Any

from ..examples.explorer_starts import ENOUGH
from ..view.follow import Places, Written, as_sent, at_least
from ..view.panel import told_apart
from ..view.pictures import bars

STEPS = ("query", "score", "scaled score", "weights", "output")
LINES = {
    "goal": "Goal: make {query} give {key} at least {least:g}. Now {weight}, number {rank} of {n}; "
    "the largest is {top}, {top_weight}.",
    "reached": "Goal reached: {query} gives {key} {weight}.",
    "no_goal": "{query} attends most to {top}, {top_weight}.",
    "row": "what {query} takes from each word",
}
ARITHMETIC = {
    "query": "1 · The query of {query}. Its embedding times column 0 of W_Q:<br>{sum} = {result}<br>"
    "Every column likewise: q = {q}",
    "score": "2 · The score of {query} (query) and {key} (key). q · k, entry by entry:<br>{sum} = {result}",
    "scaled score": "3 · The scaled score. Divide by √d_k = √{d_k}:<br>{score} / {root} = {result}",
    "weights": "4 · The weight. e to the scaled score, over the sum for all {n} keys:<br>"
    "e^{scaled} / {total} = {exp} / {total} = {result}",
    "output": "5 · The output of {query}. Each weight times column 0 of V:<br>{sum} = {result}<br>"
    "Every column likewise: {output}",
}


def goal_line(model: Any, read: Any, names: list[str]) -> str:
    """How far the goal is, with the numbers that `read` gives."""
    goal = model.state.goal
    query = goal.query if goal else model.query
    told = {"query": names[query], "n": len(names), "top": read.top("weights", query, names)}
    told["top_weight"] = read.most("weights", query, 3)
    if goal is None:
        return LINES["no_goal"].format(**told)
    told |= {"key": names[goal.key], "weight": read.number("weights", query, goal.key, 3), "least": ENOUGH}
    told["rank"] = read.rank("weights", query, goal.key)
    reached = at_least(("largest", "weights", query, [goal.key]), ENOUGH)
    said: str = read.choose((reached, LINES["reached"].format(**told)), ((), LINES["goal"].format(**told)))
    return said


def arithmetic(model: Any, read: Any) -> str:
    """The current step of the chosen row, written out with the numbers that `read` gives."""
    i, j, d_k = model.query, model.key, model.trace.Q.shape[-1]
    match STEPS[model.step]:
        case "query":
            told = {"sum": read.products(("X", i, None), ("W_Q", None, 0)), "result": read.short("Q", i, 0)}
            told["q"] = read.row("Q", i)
        case "score":
            told = {"sum": read.products(("Q", i, None), ("K", j, None)), "result": read.short("scores", i, j)}
        case "scaled score":
            told = {"score": read.short("scores", i, j), "result": read.short("scaled scores", i, j)}
            told["root"] = Written({"√d_k": model.root()}).short("√d_k", 0, 0)
        case "weights":
            told = {"scaled": read.short("scaled scores", i, j), "exp": read.exp("scaled scores", i, j)}
            told |= {"total": read.exps("scaled scores", i), "result": read.short("weights", i, j)}
        case _:
            told = {"sum": read.products(("weights", i, None), ("V", None, 0)), "result": read.short("output", i, 0)}
            told["output"] = read.row("output", i)
    names = {name: f"<b>{html.escape(model.tokens[at])}</b>" for name, at in (("query", i), ("key", j))}
    return ARITHMETIC[STEPS[model.step]].format(**told, **names, d_k=d_k, n=len(model.tokens))


def row_chart(model: Any, read: Any) -> str:
    """The weights of the chosen row as bars, the key in bold."""
    names = told_apart(model.tokens)
    title = LINES["row"].format(query=html.escape(model.tokens[model.query]))
    places = [("weights", model.query, j) for j in range(len(names))]
    rows = [(name, read.share(*at), read.number(*at, 3)) for name, at in zip(names, places)]
    return f"<b>{title}</b>" + bars(rows, names[model.key])


def goal_text(model: Any, reader: type[Written] = Written) -> str:
    """How far the goal is, with the numbers."""
    return goal_line(model, reader(model.matrices()), list(model.tokens))


def lines(model: Any) -> dict[str, Any]:
    """All of it as the page fills it in, by the class of where it stands."""
    read = Places()
    goal = goal_line(model, read, [html.escape(name) for name in model.tokens])
    rest = {"explorer-arithmetic": arithmetic(model, read), "explorer-row": row_chart(model, read)}
    return as_sent(read, {"explorer-goal": f"<b>{goal}</b>", **rest})
