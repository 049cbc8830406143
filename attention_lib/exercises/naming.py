"""Naming what is wrong: by agreement with a known mistake, by rule, by running again, by the answer's source."""

import contextlib
from collections.abc import Callable, Sequence

import numpy as np

from .compare import same, same_array
from .describe import is_right, right_kind
from .exercise import Case, Exercise, Finding, Function, Rule, Seen, direct
from .known import Known, arguments_of, name_in_wrong_cases, name_mistake, without_counts
from .rules import FIRST, LAST
from .rules_by_argument import verdict_lost, without_say
from .rules_by_question import another_question
from .rules_by_running import SEED as RUN_SEED
from .rules_by_running import VAGUE, broken_property, divisor_by_running, silent_or_scaled
from .rules_by_source import idle_division, mending_change
from .rules_of_raising import with_sums_lined_up, without_hints
from .rules_of_tests import about_a_test
from .runner import NotTried, Outcome, Raised, Returned, TimeUp, Unusable
from .single import has_ints

#: What a rule may raise on numbers of a kind that it does not know.
CANNOT_LOOK = (ValueError, TypeError, IndexError, np.linalg.LinAlgError)
#: A step is missing, by what came; in the source it may be there, without effect.
STEP_MISSING = ("not_scaled", "argument_returned")
#: What came is said; that an argument has no say says more.
SAID_BY_AN_ARGUMENT = ("has_less", "slices_twice", "other_counts", "allows_too_little", "allows_too_much")
#: True, and far from the line: where one change mends the answer, its place is said too.
LOOSE = (
    *("order_of_the_blocks", "order_within_a_block", "total_not_relative"),
    *("breaks_row_sums", "breaks_future", "breaks_key_order", "breaks_one_query", "breaks_shift", "breaks_values"),
)
ERRORS_AT_A_PLACE = (
    *("product_shapes", "broadcast_error", "reshape_error", "index_error"),
    "softmax_given_nan",
)


def whole_finding(
    exercise: Exercise,
    function: Function,
    found: list[Outcome],
    known: Known,
    first: int,
    time_limit: float,
    seed: int = RUN_SEED,
) -> Finding | None:
    """Name the mistake by what came; where that says little, by running again, or by the answer's source."""
    finding = finding_of(exercise, found, known, first)
    cut = only_for_ints(exercise, found, known)
    if cut is not None and (finding is None or (finding.mistake, cut.mistake) != ("whole_part", "cut_off_by_ints")):
        finding = cut
    if finding is not None and finding.mistake == "mask_leaks":  # is the mask looked at?
        finding = without_say(exercise, function, time_limit) or finding
    tools = _Tools(exercise, function, known, first, time_limit)
    if finding is not None and finding.mistake == "another_size_under_root":  # which one is it?
        made_of = tools.heard(lambda: divisor_by_running(exercise, function, time_limit, seed))
        return finding._replace(also=(made_of,)) if made_of and made_of.mistake == "divisor_made_of" else finding
    if not _kinds_agree(exercise, found[first], known.expected[first]) or not _bools_agree(found[first], known, first):
        return finding  # the kind of the numbers is said
    if isinstance(found[first], Raised):
        return tools.of_an_error(finding)
    if finding is not None and finding.mistake in STEP_MISSING:
        return tools.first_of(
            lambda: tools.mended(("cut",)),
            lambda: idle_division(exercise, function, known, found, time_limit),
            lambda: finding,
        )
    if finding is not None and finding.mistake in SAID_BY_AN_ARGUMENT:
        silent = tools.heard(lambda: silent_or_scaled(exercise, function, time_limit, seed))
        return silent or tools.with_place(finding, SAID_BY_AN_ARGUMENT)
    if (finding is not None and finding.mistake not in VAGUE) or not isinstance(found[first], Returned):
        return finding
    if exercise.may_return_none:
        return tools.first_of(
            lambda: verdict_lost(function),
            lambda: broken_property(exercise, function, time_limit, seed),
            lambda: about_a_test(exercise, function, time_limit),
            lambda: finding,
        )
    cut = tools.mended(("cut",))
    if cut is not None:
        return cut
    finding = tools.first_of(
        lambda: silent_or_scaled(exercise, function, time_limit, seed),
        lambda: asked_otherwise(exercise, known, found),
        lambda: broken_property(exercise, function, time_limit, seed),
        lambda: finding,
    )
    return tools.with_place(finding, (*VAGUE, *LOOSE))


class _Tools:
    """Ways of looking at one answer."""

    def __init__(self, exercise: Exercise, function: Function, known: Known, first: int, time_limit: float) -> None:
        self.exercise, self.function, self.known, self.first = exercise, function, known, first
        self.time_limit = time_limit

    def heard(self, look: Callable[[], Finding | None]) -> Finding | None:
        """Return what a way of looking finds; None where the numbers are such that it cannot look."""
        with np.errstate(all="ignore"), contextlib.suppress(*CANNOT_LOOK):
            return look()
        return None

    def first_of(self, *ways: Callable[[], Finding | None]) -> Finding | None:
        """Return what the first way finds that finds something."""
        return next((finding for look in ways if (finding := self.heard(look))), None)

    def mended(self, kinds: tuple[str, ...] | None = None) -> Finding | None:
        """Return the place in the source where one change mends the answer."""
        return self.heard(
            lambda: mending_change(self.exercise, self.function, self.known, self.first, self.time_limit, kinds)
        )

    def of_an_error(self, finding: Finding | None) -> Finding | None:
        """Return what is said of an error, with the place that mends it; a hint is no longer needed there."""
        if finding is None or finding.mistake != "product_error":
            return self.with_place(finding, ERRORS_AT_A_PLACE)
        place = self.mended()
        if place is None:
            return with_sums_lined_up(finding, self.function)
        shorter = without_hints(finding)
        return shorter._replace(also=(*shorter.also, place))

    def with_place(self, finding: Finding | None, names: Sequence[str]) -> Finding | None:
        """Return a finding of one of these names, or none, with the place where one change mends the answer."""
        if finding is not None and finding.mistake not in names:
            return finding
        place = self.mended()
        if place is None or finding is None:
            return finding or place
        return finding._replace(also=(*finding.also, place))


