"""How far the checks reach: answers as learners write them, right in another way than the solution, and wrong."""

import functools
import time
import warnings
from collections import Counter

import pytest
from answers import EXERCISES, function_of, rows_of

from attention_lib.checks import judging

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
    assert Counter(label for label, *_ in found) == {"right": 1, "wrong": 1}


def test_most_wrong_answers_get_a_name_or_a_place_and_few_only_numbers():
    statuses = Counter(status for name in EXERCISES for label, _, status, _ in results(name) if label == "wrong")
    assert statuses["mistake"] >= LEAST_NAMED * statuses.total(), statuses
    assert sum(statuses[status] for status in NUMBERS_ALONE) <= MOST_ALONE * statuses.total(), statuses
