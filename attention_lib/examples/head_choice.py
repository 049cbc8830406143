"""Which head of a sentence is looked at, which pair of its tokens, and by which measure it was found."""

import functools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..analysis.measures import strongest_heads
from .trained_heads import KINDS, TrainedSentence, load_sentence, sentence_names

# sentence, layer, head, query, key, measure, order, what arrives in place of weights
SETTINGS: dict[str, tuple[str, int, int, int, int, str, str, bool]] = {
    "paper": ("paper", 4, 4, 6, 2, "pair", "grid", False),  # it, paper
    "back": ("keys", 0, 2, 6, 5, "previous", "largest", False),  # are, cabinet
    "sinks": ("keys", 4, 5, 6, 0, "cls", "largest", False),  # are, [CLS]
    "arriving": ("keys", 4, 5, 6, 0, "cls", "grid", True),
    "cup": ("cup", 3, 1, 8, 2, "pair", "largest", False),  # it, cup
    "creature": ("creature", 0, 1, 4, 2, "pair", "largest", False),  # creature, fluffy
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
    arriving: bool = False

    def code(self) -> str:
        """Return lines that give the numbers shown."""
        if self.sentence.name in sentence_names(*KINDS):
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
        arriving = "arriving=True" if self.arriving else ""
        pair = f"{self.query}, {self.key}" + (f", {arriving}" if arriving else "")
        lines += [
            f"head = sentence.head({self.layer}, {self.head})",
            f"print(sentence.maps({arriving})[{self.layer}, {self.head}].round(2))",
            f"print(head.Q[{self.query}] * head.K[{self.key}])",
            f"print(sentence.statistics({pair})[{self.measure!r}].round(2))",
        ]
        return "\n".join([*lines, ""])


def preset_state(name: str) -> HeadState:
    """Return the state of a preset."""
    setting = SETTINGS[name]
    return HeadState(load_sentence(setting[0]), *setting[1:])


def start(sentence: TrainedSentence, measure: str = "pair", order: str = "grid", arriving: bool = False) -> HeadState:
    """Open a sentence at the head that comes first by the measure."""
    return at_largest(HeadState(sentence, 0, 0, sentence.query, sentence.key, measure, order, arriving))


def at_largest(state: HeadState) -> HeadState:
    """Open the head that comes first by the measure."""
    layer, head, _ = ranking(measured(state))[0]
    return replace(state, layer=layer, head=head)


def measured(state: HeadState) -> NDArray[Any]:
    """Return the measure of every head, (6, 12), each between 0 and 1."""
    values = state.sentence.statistics(state.query, state.key, state.arriving)[state.measure]
    return values / np.log(len(state.sentence.tokens)) if state.measure == "entropy" else values


def ranking(values: NDArray[Any]) -> list[tuple[int, int, float]]:
    """Return (layer, head, value) of all heads, largest first."""
    return strongest_heads(values, values.size, digits=12)  # rounded once, when they are shown


@functools.cache
def found_beforehand() -> NDArray[np.int_]:
    """Count for each head the sentences written down beforehand in which it finds the noun, (6, 12)."""
    return np.sum([load_sentence(name).finds_key() for name in sentence_names("beforehand")], axis=0)
