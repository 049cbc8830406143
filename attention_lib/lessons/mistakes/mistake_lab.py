"""The mistake lab: attention with one wrong step. Which step is it? The map tells, or one of the checks does."""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import ipywidgets
import numpy as np

from ..._numbers import number_text
from ..._words import _
from ...live.lab import Lab
from ...live.panel import Panel
from .invariants import BROKEN, INVARIANTS, Result, Setup, Verdict, follow, make_setup, try_follow, verdicts
from .recipes import MISTAKES, RECIPES, RIGHT

SENTENCE = "나는 배가 고파서 밥을 먹었다"
N_ANSWERS = 4
UNSEEN = _("Under this mask it changes nothing, and no check notices it. Try another mask.")
STRIDE = 7  # from one mistake to the next: one that shares no factor with their number comes to each of them


@dataclass(frozen=True)
class MistakeState:
    """A sentence, a mistake, a mask, and what the reader has guessed."""

    sentence: str = SENTENCE
    mistake: str = "mask_after_softmax"
    kind: str = "causal"
    guess: str = ""  # the last one
    missed: tuple[str, ...] = ()  # the wrong ones so far
    is_named: bool = False  # whether the reader knows which mistake it is
    is_checked: bool = False  # whether the checks are shown

    @property
    def known(self) -> str:
        return self.mistake if self.is_named else ""

    @property
    def is_wrong_guess(self) -> bool:
        """Whether the reader has just guessed another mistake."""
        return self.guess not in ("", self.mistake) and not self.is_named


def setup_of(state: MistakeState) -> Setup:
    return make_setup(state.sentence.split(), state.kind)


def result_of(state: MistakeState, mistake: str) -> Result | None:
    """Return what comes of a mistake; None where the shapes do not fit."""
    return try_follow(RECIPES[mistake], setup_of(state))


def verdicts_of(state: MistakeState) -> list[Verdict]:
    """Return what each check says about the mistake on this sentence."""
    return verdicts(RECIPES[state.mistake], setup_of(state))


def are_alike(one: Result | None, other: Result | None) -> bool:
    """Whether two results look the same; not where the shapes of one do not fit."""
    if one is None or other is None:
        return False
    return all(np.allclose(finite(a), finite(b), rtol=0, atol=BROKEN) for a, b in zip(one, other))


@cache
def answers_of(mistake: str) -> list[str]:
    """Return the mistakes to choose from: this one and its neighbours among those that show under its mask."""
    state = MistakeState(kind=MISTAKES[mistake].kind)
    right = follow(RIGHT, setup_of(state))
    names = [name for name in RECIPES if name == mistake or not are_alike(result_of(state, name), right)]
    first = min(max(names.index(mistake) - 1, 0), len(names) - N_ANSWERS)
    return sorted(names[first : first + N_ANSWERS], key=lambda name: MISTAKES[name].title)


def is_in_output_alone(state: MistakeState) -> bool:
    """Whether the weights are right and only the output is wrong."""
    right, wrong = follow(RIGHT, setup_of(state)), result_of(state, state.mistake)
    if wrong is None:
        return False
    same_weights, same_output = (np.allclose(a, b, atol=BROKEN) for a, b in zip(wrong, right))
    return same_weights and not same_output


def change(state: MistakeState) -> str:
    """Say what the maps cannot show of the mistake."""
    right, wrong = follow(RIGHT, setup_of(state)), result_of(state, state.mistake)
    if wrong is None:
        return _("The shapes do not fit, so the code stops with an error: there is no wrong map.")
    n_nan = int((~np.isfinite(wrong.weights)).sum())
    if n_nan:
        return _("The number of wrong weights that are NaN: {n}. They are shown as 0.").format(n=n_nan)
    if are_alike(wrong, right):
        quiet = _("On these numbers it changes nothing, so the map cannot give it away. Run the checks.")
        return quiet if any(verdict.catches for verdict in verdicts_of(state)) else UNSEEN
    return _("The weights are right, so you see the output.") if is_in_output_alone(state) else ""


