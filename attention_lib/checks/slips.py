"""What is said about a slip, by the kind of change in `edits` that makes it.

All that is known is that a right answer gives the learner's numbers once one place in it is changed. The sentences say
no more than that, but for the slips of attention that can hardly mean anything else. What would be right there is left
to the learner.
"""

from .._words import _

ONE_CHANGE = "Your results match those of a solution that is right except at `{wrong}`."
#: Said instead where the quote would be the whole of a one-line solution.
UNQUOTED = "Your results match those of a correct solution with one change in it."

#: What follows either of these, by the kind of change.
ADVICE = {
    "other_size": "What does each size count: tokens, keys, or the numbers in one vector? They are "
    "equal only in some cases.",
    "axis": "Is that the axis you want?",
    "keepdims": "Without `keepdims=True` the axis disappears, and NumPy then lines up the wrong axes.",
    "transpose": "Write down the shapes and check which axes meet.",
    "order_of_product": "The first factor of a product gives the rows, and the second gives the columns.",
    "exp_missing": "Softmax takes e to the power of each score first, so that every weight is positive.",
    "axes_exchanged": "A reshape keeps the order in memory, so the shape can be right while the numbers are in the "
    "wrong places.",
    "comparison": "Which side has to be the larger one, and what should happen where both are equal?",
}
#: What is said of a kind that deserves a sentence of its own.
SENTENCES = {
    "not_scaled": "You get these numbers if you do not divide the scores by √d_k. Without the division, the scores of "
    "long rows grow large, and softmax gives nearly everything to one key.",
    "scaled_by_d_k": "These are the numbers you get when you divide by the size itself instead of by its square root.",
    "half_power": "Python computes `x / d ** 1 / 2` as x / d / 2, because it applies `**` first and then `/` from left "
    "to right. Write `np.sqrt(d)` or `d ** 0.5`.",
    "mask_inverted": "The mask is upside down. Here True means that a query may attend to a key.",
    "mask_ignored": "The mask has no effect: you get the same numbers without it.",
    "mask_product": "A forbidden score becomes 0. But 0 is a score like any other to softmax, so the "
    "forbidden key still gets a weight. Its score has to be -inf.",
    "mask_sum": "The mask is added to the scores, as 0 or 1. Forbidden keys have to get -inf; adding 1 to the allowed "
    "scores only makes them a little larger.",
    "finite_fill": "The forbidden scores are filled with a finite number. That works until all scores of a row are as "
    "low as this number, and then forbidden keys get weight. Only -inf is always lower.",
    "sum_missing": "The division by the sum is missing, so the weights of a row do not add up to 1.",
    "softmax_twice": "Softmax is applied once too often. Weights that are already shares become flatter when softmax "
    "treats them as scores again.",
}


def sentence_for(kind: str, wrong: str) -> str:
    """Return what is said about a change of this kind that puts `wrong` into a solution.

    Where `wrong` is "", it is not to be quoted, and "" is returned if nothing else can be said.
    """
    if kind in SENTENCES:
        return _(SENTENCES[kind])
    if kind == "keepdims" and "keepdims=True" in wrong:
        kind = "axis"
    advice = _(ADVICE.get(kind, ""))
    if wrong:
        return f"{_(ONE_CHANGE).format(wrong=wrong)} {advice}".rstrip()
    return f"{_(UNQUOTED)} {advice}" if advice else ""
