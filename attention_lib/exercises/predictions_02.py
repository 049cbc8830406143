"""What is said about the predictions of notebook 02."""

from .predictions import Question

QUESTIONS = {
    "02.spread": Question(
        topic="root of d_k",
        tolerance=0.3,
        digits=2,
        right=(
            "A score adds up d_k products, so its spread grows like "
            "the square root of d_k, and the scale takes that out."
        ),
        wrong={
            "d_k": (
                "That divides by d_k itself. Variances add up to d_k; the spread is the square root of the variance."
            ),
            "half_power": "That is d_k / 2. In Python 64 ** 1 / 2 gives it too, since ** binds before /.",
            "other": (
                "The variance of a sum of d_k independent products is "
                "d_k times that of one. The spread is its square root."
            ),
        },
    ),
    "02.divide_by_d_k": Question(
        topic="dividing by d_k",
        choices={
            "flatter": "flatter: the weights move towards 1/n",
            "same": "about the same",
            "sharper": "sharper: one weight moves towards 1",
        },
        right="Dividing by d_k takes out the spread twice. The scores end up near 0 and the weights near 1/n.",
        wrong={
            "same": "For d_k = 64 the two divisors differ by a factor of 8, and softmax feels every factor.",
            "sharper": "A larger divisor brings the scores closer together, and close scores make equal weights.",
        },
    ),
    "02.unscaled": Question(
        topic="saturation",
        choices={
            "one_key": "nearly all weight on one key",
            "flat": "about the same weight on every key",
            "same": "no different from small d_k",
        },
        right="The spread of the scores is the root of d_k, so the largest score leaves the others far behind.",
        wrong={
            "flat": "Flat weights need scores that are close together. Unscaled scores move apart as d_k grows.",
            "same": (
                "Each score is a sum of d_k products. More products, more spread, and softmax turns spread into ratios."
            ),
        },
    ),
    "02.half_power": Question(
        topic="** 1 / 2",
        tolerance=0.01,
        digits=1,
        right="** binds before /, so it is (64 ** 1) / 2.",
        wrong={
            "root": "That is 64 ** 0.5. Python reads 64 ** 1 / 2 as (64 ** 1) / 2.",
            "other": "Python works out 64 ** 1 first, then divides by 2.",
        },
    ),
    "02.shift": Question(
        topic="adding a number to all scores",
        choices={
            "same": "the weights stay the same",
            "sharper": "the largest weight grows",
            "larger": "all weights grow",
        },
        right=(
            "exp(a + c) is exp(a) times exp(c), and exp(c) cancels in the "
            "division. So the largest score may be subtracted freely."
        ),
        wrong={
            "sharper": "Only the gaps between scores count, and they have not changed.",
            "larger": "The weights still sum to 1, so they cannot all grow.",
        },
    ),
    "02.float16": Question(
        topic="overflow",
        choices={"11": "about 11", "88": "about 88", "709": "about 709", "65504": "about 65504"},
        right="The largest float16 is 65504, and exp of a little more than 11 is beyond it.",
        wrong={
            "88": "That is where float32 overflows. float16 has fewer bits for the exponent.",
            "709": "That is where float64 overflows.",
            "65504": "That is the largest float16 itself. exp reaches it very early.",
        },
    ),
    "02.bae": Question(
        topic="when scaling matters",
        choices={
            "no": "the same word keeps the largest weight",
            "yes": "another word takes the largest weight",
        },
        right="Dividing by a positive number keeps the order of the scores, so it changes how much, never which.",
        wrong={
            "yes": (
                "All scores are divided by the same positive number, so their order stays, and softmax keeps the order."
            ),
        },
    ),
}
