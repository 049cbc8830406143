"""The picture of a layer that learns: a sentence with arcs from the word that asks, and curves over its training.

A unit of these drawings is a fourteenth of an em, so that their letters are as large as those of the lab around them.
"""

import html
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from textwrap import wrap

from ..live.pictures import bars, svg_text

WIDTH, NAMES, CURVES = 740, 142, 540  # of the sentence, of what stands before it, of the curves
ARCS, BASE, LETTERS, CELL = 86, 92, 17, 26  # how high arcs rise, where they end, of a word, of a row of cells
SMALL = 14  # of what a word means
NOTABLE = 1.5  # even shares, from which a weight has an arc: before training there is none
DARK = 0.85  # a cell of more than this has white digits


def draw_sentence(
    words: Sequence[str],
    asks: int,  # the place of the word that asks
    rows: Mapping[str, Sequence[float]],  # its weights, by the name of who looks
    strong: Sequence[str],  # the rows whose names are bold
    wanted: Sequence[int],  # the places where it should look
    off: str = "",  # a row that is switched off, without arcs
    glosses: Mapping[str, str] | None = None,  # what words mean, written below them
) -> str:
    """Draw a sentence, arcs from the word that asks to each word it looks at, and the weights below.

    Each row has its own arcs, those of the first row outside, as wide as its weights, and each of several rows its own
    colour. A weight near an even share, or below, has no arc.
    """
    step = (WIDTH - NAMES) / max(len(words), 5)
    places = [NAMES + step * (i + 0.5) for i in range(len(words))]
    cells_at = BASE + (68 if glosses else 34)
    height = cells_at + CELL * len(rows)
    parts = []
    thick = 20 / math.sqrt(len(rows))
    most = (thick + 1) * (len(rows) - 1) / 2
    for j in range(len(words)):
        pulls = {}  # how far outside each arc runs, and its weight
        for k, (row, weights) in enumerate(rows.items()):
            out = most - (thick + 1) * k
            is_drawn = row != off and weights[j] * len(words) >= NOTABLE
            pulls[out] = weights[j] if is_drawn else 0.0
            path = _arc(places[asks], places[j], out, most)
            name = "wanted" if j in wanted and len(rows) == 1 else f"row-{k}"
            parts.append(f'<path class="arc {name}" d="{path}" stroke-width="{thick * pulls[out]:.1f}"/>')
        if j in wanted:
            total = sum(pulls.values())
            out = sum(out * pull for out, pull in pulls.items()) / (total or 1)  # the tip stands where most of it ends
            x = places[j] + (out if j > asks else -out)
            half = min(6 + thick * total / 2, 11)
            parts.append(f'<path class="track" d="{_arc(places[asks], places[j], out, most)}"/>')
            parts.append(f'<path class="tip" d="M{x - half:.1f} {BASE - 9}h{2 * half:.1f}l-{half:.1f} 15z"/>')
    for i, word in enumerate(words):
        # each copy of the word that asks: the copying lab looks for what followed them
        name = "asks" if word == words[asks] else "wanted-word" if i in wanted else ""
        parts.append(_word(places[i], BASE + 24, word, f"word {name}", step, LETTERS))
        lines = wrap((glosses or {}).get(word, ""), int(step / (0.56 * SMALL)))
        for k, line in enumerate(lines):
            parts.append(_word(places[i], BASE + 42 + 16 * k, line, "", step, SMALL))
    for k, (row, weights) in enumerate(rows.items()):
        y = cells_at + CELL * k
        swatch = f'<rect x="{NAMES - 17}" y="{y + 5}" width="12" height="12"/>' if len(rows) > 1 else ""  # as its arcs
        cells = swatch + svg_text(NAMES - 23, y + 17, row, "strong" if row in strong else "", "end")
        for x, weight in zip(places, weights):
            cells += f'<rect x="{x - step / 2 + 2:.1f}" y="{y}" width="{step - 4:.1f}" height="{CELL - 4}" '
            cells += f'fill-opacity="{weight:.3f}"/>'
            cells += svg_text(x, y + 17, f"{weight:.2f}", "light" if weight > DARK else "", "middle")
        parts.append(f'<g class="row-{k} {"off" if row == off else "on"}">{cells}</g>')
    said = (", ".join(f"{word} {weight:.2f}" for word, weight in zip(words, rows[row])) for row in strong or rows)
    return _drawing(WIDTH, height, f"{words[asks]}: {'; '.join(said)}", "".join(parts))


