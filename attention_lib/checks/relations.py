"""How an answer relates to the right one, where no slip explains it: what the numbers themselves show."""

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from .._words import _
from .compare import Trial, close, same_array
from .exercise import Case, Exercise
from .runner import Outcome, Returned

Pair = tuple[np.ndarray, np.ndarray]  # what came, and what is needed


def name_at_once(exercise: Exercise, trial: Trial) -> str:
    """Return what the numbers show beyond doubt: about a test, about extreme cases, about NaN; "" otherwise."""
    if exercise.is_test:
        return _of_a_test(trial)
    wrong, pairs = _wrong_pairs(exercise, trial)
    with np.errstate(all="ignore"):
        if pairs and all(trial.cases[i].hard for i in wrong):
            return _only_in_extreme_cases(trial.cases, wrong)
        differing = [a[~close(a, b)] for a, b in pairs if a.shape == b.shape]
        if differing and len(differing) == len(pairs) and all(a.size and np.isnan(a).all() for a in differing):
            return (
                "Every wrong entry is NaN, which means “not a number”. Where your code does not write NaN itself, it "
                "comes from 0 / 0, inf - inf, 0 times inf, or the square root of a negative number."
            )
    return ""


def name_relation(exercise: Exercise, trial: Trial) -> str:
    """Return what the numbers of all wrong cases show; "" where they show nothing."""
    wrong, pairs = _wrong_pairs(exercise, trial)
    other_shapes = [(a, b) for a, b in pairs if a.shape != b.shape]
    sentences: Iterable[str] = (relation(pairs) for relation in RELATIONS if pairs)
    if other_shapes:
        sentences = [_shape(other_shapes)]
    with np.errstate(all="ignore"):
        sentence = next(filter(None, sentences), "")
    sentence = sentence or _only_where(exercise, trial)
    names = {name for i in wrong for name in _wrong_parts(exercise, trial.found[i], trial.needed[i])}
    if len(exercise.parts) > 1 and len(names) == 1:
        return f"Only `{names.pop()}` is wrong. {sentence}".rstrip()
    return sentence


def _only_where(exercise: Exercise, trial: Trial) -> str:
    """Say what tells the cases that are right from those that are wrong: the number of axes, or equal shapes."""
    wrong = set(trial.failing(exercise))
    ordinary = [i for i, case in enumerate(trial.cases) if not case.hard]
    is_wrong = [i in wrong for i in ordinary]
    columns = zip(*(trial.cases[i].arguments for i in ordinary))
    arrays = {
        name: [value.shape for value in values]
        for name, values in zip(exercise.argument_names(), columns)
        if all(isinstance(value, np.ndarray) for value in values)
    }
    if all(is_wrong):
        return ""
    for name, shapes in arrays.items():
        if is_wrong == [len(shape) > len(shapes[0]) for shape in shapes]:
            sentence = _("Your function is right where `{name}` has {n} axes, and wrong where it has more.")
            return sentence.format(name=name, n=len(shapes[0]))
    for (a, some), (b, others) in itertools.combinations(arrays.items(), 2):
        if is_wrong == [shape != other for shape, other in zip(some, others)]:
            sentence = _("Your function is only right where sizes agree, such as the shapes of `{a}` and `{b}`.")
            return sentence.format(a=a, b=b)
    return ""


def _wrong_parts(exercise: Exercise, found: Outcome, needed: Outcome) -> list[str]:
    """Return the names of the parts of a result that are not right."""
    if not isinstance(found, Returned) or not isinstance(needed, Returned):
        return list(exercise.parts)
    return [name for name, a, b in zip(exercise.parts, found.parts, needed.parts) if not same_array(a, b)]


def _wrong_pairs(exercise: Exercise, trial: Trial) -> tuple[list[int], list[Pair]]:
    """Return the wrong cases, the ordinary ones if there are any, and what came there beside what is needed."""
    wrong = trial.failing(exercise)
    wrong = [i for i in wrong if not trial.cases[i].hard] or wrong
    pairs = []
    for i in wrong:
        came, right = trial.found[i], trial.needed[i]
        if not isinstance(came, Returned) or not isinstance(right, Returned):
            return wrong, []
        pairs += [(a, b) for a, b in zip(came.parts, right.parts) if not same_array(a, b)]
    return wrong, pairs


def _of_a_test(trial: Trial) -> str:
    """Say which functions a test accepts or refuses and should not."""
    verdicts = [bool(one.parts[0]) for one in trial.found if isinstance(one, Returned)]
    if len(verdicts) < len(trial.cases):
        return ""
    subjects = [case.arguments[0] for case in trial.cases]
    accepted = [subject for subject, verdict in zip(subjects, verdicts) if verdict]
    refused = [subject for subject, verdict in zip(subjects, verdicts) if not verdict]
    slipped = [subject.fault for subject in accepted if subject.fault]
    right = [subject for subject in refused if not subject.fault]
    if not refused:
        return f"Your test accepts every function, even the wrong ones. One of the wrong ones: {slipped[0]}."
    if right:
        which = _("a function that is correct")
        if not accepted:
            which = _("every function that was tried, even the correct ones")
        sentence = _("Your test rejects {which}.").format(which=which)
        lines = [one.refused_at for one in trial.found if isinstance(one, Returned)]
        line = next((at for at, subject in zip(lines, subjects) if at and not subject.fault), "")
        if line:
            return f"{sentence} " + _("What it asks in `{line}` need not hold.").format(line=line)
        sentence += " " + _("Is it too strict? (Two correct results may differ by rounding.)")
        return f"{sentence} " + _("Or does it test something else?")
    if len(slipped) == 1:
        return f"Your test accepts a function that is wrong: {slipped[0]}."
    return f"Your test accepts wrong functions, {len(slipped)} in all. One of them: {slipped[0]}."


