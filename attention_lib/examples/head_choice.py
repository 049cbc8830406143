"""Which head of a sentence is looked at, which pair of its tokens, and by which measure it was found."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.measures import strongest_heads
from .trained_heads import TrainedSentence, load_sentence, sentence_names

SETTINGS: dict[str, tuple[str, int, int, int, int, str, str]] = {
    "paper": ("paper", 4, 4, 6, 2, "pair", "grid"),  # it, paper
    "back": ("keys", 0, 2, 6, 5, "previous", "largest"),  # are, cabinet
    "sinks": ("keys", 4, 5, 6, 0, "special", "largest"),  # are, [CLS]
    "chance": ("creature", 0, 1, 4, 2, "pair", "largest"),  # creature, fluffy
}


@dataclass(frozen=True, eq=False)
class HeadState:
    """A sentence, one of its heads, a pair of tokens, and what is measured."""

    sentence: TrainedSentence
    layer: int
    head: int
    query: int
    key: int
    measure: str = "pair"
    order: str = "grid"

    def code(self) -> str:
        """Return lines that give the numbers shown."""
        if self.sentence.name in sentence_names():
            lines = [
                "from attention_lib.examples.trained_heads import load_sentence",
                "",
                f"sentence = load_sentence({self.sentence.name!r})",
            ]
        else:
            lines = [
                "from attention_lib.examples.minilm import MiniLM",
                "from attention_lib.examples.trained_heads import sentence_of",
                "",
                f"text = {self.sentence.text!r}",
                "sentence = sentence_of(text, MiniLM().run(text))",
            ]
        lines += [
            f"head = sentence.head({self.layer}, {self.head})",
            "print(head.weights.round(2))",
            f"print(head.Q[{self.query}] * head.K[{self.key}])",
            f"print(sentence.statistics({self.query}, {self.key})[{self.measure!r}].round(2))",
        ]
        return "\n".join([*lines, ""])


def preset_state(name: str) -> HeadState:
    """Return the state of a preset."""
    setting = SETTINGS[name]
    return HeadState(load_sentence(setting[0]), *setting[1:])


def start(sentence: TrainedSentence, measure: str = "pair", order: str = "grid") -> HeadState:
    """Open a sentence at the head that comes first by the measure."""
    return at_largest(HeadState(sentence, 0, 0, sentence.query, sentence.key, measure, order))


def at_largest(state: HeadState) -> HeadState:
    """Open the head that comes first by the measure."""
    layer, head, _ = ranking(measured(state))[0]
    return replace(state, layer=layer, head=head)


def measured(state: HeadState) -> NDArray[Any]:
    """Return the measure of every head, (6, 12), each between 0 and 1."""
    values = state.sentence.statistics(state.query, state.key)[state.measure]
    return values / np.log(len(state.sentence.tokens)) if state.measure == "entropy" else values


def ranking(values: NDArray[Any]) -> list[tuple[int, int, float]]:
    """Return (layer, head, value) of all heads, largest first."""
    return strongest_heads(values, values.size, digits=12)  # rounded once, when they are shown
