"""Small live pictures beside a view, written as HTML or SVG: bars, histograms.

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


def histograms(shares: Mapping[str, Sequence[float]], bins: Sequence[str], said: str, width: int = 1000) -> str:
    """Draw a histogram for each name, side by side on one scale: bars from one line, a word under some of them.

    Parameters
    ----------
    shares : mapping of str to sequence of float
        For each name, the share in each bin, 0 to 1.
    bins : sequence of str
        What each bin holds; the first, the middle and the last are written.
    said : str
        Read out.

    Examples
    --------
    >>> histograms({"1": [0.5, 0.5], "d_k": [0.0, 1.0]}, ["0", "1"], "two histograms").count("class='bar'")
    4
    """
    height, top, bottom, gap = 112, 20, 18, 30
    wide = (width - gap * (len(shares) - 1)) / len(shares)
    largest = max(max(values) for values in shares.values()) or 1.0
    base, parts = height - bottom, []
    for k, (name, values) in enumerate(shares.items()):
        left, step = k * (wide + gap), wide / len(values)
        parts.append(f'<text x="{left:.1f}" y="14" font-weight="700">{html.escape(name)}</text>')
        for i, value in enumerate(values):
            tall = (base - top) * value / largest
            parts.append(
                f"<rect class='bar' x='{left + step * i + 1:.1f}' y='{base - tall:.1f}' "
                f"width='{step - 2:.1f}' height='{tall:.1f}'><title>{html.escape(bins[i])}: {value:.0%}</title></rect>"
            )
        parts.append(f'<line class="axis" x1="{left:.1f}" y1="{base}" x2="{left + wide:.1f}" y2="{base}"/>')
        for i, anchor in ((0, "start"), (len(values) // 2, "middle"), (len(values) - 1, "end")):
            x = left + step * (i + {"start": 0, "middle": 0.5, "end": 1}[anchor])
            parts.append(f'<text x="{x:.1f}" y="{height - 4}" text-anchor="{anchor}">{html.escape(bins[i])}</text>')
    return _svg(width, height, said, "".join(parts))


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
