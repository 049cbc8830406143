"""How an answer relates to the right one, where no slip explains it: what the numbers themselves show."""

from collections.abc import Sequence

import numpy as np

from .._words import _
from .compare import Trial, close, same_array
from .exercise import Exercise
from .runner import Returned

Pair = tuple[np.ndarray, np.ndarray]  # what came, and what is needed


def name_at_once(exercise: Exercise, trial: Trial) -> str:
    """Return what the numbers show beyond doubt: about a test, about extreme cases, about NaN; "" otherwise."""
    if exercise.is_test:
        return _of_a_test(trial)
    wrong, pairs, _names = _wrong_pairs(exercise, trial)
    with np.errstate(all="ignore"):
        if pairs and all(trial.cases[i].hard for i in wrong):
            return _(
                "Your function is right for ordinary numbers but not for extreme ones. `np.exp` returns inf for large "
                "scores, and 0 for scores that are far below 0. Which number do you subtract, fill in or clip at, and "
                "is that number right for every row?"
            )
        if pairs and all(a.shape == b.shape and np.isnan(a[~close(a, b)]).all() for a, b in pairs):
            return _not_finite(pairs)
    return ""


def name_relation(exercise: Exercise, trial: Trial) -> str:
    """Return what the numbers of all wrong cases show; "" where they show nothing."""
    _wrong, pairs, names = _wrong_pairs(exercise, trial)
    sentence = ""
    if pairs and all(a.shape == b.shape for a, b in pairs):
        with np.errstate(all="ignore"):
            sentence = next(filter(None, (relation(pairs) for relation in RELATIONS)), "")
    if len(exercise.parts) > 1 and len(names) == 1:
        return f"{_('Only `{name}` is wrong.').format(name=names.pop())} {sentence}".rstrip()
    return sentence


def _wrong_pairs(exercise: Exercise, trial: Trial) -> tuple[list[int], list[Pair], set[str]]:
    """Return the wrong cases, the ordinary ones if there are any, and their wrong parts: the arrays and the names."""
    wrong = trial.failing()
    wrong = [i for i in wrong if not trial.cases[i].hard] or wrong
    pairs, names = [], set()
    for i in wrong:
        came, right = trial.found[i], trial.needed[i]
        if not isinstance(came, Returned) or not isinstance(right, Returned):
            return wrong, [], set()
        for name, a, b in zip(exercise.parts, came.parts, right.parts):
            if not same_array(a, b):
                pairs.append((a, b))
                names.add(name)
    return wrong, pairs, names


def _of_a_test(trial: Trial) -> str:
    """Say which functions a test accepts or refuses and should not."""
    verdicts = [bool(one.parts[0]) for one in trial.found if isinstance(one, Returned)]
    if len(verdicts) < len(trial.cases):
        return ""
    subjects = [case.arguments[0] for case in trial.cases]
    accepted = [subject for subject, verdict in zip(subjects, verdicts) if verdict]
    refused = [subject for subject, verdict in zip(subjects, verdicts) if not verdict]
    slipped = [_(subject.fault) for subject in accepted if subject.fault]
    right = [subject for subject in refused if not subject.fault]
    if not refused:
        sentence = _("Your test accepts every function, even the wrong ones. One of the wrong ones: {fault}.")
        return sentence.format(fault=slipped[0])
    if right:
        sentence = _("Your test rejects every function that was tried, even the correct ones.")
        if accepted:
            sentence = _("Your test rejects a function that is correct.")
        more = _("Is it too strict? (Two correct results may differ by rounding.) Or does it test something else?")
        return f"{sentence} {more}"
    sentence = _("Your test accepts wrong functions, {n} in all. One of them: {fault}.")
    if len(slipped) == 1:
        sentence = _("Your test accepts a function that is wrong: {fault}.")
    return sentence.format(n=len(slipped), fault=slipped[0])


def _places(pairs: Sequence[Pair]) -> str:
    if all(a.size > 1 and bool(close(np.sort(a, axis=None), np.sort(b, axis=None)).all()) for a, b in pairs):
        return _("The numbers are right, but they are in the wrong places.")
    return ""


def _not_finite(pairs: Sequence[Pair]) -> str:
    if any(np.isnan(a).any() and not np.isnan(b).any() for a, b in pairs if a.dtype.kind == "f"):
        return _(
            "Your answer contains NaN, which means “not a number”. Where your code does not write NaN itself, it comes "
            "from 0 / 0, inf - inf, 0 times inf, or the square root of a negative number."
        )
    return ""


def _factor(pairs: Sequence[Pair]) -> str:
    ratios = np.concatenate([(a / b)[np.abs(b) > 1e-9] for a, b in pairs])
    if ratios.size > 1 and ratios[0] and all(close(a, ratios[0] * b).all() for a, b in pairs):
        return _("Every number is {ratio:.4g} times what it should be.").format(ratio=ratios[0])
    return ""


def _factor_of_each_row(pairs: Sequence[Pair]) -> str:
    if not all(a.ndim > 1 and a.shape[-1] > 1 and a.dtype != bool for a, _ in pairs):
        return ""
    for a, b in pairs:
        factors = (a * b).sum(axis=-1, keepdims=True) / (b * b).sum(axis=-1, keepdims=True)
        if not np.allclose(a, np.where(np.isfinite(factors), factors, 1) * b):
            return ""
    return _("Each row is right except for a factor of its own. Look at what you divide each row by.")


RELATIONS = (_not_finite, _factor, _places, _factor_of_each_row)
