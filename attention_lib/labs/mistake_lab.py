"""The mistake lab: attention with one wrong step, beside what is right. Which step is it, and which check notices?"""

import html
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import ipywidgets
import numpy as np

from .._numbers import number_text
from .._words import _
from ..mistakes.invariants import (
    BROKEN,
    CHECK_TEXTS,
    N_HEADS,
    Result,
    Setup,
    Verdict,
    follow,
    make_setup,
    moved_text,
    own_kind,
    try_follow,
    verdicts,
)
from ..mistakes.recipes import MISTAKES, RECIPES, RIGHT
from ..view.controls import Sentence
from ..view.lab import Lab
from ..view.panel import Panel

SENTENCE = "나는 어제 배가 너무 고파서 밥을 먹었다"
LEAST_TOKENS, MOST_TOKENS = 3, 10


@dataclass(frozen=True)
class MistakeState:
    """A sentence, a mask, a mistake, and what the reader has guessed."""

    sentence: str = SENTENCE
    mistake: str = "scaled_by_d_k"
    kind: str = "causal"
    head: int = 0
    guess: str = ""  # the last one
    named: bool = False  # whether the reader knows which mistake it is

    @property
    def known(self) -> str:
        """The mistake, once the reader knows it."""
        return self.mistake if self.named else ""


def setup_of(state: MistakeState) -> Setup:
    """Return the sentence with its embeddings, projections and mask."""
    return make_setup(state.sentence.split(), state.kind)


def both(state: MistakeState) -> tuple[Result, Result | None]:
    """Return what is right, and what comes of the mistake; None where the shapes do not fit."""
    setup = setup_of(state)
    return follow(RIGHT, setup), try_follow(RECIPES[state.mistake], setup)


def verdicts_of(state: MistakeState) -> list[Verdict]:
    """Return what each check says about the mistake on this sentence."""
    return verdicts(RECIPES[state.mistake], setup_of(state))


def is_in_output_alone(state: MistakeState) -> bool:
    """Whether the weights are right and only the output is wrong."""
    right, wrong = both(state)
    if wrong is None or not np.allclose(wrong.weights, right.weights, atol=BROKEN):
        return False
    return not np.allclose(wrong.output, right.output, atol=BROKEN)


def change(state: MistakeState) -> str:
    """Say how much the mistake changes."""
    right, wrong = both(state)
    if wrong is None:
        return _("The shapes do not fit, so the code stops with an error: there is no wrong map.")
    n_nan = int((~np.isfinite(wrong.weights)).sum())
    if n_nan:
        return _("The number of wrong weights that are NaN: {n}. They are shown as 0.").format(n=n_nan)
    weights, output = (float(np.abs(a - b).max()) for a, b in zip(wrong, right))
    if max(weights, output) < BROKEN:
        return _("On these numbers it changes nothing, so the map cannot give it away.")
    sentence = _("Some weights are off by {weights}, and some outputs by {output}.")
    return sentence.format(weights=number_text(weights, 3), output=number_text(output, 3))


def caught_by_text(state: MistakeState) -> str:
    """Say which checks catch the mistake."""
    names = check_names(verdict.name for verdict in verdicts_of(state) if verdict.catches)
    if not names:
        return _("None of the checks catches it on these words and under this mask. Under which mask would one?")
    return _("Caught by: {names}.").format(names=names)


def against(state: MistakeState, guess: str) -> str:
    """Say how the reader could have seen that it is not this mistake."""
    other = replace(state, mistake=guess)
    (_right, mine), (_same, its) = both(state), both(other)
    if its is None and mine is not None:
        return _("Not this one: with it the code would stop with an error.")
    if its is not None and mine is None:
        return _("Not this one: with it the shapes would fit, and there would be a wrong map.")
    if its is not None and mine is not None and digits_of(mine, state.head) != digits_of(its, state.head):
        return _("Not this one: with it the numbers would be different.")
    pairs = zip(verdicts_of(state), verdicts_of(other))
    names = check_names(one.name for one, two in pairs if answer_of(one) != answer_of(two))
    if names:
        sentence = _("Not this one: it looks the same, but these checks would answer differently: {names}.")
        return sentence.format(names=names)
    return _("Not this one, but under this mask it looks the same and breaks the same checks. Try another mask.")


def digits_of(result: Result, head: int) -> list[str]:
    """Return the numbers of a result as the reader sees them."""
    shown = np.concatenate([result.weights[head].ravel(), result.output.ravel()])
    return [number_text(value) for value in np.nan_to_num(shown, posinf=0, neginf=0)]


def answer_of(verdict: Verdict) -> tuple[str, bool]:
    """Return what a reader sees of a verdict."""
    return moved_text(verdict.moved), verdict.catches


def check_names(names: Iterable[str]) -> str:
    """List checks within a sentence; a title that is a symbol stays as it is written.

    Examples
    --------
    >>> check_names(["row sums", "W_O"])
    'row sums, W_O'
    """
    titles = (CHECK_TEXTS[name][0] for name in names)
    return ", ".join(title if title.isupper() else title.lower() for title in titles)


def checks_html(found: Iterable[Verdict]) -> str:
    """Write the verdicts as a list: those that catch the mistake first, what each does in its title."""
    items = []
    for verdict in sorted(found, key=lambda verdict: not verdict.catches):
        title, what = CHECK_TEXTS[verdict.name]
        answer = _("holds") if verdict.moved is not None else _("says nothing here")
        if verdict.catches:
            answer = _("broken, {moved}").format(moved=moved_text(verdict.moved))
        name = "caught" if verdict.catches else ""
        items.append(
            f"<li class='{name}' title='{html.escape(what, quote=True)}'>"
            f"<b>{'✗' if verdict.catches else '✓' if verdict.moved is not None else '·'} {html.escape(title)}</b> "
            f"{html.escape(answer)}</li>"
        )
    return f"<ul class='mistake-checks'>{''.join(items)}</ul>"


