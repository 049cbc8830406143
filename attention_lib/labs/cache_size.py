"""How large is a KV cache: start from a published model, then change its heads, its window, its tokens.

`SizeModel` is plain; `CacheSize` passes values.
"""

import html
from dataclasses import replace
from typing import Any

import ipywidgets

from ..analysis.costs import CacheShape, kind_of
from ..examples.stored_costs import load_model_shapes
from ..view.controls import WIDE, WRAP, Lab, choice, make_buttons

TOKENS = [2**i for i in range(7, 18)]  # 128 to 131,072
BYTES = {4: "4 (float32)", 2: "2 (float16, bfloat16)", 1: "1 (8-bit)"}
STARTED = 4096  # tokens shown first
ALL = 0  # the window slider's value for "all tokens": a slider cannot hold None
BAR = 48  # characters of the longest bar
WIDTH = "27em"  # of a control: room for its words in Presentation Mode too

MESSAGES = {
    "token": "One token: 2 × {n_layers} layers × {n_kv_heads} key/value heads × {d_k} numbers × {bytes} bytes "
    "= {total}.",
    "latent": "One token: {n_layers} layers × {latent} numbers × {bytes} bytes = {total} "
    "(a latent in place of keys and values).",
    "cache": "{n:,} tokens: {total}.",
    "window": "{n:,} tokens, of which the window keeps {kept:,}: {total}.",
    "against": "{name} as published: {total}. As MHA without a window, 2 bytes a number: {plain}.",
    "all": "all tokens",
    "still": "The cache of {n:,} tokens, in MiB: {name}",
    "text": "CacheSize: {name}, {n:,} tokens, {total}",
}
LABELS = {
    "model": "start from",
    "kv": "key/value heads",
    "window": "window",
    "tokens": "tokens",
    "bytes": "bytes in a number",
    "reset": "reset",
}


def readable(n_bytes: int) -> str:
    """Write a number of bytes with the unit in which it is short.

    Examples
    --------
    >>> readable(131072), readable(2**31), readable(69120)
    ('128 KiB', '2 GiB', '67.5 KiB')
    """
    value, unit = float(n_bytes), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{value:.1f}".removesuffix(".0") + f" {unit}"


class SizeModel:
    """A published shape, what the reader made of it, and a number of tokens."""

    def __init__(self) -> None:
        self.models = {model.name: model for model in load_model_shapes()}
        self.n_tokens = STARTED
        self.load(next(iter(self.models)))

    def load(self, name: str) -> None:
        """Begin with a published model."""
        self.published = self.shape = self.models[name]

    def change(self, **changes: Any) -> None:
        """Change heads, window or bytes; a change of heads also puts keys and values in place of a latent."""
        if "n_kv_heads" in changes and changes["n_kv_heads"] != self.shape.n_kv_heads:
            changes["latent"] = None
        self.shape = replace(self.shape, **changes)

    def head_choices(self) -> list[int]:
        """Return the numbers of key/value heads that divide the query heads, most first."""
        n = self.published.n_heads
        return [h for h in range(n, 0, -1) if n % h == 0]

    def plain(self) -> CacheShape:
        """Return the published shape as MHA without window or latent, in 2 bytes."""
        return replace(self.published, n_kv_heads=self.published.n_heads, window=None, latent=None, bytes_per_number=2)

    def lines(self) -> list[str]:
        """Say the bytes of one token and of the cache, and what they are measured against."""
        shape, n = self.shape, self.n_tokens
        told = {
            "n_layers": shape.n_layers, "n_kv_heads": shape.n_kv_heads, "d_k": shape.d_k, "latent": shape.latent,
            "bytes": shape.bytes_per_number, "total": readable(shape.bytes_per_token()),
        }  # fmt: skip
        kept = n if shape.window is None else min(n, shape.window)
        total = readable(shape.cache_bytes(n))
        published, plain = self.published.cache_bytes(n), self.plain().cache_bytes(n)
        return [
            MESSAGES["token" if shape.latent is None else "latent"].format(**told),
            MESSAGES["cache" if kept == n else "window"].format(n=n, kept=kept, total=total),
            MESSAGES["against"].format(name=self.published.name, total=readable(published), plain=readable(plain)),
        ]

    def bars(self) -> dict[str, float]:
        """Return what is compared, in MiB."""
        n = self.n_tokens
        compared = {"MHA": self.plain(), "as published": self.published, "your setting": self.shape}
        return {name: shape.cache_bytes(n) / 2**20 for name, shape in compared.items()}


