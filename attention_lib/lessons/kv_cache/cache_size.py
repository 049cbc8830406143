"""How many conversations fit into the memory of a GPU, when each of them keeps a KV cache."""

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import ipywidgets

from ..._words import _
from ...examples.costs import CacheShape, kind_of, load_model_shapes
from ...live.controls import Sentence
from ...live.lab import Lab

MEMORY = 80 * 2**30  # bytes of the GPU
TIMES = 8  # the goal: so many times as many conversations as with the published shape
LEAST_SHARE = 1 / 8  # of its tokens, which each conversation has to keep
MOST_TILES = 1000  # more are not told apart; the largest guess
ASPECT = 2.5  # of the board, width / height
UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")
MODELS = {model.name: model for model in load_model_shapes()}
N_HEADS = 32  # query heads of each model without a latent


@dataclass(frozen=True)
class SizeState:
    """A published shape, what the reader makes of it, the tokens of a conversation, and the reader's guess."""

    published: CacheShape
    n_kv_heads: int
    window: int  # tokens that are kept; `n_tokens`: all
    full_every: int  # one layer of so many keeps all tokens; 0: none does
    bytes_per_number: int
    latent: int | None
    n_tokens: int
    guess: int = 100
    is_answered: bool = False


def as_published(name: str, n_tokens: int) -> SizeState:
    """Return the state with a model as it was published; a latent stands for the keys and values of all heads."""
    model = MODELS[name]
    window = n_tokens if model.window is None else min(model.window, n_tokens)
    n_kv_heads = model.n_kv_heads if model.latent is None else 1
    return SizeState(model, n_kv_heads, window, 0, model.bytes_per_number, model.latent, n_tokens)


def shape_of(state: SizeState) -> CacheShape:
    names = ("n_kv_heads", "window", "full_every", "bytes_per_number", "latent")
    numbers = {name: getattr(state, name) for name in names}
    return replace(state.published, **numbers)


def conversations(shape: CacheShape, n_tokens: int) -> int:
    """Return how many caches of `n_tokens` fit into the memory."""
    return MEMORY // shape.cache_bytes(n_tokens)


def readable(n_bytes: float) -> str:
    """Write a number of bytes with the unit in which it is short.

    Examples
    --------
    >>> readable(131072), readable(2**31), readable(69120)
    ('128 KiB', '2 GiB', '67.5 KiB')
    """
    power = int(math.log2(n_bytes)) // 10  # of 1024
    return f"{n_bytes / 1024**power:.1f}".removesuffix(".0") + f" {UNITS[power]}"


def columns_and_rows(n: int) -> tuple[int, int]:
    """Return how many of n tiles stand in a row, and how many rows there are, with as few empty places as possible."""
    near = round(math.sqrt(n / ASPECT))
    rows = min(range(max(near - 1, 1), near + 2), key=lambda rows: -n % rows)
    return math.ceil(n / rows), rows


def board(n: int, before: int, kind: str) -> str:
    """Cut the memory into n tiles, which come from the size of `before` tiles."""
    (columns, rows), (old_columns, old_rows) = columns_and_rows(n), columns_and_rows(before)
    sizes = f"--columns: {columns}; --rows: {rows}; --old-columns: {old_columns}; --old-rows: {old_rows}"
    return f"<div class='size-board {kind}' style='{sizes}'>{'<i></i>' * n}</div>"


