"""Small live pictures beside a view, written as HTML or SVG: bars and a curve.

Each takes numbers and finished words, and says in words what it shows to those who listen. Their colours stand in
`attention_lib/view/css/pictures.css`, which the box around brings: a style sheet inside them would be read anew at each
change.
"""

import html
from collections.abc import Mapping, Sequence


def bar_chart(values: Mapping[str, float], said: Sequence[str], strong: str | None = None) -> str:
    """Draw bars from one line on, each with its name before and its value, in words, behind it.

    Parameters
    ----------
    values : mapping of str to float
        None below 0. The largest is the longest bar.
    said : sequence of str
        What stands behind each bar.
    strong : str, optional
        The one whose name and value are set in bold.

    Examples
    --------
    >>> "--long: 0.5000" in bar_chart({"a": 2.0, "b": 1.0}, ["2", "1"])
    True
    """
    largest = max(values.values()) or 1.0
    return bars([(name, f"{value / largest:.4f}", text) for (name, value), text in zip(values.items(), said)], strong)


def bars(rows: Sequence[tuple[str, str, str]], strong: str | None = None) -> str:
    """Draw bars: for each its name, its length beside the longest (0 to 1), and its value in words.

    Examples
    --------
    >>> bars([("a", "0.5", "one half")])
    "<div class='attention-bars'><span>a</span><span><i style='--long: 0.5'></i>one half</span></div>"
    """
    drawn = []
    for name, length, text in rows:
        weight = " class='strong'" if name == strong else ""
        bar = f"<i style='--long: {length}'></i>"
        drawn.append(f"<span{weight}>{html.escape(name)}</span><span{weight}>{bar}{html.escape(text)}</span>")
    return f"<div class='attention-bars'>{''.join(drawn)}</div>"


def curve(
    values: Sequence[float],
    here: int,
    title: str,
    ends: tuple[str, str],
    width: int = 320,
    at: Sequence[float] | None = None,
) -> str:
    """Draw a curve from 0 up, with a point where the reader is.

    Parameters
    ----------
    values : sequence of float
    here : int
        The place of the point.
    title : str
        Above the curve, and read out.
    ends : (str, str)
        What stands under both ends of the axis.
    at : sequence of float, optional
        Where on the axis each value stands, 0 to 1. Default: evenly from end to end.

    Examples
    --------
    >>> curve([1.0, 0.5], 1, "loss", ("0", "1")).count("<circle")
    1
    """
    height, top, bottom = 120, 22, 18
    largest = max(values) or 1.0
    at = [i / max(len(values) - 1, 1) for i in range(len(values))] if at is None else at
    long, high = width - 10, height - top - bottom
    places = [(5 + long * share, top + high * (1 - value / largest)) for share, value in zip(at, values, strict=True)]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    x, y = places[here]
    axis = height - bottom
    return _svg(
        width,
        height,
        title,
        f'<text x="5" y="14">{html.escape(title)}</text>'
        f'<line class="axis" x1="5" y1="{axis}" x2="{width - 5}" y2="{axis}"/>'
        f'<polyline class="line" points="{points}"/><circle class="here" cx="{x:.1f}" cy="{y:.1f}" r="5"/>'
        f'<text x="5" y="{height - 4}">{html.escape(ends[0])}</text>'
        f'<text x="{width - 5}" y="{height - 4}" text-anchor="end">{html.escape(ends[1])}</text>',
    )


def svg_text(x: float, y: float, words: str, name: str = "", anchor: str = "start") -> str:
    """Write words at a place of an SVG; `name` is their class.

    Examples
    --------
    >>> svg_text(1, 2, "q < k")
    '<text class="" x="1.0" y="2.0" text-anchor="start">q &lt; k</text>'
    """
    return f'<text class="{name}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(words)}</text>'


def _svg(width: int, height: int, said: str, inside: str) -> str:
    label = html.escape(said, quote=True)
    box = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return f'<svg class="attention-svg" role="img" aria-label="{label}" {box}>{inside}</svg>'
