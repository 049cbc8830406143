"""How large is a KV cache: start from a published model, then change its heads, its window, its tokens.

`SizeModel` is plain; `CacheSize` passes values.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import ipywidgets

from ..analysis.costs import CacheShape, kind_of
from ..examples.stored_costs import load_model_shapes
from ..view.controls import WRAP, GoalLine, NumberSlider, Sentence, choice
from ..view.history import Reversible
from ..view.lab import Lab
from ..view.pictures import bar_chart

MOST_TOKENS = 2**17
BYTES = {4: "4 (float32)", 2: "2 (float16, bfloat16)", 1: "1 (8-bit)"}
STARTED = 4096  # tokens shown first
WIDTH = "27em"  # of a control: room for its words in Presentation Mode too

EIGHTH = 8  # the goal: one part in so many of the published cache

MESSAGES = {
    "goal": "Goal: make your cache an eighth of the published one, {target} or less. Now {now}.",
    "reached": "Goal reached: {now}, an eighth of the published cache or less.",
    "token": "One token: 2 × {n_layers} layers × {n_kv_heads} key/value heads × {d_k} numbers × {bytes} bytes "
    "= {total}.",
    "latent": "One token: {n_layers} layers × {latent} numbers × {bytes} bytes = {total} "
    "(a latent in place of keys and values).",
    "cache": "Tokens: {n:,}. Cache: {total}.",
    "window": "Tokens: {n:,}, of which the window keeps {kept:,}. Cache: {total}.",
    "against": "{name} as published: {total}. As MHA without a window, 2 bytes a number: {plain}.",
    "all": "all tokens",
    "of a latent": "made from a latent",
    "own heads": "Keys and values are now kept themselves, the latent is gone; undo brings it back.",
    "plain": "MHA",
    "published": "as published",
    "yours": "your setting",
    "still": "The cache of {n:,} tokens, in MiB: {name}",
    "text": "CacheSize: {name}, {n:,} tokens, {total}",
}
LABELS = {
    "kv": "key/value heads",
    "window": "window",
    "tokens": "tokens",
    "bytes": "bytes in a number",
}


def readable(n_bytes: float) -> str:
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


@dataclass(frozen=True)
class SizeState:
    """A published shape, what the reader made of it, and a number of tokens."""

    published: CacheShape
    shape: CacheShape
    n_tokens: int = STARTED


class SizeModel(Reversible[SizeState]):
    """A shape, what it is measured against, and the way back."""

    def __init__(self, name: str = "Llama-2-7B", n_tokens: int = STARTED) -> None:
        self.models = {model.name: model for model in load_model_shapes()}
        super().__init__(SizeState(self.models[name], self.models[name], n_tokens))

    def start_from(self, name: str) -> None:
        """Begin with a published model; the number of tokens stays."""
        self.load(replace(self.state, published=self.models[name], shape=self.models[name]))

    @property
    def preset(self) -> str | None:
        """The model that is shown as it was published; None where the reader has gone on."""
        state = self.state
        return state.published.name if state.shape == state.published else None

    @property
    def shape(self) -> CacheShape:
        """The shape as it is now."""
        return self.state.shape

    def change(self, gesture: object = None, **changes: Any) -> None:
        """Change heads, window or bytes; a change of heads also puts keys and values in place of a latent."""
        if "n_kv_heads" in changes and changes["n_kv_heads"] != self.shape.n_kv_heads:
            changes["latent"] = None
        self._go(replace(self.state, shape=replace(self.shape, **changes)), gesture)

    def set_tokens(self, n_tokens: int, gesture: object = None) -> None:
        """Change the number of tokens."""
        self._go(replace(self.state, n_tokens=n_tokens), gesture)

    def head_choices(self) -> list[int]:
        """Return the numbers of key/value heads that divide the query heads, fewest first."""
        n = self.state.published.n_heads
        return [h for h in range(1, n + 1) if n % h == 0]

    def kind(self) -> str:
        """Return how the query heads share what is kept."""
        if self.shape.latent is not None:
            return MESSAGES["of a latent"]
        return kind_of(self.state.published.n_heads, self.shape.n_kv_heads)

    def plain(self) -> CacheShape:
        """Return the published shape as MHA without window or latent, in 2 bytes."""
        published = self.state.published
        return replace(published, n_kv_heads=published.n_heads, window=None, latent=None, bytes_per_number=2)

    def lines(self) -> list[str]:
        """Say the bytes of one token and of the cache, and what they are measured against."""
        shape, published, n = self.shape, self.state.published, self.state.n_tokens
        told = {
            "n_layers": shape.n_layers, "n_kv_heads": shape.n_kv_heads, "d_k": shape.d_k, "latent": shape.latent,
            "bytes": shape.bytes_per_number, "total": readable(shape.bytes_per_token()),
        }  # fmt: skip
        kept = n if shape.window is None else min(n, shape.window)
        total = readable(shape.cache_bytes(n))
        measured, plain = readable(published.cache_bytes(n)), readable(self.plain().cache_bytes(n))
        return [
            MESSAGES["token" if shape.latent is None else "latent"].format(**told),
            MESSAGES["cache" if kept == n else "window"].format(n=n, kept=kept, total=total),
            MESSAGES["against"].format(name=published.name, total=measured, plain=plain),
        ]

    def goal_texts(self) -> list[str]:
        """Say how far the goal is; then what is said before it is reached, or from there on."""
        n, published = self.state.n_tokens, self.state.published.cache_bytes(self.state.n_tokens)
        now = self.shape.cache_bytes(n)
        reached = EIGHTH * now <= published
        told = {"target": readable(published / EIGHTH), "now": readable(now)}
        return [MESSAGES[name].format(**told) for name in (("reached", "goal") if reached else ("goal", "reached"))]

    def bars(self) -> dict[str, int]:
        """Return what is compared, in bytes."""
        state = self.state
        compared = {"plain": self.plain(), "published": state.published, "yours": state.shape}
        return {MESSAGES[name]: shape.cache_bytes(state.n_tokens) for name, shape in compared.items()}


class CacheSize(Lab):
    """Sliders for the size of a KV cache.

    Parameters
    ----------
    name : str, optional
        The published model that is shown first.
    n_tokens : int, optional
        Tokens in the cache at first.
    """

    model: SizeModel

    def __init__(self, name: str = "Llama-2-7B", n_tokens: int = STARTED) -> None:
        self.model = SizeModel(name, n_tokens)
        state = self.model.state
        self._make_common({name: name for name in self.model.models}, width=WIDTH)
        self._kv = NumberSlider(LABELS["kv"], 1, on_change=self._setter("n_kv_heads"), among=[1])
        self._window = NumberSlider(
            LABELS["window"], MOST_TOKENS, 1, MOST_TOKENS, self._set_window,
            n_steps=17, ratios=True, words={MOST_TOKENS: MESSAGES["all"]}, box_width="7em",
        )  # fmt: skip
        self._tokens = NumberSlider(
            LABELS["tokens"], state.n_tokens, 1, MOST_TOKENS, self._set_tokens,
            n_steps=17, ratios=True, box_width="6em",
        )  # fmt: skip
        self._bytes = choice(LABELS["bytes"], BYTES, 2, WIDTH)
        self._bytes.observe(self._heard(self._setter("bytes_per_number")), "value")
        self._lines, self._kind = Sentence("cache-size-lines", says=True), Sentence("cache-size-kind")
        self._goal, self._bars = GoalLine(), ipywidgets.HTML()
        first = ipywidgets.HBox([self._preset, self._bytes, self._tools(*self.buttons.values())], layout=WRAP)
        second = ipywidgets.HBox([self._kv, self._kind, self._window, self._tokens], layout=WRAP)
        # What is said has a line of its own; a long one lies over the goal, which nobody operates.
        self._begin("cache-size", [first, self._message, self._goal, second, self._lines, self._bars])

    def _setter(self, field: str) -> Callable[..., None]:
        def change(value: Any, gesture: object = None) -> None:
            self.model.change(gesture, **{field: value})
            left = self.model.state.published.latent and self.model.shape.latent is None
            self._refresh(said=MESSAGES["own heads"] if left and field == "n_kv_heads" else "")

        return change

    def _set_window(self, n: int, gesture: object) -> None:
        self.model.change(gesture, window=None if n == MOST_TOKENS else n)
        self._refresh()

    def _set_tokens(self, n: int, gesture: object) -> None:
        self.model.set_tokens(n, gesture)
        self._refresh()

    def _draw(self, changed: bool) -> None:
        values = self.model.bars()
        self._bars.value = bar_chart(values, [readable(n_bytes) for n_bytes in values.values()], MESSAGES["yours"])

    def _follow(self) -> None:
        shape = self.model.shape
        self._kv.fit(shape.n_kv_heads, among=self.model.head_choices())
        self._kind.say(self.model.kind())
        self._bytes.value = shape.bytes_per_number
        self._window.show(shape.window or MOST_TOKENS)
        self._tokens.show(self.model.state.n_tokens)
        self._goal.say(*self.model.goal_texts())
        self._lines.say(*self.model.lines())

    def still_figure(self) -> Any:
        """Draw the bars as they are now; the reader's own only where it is another shape than the published one."""
        from .. import plots

        state, bars = self.model.state, self.model.bars()
        if self.model.preset is not None:
            del bars[MESSAGES["yours"]]
        title = MESSAGES["still"].format(n=state.n_tokens, name=state.published.name)
        heights = {"MiB": [n_bytes / 2**20 for n_bytes in bars.values()]}
        return plots.bars(list(bars), heights, title=title, x_label="cache", y_label="MiB", digits=0)

    def still_text(self) -> str:
        """Say the setting and its bytes."""
        state = self.model.state
        total = readable(state.shape.cache_bytes(state.n_tokens))
        return MESSAGES["text"].format(name=state.published.name, n=state.n_tokens, total=total)
