"""What a box of controls needs on the page: its keys, its language, names of its controls, words after a change,
results that wait for an answer, and a sentence where its kernel is gone.
"""

import html

import anywidget
import ipywidgets
import traitlets

from .._words import _
from .assets import script, style_sheet

# Shown by the page itself, which marks every widget whose kernel is gone: Python can no longer say it.
GONE = """
.attention-gone { display: none; }
.attention-gone.jupyter-widgets-disconnected { display: block; font-weight: 600; }
.attention-keys.jupyter-widgets-disconnected::before,
.attention-keys .jupyter-widgets-disconnected::before { content: none; }  /* one sentence in place of many signs */
"""


class Keys(anywidget.AnyWidget):
    """Does this for the box `.attention-keys` around it; reads out what `.lab-says` says. Shows nothing."""

    _esm = script("keys")
    _css = style_sheet("keys")

    _lang = traitlets.Unicode().tag(sync=True)
    _words = traitlets.Dict().tag(sync=True)

    def __init__(self) -> None:
        words = {
            "asked": _("Answer the question above, and the result appears here."),
            "untried": _("Try it yourself first. When you want to compare, the result is here."),
            "show": _("Show it anyway"),
        }
        super().__init__(_lang=_("en"), _words=words)  # a translation gives its own language


def furnish(box: ipywidgets.Box, style: str = "") -> None:
    """Let a box of controls keep its keys, wear a style sheet of its own, and say where its kernel is gone."""
    box.add_class("attention-keys")
    box.children = (_gone_line(style), *box.children, Keys())


def _gone_line(style: str) -> ipywidgets.HTML:
    sentence = _(
        "The kernel that this belongs to is gone, so it no longer answers. "
        "It stands here as it was left; to go on, run the cells from the top of the notebook down to this one."
    )
    line = ipywidgets.HTML(f'<style>{GONE}{style}</style><div role="alert">{html.escape(sentence)}</div>')
    line.add_class("attention-gone")
    return line
