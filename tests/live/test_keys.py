"""Every box of controls keeps its keys and says where its kernel is gone."""

from functools import partial

import ipywidgets
import lab_hands
import pytest

from attention_lib import lessons
from attention_lib.checks import predict
from attention_lib.live import keys

MADE = {name: partial(lab_hands.opened, name) for name in lessons.LABS}
MADE["prediction"] = partial(predict.predict, "01.scores_shape", answer="pairs")
MADE["progress"] = predict.progress


def test_the_language_is_read_when_a_box_is_made(monkeypatch):
    monkeypatch.setattr(keys, "_", lambda sentence: "ko" if sentence == "en" else "답하세요")
    made = keys.Keys()
    assert made._lang == "ko" and set(made._words.values()) == {"답하세요"}


@pytest.mark.parametrize("name", MADE)
def test_it_keeps_its_keys_and_has_a_line_for_a_lost_kernel(name):
    box = MADE[name]()
    assert isinstance(box, ipywidgets.Box)
    assert "attention-keys" in box._dom_classes
    assert isinstance(box.children[-1], keys.Keys)
    line = box.children[0]
    assert "attention-gone" in line._dom_classes
    assert "display: none" in line.value and "The kernel that this belongs to is gone" in line.value
