"""The cache stepper: decode a sentence token by token and see what is reused, new and not needed.

`StepperModel` is plain: a setting, and what happens at each step. `CacheStepper`
shows it and passes on what the reader does.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import cache
from typing import Any

import ipywidgets
import numpy as np
from numpy.typing import NDArray

from ..analysis.costs import kind_of
from ..analysis.decoding import AGAIN, NEW, REUSED, ROW_NAMES, row_states, score_states
from ..examples.decoding import D_K, N_HEADS, DecodingSetting, Step, steps_of
from ..examples.worked import load_example
from ..view import palette
from ..view.controls import WRAP, NumberSlider, Sentence, choice, make_buttons, sentence_box
from ..view.history import Reversible, preset_of, same
from ..view.lab import Lab
from ..view.matrix_view import MatrixView
from ..view.panel import Category, Panel, shortened
from ..view.player import Player
from ..view.titles import TITLES
from ..view.typed import read_words
from .stepper_words import LABELS, MESSAGES, WAYS

MOST_TOKENS = 12
BOUND = 1e-12  # on |cached - full|: some hundred roundings of 1.1e-16, with numbers of about 1

CATEGORIES = [
    Category("reused", "R"),
    Category("new", "N"),
    Category("not needed", "x"),
    Category("again", "A"),
    Category("not yet", "·"),
]

FIRST_SHOWN = 3  # the step at which a start opens: late enough to have a past
OPENS_AT = {"article": 1, "prefill": 1}  # some open earlier: what comes is to be guessed; the prompt comes at once
ARRANGEMENT = [["rows", "scores", "weights"]]
TICK = 0.9  # seconds for a step of play
PRESETS = {
    "bae": "어제 밤에 배가 … · MHA, one token at a time",
    "article": "ChatGPT 는 뛰어나다 · article 003",
    "prefill": "어제 밤에 배가 … · a prompt of five tokens first",
    "gqa": "어제 밤에 배가 … · GQA, two key/value heads",
    "window": "어제 밤에 배가 … · MQA with a window of three",
    "recompute": "어제 밤에 배가 … · without a cache",
}


def own_sentence(text: str) -> DecodingSetting:
    """Make a setting from a reader's sentence.

    Raises
    ------
    ValueError
        If the sentence is empty or longer than can be shown.
    """
    return DecodingSetting(read_words(text, MOST_TOKENS))


@cache
def presets() -> dict[str, DecodingSetting]:
    """Return the settings of `PRESETS`."""
    bae = DecodingSetting(load_example("bae_hungry").tokens)
    article = DecodingSetting(load_example("kv_cache_three_tokens").tokens, n_kv_heads=1, article=True)
    return {
        "bae": bae,
        "article": article,
        "prefill": replace(bae, prompt=5),
        "gqa": replace(bae, n_kv_heads=2),
        "window": replace(bae, n_kv_heads=1, window=3),
        "recompute": replace(bae, recompute=True),
    }


class StepperModel(Reversible[DecodingSetting]):
    """A setting, all its steps, and the step that is shown.

    Everything is calculated once for each setting; a step only reads, and is no change to take back.
    """

    steps: list[Step]
    step: int

    def __init__(self, name: str = "bae") -> None:
        self.presets = presets()
        super().__init__(preset_of(self.presets, name))
        self._open(name)

    def start_from(self, name: str) -> None:
        """Begin with a preset, at the step where it opens."""
        super().start_from(name)
        self._open(name)

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

    def begin_again(self) -> None:
        """Show the step where the start opens."""
        self._open(next((name for name, state in self.presets.items() if same(state, self.start)), ""))

    def change(self, gesture: object = None, **changes: Any) -> None:
        """Change the setting; sizes are brought into their range, and the number of tokens so far stays."""
        setting = replace(self.state, **changes)
        n = len(setting.tokens)
        window = None if setting.window is None or setting.window >= n else max(1, setting.window)
        self._go(replace(setting, prompt=min(max(setting.prompt, 1), n), window=window), gesture)

    def states(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the states of the rows (n, 4) and of the scores (n, n) in the step shown."""
        setting, step = self.state, self.now
        n = len(setting.tokens)
        places = (n, step.before, step.now, setting.window, setting.recompute)
        return row_states(*places), score_states(*places)

    def weights(self, head: int) -> NDArray[Any]:
        """Return the weights of one head as decoded so far, (n, n); rows that are not there yet are NaN."""
        n = len(self.state.tokens)
        shown = np.full((n, n), np.nan)
        for step in self.steps[1 : self.step + 1]:
            shown[step.before : step.now] = 0
            shown[step.before : step.now, : step.now] = step.weights[head]
        return shown

    def largest_gap(self) -> float:
        """Return max |cached - full| over the steps so far."""
        return max(step.gap for step in self.steps[: self.step + 1])

    def scores_made(self, recompute: bool) -> int:
        """Count the scores that this step makes in each head, with or without a cache."""
        step, window = self.now, self.state.window
        states = score_states(len(self.state.tokens), step.before, step.now, window, recompute)
        return int(np.isin(states, (NEW, AGAIN)).sum())

    def cache_bytes(self, plain: bool = False) -> int:
        """Return the bytes of the keys and values kept now; `plain`: as MHA without a window."""
        setting = self.state
        kept = self.now.now if plain or setting.window is None else min(self.now.now, setting.window)
        heads = setting.n_heads if plain else setting.n_kv_heads
        return kept * heads * 2 * D_K * 8

    def question(self) -> str:
        """Ask what comes next."""
        if self.step < self.last:
            return MESSAGES["ask"]
        other = not self.state.recompute
        return MESSAGES["ask again" if other else "ask reused"].format(way=WAYS[other])

    def sentence(self) -> str:
        """Say what happens in this step."""
        setting, step = self.state, self.now
        told: dict[str, Any] = {"step": self.step, "last": self.last, "now": step.now, "again": step.before}
        if self.step == 0:
            return MESSAGES["start"].format(**told)
        told["token"] = shortened(setting.tokens[step.now - 1])
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
            MESSAGES["work"].format(made=full if self.state.recompute else cached, cached=cached, full=full),
            MESSAGES["gap"].format(step_gap=_small(self.now.gap), gap=_small(self.largest_gap()), bound=BOUND),
            self._bytes_sentence(),
        ]

    def _bytes_sentence(self) -> str:
        n_kv_heads, needed = self.state.n_kv_heads, self.cache_bytes()
        told = {"bytes": needed, "plain": self.cache_bytes(plain=True), "kept": needed // (n_kv_heads * 2 * D_K * 8)}
        message = MESSAGES["no_cache" if self.state.recompute else "bytes"]
        return message.format(**told, n_kv_heads=n_kv_heads, d_k=D_K, d_v=D_K)

    def code(self) -> str:
        """Lines that decode as far as shown, and assert that cached and full agree."""
        setting, ends = self.state, [step.now for step in self.steps[1 : self.step + 1]]
        left = None if setting.window is None else setting.window - 1
        return "\n".join(
            [
                "import numpy as np",
                "from attention_lib import KVCache, sliding_window_mask",
                "from attention_lib.examples.decoding import DecodingSetting, layer_of",
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

    def _open(self, name: str) -> None:
        self.go(OPENS_AT.get(name, FIRST_SHOWN))

    def _show(self, state: DecodingSetting) -> None:
        new = not hasattr(self, "state") or state.tokens != self.state.tokens
        tokens_now = FIRST_SHOWN if new else self.now.now
        self.state, self.steps = state, steps_of(state)
        if new and self.preset:  # a way back to another sentence leads to where that opens
            self._open(self.preset)
        else:
            self.go(next((i for i, step in enumerate(self.steps) if step.now >= tokens_now), self.last))


def _small(gap: float) -> str:
    return "0" if gap == 0 else f"{gap:.1e}"


class CacheStepper(Lab):
    """The cache stepper lab: play, go forward and back, and change how the decoder works.

    Parameters
    ----------
    name : str, optional
        A key of `PRESETS` to start from.
    """

    model: StepperModel
    player: Player

    def __init__(self, name: str = "bae") -> None:
        self.model = StepperModel(name)
        self.head = 0
        self._make_common(PRESETS, width="33em", lines=15)
        self._make_controls()
        self.view = MatrixView(self._panels(), arrangement=ARRANGEMENT)
        controls = [self._top, self._words, self._goal, self._bottom, self._middle]
        self._begin("cache-stepper", [*controls, self._lines, self.view, self._code.area])

    # -- what the reader does ---------------------------------------------------------------

    def _step_to(self, step: int, _: object = None) -> None:
        self.model.go(step)
        self._refresh()

    def _begin_again(self) -> bool:
        before = self.model.step
        self.model.begin_again()
        return self.model.step != before

    def _play_on(self) -> bool:
        """Take the next step, from the empty cache again after the last; False where none follows."""
        step, last = self.model.step, self.model.last
        self._step_to(0 if step == last else step + 1)
        return self.model.step < last

    def _setter(self, field: str) -> Callable[..., None]:
        def change(value: Any, gesture: object = None) -> None:
            self.model.change(gesture, **{field: value})
            self._refresh()

        return change

    def _choose_head(self, head: int) -> None:
        self.head = head
        self._refresh(changed=False)

    def _sentence_given(self, text: str) -> None:
        self._try(lambda: self.model.load(own_sentence(text)), MESSAGES["own"])

    # -- what is shown ----------------------------------------------------------------------

    def _shape(self) -> Any:
        return self.model.state.tokens

    def _arrangement(self) -> list[list[str]]:
        return ARRANGEMENT

    def _matrices(self) -> dict[str, NDArray[Any]]:
        rows, scores = self.model.states()
        return {"rows": rows, "scores": scores, "weights": self.model.weights(self.head)}

    def _panels(self) -> dict[str, Panel]:
        tokens, shown = list(map(shortened, self.model.state.tokens)), self._matrices()
        return {
            "rows": Panel(
                shown["rows"], tokens, [TITLES[name] for name in ROW_NAMES], kind="category", categories=CATEGORIES,
                row_axis="token", column_axis="row of", small=True,
            ),
            "scores": Panel(shown["scores"], tokens, tokens, kind="category", categories=CATEGORIES, small=True),
            "weights": Panel(
                shown["weights"], tokens, tokens, kind="weights", digits=3, blanks=True, small=True,
                title=LABELS["weights"],
            ),
        }  # fmt: skip

    def _update(self, changed: bool) -> None:
        self.head = min(self.head, self.model.state.n_heads - 1)
        new: list[tuple[int | None, int | None]] = [(row, None) for row in range(*self.model.now[:2])]
        self.view.update(self._matrices(), changed=changed, highlight={"rows": new, "scores": new, "weights": new})

    def _follow(self) -> None:
        """Give every control the range and the value of the setting."""
        setting, n = self.model.state, len(self.model.state.tokens)
        own = setting.tokens not in {one.tokens for one in self.model.presets.values()}
        self._goal.say(self.model.question(), strong=True)
        self._lines.say(*self.model.lines())
        self._sentence.value = " ".join(setting.tokens) if own else ""
        self._step.fit(self.model.step, 0, self.model.last)
        self._prompt.fit(setting.prompt, 1, n)
        self._window.fit(setting.window or n, 1, n)
        heads = [h for h in range(setting.n_heads, 0, -1) if setting.n_heads % h == 0]
        self._kv.options = [(LABELS["kind"].format(n=h, kind=kind_of(setting.n_heads, h)), h) for h in heads]
        self._kv.value = setting.n_kv_heads
        self._head.options = list(range(setting.n_heads))
        self._head.value = self.head
        self._way.value = setting.recompute

    def _make_controls(self) -> None:
        self._sentence = sentence_box(LABELS["sentence"], LABELS["placeholder"])
        self.player = Player(LABELS, self._play_on, TICK)
        self._step = NumberSlider(LABELS["step"], 0, 0, 1, self._step_to)
        self.buttons |= make_buttons(LABELS, "back", "forward")
        self._way = ipywidgets.ToggleButtons(
            options=[(label, way) for way, label in WAYS.items()], style={"button_width": "13em"}
        )
        self._prompt = NumberSlider(LABELS["prompt"], 1, 1, 1, self._setter("prompt"), width="14em")
        self._window = NumberSlider(LABELS["window"], 1, 1, 1, self._setter("window"), width="14em")
        self._kv = choice(LABELS["kv"], {N_HEADS: ""}, N_HEADS, "18em")
        self._head = choice(LABELS["head"], {0: "0"}, 0, "11em")
        self._goal, self._lines = Sentence("lab-goal"), Sentence("stepper-lines", says=True)
        line = WRAP | {"align_items": "center"}
        tools = self._tools(self.buttons["undo"], self.buttons["reset"], self._code.switch)
        self._top = ipywidgets.HBox([self._preset, tools], layout=line)
        # What is said has room beside the field; a long one lies over the question, which nobody operates.
        self._words = ipywidgets.HBox([self._sentence, self._message], layout=line)
        moves = self._tools(self.player.button, self.buttons["back"], self.buttons["forward"])
        self._middle = ipywidgets.HBox([moves, self._step, self._way], layout=line)
        self._bottom = ipywidgets.HBox([self._kv, self._window, self._prompt, self._head], layout=line)
        self._sentence.observe(self._heard(self._sentence_given), "value")
        self._way.observe(self._heard(self._setter("recompute")), "value")
        self._kv.observe(self._heard(self._setter("n_kv_heads")), "value")
        self._head.observe(self._heard(self._choose_head), "value")
        self.buttons["back"].on_click(lambda _: self._step_to(self.model.step - 1))
        self.buttons["forward"].on_click(lambda _: self._step_to(self.model.step + 1))

    # -- the still picture ------------------------------------------------------------------

    def still_figure(self) -> Any:
        """Draw the letters of a step with a past."""
        from .. import plots

        rows, scores = self._with_a_past().states()
        tokens = list(map(shortened, self.model.state.tokens))
        return plots.categories(
            {TITLES["rows"]: rows, TITLES["scores"]: scores},
            tokens,
            {TITLES["rows"]: [TITLES[name] for name in ROW_NAMES], TITLES["scores"]: tokens},
            names=[category.name for category in CATEGORIES],
            symbols=[category.symbol for category in CATEGORIES],
            colours=palette.CATEGORIES[: len(CATEGORIES)],
            title=MESSAGES["still title"],
        )

    def still_text(self) -> str:
        """Say what happens in the step that is drawn."""
        return MESSAGES["still text"].format(sentence=self._with_a_past().sentence())

    def _with_a_past(self) -> StepperModel:
        """Return the model, one step on where it stands at the first: no button leads on from a still picture."""
        model = copy(self.model)
        model.go(max(model.step, 2))
        return model