def only_for_ints(exercise: Exercise, found: Sequence[Outcome], known: Known) -> Finding | None:
    """See that all is right but where arrays of int come: they cannot hold what is written into them."""
    wrong = [i for i, (a, b) in enumerate(zip(found, known.expected)) if not is_right(exercise, a, b)]
    if not wrong or len(found) < len(known.cases) or not all(isinstance(found[i], Returned) for i in wrong):
        return None
    if not all(has_ints(known.cases[i].arguments, known.cases[0].arguments) for i in wrong):
        return None
    changed = all(isinstance(one, Returned) and one.changed for one in (found[i] for i in wrong))
    return Finding("changes_input" if changed else "cut_off_by_ints")


def asked_otherwise(exercise: Exercise, known: Known, found: Sequence[Outcome]) -> Finding | None:
    """Name the change of an argument that explains all that is wrong, edges left aside."""
    if exercise.play is not direct or exercise.may_return_none:
        return None
    usual = [i for i, case in enumerate(known.cases) if not case.hard and i < len(found)]
    arguments = arguments_of([known.cases[i] for i in usual])
    return another_question(exercise, arguments, [found[i] for i in usual], [known.expected[i] for i in usual])


def finding_of(exercise: Exercise, found: list[Outcome], known: Known, first: int) -> Finding | None:
    """Name the mistake: one that agrees exactly, else one that a rule sees."""
    if any(isinstance(outcome, TimeUp | NotTried) for outcome in found):
        return None
    hard = known.cases[first].hard
    group = [i for i, case in enumerate(known.cases) if not case.hard]
    if hard:  # right in all others, so what agrees must be so too
        group = list(range(len(known.cases)))
    if not all(_kinds_agree(exercise, found[i], known.expected[i]) for i in group):
        return None  # whole numbers were asked for: the sentence says so
    name = name_mistake(
        exercise, [known.cases[i] for i in group], [found[i] for i in group], [known.expected[i] for i in group]
    )
    if name is not None:
        return Finding(name)
    n_parts = len(exercise.parts) - exercise.counts
    uncounted = [(without_counts(a, n_parts), without_counts(b, n_parts)) for a, b in zip(found, known.expected)]
    if exercise.counted_too_often and all(same(*pair) for pair in uncounted):
        return Finding(exercise.counted_too_often)
    seen = [_as_seen(exercise, case, *pair) for case, pair in zip(known.cases, uncounted) if case.hard == hard]
    finding = _first_heard((*FIRST, *exercise.rules), seen)
    if finding is None:
        name = name_in_wrong_cases(
            exercise, [known.cases[i] for i in group], [found[i] for i in group], [known.expected[i] for i in group]
        )
        finding = Finding(name) if name is not None else _first_heard(LAST, seen)
    return finding


def _first_heard(rules: Sequence[Rule], seen: Sequence[Seen]) -> Finding | None:
    return next((finding for rule in rules if (finding := _heard(rule, seen))), None)


@np.errstate(all="ignore")
def _heard(rule: Rule, seen: Sequence[Seen]) -> Finding | None:
    """Return what a rule finds; None where the numbers are such that it cannot look."""
    try:
        return rule(seen)
    except CANNOT_LOOK:
        return None


def _kinds_agree(exercise: Exercise, outcome: Outcome, needed: Outcome) -> bool:
    return (
        not isinstance(outcome, Returned)
        or not isinstance(needed, Returned)
        or all(
            right_kind(exercise, had, right) or not same_array(had, right)
            for had, right in zip(outcome.parts, needed.parts)
        )
    )


def _bools_agree(outcome: Outcome, known: Known, first: int) -> bool:
    """Whether an answer is of bool just where it must be."""
    needed = known.expected[first]
    if not isinstance(outcome, Returned) or not isinstance(needed, Returned):
        return True
    return all((a.dtype == bool) == (b.dtype == bool) for a, b in zip(outcome.parts, needed.parts))


def _as_seen(exercise: Exercise, case: Case, outcome: Outcome, needed: Outcome) -> Seen:
    """Return a case as rules see it; an outcome without numbers has no parts."""
    assert isinstance(needed, Returned)
    names = dict(zip(exercise.argument_names(), case.arguments))
    pieces = outcome.pieces if isinstance(outcome, Returned | Unusable) else ()
    parts = outcome.parts if isinstance(outcome, Returned) else ()
    error = outcome.text if isinstance(outcome, Raised) else ""
    operands = outcome.operands if isinstance(outcome, Raised) else None
    return Seen(names, parts, needed.parts, is_right(exercise, outcome, needed), pieces, error, operands)
