"""The cache stepper: decode a sentence token by token and see what is reused, new and never needed.

`StepperModel` is plain: a setting, and what happens at each step. `CacheStepper`
shows it and passes on what the reader does.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import ipywidgets
import numpy as np
from numpy.typing import NDArray

from ..analysis.costs import kind_of
from ..examples.made_up_words import seeded
from ..examples.worked import load_example
from ..kv_cache import KVCache
from ..masks import sliding_window_mask
from ..multi_head import MultiHeadAttention
from ..view import palette
from ..view.controls import (
    WIDE,
    CodeBox,
    History,
    Lab,
    Sentence,
    choice,
    make_buttons,
    read_words,
    sentence_box,
)
from ..view.matrix_view import MatrixView
from ..view.panel import Category, Panel

N_HEADS, D_K = 4, 2  # of the reader's own sentences: few enough to see
D_MODEL = N_HEADS * D_K
MOST_TOKENS = 12
BOUND = 1e-12  # on |cached - full|: some hundred roundings of 1.1e-16, with numbers of about 1
ARTICLE = "article"  # the preset that takes Q, K and V as printed

REUSED, NEW, NEVER, AGAIN, NOT_YET = range(5)
CATEGORIES = [
    Category("reused", "R"),
    Category("new", "N"),
    Category("never needed", "x"),
    Category("again", "A"),
    Category("not yet", "·"),
]
ROW_NAMES = ["Q", "K", "V", "output"]

MESSAGES = {
    "own": "Your sentence. Its embeddings and projections are random numbers, the same each time.",
    "start": "Step 0 of {last}. The cache is empty. Press “forward”, or play.",
    "prefill": "Step {step} of {last}, prefill: {now} tokens at once. "
    "Their rows of Q, K and V are new; K and V go to the cache.",
    "decode": "Step {step} of {last}, decode {token}: one new row each of Q, K and V. "
    "Keys and values reused: those of {reused} tokens; outside the window: {dropped}.",
    "recompute": "Step {step} of {last}, {token}, without a cache: all {now} rows of Q, K and V are calculated; "
    "{again} of them for the second time or more.",
    "recompute_one": "Step {step} of {last}, {token}, without a cache: its row of Q, K and V is calculated. "
    "Nothing is calculated again yet.",
    "work": "Scores that this step makes, in each head: {made}. With a cache {cached}, recomputing everything {full}.",
    "gap": "max |cached − full|: {step_gap} in this step, {gap} so far (bound: {bound:.0e}).",
    "bytes": "Needed in the cache: {kept} tokens × {n_kv_heads} key/value heads × ({d_k} + {d_v}) numbers × 8 bytes "
    "= {bytes:,} bytes. "
    "As MHA without a window: {plain:,} bytes.",
    "no_cache": "Nothing is kept: 0 bytes. A cache would hold {bytes:,} bytes now.",
    "nothing_to_undo": "There is nothing left to undo.",
    "undone": "Undone.",
    "reset": "Back to the start. Undo brings your setting back.",
}
LABELS = {
    "preset": "start from",
    "sentence": "own sentence",
    "placeholder": "type words, then press Enter",
    "step": "step",
    "weights": "weights so far, of one head",
    "back": "◀ back",
    "forward": "forward ▶",
    "prompt": "prompt tokens",
    "window": "window",
    "kv": "key/value heads",
    "head": "head shown",
    "mode": "way",
    "undo": "undo",
    "reset": "reset",
    "code": "copy as code",
}
WAYS = {False: "with a KV cache", True: "recompute everything"}
STILL_TITLE = "One decoding step: the past brings keys and values, the new token everything else"
FIRST_SHOWN = 3  # the step that stands there first: late enough to have a past
TICK = 900  # milliseconds for a step of play
PRESETS = {
    "bae": "어제 밤에 배가 … · MHA, one token at a time",
    ARTICLE: "ChatGPT 는 뛰어나다 · article 003",
    "prefill": "어제 밤에 배가 … · a prompt of five tokens first",
    "gqa": "어제 밤에 배가 … · GQA, two key/value heads",
    "window": "어제 밤에 배가 … · MQA with a window of three",
    "recompute": "어제 밤에 배가 … · without a cache",
}


@dataclass(frozen=True)
class Setting:
    """What is decoded, and how.

    Attributes
    ----------
    tokens : tuple of str
    prompt : int
        Tokens of the first step, all at once.
    n_kv_heads : int
        Key/value heads; divides the number of heads.
    window : int or None
        Keys that a token sees, itself included; None = all.
    recompute : bool
        Show the decoder that has no cache.
    article : bool
        Take Q, K and V of article 003 in place of random projections.
    """

    tokens: tuple[str, ...]
    prompt: int = 1
    n_kv_heads: int = N_HEADS
    window: int | None = None
    recompute: bool = False
    article: bool = False

    @property
    def n_heads(self) -> int:
        """Query heads."""
        return 1 if self.article else N_HEADS


class Step(NamedTuple):
    """One step: how many tokens before and after it, and what came out."""

    before: int
    now: int
    weights: NDArray[Any]  # (h, now - before, now), of the decoder with a cache
    gap: float  # max |cached - full| of the new rows


def own_sentence(text: str) -> Setting:
    """Make a setting from a reader's sentence.

    Raises
    ------
    ValueError
        If the sentence is empty or longer than can be shown.
    """
    return Setting(read_words(text, MOST_TOKENS))


def preset(name: str) -> Setting:
    """Return the setting of a named preset.

    Raises
    ------
    ValueError
        If there is no such preset.
    """
    if name not in PRESETS:
        raise ValueError(f"there is no preset {name!r}; the presets are {', '.join(PRESETS)}")
    if name == ARTICLE:
        return Setting(load_example("kv_cache_three_tokens").tokens, n_kv_heads=1, article=True)
    setting = Setting(load_example("bae_hungry").tokens)
    changes: dict[str, dict[str, Any]] = {
        "prefill": {"prompt": 5},
        "gqa": {"n_kv_heads": 2},
        "window": {"n_kv_heads": 1, "window": 3},
        "recompute": {"recompute": True},
    }
    return replace(setting, **changes.get(name, {}))


def layer_of(setting: Setting) -> tuple[NDArray[Any], MultiHeadAttention]:
    """Return the embeddings (n, d_model) and the attention layer of a setting.

    The numbers depend on the words alone. For GQA and MQA, the key/value heads
    of a group are averaged, as Ainslie et al., "GQA", 2023, section 2.2, do.
    """
    if setting.article:  # X holds q, k and v side by side, and each W picks its own columns
        inputs = load_example("kv_cache_three_tokens").inputs
        X = np.hstack([inputs["Q"], inputs["K"], inputs["V"]])  # (3, 6)
        W_Q, W_K, W_V = np.split(np.eye(6), 3, axis=1)  # (6, 2) each
        return X, MultiHeadAttention(W_Q, W_K, W_V, np.eye(2), n_heads=1)
    X = np.array([seeded(word).standard_normal(D_MODEL) for word in setting.tokens])  # (n, d_model)
    W_Q, W_K, W_V, W_O = seeded("W").standard_normal((4, D_MODEL, D_MODEL)) / np.sqrt(D_MODEL)
    W_K, W_V = (_averaged(W, setting.n_kv_heads) for W in (W_K, W_V))  # (d_model, h_kv*d_k)
    return X, MultiHeadAttention(2 * W_Q, W_K, W_V, W_O, N_HEADS, setting.n_kv_heads)


def _averaged(W: NDArray[Any], n_kv_heads: int) -> NDArray[Any]:
    groups = W.reshape(D_MODEL, n_kv_heads, N_HEADS // n_kv_heads, D_K)
    return groups.mean(axis=2).reshape(D_MODEL, n_kv_heads * D_K)


def steps_of(setting: Setting) -> list[Step]:
    """Decode the whole sentence both ways; step 0 is before the first token."""
    X, layer = layer_of(setting)
    n = len(X)
    cache = KVCache(n, layer.n_kv_heads, layer.d_k, layer.d_v)
    steps = [Step(0, 0, np.zeros((layer.n_heads, 0, 0)), 0.0)]
    for before, now in zip([0, *range(setting.prompt, n)], range(setting.prompt, n + 1)):
        left = None if setting.window is None else setting.window - 1
        cached = layer(X[before:now], mask=sliding_window_mask(now - before, now, left=left), cache=cache)
        full = layer(X[:now], mask=sliding_window_mask(now, left=left))
        gap = np.abs(cached.output - full.output[before:]).max()
        steps.append(Step(before, now, cached.heads.weights, float(gap)))
    return steps


def allowed_pairs(n: int, window: int | None) -> NDArray[Any]:
    """Which query may see which key, for all n tokens: (n, n) of bool."""
    return sliding_window_mask(n, left=None if window is None else window - 1)


def row_states(n: int, before: int, now: int, window: int | None = None, recompute: bool = False) -> NDArray[Any]:
    """Say for each token what happens to its rows of Q, K, V and output in one step.

    Returns
    -------
    (n, 4) ndarray of int
        Indices into `CATEGORIES`; columns as in `ROW_NAMES`.

    Examples
    --------
    >>> ["".join(CATEGORIES[i].symbol for i in row) for row in row_states(3, before=1, now=2)]
    ['xRRx', 'NNNN', '····']
    """
    states: NDArray[Any] = np.full((n, 4), NOT_YET)
    states[before:now] = NEW
    states[:before] = AGAIN if recompute else NEVER
    if not recompute and now > before:
        seen = allowed_pairs(n, window)[before:now, :before].any(axis=0)  # (before,): by a new query
        states[:before, 1:3] = np.where(seen, REUSED, NEVER)[:, None]
    return states


def score_states(n: int, before: int, now: int, window: int | None = None, recompute: bool = False) -> NDArray[Any]:
    """Say for each pair of query and key what happens to its score in one step.

    Returns
    -------
    (n, n) ndarray of int
        Indices into `CATEGORIES`; row = query, column = key.

    Examples
    --------
    >>> ["".join(CATEGORIES[i].symbol for i in row) for row in score_states(3, before=1, now=2)]
    ['xx·', 'NN·', '···']
    """
    allowed = allowed_pairs(n, window)
    states = np.full((n, n), NOT_YET)
    states[:now, :now] = NEVER
    states[before:now, :now][allowed[before:now, :now]] = NEW
    if recompute:
        states[:before, :now][allowed[:before, :now]] = AGAIN
    return states


class StepperModel:
    """A setting, all its steps, and the step that is shown.

    Everything is calculated once for each setting; a step only reads.
    """

    def __init__(self, name: str = "bae") -> None:
        self._past: History[tuple[Setting, int, Setting]] = History()  # (setting, step, start) before each change
        self.start = preset(name)
        self._take(self.start)

    @property
    def last(self) -> int:
        """Number of the last step."""
        return len(self.steps) - 1

    @property
    def now(self) -> Step:
        """The step that is shown."""
        return self.steps[self.step]

    def go(self, step: int) -> None:
        """Show a step, the nearest one there is."""
        self.step = min(max(step, 0), self.last)

    def change(self, **changes: Any) -> None:
        """Change the setting; sizes are brought into their range, and the number of tokens so far stays."""
        self._remember()
        tokens_now = self.now.now
        setting = replace(self.setting, **changes)
        n = len(setting.tokens)
        window = None if setting.window is None or setting.window >= n else max(1, setting.window)
        self._take(replace(setting, prompt=min(max(setting.prompt, 1), n), window=window))
        self.go(next((i for i, step in enumerate(self.steps) if step.now >= tokens_now), 0))

    def load(self, setting: Setting) -> None:
        """Begin with another setting; undo leads back to this one."""
        self._remember()
        self.start = setting
        self._take(setting)

    def reset(self) -> None:
        """Go back to the preset or sentence as it was loaded."""
        self._remember()
        self._take(self.start)

    def undo(self) -> bool:
        """Go back one change; False where there is none. What changed nothing, such as a second reset, is none."""
        before = self._past.back()
        while before == (self.setting, self.step, self.start):
            before = self._past.back()
        if before is None:
            return False
        setting, step, self.start = before
        self._take(setting)
        self.go(step)
        return True

    def states(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the states of the rows (n, 4) and of the scores (n, n) in the step shown."""
        setting, step = self.setting, self.now
        n = len(setting.tokens)
        places = (n, step.before, step.now, setting.window, setting.recompute)
        return row_states(*places), score_states(*places)

    def weights(self, head: int) -> NDArray[Any]:
        """Return the weights of one head as decoded so far, (n, n); rows that are not there yet are 0."""
        n = len(self.setting.tokens)
        shown = np.zeros((n, n))
        for step in self.steps[1 : self.step + 1]:
            shown[step.before : step.now, : step.now] = step.weights[head]
        return shown

    def largest_gap(self) -> float:
        """Return max |cached - full| over the steps so far."""
        return max(step.gap for step in self.steps[: self.step + 1])

    def scores_made(self, recompute: bool) -> int:
        """Count the scores that this step makes in each head, with or without a cache."""
        step, window = self.now, self.setting.window
        states = score_states(len(self.setting.tokens), step.before, step.now, window, recompute)
        return int(np.isin(states, (NEW, AGAIN)).sum())

    def cache_bytes(self, plain: bool = False) -> int:
        """Return the bytes of the keys and values kept now; `plain`: as MHA without a window."""
        setting = self.setting
        kept = self.now.now if plain or setting.window is None else min(self.now.now, setting.window)
        heads = setting.n_heads if plain else setting.n_kv_heads
        return kept * heads * 2 * D_K * 8

    def sentence(self) -> str:
        """Say what happens in this step."""
        setting, step = self.setting, self.now
        told: dict[str, Any] = {"step": self.step, "last": self.last, "now": step.now, "again": step.before}
        if self.step == 0:
            return MESSAGES["start"].format(**told)
        told["token"] = setting.tokens[step.now - 1]
        if setting.recompute:
            return MESSAGES["recompute" if step.now > 1 else "recompute_one"].format(**told)
        if step.now - step.before > 1:
            return MESSAGES["prefill"].format(**told)
        reused = int((self.states()[0][:, 1] == REUSED).sum())
        return MESSAGES["decode"].format(**told, reused=reused, dropped=step.before - reused)

    def lines(self) -> list[str]:
        """Say what happens in this step, what work it takes, the gap, and the bytes."""
        cached, full = self.scores_made(recompute=False), self.scores_made(recompute=True)
        return [
            self.sentence(),
            MESSAGES["work"].format(made=full if self.setting.recompute else cached, cached=cached, full=full),
            MESSAGES["gap"].format(step_gap=_small(self.now.gap), gap=_small(self.largest_gap()), bound=BOUND),
            self._bytes_sentence(),
        ]

    def _bytes_sentence(self) -> str:
        n_kv_heads, needed = self.setting.n_kv_heads, self.cache_bytes()
        told = {"bytes": needed, "plain": self.cache_bytes(plain=True), "kept": needed // (n_kv_heads * 2 * D_K * 8)}
        message = MESSAGES["no_cache" if self.setting.recompute else "bytes"]
        return message.format(**told, n_kv_heads=n_kv_heads, d_k=D_K, d_v=D_K)

    def code(self) -> str:
        """Lines that decode as far as shown, and assert that cached and full agree."""
        setting, ends = self.setting, [step.now for step in self.steps[1 : self.step + 1]]
        left = None if setting.window is None else setting.window - 1
        return "\n".join(
            [
                "import numpy as np",
                "from attention_lib import KVCache, sliding_window_mask",
                "from attention_lib.labs.cache_stepper import Setting, layer_of",
                "",
                f"X, layer = layer_of({setting!r})",
                "cache = KVCache(len(X), layer.n_kv_heads, layer.d_k)",
                f"for start, stop in zip({[0, *ends[:-1]]}, {ends}):",
                f"    mask = sliding_window_mask(stop - start, stop, left={left})",
                "    cached = layer(X[start:stop], mask=mask, cache=cache)",
                f"    full = layer(X[:stop], mask=sliding_window_mask(stop, left={left}))",
                f"    assert np.abs(cached.output - full.output[start:]).max() < {BOUND}",
            ]
        )

    def _remember(self) -> None:
        self._past.keep((self.setting, self.step, self.start))

    def _take(self, setting: Setting) -> None:
        self.setting, self.steps, self.step = setting, steps_of(setting), 0


def _small(gap: float) -> str:
    return "0" if gap == 0 else f"{gap:.1e}"


class CacheStepper(Lab):
    """The cache stepper lab: play, go forward and back, and change how the decoder works.

    Parameters
    ----------
    name : str, optional
        A key of `PRESETS` to start from.
    """

    def __init__(self, name: str = "bae") -> None:
        self.model = StepperModel(name)
        self.model.go(FIRST_SHOWN)
        self.head = 0
        self._settings = {each: preset(each) for each in PRESETS}
        self._make_controls(name)
        self.view = MatrixView(self._panels(), arrangement=ARRANGEMENT)
        self._lines = Sentence("stepper-lines")
        above = [self._top, self._message, self._bottom, self._middle, self._lines]
        super().__init__([*above, self.view, self._code.area])
        self.add_class("cache-stepper")
        self._fit_controls()
        self._refresh(changed=False)

    # -- what the reader does ---------------------------------------------------------------

    def _step_to(self, step: int) -> None:
        if not self._busy:
            self.model.go(step)
            self._refresh()

    def _change(self, **changes: Any) -> None:
        if self._busy:
            return
        self.model.change(**changes)
        self._fit_controls()
        self._refresh()

    def _choose_head(self, change: Any) -> None:
        if not self._busy:
            self.head = change.new
            self._refresh(changed=False)

    def _preset_chosen(self, change: Any) -> None:
        if not self._busy and change.new:
            self._load(preset(change.new), "")

    def _sentence_given(self, change: Any) -> None:
        if self._busy:
            return
        try:
            setting = own_sentence(change.new)
        except ValueError as problem:
            self._message.say(str(problem))
            return
        self._load(setting, MESSAGES["own"])

    def _load(self, setting: Setting, said: str) -> None:
        self.model.load(setting)
        self.model.go(1)
        self._rebuild(said)

    def _undo(self, _: Any) -> None:
        if self.model.undo():
            self._rebuild(MESSAGES["undone"])
        else:
            self._message.say(MESSAGES["nothing_to_undo"])

    def _reset(self, _: Any) -> None:
        self.model.reset()
        self.model.go(1)
        self._rebuild(MESSAGES["reset"])

    # -- what is shown ----------------------------------------------------------------------

    def _matrices(self) -> dict[str, NDArray[Any]]:
        rows, scores = self.model.states()
        return {"rows": rows, "scores": scores, "weights": self.model.weights(self.head)}

    def _panels(self) -> dict[str, Panel]:
        tokens, shown = list(self.model.setting.tokens), self._matrices()
        return {
            "rows": Panel(
                shown["rows"], tokens, ROW_NAMES, kind="category", categories=CATEGORIES, row_axis="token",
                column_axis="row of", small=True,
            ),
            "scores": Panel(shown["scores"], tokens, tokens, kind="category", categories=CATEGORIES, small=True),
            "weights": Panel(
                shown["weights"], tokens, tokens, kind="weights", digits=3, title=LABELS["weights"], small=True,
            ),
        }  # fmt: skip

    def _rebuild(self, said: str) -> None:
        self.head = 0
        with self.view.batch():
            self.view.replace(self._panels(), arrangement=ARRANGEMENT)
            self._fit_controls()
            self._refresh(changed=False, said=said)

    def _refresh(self, changed: bool = True, said: str = "") -> None:
        model = self.model
        new = [(row, None) for row in range(model.now.before, model.now.now)]
        self.view.update(self._matrices(), changed=changed, highlight={"rows": new, "scores": new, "weights": new})
        with self.hold_sync():
            self._lines.say(*model.lines())
            self._code.refresh()
        self._set(self._step, model.step)
        self._set(self._play, model.step)
        self._message.say(said)

    def _fit_controls(self) -> None:
        """Give every control the range and the value of the setting."""
        setting, n = self.model.setting, len(self.model.setting.tokens)
        own = setting.tokens not in {one.tokens for one in self._settings.values()}
        with self._quietly():  # the menu and the box too: else what they still say could not be chosen again
            self._preset.value = next((name for name, one in self._settings.items() if one == setting), None)
            self._sentence.value = " ".join(setting.tokens) if own else ""
            self._play.max = self._step.max = self.model.last
            self._prompt.max = self._window.max = n
            self._prompt.value = setting.prompt
            self._window.value = setting.window or n
            heads = [h for h in range(setting.n_heads, 0, -1) if setting.n_heads % h == 0]
            self._kv.options = [(f"{h} ({kind_of(setting.n_heads, h)})", h) for h in heads]
            self._kv.value = setting.n_kv_heads
            self._head.options = list(range(setting.n_heads))
            self._head.value = self.head
            self._way.value = setting.recompute

    def _make_controls(self, name: str) -> None:
        self._preset = choice(LABELS["preset"], PRESETS, name, width="34em")
        self._sentence = sentence_box(LABELS["sentence"], LABELS["placeholder"])
        self._play = ipywidgets.Play(min=0, max=1, interval=TICK, show_repeat=False)
        self._step = ipywidgets.IntSlider(min=0, max=1, description=LABELS["step"], style=WIDE)
        self.buttons = make_buttons(LABELS, "back", "forward", "undo", "reset")
        back, forward, undo, reset = self.buttons.values()
        self._way = ipywidgets.ToggleButtons(
            options=[(label, way) for way, label in WAYS.items()], style={"button_width": "13em"}
        )
        self._prompt = ipywidgets.IntSlider(min=1, max=1, description=LABELS["prompt"], style=WIDE)
        self._window = ipywidgets.IntSlider(min=1, max=1, description=LABELS["window"], style=WIDE)
        self._kv = ipywidgets.Dropdown(
            options=[N_HEADS], description=LABELS["kv"], style=WIDE, layout={"width": "18em"}
        )
        self._head = ipywidgets.Dropdown(options=[0], description=LABELS["head"], style=WIDE, layout={"width": "11em"})
        self._code = CodeBox(LABELS["code"], self.model.code, height="15em")
        self._message = Sentence("stepper-message")
        line = {"flex_flow": "row wrap", "align_items": "center"}
        self._top = ipywidgets.HBox([self._preset, self._sentence, undo, reset, self._code.switch], layout=line)
        self._middle = ipywidgets.HBox([self._play, back, forward, self._step, self._way], layout=line)
        self._bottom = ipywidgets.HBox([self._kv, self._window, self._prompt, self._head], layout=line)
        self._preset.observe(self._preset_chosen, "value")
        self._sentence.observe(self._sentence_given, "value")
        self._play.observe(lambda change: self._step_to(change.new), "value")
        self._step.observe(lambda change: self._step_to(change.new), "value")
        self._way.observe(lambda change: self._change(recompute=change.new), "value")
        self._prompt.observe(lambda change: self._change(prompt=change.new), "value")
        self._window.observe(lambda change: self._change(window=change.new), "value")
        self._kv.observe(lambda change: self._change(n_kv_heads=change.new), "value")
        self._head.observe(self._choose_head, "value")
        back.on_click(lambda _: self._step_to(self.model.step - 1))
        forward.on_click(lambda _: self._step_to(self.model.step + 1))
        undo.on_click(self._undo)
        reset.on_click(self._reset)

    # -- the still picture ------------------------------------------------------------------

    def still_figure(self) -> Any:
        """Draw the letters of the step that is shown."""
        from .. import plots

        rows, scores = self.model.states()
        tokens = list(self.model.setting.tokens)
        return plots.categories(
            {"rows": rows, "scores": scores},
            tokens,
            {"rows": ROW_NAMES, "scores": tokens},
            names=[category.name for category in CATEGORIES],
            symbols=[category.symbol for category in CATEGORIES],
            colours=palette.CATEGORIES[: len(CATEGORIES)],
            title=STILL_TITLE,
        )

    def still_text(self) -> str:
        """Say what happens in the step that is shown."""
        return f"CacheStepper. {self.model.sentence()}"


ARRANGEMENT = [["rows", "scores", "weights"]]
