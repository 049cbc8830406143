"""Dials with two hands, and a curve around 0 with a point on it, as SVG for a live view."""

import html
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from numpy.typing import ArrayLike

from .._numbers import whole_text
from .pictures import svg_text

HAND, NAME, REACH = 40, 50, 58  # of a hand of length 1, to the middle of its name and to the name's end, in pixels
NEAR = 14 / NAME  # radians between two names that do not cover each other
WIDE, HIGH = 116, 160  # of a dial with its words
CURVE, LEAST = 900, 400  # width of the curve where no dial stands beside it, and of the narrowest beside dials
NARROW = 340  # of the curve on a phone
LEFT, RIGHT, TOP, BOTTOM = 34, 8, 22, 34  # its margins
COLOURS = ("#0072B2", "#D55E00")
DASHES = ("", "6 4")
TICK, FAR_TICK = 10, 25  # positions between two numbers under the curve, and under a narrow one


class Dial(NamedTuple):
    """One dial: words above, below and lowest, and its two hands by name, as (x, y) of length 1 at the rim."""

    title: str
    speed: str
    score: str
    hands: Mapping[str, tuple[float, ...]]


def dials(drawn: Sequence[Dial], curve: str, said: str) -> str:
    """Draw dials side by side and a curve behind them; `said` is read out in their place.

    Examples
    --------
    >>> dial = Dial("pair 0", "1 a position", "q · k = 0.00", {"q": (1.0, 0.0), "k": (0.0, 1.0)})
    >>> dials([dial], "", "two hands").count("<line")
    2
    """
    words = html.escape(said, quote=True)
    faces = "".join(_dial(one) for one in drawn)
    return f'<div class="turning-dials" role="img" aria-label="{words}">{faces}{curve}</div>'


def _dial(one: Dial) -> str:
    x, y = WIDE / 2, 15 + REACH
    longest = max([1.0, *(math.hypot(*hand) for hand in one.hands.values())])
    parts = [svg_text(x, 13, one.title, "", "middle"), f'<circle class="rim" cx="{x}" cy="{y}" r="{HAND}"/>']
    angles = _apart([math.atan2(up, right) for right, up in one.hands.values()])
    for (name, hand), angle, colour, dash in zip(one.hands.items(), angles, COLOURS, DASHES):
        right, up = (HAND * part / longest for part in hand)
        ends = f'x1="{x}" y1="{y}" x2="{x + right:.1f}" y2="{y - up:.1f}"'
        parts.append(f'<line {ends} stroke="{colour}" stroke-width="3" stroke-dasharray="{dash}"/>')
        parts.append(f'<circle cx="{x + right:.1f}" cy="{y - up:.1f}" r="4" fill="{colour}"/>')
        across, high = NAME * math.cos(angle), NAME * math.sin(angle)
        parts.append(svg_text(x + across, y - high + 4, name, "", "middle"))
    parts += [svg_text(x, HIGH - 20, one.speed, "quiet", "middle"), svg_text(x, HIGH - 4, one.score, "", "middle")]
    return f'<svg viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" aria-hidden="true">{"".join(parts)}</svg>'


def _apart(angles: Sequence[float]) -> list[float]:
    """Return where round the dial the names of its two hands stand: at their angles, or far enough apart."""
    first, second = angles
    between = math.remainder(second - first, math.tau)
    lacking = math.copysign(max(NEAR - abs(between), 0), between) / 2
    return [first - lacking, second + lacking]


def signed_curve(
    x: ArrayLike, y: ArrayLike, here: float, title: str, axis: str, n_beside: int = 1, narrow: bool = False
) -> str:
    """Draw values above and below 0 over whole numbers, with a large point where the reader is.

    The page shows the one that fits, the wide or the narrow: both are to be drawn.

    Parameters
    ----------
    x, y : (n,) array_like
    here : float
        An entry of `x`.
    title, axis : str
        Above the curve, and under it.
    n_beside : int, optional
        Dials in the same line: the more, the narrower the curve.
    narrow : bool, optional
        For a phone: all of it in its width, the point in sight.

    Examples
    --------
    >>> signed_curve([-1, 0, 1], [0.5, 1.0, -0.5], 0, "score", "distance").count("<circle")
    4
    """
    places = [(float(a), float(b)) for a, b in zip(list(x), list(y))]  # type: ignore[arg-type]
    width, height = NARROW if narrow else max(LEAST, CURVE - n_beside * WIDE), HIGH
    step = FAR_TICK if narrow else TICK
    largest = max([1.0, *(abs(b) for _, b in places)])
    low, high = places[0][0], places[-1][0]

    def at(a: float, b: float) -> tuple[float, float]:
        across = LEFT + (width - LEFT - RIGHT) * (a - low) / (high - low)
        return across, TOP + (height - TOP - BOTTOM) * (1 - b / largest) / 2

    points = [at(a, b) for a, b in places]
    parts = [svg_text(LEFT, 14, title)]
    for value in (largest, 0, -largest):
        y_ = at(low, value)[1]
        parts.append(f'<line class="axis" x1="{LEFT}" y1="{y_:.1f}" x2="{width - RIGHT}" y2="{y_:.1f}"/>')
        parts.append(svg_text(LEFT - 4, y_ + 4, f"{value:.3g}".replace("-", "−"), "quiet", "end"))
    for tick in range(math.ceil(low / step) * step, int(high) + 1, step):
        parts.append(svg_text(at(tick, 0)[0], height - 19, whole_text(tick), "quiet", "middle"))
    parts.append(svg_text(width / 2, height - 4, axis, "quiet", "middle"))
    parts.append(f'<polyline class="line" points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in points)}"/>')
    parts += [] if narrow else [f'<circle class="dot" cx="{a:.1f}" cy="{b:.1f}" r="1.8"/>' for a, b in points]
    a, b = points[[a for a, _ in places].index(here)]
    parts.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="6" fill="{COLOURS[0]}"/>')
    kind = "narrow" if narrow else "wide"
    size = f'viewBox="0 0 {width} {height}" width="{width}" style="max-width: {width}px"'
    return f'<svg class="curve {kind}" {size} aria-hidden="true">{"".join(parts)}</svg>'
