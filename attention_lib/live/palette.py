"""The colours of the live views, and the text colour that reads on each.

The stops are ColorBrewer's Blues and PuOr, both safe for colour-blind readers,
and the same as those of the still pictures; a test holds them to matplotlib's.
They are written out here so that a live view needs no matplotlib.
"""

import functools

import numpy as np

BLUES = ["#f7fbff", "#deebf7", "#c6dbef", "#9ecae1", "#6baed6", "#4292c6", "#2171b5", "#08519c", "#08306b"]
PURPLE_ORANGE = [
    "#2d004b", "#542788", "#8073ac", "#b2abd2", "#d8daeb", "#f7f7f7",
    "#fee0b6", "#fdb863", "#e08214", "#b35806", "#7f3b08",
]  # fmt: skip
N_COLOURS = 256
ALIKE = 0.179  # luminance on which black and white read equally well


def channels(colour: str) -> tuple[int, int, int]:
    """Return red, green and blue, 0 to 255, of a colour such as "#f7fbff"."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def luminance(colour: str) -> float:
    """Return the relative luminance (0 to 1) as WCAG 2 defines it."""
    srgb = np.array(channels(colour)) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def text_on(background: str) -> str:
    """Return black or white, whichever reads better; the better one is never below 4.5 to 1."""
    return "#ffffff" if luminance(background) < ALIKE else "#000000"


def ramp(stops: list[str]) -> list[str]:
    """Return `N_COLOURS` colours that lie evenly along the stops."""
    rgb = np.array([channels(stop) for stop in stops])
    at = np.linspace(0, len(stops) - 1, N_COLOURS)
    mixed = np.stack([np.interp(at, np.arange(len(stops)), rgb[:, i]) for i in range(3)], axis=1)
    return ["#{:02x}{:02x}{:02x}".format(*row) for row in np.rint(mixed).astype(int)]


@functools.cache
def palettes() -> dict[str, list[list[str]]]:
    """Return, for each palette, its colours and the text colour on each of them."""
    ramps = {"sequential": ramp(BLUES), "diverging": ramp(PURPLE_ORANGE)}
    return {name: [colours, [text_on(colour) for colour in colours]] for name, colours in ramps.items()}
