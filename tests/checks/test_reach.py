"""How far the checks reach: hidden cases that no wrong answer meets by chance, and answers as learners write them."""

import ast
import functools
import time
import warnings
from collections import Counter

import numpy as np
import pytest
from answers import EXERCISES, function_of, judged, rows_of

from attention_lib.checks import judging
from attention_lib.checks.compare import same
from attention_lib.checks.edits import build, count_rounds, find_edits, tree_of
from attention_lib.checks.runner import Returned, run_cases

LEAST_NAMED, MOST_ALONE = 0.8, 0.15
NUMBERS_ALONE = ("shape", "differs", "nan")
LONGEST = 3.0  # seconds of the processor for one check, on a slow machine


@functools.cache
def results(name):
    """Judge all answers to one exercise: (label, body, status, seconds) of each.

    The place of a slip is only looked for where it has no name: that takes long, and the status is the same.
    """
    found, find_repair = [], judging.find_repair
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(action="ignore"):
        for _, _, label, body in (row for row in rows_of("answers.tsv") if row[1] == name):
            start = time.process_time()
            for look in (lambda *_: None, find_repair):
                judging._last_repair.clear()
                patch.setattr(judging, "find_repair", look)
                status = judging.judge(EXERCISES[name], function_of(name, body), 5, seed=1).status
                if status not in (*NUMBERS_ALONE, "raised", "type"):
                    break
            found.append((label, body, status, time.process_time() - start))
    return found


@pytest.mark.parametrize("name", EXERCISES)
def test_no_answer_is_judged_wrongly_and_none_takes_long(name):
    found = results(name)
    assert [(label, body) for label, body, status, _ in found if (status == "passed") != (label == "right")] == []
    assert [body for _, body, _, seconds in found if seconds > LONGEST] == []
    labels = [label for label, *_ in found]
    assert labels.count("right") == 1 >= labels.count("wrong")


def test_most_wrong_answers_get_a_name_or_a_place_and_few_only_numbers():
    statuses = Counter(status for name in EXERCISES for label, _, status, _ in results(name) if label == "wrong")
    assert statuses["mistake"] >= LEAST_NAMED * statuses.total(), statuses
    assert sum(statuses[status] for status in NUMBERS_ALONE) <= MOST_ALONE * statuses.total(), statuses


SEEDS = (1, 2)
NUMERIC = [name for name in EXERCISES if not EXERCISES[name].is_test]
hidden = pytest.mark.usefixtures("no_repair", "patient")


def cases_of(name, seed):
    return EXERCISES[name].draw(np.random.default_rng(seed))


@hidden
@pytest.mark.parametrize("name", NUMERIC)
def test_there_are_several_cases_and_they_are_not_alike(name):
    trial = judging.draw_trial(EXERCISES[name], 1)
    assert sum(not case.hard for case in trial.cases) >= 4
    assert all(isinstance(outcome, Returned) for outcome in trial.needed), "the solution fails on a case"
    assert len({tuple(part.tobytes() for part in outcome.parts) for outcome in trial.needed}) >= 3


@hidden
@pytest.mark.parametrize("name", NUMERIC)
def test_a_small_change_that_matters_for_some_numbers_is_seen_with_all(name):
    exercise = EXERCISES[name]
    draws = [cases_of(name, seed) for seed in SEEDS]
    needed = [run_cases(exercise, exercise.reference(), [case.arguments for case in cases]) for cases in draws]
    tree = tree_of(exercise.reference())
    edits = find_edits(tree)
    count_rounds(tree)
    accepted = []
    for edit in edits:
        with edit.applied(), warnings.catch_warnings(action="ignore"):
            changed = build(tree, exercise.reference().__globals__)
            passes = [passes_all(exercise, changed, *both) for both in zip(draws, needed)]
        if any(passes) and not all(passes):
            accepted.append(f"{ast.unparse(edit.old)} -> {ast.unparse(edit.new)}")
    assert accepted == [] and len(edits) >= 20


def passes_all(exercise, function, cases, needed):
    """Whether no case is wrong; those after the first wrong one are not run."""
    return function is not None and all(
        same(run_cases(exercise, function, [case.arguments])[0], right) for case, right in zip(cases, needed)
    )


ATTEND = "e = np.exp(s - {}); return e / e.sum(axis=-1, keepdims=True) @ V"
SCALED, LARGEST = "s = Q @ K.T / np.sqrt(Q.shape[1])", "s.max(axis=-1, keepdims=True)"


@hidden
@pytest.mark.parametrize(
    ("name", "body", "words"),
    [
        ("stable_softmax", "e = np.exp(x); return e / e.sum(axis=axis, keepdims=True)", "not for extreme ones"),
        ("mended_mask", f"{SCALED}; s = np.where(mask, s, -1e2); {ATTEND.format(LARGEST)}", "fill"),
        ("weights_with_dead_rows", "softmax(np.where(mask, np.float32(scaled_scores), np.float32(-1e4)))", "fill"),
    ],
)
def test_what_only_special_cases_show_is_seen_and_said(name, body, words):
    result = judged(name, body)
    assert not result.passed and words in str(result), result
