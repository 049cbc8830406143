"""The explorer: one query from left to right, every step a number, with W_Q, W_K and W_V to change."""

from dataclasses import replace
from typing import Any

import numpy as np

from ..._words import _
from ...examples.made_up_words import LARGEST, PROJECTIONS, STEP
from ...live.chain import Chain, Given, attention_steps, step
from ...live.lab import Lab
from ...live.matrix_view import Cell, Edit
from ...live.panel import Panel, labels_of, round_limit
from .explorer_starts import (
    ENOUGH,
    FIRST_CELL,
    READABLE,
    SENTENCES,
    ExplorerState,
    given_of_three,
    is_readable,
    starts,
    steps_of_three,
    with_words,
)

ASKING = PROJECTIONS[:2]  # the weights need no more
LABEL = 4.2  # em, what explorer.css leaves for a word before its row
STEPS = round(2 * LARGEST / STEP)  # of the slider


def with_number(state: ExplorerState, value: float) -> ExplorerState:
    panel, row, column = state.cell
    matrix = getattr(state.inputs, panel).copy()
    matrix[row, column] = np.clip(round(value, 4), -LARGEST, LARGEST) + 0.0  # + 0.0: never -0
    return replace(state, inputs=replace(state.inputs, **{panel: matrix}))


def with_values(state: ExplorerState, on: bool) -> ExplorerState:
    """Return the state with or without the values in sight; the slider never sets a number that is out of sight."""
    cell = state.cell if on or state.cell[0] in ASKING else FIRST_CELL
    return replace(state, shows_values=on, cell=cell)


def goal_sentence(state: ExplorerState) -> str:
    """Say how far the goal is; where there is none, what the followed word attends to most."""
    words, weights = labels_of(state.inputs.tokens), state.inputs.trace().weights
    if state.goal is None:
        row = weights[state.inputs.query]  # (n,)
        top = ", ".join(word for word, weight in zip(words, row) if np.isclose(weight, row.max()))
        sentence = _("What does {query} look at? Now most at {top}: {weight:.3f}.")
        if not is_readable(state.inputs):
            sentence = _("These words have made-up numbers. {query} looks most at {top}: {weight:.3f}.")
        return sentence.format(query=words[state.inputs.query], top=top, weight=row.max())
    now = ", ".join(f"{key} {weight:.3f}" for key, weight in state.goal_weights().items())
    sentence = _("Make {query} give {key} at least {least:g}. Now {now}.")
    if state.goal_is_three:
        sentence = _("Make {query} give the last word at least {least:g} in all three sentences.")
    if state.is_reached:
        sentence = _("Goal reached. Now {query} gives {now}.")
        if state.goal_is_three:
            sentence = _("Goal reached in all three sentences.")
    query, key = (words[i] for i in state.goal)
    return sentence.format(query=query, key=key, least=ENOUGH, now=now)


def meanings_of(state: ExplorerState) -> str:
    """Return what the Korean words mean that are framed: the followed one, and the key of its goal."""
    inputs, glosses = state.inputs, READABLE.glosses
    framed = state.goal if state.goal and state.goal[0] == inputs.query else (inputs.query,)
    words = dict.fromkeys(inputs.tokens[i] for i in framed)
    return "\n".join(f"{word}: {glosses[word]}" for word in words if glosses.get(word, word) != word)


