"""Small live pictures beside a view, as HTML or SVG; their looks are in `attention_lib/live/css/keys.css`."""

import base64
import html
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from .._numbers import number_text
from .._words import _
from .palette import channels, palettes


def bars(rows: Sequence[tuple[str, str, str]], strong: str | None = None, press: str = "") -> str:
    """Draw bars: for each its name, its length beside the longest (0 to 1), and its value in words.

    With `press`, which says what a press does, each name is a button of a `Drawing`.
    """
    drawn = []
    for i, (name, length, text) in enumerate(rows):
        weight = " class='strong'" if name == strong else ""
        bar = f"<i style='--long: {length}'></i>"
        label = html.escape(name)
        if press:
            label = f"<button type='button' data-press='{i}' title='{html.escape(press)}'>{label}</button>"
        drawn.append(f"<span{weight}>{label}</span><span{weight}>{bar}{html.escape(text)}</span>")
    return f"<div class='attention-bars'>{''.join(drawn)}</div>"


def svg_text(x: float, y: float, words: str, name: str = "", anchor: str = "start") -> str:
    """Write words at a place of an SVG; `name` is their class."""
    return f'<text class="{name}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(words)}</text>'


def small_maps(maps: ArrayLike, shares: ArrayLike, chosen: tuple[int, int]) -> str:
    """Draw the maps of all heads in a grid, a row for each head; each is a button of a `Drawing`, with a bar beside it.

    Parameters
    ----------
    maps : (n_layers, n_heads, n, n) array_like
        Weights, 0 to 1.
    shares : (n_layers, n_heads) array_like
        How long the bar beside each map is, 0 to 1.
    chosen : (int, int)
        Layer and head of the open map.
    """
    maps = np.asarray(maps)
    layers, heads, n, _n = maps.shape
    whole = np.rint(255 * maps).astype(np.uint8).transpose(1, 2, 0, 3).reshape(heads * n, layers * n)
    layer_is, head_is = _("layer"), _("head")
    across, down = np.linspace(0, 1, layers), np.linspace(0, 1, heads)  # where a map is in the whole picture
    parts = ["<i></i>", *(f"<i>{layer}</i>" for layer in range(layers))]
    for (head, layer), share in np.ndenumerate(np.transpose(shares)):
        if layer == 0:
            parts.append(f"<i>{head}</i>")
        is_open = (layer, head) == chosen
        title = f"{layer_is} {layer}, {head_is} {head}: {number_text(share)}"
        state = f"aria-pressed='{str(is_open).lower()}' tabindex='{0 if is_open else -1}'"
        place = f"--column: {across[layer]:.2%}; --row: {down[head]:.2%}; --share: {share:.2%}"
        button = f"data-press='{head * layers + layer}' title='{title}' aria-label='{title}' style='{place}'"
        parts.append(f"<button type='button' {button} {state}><b></b><u></u></button>")
    label = html.escape(_("Small maps. Arrow keys go from one to the next and open it."), quote=True)
    picture = base64.b64encode(png_of(whole)).decode()
    style = f"--columns: {layers}; --rows: {heads}; --maps: url(data:image/png;base64,{picture})"
    grid = f"class='lab-toolbar' role='toolbar' aria-label='{label}' data-columns='{layers}' style='{style}'"
    axes = f"{layer_is} →, {head_is} ↓"
    return f"<div class='attention-theme small-maps'>{axes}<div {grid}>{''.join(parts)}</div></div>"


def png_of(places: NDArray[Any]) -> bytes:
    """Return bytes, (height, width), as a PNG: each is the place of a colour in the palette of weights."""
    image, file = Image.fromarray(places, "P"), io.BytesIO()
    image.putpalette([channel for colour in palettes()["sequential"][0] for channel in channels(colour)])
    image.save(file, "png")
    return file.getvalue()
