"""Naming: a slip gets its sentence, however it is written; other slips are described by what they do."""

import re
import time
from types import SimpleNamespace

import numpy as np
import pytest
from answers import EXERCISES, function_of, judged, rows_of

from attention_lib.checks import edits, judging, repair
from attention_lib.checks.compare import Trial
from attention_lib.checks.exercise import Case, compile_function
from attention_lib.checks.relations import name_relation
from attention_lib.checks.runner import Returned
from attention_lib.checks.slips import ADVICE, SENTENCES, sentence_for

pytestmark = pytest.mark.usefixtures("no_repair", "patient")


@pytest.mark.parametrize(("kind", "name", "body"), rows_of("slips.tsv"))
def test_a_classic_slip_has_its_name_however_it_is_written(kind, name, body):
    result = judged(name, body)
    sentence = re.escape(sentence_for(kind, "CODE")).replace("CODE", ".+")
    assert result.status == "mistake" and re.fullmatch(f"Not yet. {sentence}", result.message), result


@pytest.mark.parametrize("name", [name for name in EXERCISES if EXERCISES[name].mistakes])
def test_a_mistake_of_a_record_is_told_for_its_own_source(name):
    exercise = EXERCISES[name]
    for sentence, changes in exercise.mistakes.items():
        result = judging.judge(exercise, compile_function(exercise.changed(changes), name), 5, seed=1)
        assert result.status == "mistake" and sentence in result.message, result


def test_every_kind_of_change_is_made_in_some_exercise_and_every_sentence_is_about_one():
    trees = [edits.tree_of(EXERCISES[name].reference()) for name in EXERCISES]
    assert {edit.kind for tree in trees for edit in edits.find_edits(tree)} == set(edits.KINDS)
    assert len(edits.KINDS) == len(set(edits.KINDS)) and {*ADVICE, *SENTENCES, *edits.EVERYWHERE} <= set(edits.KINDS)
    assert all("right except at `new`" in sentence_for(kind, "new") for kind in set(edits.KINDS) - set(SENTENCES))


@pytest.mark.parametrize("name", [name for name in EXERCISES if EXERCISES[name].is_test])
def test_a_test_is_told_what_slips_through(name):
    exercise, faults = EXERCISES[name], list(EXERCISES[name].refuses)

    def told(accepts):
        return judging.judge(exercise, accepts, 5, seed=1).message.removeprefix("Not yet. Your test ")

    assert (
        told(lambda subject: True)
        == f"accepts every function, even the wrong ones. One of the wrong ones: {faults[0]}."
    )
    assert told(lambda subject: False).startswith("rejects every function that was tried, even the correct ones.")
    assert told(lambda subject: subject.function is exercise.accepts[0]).startswith(
        "rejects a function that is correct."
    )
    several = f"accepts wrong functions, {len(faults) - 1} in all. One of them: {faults[1]}."
    assert told(lambda subject: subject.fault != faults[0]) == several
    for fault in faults:
        lenient = told(lambda subject, fault=fault: subject.fault in ("", fault))
        assert lenient == f"accepts a function that is wrong: {fault}."


WIDE = np.array([[1.0, -2.0, 3.5, 0.25], [4.0, 0.5, -1.0, 2.0]])
MASK, ROWS = np.tri(3, dtype=bool), np.array([[2], [3]])


@pytest.mark.parametrize(
    ("needed", "yours", "words"),
    [
        (WIDE, WIDE.ravel(), ""),
        (WIDE, np.where(WIDE < 0, np.nan, WIDE), "NaN"),
        (MASK, MASK | np.eye(3, k=1, dtype=bool), ""),
        (MASK, MASK & ~np.eye(3, dtype=bool), ""),
        (WIDE, WIDE * 1.7, "1.7 times"),
        (WIDE, WIDE[::-1], "wrong places"),
        (WIDE, WIDE * ROWS, "a factor of its own"),
        (WIDE, np.sin(WIDE) + 3, ""),
    ],
)
def test_what_the_numbers_show_is_said(needed, yours, words):
    cases = [Case((needed,)), Case((needed,))]
    found = name_relation(EXERCISES["scale_scores"], Trial(cases, [Returned((needed,))] * 2, [Returned((yours,))] * 2))
    assert words in found and bool(words) == bool(found)


NAN = "e = np.where(mask, np.exp(scaled_scores), 0); return e / e.sum(axis=1, keepdims=True)"
NAN_LATER = "low = x - x.max(axis=axis, keepdims=True); return np.log(low) / np.log(low).sum(axis=axis, keepdims=True)"
TWICE = "e = np.exp(x - x.max(axis=axis)); return e / e.sum(axis=axis)"


@pytest.mark.parametrize(
    ("name", "body", "words"),
    [
        ("weights_with_dead_rows", NAN, "contains NaN, which means"),
        ("stable_softmax", NAN_LATER, "NaN first comes up in line 3, `return np.log("),
        ("stable_softmax", TWICE, "The same is changed in 2 places at once."),
        ("may_see_past", "np.tri(n_queries, n_keys, n_keys - n_queries)", "it should hold bool"),
        ("scale_scores", "return scores / dk", "Your code raised NameError"),  # before an argument that is not used
        ("scale_scores", "np.sin(scores)", "`d_k` is never used. What is it for?"),
        ("makes_an_attention_map", "weights_of(np.eye(3)) > 0", "a test should return a single True or False"),
        ("makes_an_attention_map", "weights_of(3, 4) is None", "Your code raised ValueError"),
        ("makes_an_attention_map", "assert weights_of(np.eye(3)).any()", "accepts every function"),
    ],
)
def test_what_is_known_for_certain_is_said(name, body, words):
    assert words in judged(name, body).message


def test_an_answer_that_calls_the_system_is_never_run_with_other_arguments():
    signals = []
    function = function_of("scale_scores", "os.kill(os.getppid(), 0); return scores / d_k")
    function.__globals__["os"] = SimpleNamespace(getppid=lambda: 1, kill=lambda _, signal: signals.append(signal))
    trial = judging.draw_trial(EXERCISES["scale_scores"], 1)
    assert repair.find_repair(EXERCISES["scale_scores"], function, trial, 0) is None
    assert signals == []


def test_a_change_that_makes_a_loop_endless_costs_no_time(monkeypatch):
    monkeypatch.setattr(repair, "SECONDS", 0.4)
    body = "total = 0; \\n    while total < d_k:\\n        total = total + 1\\n    return scores / total - 7"
    exercise, start = EXERCISES["scale_scores"], time.thread_time()
    trial = judging.draw_trial(exercise, 1)
    assert repair.find_repair(exercise, function_of("scale_scores", body), trial, 0) is None
    assert time.thread_time() - start < 3 * repair.SECONDS + 1
