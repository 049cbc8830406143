"""A dial with two hands that can be turned, and a curve around 0 with a point on it, as SVG for a `Drawing`.

A unit is a fourteenth of the letters around, so that pictures grow with them.
"""

import html
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._numbers import number_text
from ...live.pictures import svg_text

UNIT = 14  # units in an em
GRIP = 17  # from the tip of a hand to the middle of its grip: one outside, one inside, so that neither covers the other
ROOM = 33  # around the rim
LEFT, RIGHT, TOP, BOTTOM = 42, 12, 30, 50  # margins of the curve
TICK = 10  # between two numbers under the curve


class Hand(NamedTuple):
    """Where a hand points, in radians, and the number that turns it."""

    angle: float
    value: int


class Turn(NamedTuple):
    """Radians for each step of a number, the number that turns both hands, and the largest number there is."""

    speed: float
    both: int
    most: int


def dial(query: Hand, key: Hand, turn: Turn, radius: int, lines: Sequence[str]) -> str:
    """Draw a dial with two hands, the angle between them, and lines of words below it; the first is large."""
    apart = math.remainder(query.angle - key.angle, math.tau)
    far = radius / 2
    end = f"{far * math.cos(apart):.1f} {-far * math.sin(apart):.1f}"
    sector = f"M 0 0 L {far:.1f} 0 A {far:.1f} {far:.1f} 0 0 {int(apart < 0)} {end} Z"
    parts = [f'<circle class="rim" r="{radius}"/>']
    parts.append(f'<path class="both" {_grip("both", Hand(key.angle, turn.both), turn)} d="{sector}"/>')
    for name, hand, out in (("query", query, GRIP), ("key", key, -GRIP)):
        grip = f'<circle r="15" cx="{radius + out}"/>{svg_text(radius + out, 5, name[0], "grip", "middle")}'
        parts.append(f'<g class="hand {name}" {_grip(name, hand, turn)}><line x2="{radius}"/>{grip}</g>')
    for i, line in enumerate(lines):
        parts.append(svg_text(0, radius + ROOM + 20 + 22 * i, line, "quiet" if i else "large", "middle"))
    half = radius + ROOM
    return _svg((-half, -half, 2 * half, 2 * half + 22 * len(lines) + 2), " ".join(lines), parts)


def _grip(name: str, hand: Hand, turn: Turn) -> str:
    """Return what the page needs to turn something by hand."""
    names = name if name == "both" else f"{name} both"
    numbers = f'data-value="{hand.value}" data-at_{name}="{hand.value}" data-at_both="{turn.both}"'
    speeds = f'data-speed="{turn.speed}" data-most="{turn.most}" data-angle="{hand.angle:.4f}"'
    return f'data-drag="{name}" data-with="{names}" {numbers} {speeds} style="--angle: {hand.angle:.4f}rad"'


def signed_curve(
    x: ArrayLike, y: ArrayLike, here: tuple[float, float], title: str, axis: str, width: int, height: int
) -> str:
    """Draw a curve above and below 0, with a dot at each whole number, and at `here`, (x, y), a point to drag along it.

    Its number counts from the left end of the curve.
    """
    x, y = np.asarray(x, float), np.asarray(y, float)  # (n,) each
    largest = max(1.0, float(np.abs(y).max()))
    right, low = width - RIGHT, height - BOTTOM
    middle = (TOP + low) / 2

    def place(x_value: ArrayLike, y_value: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        across = LEFT + (right - LEFT) * (np.asarray(x_value) - x[0]) / (x[-1] - x[0])
        return across, middle - (middle - TOP) * np.asarray(y_value) / largest

    parts = [svg_text(LEFT, 16, title)]
    for value, at in ((largest, TOP), (0, middle), (-largest, low)):
        parts.append(f'<line class="axis" x1="{LEFT}" x2="{right}" y1="{at}" y2="{at}"/>')
        parts.append(svg_text(LEFT - 6, at + 5, number_text(value, 0), "quiet", "end"))
    reach = x[-1] - x[x.size // 2]
    for tick in np.arange(x[0], x[-1] + 1, TICK if reach > 2 * TICK else 3):
        parts.append(svg_text(float(place(tick, 0)[0]), height - 26, number_text(tick, 0), "quiet", "middle"))
    parts.append(svg_text((LEFT + right) / 2, height - 6, axis, "quiet", "middle"))
    points, whole = [f"{a:.1f},{b:.1f}" for a, b in zip(*place(x, y))], np.isclose(x, np.round(x))
    parts.append(f'<polyline class="line" points="{" ".join(points)}"/>')
    parts += [f'<circle class="whole" r="3" cx="{a:.1f}" cy="{b:.1f}"/>' for a, b in zip(*place(x[whole], y[whole]))]
    spot, level = place(*here)
    pull = f'data-drag="distance" data-value="{here[0] - x[0]:g}" data-speed="{(right - LEFT) / (x[-1] - x[0])}"'
    point = f'<circle r="12"/>{svg_text(0, 5, "↔", "", "middle")}'
    style = f"transform: translate({spot:.1f}px, {level:.1f}px)"
    parts.append(f'<g class="here" {pull} data-most="{x[-1] - x[0]:g}" style="{style}">{point}</g>')
    return _svg((0, 0, width, height), title, parts)


def _svg(box: tuple[float, float, float, float], said: str, parts: Sequence[str]) -> str:
    """Return an SVG; `said` is read out in its place."""
    size = f'viewBox="{" ".join(map(str, box))}" style="width: {box[2] / UNIT:.2f}em"'
    return f'<svg {size} role="img" aria-label="{html.escape(said, quote=True)}">{"".join(parts)}</svg>'
