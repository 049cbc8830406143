"""How large is a KV cache: an area, as wide as the tokens that are kept and as high as the bytes of each."""

from dataclasses import dataclass, replace
from typing import Any

import ipywidgets

from .._words import _
from ..examples.costs import CacheShape, kind_of, load_model_shapes
from ..view.controls import Sentence
from ..view.lab import Lab

MOST_TOKENS = 2**17
STARTED = 4096  # tokens shown first
EIGHTH = 8  # the goal: one part in so many of the published cache
MODELS = {model.name: model for model in load_model_shapes()}


@dataclass(frozen=True)
class SizeState:
    """A published shape, what the reader makes of it, and a number of tokens."""

    published: CacheShape
    n_kv_heads: int
    window: int  # tokens that are kept; `MOST_TOKENS`: all
    bytes_per_number: int
    latent: int | None
    n_tokens: int


def as_published(name: str, n_tokens: int) -> SizeState:
    """Return the state with a model as it was published."""
    model = MODELS[name]
    window = MOST_TOKENS if model.window is None else model.window
    return SizeState(model, model.n_kv_heads, window, model.bytes_per_number, model.latent, n_tokens)


def shape_of(state: SizeState) -> CacheShape:
    """Return the reader's shape."""
    window = None if state.window == MOST_TOKENS else state.window
    return replace(
        state.published,
        n_kv_heads=state.n_kv_heads,
        window=window,
        bytes_per_number=state.bytes_per_number,
        latent=state.latent,
    )


def kept_tokens(shape: CacheShape, n_tokens: int) -> int:
    """Return how many of the tokens the cache keeps."""
    return n_tokens if shape.window is None else min(n_tokens, shape.window)


def with_heads(state: SizeState, n_kv_heads: int) -> SizeState:
    """Return the state with other key/value heads: keys and values are kept, and no latent in their place."""
    return replace(state, n_kv_heads=n_kv_heads, latent=None)


def choices_of(published: CacheShape) -> list[int]:
    """Return the numbers of key/value heads that divide the query heads, fewest first."""
    return [h for h in range(1, published.n_heads + 1) if published.n_heads % h == 0]


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


