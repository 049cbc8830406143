"""What the tests of exercises share: exercises that no notebook asks, and wrong forms that are run once."""

import pytest
from samples import SAMPLES

from attention_lib.exercises import EXERCISES, known
from attention_lib.exercises.exercise import Exercise


@pytest.fixture(scope="session", autouse=True)
def samples():
    EXERCISES.update(SAMPLES)
    yield
    for name in SAMPLES:
        del EXERCISES[name]


@pytest.fixture(scope="module")
def wrong_forms_once():
    """Many answers to one exercise meet the same cases: these are drawn once a seed, and what each wrong form makes
    of a case is kept. An answer itself is run anew every time, on copies."""
    draw, run = Exercise.draw, known._of_wrong_form
    drawn, outcomes = {}, {}

    def draw_once(exercise, rng):
        key = exercise, rng.bit_generator.state["state"]["state"]
        if key not in drawn:
            drawn[key] = draw(exercise, rng)
        return drawn[key]

    def run_once(exercise, i, case):
        key = exercise, i, id(case)  # the case is alive: it is kept beside what came of it
        if key not in outcomes:
            outcomes[key] = case, run(exercise, i, case)
        return outcomes[key][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Exercise, "draw", draw_once)
        patch.setattr(known, "_of_wrong_form", run_once)
        yield
