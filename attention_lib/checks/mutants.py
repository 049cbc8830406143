"""Name a slip by making it: change the solution in one place, and see whether that gives the learner's outcomes.

However the answer is written, what agrees with it in every case is the slip.
"""

import ast
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from .._words import _
from .compare import Trial, same
from .edits import Edit, build, count_rounds, find_edits, tree_of
from .exercise import Exercise, Function, compile_function
from .runner import Returned, run_cases
from .slips import sentence_for

SECONDS = 0.6  # of the processor, for all mutants of one check: a busy machine finds as much as a quiet one
SHORTEST, LONGEST = 18, 70  # letters of the code that is quoted


class Mutant(NamedTuple):
    """A solution with one change, and what is said of it."""

    say: Callable[[], str]
    function: Function

    def agrees(self, exercise: Exercise, trial: Trial, i: int) -> bool:
        return same(run_cases(exercise, self.function, [trial.cases[i].arguments])[0], trial.found[i])


def name_slip(exercise: Exercise, trial: Trial) -> str:
    """Return what is said about the slip that agrees with an answer in every case; "" where none does.

    Extreme cases count only where all others are right: an answer may be unstable besides.
    """
    ordinary = [i for i, case in enumerate(trial.cases) if not case.hard]
    if all(same(trial.found[i], trial.needed[i]) for i in ordinary):
        ordinary = list(range(len(trial.cases)))
    wrong = [i for i in ordinary if not same(trial.found[i], trial.needed[i]) and isinstance(trial.found[i], Returned)]
    if not wrong:
        return ""
    order = [wrong[0], *(i for i in ordinary if i != wrong[0])]
    end = time.thread_time() + SECONDS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # of changes that make no sense
        for mutant in _all_mutants(exercise):
            if all(mutant.agrees(exercise, trial, i) for i in order):
                return mutant.say()
            if time.thread_time() > end:
                break
    return ""


_made: dict[str, tuple[list[Mutant], Iterator[Mutant]]] = {}


def _all_mutants(exercise: Exercise) -> Iterator[Mutant]:
    """Give the mutants of an exercise, those that were made before first."""
    kept, more = _made.setdefault(exercise.name, ([], _make_mutants(exercise)))
    yield from kept
    for mutant in more:
        kept.append(mutant)
        yield mutant


def _make_mutants(exercise: Exercise) -> Iterator[Mutant]:
    """Make the mistakes that the record holds, then every change of the solution, one at a time, and of the bug."""
    for sentence, changes in exercise.mistakes.items():
        yield Mutant(partial(_, sentence), compile_function(exercise.changed(changes), exercise.name))
    sources = [exercise.solution, exercise.stub] if exercise.has_bug else [exercise.solution]
    for source in sources:
        original = compile_function(source, exercise.name)
        tree = tree_of(original)
        if tree is None:
            continue
        edits = find_edits(tree)
        count_rounds(tree)
        for edit in edits:
            with edit.applied():
                function = build(tree, original.__globals__)
            if function is not None:
                yield Mutant(partial(_say, source == exercise.stub, tree, edit), function)


def _say(is_buggy: bool, tree: ast.FunctionDef, edit: Edit) -> str:
    with edit.applied():
        piece = enclosing(tree, edit.new)
        wrong = as_text(piece)
    right = edit.old if piece is edit.new else piece
    if is_buggy:
        sentence = _("The bug is still there, and something else is changed: `{right}` has become `{wrong}`.")
        return sentence.format(right=as_text(right), wrong=wrong)
    sentence = sentence_for(edit.kind, "" if gives_away(right, tree) else wrong)
    if sentence and len(edit.places) > 1:
        sentence += " " + _("The same is changed in {n} places at once.").format(n=len(edit.places))
    return sentence


def gives_away(piece: ast.AST, *answers: ast.FunctionDef | None) -> bool:
    """Whether a piece of code is all that one of these functions does, in a single line."""
    lines = [answer.body[0] for answer in answers if answer and len(answer.body) == 1]
    wholes = [part for line in lines for part in (line, getattr(line, "value", None)) if part]
    return ast.unparse(piece) in map(ast.unparse, wholes)


def enclosing(tree: ast.AST, node: ast.AST) -> ast.AST:
    """Return the smallest piece of code around a node that is long enough to be recognised."""
    parents = {child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}
    piece = node
    while len(ast.unparse(piece)) < SHORTEST:
        parent = parents.get(node)
        if not isinstance(parent, ast.expr | ast.keyword | ast.Assign | ast.Return):
            break
        node = parent
        if not isinstance(node, ast.keyword):
            piece = node
    return piece


def as_text(node: ast.AST) -> str:
    """Return a piece of code in one line that is not too long."""
    text = ast.unparse(node)
    return text if len(text) <= LONGEST else text[: LONGEST - 4] + " ..."
