"""The browser's part of the views: scripts and style sheets, each put together from small files.

A view brings along one script and one style sheet, and no build step joins them: they are joined here.
"""

import re
from importlib import resources

HERE = resources.files(__package__)
FONT = resources.files("attention_lib").joinpath("fonts", "AttentionHangul-Regular.ttf")
IMPORT = re.compile(r'^import \{[^{}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)
TYPES = re.compile(r"^ */\*\*(?:[^*]|\*(?!/))*\*/\n", re.MULTILINE)  # what only the type checker reads
EXPORT = re.compile(r"^export default .*;\n|^export ", re.MULTILINE)


def script(entry: str) -> str:
    """Return a module with all that it imports, as one module that imports nothing.

    Each file stands once, after those it needs, without its imports and its types; only what the entry
    exports is exported. All names share one scope, so no two files may give the same name to different things.
    An import has the form `import { a, b } from` a file beside it.
    """
    order: list[str] = []
    _follow(entry, order)
    return "\n".join(_plain(name, keep_exports=name == entry) for name in order)


def style_sheet(*names: str) -> str:
    """Return style sheets as one, in this order."""
    return "\n".join(HERE.joinpath("css", f"{name}.css").read_text(encoding="utf-8") for name in names)


def font() -> bytes:
    """Return the library's font of Hangul, for a page that has none."""
    return FONT.read_bytes()


def _source(name: str) -> str:
    return HERE.joinpath("js", f"{name}.js").read_text(encoding="utf-8")


def _follow(name: str, order: list[str]) -> None:
    """Append to `order` what a file imports, then the file; those that are there already are left out."""
    for needed in IMPORT.findall(_source(name)):
        if needed not in order:
            _follow(needed, order)
    order.append(name)


def _plain(name: str, *, keep_exports: bool) -> str:
    text = TYPES.sub("", IMPORT.sub("", _source(name)))
    return text if keep_exports else EXPORT.sub("", text)