class CacheSize(Lab):
    """The lab: guess how many conversations of `n_tokens` fit, then make room for more. `name` is the first model.

    Examples
    --------
    >>> lab = CacheSize("Llama-2-7B", n_tokens=8192)
    >>> lab.answer.click()
    >>> lab.heads.value, lab.window.box.value = 8, "4096"
    >>> lab.goal.text
    'Goal reached: 160 conversations fit, and not 20.'
    """

    def __init__(self, name: str = "Llama-2-7B", n_tokens: int = 4096) -> None:
        self.presets = {name: (name, as_published(name, n_tokens)) for name in MODELS}
        super().__init__(name)

    def controls(self) -> list[Any]:
        self.guess = self.number(_("your guess"), 1, MOST_TILES, "guess", n_steps=20, ratios=True, width="19em")
        self.answer = self.button(_("Fill the memory"), partial(replace, is_answered=True))
        self.answer.button_style = "primary"
        heads = {n: str(n) for n in range(1, N_HEADS + 1) if N_HEADS % n == 0}
        self.heads = self.menu(_("key/value heads"), heads, "n_kv_heads", width="12em")
        most = self.state.n_tokens
        tokens: Any = {"n_steps": round(math.log2(most)), "ratios": True}
        self.window = self.number(_("tokens kept"), 1, most, "window", width="13em", box_width="4.8em", **tokens)
        return [self.guess, self.answer, self.heads, self.window]

    def more(self) -> list[Any]:
        names = {4: _("4 (float32)"), 2: _("2 (float16)"), 1: _("1 (8 bits)")}
        self.bytes = self.menu(_("bytes per number"), names, "bytes_per_number", width="18em")
        patterns = {0: _("in every layer"), 6: _("in five of six layers"), 2: _("in every second layer")}
        self.patterns = self.menu(_("tokens are dropped"), patterns, "full_every", width="21em")
        return [self.bytes, self.patterns]

    def picture(self) -> list[Any]:
        self.board, self.line = ipywidgets.HTML().add_class("size-memory"), Sentence("lab-line", says=True)
        self.n_tiles = 1
        return [self.board, self.line]

    def tell(self, state: SizeState) -> None:
        shape, published, n = shape_of(state), state.published, state.n_tokens
        for control in (self.guess, self.answer):
            control.layout.display = "none" if state.is_answered else ""
        self.window.layout.display = "" if state.is_answered else "none"
        has_heads = state.is_answered and state.latent is None
        self.heads.layout.display = "" if has_heads else "none"
        now, then = conversations(shape, n), conversations(published, n)
        least = int(n * LEAST_SHARE)
        words: dict[str, Any] = {"name": published.name, "n": n, "guess": state.guess, "least": least}
        words |= {"now": now, "then": then, "wanted": TIMES * then}
        is_reached = state.is_answered and now >= words["wanted"] and shape.kept_tokens(n) >= least
        line = self._size_of(shape, n)
        if not state.is_answered:
            goal = _("How many conversations of {n:,} tokens with {name} fit into 80 GiB?")
            line = _("One tile is one conversation: {size}, if your guess is right. The model has {layers} layers.")
            line = line.format(layers=published.n_layers, size=readable(MEMORY / state.guess))
        elif is_reached:
            goal = _("Goal reached: {now:,} conversations fit, and not {then}.")
        elif now >= words["wanted"]:
            goal = _("{now:,} fit, but each forgets too much: keep at least {least:,} of its {n:,} tokens.")
        elif now == state.guess == then:
            goal = _("You guessed it: there is room for {now:,}. Make room for {wanted:,}: move a slider.")
        elif now == then:
            goal = _("There is room for {now:,}; you guessed {guess}. Make room for {wanted:,}: move a slider.")
        else:
            goal = _("There is room for {now:,}. Make room for {wanted:,}.")
        self.say_goal(is_reached, goal.format(**words))
        few = _("The picture has room for {most:,} of them.").format(most=MOST_TILES) if now > MOST_TILES else ""
        self.line.say(f"{line} {few}" if state.is_answered else line)
        kind = "size-guess" if not state.is_answered else "" if now else "size-none"
        n_tiles = min(max(now, 1), MOST_TILES) if state.is_answered else state.guess
        self.board.value, self.n_tiles = board(n_tiles, self.n_tiles, kind), n_tiles

    def _size_of(self, shape: CacheShape, n: int) -> str:
        """Say what the cache of one conversation takes, and how that comes."""
        numbers: dict[str, Any] = {"layers": shape.n_layers, "bytes": shape.bytes_per_number}
        kept, heads = round(shape.kept_tokens(n)), shape.n_kv_heads
        numbers["kept"] = _("1 token") if kept == 1 else _("{n:,} tokens").format(n=kept)
        numbers["heads"] = _("1 key/value head") if heads == 1 else _("{n} key/value heads").format(n=heads)
        numbers |= {"size": readable(shape.cache_bytes(n)), "d_k": shape.d_k}
        if shape.latent is not None:
            text = _("One takes {size}: {layers} layers × {kept} × a latent of {latent} × {bytes} bytes.")
            return text.format(latent=shape.latent, **numbers)
        text = _("One takes {size}, {kind}: 2 × {layers} layers × {kept} × {heads} × {d_k} numbers × {bytes} bytes.")
        return text.format(kind=kind_of(shape.n_heads, shape.n_kv_heads), **numbers)

    def still_figure(self) -> Any:
        from ... import plots

        counts = {"conversations": [conversations(model, self.start.n_tokens) for model in MODELS.values()]}
        labels: Any = {"x_label": _("model"), "y_label": _("conversations"), "digits": 0}
        return plots.bars(list(MODELS), counts, title=self.still_title(), **labels)

    def still_title(self) -> str:
        return _("Conversations of {n:,} tokens whose caches fit into 80 GiB").format(n=self.start.n_tokens)
