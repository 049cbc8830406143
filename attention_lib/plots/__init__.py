"""Still pictures: arrays and traces in, matplotlib figures out.

Every picture says in its title what to see, names its axes, reads in black and
white, and carries a description in words. Nothing here knows of widgets, and
importing it changes no global setting of matplotlib.
"""

from .. import _notebooks  # noqa: F401  (says what is missing)
from .._numbers import number_text
from .beam import beams
from .charts import bars, lines
from .diagrams import block, cached_steps, encoder_decoder, shared_heads
from .dials import dials
from .maps import colour_range, heatmap, heatmaps
from .picture import Picture, png
from .points import moved_points
from .words import describe, is_attention_map

__all__ = [
    "Picture",
    "bars",
    "beams",
    "block",
    "cached_steps",
    "colour_range",
    "describe",
    "dials",
    "encoder_decoder",
    "heatmap",
    "heatmaps",
    "is_attention_map",
    "lines",
    "moved_points",
    "number_text",
    "png",
    "shared_heads",
]
