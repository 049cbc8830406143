"""Small live pictures beside a view, as HTML or SVG; their colours are in `attention_lib/live/css/keys.css`."""

import html
from collections.abc import Sequence


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


def svg_text(x: float, y: float, words: str, name: str = "", anchor: str = "start") -> str:
    """Write words at a place of an SVG; `name` is their class.

    Examples
    --------
    >>> svg_text(1, 2, "q < k")
    '<text class="" x="1.0" y="2.0" text-anchor="start">q &lt; k</text>'
    """
    return f'<text class="{name}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(words)}</text>'