def against(state: MistakeState) -> str:
    """Say how the reader can see that it is not the mistake that was guessed."""
    mine, its = result_of(state, state.mistake), result_of(state, state.guess)
    if its is None or mine is None:
        return _("Not this one: of the two, only one stops with an error because its shapes do not fit.")
    if are_alike(its, mine):
        return _("Not this one, but under this mask its numbers are the same. Try another mask.")
    if are_alike(its, follow(RIGHT, setup_of(state))):
        return _("Not this one: under this mask it would change nothing.")
    return _("Not this one: what it would give is on the right. Where do the two differ?")


def sums_of(weights: Any) -> str:
    """Say what rows and columns of a map sum to."""

    def between(sums: Any) -> str:
        low, high = number_text(sums.min()), number_text(sums.max())
        return low if low == high else _("{low} to {high}").format(low=low, high=high)

    sentence = _("Rows sum to {rows}, columns to {columns}.")
    return sentence.format(rows=between(weights.sum(axis=1)), columns=between(weights.sum(axis=0)))


def finite(values: Any) -> Any:
    """Return numbers that can be shown: 0 in place of nan and inf."""
    return np.nan_to_num(values, posinf=0, neginf=0)


def checks_html(results: Sequence[Verdict]) -> str:
    """Write which checks catch the mistake and how far each is off, what it does in its title, and how many do not."""
    caught = [verdict for verdict in results if verdict.catches]
    items = []
    for name, moved in caught:
        far = _("gives NaN") if moved == np.inf else _("off by {far}").format(far=f"{moved:.3g}")
        words = f"<b>✗ {html.escape(name[0].upper() + name[1:])}</b> {far}"
        items.append(f"<li class='caught' title='{html.escape(INVARIANTS[name], quote=True)}'>{words}</li>")
    n_silent = sum(verdict.moved is not None and not verdict.catches for verdict in results)
    others = _("The other {n} checks that apply here notice nothing.")
    if not caught:
        others = _("None of the {n} checks that apply here notices it.")
    if n_silent:
        items.append(f"<li>{html.escape(others.format(n=n_silent))}</li>")
    return f"<ul class='mistake-checks'>{''.join(items)}</ul>"


def named(state: MistakeState, mistake: str) -> MistakeState:
    """Return a state with a mistake that is known, under the mask where it can show."""
    return replace(state, mistake=mistake, kind=MISTAKES[mistake].kind, guess="", missed=(), is_named=True)


def guessed(state: MistakeState, i: int) -> MistakeState:
    """Return the state after a guess, one of the answers by its place; the right one names the mistake."""
    guess = answers_of(state.mistake)[i]
    if state.is_named:
        return state
    if guess == state.mistake:
        return replace(state, guess=guess, is_named=True)
    return replace(state, guess=guess, missed=tuple(sorted({*state.missed, guess})))


def with_next(state: MistakeState) -> MistakeState:
    """Return a state with another mistake, not named yet."""
    names = list(RECIPES)
    mistake = names[(names.index(state.mistake) + STRIDE) % len(names)]
    return replace(named(state, mistake), is_named=False, is_checked=False)