class Explorer(Lab):
    """The lab; it starts from the preset `name`."""

    def __init__(self, name: str = "bae") -> None:
        self.presets = starts()
        super().__init__(name)

    def panels(self, state: ExplorerState) -> dict[str, Panel]:
        inputs, trace = state.inputs, state.inputs.trace()
        at, words = inputs.query, labels_of(inputs.tokens, LABEL)
        features = list(READABLE.columns) if is_readable(inputs) else None
        key = [(state.goal[1], None)] if state.goal and state.goal[0] == at else []
        plain: Any = {"limit": LARGEST, "row_axis": _("word"), "column_axis": ""}
        editable = plain | {"editable": True, "low": -LARGEST, "high": LARGEST, "step": STEP}
        editable |= {"row_axis": _("from"), "column_axis": _("to")}
        scores = plain | {"limit": round_limit(trace.scores), "marks": key}
        bars = plain | {"limit": 1.0, "marks": key, "kind": "weights", "bars": True, "digits": 3}

        def column(matrix: Any, head: str, title: str, manners: Any) -> Panel:
            return Panel(matrix[at][:, None], words, [head], title=title, **manners)

        def row(matrix: Any, sentence: str, caption: str = "") -> Panel:
            title = sentence.format(word=words[at])
            return Panel(matrix[[at]], [title], features, title=title, caption=caption, **plain | {"row_axis": ""})

        panels = {
            "X": Panel(inputs.X, words, features, title="X", marks=[(at, None)], **plain),
            "K": Panel(trace.K, words, features, title="K = X · W_K", marks=key, **plain),
            "score": column(trace.scores, "→ q·k", _("score"), scores),
            "scaled score": column(trace.scaled_scores, f"→ ÷√{trace.Q.shape[1]}", _("scaled"), scores),
            "weight": column(trace.weights, "→ softmax", _("weight"), bars),
            "query": row(trace.Q, _("query of {word} = x · W_Q"), meanings_of(state)),
        }
        if state.shows_three:
            sentences = [" ".join(words) for words in SENTENCES]
            weights = [[weight] for weight in state.goal_weights().values()]  # (3, 1)
            half = bars | {"marks": [(i, None) for i in range(len(SENTENCES))]}  # each has the mark at one half
            title = _("weight that {word} gives the last word").format(word=READABLE.word)
            panels["three"] = Panel(weights, sentences, [""], title=title, **half)
        if state.shows_values:
            panels["V"] = Panel(trace.V, words, features, title="V = X · W_V", marks=key, **plain)
            panels["output row"] = row(trace.output, _("output of {word} = weights · V"))
        for name in PROJECTIONS if state.shows_values else ASKING:
            marks = [state.cell[1:]] if state.cell[0] == name else []
            panels[name] = Panel(getattr(inputs, name), features, features, title=name, marks=marks, **editable)
        return panels

    def arrangement(self, state: ExplorerState) -> list[list[str]]:
        table = ["X", "→", "K", "score", "scaled score", "weight"]
        if state.shows_values:
            return [list(PROJECTIONS), ["query"], [*table, "V"], ["output row"]]
        return [[*ASKING, "three"] if state.shows_three else list(ASKING), ["query"], table]

    def chain(self, state: ExplorerState) -> tuple[Chain, Given]:
        names = PROJECTIONS if state.shows_values else ASKING
        *to_weights, output = attention_steps(state.inputs.W_Q.shape[1])
        steps = [step(name[-1], "matmul", "X", name) for name in names] + to_weights
        steps += [step("query", "row", "Q", "at")]
        steps += [step(name, "column", f"{name}s", "at") for name in ("score", "scaled score", "weight")]
        if state.shows_values:
            steps += [output, step("output row", "row", "output", "at")]
        given: Given = {"at": [[state.inputs.query]]}
        if state.shows_three:
            return [*steps, *steps_of_three()], {**given, **given_of_three()}
        return steps, given

    def edit(self, state: ExplorerState, edit: Edit) -> ExplorerState:
        return with_number(replace(state, cell=(edit.panel, edit.row, edit.column or 0)), edit.value)

    def select(self, state: ExplorerState, cell: Cell) -> ExplorerState:
        if cell.panel in PROJECTIONS:
            return state if cell.column is None else replace(state, cell=(cell.panel, cell.row, cell.column))
        if cell.panel == "three":
            return with_words(state, " ".join(SENTENCES[cell.row]))
        if cell.panel in ("query", "output row"):
            return state
        return replace(state, inputs=replace(state.inputs, query=cell.row))

    def look(self, state: ExplorerState) -> None:
        self._go(state, self.start, "", moves=state.inputs.query != self.state.inputs.query, saves=False)

    def controls(self) -> list[Any]:
        stops = np.linspace(-LARGEST, LARGEST, STEPS + 1)
        self.number_slider = self.number("", stops, "number", with_number, digits=4, width="26em")
        return [self.number_slider]

    def more(self) -> list[Any]:
        self.sentence = self.words(_("own sentence"), _("words, then Enter"), "text", with_words)
        return [self.sentence, self.switch(_("Show the values"), "shows_values", with_values)]

    def tell(self, state: ExplorerState) -> None:
        panel, row, column = state.cell
        names = READABLE.columns if is_readable(state.inputs) else range(max(state.inputs.X.shape))
        label = _("{panel}, from {row}, to {column}")
        self.number_slider.name(label.format(panel=panel, row=names[row], column=names[column]))
        more = _("Choose another word, or press More.") if state.is_reached else _("Change W_Q or W_K.")
        self.say_goal(state.is_reached, f"{goal_sentence(state)} {more}")
        at, asks, words = state.inputs.query, state.goal[0] if state.goal else None, labels_of(state.inputs.tokens)
        sentence = _("Below, the lab follows {word}. The goal above is still about {query}.")
        self.line.say(sentence.format(word=words[at], query=words[asks]) if asks not in (None, at) else "")
        if self.view and (chosen := self.view.selected):
            is_meant = tuple(chosen) == state.cell if chosen.panel in PROJECTIONS else chosen.row == at
            if not is_meant:  # its frame would point at what is not meant any more
                self.view.select(None)