def _only_in_extreme_cases(cases: Sequence[Case], wrong: Sequence[int]) -> str:
    """Say what is special about the cases that fail, where all ordinary ones are right."""
    usual = [getattr(value, "dtype", None) for value in cases[0].arguments]
    if all([getattr(value, "dtype", None) for value in cases[i].arguments] != usual for i in wrong):
        return (
            "Your function is right for arrays of float and wrong for arrays of int. An array of int cannot hold "
            "fractions, so NumPy cuts off whatever follows the point."
        )
    return (
        "Your function is right for ordinary numbers but not for extreme ones. `np.exp` returns inf for large scores, "
        "and 0 for scores that are far below 0. Which number do you subtract, fill in or clip at, and is that number "
        "right for every row?"
    )


def _shape(pairs: Sequence[Pair]) -> str:
    """Say how a wrong shape comes about."""
    if all(a.size == b.size and same_array(a.ravel(), b.ravel()) for a, b in pairs):
        return "The numbers are right, but their shape is not."
    if all(a.ndim < b.ndim for a, b in pairs):
        return "An axis is missing. Did a sum, a mean or an index remove it?"
    if all(a.ndim > b.ndim for a, b in pairs):
        return "There is one axis too many. Does something still have to be summed or merged?"
    return ""


def _not_finite(pairs: Sequence[Pair]) -> str:
    if any(np.isnan(a).any() and not np.isnan(b).any() for a, b in pairs if a.dtype.kind == "f"):
        return "Some entries are NaN, which comes from 0 / 0, inf - inf, 0 times inf, or the root of a negative number."
    return ""


def _of_bool(pairs: Sequence[Pair]) -> str:
    """Say which entries of a mask are wrong."""
    if not all(a.dtype == bool and b.dtype == bool for a, b in pairs):
        return ""
    if all((a | ~b).all() for a, b in pairs):
        return "Your mask allows too much: some entries are True that should be False."
    if all((~a | b).all() for a, b in pairs):
        return "Your mask allows too little: some entries are False that should be True."
    return ""


def _factor(pairs: Sequence[Pair]) -> str:
    """See one factor in all numbers, of all cases or of each case."""
    ratios = [(a / b)[np.abs(b) > 1e-9] for a, b in pairs]
    if not all(ratio.size > 1 and np.allclose(ratio, ratio[0]) and abs(ratio[0]) > 1e-6 for ratio in ratios):
        return ""
    if all(np.isclose(ratio[0], ratios[0][0]) for ratio in ratios):
        return f"Every number is {ratios[0][0]:.4g} times what it should be."
    return "Within each case, all numbers are wrong by the same factor. Look at what you divide by."


def _places(pairs: Sequence[Pair]) -> str:
    """See the right numbers in the wrong places."""
    if all(a.size > 1 and bool(close(np.sort(a, axis=None), np.sort(b, axis=None)).all()) for a, b in pairs):
        return "The numbers are right, but they are in the wrong places."
    return ""


def _sums(pairs: Sequence[Pair]) -> str:
    """See rows that should sum to 1 and do not."""
    if not all(a.ndim and a.dtype.kind == "f" for a, _ in pairs):
        return ""
    whole_rows = [np.isclose(b.sum(axis=-1), 1) for _, b in pairs]
    if all(rows.any() and not np.isclose(a.sum(axis=-1), 1)[rows].all() for (a, _), rows in zip(pairs, whole_rows)):
        return "Some rows of weights do not sum to 1. What happens to a row after you divide it by its sum?"
    return ""


def _left_at_zero(pairs: Sequence[Pair]) -> str:
    """See rows that are 0 throughout, as in an array that was made and never filled."""
    if not all(a.ndim and (a[~close(a, b)] == 0).all() for a, b in pairs):
        return ""
    return _("Every wrong entry is 0. Is something written to these places, and is every round of the loop reached?")


def _factor_of_each_row(pairs: Sequence[Pair]) -> str:
    if not all(a.ndim > 1 and a.shape[-1] > 1 for a, _ in pairs):
        return ""
    for a, b in pairs:
        factors = a.sum(axis=-1, keepdims=True) / b.sum(axis=-1, keepdims=True)
        if not np.allclose(a, np.where(np.isfinite(factors), factors, 1) * b):
            return ""
    return "Each row is right except for a factor of its own. Look at what you divide each row by."


def _rows(pairs: Sequence[Pair]) -> str:
    """See that some rows are right: along the first axis, so that what is called a row may have rows itself."""
    if not all(a.ndim > 1 and len(a) > 1 for a, _ in pairs):
        return ""
    row = "row" if all(a.ndim == 2 for a, _ in pairs) else "matrix"
    right = [np.atleast_1d(close(a, b).reshape(len(a), -1).all(axis=1)) for a, b in pairs]
    if all(rows[0] and not rows[1:].any() for rows in right):
        return f"Only the first {row} is right. How does your code go on to the next?"
    if all(rows[-1] and not rows[:-1].any() for rows in right):
        return f"Only the last {row} is right."
    return ""


RELATIONS = (_not_finite, _of_bool, _left_at_zero, _factor, _places, _sums, _factor_of_each_row, _rows)