class MistakeLab(Lab):
    """The lab: guess which step is wrong, and see which checks notice it.

    Parameters
    ----------
    mistake : str, optional
        A key of `RECIPES` to start with, named. Default: one that is not named until the reader has guessed.
    """

    presets: Mapping[str, tuple[str, MistakeState]] = {
        "quiet": ("one that is hard to see", MistakeState()),
        "visible": ("one that can be seen", MistakeState(mistake="softmax_over_queries")),
        "waits": ("one that new numbers show", MistakeState(mistake="finite_fill")),
        "hidden": ("three words fit by chance", MistakeState("나는 밥을 먹었다", "transpose_missing")),
        "cache": ("a cache: the last two ask", MistakeState(mistake="causal_top_left", kind="cache")),
    }

    def __init__(self, mistake: str | None = None) -> None:
        state = MistakeState()
        if mistake is not None:
            state = named(state, mistake)
        super().__init__(state)

    def panels(self, state: MistakeState) -> dict[str, Panel]:
        n = len(state.sentence.split())
        if not LEAST_TOKENS <= n <= MOST_TOKENS:
            sentence = _("Type a sentence of {least} to {most} words. The number of words in this one is {n}.")
            raise ValueError(sentence.format(least=LEAST_TOKENS, most=MOST_TOKENS, n=n))
        words = state.sentence.split()
        asking = words[len(words) - setup_of(state).n_queries :]
        right, wrong = both(state)
        manners: Any = {"rows": asking, "caption": ""}
        shown: dict[str, tuple[str, Any]]
        if is_in_output_alone(state):
            assert wrong is not None
            manners |= {"limit": 5.0, "column_axis": "column"}
            shown = {"wrong": (_("the wrong output"), wrong.output), "right": (_("the right output"), right.output)}
        else:
            maps = right.weights[state.head]
            broken = maps if wrong is None else np.nan_to_num(wrong.weights[state.head], posinf=0, neginf=0)
            manners |= {"columns": words, "kind": "weights"}
            shown = {"wrong": (_("weights with the mistake"), broken), "right": (_("the right weights"), maps)}
        difference = shown["wrong"][1] - shown["right"][1]
        if wrong is None:
            del shown["wrong"]
        elif not self.is_open:
            del shown["right"]
        panels = {name: Panel(values, title=title, **manners) for name, (title, values) in shown.items()}
        if wrong is not None:
            manners |= {"kind": "signed", "limit": None, "title": _("wrong minus right")}
            panels["difference"] = Panel(difference, **manners)
        return panels

    def controls(self) -> list[Any]:
        titles = {name: MISTAKES[name].title for name in RECIPES}
        self.guess = self.menu(
            _("your guess"), {"": _("choose one of {n}").format(n=len(RECIPES))} | titles, "guess", guessed, "27em"
        )
        self.guess.add_class("menu-answers").add_class("menu-says")  # its keys: menus.js; its first entry: names.js
        return [self.guess, self.button(_("Tell me"), lambda state: replace(state, named=True))]

    def more(self) -> list[Any]:
        titles = {name: MISTAKES[name].title for name in RECIPES}
        kinds = {"no mask": _("no mask"), "causal": _("causal"), "padding": _("padding (the last two words)")}
        kinds["cache"] = _("causal, with a cache (two words ask)")
        heads = {i: str(i) for i in range(N_HEADS)}
        self.mistake = self.menu(_("switch one on"), {"": _("choose")} | titles, "known", named, "24em")
        self.mistake.add_class("menu-says")
        return [
            self.mistake,
            self.menu(_("mask"), kinds, "kind", width="19em"),
            self.menu(_("head"), heads, "head", width="7em"),
            self.words(_("sentence"), _("words, then Enter"), "sentence"),
        ]

    def picture(self) -> list[Any]:
        self.line, self.checks = Sentence("lab-line", says=True), ipywidgets.HTML()
        return [self.line, self.view, self.checks]

    def tell(self, state: MistakeState) -> None:
        mistake = MISTAKES[state.mistake]
        if state.named:
            self.goal.say(_("{title}. {sentence}").format(title=mistake.title, sentence=mistake.sentence))
            self.line.say(f"{change(state)} {caught_by_text(state)}")
        else:
            self.goal.say(_("One step of this attention is wrong. Which one? Look, read the checks, and guess."))
            self.line.say(against(state, state.guess) if state.guess else change(state))
        self.checks.value = checks_html(verdicts_of(state))

    def code(self, state: MistakeState) -> str:
        return "\n".join(
            [
                "from attention_lib.mistakes.invariants import caught_by, follow, make_setup",
                "from attention_lib.mistakes.recipes import RECIPES, RIGHT",
                "",
                f"setup = make_setup({state.sentence.split()!r}, {state.kind!r})",
                f"right = follow(RIGHT, setup).weights[{state.head}]",
                f"wrong = follow(RECIPES[{state.mistake!r}], setup)",
                f"caught_by(RECIPES[{state.mistake!r}], setup)",
            ]
        )

    still = ("wrong", "difference")

    def still_title(self) -> str:
        return _("One step of this attention is wrong: its weights, and how far they are from the right ones")


def guessed(state: MistakeState, guess: str) -> MistakeState:
    """Return the state after a guess; the right one names the mistake."""
    return replace(state, guess=guess, named=state.named or guess == state.mistake)


def named(state: MistakeState, mistake: str) -> MistakeState:
    """Return a state with a mistake that is known, under the mask where it can show."""
    return replace(state, mistake=mistake, kind=own_kind(mistake), guess="", named=True)
