"""How far the checks reach: answers as learners write them, right in many styles and wrong in many ways.

`learners_answers.tsv` holds exercise, "right" or "wrong", and the body of the function; "; " stands for a new line,
"\\n" for one that brings its own indent. Where somebody who read the message judged the mistake to be named fittingly,
its name stands behind.
"""

import ast
import csv
import math
import re
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest

from attention_lib import self_attention, softmax
from attention_lib.exercises import EXERCISES
from attention_lib.exercises.diagnose import diagnose
from attention_lib.exercises.exercise import compile_function
from attention_lib.mistakes.recipes import AND

LEAST_NAMED, MOST_ALONE = 0.85, 0.15
LEAST_SPELLINGS, LEAST_RIGHT = 4, 6
WRITTEN = {name: exercise for name, exercise in EXERCISES.items() if exercise.blanks is None}  # without the samples
NUMBERS_ALONE = ("differs", "nan", "shape")
FILE = Path(__file__).with_name("learners_answers.tsv")
LINES = list(csv.reader(FILE.read_text("utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
ANSWERS = [(name, label, body) for name, label, body, *_ in LINES]
NAMED = {(name, body): mistake[0] for name, _, body, *mistake in LINES if mistake}


def source_of(name, body):
    head = re.search(r"def \w+\([^)]*\):", EXERCISES[name].stub)[0]
    body = body.replace("\\n", "\n").replace("; ", "\n    ")
    body = body if re.search(r"\breturn\b", body) else f"return {body}"
    return f"{head}\n    {body}\n"


def as_read(name, body):
    """Return the function as Python reads it, its own names numbered: a space or a name makes no other spelling."""
    tree = ast.parse(source_of(name, body))
    nodes, word = list(ast.walk(tree)), r"[^\W\d]\w*"
    own = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    own |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    text = ast.unparse(tree)
    met = [found for found in dict.fromkeys(re.findall(word, text)) if found in own]
    return re.sub(word, lambda found: f"_{met.index(found[0])}" if found[0] in own else found[0], text)


def function_of(name, body):
    function = compile_function(source_of(name, body), name)
    function.__globals__.update(math=math, softmax=softmax, self_attention=self_attention)
    return function


@pytest.fixture(scope="module")
def results(wrong_forms_once):
    """Return (name, label, body, result) of every answer."""
    with np.errstate(all="ignore"):
        return [
            (name, label, body, diagnose(EXERCISES[name], function_of(name, body), 5, seed=1))
            for name, label, body in ANSWERS
        ]


def test_there_are_answers_to_every_exercise():
    counts = Counter((name, label) for name, label, _ in ANSWERS)
    assert len(ANSWERS) >= 450
    written = {name for name, exercise in EXERCISES.items() if exercise.blanks is None}
    assert {name for name, _ in counts} >= written - {"attention_from_embeddings", "heads_one_by_one"}
    assert all(counts[name, "wrong"] >= 5 for name, _ in counts)


def spellings_of(lines, enough):
    """Return the different ways in which answers are written, by what they belong to; no more are read than needed."""
    found = defaultdict(set)
    for key, name, body in lines:
        if len(found[key]) < enough:
            found[key].add(as_read(name, body))
    return found


def test_each_exercise_has_right_answers_in_several_ways():
    ways = spellings_of(((name, name, body) for name, label, body in ANSWERS if label == "right"), LEAST_RIGHT)
    lacking = [f"{name}: {len(ways[name])}" for name in WRITTEN if len(ways[name]) < LEAST_RIGHT]
    assert not lacking, "\n".join(lacking)


def test_each_known_mistake_is_named_in_several_spellings(results):
    known = [(name, mistake) for name, exercise in WRITTEN.items() for mistake in exercise.wrong if AND not in mistake]
    asked = set(known)
    spellings = spellings_of(
        (((name, result.mistake), name, body) for name, _, body, result in results if (name, result.mistake) in asked),
        LEAST_SPELLINGS,
    )
    lacking = [f"{' '.join(key)}: {len(spellings[key])}" for key in known if len(spellings[key]) < LEAST_SPELLINGS]
    assert not lacking, "\n".join(lacking)


def test_none_is_judged_wrongly(results):
    assert [(name, body) for name, label, body, result in results if result.passed != (label == "right")] == []


def test_a_name_that_fits_is_given_again(results):
    given = {(name, body): result.mistake for name, _, body, result in results}
    assert {key: given[key] for key in NAMED} == NAMED


def test_most_refusals_have_a_name_and_few_say_numbers_alone(results):
    refused = [(name, body, result) for name, label, body, result in results if not result.passed]
    named = sum(result.mistake is not None for *_, result in refused) / len(refused)
    alone = sum(result.status in NUMBERS_ALONE for *_, result in refused) / len(refused)
    assert named >= LEAST_NAMED
    assert alone <= MOST_ALONE
