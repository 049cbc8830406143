"""The browser's part of the views: scripts and style sheets, each put together from small files.

A view brings along one script and one style sheet, and no build step joins them: they are joined here.
"""

from pathlib import Path

HERE = Path(__file__).parent


def script(*names: str) -> str:
    """Return scripts as one module, in this order; each may use the names of those before it."""
    return "\n".join((HERE / "js" / f"{name}.js").read_text(encoding="utf-8") for name in names)


def style_sheet(*names: str) -> str:
    """Return style sheets as one, in this order."""
    return "\n".join((HERE / "css" / f"{name}.css").read_text(encoding="utf-8") for name in names)