class MistakeLab(Lab):
    """The lab: look at the map of attention with one wrong step, guess which it is, and see which checks notice it."""

    presets: Mapping[str, tuple[str, MistakeState]] = {
        "visible": ("one that can be seen", MistakeState()),
        "quiet": ("one that is hard to see", MistakeState(mistake="scaled_by_d_k")),
        "waits": ("one that an unusual row shows", MistakeState(mistake="finite_fill")),
        "hidden": ("three words fit by chance", MistakeState("나는 밥을 먹었다", "transpose_missing")),
        "cache": ("a cache: the last two ask", MistakeState(mistake="causal_top_left", kind="cache")),
    }

    def panels(self, state: MistakeState) -> dict[str, Panel]:
        words = state.sentence.split()
        setup = setup_of(state)
        of_output = is_in_output_alone(state)

        def shown(result: Result) -> Any:
            return finite(result.output if of_output else result.weights[0])

        right, wrong = follow(RIGHT, setup), result_of(state, state.mistake)
        guess = result_of(state, state.guess) if state.is_wrong_guess else None
        options: Any = {"rows": words[-setup.n_queries :], "caption": ""}
        options |= {"limit": 5.0, "column_axis": "column"} if of_output else {"columns": words, "kind": "weights"}

        def mapped(result: Result, title: str) -> Panel:
            caption = "" if of_output else sums_of(shown(result))
            return Panel(shown(result), title=title, **options | {"caption": caption})

        def minus_right(result: Result, title: str) -> Panel:
            difference = shown(result) - shown(right)
            largest = np.argwhere(np.abs(difference) >= max(BROKEN, np.abs(difference).max()))
            marks = [(int(i), int(j)) for i, j in largest[:1]]
            limit = options.get("limit", 1.0)  # one scale for all mistakes, so that a pale difference is a small one
            caption = _("The largest is framed. Colours run from −{n:.0f} to {n:.0f}.").format(n=limit) if marks else ""
            manners = options | {"kind": "signed", "limit": limit, "caption": caption}
            return Panel(difference, title=title, marks=marks, **manners)

        if wrong is None:
            return {"beside": Panel(shown(right), title=_("the right weights"), **options)}
        title = _("the wrong output") if of_output else _("the wrong weights")
        beside = mapped(guess, _("what your guess would give")) if guess else minus_right(wrong, _("wrong minus right"))
        return {"wrong": mapped(wrong, title), "beside": beside}

    def controls(self) -> list[Any]:
        kinds = {"no mask": _("none"), "causal": _("causal"), "padding": _("padding: last two words")}
        kinds["cache"] = _("causal, with a cache")
        mask = self.menu(_("mask"), kinds, "kind", width="18em")
        return [self.switch(_("Run the checks"), "is_checked"), self.button(_("Another mistake"), with_next), mask]

    def more(self) -> list[Any]:
        titles = {name: MISTAKES[name].title for name in RECIPES}
        self.mistake = self.menu(_("switch one on"), {"": _("choose")} | titles, "known", named, "34em")
        self.mistake.add_class("menu-says")
        return [self.mistake]

    def picture(self) -> list[Any]:
        self.line.add_class("lab-says")
        self.checks = ipywidgets.HTML()
        self.answers = [self.button("", partial(guessed, i=i)) for i in range(N_ANSWERS)]
        self.choices = ipywidgets.HBox(self.answers).add_class("mistake-answers").add_class("lab-toolbar")
        return [self.choices, *super().picture(), self.checks]

    def tell(self, state: MistakeState) -> None:
        mistake, said = MISTAKES[state.mistake], change(state)
        if state.is_named and said == UNSEEN:
            self.say_goal(False, _("Under this mask, nobody can notice it: {title}.").format(title=mistake.title))
            self.line.say(mistake.sentence, said)
        elif state.is_named:
            goal = _("This one is: {title}.")
            if state.guess:
                goal = _("Found at guess {n}: {title}.") if state.missed else _("Goal reached at once: {title}.")
            self.say_goal(bool(state.guess), goal.format(title=mistake.title, n=len(state.missed) + 1))
            self.line.say(mistake.sentence, said)
        else:
            hidden = _("One step of this attention is wrong, but under this mask it does not show.")
            self.say_goal(False, hidden if said == UNSEEN else _("One step of this attention is wrong. Which one?"))
            self.line.say(against(state) if state.is_wrong_guess else said)
        for button, name in zip(self.answers, answers_of(state.mistake)):  # they stay: nothing moves under the hand
            mark = "✗ " if name in state.missed else "✓ " if name == state.known else ""
            button.description = button.tooltip = mark + MISTAKES[name].title
            button.disabled = state.is_named and name != state.known
        self.checks.value = checks_html(verdicts_of(state)) if state.is_checked or state.is_named else ""
