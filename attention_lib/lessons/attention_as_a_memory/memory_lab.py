"""The memory lab: what was written into a state, one line after the other, and what each name reads back."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._numbers import number_text
from ..._words import _
from ...linear_attention import linear_attention
from ...live.lab import Lab
from ...live.panel import Panel
from ...live.player import Player

Array = NDArray[np.float64]
NAMES, DRINKS = ("Ann", "Ben", "Cleo", "Dan"), ("tea", "milk", "juice", "water")
LINES = (0, 1, 2, 3, 0)  # the name of each line, in the order of writing: Ann comes twice
DRUNK = np.eye(4)[[0, 1, 2, 3, 2]]  # the drink of each line, (5, 4)
PAUSE = 1.0  # seconds from one line to the next
CLOSE = 0.1  # a number that is read may be this far from what was written last


@dataclass(frozen=True)
class MemoryState:
    """How each line is written, what the gate keeps, how alike the keys are, and how far S is."""

    rule: str = "add"
    gate: float = 1.0
    alike: float = 0.4
    n_lines: int = len(LINES)  # that are in S so far


def keys_of(alike: float) -> Array:
    """Return a key of length 1 for each name, (4, 4); each two have the product `alike`."""
    apart, together = np.sqrt(1 - alike), np.sqrt(1 + 3 * alike)
    return apart * np.eye(4) + (together - apart) / 4


def writing_of(state: MemoryState) -> Array:
    """Return how much of each line is in each row of S, (4, 5): S is this matrix @ the lines."""
    keys = keys_of(state.alike)[list(LINES)]  # (5, 4)
    overwrite = state.rule == "overwrite"
    states = linear_attention(keys, keys, np.eye(len(LINES)), gate=state.gate, overwrite=overwrite).states  # (5, 4, 5)
    return states[state.n_lines - 1] if state.n_lines else np.zeros_like(states[0])


def matrices_of(state: MemoryState) -> dict[str, Array]:
    S, keys = writing_of(state) @ DRUNK, keys_of(state.alike)  # (4, 4) each
    return {"keys": keys, "S": S, "read": keys @ S}


def wanted_of(state: MemoryState) -> Array:
    """Return what each name drinks so far, (4, 4): its last line that is written."""
    wanted = np.zeros((len(NAMES), len(DRINKS)))
    for name, line in zip(LINES[: state.n_lines], DRUNK):
        wanted[name] = line
    return wanted


def goal_of(state: MemoryState) -> tuple[bool, str]:
    """Ask for a memory from which each name reads its last line, and say how far away it is."""
    wanted, read = wanted_of(state), matrices_of(state)["read"]
    if not state.n_lines:
        return False, _("Ann drinks tea, and juice later. What will she read at the end? Press write.")
    if state.n_lines < len(LINES):
        sentence = _("{number} of {all} lines are in S. What Ann reads most is {drink}: {read}.")
        most = int(read[0].argmax())
        return False, sentence.format(
            number=state.n_lines, all=len(LINES), drink=DRINKS[most], read=number_text(read[0, most])
        )
    gaps = np.abs(read - wanted)
    if gaps.max() <= CLOSE:
        return True, _("Goal reached: every name reads its last line.")
    name, drink = np.unravel_index(gaps.argmax(), gaps.shape)
    sentence = _("Make each name read its last line, within {close}. Now {name} reads {read} of {drink}, not {wanted}.")
    numbers = {"read": number_text(read[name, drink]), "wanted": number_text(wanted[name, drink])}
    return False, sentence.format(close=CLOSE, name=NAMES[name], drink=DRINKS[drink], **numbers)


class MemoryLab(Lab):
    """Five lines are written, one after the other, into a state of four rows, and four names read from it."""

    player: Player
    presets: Mapping[str, tuple[str, MemoryState]] = {
        "empty": (_("nothing is written yet"), MemoryState(n_lines=0)),
        "added": (_("lines are added, keys are alike"), MemoryState()),
        "overwritten": (_("the same keys, lines overwrite"), MemoryState(rule="overwrite")),
        "apart": (_("lines overwrite, keys at right angles"), MemoryState(rule="overwrite", alike=0.0)),
    }

    def controls(self) -> list[Any]:
        self.player = Player(_("▶ write"), self.write_on)
        self.player.button.button_style = "primary"
        self.rules = {"add": _("is added"), "overwrite": _("overwrites")}
        self.rule = self.menu(_("each line"), self.rules, "rule", width="13em")
        self.alike = self.number(_("keys alike"), np.linspace(0, 0.9, 19), "alike", digits=2, width="13em")
        return [self.player.button, self.rule, self.alike]

    def write_on(self) -> float | None:
        """Write the next line, into an empty state after the last; return the seconds until another follows."""
        n_lines = self.state.n_lines % len(LINES) + 1
        self.change(replace(self.state, n_lines=n_lines), ("write", self.player.round))
        return PAUSE if n_lines < len(LINES) else None

    def more(self) -> list[Any]:
        self.gate = self.number(_("gate"), np.linspace(0, 1, 21), "gate", digits=2)
        return [self.gate]

    def arrangement(self, state: MemoryState) -> list[Any]:
        return [["written", "→", "S", "→", "read"]]

    def panels(self, state: MemoryState) -> dict[str, Panel]:
        arrays, lines = matrices_of(state), [*NAMES, _("Ann, later")]
        plain: Any = {"row_axis": "", "column_axis": "", "limit": 1.5}  # what is read can be more than what was written
        title = _("What is written, line by line")
        now = [(state.n_lines - 1, None)] if state.n_lines else []
        written = Panel(DRUNK, lines, DRINKS, title=title, marks=now, **plain)
        title, caption = _("What is read back"), _("Each key times S. Underlined: each last drink.")
        last = [(i, int(row.argmax())) for i, row in enumerate(wanted_of(state)) if row.any()]
        read = Panel(arrays["read"], NAMES, DRINKS, title=title, caption=caption, marks=last, **plain)
        writer, shares, caption = LINES[state.n_lines - 1], None, ""
        if state.n_lines:
            shares = [f"{number_text(number)} ×" for number in arrays["keys"][writer]]
            caption = _("The key of {name} says how much of the line each row gets.")
            if state.rule == "overwrite":
                caption = _("The key of {name} says how much each row gets of the line minus what was read.")
        caption = caption.format(name=NAMES[writer])
        S = Panel(arrays["S"], shares, DRINKS, title=_("The state S"), caption=caption, **plain)
        return {"written": written, "S": S, "read": read}

    def tell(self, state: MemoryState) -> None:
        self.say_goal(*goal_of(state))