class CacheSize(Lab):
    """The size of a KV cache as an area, beside that of a published model.

    Parameters
    ----------
    name : str, optional
        The published model that is shown first.
    n_tokens : int, optional
        Tokens in the text at first.

    Examples
    --------
    >>> lab = CacheSize("Llama-2-7B", n_tokens=8192)
    >>> lab.heads.box.value, lab.window.box.value = "8", "4096"
    >>> lab.size.text, lab.goal.text
    ('512 MiB', 'Goal reached: your cache takes 512 MiB, an eighth of the published 4 GiB or less.')
    """

    def __init__(self, name: str = "Llama-2-7B", n_tokens: int = STARTED) -> None:
        if name not in MODELS:
            raise ValueError(f"there is no model {name!r}; the models are {', '.join(MODELS)}")
        self.presets = {name: (name, as_published(name, n_tokens)) for name in MODELS}
        super().__init__(as_published(name, n_tokens))

    def controls(self) -> list[Any]:
        short: Any = {"among": choices_of(self.state.published), "width": "12em", "box_width": "3.6em"}
        self.heads = self.number(_("heads"), 1, 1, "n_kv_heads", with_heads, **short)
        tokens: Any = {"n_steps": 17, "ratios": True, "words": {MOST_TOKENS: _("all")}, "box_width": "5.6em"}
        self.window = self.number(_("tokens kept"), 1, MOST_TOKENS, "window", width="14.5em", **tokens)
        return [self.heads, self.window]

    def more(self) -> list[Any]:
        tokens: Any = {"n_steps": 17, "ratios": True, "width": "17em", "box_width": "5.6em"}
        self.tokens = self.number(_("tokens in the text"), 1, MOST_TOKENS, "n_tokens", **tokens)
        names = {4: _("4 (float32)"), 2: _("2 (float16)"), 1: _("1 (8 bits)")}
        self.bytes = self.menu(_("bytes per number"), names, "bytes_per_number", width="18em")
        return [self.tokens, self.bytes]

    def picture(self) -> list[Any]:
        self.size, self.share, self.name = Sentence("lab-big"), Sentence(), Sentence("size-name")
        self.bands = ipywidgets.HTML()  # one for each head
        self.area = ipywidgets.Box([self.bands]).add_class("size-area")
        self.outline = ipywidgets.Box().add_class("size-outline")
        said = ipywidgets.VBox([self.size, self.share]).add_class("size-said")
        board = ipywidgets.Box([self.area, self.outline, self.name, said]).add_class("size-board")
        self.height, self.width = Sentence(says=True), Sentence(says=True)
        return [self.height, board, self.width]

    def tell(self, state: SizeState) -> None:
        shape, published, n = shape_of(state), state.published, state.n_tokens
        heads = choices_of(published)
        if heads != self.heads.among:
            self.heads.fit(state.n_kv_heads, among=heads)
        now, then = shape.cache_bytes(n), published.cache_bytes(n)
        told = {"now": readable(now), "target": readable(then / EIGHTH), "then": readable(then)}
        reached = _("Goal reached: your cache takes {now}, an eighth of the published {then} or less.")
        goal = _("Make your cache an eighth as large: {target} or less instead of {then}. Move a slider.")
        self.goal.say((reached if EIGHTH * now <= then else goal).format(**told))
        self.size.say(readable(now))
        share = 100 * now / then
        text = f"{share:.3g}" if share >= 0.01 else _("less than 0.01")
        self.share.say(_("{share}% of {name}").format(share=text, name=published.name))
        self.bands.value = f"<i style='--bands: {shape.n_kv_heads if shape.latent is None else 1}'></i>"
        self.name.say(_("dashed: {name} as published, {then}").format(name=published.name, then=readable(then)))
        self.height.say(self._height_of(shape))
        kept = kept_tokens(shape, n)
        self.width.say(
            _("↔ {kept:,} of {n:,} tokens are kept. Together that makes {now}.").format(kept=kept, n=n, **told)
        )
        sides = [(kept_tokens(one, n), one.bytes_per_token()) for one in (shape, published)]
        widest, highest = (max(side) for side in zip(*sides))
        for box, (wide, high) in zip((self.area, self.outline), sides):
            box.layout.width, box.layout.height = f"{100 * wide / widest:.2f}%", f"{100 * high / highest:.2f}%"

    def _height_of(self, shape: CacheShape) -> str:
        told: dict[str, Any] = {
            "layers": shape.n_layers,
            "bytes": shape.bytes_per_number,
            "token": readable(shape.bytes_per_token()),
        }
        if shape.latent is not None:
            text = _("↕ One token, a latent: {layers} layers × {latent} numbers × {bytes} bytes = {token}")
            return text.format(latent=shape.latent, **told)
        told |= {"heads": shape.n_kv_heads, "d_k": shape.d_k, "kind": kind_of(shape.n_heads, shape.n_kv_heads)}
        text = _(
            "↕ One token, {kind}: 2 × {layers} layers × {heads} key/value heads × {d_k} numbers × {bytes} bytes "
            "= {token}"
        )
        return text.format(**told)

    def still_figure(self) -> Any:
        """Draw the cache as it is beside the published one, and beside the same model with a head each."""
        from .. import plots

        state, published = self.state, self.state.published
        plain = replace(published, n_kv_heads=published.n_heads, window=None, latent=None, bytes_per_number=2)
        shapes = {"MHA": plain, _("as published"): published}
        if shape_of(state) != published:
            shapes[_("your setting")] = shape_of(state)
        heights = {"MiB": [shape.cache_bytes(state.n_tokens) / 2**20 for shape in shapes.values()]}
        return plots.bars(list(shapes), heights, title=self.still_title(), x_label=_("cache"), y_label="MiB", digits=0)

    def still_title(self) -> str:
        told = {"n": self.state.n_tokens, "name": self.state.published.name}
        return _("The cache of {n:,} tokens, in MiB: {name}").format(**told)
