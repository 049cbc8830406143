"""What is asked of every lab: that it goes back as all do, and that its words come from tables."""

import re
import subprocess
import sys

import pytest

from attention_lib import labs
from attention_lib.view.history import Reversible, same
from attention_lib.view.lab import MESSAGES, Lab

OLD = [name for name in labs.LABS if issubclass(getattr(labs, name), Lab)]


@pytest.mark.parametrize("name", OLD)
def test_every_lab_is_a_lab_around_a_reversible_model(name):
    lab = getattr(labs, name)
    assert issubclass(lab, Lab)
    assert {step: getattr(lab, step) is getattr(Lab, step) for step in ("_undo", "_reset", "_start_from", "_try")} == {
        "_undo": True, "_reset": True, "_start_from": True, "_try": True
    }  # fmt: skip
    (model,) = (base.__annotations__["model"] for base in lab.__mro__[:1])
    assert issubclass(model, Reversible) and model.undo is Reversible.undo and model.reset is Reversible.reset


ZERO = re.compile(r"-0(?:\.0*)?(?![\d.e])")  # with a minus


GIVEN = {  # what a lab that does not open alone is given
}


@pytest.mark.parametrize("name", OLD)
def test_a_reset_says_what_it_did(name):
    lab = getattr(labs, name)(*GIVEN.get(name, ()))
    lab._reset()
    assert lab._message.value == MESSAGES["nothing to reset"]
    assert not lab.model.undo()
    for preset in lab.model.presets:
        lab.model.start_from(preset)
    start = lab.model.start
    lab._reset()  # what a lab keeps of a search is begun again
    assert lab._message.value in (MESSAGES["nothing to reset"], MESSAGES["began again"])
    assert same(lab.model.state, start)


@pytest.mark.parametrize("name", OLD)
def test_no_zero_in_the_code_has_a_minus(name):
    lab = getattr(labs, name)(*GIVEN.get(name, ()))
    for preset in [None, *lab.model.presets]:
        if preset is not None:
            lab.model.start_from(preset)
        code = lab._code._code() if hasattr(lab.model, "code") else ""  # some have none to show
        assert ZERO.findall(code) == [], preset


@pytest.mark.parametrize("name", OLD)
def test_what_is_said_of_the_code_ends_when_it_closes(name):
    lab = getattr(labs, name)(*GIVEN.get(name, ()))
    lab._code._code = lambda: "lines"  # some have none to show
    lab._code.switch.value = True
    lab._copied(True)
    assert lab._message.value == MESSAGES["copied"]
    lab._code.switch.value = False
    assert lab._message.value == ""
    lab._copied(True)  # said of a press before
    assert lab._message.value == ""


def test_importing_a_lab_does_not_wait_for_matplotlib():
    code = "import sys; from attention_lib import labs; [getattr(labs, name) for name in labs.LABS];"
    assert subprocess.run([sys.executable, "-c", f"{code} sys.exit('matplotlib' in sys.modules)"]).returncode == 0
