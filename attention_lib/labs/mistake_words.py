"""What the mistake lab says, and its table of what the checks say."""

import html
from collections.abc import Iterable

from ..mistakes.invariants import CHECK_TEXTS, Verdict, moved_text

KINDS = {
    "no mask": "no mask",
    "causal": "causal",
    "padding": "padding (the last two words)",
    "cache": "causal, cached (two ask)",
}
SHOWN_TEXTS = {"maps": "maps", "outputs": "outputs", "differences": "differences"}
MESSAGES = {
    "empty": "Type a sentence of {least} to {most} words first; this one has {n}.",
    "summary": "{title}. {sentence}",
    "differs": "Weights differ by up to {weights:.3f}, outputs by up to {output:.3f}.",
    "same": "On these numbers it changes nothing, so looking at the map cannot find it.",
    "nan": "The wrong weights hold {n} entries that are no finite number, shown as 0.",
    "no map": "There is no wrong map: the shapes do not fit, so the code stops with an error.",
    "guess first": "Something is wrong in one step. Compare the maps, and see which checks are broken: what is it?",
    "right guess": "Right: {title}.",
    "maps": "Not this one: the wrong map would look otherwise.",
    "outputs": "Not this one: the wrong output would look otherwise.",
    "differences": "Not this one: the differences would be others.",
    "stops": "Not this one: here the code would stop with an error.",
    "runs": "Not this one: the shapes would fit, and there would be a wrong map.",
    "other checks": "Not this one: it looks the same, and these checks answer otherwise: {names}.",
    "no other": "Not this one, but under this mask it looks the same and breaks the same checks. Try another mask.",
    "caught": "Caught by: {names}.",
    "not caught": "None of the checks catches it on these words and under this mask. Under which would one?",
    "right caption": "head {head}, done right",
    "wrong caption": "head {head}, with the mistake",
    "right output caption": "done right",
    "wrong output caption": "with the mistake",
    "difference caption": "wrong - right, at most {largest:.3f}",
    "checks": "What each check does",
    "check": "{title}: {what}.",
    "still title": "Mistake lab: done right, and with one mistake, under every check. {caught}",
    "still text": "Mistake lab: {title}",
    "still unnamed": "Mistake lab: one step is wrong. Which?",
    "breaks": "catches it",
    "holds": "passes",
    "silent": "says nothing here",
}
LABELS = {
    "mistake": "mistake",
    "switch": "or switch one on",
    "guess": "your guess",
    "tell": "tell me",
    "kind": "mask",
    "head": "head",
    "shown": "show",
    "sentence": "sentence",
    "placeholder": "words, then Enter",
    "invariant": "check",
    "measured": "moved",
    "verdict": "verdict",
}


def verdict_table(verdicts: list[Verdict]) -> str:
    """Write the verdicts as a table of HTML, those that catch the mistake first."""
    cell = "<td style='padding:0 14px 0 0' title='{what}'>{text}</td>"
    lines = []
    for verdict in sorted(verdicts, key=lambda verdict: not verdict.catches):
        title, what = CHECK_TEXTS[verdict.name]
        key = "silent" if verdict.moved is None else "breaks" if verdict.catches else "holds"
        said = f"<b>{MESSAGES[key]}</b>" if verdict.catches else MESSAGES[key]
        row = (title, moved_text(verdict.moved), said)
        lines.append("".join(cell.format(what=html.escape(what, quote=True), text=text) for text in row))
    heads = "".join(
        f"<th style='text-align:left;padding:0 14px 0 0'>{LABELS[key]}</th>"
        for key in ("invariant", "measured", "verdict")
    )
    return f"<table style='line-height:1.3'><tr>{heads}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def checks_text() -> str:
    """Write what each check does as HTML, folded; the lines stand in as many columns as there is room for."""
    texts = [MESSAGES["check"].format(title=title, what=what) for title, what in CHECK_TEXTS.values()]
    lines = "".join(f"<div style='break-inside:avoid'>{html.escape(text)}</div>" for text in texts)
    columns = f"<div style='columns:22em;column-gap:2em;line-height:1.3'>{lines}</div>"
    return f"<details><summary>{MESSAGES['checks']}</summary>{columns}</details>"


def check_names(names: Iterable[str]) -> str:
    """List checks within a sentence; a title that is a symbol stays as it is written.

    Examples
    --------
    >>> check_names(["row sums", "W_O"])
    'row sums, W_O'
    """
    titles = (CHECK_TEXTS[name][0] for name in names)
    return ", ".join(title if title.isupper() else title.lower() for title in titles)
