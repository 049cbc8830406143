"""The memory lab: what was written into a state, one line after the other, and what each name reads back."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._words import _
from ...linear_attention import linear_attention
from ...live.chain import Chain, Given, step
from ...live.lab import Lab
from ...live.matrix_view import Edit
from ...live.panel import Panel

Array = NDArray[np.float64]
NAMES, DRINKS = ("Ann", "Ben", "Cleo", "Dan"), ("tea", "milk", "juice", "water")
LINES = (0, 1, 2, 3, 0)  # the name of each line, in the order of writing: Ann comes twice
DRUNK = tuple(tuple(float(drink == number) for drink in range(4)) for number in (0, 1, 2, 3, 2))  # (5, 4)
CLOSE = 0.1  # a number that is read may be this far from what was written last


@dataclass(frozen=True)
class MemoryState:
    """What each line says, (5, 4), how it is written, what the gate keeps, and how alike the keys are."""

    written: tuple[tuple[float, ...], ...] = DRUNK
    rule: str = "add"
    gate: float = 1.0
    alike: float = 0.4


def keys_of(alike: float) -> Array:
    """Return a key of length 1 for each name, (4, 4); each two have the product `alike`."""
    apart, together = np.sqrt(1 - alike), np.sqrt(1 + 3 * alike)
    return apart * np.eye(4) + (together - apart) / 4


def writing_of(state: MemoryState) -> Array:
    """Return how much of each line ends up in each row of S, (4, 5): S is this matrix @ what was written."""
    keys = keys_of(state.alike)[list(LINES)]  # (5, 4)
    overwrite = state.rule == "overwrite"
    return linear_attention(keys, keys, np.eye(len(LINES)), gate=state.gate, overwrite=overwrite).states[-1]


def matrices_of(state: MemoryState) -> dict[str, Array]:
    """Return everything that the panels show."""
    written, keys = np.array(state.written), keys_of(state.alike)
    S = writing_of(state) @ written  # (4, 4)
    return {"written": written, "keys": keys, "S": S, "read": keys @ S}


def wanted_of(state: MemoryState) -> Array:
    """Return what each name drinks now, (4, 4): its last line."""
    return np.array([state.written[max(i for i, name in enumerate(LINES) if name == n)] for n in range(4)])


def goal_of(state: MemoryState) -> tuple[bool, str]:
    """Ask for a memory from which each name reads its last line, and say how far away it is."""
    wanted, read = wanted_of(state), matrices_of(state)["read"]
    if state.written != DRUNK:
        return False, _("You have changed the lines, so the goal does not count. Start again brings them back.")
    gaps = np.abs(read - wanted)
    if gaps.max() <= CLOSE:
        return True, _("Goal reached: every name reads its last line.")
    name, drink = np.unravel_index(gaps.argmax(), gaps.shape)
    sentence = _(
        "Make each name read its last line, within {close}. Now {name} reads {read:.2f} of {drink}, not {wanted:.2f}."
    )
    numbers = {"close": CLOSE, "read": read[name, drink] + 0.0, "wanted": wanted[name, drink]}
    return False, sentence.format(name=NAMES[name], drink=DRINKS[drink], **numbers)


class MemoryLab(Lab):
    """Five lines are written into a state of four rows, which is shown between them and what four names read.

    Examples
    --------
    >>> lab = MemoryLab()
    >>> lab.rule.value, lab.alike.box.value = "overwrite", "0"
    >>> lab.view["read"][0]  # Ann reads her last line
    array([0., 0., 1., 0.])
    """

    still = ("written", "S", "read")

    def __init__(self) -> None:
        self.presets = {
            "added": (_("lines are added, keys are alike"), MemoryState()),
            "overwritten": (_("the same keys, lines overwrite"), MemoryState(rule="overwrite")),
            "apart": (_("lines overwrite, keys at right angles"), MemoryState(rule="overwrite", alike=0.0)),
            "fades": (_("a gate of 0.5: old lines fade"), MemoryState(gate=0.5, alike=0.0)),
        }
        super().__init__(MemoryState())

    def controls(self) -> list[Any]:
        rules = {"add": _("is added"), "overwrite": _("overwrites")}
        self.rule = self.menu(_("each line"), rules, "rule", width="13em")
        self.alike = self.number(_("keys alike"), 0, 0.9, "alike", n_steps=18, digits=2, width="14em")
        return [self.rule, self.alike]

    def more(self) -> list[Any]:
        self.gate = self.number(_("gate"), 0, 1, "gate", n_steps=20, digits=2)
        return [self.gate]

    def arrangement(self, state: MemoryState) -> list[Any]:
        maps = [["written", "→", "S", "→", "read"]]
        return [*maps, ["keys"]] if self.is_open else maps

    def panels(self, state: MemoryState) -> dict[str, Panel]:
        arrays, lines = matrices_of(state), [*NAMES, _("Ann, later")]
        plain: Any = {"row_axis": "", "column_axis": "", "limit": 1.5}  # what is read can be more than what was written
        large: Any = {"high": 1.0, "low": 0.0, "step": 0.1}
        title = _("What was written, line by line")
        written = Panel(arrays["written"], lines, DRINKS, title=title, editable=True, **plain | large)
        title, caption = _("What is read back"), _("Underlined: the last drink of each.")
        last = [(i, int(j)) for i, j in enumerate(wanted_of(state).argmax(axis=1))]
        read = Panel(arrays["read"], NAMES, DRINKS, title=title, caption=caption, marks=last, **plain | large)
        panels = {"written": written, "S": Panel(arrays["S"], None, DRINKS, title=_("The state S"), **plain)}
        if self.is_open:
            panels["keys"] = Panel(arrays["keys"], NAMES, title=_("The keys"), **plain)
        return panels | {"read": read}

    def chain(self, state: MemoryState) -> tuple[Chain, Given]:
        given = {"writing": writing_of(state), "queries": keys_of(state.alike)}
        return [step("S", "matmul", "writing", "written"), step("read", "matmul", "queries", "S")], given

    def edit(self, state: MemoryState, edit: Edit) -> MemoryState:
        written = np.array(state.written)
        written[edit.row, edit.column] = edit.value
        return replace(state, written=tuple(map(tuple, written.tolist())))

    def tell(self, state: MemoryState) -> None:
        self.say_goal(*goal_of(state))