def draw_curves(
    at: Sequence[float],  # where on the axis each number stands, 0 to 1
    lines: Mapping[str, Sequence[float]],  # what a line is called, and its heights, 0 to 1
    here: int,  # the place of the points
    ends: tuple[str, str, str],  # what stands under the start, the middle and the end of the axis
    marks: Sequence[tuple[int, int, str]] = (),  # which line, the place in it, and what happens there
    height: int = 174,
) -> str:
    """Draw curves over one axis, each from 0 to its own largest number, with a point where the reader is."""
    left, top, base = 8, 34, height - 22
    wide = CURVES - 2 * left
    parts = [f'<path class="axis" d="M{left} {base}h{wide}"/>']
    x = left + wide * at[here]
    parts.append(f'<path class="now" d="M{x:.1f} {top}V{base}"/>')
    for k, (line, i, happens) in enumerate(marks):
        place, high = left + wide * at[i], base - (base - top) * list(lines.values())[line][i]
        side, gap = ("start", 26) if at[i] < 0.55 else ("end", -26)
        parts.append(f'<path class="mark mark-{line}" d="M{place:.1f} {top - 8}V{base}"/>')
        parts.append(f'<circle class="mark mark-{line}" cx="{place:.1f}" cy="{high:.1f}" r="9"/>')
        parts.append(svg_text(place + gap, (top + base) / 2 + 20 * k, happens, "strong", side))
    label = left
    for k, (name, heights) in enumerate(lines.items()):
        points = [(left + wide * a, base - (base - top) * h) for a, h in zip(at, heights, strict=True)]
        bends = "".join(f"L{b[0]:.1f} {b[1]:.1f}" for _, b in pairwise(points))
        parts.append(f'<path class="line line-{k}" d="M{points[0][0]:.1f} {points[0][1]:.1f}{bends}"/>')
        parts.append(f'<circle class="line-{k}" cx="{points[here][0]:.1f}" cy="{points[here][1]:.1f}" r="6"/>')
        parts.append(f'<path class="line line-{k}" d="M{label} 10h18"/>')
        parts.append(svg_text(label + 24, 15, name))
        label += 60 + 8 * len(name)
    for place, text, anchor in zip((left, CURVES / 2, CURVES - left), ends, ("start", "middle", "end")):
        parts.append(svg_text(place, height - 4, text, "", anchor))
    return _drawing(CURVES, height, ", ".join(lines), "".join(parts))


def draw_training(sentence: str, title: str, guesses: Mapping[str, float], curves: str) -> str:
    """Put a sentence above what a model says, each guess with its probability, and the curves of its training."""
    rows = [(name, f"{share:.4f}", f"{share:.2f}") for name, share in guesses.items()]
    answers = bars(rows, max(guesses, key=lambda name: guesses[name]))
    says = f"<div class='training-says'><b>{html.escape(title)}</b>{answers}</div>"
    return f"<div class='training-picture'>{sentence}<div class='training-row'>{says}{curves}</div></div>"


def _arc(x: float, to: float, out: float, most: float) -> str:
    """The path from above one word to above another, so far outside the middle; to the word itself it is a loop."""
    if x == to:
        near, rise = 8 + max(out, -6), BASE - 60 - 4 / 3 * out
        far = near + 26
        return f"M{x - near:.1f} {BASE}C{x - far:.1f} {rise:.1f} {x + far:.1f} {rise:.1f} {x + near:.1f} {BASE}"
    rise = BASE - (min(ARCS - most, 20 + 0.36 * abs(to - x)) + out) * 4 / 3
    x, to = (x + out, to - out) if to < x else (x - out, to + out)
    return f"M{x:.1f} {BASE}C{x:.1f} {rise:.1f} {to:.1f} {rise:.1f} {to:.1f} {BASE}"


def _word(x: float, y: float, word: str, name: str, room: float, letters: int) -> str:
    """Write a word; one that has no room there is squeezed."""
    wide = sum(1.0 if letter > "\u1100" else 0.56 for letter in word) * letters
    squeezed = f'textLength="{room - 4:.1f}" lengthAdjust="spacingAndGlyphs" ' if wide > room - 4 else ""
    return f'<text class="{name}" x="{x:.1f}" y="{y}" text-anchor="middle" {squeezed}>{html.escape(word)}</text>'


def _drawing(width: int, height: int, said: str, inside: str) -> str:
    label = html.escape(said, quote=True)
    style = f"--wide: {width / 14:.2f}em"
    return f'<svg role="img" aria-label="{label}" viewBox="0 0 {width} {height}" style="{style}">{inside}</svg>'