class CacheSize(Lab):
    """Sliders for the size of a KV cache."""

    def __init__(self) -> None:
        self.model = SizeModel()
        wide: dict[str, Any] = {"style": WIDE, "layout": {"width": WIDTH}}
        names = {name: name for name in self.model.models}
        self._model = choice(LABELS["model"], names, self.model.published.name, WIDTH)
        self._kv = ipywidgets.SelectionSlider(options=[("", 0)], description=LABELS["kv"], **wide)
        windows = [(f"{n:,}", n) for n in TOKENS[:-1]] + [(MESSAGES["all"], ALL)]
        self._window = ipywidgets.SelectionSlider(options=windows, value=ALL, description=LABELS["window"], **wide)
        self._tokens = ipywidgets.SelectionSlider(
            options=[(f"{n:,}", n) for n in TOKENS], value=STARTED, description=LABELS["tokens"], **wide
        )
        self._bytes = choice(LABELS["bytes"], BYTES, 2, WIDTH)
        self._reset = make_buttons(LABELS, "reset")["reset"]
        self._lines = ipywidgets.HTML()
        controls = [self._model, self._kv, self._window, self._tokens, self._bytes, self._reset]
        super().__init__([ipywidgets.HBox(controls, layout=WRAP), self._lines])
        self.add_class("cache-size")
        self._model.observe(self._load, "value")
        self._reset.on_click(self._load)
        self._kv.observe(self._change, "value")
        self._window.observe(self._change, "value")
        self._bytes.observe(self._change, "value")
        self._tokens.observe(self._change, "value")
        self._load(None)

    def _load(self, _: Any) -> None:
        self.model.load(self._model.value)
        shape, n_heads = self.model.shape, self.model.published.n_heads
        with self._quietly(), self.hold_sync():
            self._kv.options = [(f"{h} ({kind_of(n_heads, h)})", h) for h in self.model.head_choices()]
            self._kv.value, self._bytes.value = shape.n_kv_heads, shape.bytes_per_number
            self._window.value = shape.window or ALL
        self._refresh()

    def _change(self, _: Any) -> None:
        if self._busy:
            return
        self.model.n_tokens = self._tokens.value
        window = self._window.value or None
        self.model.change(n_kv_heads=self._kv.value, window=window, bytes_per_number=self._bytes.value)
        self._refresh()

    def _refresh(self) -> None:
        lines = [html.escape(line) for line in self.model.lines()]
        values = self.model.bars()
        largest = max(values.values())
        bars = [
            f"{name:13}{'█' * max(1, round(BAR * v / largest))} {readable(round(v * 2**20))}"
            for name, v in values.items()
        ]
        said = f'<div style="line-height: 1.5">{"<br>".join(lines)}</div>'
        self._lines.value = said + f"<pre>{html.escape(chr(10).join(bars))}</pre>"

    def still_figure(self) -> Any:
        """Draw the bars as they are now."""
        from .. import plots

        values = self.model.bars()
        title = MESSAGES["still"].format(n=self.model.n_tokens, name=self.model.published.name)
        heights = {"MiB": list(values.values())}
        return plots.bars(list(values), heights, title=title, x_label="cache", y_label="MiB", digits=0)

    def still_text(self) -> str:
        """Say the setting and its bytes."""
        total = readable(self.model.shape.cache_bytes(self.model.n_tokens))
        return MESSAGES["text"].format(name=self.model.published.name, n=self.model.n_tokens, total=total)
